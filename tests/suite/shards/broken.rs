//! Ways in which parts do not fit: each is refused, and the site that was there stays.

use std::fs;
use std::process::Command;

use crate::codes::Held;
use crate::support::{FIRST, FIRST_SLUG, Ran, Run, TestSite, differences, first, rows, tree};

/// A way to break a merge or a shard.
pub(crate) struct Broken {
    pub(crate) code: &'static str,
    pub(crate) prepare: fn(&TestSite) -> Held,
    pub(crate) arguments: &'static [&'static str],
}

const fn way(
    code: &'static str,
    arguments: &'static [&'static str],
    prepare: fn(&TestSite) -> Held,
) -> Broken {
    Broken {
        code,
        prepare,
        arguments,
    }
}

const ONE: &[&str] = &["merge", "-v", "parts/1"];
const BOTH: &[&str] = &["merge", "-v", "parts/1", "parts/2"];

/// Builds a shard `K/N` into a folder.
fn part(site: &TestSite, shard: &str, out: &str) -> Ran {
    site.runpress(&["build", "--shard", shard, "--out", &path(site, out)])
        .ok()
}

fn path(site: &TestSite, path: &str) -> String {
    site.path(path).to_string_lossy().into_owned()
}

fn whole(site: &TestSite) {
    part(site, "1/1", "parts/1");
}

fn change(site: &TestSite, path: &str, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = site.bytes(path);
    change(&mut bytes);
    // Links to the file elsewhere keep what it was.
    site.remove(path).write(path, bytes);
}

fn page() -> String {
    format!("parts/1/runs/{FIRST_SLUG}/index.html")
}

/// Moves the base run away, but for its record.
fn leave_record(site: &TestSite) {
    let record = site.bytes(&first("run-record.json"));
    site.write("records/content/runs/first/run-record.json", record);
    site.remove(FIRST);
}

/// The ways that are named by their code, in the order of the reference.
const CODES: [Broken; 13] = [
    way(
        "shard.needs-content",
        &[
            "build",
            "-v",
            "--shard",
            "1/1",
            "--out",
            "parts/1",
            "--records",
            "records",
        ],
        |site| {
            leave_record(site);
            Vec::new()
        },
    ),
    way("merge.not-a-part", ONE, |site| {
        fs::create_dir_all(site.path("parts/1")).expect("a folder");
        Vec::new()
    }),
    way(
        "merge.overlap",
        &["merge", "-v", "parts/1", "--out", "parts/1/site"],
        |site| {
            whole(site);
            Vec::new()
        },
    ),
    way("merge.other-version", ONE, |site| {
        whole(site);
        change(site, "parts/1/part.runpress", |bytes| bytes[8] ^= 1);
        Vec::new()
    }),
    way("merge.other-settings", ONE, |site| {
        whole(site);
        site.write("static/more.css", "p { color: red }\n");
        Vec::new()
    }),
    way("merge.other-records", ONE, |site| {
        whole(site);
        site.run("second", &Run::new("9f1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b11"));
        Vec::new()
    }),
    way("merge.other-count", BOTH, |site| {
        part(site, "1/2", "parts/1");
        part(site, "2/3", "parts/2");
        Vec::new()
    }),
    way("merge.missing-part", ONE, |site| {
        part(site, "1/3", "parts/1");
        Vec::new()
    }),
    way("merge.duplicate-part", BOTH, |site| {
        part(site, "1/2", "parts/1");
        part(site, "1/2", "parts/2");
        Vec::new()
    }),
    // A page that the earlier site has as it was is not read from the part.
    way(
        "merge.damaged-part",
        &["merge", "-v", "--fresh", "parts/1"],
        |site| {
            whole(site);
            change(site, &page(), |bytes| bytes[100] ^= 1);
            Vec::new()
        },
    ),
    way("merge.foreign-file", ONE, |site| {
        whole(site);
        site.write("parts/1/notes.txt", "mine\n");
        Vec::new()
    }),
    way("merge.stale-part", ONE, |site| {
        whole(site);
        let writeup = first("writeup.md");
        site.write(&writeup, site.text(&writeup) + "\nMore.\n");
        Vec::new()
    }),
    way(
        "merge.needs-content",
        &["merge", "-v", "parts/1", "--records", "records"],
        |site| {
            // An error of the site: the shard is checked, and has no pages.
            site.write("content/cases/pong.md", "+++\nno = \n+++\n");
            part(site, "1/1", "parts/1");
            site.remove("content/cases/pong.md");
            leave_record(site);
            Vec::new()
        },
    ),
];

