//! Review threads: a state is read as written, and actions have the effects that the protocol specifies.

use proptest::prelude::*;
use runpress::api::diagnostics::Source;
use runpress::api::formats::threads::{parse_actions, parse_state};
use runpress::api::model::threads::{LineRange, Thread, from_annotation};
use runpress::api::rules::threads::replay;

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
                match threads[at]
                    .entries
                    .iter_mut()
                    .find(|known| known.0 == entry.0)
                {
                    Some(known) => *known = entry.clone(),
                    None => threads[at].entries.push(entry.clone()),
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

fn entry_json(dice: &mut Dice, (id, words, markdown): &Entry) -> Json {
    let text = if *markdown {
        object(dice, [("markdown", Some(Json::from(words.as_str())))])
    } else {
        Json::from(words.as_str())
    };
    object(
        dice,
        [("id", Some(Json::from(id.as_str()))), ("text", Some(text))],
    )
}

/// The turn in the older or the newer form.
fn turn(dice: &mut Dice, turn: &str) -> (Option<Json>, Option<Json>) {
    if dice.once_in(2) {
        let origin = object(
            dice,
            [
                ("session", Some(Json::from("ahp-session:/1"))),
                ("turnId", Some(Json::from(turn))),
            ],
        );
        (dice.once_in(2).then(|| Json::from("older")), Some(origin))
    } else {
        (Some(Json::from(turn)), None)
    }
}

fn thread_json(dice: &mut Dice, model: &Model) -> Json {
    let entries: Vec<Json> = model
        .entries
        .iter()
        .map(|entry| entry_json(dice, entry))
        .collect();
    let range = model.range.map(|(first, more, character)| {
        let mut position = |line: u64, character: u64| {
            object(
                dice,
                [
                    ("line", Some(Json::from(line))),
                    ("character", Some(Json::from(character))),
                ],
            )
        };
        let (start, end) = (position(first, 0), position(first + more, character));
        object(dice, [("start", Some(start)), ("end", Some(end))])
    });
    let (turn_id, origin) = turn(dice, &model.turn);
    object(
        dice,
        [
            ("id", Some(Json::from(model.id.as_str()))),
            ("resource", Some(Json::from(model.resource.as_str()))),
            ("turnId", turn_id),
            ("origin", origin),
            ("range", range),
            ("resolved", Some(Json::from(model.resolved))),
            ("entries", Some(Json::Array(entries))),
        ],
    )
}

fn action(dice: &mut Dice, step: &Step) -> Json {
    let named = |kind: &str| Some(Json::from(kind));
    let thread = |id: &String| Some(Json::from(id.as_str()));
    match step {
        Step::Set(model) => {
            let model = thread_json(dice, model);
            object(
                dice,
                [
                    ("type", named("annotations/set")),
                    ("annotation", Some(model)),
                ],
            )
        }
        Step::Resolve(id, resolved) => object(
            dice,
            [
                ("type", named("annotations/updated")),
                ("annotationId", thread(id)),
                ("resolved", Some(Json::from(*resolved))),
                ("range", None),
            ],
        ),
        Step::Move(id, turn) => {
            // The newer form wins over either form in the thread.
            let origin = object(
                dice,
                [
                    ("session", Some(Json::from("s"))),
                    ("turnId", Some(Json::from(turn.as_str()))),
                ],
            );
            object(
                dice,
                [
                    ("type", named("annotations/updated")),
                    ("annotationId", thread(id)),
                    ("origin", Some(origin)),
                ],
            )
        }
        Step::Remove(id) => object(
            dice,
            [
                ("type", named("annotations/removed")),
                ("annotationId", thread(id)),
            ],
        ),
        Step::Say(id, entry) => {
            let entry = entry_json(dice, entry);
            object(
                dice,
                [
                    ("type", named("annotations/entrySet")),
                    ("annotationId", thread(id)),
                    ("entry", Some(entry)),
                ],
            )
        }
        Step::Unsay(id, entry) => object(
            dice,
            [
                ("type", named("annotations/entryRemoved")),
                ("annotationId", thread(id)),
                ("entryId", Some(Json::from(entry.as_str()))),
            ],
        ),
        Step::Unknown => object(
            dice,
            [
                ("type", named("annotations/starred")),
                ("annotationId", Some(Json::from("a"))),
            ],
        ),
    }
}

fn shown(thread: &Thread<'_>) -> Model {
    Model {
        id: thread.id.clone(),
        resource: thread.resource.clone(),
        turn: thread.turn.clone().unwrap_or_default(),
        resolved: thread.resolved,
        range: None,
        entries: thread
            .entries
            .iter()
            .map(|entry| (entry.id.clone(), entry.text.clone(), entry.markdown))
            .collect(),
    }
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
            let annotations: Vec<Json> = threads
                .iter()
                .map(|thread| thread_json(&mut dice, thread))
                .collect();
            let state = object(&mut dice, [("annotations", Some(Json::Array(annotations)))]);
            let state = match from_seq {
                Some(from) => object(
                    &mut dice,
                    [
                        ("resource", Some(Json::from("ahp-session:/1/annotations"))),
                        ("fromSeq", Some(Json::from(from))),
                        ("state", Some(state)),
                    ],
                ),
                None => state,
            };
            let mut log = Vec::new();
            for (step, seq) in steps.iter().zip(1_u64..) {
                let action = action(&mut dice, step);
                let (rejected, bare) = (dice.once_in(6), from_seq.is_none() && dice.once_in(3));
                let line = if bare {
                    action
                } else {
                    object(
                        &mut dice,
                        [
                            ("channel", Some(Json::from("ahp-session:/1/annotations"))),
                            ("serverSeq", Some(Json::from(seq))),
                            ("rejectionReason", rejected.then(|| Json::from("no"))),
                            ("action", Some(action)),
                        ],
                    )
                };
                log.push(line.write(&mut dice, true));
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
            let read: Vec<Thread<'_>> = replay("log", state, envelopes)
                .value
                .annotations
                .into_iter()
                .map(from_annotation)
                .collect();
            assert_eq!(
                read.iter().map(|thread| thread.range).collect::<Vec<_>>(),
                threads.iter().map(range).collect::<Vec<_>>()
            );
            let expected: Vec<Model> = threads
                .into_iter()
                .map(|thread| Model {
                    range: None,
                    ..thread
                })
                .collect();
            assert_eq!(
                read.iter().map(shown).collect::<Vec<_>>(),
                expected,
                "{text}"
            );
        },
    );
}
