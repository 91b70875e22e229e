//! What the server shows after a valid or broken change.

use std::fs;
use std::thread;

use super::{RUN_PAGE, Served};
use crate::support::{Run, TestSite, contains, first};

#[test]
fn a_change_is_shown_and_a_broken_one_is_reported_while_the_last_good_site_stays() {
    let site = TestSite::base();
    let served = Served::any(&site);
    let before = served.message();
    assert_eq!(before["failed"], false);
    // Editors write a new file and rename it.
    let writeup = site.text(&first("writeup.md"));
    let text = format!("{writeup}\nA word about whelks.\n");
    site.write_first("writeup.md.new", text);
    let [new, old] = ["writeup.md.new", "writeup.md"].map(|name| site.path(&first(name)));
    fs::rename(new, old).expect("a rename");
    served.until("the new words", || {
        served.get(RUN_PAGE).body.contains("whelks")
    });
    served.until("the message", || {
        served.message()["build"] != before["build"]
    });
    let second = served.message();
    // A truncated record.
    let record = site.text(&first("run-record.json"));
    site.write_first("run-record.json", "{\n");
    served.until("the problem", || served.message()["failed"] == true);
    let message = served.message();
    assert_eq!(
        message["build"], second["build"],
        "the site that is served is the same"
    );
    assert_eq!(message["errors"], 1);
    let problem = &message["diagnostics"][0];
    assert_eq!(problem["code"], "record.syntax");
    assert_eq!(problem["path"], "content/runs/first/run-record.json");
    assert!(problem["line"].is_number() && problem["column"].is_number());
    served.hears("error[record.syntax]");
    assert!(served.get(RUN_PAGE).body.contains("whelks"));
    site.write_first("run-record.json", record);
    served.until("the way back", || served.message()["failed"] == false);
    assert!(served.get(RUN_PAGE).body.contains("whelks"));
    // A removed run leaves the page for unknown addresses.
    site.run("second", &Run::new("9f1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b11"));
    let second = "/runs/pong-codex-sample-lark-1-9f1c2d3e/";
    served.until("the new run", || served.get(second).status == 200);
    site.remove("content/runs/second");
    served.until("the run to go", || served.get(second).status == 404);
}

#[test]
fn a_first_build_that_fails_is_not_said_to_leave_a_site_to_look_at() {
    let site = TestSite::base();
    let settings = site.text("site.toml");
    site.write("site.toml", "title = \"no end\n");
    let served = Served::any(&site);
    served.hears("Build failed; there is no site to serve yet.");
    assert_eq!(served.get("/").status, 503);
    let message = served.message();
    assert_eq!(
        (&message["failed"], &message["has_build"]),
        (&true.into(), &false.into())
    );
    site.write("site.toml", settings);
    served.until("the site", || served.get("/").status == 200);
    site.write("site.toml", "title = \"no end\n");
    served.hears("Build failed; still serving the last good build.");
    assert_eq!(served.message()["has_build"], true);
}

#[test]
fn no_broken_setting_template_or_lost_folder_ends_it() {
    let site = TestSite::base();
    let served = Served::any(&site);
    let code = || served.message()["diagnostics"][0]["code"].clone();
    let settings = site.text("site.toml");
    site.write("site.toml", "title = \"no end\n");
    served.until("the broken settings", || code() == "config.syntax");
    site.write("site.toml", format!("{settings}\n[feeds]\nitems = 7\n"));
    served.until("the settings", || served.message()["failed"] == false);
    // The folder of templates is created only now.
    site.write("templates/home.html", "{{ oh no");
    served.until("the broken template", || code() == "template.invalid");
    assert_eq!(served.get("/").status, 200);
    site.write("templates/home.html", "<p>a home of our own</p>");
    served.until("the template", || {
        served.get("/").body.contains("a home of our own")
    });
    site.remove("templates/home.html");
    served.until("the built-in template", || {
        !served.get("/").body.contains("a home of our own")
    });
    fs::rename(site.path("content"), site.path("elsewhere")).expect("moved");
    served.until("the lost folder", || code() == "content.missing-root");
    assert_eq!(served.get(RUN_PAGE).status, 200);
    fs::rename(site.path("elsewhere"), site.path("content")).expect("moved back");
    served.until("the folder", || served.message()["failed"] == false);
    // The content of the restored folder is watched, too.
    site.write(
        "content/pages/later.md",
        "+++\ntitle = \"Later\"\n+++\n\nA page that came later.\n",
    );
    served.until("the page", || served.get("/later/").status == 200);
}

