//! The parts of a merge: all are opened and checked before anything is written, then read run by run.

use crate::PROGRAM;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use rayon::prelude::*;

use crate::directories::{Directory, RunStatus};
use crate::gather::SiteContent;
use crate::run::SiteOutput;
use crate::site::Site;
use crate::summary::{RunPieces, RunSummary};
use base::diagnostics::{Diagnostic, Failure};
use base::files::{EntryKind, Folder, Tree, TreeEntry};
use base::links;
use content::discover::Shard;
use content::load;
use store::cache::CacheReader;
use store::publish::{self, MARKER, PART_FILE};

use super::PartHead;
use super::problems::{self, PartDifference};

/// All parts of a site, by number.
#[derive(Debug)]
pub(crate) struct ShardParts(Vec<ShardPart>);

#[derive(Debug)]
struct ShardPart {
    folder: PathBuf,
    /// Its path in diagnostics.
    shown: String,
    reader: CacheReader,
    head: PartHead,
    /// The runs by the path of the run directory in diagnostics.
    runs: BTreeMap<String, RunPieces>,
    /// Paths of runs with errors, filled by [`ShardPart::check_files`].
    broken: BTreeSet<String>,
}

impl ShardParts {
    pub(crate) fn open(
        site: &Site,
        gathered: &SiteContent,
        folders: &[PathBuf],
    ) -> Result<Self, Failure> {
        let failed = |problems| gathered.failed(problems);
        let expected = PartHead::of(site, gathered);
        let opened = folders
            .iter()
            .map(|folder| ShardPart::open(site, folder, &expected));
        let (mut parts, mut problems) = (Vec::new(), Vec::new());
        for part in opened {
            match part {
                Ok(part) => parts.push(part),
                Err(problem) => problems.push(problem),
            }
        }
        if problems.is_empty() {
            problems = set_problems(&parts);
        }
        if !problems.is_empty() {
            return Err(failed(problems));
        }
        parts.sort_by_key(|part| part.head.number);
        let examined: Vec<Vec<Diagnostic>> = gathered.pool.install(|| {
            let parts = parts.par_iter_mut();
            parts.map(|part| part.check_files(site, gathered)).collect()
        });
        let problems: Vec<_> = examined.into_iter().flatten().collect();
        if problems.is_empty() {
            Ok(Self(parts))
        } else {
            Err(failed(problems))
        }
    }

