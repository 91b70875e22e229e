//! Review threads: a state is read as written, and actions have the effects that the protocol specifies.

use proptest::prelude::*;
use runpress::api::diagnostics::Source;
use runpress::api::formats::threads::{parse_actions, parse_state};
use runpress::api::model::threads::{LineRange, Thread, from_annotation};
use runpress::api::rules::threads::replay;
use serde_json::{Value, json};

use crate::generate::{Dice, Json, dice, holds, lines, object, text};

/// An entry: its id, its text, and whether that is Markdown.
type Entry = (String, String, bool);

/// The expected thread.
#[derive(Debug, Clone, PartialEq)]
struct Model {
    id: String,
    resource: String,
    turn: String,
    resolved: bool,
    /// First line, number of further lines, last character.
    range: Option<(u64, u64, u64)>,
    entries: Vec<Entry>,
}

#[derive(Debug, Clone)]
enum Step {
    Set(Model),
    Resolve(String, bool),
    Move(String, String),
    Remove(String),
    Say(String, Entry),
    Unsay(String, String),
    Unknown,
}

/// Few ids, so that actions often apply to an existing thread.
fn id() -> impl Strategy<Value = String> {
    "[abc]"
}

fn entry() -> impl Strategy<Value = Entry> {
    ("[123]", text(), any::<bool>())
}

fn model() -> impl Strategy<Value = Model> {
    let range = prop::option::of((0_u64..1000, 0_u64..5, 0_u64..3));
    (
        id(),
        text(),
        text(),
        any::<bool>(),
        range,
        prop::collection::btree_map("[123]", (text(), any::<bool>()), 0..3),
    )
        .prop_map(|(id, resource, turn, resolved, range, entries)| {
            let entries = entries
                .into_iter()
                .map(|(id, (words, markdown))| (id, words, markdown))
                .collect();
            Model {
                id,
                resource,
                turn,
                resolved,
                range,
                entries,
            }
        })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        model().prop_map(Step::Set),
        (id(), any::<bool>()).prop_map(|(id, resolved)| Step::Resolve(id, resolved)),
        (id(), text()).prop_map(|(id, turn)| Step::Move(id, turn)),
        id().prop_map(Step::Remove),
        (id(), entry()).prop_map(|(id, entry)| Step::Say(id, entry)),
        (id(), "[123]").prop_map(|(id, entry)| Step::Unsay(id, entry)),
        Just(Step::Unknown),
    ]
}

/// The effect of an action, as specified by the protocol.
fn apply(threads: &mut Vec<Model>, step: &Step) {
    let at = |threads: &[Model], id: &str| threads.iter().position(|thread| thread.id == id);
    match step {
        Step::Set(model) => match at(threads, &model.id) {
            Some(at) => threads[at] = model.clone(),
            None => threads.push(model.clone()),
        },
        Step::Remove(id) => threads.retain(|thread| thread.id != *id),
        Step::Resolve(id, resolved) => {
            if let Some(at) = at(threads, id) {
                threads[at].resolved = *resolved;
            }
        }
        Step::Move(id, turn) => {
            if let Some(at) = at(threads, id) {
                turn.clone_into(&mut threads[at].turn);
            }
        }
        Step::Say(id, entry) => {
            if let Some(at) = at(threads, id) {
                let entries = &mut threads[at].entries;
                match entries.iter_mut().find(|known| known.0 == entry.0) {
                    Some(known) => *known = entry.clone(),
                    None => entries.push(entry.clone()),
                }
            }
        }
        Step::Unsay(id, entry) => {
            if let Some(at) = at(threads, id) {
                threads[at].entries.retain(|known| known.0 != *entry);
            }
        }
        Step::Unknown => {}
    }
}

fn entry_json((id, words, markdown): &Entry) -> Value {
    let text = if *markdown {
        json!({"markdown": words})
    } else {
        json!(words)
    };
    json!({"id": id, "text": text})
}

/// A thread with its turn in the older or the newer form.
fn thread_json(dice: &mut Dice, model: &Model) -> Value {
    let range = model.range.map(|(first, more, character)| {
        json!({
            "start": {"line": first, "character": 0},
            "end": {"line": first + more, "character": character},
        })
    });
    let newer = json!({"session": "ahp-session:/1", "turnId": model.turn});
    let (turn, origin) = match dice.roll(4) {
        0 | 1 => (json!(model.turn), json!(null)),
        2 => (json!(null), newer),
        _ => (json!("older"), newer),
    };
    let entries: Vec<Value> = model.entries.iter().map(entry_json).collect();
    json!({"id": model.id, "resource": model.resource, "turnId": turn, "origin": origin,
        "range": range, "resolved": model.resolved, "entries": entries})
}

