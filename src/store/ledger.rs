//! The ledger, `feeds/changes.json`: what changed from build to build. It is a feed of the new site and, as a part of
//! the site that is replaced, an input of the next build.
//!
//! It holds no time and no name of a machine: the same previous ledger and the same content give the same bytes.

mod addresses;
mod chain;
mod compare;
mod fields;
mod names;
mod parts;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub use addresses::AddressOwners;
pub use compare::{CurrentRuns, RecordChange, next};
pub use fields::{by_digest, fields};
pub use parts::{LedgerDocument, LedgerPart};

use base::diagnostics::text::quoted;
use base::links::{self, RunFolders, Slug};
use base::shapes;
use formats::model::digests::Digests;
use formats::model::findings::PackedDigests;

/// The ledger's path from a site's root.
pub const PATH: &str = "feeds/changes.json";
/// The largest number that every reader of JSON holds exactly.
const NEWEST: u64 = (1 << 53) - 1;

/// What each build changed, and what the next one compares itself with. It is written as [`LedgerDocument`]s.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    /// Where the folders of runs are.
    pub run_folders: RunFolders,
    /// Changes by build, newest first.
    pub builds: Vec<BuildChanges>,
    /// Runs that are no longer published, by id.
    pub withdrawn: Vec<WithdrawnRun>,
    /// Former addresses of runs, by slug, each with the current names of its run.
    pub moved: Vec<RunNames>,
    /// Owners of the other addresses.
    pub addresses: AddressOwners,
    /// The rules of the site, by id; `None` if the ledger is from before it had them.
    pub rules: Option<BTreeMap<String, RuleVersion>>,
    /// The runs that it knows, by id.
    pub runs: Vec<Arc<LedgerRun>>,
}

/// Changes of one build.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Build")]
pub struct BuildChanges {
    /// Its number: 1 is the build that started the ledger.
    pub build: u64,
    /// How many runs the site had after it.
    pub runs: usize,
    /// New runs.
    #[serde(default)]
    pub added: Vec<RunNames>,
    /// Runs that returned after they were withdrawn or quarantined.
    #[serde(default)]
    pub returned: Vec<RunNames>,
    /// Withdrawn runs.
    #[serde(default)]
    pub withdrawn: Vec<RunNames>,
    /// Runs that are not published because their files have errors.
    #[serde(default)]
    pub quarantined: Vec<RunNames>,
    /// Changed runs.
    #[serde(default)]
    pub changed: Vec<RunChange>,
    /// Rules of the site that were added, changed or removed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rules: Vec<RuleChange>,
    /// Digest of the entry before; absent for the first entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "shapes::Blake3")]
    pub previous: Option<String>,
    /// Digest of `runs` after the build; absent in entries of earlier versions of runpress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "shapes::Blake3")]
    pub state: Option<String>,
}

/// A rule of the site that was added, changed or removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuleChange {
    /// Its id.
    #[schemars(with = "shapes::Name")]
    pub id: String,
    /// What it was; null if it is new.
    pub before: Option<RuleVersion>,
    /// What it is; null if it was removed.
    pub after: Option<RuleVersion>,
}

/// A rule as a build had it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuleVersion {
    /// The version of its file; absent if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// BLAKE3 of everything that decides what it finds, and what readers see of it.
    #[schemars(with = "shapes::Blake3")]
    pub digest: String,
}

/// Names of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Named")]
pub struct RunNames {
    /// The id of the record.
    #[schemars(with = "shapes::Name")]
    pub id: Arc<str>,
    /// Slug of the run, used in its address.
    pub slug: Arc<str>,
    /// Slug of the test case.
    pub test_case_slug: Arc<str>,
    /// Its version.
    pub test_case_version: Arc<str>,
    /// Variant of the test case; null if the record has none.
    pub variant: Option<Arc<str>>,
    /// Slug of the harness.
    pub harness_slug: Arc<str>,
    /// The model.
    pub model_id: Arc<str>,
}

/// Changes of a run.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Change")]
pub struct RunChange {
    /// The run.
    pub run: RunNames,
    /// Former slug, if it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<Arc<str>>,
    /// Fields of the record that differ: at most 50.
    #[serde(default)]
    pub fields: Vec<FieldChange>,
    /// Number of further changed fields.
    #[serde(default, skip_serializing_if = "is_default")]
    pub more_fields: usize,
    /// Files beside the record that differ, sidecars apart; `implementation/` where the published implementation differs. A
    /// file is named where the format gives its name, or where the published run has it now.
    #[serde(default)]
    pub files: Vec<String>,
    /// Number of further changed files, not named.
    #[serde(default, skip_serializing_if = "is_default")]
    pub more_files: usize,
    /// The rating of the review, if it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<RatingChange>,
    /// Annotations, by id.
    #[serde(default)]
    pub annotations: AnnotationChanges,
}

