//! Event logs: each event is read as written, and an invalid line keeps its number.

use proptest::prelude::*;
use runpress::api::formats::events::{LogEventFields, LogEventKind, read};
use runpress::api::formats::json::Str;
use serde_json::value::RawValue;

use crate::generate::{Dice, Json, dice, holds, json, lines, object, text};

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
const WORDS: [&str; 15] = [
    "timestamp",
    "sessionId",
    "message",
    "command",
    "workingDirectory",
    "path",
    "query",
    "skillName",
    "action",
    "subagentId",
    "subagentName",
    "code",
    "stage",
    "status",
    "type",
];

/// A line of a log.
#[derive(Debug)]
enum Line {
    /// An event: its kind, its words by key, numbers, success, JSON values by key.
    Event(
        usize,
        Vec<Option<String>>,
        (Option<i64>, Option<u64>, Option<u64>),
        Option<bool>,
        Vec<Option<Json>>,
    ),
    /// Anything else.
    Other(String),
}

fn line() -> impl Strategy<Value = Line> {
    let words = prop::collection::vec(prop::option::of(text()), WORDS.len());
    let numbers = (
        prop::option::of(any::<i64>()),
        prop::option::of(any::<u64>()),
        prop::option::of(any::<u64>()),
    );
    // Null is the same as absent.
    let value = json().prop_filter("null", |value| *value != Json::Null);
    let values = prop::collection::vec(prop::option::of(value), 4);
    let event = (
        0..KINDS.len(),
        words,
        numbers,
        prop::option::of(any::<bool>()),
        values,
    );
    prop_oneof![
        6 => event.prop_map(|(kind, words, numbers, success, values)| Line::Event(kind, words, numbers, success, values)),
        1 => "[a-z{}\"\\[:,]{1,12}".prop_map(Line::Other),
    ]
}

/// The value of a required key: a present word, or a generated one.
fn needed(kind: usize, key: &str, word: Option<&String>) -> Option<String> {
    match (key, word) {
        ("type", _) => Some(KINDS[kind].0.to_owned()),
        (_, Some(word)) => Some(word.clone()),
        ("timestamp", None) => Some(String::new()),
        (key, None) => KINDS[kind].2.contains(&key).then(String::new),
    }
}

/// The expected event, and its serialized form.
fn event(line: &Line, dice: &mut Dice) -> (String, Option<(LogEventKind, String)>) {
    let Line::Event(kind, words, (exit_code, start_line, end_line), is_success, values) = line
    else {
        let Line::Other(text) = line else {
            unreachable!()
        };
        return (text.clone(), None);
    };
    let text = |key: &str| {
        let at = WORDS.iter().position(|known| *known == key).expect("a key");
        needed(*kind, key, words[at].as_ref())
    };
    let value = |at: usize, key: &str| {
        values[at].clone().or_else(|| {
            KINDS[*kind]
                .2
                .contains(&key)
                .then(|| Json::Array(Vec::new()))
        })
    };
    let written: Vec<Option<String>> = ["tokens", "cost", "event", "raw"]
        .iter()
        .enumerate()
        .map(|(at, key)| Some(value(at, key)?.write(dice, true).trim().to_owned()))
        .collect();
    let raw = |at: usize| {
        written[at].clone().map(|text| -> &'static RawValue {
            Box::leak(RawValue::from_string(text).expect("JSON"))
        })
    };
    let word = |key: &str| text(key).map(|text| Str(text.into()));
    let fields = LogEventFields {
        timestamp: word("timestamp"),
        session_id: word("sessionId"),
        kind: word("type"),
        message: word("message"),
        command: word("command"),
        working_directory: word("workingDirectory"),
        exit_code: *exit_code,
        is_success: *is_success,
        path: word("path"),
        start_line: *start_line,
        end_line: *end_line,
        query: word("query"),
        skill_name: word("skillName"),
        action: word("action"),
        subagent_id: word("subagentId"),
        subagent_name: word("subagentName"),
        code: word("code"),
        stage: word("stage"),
        status: word("status"),
        tokens: raw(0),
        cost: raw(1),
        event: raw(2),
        raw: raw(3),
    };
    let number = |value: Option<String>| value.map(Json::Written);
    let line = object(
        dice,
        [
            ("exitCode", number(exit_code.map(|n| n.to_string()))),
            ("startLine", number(start_line.map(|n| n.to_string()))),
            ("endLine", number(end_line.map(|n| n.to_string()))),
            ("isSuccess", is_success.map(Json::Bool)),
            // Written verbatim, so that the spelling can be compared.
            ("tokens", number(written[0].clone())),
            ("cost", number(written[1].clone())),
            ("event", number(written[2].clone())),
            ("raw", number(written[3].clone())),
            ("timestamp", text("timestamp").as_deref().map(Json::from)),
            ("sessionId", text("sessionId").as_deref().map(Json::from)),
            ("type", text("type").as_deref().map(Json::from)),
            ("message", text("message").as_deref().map(Json::from)),
            ("command", text("command").as_deref().map(Json::from)),
            (
                "workingDirectory",
                text("workingDirectory").as_deref().map(Json::from),
            ),
            ("path", text("path").as_deref().map(Json::from)),
            ("query", text("query").as_deref().map(Json::from)),
            ("skillName", text("skillName").as_deref().map(Json::from)),
            ("action", text("action").as_deref().map(Json::from)),
            ("subagentId", text("subagentId").as_deref().map(Json::from)),
            (
                "subagentName",
                text("subagentName").as_deref().map(Json::from),
            ),
            ("code", text("code").as_deref().map(Json::from)),
            ("stage", text("stage").as_deref().map(Json::from)),
            ("status", text("status").as_deref().map(Json::from)),
        ],
    );
    (
        line.write(dice, true),
        Some((KINDS[*kind].1, format!("{fields:?}"))),
    )
}

#[test]
fn an_event_is_read_back_in_every_field_and_a_line_that_is_none_keeps_its_number() {
    let log = prop::collection::vec(line(), 0..6);
    holds(300, &(log, dice()), |(log, mut dice)| {
        let (texts, expected): (Vec<String>, Vec<_>) =
            log.iter().map(|line| event(line, &mut dice)).unzip();
        let text = lines(&mut dice, &texts, true);
        let mut found = Vec::new();
        let problems = read("e", text.as_bytes(), |event| {
            found.push((
                event.line.text.into_owned(),
                event
                    .fields
                    .map(|fields| (event.kind, format!("{fields:?}"))),
            ));
        });
        let others = expected.iter().filter(|event| event.is_none()).count();
        assert_eq!(problems.len(), others, "{problems:?} in {text}");
        assert_eq!(
            found,
            texts.into_iter().zip(expected).collect::<Vec<_>>(),
            "{text}"
        );
    });
}
