//! The files of a ledger: `feeds/changes.json`, and part files that keep it small.
//!
//! A part is named by its digest, so its content never changes. It depends only on older builds, or on the ids of its runs, so
//! most parts stay the same from build to build.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use base::diagnostics::text::quoted;
use base::links::RunFolders;
use base::shapes::{self, SCHEMA_VERSION};
use formats::model::digests::by_known_part;
use formats::model::findings::{PackedDigests, RunDigests};

use super::{
    AddressOwners, BuildChanges, Ledger, LedgerRun, LedgerRunDocument, RuleVersion, RunNames,
    WithdrawnRun, names,
};

/// The folder of the parts, relative to the site's root.
const FOLDER: &str = "feeds/changes/";
/// Maximum bytes in the first file for newest builds, older builds and runs, each.
const FIRST_FILE: usize = 256 << 10;
/// Maximum number of newest builds in the first file, within [`FIRST_FILE`] bytes.
const NEWEST: usize = 20;
/// About how many runs a part has, at most.
const RUNS: usize = 4096;

/// A file with more of the ledger, of the same shape.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Part")]
pub struct LedgerPart {
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

/// `changes.json`: what each build changed, and what the next one compares itself with. Its parts have the same shape.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Changes")]
pub struct LedgerDocument<'a> {
    /// Version of this format.
    #[schemars(with = "shapes::Version")]
    schema_version: u32,
    /// Where the folders of runs are: `flat` is `runs/<slug>/`; `prefixed` is `runs/<prefix>/<slug>/`, and the prefix is the
    /// first two hexadecimal digits of the slug's BLAKE3. Absent: `flat`.
    #[serde(default, skip_serializing_if = "super::is_default")]
    run_folders: RunFolders,
    /// Digest of the newest entry, and through it of all entries. In a part, there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "shapes::Blake3")]
    head: Option<String>,
    /// Changes by build, newest first, those in `parts` apart. A build that changed nothing has no entry; the first entry
    /// lists nothing.
    builds: Cow<'a, [BuildChanges]>,
    /// Runs that are no longer published, by id.
    withdrawn: Cow<'a, [WithdrawnRun]>,
    /// Former addresses of runs, by slug, each with the current names of its run.
    #[serde(default)]
    moved: Cow<'a, [RunNames]>,
    /// Owners of the addresses of cases, models and harnesses, and of runs that were quarantined before they were published: a
    /// digest of the name by a digest of the address.
    #[serde(default, skip_serializing_if = "AddressOwners::is_empty")]
    addresses: Cow<'a, AddressOwners>,
    /// The rules of the site, by id; absent if it never had any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "BTreeMap<String, RuleVersion>")]
    rules: Option<Cow<'a, BTreeMap<String, RuleVersion>>>,
    /// Digests of each published run, by id, from which the next build detects changes. A large ledger has them in
    /// `parts`.
    runs: Vec<LedgerRunDocument>,
    /// Files with more of a large ledger: older builds, and digests of runs. In a part, there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<LedgerPart>,
}

impl<'a> LedgerDocument<'a> {
    fn of(builds: &'a [BuildChanges], runs: Vec<LedgerRunDocument>) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            run_folders: RunFolders::Flat,
            head: None,
            builds: builds.into(),
            withdrawn: Cow::default(),
            moved: Cow::default(),
            addresses: Cow::default(),
            rules: None,
            runs,
            parts: Vec::new(),
        }
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Version {
            schema_version: u64,
        }