/// A field of a record that differs.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Field")]
pub struct FieldChange {
    /// JSON pointer into the record. Below an unrecognized key it ends at the nearest place that the format names; empty
    /// means the record itself.
    pub pointer: String,
    /// The old value, as written: a number, `true` or `false`, a time, or a word of a fixed list. Absent if there was none,
    /// if it is unknown, and for all free text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Box<RawValue>>,
    /// The new value, under the same rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Box<RawValue>>,
}

/// A changed rating; null means unrated.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Rerated")]
pub struct RatingChange {
    /// The old rating.
    pub before: Option<String>,
    /// The new rating.
    pub after: Option<String>,
}

/// Ids of annotations that the published run has now; ids of further tapes begin with the name of the tape and a `#`.
/// All others are only counted.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Annotations")]
pub struct AnnotationChanges {
    /// Ids of new annotations.
    #[serde(default)]
    pub added: Vec<String>,
    /// Ids of changed annotations.
    #[serde(default)]
    pub changed: Vec<String>,
    /// Ids of withdrawn annotations.
    #[serde(default)]
    pub withdrawn: Vec<String>,
    /// Number of further new annotations.
    #[serde(default, skip_serializing_if = "is_default")]
    pub more_added: usize,
    /// Number of further changed annotations.
    #[serde(default, skip_serializing_if = "is_default")]
    pub more_changed: usize,
    /// Number of further withdrawn annotations.
    #[serde(default, skip_serializing_if = "is_default")]
    pub more_withdrawn: usize,
}

impl BuildChanges {
    /// The lists of runs, each with the word for its kind.
    pub fn lists(&self) -> [(&'static str, &[RunNames]); 4] {
        [
            ("added", &self.added),
            ("returned", &self.returned),
            ("withdrawn", &self.withdrawn),
            ("quarantined", &self.quarantined),
        ]
    }

    /// All runs in the entry.
    pub fn run_names(&self) -> impl Iterator<Item = &RunNames> {
        let changed = self.changed.iter().map(|change| &change.run);
        self.lists()
            .into_iter()
            .flat_map(|(_, runs)| runs)
            .chain(changed)
    }

    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty()
            && self.rules.is_empty()
            && self.lists().iter().all(|(_, runs)| runs.is_empty())
    }
}

impl RatingChange {
    /// `scuffed → great`
    pub fn text(&self) -> String {
        let word = |rating: &Option<String>| rating.clone().unwrap_or("no rating".to_owned());
        format!("{} → {}", word(&self.before), word(&self.after))
    }
}

impl AnnotationChanges {
    /// The lists of ids, each with the word for its kind and the number of ids that are only counted.
    pub fn lists(&self) -> [(&'static str, &[String], usize); 3] {
        [
            ("added", &self.added, self.more_added),
            ("changed", &self.changed, self.more_changed),
            ("withdrawn", &self.withdrawn, self.more_withdrawn),
        ]
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.lists()
            .iter()
            .all(|(_, ids, more)| ids.is_empty() && *more == 0)
    }
}

/// A run that is not published any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Withdrawn")]
pub struct WithdrawnRun {
    /// The run.
    pub run: RunNames,
    /// Reason from `withdrawn.toml`; null if it gives none.
    pub reason: Option<String>,
}

/// A run in the ledger, while a build works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerRun {
    pub run: RunNames,
    /// The rating of its review.
    pub rating: Option<String>,
    pub quarantined: bool,
    pub digests: PackedDigests,
}

/// Digests of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Known")]
pub struct LedgerRunDocument {
    /// The run.
    pub run: RunNames,
    /// The rating of its review.
    pub rating: Option<String>,
    /// Whether the run is quarantined. Its digests are then those of the last build that published it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub quarantined: bool,
    /// Digests of the fields of the record by JSON pointer, down to the keys of its keys. Unrecognized keys share one
    /// digest, at the nearest place that the format names. White space and the order of keys do not count.
    pub record: Digests,
    /// Digest of each file beside it, sidecars apart; `implementation/` is all files of a published implementation. While the
    /// run is quarantined, digests replace the names that people chose.
    pub files: Digests,
    /// Digest of each annotation, by id; by a digest of the id while the run is quarantined.
    pub annotations: Digests,
}

