//! The chain of the ledger: each entry has the digest of the one before, so the digest of the newest entry is one of all.
//!
//! A ledger repeats no name that was corrected, and no value of a run that was withdrawn, so entries are rewritten. The digest
//! of an entry is therefore made only of what stays: the ids and addresses of runs, ratings, rules, and the digest of all runs
//! after the build. It is not written into the entry itself, so that entries of earlier versions have one, too.

use serde::Serialize;

use super::{BuildChanges, Ledger, RatingChange, RuleChange, RunNames};

/// What of an entry is never rewritten.
#[derive(Debug, Serialize)]
struct LastingEntry<'a> {
    build: u64,
    runs: usize,
    lists: [Vec<LastingRun<'a>>; 4],
    changed: Vec<(LastingRun<'a>, Option<&'a str>, Option<&'a RatingChange>)>,
    rules: &'a [RuleChange],
    state: Option<&'a str>,
    previous: Option<&'a str>,
}

/// The id and the slug of a run.
type LastingRun<'a> = [&'a str; 2];

fn lasting(run: &RunNames) -> LastingRun<'_> {
    [&run.id, &run.slug]
}

impl BuildChanges {
    /// The digest of the entry, which comes after one with the digest `previous`.
    fn link(&self, previous: Option<&str>) -> String {
        let entry = LastingEntry {
            build: self.build,
            runs: self.runs,
            lists: self
                .lists()
                .map(|(_, runs)| runs.iter().map(lasting).collect()),
            changed: self
                .changed
                .iter()
                .map(|change| {
                    (
                        lasting(&change.run),
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
    pub fn links(&self) -> Vec<String> {
        let mut links: Vec<String> = Vec::new();
        for build in self.builds.iter().rev() {
            links.push(build.link(links.last().map(String::as_str)));
        }
        links.reverse();
        links
    }

    /// The digest of the newest entry.
    pub fn head(&self) -> Option<String> {
        self.links().into_iter().next()
    }

    /// The digest of its runs.
    pub fn state(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for run in &self.runs {
            // Writing plain values into memory cannot fail.
            hasher.update(&serde_json::to_vec(&run.published()).unwrap_or_default());
            hasher.update(b"\n");
        }
        hasher.finalize().to_hex().to_string()
    }
}