        let Version { schema_version } =
            serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if schema_version != u64::from(SCHEMA_VERSION) {
            return Err(format!(
                "its `schemaVersion` is `{schema_version}`, but this version of runpress reads `{SCHEMA_VERSION}`"
            ));
        }
        serde_json::from_slice(bytes).map_err(|error| error.to_string())
    }

    fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// Its entry in the first file.
    fn part(&self, bytes: &[u8]) -> LedgerPart {
        let blake3 = blake3::hash(bytes).to_hex().to_string();
        let what = if self.runs.is_empty() {
            "builds"
        } else {
            "runs"
        };
        LedgerPart {
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
    pub fn files<E>(
        &self,
        mut write: impl FnMut(&LedgerPart, &[u8]) -> Result<(), E>,
        failed: impl Fn(io::Error) -> E,
    ) -> Result<LedgerDocument<'_>, E> {
        let size = |build: &BuildChanges| {
            let bytes = serde_json::to_vec(build).map_err(|error| failed(error.into()))?;
            Ok(bytes.len())
        };
        let (mut in_first, mut bytes) = (0, 0);
        for build in self.builds.iter().take(NEWEST) {
            bytes += size(build)?;
            if bytes > FIRST_FILE {
                break;
            }
            in_first += 1;
        }
        let (mut end, mut bytes) = (self.builds.len(), 0);
        let mut older = Vec::new();
        for at in (in_first..end).rev() {
            bytes += size(&self.builds[at])?;
            if bytes > FIRST_FILE {
                older.push(&self.builds[at..end]);
                (end, bytes) = (at, 0);
            }
        }
        let mut first = LedgerDocument {
            run_folders: self.run_folders,
            head: self.head(),
            withdrawn: self.withdrawn.as_slice().into(),
            moved: self.moved.as_slice().into(),
            addresses: Cow::Borrowed(&self.addresses),
            rules: self.rules.as_ref().map(Cow::Borrowed),
            ..LedgerDocument::of(&self.builds[..end], Vec::new())
        };
        // Newest first.
        let older = older.into_iter().rev();
        let older = older.map(|builds| LedgerDocument::of(builds, Vec::new()));
        let buckets = buckets(&self.runs);
        let many = buckets.len() > 1;
        let runs = buckets.into_iter().map(|runs| {
            LedgerDocument::of(&[], runs.into_iter().map(LedgerRun::document).collect())
        });
        for document in older.chain(runs) {
            let bytes = document.to_bytes().map_err(|error| failed(error.into()))?;
            if document.builds.is_empty() && !many && bytes.len() <= FIRST_FILE {
                first.runs = document.runs;
                continue;
            }
            let part = document.part(&bytes);
            write(&part, &bytes)?;
            first.parts.push(part);
        }
        Ok(first)
    }

    /// Adds the contents of the first file and of the parts that it lists; `read` returns the bytes at a path.
    pub(super) fn read_parts(
        &mut self,
        first: &[u8],
        read: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
    ) -> Result<(), String> {
        let first = LedgerDocument::parse(first)?;
        self.run_folders = first.run_folders;
        self.withdrawn = first.withdrawn.into_owned();
        self.moved = first.moved.into_owned();
        self.addresses = first.addresses.into_owned();
        self.rules = first.rules.map(Cow::into_owned);
        self.builds = first.builds.into_owned();
        self.add_runs(first.runs);
        for part in first.parts {
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
            let more =
                LedgerDocument::parse(&bytes).map_err(|why| format!("its part {shown}: {why}"))?;
            self.builds.extend(more.builds.into_owned());
            self.add_runs(more.runs);
        }
        self.builds.sort_by_key(|build| Reverse(build.build));
        self.runs.sort_by(|a, b| a.run.id.cmp(&b.run.id));
        self.withdrawn.sort_by(|a, b| a.run.id.cmp(&b.run.id));
        Ok(())
    }

    fn add_runs(&mut self, runs: Vec<LedgerRunDocument>) {
        for published in runs {
            let mut digests = RunDigests {
                record: by_known_part(&published.record),
                files: published.files,
                annotations: published.annotations,
            };
            if published.quarantined {
                names::hide(&mut digests);
            }
            self.runs.push(Arc::new(LedgerRun {
                run: published.run,
                rating: published.rating,
                quarantined: published.quarantined,
                digests: PackedDigests::of(&digests),
            }));
        }
    }
}

impl LedgerRun {
    /// A run as the feed has it.
    pub(super) fn document(&self) -> LedgerRunDocument {
        let RunDigests {
            record,
            files,
            annotations,
        } = self.digests.unpack();
        LedgerRunDocument {
            run: self.run.clone(),
            rating: self.rating.clone(),
            quarantined: self.quarantined,
            record,
            files,
            annotations,
        }
    }
}