impl Ledger {
    /// All runs in the ledger, some more than once.
    pub fn run_names(&self) -> impl Iterator<Item = &RunNames> {
        let known = self.runs.iter().map(|known| &known.run);
        let withdrawn = self.withdrawn.iter().map(|withdrawn| &withdrawn.run);
        let built = self.builds.iter().flat_map(BuildChanges::run_names);
        known.chain(withdrawn).chain(built)
    }

    /// All runs whose addresses the pages of changes and of former addresses may link to.
    pub fn names_on_pages(&self) -> impl Iterator<Item = &RunNames> {
        let quarantined = self.runs.iter().filter(|known| known.quarantined);
        let quarantined = quarantined.map(|known| &known.run);
        let withdrawn = self.withdrawn.iter().map(|withdrawn| &withdrawn.run);
        let built = self.builds.iter().flat_map(BuildChanges::run_names);
        quarantined.chain(withdrawn).chain(built).chain(&self.moved)
    }

    pub fn page(&self, run: &RunNames) -> String {
        links::run(&Slug::new(&run.slug, self.run_folders))
    }

    /// Reads a ledger that an earlier build wrote; `read` returns the bytes of a part at its path. Drops all values that a ledger may
    /// not repeat.
    ///
    /// # Errors
    /// The reason that the ledger is invalid, as a clause.
    pub fn parse(
        bytes: &[u8],
        read: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
    ) -> Result<Self, String> {
        let mut ledger = Self::default();
        ledger.read_parts(bytes, read)?;
        let changes = ledger
            .builds
            .iter_mut()
            .flat_map(|build| &mut build.changed);
        for change in changes {
            let text =
                |value: &Option<Box<RawValue>>| value.as_ref().map(|raw| raw.get().to_owned());
            let fields = change.fields.iter().map(|known| {
                let (before, after) = (text(&known.before), text(&known.after));
                fields::field(&known.pointer, before.as_deref(), after.as_deref())
            });
            change.fields = fields::merged(fields.collect());
        }
        let runs = ledger.runs.iter().map(|known| &known.run);
        let gone = ledger.withdrawn.iter().map(|withdrawn| &withdrawn.run);
        // Pages are written at these addresses.
        let mut addresses = runs.clone().chain(gone.clone()).chain(&ledger.moved);
        if let Some(run) = addresses.find(|run| !is_slug(&run.slug)) {
            return Err(format!("{} is not the slug of a run", quoted(&run.slug)));
        }
        let mut ids = BTreeSet::new();
        if let Some(run) = runs.chain(gone).find(|run| !ids.insert(&run.id)) {
            return Err(format!("duplicate run {}", quoted(&run.id)));
        }
        if ledger.newest() > NEWEST {
            return Err(format!(
                "`{}` is not the number of a build",
                ledger.newest()
            ));
        }
        if ledger.addresses.is_empty() {
            let mut addresses = AddressOwners::default();
            addresses.add_unlisted(&ledger.runs.iter().map(|known| &known.run));
            addresses.add_unlisted(&ledger.withdrawn.iter().map(|gone| &gone.run));
            ledger.addresses = addresses;
        }
        let mut builds = std::mem::take(&mut ledger.builds);
        names::remove_unpublished(&mut builds, &ledger);
        ledger.builds = builds;
        Ok(ledger)
    }

    pub fn find(&self, id: &str) -> Option<&Arc<LedgerRun>> {
        let at = self.runs.binary_search_by(|known| (*known.run.id).cmp(id));
        self.runs.get(at.ok()?)
    }

    pub fn withdrawn_run(&self, id: &str) -> Option<&WithdrawnRun> {
        let order = |gone: &WithdrawnRun| (*gone.run.id).cmp(id);
        self.withdrawn
            .get(self.withdrawn.binary_search_by(order).ok()?)
    }

    /// Drops the runs, which only the next comparison needs.
    pub fn drop_runs(&mut self) {
        self.runs = Vec::new();
    }

    /// The number of the newest entry; 0 when there is none.
    pub fn newest(&self) -> u64 {
        self.builds.first().map_or(0, |build| build.build)
    }

    pub fn has_same_content(&self, other: &Self) -> bool {
        // Values are raw JSON, which can only be compared as text.
        let builds = |ledger: &Self| {
            let mut digest = blake3::Hasher::new();
            serde_json::to_writer(&mut digest, &ledger.builds).ok()?;
            Some(digest.finalize())
        };
        self.runs == other.runs
            && self.withdrawn == other.withdrawn
            && self.moved == other.moved
            && self.addresses == other.addresses
            && self.rules == other.rules
            && builds(self) == builds(other)
    }
}

fn is_slug(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
