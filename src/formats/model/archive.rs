//! The whole archive: its order, its addresses, and which runs belong together.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::outcome::Outcome;
use super::run::{Metric, Number, Run};
use super::slug::Labels;
use crate::decisions::{self, Decision};
use base::links::Slug;

/// All runs of the site, newest first, and the names they are grouped by.
#[derive(Debug, Default)]
pub struct Archive {
    /// Newest first; ties by id.
    pub runs: Vec<ArchiveEntry>,
    /// Cases by name.
    pub cases: Vec<ArchiveGroup>,
    /// Models by name.
    pub models: Vec<ArchiveGroup>,
    /// Harnesses by name.
    pub harnesses: Vec<ArchiveGroup>,
    ranges: BTreeMap<RangeKey, MetricRanges>,
    /// Positions in `runs`, by id.
    by_id: Vec<usize>,
}

/// A run and its place in the archive.
#[derive(Debug)]
pub struct ArchiveEntry {
    pub run: Arc<Run>,
    /// Its address.
    pub slug: Slug,
    /// Its label in lists: a part of its id that no other run has.
    pub label: String,
    /// Which of the discovered run directories it is in.
    pub directory: usize,
    /// Position in `cases`, `models`, `harnesses`.
    pub case: usize,
    pub model: usize,
    pub harness: usize,
    /// The next newer run of the same case.
    pub newer: Option<usize>,
    /// The next older run of the same case.
    pub older: Option<usize>,
    /// What the publishers of the site decided about it, in order.
    pub decisions: Vec<Arc<Decision>>,
}

/// The head of the site's text about a case.
#[derive(Debug, Clone, Default)]
pub struct GroupText {
    pub title: Option<Arc<str>>,
    /// What it is, in a sentence.
    pub description: Option<Arc<str>>,
}

/// A case, a model or a harness with its runs.
#[derive(Debug, Clone)]
pub struct ArchiveGroup {
    /// As the records write it.
    pub name: String,
    /// What a text of the site says about it.
    pub text: GroupText,
    /// Its address.
    pub slug: String,
    /// Positions in `runs`, newest first.
    pub runs: Vec<usize>,
}

/// Runs whose metrics are comparable: same case, version, variant, engine with its version, and orchestrator.
type RangeKey = ([Arc<str>; 3], [Option<Arc<str>>; 3]);

/// The smallest and largest value of a metric among comparable runs that report it in full.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricRange {
    pub min: Number,
    pub max: Number,
    /// How many runs report it.
    pub runs: usize,
}

/// The ranges of a comparable set.
#[derive(Debug, Clone, Default, Serialize)]
pub struct MetricRanges {
    /// In the order of [`Metric::ALL`].
    pub metrics: [Option<MetricRange>; Metric::ALL.len()],
    /// The runs, newest first; empty if there are more than [`MAX_PEERS`].
    pub peers: Arc<Vec<Peer>>,
}

/// A run of a comparable set: the pages of the others show its model and its metrics.
#[derive(Debug, Clone, Serialize)]
pub struct Peer {
    /// Its address.
    pub slug: Slug,
    /// Serialized as what the pages of the others show.
    #[serde(serialize_with = "write_peer")]
    pub run: Arc<Run>,
}

fn write_peer<S: Serializer>(run: &Run, to: S) -> Result<S::Ok, S::Error> {
    (run.subject.model(), &run.metrics).serialize(to)
}

/// Runs of a comparable set whose metrics are shown one by one; of more, readers see only the range.
const MAX_PEERS: usize = 24;

impl MetricRanges {
    /// The highest number of runs that a range covers, the run itself included; 0 without a range.
    pub fn runs(&self) -> usize {
        let ranges = self.metrics.iter().flatten();
        ranges.map(|range| range.runs).max().unwrap_or(0)
    }
}

impl ArchiveEntry {
    /// The decision because of which it does not count, if there is one.
    pub fn exclusion(&self) -> Option<&Decision> {
        decisions::exclusion(&self.decisions)
    }

    /// An outcome of the run as it counts: as recorded, or as decisions corrected it.
    pub fn corrected<'a>(&self, outcome: &'a Outcome) -> Cow<'a, Outcome> {
        let corrected = decisions::corrected(&self.decisions, outcome);
        corrected.map_or(Cow::Borrowed(outcome), Cow::Owned)
    }

    /// Position in [`Archive::groups`].
    pub const fn group(&self, by: GroupBy) -> usize {
        match by {
            GroupBy::Case => self.case,
            GroupBy::Model => self.model,
            GroupBy::Harness => self.harness,
        }
    }
}

impl Archive {
    /// Whether it has so few runs that each can have an optional file.
    pub const fn is_small(&self) -> bool {
        self.runs.len() < 2_000
    }