/// The way that gives a code.
pub(crate) fn named(code: &str) -> &'static Broken {
    let mut codes = CODES.iter();
    let found = codes.find(|broken| broken.code == code);
    found.unwrap_or_else(|| panic!("{code} has no way to bring it about"))
}

type Break = fn(&TestSite);

/// More ways to break a part, each with its code.
const MORE: [(&str, Break); 16] = [
    ("merge.damaged-part", |site| {
        let path = "parts/1/part.runpress";
        fs::create_dir(site.remove(path).path(path)).expect("a folder");
    }),
    #[cfg(unix)]
    ("merge.foreign-file", |site| {
        // Nothing would ever come out of it.
        let page = site.remove(&page()).path(&page());
        let made = Command::new("mkfifo").arg(page).status();
        assert!(made.expect("mkfifo runs").success());
    }),
    ("merge.other-settings", |site| {
        // The shard did not check commitments, and the merge would.
        site.write("redaction.key", "0".repeat(64));
    }),
    ("merge.damaged-part", |site| {
        change(site, "parts/1/part.runpress", |bytes| {
            bytes.truncate(bytes.len() / 2);
        });
    }),
    ("merge.damaged-part", |site| {
        change(site, "parts/1/part.runpress", Vec::clear);
    }),
    ("merge.damaged-part", |site| {
        // The first piece: a text for a list.
        change(site, "parts/1/part.runpress", |bytes| bytes[200] ^= 1);
    }),
    ("merge.damaged-part", |site| {
        change(site, "parts/1/part.runpress", |bytes| {
            let last = bytes.len() - 1;
            bytes[last] ^= 1;
        });
    }),
    ("merge.damaged-part", |site| {
        change(site, &page(), |bytes| bytes.truncate(100));
    }),
    ("merge.damaged-part", |site| {
        site.remove(&page());
    }),
    ("merge.damaged-part", |site| {
        site.remove("parts/1/runs");
    }),
    ("merge.foreign-file", |site| {
        site.write(&format!("parts/1/runs/{FIRST_SLUG}/more.html"), "<p>");
    }),
    ("merge.foreign-file", |site| {
        site.write("parts/1/runs/another/index.html", "<p>");
    }),
    ("merge.foreign-file", |site| {
        fs::create_dir(site.path("parts/1/runs/empty")).expect("a folder");
    }),
    #[cfg(unix)]
    ("merge.foreign-file", |site| {
        site.remove(&page()).write("page.html", "<p>");
        std::os::unix::fs::symlink(site.path("page.html"), site.path(&page())).expect("a link");
    }),
    #[cfg(unix)]
    ("merge.foreign-file", |site| {
        let runs = site.path("parts/1/runs");
        fs::rename(&runs, site.path("elsewhere")).expect("a rename");
        std::os::unix::fs::symlink(site.path("elsewhere"), runs).expect("a link");
    }),
    ("merge.not-a-part", |site| {
        site.remove("parts/1/part.runpress");
    }),
];

/// Whether the binary refuses a merge with this code and changes nothing.
fn refuses(site: &TestSite, code: &str, arguments: &[&str], what: &str) {
    fs::create_dir_all(site.path("parts")).expect("a folder");
    let before = (tree(&site.path("public")), tree(&site.path("parts")));
    let ran = site.runpress(arguments);
    assert_eq!(ran.status, Some(2), "{what}: {}", ran.stderr);
    assert!(
        ran.stderr.contains(&format!("[{code}]")),
        "{what}: {}",
        ran.stderr
    );
    assert!(ran.stderr.contains("help: "), "{what}: {}", ran.stderr);
    let after = (tree(&site.path("public")), tree(&site.path("parts")));
    assert_eq!(differences(&before.0, &after.0), [""; 0], "{what}");
    assert_eq!(differences(&before.1, &after.1), [""; 0], "{what}");
    let left = fs::read_dir(site.root()).expect("a folder");
    let left = left.map(|entry| entry.expect("an entry").file_name());
    let mut left = left.filter(|name| name.to_string_lossy().contains("staging"));
    assert_eq!(left.next(), None, "{what}");
}

