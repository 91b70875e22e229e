//! site.toml: its defaults, its problems, and the options that override it.

use crate::support::{TestSite, contains, rows};

#[test]
fn options_win_over_site_toml() {
    let site = TestSite::base();
    site.write(
        "site.toml",
        "[site]\nbase_url = \"https://one.example/\"\n[build]\nout = \"one\"\n",
    );
    site.runpress("build --out two --base-url https://two.example/x")
        .ok();
    assert!(!site.path("one").exists());
    contains(
        &site.text("two/feeds/feed.json"),
        "https://two.example/x/feeds/feed.json",
    );
}

#[test]
fn a_host_in_other_letters_is_told_its_ascii_form() {
    let site = TestSite::base();
    let address = "https://пример.example/sub";
    let ascii = "https://xn--e1afmkfd.example/sub";
    for text in [
        format!("[site]\nbase_url = \"{address}\"\n"),
        format!("[publish]\nfiles_base_url = \"{address}\"\n"),
        format!("[[nav]]\ntitle = \"x\"\nurl = \"{address}\"\n"),
    ] {
        site.write("site.toml", &text);
        let ran = site.runpress("check").exits(2);
        ran.says(format!("Write the host in its ASCII form: `{ascii}`."));
        site.write("site.toml", text.replace(address, ascii));
        site.runpress("check").ok();
    }
    site.write("site.toml", "");
    site.runpress(&["build", "--base-url", address])
        .exits(2)
        .says(ascii);
    site.edit_first(|record| record["links"]["playableBuild"] = address.into());
    site.runpress("check").says(ascii);
}

#[test]
fn every_problem_of_site_toml_is_reported_at_once() {
    let site = TestSite::base();
    site.write("site.toml", "nope = 1\n[site]\ntitle = 3\nbase_url = \"example.org\"\n[timeline]\npage_size = 0\n[limits]\nline = \"64 MB\"\n[[nav]]\ntitle = \"x\"\nurl = \"javascript:x\"\n");
    let ran = site.runpress("check").exits(2);
    let errors = ran.stderr.lines().filter(|line| line.starts_with("error["));
    assert_eq!(errors.count(), 6, "{}", ran.stderr);
    for line in [
        "site.toml:1:1",
        "site.toml:3:9",
        "site.toml:4:12",
        "site.toml:6:13",
        "site.toml:8:8",
    ] {
        ran.says(line);
    }
}

#[test]
fn an_invalid_value_of_site_toml_is_reported_with_its_reason() {
    for [text, told] in rows(
        r#"
[[nav]]⏎title = "x"⏎url = "javascript:1" | 3 A navigation entry cannot link to `javascript:1`
[[nav]]⏎url = "javascript:1" | 1 A navigation entry needs a `title` and a `url`⏎2 A navigation entry cannot link to `javascript:1`
[[nav]]⏎title = "x" | 1 A navigation entry needs a `title` and a `url`
[[import]]⏎case = "x" | 1 An import entry needs a `path`
[[nav]]⏎title = ""⏎url = "runs/index.html" | 1 A navigation entry needs a `title` and a `url`
[timeline]⏎page_size = 99999999999999999999 | 2 The value of `page_size` is too large
[timeline]⏎page_size = -99999999999999999999 | 2 The value of `page_size` must be at least 1
"#,
    ) {
        let (_, problems) = runpress::api::config::parse("site.toml", text);
        let problems = problems.iter();
        let found = problems.map(|it| format!("{} {}", it.place.line.expect("a line"), it.message));
        assert_eq!(found.collect::<Vec<_>>().join("\n"), told, "{text}");
    }
}

#[test]
fn a_site_without_site_toml_has_all_defaults() {
    let site = TestSite::base();
    site.remove("site.toml");
    site.runpress("build").ok();
    let home = site.page("index.html");
    assert_eq!(home.texts("header .brand"), ["Agent runs"]);
    assert_eq!(home.texts("h1"), ["Published runs of AI agents."]);
}

#[test]
fn a_byte_order_mark_before_site_toml_changes_nothing() {
    let site = TestSite::base();
    site.write("site.toml", format!("\u{feff}{}", site.text("site.toml")));
    assert_eq!(
        site.runpress("check").status,
        Some(0),
        "{}",
        site.runpress("check").stderr
    );
}
