//! Pages of `runpress share`: a damaged page is refused or has only files that may be in a run directory, and every file is read back
//! unchanged.

use runpress::api::formats::single_file::{GENERATOR, RUN, files, push_file};
use runpress::api::import::{LogSource, SharedPage};

/// Reads `bytes` as such a page, and as a file in one.
pub fn run(bytes: &[u8]) {
    let read = || SharedPage::read(&LogSource::of(&[("run.html", bytes)]));
    match (read(), read()) {
        (Ok(first), Ok(second)) => {
            assert_eq!(first.files, second.files);
            for file in &first.files {
                let name = &file.name;
                assert!(!name.is_empty() && !name.starts_with('.'), "{name:?}");
                assert!(!name.contains(['/', '\\', '\0']), "{name:?}");
                assert_ne!(name, "run-record.json", "the record has its own place");
            }
            assert!(first.record.starts_with(b"{") && first.record.ends_with(b"}\n"));
        }
        (Err(first), Err(second)) => {
            assert_eq!(first, second);
            assert!(!first.message.contains('\n'), "{first:?}");
        }
        (first, second) => panic!("{first:?} {second:?}"),
    }
    let found = files(&page(&[("a.trace.jsonl", bytes), (RUN, b"{}")])).expect("a whole page");
    let names: Vec<&str> = found.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["a.trace.jsonl", RUN]);
    assert!(found[0].bytes == bytes);
}

/// A page with these files.
#[must_use]
pub fn page(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut page = format!("<!doctype html><head>{GENERATOR}0.0.0\"></head>").into_bytes();
    for (name, bytes) in files {
        push_file(&mut page, name, bytes);
    }
    page
}