#[test]
fn parts_that_do_not_belong_together_are_refused_and_the_old_site_stays() {
    for broken in &CODES {
        let site = TestSite::base();
        site.publish();
        (broken.prepare)(&site);
        refuses(&site, broken.code, broken.arguments, broken.code);
    }
}

#[test]
fn a_part_that_was_cut_changed_or_added_to_is_refused_and_the_old_site_stays() {
    for (at, (code, prepare)) in MORE.iter().enumerate() {
        let site = TestSite::base();
        site.publish();
        whole(&site);
        prepare(&site);
        refuses(&site, code, ONE, &format!("way {at}, {code}"));
    }
}

#[test]
fn a_part_never_replaces_a_site_nor_a_site_a_part() {
    let site = TestSite::base();
    site.publish();
    whole(&site);
    let code = "publish.foreign-folder";
    let shard = &["build", "--shard", "1/1", "--out", "public"];
    refuses(&site, code, shard, "a part over a site");
    refuses(
        &site,
        code,
        &["build", "--out", "parts/1"],
        "a site over a part",
    );
}

#[test]
fn a_file_that_kept_its_size_makes_a_part_stale_only_if_it_is_read() {
    let site = TestSite::base();
    let [writeup, notes] = ["writeup.md", "notes.bin"].map(first);
    site.write(&notes, "one").publish();
    whole(&site);
    site.write(&notes, "two");
    let merge = || site.runpress("merge parts/1");
    assert_eq!(merge().status, Some(0), "{}", merge().stderr);
    let text = site.text(&writeup);
    site.write(&writeup, text.replacen("well", "WELL", 1));
    assert_ne!(site.text(&writeup), text);
    refuses(&site, "merge.stale-part", ONE, "the same size");
    // Written again, as a checkout does.
    site.write(&writeup, &text);
    assert_eq!(merge().status, Some(0), "{}", merge().stderr);
    site.write_first("transcript.json", "{}");
    refuses(&site, "merge.stale-part", ONE, "a new file");
}

#[cfg(unix)]
#[test]
fn files_of_a_part_with_another_mode_get_that_of_the_merge() {
    use std::os::unix::fs::PermissionsExt;

    let site = TestSite::base();
    whole(&site);
    let private = fs::Permissions::from_mode(0o600);
    fs::set_permissions(site.path(&page()), private).expect("permissions");
    site.runpress("merge parts/1").ok();
    let mode = |path: &str| {
        let meta = fs::metadata(site.path(path)).expect("a file");
        meta.permissions().mode() & 0o777
    };
    let merged = mode(&format!("public/runs/{FIRST_SLUG}/index.html"));
    assert_eq!(merged, mode("public/index.html"));
    assert_eq!(mode(&page()), 0o600, "the part is left alone");
}

#[test]
fn runs_of_two_roots_whose_paths_look_alike_are_merged() {
    let (site, outside) = (TestSite::base(), TestSite::bare());
    let other = Run::new("9f1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b11").record();
    outside.write("content/runs/first/run-record.json", other);
    let settings = format!(
        "[build]\ncontent = [\"content\", '{}']\n",
        outside.root().display()
    );
    site.write("site.toml", settings).publish();
    for shard in ["1/2", "2/2"] {
        part(&site, shard, &format!("parts/{}", &shard[..1]));
    }
    let before = tree(&site.path("public"));
    site.runpress("merge --fresh parts/1 parts/2").ok();
    assert_eq!(differences(&before, &tree(&site.path("public"))), [""; 0]);
}

