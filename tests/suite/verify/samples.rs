//! For each code of `runpress verify` a copy of the base site that gives it.

use std::fs;
use std::os::unix::fs::symlink;

use super::{CHECKSUMS, seal, seal_files};
use crate::codes::Held;
use crate::support::{FIRST, FIRST_SLUG, TestSite, copy, first};

/// How a copy is prepared, the command, and its exit status.
pub(crate) struct Sample {
    pub(crate) prepare: fn(&TestSite) -> Held,
    pub(crate) arguments: &'static [&'static str],
    pub(crate) status: i32,
}

const VERIFY: &[&str] = &["verify", "public", "-q"];

/// The sample of a code.
pub(crate) fn named(code: &str) -> Sample {
    let sample = |prepare| Sample {
        prepare,
        arguments: VERIFY,
        status: 1,
    };
    match code {
        "verify.unreadable-file" => sample(|site| {
            build(site);
            symlink("robots.txt", site.path("public/link.txt")).expect("a link");
            Held::new()
        }),
        "verify.no-checksums" => Sample {
            prepare: |site| {
                site.publish();
                Held::new()
            },
            arguments: VERIFY,
            status: 0,
        },
        "verify.invalid-checksums" => sample(|site| {
            build(site);
            edit(site, "SHA256SUMS", |text| {
                format!("2c26b46b  index.html\n{text}")
            });
            Held::new()
        }),
        "verify.changed-file" => sample(|site| {
            build(site);
            edit(site, "robots.txt", |text| format!("{text}Disallow: /\n"));
            Held::new()
        }),
        "verify.missing-file" => sample(|site| {
            build(site);
            site.remove("public/robots.txt");
            Held::new()
        }),
        "verify.unlisted-file" => sample(|site| {
            build(site);
            site.write("public/runs/more.html", "<title>More</title>");
            Held::new()
        }),
        "verify.changed-feed" => sample(|site| {
            build(site);
            edit(site, "feeds/index.json", |text| {
                text.replacen("\"bytes\":", "\"bytes\":1", 1)
                    .replace("\"bytes\":1 ", "\"bytes\": 1")
            });
            seal_files(&site.path("public"));
            Held::new()
        }),
        "verify.invalid-feed" => sample(|site| {
            build(site);
            edit(site, "feeds/diagnostics.json", |text| {
                text.replacen("\"errors\"", "\"faults\"", 1)
            });
            seal(&site.path("public"));
            Held::new()
        }),
        "verify.different-value" => sample(|site| {
            build(site);
            edit(site, "feeds/runs.csv", |text| {
                text.replacen("completed", "failed", 1)
            });
            seal(&site.path("public"));
            Held::new()
        }),
        "verify.not-withheld" => sample(withheld),
        "verify.dead-link" => sample(|site| {
            build(site);
            edit(site, "404.html", |text| {
                format!("{text}<a href=gone.html>Gone</a>")
            });
            seal(&site.path("public"));
            Held::new()
        }),
        "verify.broken-chain" => sample(|site| {
            build(site);
            edit(site, "feeds/changes.json", |text| {
                let (before, after) = text.split_once("\"state\":\"").expect("a digest");
                format!("{before}\"state\":\"{}{}", "0".repeat(64), &after[64..])
            });
            seal(&site.path("public"));
            Held::new()
        }),
        "verify.other-head" => Sample {
            prepare: |site| {
                build(site);
                Held::new()
            },
            arguments: &["verify", "public", "-q", "--expected-head", "0000"],
            status: 1,
        },
        "verify.not-continued" => Sample {
            prepare: |site| {
                build(site);
                copy(&site.path("public"), &site.path("earlier"));
                site.remove("public");
                site.replace_first("run-record.json", "\"completed\"", "\"failed\"");
                build(site);
                Held::new()
            },
            arguments: &["verify", "public", "-q", "--since", "earlier"],
            status: 1,
        },
        "verify.different-input" => Sample {
            prepare: |site| {
                build(site);
                let path = first("writeup.md");
                site.append(&path, "\nMore.\n");
                Held::new()
            },
            arguments: &["verify", "public", "-q", "--content", "content"],
            status: 1,
        },
        _ => panic!("{code} has no sample"),
    }
}

fn build(site: &TestSite) {
    let settings = site.text("site.toml");
    if !settings.contains(CHECKSUMS) {
        site.write("site.toml", format!("{settings}{CHECKSUMS}"));
    }
    site.publish();
}

fn edit(site: &TestSite, path: &str, change: fn(&str) -> String) {
    let path = format!("public/{path}");
    let text = site.text(&path);
    let changed = change(&text);
    assert_ne!(text, changed, "{path}");
    site.write(&path, changed);
}

/// A span of the event log that is withheld, and shown again after the build.
fn withheld(site: &TestSite) -> Held {
    site.runpress(&format!(
        "redact {FIRST} --event 0 --quote 'read the task' --reason other --note 'A sample.'"
    ))
    .ok();
    build(site);
    let run = format!("runs/{FIRST_SLUG}");
    let path = site.path(&format!("public/{run}/events.jsonl"));
    let text = fs::read_to_string(&path).expect("UTF-8");
    let shown = text.replacen("[withheld: ", "[shown: ", 1);
    assert_ne!(text, shown);
    let digest = |text: &str| blake3::hash(text.as_bytes()).to_hex().to_string();
    let document = site.path(&format!("public/{run}/run.json"));
    let before = fs::read_to_string(&document).expect("UTF-8");
    let after = before.replace(&digest(&text), &digest(&shown));
    let size = format!("\"bytes\":{}", text.len());
    let after = after.replacen(&size, &format!("\"bytes\":{}", shown.len()), 1);
    fs::write(path, shown).expect("a file");
    fs::write(document, after).expect("a file");
    for file in ["index.html", "run.md"] {
        edit(site, &format!("{run}/{file}"), |text| {
            text.replace("[withheld: ", "[shown: ")
        });
    }
    seal(&site.path("public"));
    Held::new()
}
