//! The share of made-up secrets that the scan finds.

use std::fmt::Write;

use runpress::api::formats::redactions::{Redaction, rewrite};
use runpress::api::secrets::Finding;
use serde_json::json;

use super::carriers::{self, Carried, assigned};
use super::keys::{Family, Form, Numbers, Secret, families};
use super::scan;
use crate::support::assert_snapshot;

/// Secrets of each kind.
const EACH: u32 = 1;

/// Calls `look` with every kind in every carrier.
fn every(mut look: impl FnMut(&Family, &'static str, &Secret, Vec<Carried>)) {
    for family in families() {
        for number in 0..EACH {
            let secret = family.secret(number);
            for (carrier, write) in carriers::ALL {
                let mut numbers = Numbers::of(&format!("{}/{carrier}/{number}", family.name));
                let files = write(&family, &secret, &mut numbers);
                look(&family, carrier, &secret, files);
            }
        }
    }
}

#[test]
fn at_least_98_of_100_secrets_are_found_whatever_carries_them() {
    let (mut total, mut missed) = (0, 0);
    let mut list = String::new();
    every(|family, carrier, _, files| {
        total += 1;
        let hidden: Vec<&str> = files
            .iter()
            .filter(|(name, bytes)| scan(name, bytes).is_empty())
            .map(|(name, _)| *name)
            .collect();
        if !hidden.is_empty() {
            missed += 1;
            let hidden = hidden.join(", ");
            let _ = writeln!(list, "{} | {carrier} | {hidden}", family.name);
        }
    });
    let share = format!("{} of {total} found", total - missed);
    assert_snapshot("secrets", "missed", &format!("{share}\n{list}"));
    assert!(missed * 50 <= total, "{share}\n{list}");
}

#[test]
fn there_are_three_hundred_kinds_of_secrets_in_24_carriers() {
    let mut names: Vec<&str> = families().iter().map(|family| family.name).collect();
    names.sort_unstable();
    names.dedup();
    assert!(names.len() >= 300, "{}", names.len());
    assert_eq!(names.len(), families().len());
    assert_eq!(carriers::ALL.len(), 24);
}

#[test]
fn a_secret_ends_before_every_character_that_no_key_continues_with() {
    let mut missed = Vec::new();
    for family in families() {
        let secret = family.secret(0);
        // The others have their own text after them.
        if secret.value.end < secret.text.len() {
            continue;
        }
        let value = &secret.text[secret.value.clone()];
        for end in carriers::ENDS {
            let text = format!("It is {}{end} and more\n", assigned(&family, &secret));
            let at = text.find(value).expect("the value");
            let covers = |finding: &Finding| {
                finding.range.start <= at && at + value.len() <= finding.range.end
            };
            if !scan("notes.txt", text.as_bytes()).iter().any(covers) {
                missed.push(format!("{} before {end:?}", family.name));
            }
        }
    }
    assert_eq!(missed, [""; 0]);
}

#[test]
fn the_same_texts_with_placeholders_instead_of_secrets_are_left_alone() {
    let mut found = Vec::new();
    for family in families() {
        let mut secret = family.secret(0);
        if secret.text.contains("-----") {
            continue;
        }
        let fill = |c: char| if c.is_ascii_alphanumeric() { 'x' } else { c };
        let value: String = secret.text[secret.value.clone()]
            .chars()
            .map(fill)
            .collect();
        secret.text.replace_range(secret.value.clone(), &value);
        for (carrier, write) in carriers::ALL {
            let mut numbers = Numbers::of(&format!("{}/{carrier}/0", family.name));
            for (name, bytes) in write(&family, &secret, &mut numbers) {
                let findings = scan(name, &bytes).into_iter();
                found.extend(findings.map(|finding| {
                    format!("{} | {carrier} | {name} | {}", family.name, finding.rule)
                }));
            }
        }
    }
    assert_eq!(found, [""; 0]);
}

/// A finding must cover the whole secret, because only its range is withheld.
#[test]
fn a_finding_covers_the_whole_secret() {
    let mut partly = Vec::new();
    every(|family, carrier, secret, files| {
        if !["plain", "yaml", "shell", "header", "diff"].contains(&carrier) {
            return;
        }
        let value = &secret.text[secret.value.clone()];
        let Some((name, bytes)) = files.iter().find(|(name, _)| *name == "notes.txt") else {
            return;
        };
        let text = String::from_utf8_lossy(bytes);
        // Some carriers indent or prefix the lines of a key.
        let Some(at) = text.find(value) else { return };
        let findings = scan(name, bytes);
        let covers = findings
            .iter()
            .any(|finding| finding.range.start <= at && at + value.len() <= finding.range.end);
        if !covers && !findings.is_empty() {
            let ranges: Vec<_> = findings.iter().map(|f| (&f.rule, &f.range)).collect();
            let whole = at..at + value.len();
            partly.push(format!(
                "{} | {carrier} | {whole:?} {ranges:?}",
                family.name
            ));
        }
    });
    partly.sort();
    partly.dedup();
    assert_eq!(partly, [""; 0]);
}

/// The redaction of a finding, as written by `runpress redact --finding`.
fn redaction((name, bytes): (&str, &[u8]), index: usize, finding: &Finding) -> Redaction {
    let line = json!({ "id": format!("r{index}"), "file": name, "reason": "secret" });
    let mut redaction: Redaction = serde_json::from_value(line).expect("a redaction");
    let (span, length) = if finding.pointer.is_some() && name.ends_with(".jsonl") {
        if name == "events.jsonl" {
            redaction.event = Some(u64::from(finding.line - 1));
        } else {
            redaction.line = Some(finding.line);
        }
        redaction.pointer.clone_from(&finding.pointer);
        (&finding.range, finding.length_in_characters)
    } else {
        let written = String::from_utf8_lossy(&bytes[finding.raw_range.clone()]);
        (&finding.raw_range, written.chars().count())
    };
    redaction.length = Some(length);
    (redaction.start, redaction.end) = (Some(span.start), Some(span.end));
    redaction
}

#[test]
fn what_is_found_can_be_withheld_and_is_found_no_more() {
    let mut left = Vec::new();
    every(|family, carrier, _, files| {
        for (name, bytes) in files {
            let mut findings = scan(name, &bytes);
            findings.retain(|finding| !finding.is_key);
            let redactions: Vec<Redaction> = findings
                .iter()
                .enumerate()
                .map(|(index, finding)| redaction((name, &bytes), index, finding))
                .collect();
            let all: Vec<&Redaction> = redactions.iter().collect();
            match rewrite(name, &bytes, &all, false) {
                Ok(written) => {
                    let again = scan(name, &written.bytes).into_iter();
                    left.extend(
                        again.map(|f| format!("{} | {carrier} | {name} | {}", family.name, f.rule)),
                    );
                }
                Err(fault) => {
                    left.push(format!("{} | {carrier} | {name} | {fault:?}", family.name));
                }
            }
        }
    });
    left.sort();
    left.dedup();
    assert!(left.is_empty(), "{}", left.join("\n"));
}

#[test]
fn what_is_found_is_named_by_its_place_and_not_by_its_value() {
    let family = families()[0];
    let file = |number| format!("The file holds {}\n", family.secret(number).text);
    let of = |number| scan("notes.txt", file(number).as_bytes());
    let (one, other) = (of(0), of(1));
    assert_eq!(one.len(), 1);
    assert_eq!(one[0].fingerprint, other[0].fingerprint);
    let moved = scan("notes.txt", format!("\n{}", file(0)).as_bytes());
    assert_ne!(one[0].fingerprint, moved[0].fingerprint);
    let shown = format!("{one:?}");
    assert!(!shown.contains(&family.secret(0).text[8..20]), "{shown}");
    assert_eq!(family.form, Form::Token);
}