#[test]
fn a_folder_without_records_is_refused_before_and_after_the_shard_is_built() {
    let site = TestSite::base();
    site.publish();
    fs::create_dir(site.path("empty")).expect("a folder");
    for time in ["before", "after"] {
        for records in ["missing", "empty"] {
            let arguments = &["build", "--shard", "1/1", "--out", "parts/1", "--records"];
            let arguments = [&arguments[..], &[records]].concat();
            let what = format!("{records}, {time}");
            refuses(&site, "content.missing-root", &arguments, &what);
        }
        // Files that were written in the last milliseconds are read again.
        whole(&site);
        whole(&site);
    }
}

#[test]
fn the_message_names_what_differs() {
    for [file, text, what] in rows(
        r#"
static/more.css | p { color: red }⏎ | static files
templates/components/badge.html | <b>badge</b> | templates
site.toml | [site]⏎title = "Another"⏎ | settings
content/pages/more.md | +++⏎title = "More"⏎+++⏎⏎Text.⏎ | pages in the navigation
"#,
    ) {
        let site = TestSite::base();
        site.publish();
        whole(&site);
        site.write(file, text);
        refuses(&site, "merge.other-settings", ONE, what);
        let said = site.runpress(ONE).stderr;
        assert!(said.contains(&format!("with different {what}")), "{said}");
    }
}

/// The number that is written at a place, and where it ends.
fn varint(bytes: &[u8], at: usize) -> (usize, usize) {
    let last = bytes[at..].iter().position(|byte| byte & 0x80 == 0);
    let end = at + last.expect("an end") + 1;
    let digits = bytes[at..end].iter().rev();
    let number = digits.fold(0, |sum, byte| sum << 7 | usize::from(byte & 0x7f));
    (number, end)
}

#[test]
fn a_part_that_names_a_file_outside_of_its_runs_is_refused_whatever_its_digests_say() {
    let site = TestSite::base();
    site.publish();
    whole(&site);
    change(&site, "parts/1/part.runpress", |bytes| {
        let number = |at: usize, bytes: &[u8]| {
            let digits = bytes[at..at + 8].try_into().expect("8 bytes");
            usize::try_from(u64::from_le_bytes(digits)).expect("a place")
        };
        // Magic and program, then where head and body are and their digests.
        let body_place = 8 + 32 + 32;
        let (at, length) = (number(body_place, bytes), number(body_place + 8, bytes));
        // One run: its path, where it is, its digest.
        let (path, mut cursor) = varint(bytes, at + 1);
        cursor += path;
        let (start, cursor) = varint(bytes, cursor);
        let (size, cursor) = varint(bytes, cursor);
        let name = format!("runs/{FIRST_SLUG}/index.html");
        let run = &mut bytes[start..start + size];
        let places = 0..run.len() - name.len();
        let places = places.filter(|&at| run[at..].starts_with(name.as_bytes()));
        let places: Vec<usize> = places.collect();
        assert!(!places.is_empty());
        for at in places {
            run[at..][..8].copy_from_slice(b"../../..");
        }
        let digest = blake3::hash(run);
        bytes[cursor..cursor + 16].copy_from_slice(&digest.as_bytes()[..16]);
        let digest = blake3::hash(&bytes[at..at + length]);
        bytes[body_place + 16..][..16].copy_from_slice(&digest.as_bytes()[..16]);
    });
    refuses(&site, "merge.damaged-part", ONE, "a forged part");
}

#[cfg(unix)]
#[test]
fn a_merge_that_runs_out_of_room_leaves_the_old_site() {
    let site = TestSite::base();
    site.publish();
    let writeup = first("writeup.md");
    site.write(&writeup, site.text(&writeup) + "\nMore.\n");
    whole(&site);
    let before = tree(&site.path("public"));
    // No file may have more than 8 blocks of 512 bytes; without the signal, writing more is an error.
    let ran = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_runpress"))
        .arg("--root")
        .arg(site.root())
        .args(["merge", "--fresh"])
        .arg(site.path("parts/1"))
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(2), "{said}");
    assert!(said.contains("error[publish.io]"), "{said}");
    assert!(said.contains("The previous output is unchanged"), "{said}");
    assert_eq!(differences(&before, &tree(&site.path("public"))), [""; 0]);
}