fn action(dice: &mut Dice, step: &Step) -> Value {
    let named = |kind: &str, thread: &str, key: &str, value: Value| json!({"type": format!("annotations/{kind}"), "annotationId": thread, key: value});
    match step {
        Step::Set(model) => {
            json!({"type": "annotations/set", "annotation": thread_json(dice, model)})
        }
        Step::Resolve(id, resolved) => named("updated", id, "resolved", json!(resolved)),
        Step::Move(id, turn) => {
            // The newer form wins over either form in the thread.
            let origin = json!({"session": "s", "turnId": turn});
            named("updated", id, "origin", origin)
        }
        Step::Remove(id) => named("removed", id, "entry", json!(null)),
        Step::Say(id, entry) => named("entrySet", id, "entry", entry_json(entry)),
        Step::Unsay(id, entry) => named("entryRemoved", id, "entryId", json!(entry)),
        Step::Unknown => named("starred", "a", "entry", json!(null)),
    }
}

/// The value as [`object`] spells objects; a member that is null may be absent.
fn spelled(dice: &mut Dice, value: Value) -> Json {
    match value {
        Value::Object(members) => {
            let members = members.into_iter();
            let members: Vec<_> = members
                .map(|(key, value)| (key, (!value.is_null()).then(|| spelled(dice, value))))
                .collect();
            let members = members.iter();
            object(
                dice,
                members.map(|(key, value)| (key.as_str(), value.clone())),
            )
        }
        Value::Array(items) => {
            Json::Array(items.into_iter().map(|item| spelled(dice, item)).collect())
        }
        other => Json::from(other),
    }
}

/// The lines of a thread, and the rest of it.
fn shown(thread: &Thread<'_>) -> (Option<LineRange>, Model) {
    let entries = thread.entries.iter();
    let model = Model {
        id: thread.id.clone(),
        resource: thread.resource.clone(),
        turn: thread.turn.clone().unwrap_or_default(),
        resolved: thread.resolved,
        range: None,
        entries: entries
            .map(|entry| (entry.id.clone(), entry.text.clone(), entry.markdown))
            .collect(),
    };
    (thread.range, model)
}

/// Lines from 1. An end at character 0 means the line before.
fn range(model: &Model) -> Option<LineRange> {
    let (first, more, character) = model.range?;
    let more = if character == 0 {
        more.saturating_sub(1)
    } else {
        more
    };
    Some(LineRange {
        first: first + 1,
        last: first + 1 + more,
    })
}

#[test]
fn a_state_and_its_actions_come_to_what_the_protocol_says() {
    let state = prop::collection::btree_map(id(), model(), 0..3).prop_map(|threads| {
        threads
            .into_iter()
            .map(|(id, thread)| Model { id, ..thread })
            .collect::<Vec<_>>()
    });
    let case = (
        state,
        prop::collection::vec(step(), 0..8),
        prop::option::of(0_u64..4),
    );
    holds(
        400,
        &(case, dice()),
        |((mut threads, steps, from_seq), mut dice)| {
            let channel = "ahp-session:/1/annotations";
            let annotations = threads.iter();
            let annotations = annotations.map(|thread| thread_json(&mut dice, thread));
            let state = json!({"annotations": annotations.collect::<Vec<_>>()});
            let state = match from_seq {
                Some(from) => json!({"resource": channel, "fromSeq": from, "state": state}),
                None => state,
            };
            let state = spelled(&mut dice, state);
            let mut log = Vec::new();
            for (step, seq) in steps.iter().zip(1_u64..) {
                let action = action(&mut dice, step);
                let (rejected, bare) = (dice.once_in(6), from_seq.is_none() && dice.once_in(3));
                let line = if bare {
                    action
                } else {
                    json!({"channel": channel, "serverSeq": seq, "action": action,
                        "rejectionReason": rejected.then_some("no")})
                };
                log.push(spelled(&mut dice, line).write(&mut dice, true));
                if bare || (!rejected && from_seq.is_none_or(|from| seq > from)) {
                    apply(&mut threads, step);
                }
            }
            let text = state.write(&mut dice, false);
            let (state, problems) = parse_state(Source::file("state", text.as_bytes()));
            assert!(problems.is_empty(), "{problems:?} in {text}");
            assert_eq!(state.from_seq, from_seq);
            let text = lines(&mut dice, &log, true);
            let (envelopes, problems) =
                parse_actions("log", text.as_bytes(), state.channel.as_deref());
            assert!(problems.is_empty(), "{problems:?} in {text}");
            let read = replay("log", state, envelopes).value.annotations;
            let read: Vec<_> = read
                .into_iter()
                .map(|it| shown(&from_annotation(it)))
                .collect();
            let expected: Vec<_> = threads
                .into_iter()
                .map(|it| (range(&it), Model { range: None, ..it }))
                .collect();
            assert_eq!(read, expected, "{text}");
        },
    );
}