/// The runs in buckets by the digest of their id, so adding or removing a run changes one bucket.
fn buckets(runs: &[Arc<LedgerRun>]) -> Vec<Vec<&LedgerRun>> {
    let mut digits = 0;
    while runs.len() >> (4 * digits) > RUNS {
        digits += 1;
    }
    let mut buckets: BTreeMap<String, Vec<&LedgerRun>> = BTreeMap::new();
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
    use std::ops::Range;

    use super::*;

    fn named(number: usize) -> RunNames {
        RunNames {
            id: format!("run-{number:06}").into(),
            slug: format!("pong-{number:06}").into(),
            test_case_slug: "pong".into(),
            test_case_version: "1".into(),
            variant: None,
            harness_slug: "codex".into(),
            model_id: "lark-1".into(),
        }
    }

    fn published(number: usize) -> LedgerRunDocument {
        let digest = |name: &str| (name.to_owned(), format!("{number:010x}"));
        LedgerRunDocument {
            run: named(number),
            rating: None,
            quarantined: false,
            record: ["/id", "/finishedAt"].map(digest).into_iter().collect(),
            files: [digest("events.jsonl")].into_iter().collect(),
            annotations: BTreeMap::new(),
        }
    }

    fn build(number: u64, runs: usize) -> BuildChanges {
        BuildChanges {
            build: number,
            runs,
            added: (0..runs).map(named).collect(),
            ..BuildChanges::default()
        }
    }

    fn ledger(builds: u64, runs: usize) -> Ledger {
        let mut ledger = Ledger {
            builds: (1..=builds)
                .rev()
                .map(|number| build(number, 100))
                .collect(),
            ..Ledger::default()
        };
        add(&mut ledger, 0..runs);
        ledger
    }

    fn add(ledger: &mut Ledger, runs: Range<usize>) {
        ledger.add_runs(runs.map(published).collect());
    }

    /// The first file, and the parts with their bytes.
    fn written(ledger: &Ledger) -> (LedgerDocument<'_>, Vec<(LedgerPart, Vec<u8>)>) {
        let mut files = Vec::new();
        let write = |part: &LedgerPart, bytes: &[u8]| {
            files.push((part.clone(), bytes.to_vec()));
            Ok(())
        };
        let first = ledger.files(write, |error| error);
        (first.expect("JSON"), files)
    }

    fn parse(
        first: &LedgerDocument<'_>,
        files: &[(LedgerPart, Vec<u8>)],
    ) -> Result<Ledger, String> {
        let bytes = serde_json::to_vec(first).expect("JSON");
        let files: BTreeMap<_, _> = files
            .iter()
            .map(|(part, bytes)| (part.path.as_str(), bytes))
            .collect();
        let mut read = |path: &str| {
            let bytes = files.get(path).ok_or("is missing".to_owned())?;
            Ok((*bytes).clone())
        };
        Ledger::parse(&bytes, &mut read)
    }

    #[test]
    fn a_small_ledger_is_one_file_and_a_large_one_is_read_back_from_its_parts() {
        for (builds, runs) in [(3, 50), (120, 50), (3, 3_000), (200, 5_000)] {
            let whole = ledger(builds, runs);
            let (first, files) = written(&whole);
            assert_eq!(files.is_empty(), (builds, runs) == (3, 50));
            let size = serde_json::to_vec(&first).expect("JSON").len();
            assert!(size < 3 * FIRST_FILE + 10_000, "{size}");
            let read = parse(&first, &files).expect("a ledger");
            let runs = |ledger: &Ledger| {
                let runs = ledger.runs.iter().map(|run| run.document());
                runs.collect::<Vec<_>>()
            };
            assert_eq!(runs(&read), runs(&whole));
            let builds = |ledger: &Ledger| serde_json::to_vec(&ledger.builds).expect("JSON");
            assert_eq!(builds(&read), builds(&whole));
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
        add(&mut after, 5_000..5_001);
        let (before, after) = (names(&before), names(&after));
        assert!(before.difference(&after).count() <= 1);
        assert!(after.difference(&before).count() <= 2);
    }

    #[test]
    fn a_part_that_is_missing_changed_or_elsewhere_is_refused() {
        let whole = ledger(3, 3_000);
        let (first, mut files) = written(&whole);
        let refused = |first: &LedgerDocument<'_>, files: &[(LedgerPart, Vec<u8>)]| {
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
