//! The rules across runs: unique ids, and unique addresses.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::diagnostics::text::quoted;
use base::diagnostics::{Diagnostic, Place, codes};
use base::links::{RunFolders, Slug};
use formats::model::archive::{Archive, GroupBy, GroupText};
use formats::model::run::Run;
use formats::model::slug::{self, slugify};
use formats::model::time::Moment;
use store::ledger::Ledger;

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

/// Sorts the runs and assigns all addresses; collisions are notes. An address that the ledger of the `previous` site has
/// stays with its run. `id_place` returns the place of a run's id, `text_of_case` the text of a case by its address.
pub fn assemble(
    candidates: Vec<Candidate>,
    previous: Option<&Ledger>,
    run_folders: RunFolders,
    id_place: impl Fn(&Candidate) -> Place,
    text_of_case: &dyn Fn(&str) -> GroupText,
) -> (Archive, Vec<Diagnostic>) {
    let empty = Ledger::default();
    let previous = previous.unwrap_or(&empty);
    let mut notes = Vec::new();
    let slugs = run_slugs(&candidates, previous, id_place, &mut notes);
    let mut named: Vec<_> = candidates.into_iter().zip(slugs).collect();
    named.sort_by(|(a, _), (b, _)| {
        // The newest run comes first, and runs without a time come last. Ties are decided by id.
        let times = |run: &Run| [run.recency(), run.started.as_ref()].map(|at| at.map(Moment::ms));
        (times(&b.run), &a.run.id).cmp(&(times(&a.run), &b.run.id))
    });
    let mut group_slugs = BTreeMap::new();
    for group_by in GroupBy::ALL {
        let names = named
            .iter()
            .map(|(candidate, _)| group_by.name(&candidate.run));
        let slugs = previous.addresses.choose_slugs(group_by, &names.collect());
        note_name_collisions(group_by, &slugs, &mut notes);
        group_slugs.insert(group_by, slugs);
    }
    let runs = named
        .into_iter()
        .map(|(c, slug)| (c.run, Slug::new(&slug, run_folders), c.directory))
        .collect();
    let slug_of = |group_by: GroupBy, name: &str| {
        let slug = group_slugs.get(&group_by).and_then(|slugs| slugs.get(name));
        slug.cloned().unwrap_or_default()
    };
    (Archive::new(runs, &slug_of, text_of_case), notes)
}

/// A run that the ledger knows keeps its address. Of new runs that would have the same address, the one that started first (on a
/// tie, with the smaller id) gets it, others get longer ones.
fn run_slugs(
    candidates: &[Candidate],
    previous: &Ledger,
    id_place: impl Fn(&Candidate) -> Place,
    notes: &mut Vec<Diagnostic>,
) -> Vec<String> {
    let owners = previous.owners();
    // `page` is the folder for further pages of the list of runs.
    let is_free = |slug: &str| !matches!(slug, "" | "page");
    let is_of = |slug: &str, id: &str| match owners.get(slug) {
        Some(owner) => Some(*owner == id),
        None => previous.addresses.is_of_run(slug, id),
    };
    let mut slugs: Vec<Option<String>> = candidates
        .iter()
        .map(|candidate| known_slug(&candidate.run, previous, &is_of))
        .collect();
    let mut new: Vec<usize> = (0..candidates.len())
        .filter(|index| slugs[*index].is_none())
        .collect();
    new.sort_by_key(|&i| {
        let run = &candidates[i].run;
        let started = run.started.as_ref().map(Moment::ms);
        (started.is_none(), started, &*run.id)
    });
    let mut taken: BTreeMap<String, &str> = BTreeMap::new();
    for index in new {
        let run = &candidates[index].run;
        let mut slugs_by_length = slug::run_slugs(&subject_slug(run), &run.id).into_iter();
        let slug = slugs_by_length.find(|slug| {
            is_free(slug) && is_of(slug, &run.id).is_none() && !taken.contains_key(slug)
        });
        let slug = slug.unwrap_or_default();
        taken.insert(slug.clone(), &run.id);
        slugs[index] = Some(slug);
    }
    let mut assigned = Vec::with_capacity(slugs.len());
    for (candidate, slug) in candidates.iter().zip(slugs) {
        let (run, slug) = (&candidate.run, slug.unwrap_or_default());
        let [short, ..] = slug::run_slugs(&subject_slug(run), &run.id);
        let is_of_another = || {
            let owner = taken.get(&short).map(|owner| *owner == &*run.id);
            owner.or_else(|| is_of(&short, &run.id)) == Some(false)
        };
        if slug != short && (!is_free(&short) || is_of_another()) {
            notes.push(codes::ARCHIVE_SLUG_COLLISION.at(
                id_place(candidate),
                format!("The address {} is taken, so this run gets {}", quoted(&short), quoted(&slug)),
                "No action needed: the run keeps this address. Ids that are UUIDs of version 4 hardly ever collide.",
            ).of_run(&run.id));
        }
        assigned.push(slug);
    }
    assigned
}