#[test]
fn a_site_with_errors_from_the_start_is_shown_once_they_are_fixed() {
    let site = TestSite::base();
    let record = site.text(&first("run-record.json"));
    site.write_first("run-record.json", "{\n");
    let served = Served::any(&site);
    let waiting = served.get("/");
    assert_eq!(waiting.status, 503);
    assert!(waiting.body.contains("No site yet") && waiting.body.contains("/.runpress/live.js"));
    assert_eq!(served.message()["failed"], true);
    site.write_first("run-record.json", record);
    served.until("the site", || served.get("/").status == 200);
}

#[test]
fn a_content_root_that_the_settings_name_is_watched_before_it_is_there() {
    let site = TestSite::base();
    fs::rename(site.path("content"), site.path("kept")).expect("moved");
    site.settings("[build]\ncontent = [\"data/published\"]");
    let served = Served::any(&site);
    assert_eq!(
        served.message()["diagnostics"][0]["code"],
        "content.missing-root"
    );
    fs::create_dir(site.path("data")).expect("a folder");
    fs::rename(site.path("kept"), site.path("data/published")).expect("moved");
    served.until("the site", || served.get(RUN_PAGE).status == 200);
}

#[test]
fn a_change_during_the_first_build_is_shown_wherever_the_content_is() {
    let site = TestSite::base();
    fs::rename(site.path("content"), site.path("data")).expect("moved");
    site.settings("[build]\ncontent = [\"data\"]");
    let run = site.path("data/runs/first");
    for number in 0..40 {
        let copy = site.path(&format!("data/runs/more-{number}"));
        fs::create_dir(&copy).expect("a folder");
        let record = fs::read_to_string(run.join("run-record.json")).expect("a record");
        let record = record.replace("4f1c2d3e", &format!("{number:08}"));
        fs::write(copy.join("run-record.json"), record).expect("a record");
        fs::copy(run.join("events.jsonl"), copy.join("events.jsonl")).expect("a log");
    }
    let served = Served::start_and(&site, &["--port", "0"], |temporary| {
        // Once the first file is written, the content has been read.
        while !walkdir::WalkDir::new(temporary)
            .into_iter()
            .filter_map(Result::ok)
            .any(|entry| entry.file_type().is_file())
        {
            thread::yield_now();
        }
        site.write(
            "data/pages/later.md",
            "+++\ntitle = \"Later\"\n+++\n\nA page that came later.\n",
        );
    });
    served.until("the page", || served.get("/later/").status == 200);
}

#[cfg(unix)]
#[test]
fn a_link_to_a_folder_that_is_always_written_brings_no_build() {
    let site = TestSite::base();
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    std::os::unix::fs::symlink(elsewhere.path(), site.path("content/link")).expect("a link");
    let served = Served::any(&site);
    for number in 0..20 {
        fs::write(elsewhere.path().join(number.to_string()), "no input").expect("a file");
    }
    // Changes are reported in order: anything not built until here is never built.
    let writeup = first("writeup.md");
    site.append(&writeup, "\nMore.\n");
    served.has_built(2);
    let said = served.said();
    contains(&said, "Changed: content/runs/first/writeup.md\n");
    assert_eq!(said.matches("Changed: ").count(), 1, "{said}");
}

#[cfg(unix)]
#[test]
fn a_file_in_a_hidden_folder_that_a_review_thread_points_at_is_watched() {
    let site = TestSite::base();
    site.write(
        "content/runs/first/implementation/.config/count.ts",
        "one\n",
    );
    let served = Served::any(&site);
    site.write(
        "content/runs/first/implementation/.config/count.ts",
        "two\n",
    );
    served.hears("Changed: content/runs/first/implementation/.config/count.ts");
}
