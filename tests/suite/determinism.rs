//! The same input produces the same bytes.

use crate::support::{HEADER, Run, TestSite, annotation, differences, lines, messages};

/// Several runs, large enough that threads finish out of order.
fn site() -> TestSite {
    let site = TestSite::base();
    for n in 0_u32..40 {
        let run = Run::new(&format!("{n:08x}-0000"))
            .model(&format!("sample/model-{}", n % 5))
            .case(["pong", "snake"][n as usize % 2]);
        let folder = format!("r{}", n * 7 % 40);
        site.run(&folder, &run);
        let path = format!("content/runs/{folder}/events.jsonl");
        site.write(&path, messages(1 + n * n % 97));
        site.write(
            &format!("{path}.annotations.jsonl"),
            lines(&[HEADER, &annotation("a", 0, "note", "\"evidence\":\"said\"")]),
        );
    }
    site.write("site.toml", "[site]\nstories = \"all\"\ncards = \"all\"\n");
    site.write(
        "content/pages/guide.md",
        "+++\ntitle = \"Guide\"\n+++\n\n# One\n\n[home](../index.html)\n",
    );
    site
}

#[test]
fn one_thread_and_eight_threads_write_the_same_site() {
    let site = site();
    let one = site.published_by(1);
    assert!(one.len() > 120, "{} files", one.len());
    assert_eq!(differences(&one, &site.published_by(8)), [""; 0]);
}

#[test]
fn two_folders_and_two_runs_give_the_same_site() {
    let (first, second) = (site(), site());
    first.publish();
    let once = first.published();
    first.publish();
    assert_eq!(
        differences(&once, &first.published()),
        [""; 0],
        "a second build"
    );
    second.publish();
    assert_eq!(
        differences(&once, &second.published()),
        [""; 0],
        "another folder"
    );
}

#[test]
fn where_a_run_lies_does_not_change_its_address() {
    let site = TestSite::empty();
    let run = Run::new("9b02c4aa-1");
    site.run("deep/down/here", &run);
    site.publish();
    let before = site.published();
    std::fs::rename(
        site.path("content/runs/deep/down/here"),
        site.path("content/elsewhere"),
    )
    .expect("a move");
    site.publish();
    assert_eq!(differences(&before, &site.published()), [""; 0]);
}

#[test]
fn the_binary_and_the_library_write_the_same_site() {
    let site = site();
    site.publish();
    let library = site.published();
    let ran = site.runpress(&["build", "--jobs", "3"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert_eq!(differences(&library, &site.published()), [""; 0]);
}
