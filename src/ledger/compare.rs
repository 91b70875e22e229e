//! How two states of an archive differ, and what that adds to the ledger.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::links::RunFolders;
use crate::model::digests::Digests;

use super::{Annotations, Build, Change, Field, Known, Ledger, Named, Rerated, Withdrawn, names};

/// Fields of one run that are listed.
pub const FIELDS: usize = 50;

/// The result of a build.
#[derive(Debug, Default)]
pub struct CurrentRuns {
    /// Where their folders are.
    pub run_folders: RunFolders,
    /// The published runs.
    pub runs: Vec<Arc<Known>>,
    /// Ids of runs that are there and are not published, because their files have errors.
    pub quarantined: BTreeSet<String>,
    /// Whether there is a record that does not even say whose it is: it may be of any run that is missing.
    pub has_unnamed: bool,
    /// Why runs were withdrawn, by id or slug.
    pub reasons: BTreeMap<String, String>,
}

/// The ledger after a build. `fields` tells how the records of a run differ, before and after; it is only asked when they do.
pub fn next(
    previous: Option<&Ledger>,
    now: CurrentRuns,
    fields: &dyn Fn(&Known, &Known) -> Vec<Field>,
) -> Ledger {
    let CurrentRuns {
        run_folders,
        mut runs,
        quarantined,
        has_unnamed,
        reasons,
    } = now;
    runs.sort_by(|a, b| a.run.id.cmp(&b.run.id));
    let empty = Ledger::empty();
    let old = previous.unwrap_or(&empty);
    let mut build = Build {
        build: old.newest() + 1,
        runs: runs.len(),
        added: Vec::new(),
        returned: Vec::new(),
        withdrawn: Vec::new(),
        quarantined: Vec::new(),
        changed: Vec::new(),
    };
    let known: BTreeMap<&str, &Known> = old
        .runs
        .iter()
        .map(|known| (&*known.run.id, &**known))
        .collect();
    let gone: BTreeSet<&str> = old
        .withdrawn
        .iter()
        .map(|withdrawn| &*withdrawn.run.id)
        .collect();
    for run in &runs {
        let Some(before) = known.get(&*run.run.id) else {
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
        if before.quarantined {
            build.returned.push(run.run.clone());
        }
        build.changed.extend(change(before, run, fields));
    }
    let moved = moved(old, &runs, &known);
    let reason = |run: &Named| {
        let slugs = moved.values().filter(|moved| moved.id == run.id);
        let slugs = std::iter::once(run).chain(slugs).map(|run| &run.slug);
        let mut names = std::iter::once(&run.id).chain(slugs);
        names.find_map(|name| reasons.get(&**name)).cloned()
    };
    let present: BTreeSet<Arc<str>> = runs.iter().map(|run| run.run.id.clone()).collect();
    let mut withdrawn: Vec<Withdrawn> = old
        .withdrawn
        .iter()
        .filter(|withdrawn| !present.contains(&withdrawn.run.id))
        .cloned()
        .collect();
    for before in &old.runs {
        let id = &before.run.id;
        if present.contains(id) {
            continue;
        }
        let is_unnamed = has_unnamed && reason(&before.run).is_none();
        if quarantined.contains(&**id) || is_unnamed {
            if !before.quarantined {
                build.quarantined.push(before.run.clone());
            }
            // What it was like is remembered, so that its return shows what was done to it.
            let mut aside = Known {
                quarantined: true,
                ..Known::clone(before)
            };
            names::hide(&mut aside);
            runs.push(Arc::new(aside));
        } else {
            build.withdrawn.push(before.run.clone());
            withdrawn.push(Withdrawn {
                run: before.run.clone(),
                reason: None,
            });
        }
    }
    for withdrawn in &mut withdrawn {
        withdrawn.reason = reason(&withdrawn.run);
    }
    withdrawn.sort_by(|a, b| a.run.id.cmp(&b.run.id));
    runs.sort_by(|a, b| a.run.id.cmp(&b.run.id));
    let mut builds = old.builds.clone();
    if previous.is_none() || !build.is_empty() {
        builds.insert(0, build);
    }
    forget(&mut builds, &withdrawn);
    names::forget_gone(&mut builds, &runs);
    let mut moved: Vec<Named> = moved.into_values().collect();
    rename(&mut builds, &mut moved, &runs, &withdrawn);
    Ledger {
        run_folders,
        builds,
        withdrawn,
        moved,
        runs,
        ..empty
    }
}

/// The values of a withdrawn run are not repeated any more.
fn forget(builds: &mut [Build], withdrawn: &[Withdrawn]) {
    let gone: BTreeSet<&str> = withdrawn.iter().map(|gone| &*gone.run.id).collect();
    let changes = builds.iter_mut().flat_map(|build| &mut build.changed);
    for change in changes.filter(|change| gone.contains(&*change.run.id)) {
        for field in &mut change.fields {
            (field.before, field.after) = (None, None);
        }
    }
}

/// A run goes by the names that its record has now: a name that was corrected is repeated nowhere. Addresses stay as they were,
/// so that links to them go on.
fn rename(builds: &mut [Build], moved: &mut [Named], runs: &[Arc<Known>], withdrawn: &[Withdrawn]) {
    let gone = withdrawn.iter().map(|gone| &gone.run);
    let named: BTreeMap<&str, &Named> = gone
        .chain(runs.iter().map(|known| &known.run))
        .map(|run| (&*run.id, run))
        .collect();
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
        if let Some(now) = named.get(&*run.id) {
            let slug = std::mem::take(&mut run.slug);
            *run = Named {
                slug,
                ..(*now).clone()
            };
        }
    }
}

