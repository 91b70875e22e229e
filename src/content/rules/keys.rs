//! Reports unknown keys of records: each once per archive, however many runs have it.

use std::collections::BTreeMap;

use base::diagnostics::text::quoted;
use base::diagnostics::{Diagnostic, Place, codes};
use formats::run_record::UnknownKey;

/// Maximum number of keys listed; an archive with more has records of another format.
const KEYS: usize = 500;

/// An unknown key with the directory of the first record that has it, and the number of runs that have it.
struct KeyCount {
    directory: usize,
    key: UnknownKey,
    runs: usize,
}

/// A note for each unknown key, at the first record that has it. `records` has the directory of each record with its unknown
/// keys, in order; `at` returns the place of a key and the run.
#[must_use]
pub fn unknown(
    records: Vec<(usize, Vec<UnknownKey>)>,
    at: impl Fn(usize, &UnknownKey) -> (Place, Option<String>),
) -> Vec<Diagnostic> {
    let mut found: BTreeMap<String, KeyCount> = BTreeMap::new();
    let mut unlisted: Option<KeyCount> = None;
    for (directory, keys) in records {
        let mut is_counted = false;
        for key in keys {
            if let Some(known) = found.get_mut(&key.path) {
                known.runs += 1;
                continue;
            }
            let first = KeyCount {
                directory,
                key,
                runs: 0,
            };
            if found.len() < KEYS {
                let path = first.key.path.clone();
                found.insert(path, KeyCount { runs: 1, ..first });
            } else if !is_counted {
                is_counted = true;
                unlisted.get_or_insert(first).runs += 1;
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
        .map(|known| {
            let help = known.key.near.as_deref().map_or_else(
                || "No action needed: `run.json` contains the key as written.".to_owned(),
                |near| {
                    format!(
                        "Did you mean {}? `run.json` contains the key as written.",
                        quoted(near)
                    )
                },
            );
            let key = quoted(&known.key.path);
            let message = format!("Unknown key {key}; {} it", have(known.runs));
            let (place, run) = at(known.directory, &known.key);
            note(place, run.as_deref(), message, help)
        })
        .collect();
    notes.extend(unlisted.map(|first| {
        let message = format!("{} more unknown keys, not listed", have(first.runs));
        let help = "Check that these are Test Cabinet records.".to_owned();
        let (place, run) = at(first.directory, &first.key);
        note(place, run.as_deref(), message, help)
    }));
    notes
}

fn note(place: Place, run: Option<&str>, message: String, help: String) -> Diagnostic {
    let note = codes::RECORD_UNKNOWN_KEY.at(place, message, help);
    note.of_run(run.unwrap_or_default())
}
