//! The chain of the ledger: each entry has the digest of the one before, so the digest of the newest entry covers all of them.
//!
//! A ledger repeats no name that was corrected, and no value of a run that was withdrawn, so entries are rewritten. The digest
//! of an entry is therefore made only of its permanent parts: the ids and addresses of runs, ratings, rules, and the digest of all runs
//! after the build. It is not written into the entry itself, so that entries of earlier versions have one, too.

use serde::Serialize;

use super::{BuildChanges, Ledger, RatingChange, RuleChange, RunNames};

/// The parts of an entry that are never rewritten.
#[derive(Debug, Serialize)]
struct PermanentEntry<'a> {
    build: u64,
    runs: usize,
    lists: [Vec<PermanentRun<'a>>; 4],
    changed: Vec<(PermanentRun<'a>, Option<&'a str>, Option<&'a RatingChange>)>,
    rules: &'a [RuleChange],
    state: Option<&'a str>,
    previous: Option<&'a str>,
}

/// The id and the slug of a run.
type PermanentRun<'a> = [&'a str; 2];

fn permanent(run: &RunNames) -> PermanentRun<'_> {
    [&run.id, &run.slug]
}

impl BuildChanges {
    /// The digest of the entry, which comes after one with the digest `previous`.
    fn digest(&self, previous: Option<&str>) -> String {
        let entry = PermanentEntry {
            build: self.build,
            runs: self.runs,
            lists: self
                .lists()
                .map(|(_, runs)| runs.iter().map(permanent).collect()),
            changed: self
                .changed
                .iter()
                .map(|change| {
                    (
                        permanent(&change.run),
                        change.moved_from.as_deref(),
                        change.rating.as_ref(),
                    )
                })
                .collect(),
            rules: &self.rules,
            state: self.state.as_deref(),
            previous,
        };
        let mut hasher = blake3::Hasher::new();
        // Hashing cannot fail.
        let _ = serde_json::to_writer(&mut hasher, &entry);
        hasher.finalize().to_hex().to_string()
    }
}

impl Ledger {
    /// The digest of each entry, newest first.
    pub fn entry_digests(&self) -> Vec<String> {
        let mut digests: Vec<String> = Vec::new();
        for build in self.builds.iter().rev() {
            digests.push(build.digest(digests.last().map(String::as_str)));
        }
        digests.reverse();
        digests
    }

    /// The digest of the newest entry.
    pub fn head(&self) -> Option<String> {
        self.entry_digests().into_iter().next()
    }

    /// The digest of its runs.
    pub fn state(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for run in &self.runs {
            // Writing plain values into memory cannot fail.
            hasher.update(&serde_json::to_vec(&run.document()).unwrap_or_default());
            hasher.update(b"\n");
        }
        hasher.finalize().to_hex().to_string()
    }
}
