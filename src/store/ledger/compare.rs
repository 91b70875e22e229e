//! Compares two states of an archive, and adds their differences to the ledger.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::links::RunFolders;
use formats::model::digests::Digests;
use formats::model::findings::{PackedDigests, RunDigests};

use super::{
    AddressOwners, AnnotationChanges, BuildChanges, FieldChange, Ledger, LedgerRun, RatingChange,
    RuleChange, RuleVersion, RunChange, RunNames, WithdrawnRun, names,
};

/// Maximum fields per run in the list of changes.
pub const FIELDS: usize = 50;

/// The runs of the build that the ledger gets an entry for.
#[derive(Debug)]
pub struct CurrentRuns {
    /// The layout of their folders.
    pub run_folders: RunFolders,
    /// The published runs.
    pub runs: Vec<Arc<LedgerRun>>,
    /// Ids of quarantined runs.
    pub quarantined: BTreeSet<String>,
    /// Whether there is a record without an id. It may be the record of any missing run.
    pub has_unnamed: bool,
    /// Owners of all addresses, except those of published runs.
    pub addresses: AddressOwners,
    /// Why runs were withdrawn, by id or slug.
    pub reasons: BTreeMap<String, String>,
    /// The rules of the site, by id.
    pub rules: BTreeMap<String, RuleVersion>,
}

/// A run whose record changed.
#[derive(Debug, Clone, Copy)]
pub struct RecordChange<'a> {
    /// The run in the previous build.
    pub old: &'a RunNames,
    pub old_digests: &'a Digests,
    pub new: &'a RunNames,
    pub new_digests: &'a Digests,
}

