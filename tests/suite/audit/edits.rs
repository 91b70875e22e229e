//! Properties: deriving takes any row, what it gives always matches, and one edit is one finding.

use std::slice;

use proptest::prelude::*;
use proptest::sample::Index;
use runpress::api::formats::audit::{AuditFinding, AuditVerdict, FindingKind};
use runpress::api::formats::replay::{Harness, NEWEST, TranslatorVersion};
use serde_json::{Map, Value, json};

use crate::generate::{Dice, dice, holds};

use super::vectors::{file, harness, index};
use super::{audited, derived, log, rows};
use crate::support::parse;

const HARNESSES: [&str; 9] = [
    "codex",
    "claude",
    "cline",
    "goose",
    "opencode",
    "kilo",
    "pi",
    "antigravity",
    "gg",
];

/// The rows of all vectors of a harness.
fn known_rows(slug: &str) -> Vec<Value> {
    let entries = index().into_iter().filter(|entry| entry["harness"] == slug);
    let logs = entries.map(|entry| file(&entry, "raw.jsonl"));
    let rows = logs.flat_map(|log| log.lines().map(ToOwned::to_owned).collect::<Vec<_>>());
    rows.map(|row| parse(&row)).collect()
}

/// A raw log of known rows in any order, some of them changed.
fn raw_log(known: &[Value], picks: &[Index], dice: &mut Dice) -> String {
    let mut log = String::new();
    for pick in picks {
        let mut row = pick.get(known).clone();
        if dice.once_in(3) {
            let line = row["line"].as_str().unwrap_or_default();
            if let Ok(mut line) = serde_json::from_str::<Value>(line) {
                change(&mut line, dice);
                row["line"] = json!(line.to_string());
            }
        }
        log.push_str(&format!("{row}\n"));
    }
    log
}

/// Changes a value in it, or removes one.
fn change(value: &mut Value, dice: &mut Dice) {
    match value {
        Value::Object(members) if !members.is_empty() && !dice.once_in(6) => {
            let keys: Vec<String> = members.keys().cloned().collect();
            let key = &keys[dice.roll(keys.len())];
            if dice.once_in(4) {
                members.remove(key);
            } else if let Some(value) = members.get_mut(key) {
                change(value, dice);
            }
        }
        Value::Array(items) if !items.is_empty() && !dice.once_in(6) => {
            let at = dice.roll(items.len());
            change(&mut items[at], dice);
        }
        _ => {
            let others = [
                json!(null),
                json!(""),
                json!("text"),
                json!(7),
                json!(-1.5),
                json!(true),
                json!([]),
                json!({"path": "/a/../b", "command": "cat x", "source": "s"}),
            ];
            *value = others[dice.roll(others.len())].clone();
        }
    }
}

fn values(events: &[(Value, u32)]) -> Vec<&Value> {
    events.iter().map(|(event, _)| event).collect()
}

#[test]
fn what_a_version_makes_of_any_rows_matches_it() {
    for slug in HARNESSES {
        let known = known_rows(slug);
        let harness = Harness::of(slug).expect("a harness");
        let oldest = if harness == Harness::Gg { 5 } else { 1 };
        let cases = (
            prop::collection::vec(any::<Index>(), 0..12),
            oldest..=NEWEST,
            dice(),
        );
        holds(150, &cases, |(picks, version, mut dice)| {
            let raw = raw_log(&known, &picks, &mut dice);
            let events = derived(harness, version, &raw);
            let found = audited(harness, &raw, Some(&log(values(&events))));
            let same = |other: &TranslatorVersion| {
                values(&derived(harness, *other, &raw)) == values(&events)
            };
            let versions: Vec<_> = (oldest..=NEWEST).filter(same).collect();
            assert_eq!(found.findings, [], "{slug}: {raw}");
            assert_eq!(found.translator, versions, "{slug}: {raw}");
            let newest = versions.contains(&NEWEST);
            let verdict = if newest {
                AuditVerdict::Matches
            } else {
                AuditVerdict::MatchesOlder
            };
            assert_eq!(found.verdict, verdict);
            if newest && versions.len() == usize::from(NEWEST - oldest + 1) {
                let lines: Vec<_> = events.iter().map(|(_, line)| *line).collect();
                assert_eq!(found.raw_lines, lines);
            }
        });
    }
}

