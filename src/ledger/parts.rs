//! The files of a ledger: `feeds/changes.json`, and part files that keep it small.
//!
//! A part is named by its digest, so its content never changes. It depends only on older builds, or on the ids of its runs, so
//! most parts stay the same from build to build.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostics::text::quoted;
use crate::links::RunFolders;
use crate::shapes::{self, SCHEMA_VERSION};

use super::{Build, Known, Ledger, Named, Withdrawn};

/// The folder of the parts, relative to the site's root.
const FOLDER: &str = "feeds/changes/";
/// Maximum bytes in the first file for newest builds, older builds and runs, each.
const OPEN: usize = 256 << 10;
/// Maximum number of newest builds in the first file, within [`OPEN`] bytes.
const NEWEST: usize = 20;
/// About how many runs a part has, at most.
const RUNS: usize = 4096;

/// A file with more of the ledger, of the same shape.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    /// Its path from the site's root; its name begins with what it holds and ends with its digest.
    #[schemars(regex(pattern = r"^feeds/changes/(builds|runs)-[0-9a-f]{16}\.json$"))]
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// BLAKE3 of its bytes.
    #[schemars(with = "shapes::Blake3")]
    pub blake3: String,
    /// How many builds it holds, older than those before it.
    pub builds: usize,
    /// The number of the newest of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest: Option<u64>,
    /// How many runs it holds.
    pub runs: usize,
}

/// A file of a ledger: a [`Ledger`] in its written form.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Document<'a> {
    schema_version: u32,
    #[serde(skip_serializing_if = "super::is_default")]
    run_folders: RunFolders,
    builds: &'a [Build],
    withdrawn: &'a [Withdrawn],
    moved: &'a [Named],
    runs: Vec<&'a Known>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<Part>,
}

impl<'a> Document<'a> {
    fn of(builds: &'a [Build], runs: Vec<&'a Known>) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            run_folders: RunFolders::Flat,
            builds,
            withdrawn: &[],
            moved: &[],
            runs,
            parts: Vec::new(),
        }
    }

    fn bytes(&self) -> serde_json::Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// Its entry in the first file.
    fn part(&self, bytes: &[u8]) -> Part {
        let blake3 = blake3::hash(bytes).to_hex().to_string();
        let what = if self.runs.is_empty() {
            "builds"
        } else {
            "runs"
        };
        Part {
            path: format!("{FOLDER}{what}-{}.json", &blake3[..16]),
            bytes: bytes.len() as u64,
            blake3,
            builds: self.builds.len(),
            newest: self.builds.first().map(|build| build.build),
            runs: self.runs.len(),
        }
    }
}

impl Ledger {
    /// The first file. Passes the parts that it lists to `write` one by one, since together they are as large as the ledger.
    ///
    /// # Errors
    /// Errors of `write`, and serialization errors, converted by `failed`.
    pub fn files<E>(
        &self,
        mut write: impl FnMut(&Part, &[u8]) -> Result<(), E>,
        failed: impl Fn(serde_json::Error) -> E,
    ) -> Result<Document<'_>, E> {
        let size = |build: &Build| {
            let bytes = serde_json::to_vec(build).map_err(&failed)?;
            Ok(bytes.len())
        };
        let (mut kept, mut bytes) = (0, 0);
        for build in self.builds.iter().take(NEWEST) {
            bytes += size(build)?;
            if bytes > OPEN {
                break;
            }
            kept += 1;
        }
        let (mut end, mut bytes) = (self.builds.len(), 0);
        let mut documents = Vec::new();
        for at in (kept..end).rev() {
            bytes += size(&self.builds[at])?;
            if bytes > OPEN {
                documents.push(Document::of(&self.builds[at..end], Vec::new()));
                (end, bytes) = (at, 0);
            }
        }
        // Newest first.
        documents.reverse();
        let buckets = buckets(&self.runs);
        let many = buckets.len() > 1;
        documents.extend(buckets.into_iter().map(|runs| Document::of(&[], runs)));
        let mut first = Document {
            run_folders: self.run_folders,
            withdrawn: &self.withdrawn,
            moved: &self.moved,
            ..Document::of(&self.builds[..end], Vec::new())
        };
        for document in documents {
            let bytes = document.bytes().map_err(&failed)?;
            if document.builds.is_empty() && !many && bytes.len() <= OPEN {
                first.runs = document.runs;
                continue;
            }
            let part = document.part(&bytes);
            write(&part, &bytes)?;
            first.parts.push(part);
        }
        Ok(first)
    }

    /// Merges the parts that it lists into itself; `read` returns the bytes at a path.
    ///
    /// # Errors
    /// The problem with a part, as a clause of a sentence.
    pub(super) fn join(
        &mut self,
        read: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
    ) -> Result<(), String> {
        let parts = std::mem::take(&mut self.parts);
        if parts.is_empty() {
            return Ok(());
        }
        for part in parts {
            let shown = quoted(&part.path);
            let name = part.path.strip_prefix(FOLDER);
            let name = name.and_then(|name| name.strip_suffix(".json"));
            if !name.is_some_and(super::is_slug) {
                return Err(format!("{shown} is not the path of a part"));
            }
            let bytes = read(&part.path).map_err(|why| format!("its part {shown} {why}"))?;
            if blake3::hash(&bytes).to_hex().as_str() != part.blake3 {
                return Err(format!("its part {shown} has another digest"));
            }
            let more = Self::document(&bytes).map_err(|why| format!("its part {shown}: {why}"))?;
            self.builds.extend(more.builds);
            self.runs.extend(more.runs);
        }
        self.builds.sort_by_key(|build| Reverse(build.build));
        self.runs.sort_by(|a, b| a.run.id.cmp(&b.run.id));
        Ok(())
    }
}