fn subject_slug(run: &Run) -> String {
    let subject = &run.subject;
    slug::subject_slug(&subject.case, &subject.harness, subject.model())
}

/// The address that a run had before, if it has the same case, harness and model again.
fn known_slug(
    run: &Run,
    previous: &Ledger,
    is_of: &dyn Fn(&str, &str) -> Option<bool>,
) -> Option<String> {
    let is_own = |slug: &str| is_of(slug, &run.id) == Some(true);
    let subject = subject_slug(run);
    if let Some(last) = previous.last_names(&run.id) {
        let before = slug::subject_slug(&last.test_case_slug, &last.harness_slug, &last.model_id);
        if before == subject && is_own(&last.slug) {
            return Some(last.slug.to_string());
        }
    } else if previous.addresses.is_empty() {
        return None;
    }
    let former = slug::legacy_run_slug(&subject, &run.id);
    let mut all = slug::run_slugs(&subject, &run.id)
        .into_iter()
        .chain([former]);
    all.find(|slug| is_own(slug))
}

fn note_name_collisions(
    group_by: GroupBy,
    slugs: &BTreeMap<String, String>,
    notes: &mut Vec<Diagnostic>,
) {
    let word = group_by.word();
    for (name, slug) in slugs {
        if *slug != slugify(name) {
            notes.push(codes::ARCHIVE_SLUG_COLLISION.at(
                Place::file(group_by.folder()),
                format!("The {word} {} gets the address {}, because its plain address is taken or empty", quoted(name), quoted(slug)),
                "No action needed; names that differ in letters and digits get plain addresses.",
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use base::diagnostics::Source;
    use formats::model::findings::PackedDigests;
    use formats::model::run;
    use formats::run_record;
    use store::ledger::{self, CurrentRuns, LedgerRun, RunNames};

    const RECORD: &str = r#"{"id": "r", "startedAt": "2026-03-01T10:00:00Z", "finishedAt": "2026-03-01T10:10:00Z",
        "subject": {"testCaseSlug": "pong", "testCaseVersion": "v1", "harnessSlug": "codex", "modelId": "a/b"},
        "metrics": {"runTimeSeconds": 1}, "validation": {"loaded": true}, "status": {"state": "completed"}}"#;
    /// Two models of which the slugs are the same, and another one.
    const MODELS: [&str; 3] = ["open/gpt-5.4", "open-gpt-5-4", "lark"];

    fn below(random: &mut u64, end: usize) -> usize {
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        let end = u64::try_from(end).expect("a number");
        usize::try_from(random.wrapping_mul(0x2545_f491_4f6c_dd1d) % end).expect("a number")
    }

    /// Ids of eight shapes. Those of one shape have a common beginning, or the same slug.
    fn id(shape: usize, number: usize) -> String {
        match shape {
            0 => format!("019f9000-{number:04x}-7000-8000-00000000000{number}"),
            1 => format!("2026-03-0{number}-nightly"),
            2 => format!("run-00{number}"),
            3 => ["Run 1", "run-1", "run_1", "RUN 1"][number].to_owned(),
            4 => format!("4f1c2d3e-{number}"),
            5 => format!("01J8XYZABCDEFGHJKMNPQRSTV{number}"),
            6 => format!("the-experiment-of-the-first-of-march-{number}"),
            _ => format!("{number}a3b1e00-0000-4000-8000-000000000001"),
        }
    }

    /// The model, the start and the state of a run in the content.
    #[derive(Debug, Clone, Copy)]
    struct Content {
        model: usize,
        started: usize,
        is_quarantined: bool,
    }

    /// A site over many builds.
    struct SiteModel {
        template: Run,
        content: BTreeMap<String, Content>,
        ledger: Option<Ledger>,
        /// The owner of each address that ever had a page.
        shown: BTreeMap<String, String>,
    }

    impl SiteModel {
        fn new() -> Self {
            let (parsed, _) = run_record::parse(Source::file("run-record.json", RECORD.as_bytes()));
            let record = parsed.expect("a record").record;
            Self {
                template: run::from_record(&record).expect("a run"),
                content: BTreeMap::new(),
                ledger: None,
                shown: BTreeMap::new(),
            }
        }

        fn candidate(&self, id: &str, content: Content) -> Candidate {
            let mut run = self.template.clone();
            run.id = id.into();
            run.started = Moment::parse(&format!("2026-03-01T10:{:02}:00Z", content.started));
            let mut subject = (*run.subject).clone();
            subject.model = Some(MODELS[content.model].into());
            run.subject = Arc::new(subject);
            Candidate {
                run: Arc::new(run),
                directory: 0,
            }
        }

        fn assemble(&self, is_backwards: bool) -> (Archive, Vec<String>) {
            let runs = self.content.iter();
            let runs = runs.filter(|(_, content)| !content.is_quarantined);
            let mut runs: Vec<_> = runs.map(|(id, it)| self.candidate(id, *it)).collect();
            if is_backwards {
                runs.reverse();
            }
            let place = |_: &Candidate| Place::file("content");
            let ledger = self.ledger.as_ref();
            let (archive, notes) = assemble(runs, ledger, RunFolders::Flat, place, &|_| {
                GroupText::default()
            });
            let mut notes: Vec<_> = notes.into_iter().map(|note| note.message).collect();
            notes.sort();
            (archive, notes)
        }

        /// Builds the site, and checks that each address is of one run and stays.
        fn build(&mut self, what: &str) {
            let (archive, notes) = self.assemble(false);
            let slugs = |archive: &Archive| -> Vec<String> {
                archive
                    .runs
                    .iter()
                    .map(|entry| entry.slug.to_string())
                    .collect()
            };
            let (backwards, _) = self.assemble(true);
            assert_eq!(
                slugs(&archive),
                slugs(&backwards),
                "{what}: the order of folders"
            );
            let ledger_run = |run: &Run, slug: &Slug| LedgerRun {
                run: RunNames {
                    id: Arc::clone(&run.id),
                    slug: slug.shared(),
                    test_case_slug: Arc::clone(&run.subject.case),
                    test_case_version: "v1".into(),
                    variant: None,
                    harness_slug: Arc::clone(&run.subject.harness),
                    model_id: run.subject.model().into(),
                },
                rating: None,
                quarantined: false,
                digests: PackedDigests::default(),
            };
            let runs = archive.runs.iter();
            let runs = runs.map(|entry| Arc::new(ledger_run(&entry.run, &entry.slug)));
            let quarantined = self.content.iter();
            let quarantined = quarantined.filter(|(_, content)| content.is_quarantined);
            let mut addresses = ledger::AddressOwners::default();
            for group in &archive.models {
                addresses.add_name(GroupBy::Model, &group.slug, &group.name);
            }
            let now = CurrentRuns {
                run_folders: RunFolders::Flat,
                runs: runs.collect(),
                quarantined: quarantined.map(|(id, _)| id.clone()).collect(),
                has_unnamed: false,
                addresses,
                reasons: BTreeMap::new(),
                rules: BTreeMap::new(),
            };
            self.ledger = Some(ledger::next(self.ledger.as_ref(), now, &|_| Vec::new()));
            let (again, same_notes) = self.assemble(false);
            assert_eq!(slugs(&archive), slugs(&again), "{what}: built again");
            assert_eq!(notes, same_notes, "{what}: built again");
            let mut now = BTreeSet::new();
            for (slug, id) in self.ledger.as_ref().expect("a ledger").owners() {
                let owner = self.shown.entry(format!("runs/{slug}"));
                let owner = owner.or_insert_with(|| id.to_owned());
                assert_eq!(owner, id, "{what}: {slug} shows another run");
                now.insert(format!("runs/{slug}"));
            }
            for group in &archive.models {
                let owner = self.shown.entry(format!("models/{}", group.slug));
                let owner = owner.or_insert_with(|| group.name.clone());
                assert_eq!(*owner, group.name, "{what}: a page shows another model");
            }
            for address in self.shown.keys().filter(|it| it.starts_with("runs/")) {
                assert!(now.contains(address), "{what}: {address} disappeared");
            }
            let distinct: BTreeSet<String> = slugs(&archive).into_iter().collect();
            assert_eq!(distinct.len(), archive.runs.len(), "{what}");
        }
    }

    #[test]
    fn an_address_never_shows_two_runs_and_never_disappears() {
        for seed in 1..=2_000_u64 {
            let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mut site = SiteModel::new();
            for step in 0..8 {
                for _ in 0..=below(&mut random, 3) {
                    let id = id(below(&mut random, 8), below(&mut random, 4));
                    let model = below(&mut random, MODELS.len());
                    let started = below(&mut random, 60);
                    match below(&mut random, 4) {
                        0 => drop(site.content.remove(&id)),
                        1 => {
                            if let Some(content) = site.content.get_mut(&id)
                                && site
                                    .ledger
                                    .as_ref()
                                    .is_some_and(|it| it.find(&id).is_some())
                            {
                                content.is_quarantined = !content.is_quarantined;
                            }
                        }
                        _ => {
                            let content = site.content.entry(id).or_insert(Content {
                                model,
                                started,
                                is_quarantined: false,
                            });
                            content.model = model;
                        }
                    }
                }
                site.build(&format!("seed {seed}, step {step}"));
            }
        }
    }

    #[test]
    fn ids_with_a_common_beginning_do_not_collide() {
        for shape in [0, 1, 2, 3, 5, 6, 7] {
            let mut site = SiteModel::new();
            for number in 0..4 {
                let content = Content {
                    model: 2,
                    started: number,
                    is_quarantined: false,
                };
                site.content.insert(id(shape, number), content);
            }
            assert_eq!(site.assemble(false).1, [""; 0], "shape {shape}");
        }
    }
}