/// Removes, adds, moves or changes one event at a place, or at any place behind it.
fn edit(events: &mut Vec<Value>, at: usize, dice: &mut Dice) {
    match dice.roll(8) {
        0 => drop(events.remove(at)),
        1 => events.insert(
            at,
            json!({"type": "agent", "message": "never said", "sessionId": "s"}),
        ),
        2 => {
            let copy = events[dice.roll(events.len())].clone();
            events.insert(at, copy);
        }
        3 => {
            let event = events.remove(at);
            events.insert(dice.roll(events.len() + 1), event);
        }
        4 => {
            let is_skill = events[at]["type"] == "skill";
            events[at]["type"] = json!(if is_skill { "list" } else { "skill" });
        }
        5 => events[at]["sessionId"] = json!("another"),
        6 => events[at]["isSuccess"] = json!("maybe"),
        _ => {
            let members = events[at].as_object_mut().into_iter();
            let mut values = members.flat_map(Map::iter_mut);
            let value = values.rfind(|(key, _)| *key != "type");
            if let Some((_, value)) = value {
                *value = json!({"changed": 1});
            }
        }
    }
}

/// The event logs that a finding says are genuine: more than one if the event may have been moved from several places.
fn undone(finding: &AuditFinding, genuine: &[Value], events: &[Value]) -> Vec<Vec<Value>> {
    let at = finding.seq.or(finding.before);
    let at = at.map_or(events.len(), |at| usize::try_from(at).expect("a place"));
    let mut events = events.to_vec();
    match finding.kind {
        FindingKind::Missing => events.insert(at, genuine[at].clone()),
        FindingKind::Changed => events[at] = genuine[at].clone(),
        FindingKind::Extra => drop(events.remove(at)),
        FindingKind::Moved => {
            let event = events.remove(at);
            let places = 0..=events.len();
            let moved = places.map(|to| [&events[..to], slice::from_ref(&event), &events[to..]]);
            return moved.map(|parts| parts.concat()).collect();
        }
    }
    vec![events]
}

fn one_edit_is_one_finding(cases: u32) {
    for slug in HARNESSES {
        let entries = index().into_iter().filter(|entry| entry["harness"] == slug);
        let logs: Vec<_> = entries
            .map(|entry| (harness(&entry), file(&entry, "raw.jsonl")))
            .filter(|(harness, raw)| !derived(*harness, NEWEST, raw).is_empty())
            .collect();
        holds(
            cases,
            &(any::<Index>(), any::<Index>(), dice()),
            |(of, at, mut dice)| {
                let (harness, raw) = of.get(&logs);
                let genuine = derived(*harness, NEWEST, raw);
                let genuine: Vec<Value> = genuine.into_iter().map(|(event, _)| event).collect();
                let mut events = genuine.clone();
                edit(&mut events, at.index(genuine.len()), &mut dice);
                let found = audited(*harness, raw, Some(&log(&events)));
                let said = format!("{slug} {found:?}\n{genuine:#?}\n{events:#?}");
                if found.findings.is_empty() {
                    // Another version gives this, or gg's recorder may.
                    let versions = found.translator.iter();
                    let mut made = versions.map(|version| derived(*harness, *version, raw));
                    let is_made = made.any(|made| values(&made).into_iter().eq(&events));
                    assert!(is_made || *harness == Harness::Gg, "{said}");
                    return;
                }
                assert_eq!(found.verdict, AuditVerdict::Differs, "{said}");
                assert_eq!(found.findings.len(), 1, "{said}");
                let undone = undone(&found.findings[0], &genuine, &events);
                let is_genuine = |events: &Vec<Value>| {
                    audited(*harness, raw, Some(&log(events)))
                        .findings
                        .is_empty()
                };
                assert!(undone.iter().any(is_genuine), "{said}");
            },
        );
    }
}

#[test]
fn one_edit_of_an_event_is_one_finding_at_it() {
    one_edit_is_one_finding(40);
}

#[test]
#[ignore = "slow"]
fn one_edit_of_an_event_is_one_finding_at_it_ten_thousand_times() {
    one_edit_is_one_finding(10_000);
}

#[test]
fn no_row_is_refused() {
    let depth = 100_000;
    let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    for slug in HARNESSES {
        let harness = Harness::of(slug).expect("a harness");
        for line in [
            "null",
            "0",
            "\"\"",
            "[]",
            "{}",
            "{\"type\":1}",
            &deep,
            "\u{0}",
            "{\"a\":\"\\ud800\"}",
        ] {
            let raw = rows([line]);
            for version in 1..=NEWEST {
                let events = derived(harness, version, &raw);
                assert!(events.len() <= 1, "{slug}");
            }
        }
    }
}
