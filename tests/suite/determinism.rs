//! The same input produces the same bytes.

use crate::support::{Run, TestSite, annotation, differences, messages, sidecar};

/// Several runs, large enough that threads finish out of order.
fn site() -> TestSite {
    let site = TestSite::base();
    let note = annotation("a", 0, "note", "\"evidence\":\"said\"");
    for n in 0_u32..40 {
        let run = Run::new(&format!("{n:08x}-0000"))
            .model(&format!("sample/model-{}", n % 5))
            .case(["pong", "snake"][n as usize % 2]);
        let folder = format!("r{}", n * 7 % 40);
        let path = format!("content/runs/{folder}/events.jsonl");
        site.run(&folder, &run)
            .write(&path, messages(1 + n * n % 97))
            .write(&format!("{path}.annotations.jsonl"), sidecar(&[&note]));
    }
    let guide = "+++\ntitle = \"Guide\"\n+++\n\n# One\n\n[home](../index.html)\n";
    site.write("site.toml", "[site]\nstories = \"all\"\ncards = \"all\"\n")
        .write("content/pages/guide.md", guide);
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
    site.run("deep/down/here", &Run::new("9b02c4aa-1"))
        .publish();
    let before = site.published();
    let [from, to] =
        ["content/runs/deep/down/here", "content/elsewhere"].map(|path| site.path(path));
    std::fs::rename(from, to).expect("a move");
    site.publish();
    assert_eq!(differences(&before, &site.published()), [""; 0]);
}

#[test]
fn the_binary_and_the_library_write_the_same_site() {
    let site = site();
    site.publish();
    let library = site.published();
    site.runpress("build --jobs 3").ok();
    assert_eq!(differences(&library, &site.published()), [""; 0]);
}
