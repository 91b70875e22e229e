//! The Markdown report of a check over a base: what a contribution changes, and what it has to fix.

use crate::support::{Ran, Run, TestSite, copy, lacks, parse};

const RULES: &str = r#"
[[rule]]
id = "cheap"
title = "A run costs at most a dollar"
fix = "Give the run a cost below a dollar."
severity = "error"
require = "run.cost <= 1.0"
"#;

fn id(number: usize) -> String {
    format!("{number:08x}-8a60-4d2e-9a51-0c9f6f1f2b11")
}

/// A site with three runs, and another with the same content.
fn before_and_after() -> (TestSite, TestSite) {
    let before = TestSite::empty();
    for number in 0..3 {
        before.run(&format!("r{number}"), &Run::new(&id(number)));
    }
    before.write("content/cases/pnog.md", "No such case.\n");
    let after = TestSite::empty();
    copy(before.root(), after.root());
    (before, after)
}

/// Checks a site over a base; the report is on standard output.
fn check(before: &TestSite, after: &TestSite, options: &[&str]) -> Ran {
    let base = before.root().to_str().expect("UTF-8");
    let arguments = ["check", "--report", "markdown", "--base", base];
    after.runpress(&[&arguments, options].concat())
}

/// Gives a run of the site this cost.
fn cost(site: &TestSite, folder: &str, cost: &str) {
    let path = format!("content/runs/{folder}/run-record.json");
    let mut record = parse(&site.text(&path));
    record["metrics"]["cost"]["comparable"] = cost.parse::<f64>().expect("a number").into();
    site.write(&path, record.to_string());
}

#[test]
fn what_the_base_already_has_is_only_counted() {
    let (before, after) = before_and_after();
    let ran = check(&before, &after, &[]).ok();
    assert_eq!(
        ran.stdout,
        "## Checked: nothing to fix\n\nNo run and no rule differs from the base. The base already has 1 warning, not listed here.\n"
    );
    // Problems of a run stay the same if it moves, and if other lines come before them.
    for site in [&before, &after] {
        site.write("rules/a.toml", RULES);
        cost(site, "r1", "3.5");
    }
    std::fs::rename(
        after.path("content/runs/r1"),
        after.path("content/runs/moved"),
    )
    .expect("moved");
    let ran = check(&before, &after, &[]).exits(1);
    assert_eq!(
        ran.stdout,
        "## Check failed: nothing new, but the base has 1 error\n\nNo run and no rule differs from the base. The base already has 1 error, 1 warning, not listed here.\n"
    );
}

#[test]
fn each_kind_of_change_is_listed_with_what_to_fix_first() {
    let (before, after) = before_and_after();
    for site in [&before, &after] {
        site.write("rules/a.toml", RULES);
    }
    after.run("new", &Run::new(&id(7)));
    cost(&after, "new", "9.5");
    cost(&after, "r1", "0.75");
    after.remove("content/runs/r2/run-record.json");
    let ran = check(
        &before,
        &after,
        &["--source-url", "https://git.example.org/blob/c0ffee"],
    )
    .exits(1);
    let record = "https://git.example.org/blob/c0ffee/content/runs/new/run-record.json";
    for part in [
        "## Check failed: 1 error to fix\n",
        "\nThis change adds 1 run, changes 1 run and withdraws 1 run. The base already has 1 warning, not listed here.\n",
        "\n### To fix\n\n**`content/runs/new`**: `pong`\n\n",
        &format!(
            "- **Error:** [The run](<{record}>) violates rule `cheap`: A run costs at most a dollar.\\\n  **To fix it:** Give the run a cost below a dollar. The rule is in rules/a.toml, line 3.\n"
        ),
        &format!("| [`00000007`](<{record}>) | `pong` | `sample/lark-1` · `codex` |"),
        " | 1 error |\n",
        "\n### Changed runs\n\n- [`00000001`](<",
        "1 field\n",
        "\n### Withdrawn runs\n\n- `00000002` `pong v1.0.0` · `sample/lark-1` · `codex`\n",
    ] {
        ran.prints(part);
    }
    // A site that quarantines such runs publishes the others.
    let ran = check(&before, &after, &["--keep-going"]).ok();
    let left_out = "\n### Runs that are left out because of errors\n\n- `content/runs/new`\n";
    ran.prints(left_out);
}

#[test]
fn a_build_over_a_base_links_to_the_pages_that_it_makes() {
    let (before, after) = before_and_after();
    after.run("new", &Run::new(&id(7)));
    let flag = RULES.replace("error", "flag").replace("1.0", "0.01");
    let flag = flag.replace(
        "require = \"run.cost <= 0.01\"",
        "find = \"event.kind == 'agent'\"\nexpect = \"none\"",
    );
    after.write("rules/a.toml", flag);
    after.write(
        "content/runs/new/events.jsonl",
        crate::support::event(0, "agent", r#""message":"Done.""#) + "\n",
    );
    let base = before.root().to_str().expect("UTF-8");
    let ran = after
        .runpress(&["build", "--report", "markdown", "--base", base])
        .ok();
    let page = "https://runs.example.org/runs/pong-codex-sample-lark-1-00000007/";
    for part in [
        "## Published: nothing to fix\n".to_owned(),
        format!("| [`00000007`](<{page}>) |"),
        format!("- [Event 0](<{page}#e-0>) violates rule `cheap`"),
    ] {
        ran.prints(&part);
    }
}

#[test]
fn a_base_without_a_site_has_no_runs_and_one_that_cannot_be_read_says_why() {
    let (before, after) = before_and_after();
    let empty = tempfile::tempdir().expect("a folder");
    let base = empty.path().to_str().expect("UTF-8");
    let ran = after.runpress(&["check", "--report", "markdown", "--base", base]);
    ran.prints("This change adds 3 runs");
    lacks(&ran.stdout, "could not be read");
    before.write("site.toml", "[site\n");
    let ran = check(&before, &after, &[]);
    ran.prints("The base could not be read, so everything counts as new: ");
    let checkout = TestSite::empty();
    std::fs::remove_dir(checkout.path("content")).expect("a folder");
    checkout.remove("site.toml");
    checkout.write(".git", "gitdir: elsewhere\n");
    checkout.write("README.md", "No site yet.\n");
    let ran = check(&checkout, &after, &[]);
    assert!(
        ran.stdout.contains("This change adds 3 runs"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

#[test]
fn a_base_that_is_no_root_of_a_site_is_refused() {
    let (before, after) = before_and_after();
    before.publish();
    for (folder, says) in [
        ("missing", "cannot be read: "),
        ("site.toml", "is not a folder"),
        ("content", "has no `site.toml` and no content"),
        ("content/runs/r0", "has no `site.toml` and no content"),
        ("public", "is a published site"),
    ] {
        let base = before.path(folder);
        let base = base.to_str().expect("UTF-8");
        for command in ["check", "build"] {
            let ran = after.runpress(&[command, "--base", base]);
            assert_eq!(ran.status, Some(2), "{folder}");
            let start = format!("error[content.no-base]: The base `{base}` {says}");
            assert!(
                ran.stderr.contains(&start),
                "{folder}: {start}\n{}",
                ran.stderr
            );
        }
        assert!(!after.path("public").exists(), "{folder}");
    }
    // A site without settings is known by its content.
    before.remove("site.toml");
    check(&before, &after, &[]).ok();
}
