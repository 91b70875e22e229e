//! The rules across runs: unique ids, and unique addresses.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::diagnostics::text::quoted;
use crate::diagnostics::{Diagnostic, Place, codes};
use crate::links::{RunFolders, Slug};
use crate::model::archive::{Archive, GroupBy};
use crate::model::run::Run;
use crate::model::slug::{run_slug, short_id, slugify, with_hash};
use crate::model::time::Moment;

/// A run that may become part of the archive.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The run, shared because an archive may be assembled more than once.
    pub run: Arc<Run>,
    /// Index of its directory among those discovered.
    pub directory: usize,
}

/// Duplicate ids: an error for each run except the first by path. `path` returns the path of a run's directory in diagnostics,
/// and `id_place` the place of its id.
/// `id_place` says where its id is.
pub fn duplicate_ids<'a>(
    candidates: impl IntoIterator<Item = &'a Candidate>,
    path: impl Fn(&Candidate) -> &'a str,
    id_place: impl Fn(&Candidate) -> Place,
) -> Vec<(usize, Diagnostic)> {
    let mut first: BTreeMap<&str, &Candidate> = BTreeMap::new();
    let mut problems = Vec::new();
    for candidate in candidates {
        let id = &*candidate.run.id;
        match first.get(id) {
            Some(other) => problems.push((
                candidate.directory,
                codes::ARCHIVE_DUPLICATE_RUN_ID
                    .at(
                        id_place(candidate),
                        format!(
                            "Duplicate run id {}, also in {}",
                            quoted(id),
                            quoted(path(other))
                        ),
                        "Remove one of the two folders, or correct the id.",
                    )
                    .of_run(id),
            )),
            None => {
                first.insert(id, candidate);
            }
        }
    }
    problems
}

/// Sorts the runs and assigns all addresses; collisions are notes. `id_place` returns the place of a run's id.
pub fn assemble(
    mut candidates: Vec<Candidate>,
    run_folders: RunFolders,
    id_place: impl Fn(&Candidate) -> Place,
) -> (Archive, Vec<Diagnostic>) {
    let mut notes = Vec::new();
    let slugs = run_slugs(&candidates, id_place, &mut notes);
    let mut named: Vec<_> = candidates.drain(..).zip(slugs).collect();
    named.sort_by(|(a, _), (b, _)| {
        // Runs without a time come last, by id.
        let times = |run: &Run| [run.recency(), run.started.as_ref()].map(|at| at.map(Moment::ms));
        (times(&b.run), &a.run.id).cmp(&(times(&a.run), &b.run.id))
    });
    let mut names: BTreeMap<(GroupBy, String), String> = BTreeMap::new();
    for group_by in GroupBy::ALL {
        let all: BTreeSet<String> = named
            .iter()
            .map(|(candidate, _)| group_by.name(&candidate.run).to_owned())
            .collect();
        group_slugs(group_by, all, &mut names, &mut notes);
    }
    let runs = named
        .into_iter()
        .map(|(c, slug)| (c.run, Slug::new(&slug, run_folders), c.directory))
        .collect();
    let slug_of = |group_by: GroupBy, name: &str| {
        names
            .get(&(group_by, name.to_owned()))
            .cloned()
            .unwrap_or_default()
    };
    (Archive::new(runs, &slug_of), notes)
}

/// The run that started first (on a tie, with the smaller id) keeps the short address, others get their whole id.
fn run_slugs(
    candidates: &[Candidate],
    id_place: impl Fn(&Candidate) -> Place,
    notes: &mut Vec<Diagnostic>,
) -> Vec<String> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|&i| {
        let run = &candidates[i].run;
        let started = run.started.as_ref().map(Moment::ms);
        (started.is_none(), started, &*run.id)
    });
    // `page` is the folder for further pages of the list of runs.
    let mut taken: BTreeSet<String> = BTreeSet::from(["page".to_owned(), String::new()]);
    let mut slugs = vec![String::new(); candidates.len()];
    for index in order {
        let candidate = &candidates[index];
        let (run, subject) = (&candidate.run, &candidate.run.subject);
        let make = |id: &str| run_slug(&subject.case, &subject.harness, subject.model(), id);
        let short = make(short_id(&run.id));
        let slug = if taken.contains(&short) {
            let whole = make(&run.id);
            let slug = if taken.contains(&whole) {
                with_hash(&whole, &run.id)
            } else {
                whole
            };
            notes.push(codes::ARCHIVE_SLUG_COLLISION.at(
                id_place(candidate),
                format!("The address {} is taken, so this run gets {}", quoted(&short), quoted(&slug)),
                "No action needed; ids that differ in their first 8 characters get shorter addresses.",
            ).of_run(&run.id));
            slug
        } else {
            short
        };
        taken.insert(slug.clone());
        slugs[index] = slug;
    }
    slugs
}

fn group_slugs(
    group_by: GroupBy,
    names: BTreeSet<String>,
    into: &mut BTreeMap<(GroupBy, String), String>,
    notes: &mut Vec<Diagnostic>,
) {
    let word = group_by.word();
    let mut taken = BTreeSet::from([String::new()]);
    for name in names {
        let plain = slugify(&name);
        let slug = if taken.contains(&plain) {
            with_hash(&plain, &name)
        } else {
            plain.clone()
        };
        if slug != plain {
            notes.push(codes::ARCHIVE_SLUG_COLLISION.at(
                Place::file(group_by.folder()),
                format!("The {word} {} gets the address {}, because its plain address is taken or empty", quoted(&name), quoted(&slug)),
                "No action needed; names that differ in letters and digits get plain addresses.",
            ));
        }
        taken.insert(slug.clone());
        into.insert((group_by, name), slug);
    }
}
