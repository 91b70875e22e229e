//! Event logs: each event is read as written, and an invalid line keeps its number.

use proptest::prelude::*;
use runpress::api::formats::events::{LogEventKind, read};

use super::filler;
use crate::generate::{dice, holds, lines};

/// The kinds with their words and required keys.
const KINDS: [(&str, LogEventKind, &[&str]); 15] = [
    ("agent", LogEventKind::Agent, &["message"]),
    ("reasoning", LogEventKind::Reasoning, &["message"]),
    ("command", LogEventKind::Command, &["command"]),
    ("read", LogEventKind::Read, &["path"]),
    ("write", LogEventKind::Write, &["path"]),
    ("search", LogEventKind::Search, &["query"]),
    ("list", LogEventKind::List, &[]),
    ("skill", LogEventKind::Skill, &["path"]),
    ("orchestration", LogEventKind::Orchestration, &["action"]),
    ("error", LogEventKind::Error, &["message"]),
    ("warning", LogEventKind::Warning, &["message"]),
    (
        "system",
        LogEventKind::System,
        &["stage", "status", "message"],
    ),
    ("usage", LogEventKind::Usage, &["tokens"]),
    ("gg", LogEventKind::Gg, &["event"]),
    ("unknown", LogEventKind::Unknown, &[]),
];

#[test]
fn an_event_is_read_back_in_every_field_and_a_line_that_is_none_keeps_its_number() {
    let schema = crate::schemas::schema("events");
    // The filler and the kind of an event, or another line.
    let line = prop_oneof![
        6 => (filler(true), 0..KINDS.len()).prop_map(Ok),
        1 => "[a-z{}\"\\[:,]{1,12}".prop_map(Err),
    ];
    let log = prop::collection::vec(line, 0..6);
    holds(300, &(log, dice()), |(log, mut dice)| {
        let written = log.into_iter().map(|line| match line {
            Ok((mut filler, kind)) => {
                let (name, kind, required) = KINDS[kind];
                filler.event = Some((name, required));
                let (document, notes) = filler.document(&schema, "");
                (document.write(&mut filler.dice, true), Some((kind, notes)))
            }
            Err(text) => (text, None),
        });
        let (texts, expected): (Vec<String>, Vec<_>) = written.unzip();
        let text = lines(&mut dice, &texts, true);
        let mut found = Vec::new();
        let problems = read("e", text.as_bytes(), |event| {
            let fields = event.fields.map(|fields| format!("{fields:?}"));
            found.push((event.line.text.into_owned(), event.kind, fields));
        });
        let others = expected.iter().filter(|event| event.is_none()).count();
        assert_eq!(problems.len(), others, "{problems:?} in {text}");
        let lines: Vec<&String> = found.iter().map(|(line, ..)| line).collect();
        assert_eq!(lines, texts.iter().collect::<Vec<_>>());
        for ((_, kind, fields), expected) in found.iter().zip(&expected) {
            assert_eq!(fields.is_some(), expected.is_some(), "{text}");
            if let (Some(fields), Some((expected, notes))) = (fields, expected) {
                assert_eq!(kind, expected, "{text}");
                notes.assert_in(fields, &text);
                assert_eq!(
                    fields.matches(": None").count(),
                    notes.absent,
                    "{fields} in {text}"
                );
            }
        }
    });
}
