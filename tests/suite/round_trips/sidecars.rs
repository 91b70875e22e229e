//! Annotation sidecars: each annotation is read as written, with or without comments.

use proptest::collection::vec;
use runpress::api::formats::sidecar::parse;

use super::{Filler, Notes, filler};
use crate::generate::{Json, holds, lines};

/// A line of a type, and its values.
fn line(filler: &mut Filler, definition: &str, kind: &str) -> (String, Notes) {
    let schema = crate::schemas::schema("sidecar");
    let (document, notes) = filler.document(&schema, definition);
    let Json::Object(mut members) = document else {
        unreachable!("an object")
    };
    members.push(("type".to_owned(), Json::from(kind)));
    filler.dice.shuffle(&mut members);
    (Json::Object(members).write(&mut filler.dice, true), notes)
}

#[test]
fn a_sidecar_is_read_back_in_every_field_with_comments_between_its_lines() {
    let fillers = (filler(true), vec(filler(true), 0..4));
    holds(300, &fillers, |(mut first, mut others)| {
        let header = line(&mut first, "/$defs/Header", "header");
        let annotations = others.iter_mut();
        let annotations = annotations.map(|filler| line(filler, "/$defs/Annotation", "annotation"));
        let annotations: Vec<_> = annotations.collect();
        let written = [&header].into_iter().chain(&annotations);
        let mut texts: Vec<String> = written.map(|(text, _)| text.clone()).collect();
        let dice = &mut first.dice;
        for at in (0..texts.len()).rev() {
            if dice.once_in(4) {
                texts.insert(at, " # a {comment\"".to_owned());
            }
        }
        let text = lines(dice, &texts, true);
        let (read, problems) = parse("s", text.as_bytes());
        assert!(problems.is_empty(), "{problems:?} in {text}");
        let read = read.expect("a sidecar");
        let found = read.annotations.iter();
        let found = found.map(|line| format!("{:?}", line.annotation));
        let found: Vec<String> = [format!("{:?}", read.header)]
            .into_iter()
            .chain(found)
            .collect();
        assert_eq!(found.len(), 1 + annotations.len(), "{text}");
        for (found, (_, notes)) in found.iter().zip([&header].into_iter().chain(&annotations)) {
            notes.assert_in(found, &text);
            assert_eq!(
                found.matches(": None").count(),
                notes.absent,
                "{found} in {text}"
            );
        }
    });
}