/// The addresses that runs have left, by slug. One that a run has again, the same or another, is no longer left.
fn moved(
    old: &Ledger,
    runs: &[Arc<Known>],
    known: &BTreeMap<&str, &Known>,
) -> BTreeMap<Arc<str>, Named> {
    let slugs: BTreeMap<&str, &str> = runs
        .iter()
        .map(|run| (&*run.run.id, &*run.run.slug))
        .collect();
    // Whoever had an address last is whom it leads to.
    let withdrawn = old.withdrawn.iter().map(|withdrawn| &withdrawn.run);
    let published = known.values().map(|known| &known.run);
    let left = withdrawn.chain(published).filter(|was| {
        let now = slugs.get(&*was.id);
        now.is_some_and(|now| *now != &*was.slug)
    });
    let mut moved: BTreeMap<Arc<str>, Named> = old
        .moved
        .iter()
        .chain(left)
        .map(|was| (was.slug.clone(), was.clone()))
        .collect();
    for slug in slugs.values() {
        moved.remove(*slug);
    }
    moved
}

fn change(
    before: &Known,
    after: &Known,
    fields: &dyn Fn(&Known, &Known) -> Vec<Field>,
) -> Option<Change> {
    let mut fields = if before.record == after.record {
        Vec::new()
    } else {
        fields(before, after)
    };
    let more_fields = fields.len().saturating_sub(FIELDS);
    fields.truncate(FIELDS);
    let (added, changed, withdrawn) =
        difference(&names::annotations(before, after), &after.annotations);
    let annotations = Annotations {
        added,
        changed,
        withdrawn,
        ..Annotations::default()
    };
    let (added, changed, removed) = difference(&names::files(before, after), &after.files);
    let mut files = [added, changed, removed].concat();
    files.sort();
    let rating = (before.rating != after.rating).then(|| Rerated {
        before: before.rating.clone(),
        after: after.rating.clone(),
    });
    let moved_from = (before.run.slug != after.run.slug).then(|| before.run.slug.clone());
    let same = moved_from.is_none()
        && fields.is_empty()
        && files.is_empty()
        && rating.is_none()
        && annotations.is_empty();
    (!same).then(|| Change {
        run: after.run.clone(),
        moved_from,
        fields,
        more_fields,
        files,
        more_files: 0,
        rating,
        annotations,
    })
}

/// Names that are new, that have another digest, and that are gone.
pub(super) fn difference(
    before: &Digests,
    after: &Digests,
) -> (Vec<String>, Vec<String>, Vec<String>) {
    let (mut added, mut changed) = (Vec::new(), Vec::new());
    if before == after {
        return (added, changed, Vec::new());
    }
    for (name, digest) in after.iter() {
        match before.get(name) {
            None => added.push(name.to_owned()),
            Some(old) if old != digest => changed.push(name.to_owned()),
            Some(_) => {}
        }
    }
    let names = before.iter().map(|(name, _)| name);
    let gone = names.filter(|name| after.get(name).is_none());
    (added, changed, gone.map(str::to_owned).collect())
}
