//! site.toml: its defaults, its problems, and the options that override it.

use crate::support::TestSite;

#[test]
fn options_win_over_site_toml() {
    let site = TestSite::base();
    site.write(
        "site.toml",
        "[site]\nbase_url = \"https://one.example/\"\n[build]\nout = \"one\"\n",
    );
    let ran = site.runpress(&[
        "build",
        "--out",
        "two",
        "--base-url",
        "https://two.example/x",
    ]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(!site.path("one").exists());
    assert!(
        site.text("two/feeds/feed.json")
            .contains("https://two.example/x/feeds/feed.json")
    );
}

#[test]
fn a_host_in_other_letters_is_told_its_ascii_form() {
    let site = TestSite::base();
    let address = "https://пример.example/sub";
    let ascii = "https://xn--e1afmkfd.example/sub";
    for (text, told) in [
        (format!("[site]\nbase_url = \"{address}\"\n"), ascii),
        (
            format!("[publish]\nfiles_base_url = \"{address}\"\n"),
            ascii,
        ),
        (
            format!("[[nav]]\ntitle = \"x\"\nurl = \"{address}\"\n"),
            ascii,
        ),
    ] {
        site.write("site.toml", &text);
        let ran = site.runpress(&["check"]);
        assert_eq!(ran.status, Some(2), "{}", ran.stderr);
        let help = format!("Write the host in its ASCII form: `{told}`.");
        assert!(ran.stderr.contains(&help), "{text}: {}", ran.stderr);
        site.write("site.toml", text.replace(address, told));
        assert_eq!(site.runpress(&["check"]).status, Some(0));
    }
    site.write("site.toml", "");
    let ran = site.runpress(&["build", "--base-url", address]);
    assert_eq!(ran.status, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains(ascii), "{}", ran.stderr);
    let record = "content/runs/first/run-record.json";
    site.replace(
        record,
        "\"playableBuild\": null",
        &format!("\"playableBuild\": \"{address}\""),
    );
    let ran = site.runpress(&["check"]);
    assert!(ran.stderr.contains(ascii), "{}", ran.stderr);
}

#[test]
fn every_problem_of_site_toml_is_reported_at_once() {
    let site = TestSite::base();
    site.write("site.toml", "nope = 1\n[site]\ntitle = 3\nbase_url = \"example.org\"\n[timeline]\npage_size = 0\n[limits]\nline = \"64 MB\"\n[[nav]]\ntitle = \"x\"\nurl = \"javascript:x\"\n");
    let ran = site.runpress(&["check"]);
    assert_eq!(ran.status, Some(2));
    let found: Vec<&str> = ran
        .stderr
        .lines()
        .filter(|line| line.starts_with("error["))
        .map(|line| line.split(']').next().unwrap_or_default())
        .collect();
    assert_eq!(found.len(), 6, "{}", ran.stderr);
    for line in [
        "site.toml:1:1",
        "site.toml:3:9",
        "site.toml:4:12",
        "site.toml:6:13",
        "site.toml:8:8",
    ] {
        assert!(ran.stderr.contains(line), "{line}: {}", ran.stderr);
    }
}

#[test]
fn an_invalid_value_of_site_toml_is_reported_with_its_reason() {
    let entry = |keys: &str| format!("[[nav]]\n{keys}\n");
    let needs = "A navigation entry needs a `title` and a `url`";
    let leads = "A navigation entry cannot link to `javascript:1`";
    for (text, told) in [
        (
            entry("title = \"x\"\nurl = \"javascript:1\""),
            vec![(3, leads)],
        ),
        (
            entry("url = \"javascript:1\""),
            vec![(1, needs), (2, leads)],
        ),
        (entry("title = \"x\""), vec![(1, needs)]),
        (
            "[[import]]\ncase = \"x\"".to_owned(),
            vec![(1, "An import entry needs a `path`")],
        ),
        (
            entry("title = \"\"\nurl = \"runs/index.html\""),
            vec![(1, needs)],
        ),
        (
            "[timeline]\npage_size = 99999999999999999999".to_owned(),
            vec![(2, "The value of `page_size` is too large")],
        ),
        (
            "[timeline]\npage_size = -99999999999999999999".to_owned(),
            vec![(2, "The value of `page_size` must be at least 1")],
        ),
    ] {
        let (_, problems) = runpress::api::config::parse("site.toml", &text);
        let found: Vec<_> = problems
            .iter()
            .map(|problem| {
                (
                    problem.place.line.expect("a line"),
                    problem.message.as_str(),
                )
            })
            .collect();
        assert_eq!(found, told, "{text}");
    }
}

#[test]
fn a_site_without_site_toml_has_all_defaults() {
    let site = TestSite::base();
    site.remove("site.toml");
    assert_eq!(site.runpress(&["build"]).status, Some(0));
    let home = site.page("index.html");
    assert_eq!(home.texts("header .brand"), ["Agent runs"]);
    assert_eq!(home.texts("h1"), ["Published runs of AI agents."]);
}

#[test]
fn a_byte_order_mark_before_site_toml_changes_nothing() {
    let site = TestSite::base();
    site.write("site.toml", format!("\u{feff}{}", site.text("site.toml")));
    assert_eq!(
        site.runpress(&["check"]).status,
        Some(0),
        "{}",
        site.runpress(&["check"]).stderr
    );
}