    /// Makes the archive of runs in order (newest first), each with its slug and directory.
    /// `slugs` gives a name its address within its grouping, `text_of_case` a case its text by its address.
    pub fn new(
        runs: Vec<(Arc<Run>, Slug, usize)>,
        slugs: &dyn Fn(GroupBy, &str) -> String,
        text_of_case: &dyn Fn(&str) -> GroupText,
    ) -> Self {
        let group = |group_by: GroupBy| {
            let mut members: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
            for (index, (run, ..)) in runs.iter().enumerate() {
                members.entry(group_by.name(run)).or_default().push(index);
            }
            members
                .into_iter()
                .map(|(name, runs)| {
                    let slug = slugs(group_by, name);
                    ArchiveGroup {
                        name: name.to_owned(),
                        text: match group_by {
                            GroupBy::Case => text_of_case(&slug),
                            _ => GroupText::default(),
                        },
                        slug,
                        runs,
                    }
                })
                .collect::<Vec<_>>()
        };
        let cases = group(GroupBy::Case);
        let models = group(GroupBy::Model);
        let harnesses = group(GroupBy::Harness);
        let position = |groups: &[ArchiveGroup], name: &str| {
            groups
                .binary_search_by(|group| group.name.as_str().cmp(name))
                .unwrap_or_default()
        };
        let labels = Labels::new(runs.iter().map(|(run, ..)| &*run.id));
        let labels: Vec<String> = runs.iter().map(|(run, ..)| labels.label(&run.id)).collect();
        let mut entries: Vec<ArchiveEntry> = runs
            .into_iter()
            .zip(labels)
            .map(|((run, slug, directory), label)| ArchiveEntry {
                case: position(&cases, &run.subject.case),
                model: position(&models, run.subject.model()),
                harness: position(&harnesses, &run.subject.harness),
                run,
                slug,
                label,
                directory,
                newer: None,
                older: None,
                decisions: Vec::new(),
            })
            .collect();
        for case in &cases {
            for pair in case.runs.windows(2) {
                entries[pair[0]].older = Some(pair[1]);
                entries[pair[1]].newer = Some(pair[0]);
            }
        }
        let mut by_id: Vec<usize> = (0..entries.len()).collect();
        by_id.sort_by(|a, b| entries[*a].run.id.cmp(&entries[*b].run.id));
        let mut archive = Self {
            by_id,
            runs: entries,
            cases,
            models,
            harnesses,
            ranges: BTreeMap::new(),
        };
        archive.ranges = archive.all_ranges();
        archive
    }

    fn all_ranges(&self) -> BTreeMap<RangeKey, MetricRanges> {
        let mut all: BTreeMap<RangeKey, MetricRanges> = BTreeMap::new();
        for entry in self.runs.iter().filter(|entry| self.has_range(entry)) {
            let ranges = all.entry(range_key(&entry.run)).or_default();
            ranges.add(&entry.run, &entry.slug);
        }
        for ranges in all.values_mut() {
            if ranges.peers.len() > MAX_PEERS {
                ranges.peers = Arc::default();
            }
        }
        all
    }

    /// Whether runs of its case are known to have had the same task: its record names the task, or the site has a text about
    /// it. Otherwise the case is only a name that was given on import.
    pub fn is_comparable(&self, entry: &ArchiveEntry) -> bool {
        !entry.run.case_is_given || self.cases[entry.case].text.title.is_some()
    }

    /// Whether its metrics are compared with those of others.
    fn has_range(&self, entry: &ArchiveEntry) -> bool {
        self.is_comparable(entry) && entry.exclusion().is_none()
    }

    /// Gives each run the decisions about it. A run that does not count is in no range.
    pub fn decide(&mut self, decisions: &[Arc<Decision>]) {
        if decisions.is_empty() {
            return;
        }
        for decision in decisions {
            if let Some(index) = self.position(&decision.run) {
                self.runs[index].decisions.push(Arc::clone(decision));
            }
        }
        self.ranges = self.all_ranges();
    }

    /// The run of this id.
    pub fn find(&self, id: &str) -> Option<&ArchiveEntry> {
        self.runs.get(self.position(id)?)
    }

    fn position(&self, id: &str) -> Option<usize> {
        let order = |index: &usize| self.runs[*index].run.id.as_ref().cmp(id);
        let found = self.by_id.binary_search_by(order).ok()?;
        self.by_id.get(found).copied()
    }

    /// The cases, models or harnesses.
    pub fn groups(&self, by: GroupBy) -> &[ArchiveGroup] {
        match by {
            GroupBy::Case => &self.cases,
            GroupBy::Model => &self.models,
            GroupBy::Harness => &self.harnesses,
        }
    }

    /// The ranges of the runs that are comparable with `entry`, itself included.
    pub fn ranges(&self, entry: &ArchiveEntry) -> Option<&MetricRanges> {
        let key = self.has_range(entry).then(|| range_key(&entry.run))?;
        self.ranges.get(&key)
    }
}

words! {
    /// What a group groups by, in the order of the site.
    GroupBy {
        Case = "case",
        Model = "model",
        Harness = "harness",
    }
}

impl GroupBy {
    /// The group that a run names.
    pub fn name(self, run: &Run) -> &str {
        match self {
            Self::Case => &run.subject.case,
            Self::Model => run.subject.model(),
            Self::Harness => &run.subject.harness,
        }
    }

    /// The folder in which their pages are, and in a content root their prose.
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Case => "cases",
            Self::Model => "models",
            Self::Harness => "harnesses",
        }
    }
}

fn range_key(run: &Run) -> RangeKey {
    let subject = &run.subject;
    (
        [&subject.case, &subject.engine, &subject.orchestrator].map(Arc::clone),
        [&subject.version, &subject.variant, &subject.engine_version].map(Clone::clone),
    )
}

impl MetricRanges {
    fn add(&mut self, run: &Arc<Run>, slug: &Slug) {
        if self.peers.len() <= MAX_PEERS {
            Arc::make_mut(&mut self.peers).push(Peer {
                slug: slug.clone(),
                run: Arc::clone(run),
            });
        }
        for (range, metric) in self.metrics.iter_mut().zip(Metric::ALL) {
            widen(range, run.metrics.exact(metric));
        }
    }
}

fn widen(range: &mut Option<MetricRange>, number: Option<&Number>) {
    let Some(number) = number else { return };
    match range {
        Some(range) => {
            range.runs += 1;
            if number.value() < range.min.value() {
                range.min = number.clone();
            }
            if number.value() > range.max.value() {
                range.max = number.clone();
            }
        }
        None => {
            *range = Some(MetricRange {
                min: number.clone(),
                max: number.clone(),
                runs: 1,
            });
        }
    }
}
