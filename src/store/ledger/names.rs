//! Which names of annotations and files the ledger may repeat.
//!
//! People choose these names, so a name that was removed from a run must not stay in the ledger. The ledger repeats a name only
//! if the published run still has it, or if the format gives it; others are counted. Of quarantined runs it has digests of names.

use std::collections::BTreeMap;

use formats::model::digests::{DIGITS, Digests, short_digest};
use formats::model::findings::RunDigests;
use formats::model::implementation::FOLDER;
use formats::{RUN_FILES, events, sidecar};

use super::{BuildChanges, Ledger, RunChange};

/// The prefix of a digest that replaces a name.
const MARK: char = '#';

/// Replaces names that the published run does not have with a count.
pub(super) fn remove_unpublished(builds: &mut [BuildChanges], ledger: &Ledger) {
    let changes = builds.iter_mut().flat_map(|build| &mut build.changed);
    let has_chosen_names = |change: &&mut RunChange| {
        let mut files = change.files.iter();
        let lists = change.annotations.lists();
        files.any(|name| !is_of_the_format(name)) || lists.iter().any(|(_, ids, _)| !ids.is_empty())
    };
    for change in changes.filter(has_chosen_names) {
        let known = ledger.find(&change.run.id);
        let known = known.filter(|known| !known.quarantined);
        let known = known.map_or_else(RunDigests::default, |known| known.digests.unpack());
        change.more_files += retain(&mut change.files, |name| {
            is_of_the_format(name) || known.files.contains_key(name)
        });
        let annotations = &mut change.annotations;
        for (names, more) in [
            (&mut annotations.added, &mut annotations.more_added),
            (&mut annotations.changed, &mut annotations.more_changed),
            (&mut annotations.withdrawn, &mut annotations.more_withdrawn),
        ] {
            *more += retain(names, |name| known.annotations.contains_key(name));
        }
    }
}

/// Removes names that may not stay, and returns how many.
fn retain(names: &mut Vec<String>, may_stay: impl Fn(&String) -> bool) -> usize {
    let before = names.len();
    names.retain(may_stay);
    before - names.len()
}

/// Replaces the names of a quarantined run with digests.
pub(super) fn hide(known: &mut RunDigests) {
    let hidden = |digests: &mut Digests, name: fn(&str) -> String| {
        let found = std::mem::take(digests).into_iter();
        *digests = found.map(|(key, digest)| (name(&key), digest)).collect();
    };
    hidden(&mut known.files, hidden_file);
    hidden(&mut known.annotations, hidden_name);
}

/// Restores the names of a run that was quarantined, if it has them again.
pub(super) fn reveal(old: &mut RunDigests, new: &RunDigests) {
    let revealed = |before: &mut Digests, after: &Digests, name: fn(&str) -> String| {
        let names: BTreeMap<String, &String> = after.keys().map(|key| (name(key), key)).collect();
        let found = std::mem::take(before).into_iter();
        let found = found.map(|(key, digest)| match names.get(&key) {
            Some(name) => ((*name).clone(), digest),
            None => (key, digest),
        });
        *before = found.collect();
    };
    revealed(&mut old.files, &new.files, hidden_file);
    revealed(&mut old.annotations, &new.annotations, hidden_name);
}

fn hidden_file(name: &str) -> String {
    if is_of_the_format(name) {
        name.to_owned()
    } else {
        hidden_name(name)
    }
}

/// A digest of a name; a digest stays as it is.
fn hidden_name(name: &str) -> String {
    let is_hidden = name.strip_prefix(MARK).is_some_and(|digits| {
        digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    if is_hidden {
        return name.to_owned();
    }
    format!("{MARK}{}", short_digest(&blake3::hash(name.as_bytes())))
}

/// Whether the format gives this name to a file.
fn is_of_the_format(name: &str) -> bool {
    let name = name.strip_suffix(sidecar::SUFFIX).map_or(name, |tape| {
        if tape == events::FILE_NAME {
            tape
        } else {
            name
        }
    });
    RUN_FILES.contains(&name) || name.strip_suffix('/') == Some(FOLDER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_nobody_chose_are_of_the_format() {
        for name in [
            "events.jsonl",
            "events.jsonl.annotations.jsonl",
            "implementation/",
        ] {
            assert!(is_of_the_format(name), "{name}");
            assert_eq!(hidden_file(name), name);
        }
        for name in ["s3cret.tape", "s3cret.annotations.jsonl", "implementation"] {
            assert!(!is_of_the_format(name), "{name}");
        }
    }

    #[test]
    fn the_digest_of_a_name_stays_when_it_is_made_again() {
        let digest = hidden_name("s3cret");
        assert!(!digest.contains("s3cret"));
        assert_eq!(hidden_name(&digest), digest);
    }
}