/// The runs in buckets by the digest of their id, so adding or removing a run changes one bucket.
fn buckets(runs: &[Arc<Known>]) -> Vec<Vec<&Known>> {
    let mut digits = 0;
    while runs.len() >> (4 * digits) > RUNS {
        digits += 1;
    }
    let mut buckets: BTreeMap<String, Vec<&Known>> = BTreeMap::new();
    for run in runs {
        let digest = blake3::hash(run.run.id.as_bytes()).to_hex();
        buckets
            .entry(digest[..digits].to_owned())
            .or_default()
            .push(run);
    }
    buckets.into_values().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::model::digests::Digests;

    fn named(number: usize) -> Named {
        Named {
            id: format!("run-{number:06}").into(),
            slug: format!("pong-{number:06}").into(),
            test_case_slug: "pong".into(),
            test_case_version: "1".into(),
            variant: None,
            harness_slug: "codex".into(),
            model_id: "lark-1".into(),
        }
    }

    fn known(number: usize) -> Known {
        let digest = |name: &str| (name.to_owned(), format!("{number:010x}"));
        Known {
            run: named(number),
            rating: None,
            quarantined: false,
            record: ["/id", "/finishedAt"].map(digest).into_iter().collect(),
            files: [digest("events.jsonl")].into_iter().collect(),
            annotations: Digests::default(),
        }
    }

    fn build(number: u64, runs: usize) -> Build {
        Build {
            build: number,
            runs,
            added: (0..runs).map(named).collect(),
            returned: Vec::new(),
            withdrawn: Vec::new(),
            quarantined: Vec::new(),
            changed: Vec::new(),
        }
    }

    fn ledger(builds: u64, runs: usize) -> Ledger {
        Ledger {
            builds: (1..=builds)
                .rev()
                .map(|number| build(number, 100))
                .collect(),
            runs: (0..runs).map(known).map(Arc::new).collect(),
            ..Ledger::empty()
        }
    }

    /// The first file, and the parts with their bytes.
    fn written(ledger: &Ledger) -> (Document<'_>, Vec<(Part, Vec<u8>)>) {
        let mut files = Vec::new();
        let write = |part: &Part, bytes: &[u8]| {
            files.push((part.clone(), bytes.to_vec()));
            Ok(())
        };
        let first = ledger.files(write, |error| error);
        (first.expect("JSON"), files)
    }

    fn parse(first: &Document<'_>, files: &[(Part, Vec<u8>)]) -> Result<Ledger, String> {
        let bytes = serde_json::to_vec(first).expect("JSON");
        let files: BTreeMap<_, _> = files
            .iter()
            .map(|(part, bytes)| (part.path.as_str(), bytes))
            .collect();
        Ledger::parse(&bytes, &mut |path| {
            let bytes = files.get(path).ok_or("is missing".to_owned())?;
            Ok((*bytes).clone())
        })
    }

    #[test]
    fn a_small_ledger_is_one_file_and_a_large_one_is_read_back_from_its_parts() {
        for (builds, runs) in [(3, 50), (120, 50), (3, 3_000), (200, 5_000)] {
            let whole = ledger(builds, runs);
            let (first, files) = written(&whole);
            assert_eq!(files.is_empty(), (builds, runs) == (3, 50));
            let size = serde_json::to_vec(&first).expect("JSON").len();
            assert!(size < 3 * OPEN + 10_000, "{size}");
            let read = parse(&first, &files).expect("a ledger");
            assert!(read.is_same(&whole));
            assert_eq!(read.parts, []);
        }
    }

    #[test]
    fn a_build_of_thousands_of_runs_is_in_a_part_and_the_next_one_is_not() {
        let mut whole = ledger(3, 50);
        whole.builds.insert(0, build(4, 5_000));
        let (first, files) = written(&whole);
        assert!(first.builds.is_empty());
        assert_eq!((files[0].0.newest, files[0].0.builds), (Some(4), 4));
        whole.builds.insert(0, build(5, 10));
        let (first, again) = written(&whole);
        assert_eq!(first.builds.len(), 1);
        assert_eq!(again, files);
    }

    #[test]
    fn a_new_build_and_a_new_run_leave_most_parts_as_they_are() {
        let names = |ledger: &Ledger| {
            let (_, files) = written(ledger);
            files
                .into_iter()
                .map(|(part, _)| part.path)
                .collect::<BTreeSet<_>>()
        };
        let before = ledger(200, 5_000);
        let mut after = before.clone();
        after.builds.insert(0, build(201, 100));
        after.runs.push(Arc::new(known(5_000)));
        let (before, after) = (names(&before), names(&after));
        assert!(before.difference(&after).count() <= 1);
        assert!(after.difference(&before).count() <= 2);
    }

    #[test]
    fn a_part_that_is_missing_changed_or_elsewhere_is_refused() {
        let whole = ledger(3, 3_000);
        let (first, mut files) = written(&whole);
        let refused = |first: &Document<'_>, files: &[(Part, Vec<u8>)]| {
            parse(first, files).expect_err("a refusal")
        };
        assert!(refused(&first, &[]).contains("is missing"));
        files[0].1.push(b' ');
        assert!(refused(&first, &files).contains("has another digest"));
        let mut elsewhere = first.clone();
        elsewhere.parts[0].path = "feeds/changes/../../site.toml".to_owned();
        assert!(refused(&elsewhere, &files).contains("is not the path of a part"));
    }
}