/// The ledger after a build. `fields` lists how the records of a run differ; it is called only if they do.
pub fn next(
    previous: Option<&Ledger>,
    now: CurrentRuns,
    fields: &dyn Fn(RecordChange<'_>) -> Vec<FieldChange>,
) -> Ledger {
    let CurrentRuns {
        run_folders,
        mut runs,
        quarantined,
        has_unnamed,
        addresses,
        reasons,
        rules,
    } = now;
    runs.sort_by(|a, b| a.run.id.cmp(&b.run.id));
    let empty = Ledger::default();
    let old = previous.unwrap_or(&empty);
    let mut next = Ledger {
        run_folders,
        runs,
        addresses: old.addresses.clone(),
        // A site that never had rules has none in its ledger.
        rules: (old.rules.is_some() || !rules.is_empty()).then(|| rules.clone()),
        ..Ledger::default()
    };
    next.addresses.extend(addresses);
    let mut build = BuildChanges {
        build: old.newest() + 1,
        runs: next.runs.len(),
        rules: rule_changes(old.rules.as_ref(), &rules),
        previous: old.head(),
        ..BuildChanges::default()
    };
    let gone: BTreeSet<&str> = old
        .withdrawn
        .iter()
        .map(|withdrawn| &*withdrawn.run.id)
        .collect();
    for run in &next.runs {
        let Some(before) = old.find(&run.run.id) else {
            // All runs of the first build are new.
            if previous.is_none() {
                continue;
            }
            let list = if gone.contains(&*run.run.id) {
                &mut build.returned
            } else {
                &mut build.added
            };
            list.push(run.run.clone());
            continue;
        };
        if Arc::ptr_eq(before, run) {
            continue;
        }
        if before.quarantined {
            build.returned.push(run.run.clone());
        }
        let change = change(before, run, fields);
        build.changed.extend(change);
    }
    let moved = moved(old, &next);
    let reason = |run: &RunNames| {
        let slugs = moved.values().filter(|moved| moved.id == run.id);
        let slugs = std::iter::once(run).chain(slugs).map(|run| &run.slug);
        let mut names = std::iter::once(&run.id).chain(slugs);
        names.find_map(|name| reasons.get(&**name)).cloned()
    };
    let withdrawn = old.withdrawn.iter();
    let mut withdrawn: Vec<WithdrawnRun> = withdrawn
        .filter(|withdrawn| next.find(&withdrawn.run.id).is_none())
        .cloned()
        .collect();
    let mut quarantined_runs = Vec::new();
    for before in &old.runs {
        let id = &before.run.id;
        if next.find(id).is_some() {
            continue;
        }
        let is_unnamed = has_unnamed && reason(&before.run).is_none();
        if quarantined.contains(&**id) || is_unnamed {
            if !before.quarantined {
                build.quarantined.push(before.run.clone());
            }
            quarantined_runs.push(quarantined_run(before));
        } else {
            build.withdrawn.push(before.run.clone());
            withdrawn.push(WithdrawnRun {
                run: before.run.clone(),
                reason: None,
            });
        }
    }
    for withdrawn in &mut withdrawn {
        withdrawn.reason = reason(&withdrawn.run);
    }
    withdrawn.sort_by(|a, b| a.run.id.cmp(&b.run.id));
    next.withdrawn = withdrawn;
    next.runs.extend(quarantined_runs);
    next.runs.sort_by(|a, b| a.run.id.cmp(&b.run.id));
    let mut builds = old.builds.clone();
    let state = next.state();
    let recorded = old.builds.first().and_then(|build| build.state.as_ref());
    let is_other = recorded.is_some_and(|recorded| *recorded != state);
    build.state = Some(state);
    if previous.is_none() || !build.is_empty() || is_other {
        builds.insert(0, build);
    }
    remove_values(&mut builds, &next);
    names::remove_unpublished(&mut builds, &next);
    let mut moved: Vec<RunNames> = moved.into_values().collect();
    rename(&mut builds, &mut moved, &next);
    (next.builds, next.moved) = (builds, moved);
    next
}

/// How the rules of a site changed. Those of a ledger that has none are not known.
fn rule_changes(
    before: Option<&BTreeMap<String, RuleVersion>>,
    after: &BTreeMap<String, RuleVersion>,
) -> Vec<RuleChange> {
    let Some(before) = before else {
        return Vec::new();
    };
    let ids: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let changes = ids.into_iter().map(|id| RuleChange {
        id: id.clone(),
        before: before.get(id).cloned(),
        after: after.get(id).cloned(),
    });
    changes.filter(|it| it.before != it.after).collect()
}

/// The entry of a quarantined run. It has the digests of the last build that published the run, so that the run's return shows
/// what changed.
fn quarantined_run(before: &Arc<LedgerRun>) -> Arc<LedgerRun> {
    if before.quarantined {
        return Arc::clone(before);
    }
    let mut digests = before.digests.unpack();
    names::hide(&mut digests);
    Arc::new(LedgerRun {
        quarantined: true,
        digests: PackedDigests::of(&digests),
        ..LedgerRun::clone(before)
    })
}

/// Removes the values of withdrawn runs.
fn remove_values(builds: &mut [BuildChanges], next: &Ledger) {
    let changes = builds.iter_mut().flat_map(|build| &mut build.changed);
    for change in changes.filter(|change| next.withdrawn_run(&change.run.id).is_some()) {
        for field in &mut change.fields {
            (field.before, field.after) = (None, None);
        }
    }
}

/// Gives each run the names that its record has now, so that a corrected name is repeated nowhere. Addresses stay the same, so
/// that links to them work.
fn rename(builds: &mut [BuildChanges], moved: &mut [RunNames], next: &Ledger) {
    let old = builds.iter_mut().flat_map(|build| {
        let lists = [
            &mut build.added,
            &mut build.returned,
            &mut build.withdrawn,
            &mut build.quarantined,
        ];
        let changed = build.changed.iter_mut().map(|change| &mut change.run);
        lists.into_iter().flatten().chain(changed)
    });
    for run in old.chain(moved) {
        if let Some(now) = next.last_names(&run.id) {
            let slug = std::mem::take(&mut run.slug);
            *run = RunNames {
                slug,
                ..now.clone()
            };
        }
    }
}

/// The former addresses of runs, by slug, without addresses that their runs have again.
fn moved(old: &Ledger, next: &Ledger) -> BTreeMap<Arc<str>, RunNames> {
    let owners = old.owners();
    let withdrawn = old.withdrawn.iter().map(|withdrawn| &withdrawn.run);
    let published = old.runs.iter().map(|known| &known.run);
    let moved_now = withdrawn.chain(published).filter(|was| {
        let now = next.find(&was.id);
        now.is_some_and(|now| now.run.slug != was.slug) && owners.get(&*was.slug) == Some(&&*was.id)
    });
    let mut moved: BTreeMap<Arc<str>, RunNames> = old
        .moved
        .iter()
        .chain(moved_now)
        .map(|was| (was.slug.clone(), was.clone()))
        .collect();
    for known in &next.runs {
        moved.remove(&known.run.slug);
    }
    moved
}

fn change(
    before: &LedgerRun,
    after: &LedgerRun,
    fields: &dyn Fn(RecordChange<'_>) -> Vec<FieldChange>,
) -> Option<RunChange> {
    let mut change = RunChange {
        run: after.run.clone(),
        moved_from: (before.run.slug != after.run.slug).then(|| before.run.slug.clone()),
        rating: (before.rating != after.rating).then(|| RatingChange {
            before: before.rating.clone(),
            after: after.rating.clone(),
        }),
        ..RunChange::default()
    };
    if before.quarantined || before.digests != after.digests {
        let (mut old, new) = (before.digests.unpack(), after.digests.unpack());
        if before.quarantined {
            names::reveal(&mut old, &new);
        }
        change.add(before, &old, &new, fields);
    }
    let is_empty = change.moved_from.is_none()
        && change.fields.is_empty()
        && change.files.is_empty()
        && change.rating.is_none()
        && change.annotations.is_empty();
    (!is_empty).then_some(change)
}

impl RunChange {
    /// Adds the differences of the digests of a run.
    fn add(
        &mut self,
        before: &LedgerRun,
        old: &RunDigests,
        new: &RunDigests,
        fields: &dyn Fn(RecordChange<'_>) -> Vec<FieldChange>,
    ) {
        if old.record != new.record {
            self.fields = fields(RecordChange {
                old: &before.run,
                old_digests: &old.record,
                new: &self.run,
                new_digests: &new.record,
            });
            self.more_fields = self.fields.len().saturating_sub(FIELDS);
            self.fields.truncate(FIELDS);
        }
        let (added, changed, withdrawn) = difference(&old.annotations, &new.annotations);
        self.annotations = AnnotationChanges {
            added,
            changed,
            withdrawn,
            ..AnnotationChanges::default()
        };
        let (added, changed, removed) = difference(&old.files, &new.files);
        self.files = [added, changed, removed].concat();
        self.files.sort();
    }
}

/// New names, names with a different digest, and missing names.
pub(super) fn difference(
    before: &Digests,
    after: &Digests,
) -> (Vec<String>, Vec<String>, Vec<String>) {
    let (mut added, mut changed) = (Vec::new(), Vec::new());
    for (name, digest) in after {
        match before.get(name) {
            None => added.push(name.clone()),
            Some(old) if old != digest => changed.push(name.clone()),
            Some(_) => {}
        }
    }
    let gone = before.keys().filter(|name| !after.contains_key(*name));
    (added, changed, gone.cloned().collect())
}
