//! Reports unknown keys of records: each once per archive, however many runs have it.

use std::collections::BTreeMap;

use base::diagnostics::text::quoted;
use base::diagnostics::{Diagnostic, Place, codes};
use formats::run_record::UnknownKey;

/// Maximum number of keys listed; an archive with more has records of another format.
const KEYS: usize = 500;

/// A note for each unknown key, at the first record that has it. `records` has the directory of each record with its unknown
/// keys, in order; `at` returns the place of a key and the run.
#[must_use]
pub fn unknown(
    records: Vec<(usize, Vec<UnknownKey>)>,
    at: impl Fn(usize, &UnknownKey) -> (Place, Option<String>),
) -> Vec<Diagnostic> {
    let mut found: BTreeMap<String, (usize, UnknownKey, usize)> = BTreeMap::new();
    let mut unlisted: Option<(usize, UnknownKey, usize)> = None;
    for (directory, keys) in records {
        let mut counted = false;
        for key in keys {
            if let Some((.., runs)) = found.get_mut(&key.path) {
                *runs += 1;
            } else if found.len() < KEYS {
                found.insert(key.path.clone(), (directory, key, 1));
            } else if !counted {
                counted = true;
                unlisted.get_or_insert((directory, key, 0)).2 += 1;
            }
        }
    }
    let have = |runs: usize| {
        if runs == 1 {
            "1 run has".to_owned()
        } else {
            format!("{runs} runs have")
        }
    };
    let mut notes: Vec<_> = found
        .into_values()
        .map(|(directory, key, runs)| {
            let help = key.near.as_deref().map_or_else(
                || "No action needed: `run.json` contains the key as written.".to_owned(),
                |near| {
                    format!(
                        "Did you mean {}? `run.json` contains the key as written.",
                        quoted(near)
                    )
                },
            );
            let (place, run) = at(directory, &key);
            note(
                place,
                run.as_deref(),
                format!("Unknown key {}; {} it", quoted(&key.path), have(runs)),
                help,
            )
        })
        .collect();
    notes.extend(unlisted.map(|(directory, key, runs)| {
        let (place, run) = at(directory, &key);
        note(
            place,
            run.as_deref(),
            format!("{} more unknown keys, not listed", have(runs)),
            "Check that these are Test Cabinet records.".to_owned(),
        )
    }));
    notes
}

fn note(place: Place, run: Option<&str>, message: String, help: String) -> Diagnostic {
    let note = codes::RECORD_UNKNOWN_KEY.at(place, message, help);
    note.of_run(run.unwrap_or_default())
}
