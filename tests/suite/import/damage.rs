//! Logs with values that are missing, of another type, in another order or cut. No importer may panic, and every event must be
//! a line of JSON that names a file of its run.

use rayon::prelude::*;
use runpress::api::import::{IMPORTERS, ImportOptions, LogSource, find};
use serde_json::{Value, json};

use super::{File, files_below, sample};

/// Reads files as logs of a format.
fn read(format: &str, files: &[(&str, &[u8])]) {
    let importer = find(format).expect("a format");
    (importer.runs)(
        &LogSource::of(files),
        &ImportOptions::default(),
        &mut |run| {
            let Ok(draft) = run else { return };
            for event in &draft.events {
                let line = serde_json::to_string(&event.what).expect("JSON");
                assert!(!line.contains('\n'), "{line}");
                assert!(event.source.file < draft.sources.len(), "{line}");
            }
        },
    );
}

/// The JSON pointers of all values in a document.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    if let Value::Array(items) = value {
        for (n, item) in items.iter().enumerate() {
            pointers(item, &format!("{at}/{n}"), found);
        }
    }
    for (key, item) in value.as_object().into_iter().flatten() {
        let key = key.replace('~', "~0").replace('/', "~1");
        pointers(item, &format!("{at}/{key}"), found);
    }
    found.push(at.to_owned());
}

/// Reads a document cut at many places, and with each value missing or of another type.
fn damage_document(document: &[u8], read: &dyn Fn(&[u8])) {
    for end in (0..document.len()).step_by(64) {
        read(&document[..end]);
    }
    let Ok(value) = serde_json::from_slice::<Value>(document) else {
        return;
    };
    let mut all = Vec::new();
    pointers(&value, "", &mut all);
    // Only some values of a large file.
    for pointer in all.iter().step_by(1 + all.len() / 150) {
        for other in [
            json!(null),
            json!(-7.5),
            json!("x\u{0}y"),
            json!([1, {}, []]),
            json!({"a": [1], "text": 3}),
            json!(true),
        ] {
            let mut changed = value.clone();
            if let Some(place) = changed.pointer_mut(pointer) {
                *place = other;
            }
            read(changed.to_string().as_bytes());
        }
        let mut changed = value.clone();
        if let Some((above, key)) = pointer.rsplit_once('/')
            && let Some(Value::Object(object)) = changed.pointer_mut(above)
        {
            object.remove(key);
            read(changed.to_string().as_bytes());
        }
    }
}

/// Reads lines that are cut, repeated, reordered, mixed with others, or have values of other types.
fn damage_lines(log: &[u8], read: &dyn Fn(&[u8])) {
    let lines: Vec<&[u8]> = log.split_inclusive(|byte| *byte == b'\n').collect();
    let with = |at: usize, line: &[u8], replaced: usize| {
        read(
            &[
                &lines[..at].concat(),
                line,
                &lines[at + replaced..].concat(),
            ]
            .concat(),
        );
    };
    for (at, line) in lines.iter().enumerate() {
        read(&lines[..at].concat());
        read(&[&lines[..at].concat(), &line[..line.len() / 2]].concat());
        with(at, line, 0);
        let mut swapped = lines.clone();
        swapped.swap(at, (at + 3) % lines.len());
        read(&swapped.concat());
        for other in [
            "{\"type\":\"of the future\",\"payload\":{}}\n",
            "17\n",
            "[[]]\n",
            "\"text\"\n",
            "{\"type\":[],\"message\":7,\"payload\":[1]}\n",
            "\u{feff}{}\n",
        ] {
            with(at, other.as_bytes(), 0);
        }
        let Ok(value) = serde_json::from_slice::<Value>(line) else {
            continue;
        };
        let mut all = Vec::new();
        pointers(&value, "", &mut all);
        for other in [
            "null",
            "7",
            "-1.5",
            "true",
            "\"<text>\"",
            "[]",
            "{}",
            "[[\"a\"],{\"type\":3}]",
            "\"\\ud83d\"",
        ] {
            for pointer in &all {
                let mut broken = value.clone();
                if let Some(place) = broken.pointer_mut(pointer) {
                    *place = json!("an odd value");
                }
                let broken = broken.to_string().replace("\"an odd value\"", other) + "\n";
                with(at, broken.as_bytes(), 1);
            }
        }
    }
    let backwards: Vec<&[u8]> = lines.iter().rev().copied().collect();
    read(&backwards.concat());
}

/// The files of a format that are small enough to be damaged in many places: name without folders, and bytes.
fn samples(format: &str) -> Vec<File> {
    let files = files_below(&format!("import/{format}")).into_iter();
    let files = files.map(|(path, bytes)| {
        let name = path.rsplit('/').next().expect("a name");
        (name.to_owned(), bytes)
    });
    let small = files.filter(|(name, bytes)| {
        let most = if is_lines(name) { 8_000 } else { 32_000 };
        !name.ends_with(".md") && bytes.len() < most
    });
    small.collect()
}

fn is_lines(name: &str) -> bool {
    name.ends_with(".jsonl")
}

#[test]
fn no_damage_to_a_sample_stops_its_importer() {
    IMPORTERS.par_iter().for_each(|importer| {
        for (name, bytes) in samples(importer.format) {
            let damage = if is_lines(&name) {
                damage_lines
            } else {
                damage_document
            };
            damage(&bytes, &|bytes| read(importer.format, &[(&name, bytes)]));
        }
    });
    let cases: Value = serde_json::from_slice(&sample("atif/mira-conformance.json")).expect("JSON");
    let case = cases["cases"][1]["trajectory"].to_string();
    damage_document(case.as_bytes(), &|bytes| read("atif", &[("a.json", bytes)]));
}

#[test]
fn no_change_of_a_file_of_several_stops_an_importer() {
    let mut job = files_below("import/harbor/2026-03-01__12-00-00");
    job.retain(|(name, _)| name.starts_with("fix-parser") && !name.contains("/agent/"));
    let conversation = files_below("import/openhands/v1-made");
    for (format, files) in [("harbor", job), ("openhands", conversation)] {
        let files: Vec<(&str, &[u8])> = files.iter().map(borrowed).collect();
        for (changed, (_, bytes)) in files.iter().enumerate() {
            damage_document(bytes, &|bytes| {
                let mut files = files.clone();
                files[changed].1 = bytes;
                read(format, &files);
            });
        }
    }
}

fn borrowed((name, bytes): &File) -> (&str, &[u8]) {
    (name, bytes)
}