    /// The part of a run.
    fn of(&self, directory: &Directory) -> Option<&ShardPart> {
        let count = u32::try_from(self.0.len()).ok()?;
        let number = Shard::number_of(directory.name(), count);
        self.0.get(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    /// Whether runs of the archive have errors.
    pub(crate) fn have_errors(&self, gathered: &SiteContent) -> bool {
        let is_broken = |path: &String| self.0.iter().any(|part| part.broken.contains(path));
        let mut runs = gathered.archive.runs.iter();
        self.0.iter().any(|part| !part.broken.is_empty())
            && runs.any(|entry| is_broken(&gathered.directory(entry).place.shown))
    }

    /// When the content was scanned for the earliest of the parts.
    pub(crate) fn scanned_at(&self) -> i64 {
        let scanned = self.0.iter().map(|part| part.head.at);
        scanned.min().unwrap_or_default()
    }

    /// The summary of a run with an invalid record.
    pub(crate) fn invalid(&self, directory: &Directory) -> Option<RunSummary> {
        self.of(directory)?.run(&directory.place.shown)
    }

    /// Adopts a run from its part; `None` if it must be rendered from the content.
    pub(crate) fn adopt(
        &self,
        gathered: &SiteContent,
        index: usize,
        is_newest: bool,
        output: Option<SiteOutput<'_>>,
    ) -> Result<Option<RunSummary>, Diagnostic> {
        let archive = &gathered.archive;
        let directory = gathered.directory(&archive.runs[index]);
        let place = &directory.place;
        let Some(part) = self.of(directory) else {
            return Ok(None);
        };
        let damaged = || problems::damaged_run(&part.shown, &place.shown);
        let run = part.run(&place.shown).ok_or_else(damaged)?;
        // A run with errors is never published.
        let Some(output) = output.filter(|_| !run.has_errors()) else {
            return Ok(Some(run));
        };
        let has_same_context = run.has_same_context(archive, index, is_newest);
        let Some((files, cache)) = run
            .files
            .as_ref()
            .zip(output.cache)
            .filter(|_| has_same_context)
        else {
            let has_content = !gathered.roots.has_only_record(place)
                && run.inputs.as_ref().is_none_or(|inputs| {
                    let now = gathered.roots.of(place).and_then(load::inputs);
                    now.and_then(|now| load::unchanged(place, inputs, now, part.head.at))
                        .is_some()
                });
            return if has_content {
                Ok(None)
            } else {
                Err(problems::merge_needs(&place.shown))
            };
        };
        if let Some(path) = output.stage.adopt_files(&part.folder, files)? {
            return Err(problems::damaged(&part.shown, &path));
        }
        let texts = part.runs.get(&place.shown).map(|pieces| pieces.texts);
        let texts = texts.and_then(|texts| part.reader.piece(texts));
        let texts = texts.ok_or_else(damaged)?;
        cache.add(run, &texts).map(Some)
    }
}

/// Problems of the set of parts: different counts, duplicate and missing numbers.
fn set_problems(parts: &[ShardPart]) -> Vec<Diagnostic> {
    let Some(first) = parts.first() else {
        return Vec::new();
    };
    let count = first.head.count;
    let mut problems = Vec::new();
    let mut owners: Vec<Option<&ShardPart>> =
        vec![None; usize::try_from(count).unwrap_or_default()];
    for part in parts {
        let at = usize::try_from(part.head.number - 1).unwrap_or_default();
        if part.head.count != count {
            let (one, other) = ((&*first.shown, count), (&*part.shown, part.head.count));
            problems.push(problems::other_count(one, other));
        } else if let Some(owner) = owners.get_mut(at) {
            match owner {
                Some(owner) => problems.push(problems::duplicate(
                    &owner.shown,
                    &part.shown,
                    part.head.number,
                )),
                None => *owner = Some(part),
            }
        }
    }
    let missing = owners.iter().enumerate();
    let missing = missing.filter(|(_, owner)| owner.is_none());
    let missing: Vec<usize> = missing.map(|(at, _)| at + 1).collect();
    if problems.is_empty() && !missing.is_empty() {
        problems.push(problems::missing(&first.shown, &missing, count));
    }
    problems
}

impl ShardPart {
    fn open(site: &Site, folder: &Path, expected: &PartHead) -> Result<Self, Diagnostic> {
        let shown = site.shown(folder);
        if publish::overlap(folder, &site.out) {
            return Err(problems::overlaps(&shown));
        }
        let opened = Folder::open(folder);
        let opened = opened.map_err(|error| problems::not_a_part(&shown, &error.to_string()))?;
        let reader = CacheReader::open_in(&opened, PART_FILE, PROGRAM);
        let reader = reader.map_err(|why| problems::unreadable(&shown, why))?;
        let damaged = || problems::damaged(&shown, PART_FILE);
        let head = reader.head().ok_or_else(damaged)?;
        let head: PartHead = postcard::from_bytes(&head).map_err(|_| damaged())?;
        if Shard::new(head.number, head.count).is_none() {
            return Err(damaged());
        }
        let differences = [
            (head.key != expected.key, PartDifference::Key),
            (
                head.settings[0] != expected.settings[0],
                PartDifference::Settings,
            ),
            (
                head.settings[1] != expected.settings[1],
                PartDifference::Templates,
            ),
            (
                head.settings[2] != expected.settings[2],
                PartDifference::StaticFiles,
            ),
            (head.frame != expected.frame, PartDifference::Navigation),
            (head.records != expected.records, PartDifference::Records),
            (head.addresses != expected.addresses, PartDifference::Ledger),
        ];
        if let Some((_, difference)) = differences.into_iter().find(|(differs, _)| *differs) {
            return Err(problems::other(&shown, difference));
        }
        let runs = reader.body().ok_or_else(damaged)?;
        let runs = postcard::from_bytes(&runs).map_err(|_| damaged())?;
        Ok(Self {
            folder: folder.to_owned(),
            reader,
            head,
            runs,
            shown,
            broken: BTreeSet::new(),
        })
    }

    /// Reads the entry of a run.
    fn run(&self, path: &str) -> Option<RunSummary> {
        self.runs.get(path)?.read(&self.reader)
    }

    /// Checks that the folder holds exactly the runs that the part lists. Compares sizes only; files are read later.
    fn check_files(&mut self, site: &Site, gathered: &SiteContent) -> Vec<Diagnostic> {
        let tree = Folder::open(&self.folder).and_then(|folder| Tree::of(&folder, ""));
        let mut tree = match tree {
            Ok(tree) => tree,
            Err(error) => return vec![problems::not_a_part(&self.shown, &error.to_string())],
        };
        let name = self.shown.clone();
        let foreign = |path: String| vec![problems::foreign(&name, &path)];
        let damaged = |what: &str| vec![problems::damaged(&name, what)];
        if let Some(path) = first_entry(&tree, |_, found| {
            matches!(found.kind, EntryKind::Link | EntryKind::Other)
        }) {
            return foreign(path);
        }
        if let Some(path) = first_entry(&tree, |_, found| found.kind == EntryKind::UnlistableFolder)
        {
            return damaged(&path);
        }
        let (number, count) = (self.head.number, self.head.count);
        let is_own = |directory: &Directory| Shard::number_of(directory.name(), count) == number;
        let (mut own, mut stale) = (BTreeSet::new(), Vec::new());
        for entry in &gathered.archive.runs {
            let directory = gathered.directory(entry);
            if !is_own(directory) {
                continue;
            }
            let shown = &directory.place.shown;
            own.insert(shown);
            let Some(run) = self.run(shown) else {
                return vec![problems::damaged_run(&self.shown, shown)];
            };
            let folders = [
                links::run_file(&entry.slug, ""),
                site.config.publish.own_file(&entry.slug, ""),
            ];
            if run.has_errors() {
                self.broken.insert(shown.clone());
            }
            for file in run.files.iter().flatten() {
                if !folders.iter().any(|folder| is_below(folder, &file.path)) {
                    return damaged(PART_FILE);
                }
                let found = tree.mark(&file.path);
                if found.is_none_or(|found| found.bytes != file.bytes) {
                    return damaged(&file.path);
                }
            }
            let now = gathered.roots.of(&directory.place).and_then(load::inputs);
            if let (Some(before), Some(now)) = (&run.inputs, &now)
                && !gathered.roots.has_only_record(&directory.place)
                && !load::same_content(&directory.place, before, now, self.head.at)
            {
                stale.push(shown.as_str());
            }
        }
        let invalid = gathered.directories.iter();
        let invalid = invalid.filter(|it| matches!(it.status, RunStatus::Invalid) && is_own(it));
        own.extend(invalid.map(|it| &it.place.shown));
        if !self.runs.keys().eq(own) {
            return damaged(PART_FILE);
        }
        if !stale.is_empty() {
            return vec![problems::stale(&self.shown, &stale)];
        }
        let unlisted = first_entry(&tree, |path, found| match (path, found.kind) {
            // Every stage creates this folder.
            (MARKER | PART_FILE, EntryKind::File { .. }) | ("runs", EntryKind::Folder) => false,
            _ => !found.is_marked,
        });
        unlisted.map_or_else(Vec::new, foreign)
    }
}

/// Whether a path is below `folder`, which ends with `/`, on every operating system.
fn is_below(folder: &str, path: &str) -> bool {
    let is_plain = |name| matches!(name, Component::Normal(_));
    let below = path.strip_prefix(folder);
    below.is_some_and(|below| {
        let names = Path::new(below).components();
        names.clone().all(is_plain)
            && names.count() == below.split('/').count()
            && !below.contains('\\')
    })
}

/// The path of the first entry that `is_foreign` matches, or whose name is not UTF-8.
fn first_entry(tree: &Tree, is_foreign: impl Fn(&str, &TreeEntry) -> bool) -> Option<String> {
    let mut first = None;
    tree.each(&mut |path, found| {
        if path.is_none_or(|path| is_foreign(path, found)) {
            first.get_or_insert_with(|| match path {
                Some(path) => path.to_owned(),
                None => found.name.to_string_lossy().into_owned(),
            });
        }
    });
    first
}

#[cfg(test)]
mod tests {
    use super::is_below;

    #[test]
    fn a_part_names_only_files_in_the_folders_of_its_runs() {
        for path in [
            "runs/a/index.html",
            "runs/a/events/2/index.html",
            "runs/a/..b",
        ] {
            assert!(is_below("runs/a/", path), "{path}");
        }
        for path in [
            "index.html",
            "/etc/passwd",
            "runs/b/index.html",
            "runs/a",
            "runs/a/",
            "runs/a/../b/index.html",
            "runs/a/../../../x",
            "runs/a/./x",
            "runs/a//x",
            "runs/a/x/",
            "runs/a/..\\..\\x",
            "../runs/a/x",
        ] {
            assert!(!is_below("runs/a/", path), "{path}");
        }
    }
}
