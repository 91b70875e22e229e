//! (edge) Finds content: walks the content roots into sorted lists of run directories and prose.
//!
//! Links to folders are not followed, hidden folders are skipped, and nothing outside the roots is named.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::diagnostics::text::{misspelled, quoted};
use base::diagnostics::{CheckResult, Diagnostic, Place, codes};
use base::files::{EntryKind, Tree, TreeEntry};
use formats::model::implementation::FOLDER;
use formats::model::slug::{short_hash, slugify};
use formats::page::ProseKind;
use formats::{config, decisions, events, run_record, withdrawn};

use crate::names;

mod roots;
mod shard;

pub use roots::ContentRoots;
pub use shard::Shard;

/// A file or folder of the content.
#[derive(Debug, Clone)]
pub struct ContentPath {
    /// Its content root; files are only read below it.
    pub root: Arc<Path>,
    /// Its path in diagnostics.
    pub shown: String,
    below: PathBuf,
}

impl ContentPath {
    /// The file or folder `below` a content root.
    pub fn new(root: Arc<Path>, below: &Path, shown: String) -> Self {
        let below = below.to_owned();
        Self { root, shown, below }
    }

    /// Its path from its content root.
    pub fn below(&self) -> &Path {
        &self.below
    }

    pub fn path(&self) -> PathBuf {
        match self.below() {
            below if below.as_os_str().is_empty() => self.root.to_path_buf(),
            below => self.root.join(below),
        }
    }
}

/// A directory that holds a run record.
pub type RunDirectory = ContentPath;

#[derive(Debug, Clone)]
pub struct ProseFile {
    /// Its location.
    pub at: ContentPath,
    pub kind: ProseKind,
    /// Its address among prose of the same kind.
    pub slug: String,
}

/// Everything found, each list sorted by path.
#[derive(Debug, Default)]
pub struct ContentFiles {
    /// The run directories.
    pub runs: Vec<RunDirectory>,
    pub prose: Vec<ProseFile>,
    /// Lists of withdrawn runs, at most one per content root.
    pub withdrawn: Vec<ContentPath>,
    /// Lists of decisions about runs, at most one per content root.
    pub decisions: Vec<ContentPath>,
    /// Paths of files in no run directory that look as if they were in one: records with nearly the right name, and event logs.
    pub nearly_runs: Vec<String>,
}

/// Walks `content` (each relative to the working directory, or absolute). `site` is the site's root.
pub fn discover(site: &Path, content: &[PathBuf]) -> CheckResult<ContentFiles> {
    discover_with(site, content, None, &ContentRoots::list(content, ""))
}

/// Like [`discover`], with the listings of the content roots, and with run directories of which only the records are in `records`.
/// That folder has the content roots at their paths from the root of the site, or at their names if they are outside.
pub fn discover_with(
    site: &Path,
    content: &[PathBuf],
    records: Option<&Path>,
    roots: &ContentRoots,
) -> CheckResult<ContentFiles> {
    let mut found = ContentFiles::default();
    let mut diagnostics = Vec::new();
    let site = site.canonicalize().unwrap_or_else(|_| site.to_owned());
    let mut visited = BTreeSet::new();
    let mut nested = BTreeMap::new();
    let mut labels = RootLabels::new(&site, content);
    let mut mirrors = Mirrors::default();
    for root in content {
        let path = root.canonicalize();
        let listed = path.and_then(|path| path.read_dir().map(|_| path));
        let tree = listed.map(|path| roots.root(&path).map(|tree| (path, tree)));
        let reason = match tree {
            Ok(Some((path, tree))) => {
                let mut walk = ContentWalk {
                    label: labels.next(&site, &path),
                    site: &site,
                    root: path.as_path().into(),
                    content_root: path.clone(),
                    found: &mut found,
                    nested: &mut nested,
                    diagnostics: &mut diagnostics,
                    visited: &mut visited,
                };
                walk.run(&path, tree);
                if let Some(mirror) = records.and_then(|records| mirrors.of(records, &site, &path))
                    && let Some(tree) = roots.root(&mirror)
                {
                    walk.root = mirror.as_path().into();
                    walk.run(&mirror, tree);
                }
                continue;
            }
            Ok(None) => "its folder changed meanwhile".to_owned(),
            Err(error) => error.to_string(),
        };
        let help = if let Some(near) = similar_folder(root) {
            format!("Did you mean {}?", quoted(&below(&site, &near)))
        } else if site.join(config::FILE_NAME).is_file() {
            "Create the folder, or name the right one in `[build] content` or with `--content`."
                .to_owned()
        } else {
            "This is not the folder of a site, since it has no `site.toml`: change to one, name it with `--root`, or create one with `runpress new DIR`.".to_owned()
        };
        diagnostics.push(codes::CONTENT_MISSING_ROOT.at(
            Place::file(below(&site, root)),
            format!(
                "The content root {} cannot be read: {reason}",
                quoted(&below(&site, root))
            ),
            help,
        ));
    }
    if let Some(records) = records.filter(|_| !mirrors.any) {
        diagnostics.push(codes::CONTENT_MISSING_ROOT.at(
            Place::file(below(&site, records)),
            format!(
                "The folder of records {} has no folder of a content root, such as {}",
                quoted(&below(&site, records)),
                quoted(&content.first().map_or_else(String::new, |root| below(&site, root)))
            ),
            "Copy the records with their paths from the root of the site.",
        ));
    }
    // A nested run directory may be a content root itself.
    nested.retain(|path, _| !visited.contains(path));
    diagnostics.extend(nested.into_values().map(|shown| {
        codes::CONTENT_NESTED_RUN.at(
            Place::file(format!("{shown}/{}", run_record::FILE_NAME)),
            "The run directory is inside another one, so its run is not published",
            "Move the folder out of the other run directory.",
        )
    }));
    found.runs.sort_by(|a, b| a.shown.cmp(&b.shown));
    found
        .prose
        .sort_by(|a, b| (a.kind, &a.at.shown).cmp(&(b.kind, &b.at.shown)));
    CheckResult {
        value: found,
        diagnostics,
    }
}

/// The run directory at `path`, in a content root or outside all of them; `None` if it has no record. `site` is the site's root.
pub fn run_at(site: &Path, content: &[PathBuf], path: &Path) -> Option<RunDirectory> {
    let found = path.canonicalize().ok()?;
    let record = found.join(run_record::FILE_NAME);
    record.symlink_metadata().ok()?;
    let site = site.canonicalize().unwrap_or_else(|_| site.to_owned());
    let root = content
        .iter()
        .filter_map(|root| root.canonicalize().ok())
        .find(|root| found.starts_with(root))
        .unwrap_or_else(|| found.clone());
    let shown = found.strip_prefix(&site).unwrap_or(path).to_string_lossy();
    // An empty path stands for the site's root itself.
    let shown = if shown.is_empty() { ".".into() } else { shown };
    let below = found.strip_prefix(&root).ok()?;
    Some(RunDirectory::new(
        root.as_path().into(),
        below,
        shown.into_owned(),
    ))
}

struct ContentWalk<'a> {
    site: &'a Path,
    root: Arc<Path>,
    /// The content root, of which `root` may be a mirror with only records.
    content_root: PathBuf,
    /// Prefix of paths in a root outside the site, if there are several such roots.
    label: String,
    found: &'a mut ContentFiles,
    /// Run directories inside others, with their paths in diagnostics.
    nested: &'a mut BTreeMap<PathBuf, String>,
    diagnostics: &'a mut Vec<Diagnostic>,
    /// All paths found so far, since one content root may be inside another.
    visited: &'a mut BTreeSet<PathBuf>,
}

impl ContentWalk<'_> {
    /// A root is itself a run directory, or contains them.
    fn run(&mut self, root: &Path, tree: &Tree) {
        if has_record(tree) {
            self.run_directory(root, tree);
        } else {
            self.folder(root, tree, 1);
        }
    }

    /// Searches a folder, whose entries are at this depth below the root.
    fn folder(&mut self, folder: &Path, tree: &Tree, depth: usize) {
        for found in tree.entries() {
            let path = folder.join(&*found.name);
            let hidden = found.name.as_encoded_bytes().starts_with(b".");
            // Anything with the name of a list is meant as one; reading it reports what is wrong.
            let is_top = depth == 1 && *self.root == self.content_root;
            let list = found.name.to_str().filter(|_| is_top);
            if let Some(withdrawn::FILE_NAME | decisions::FILE_NAME) = list {
                if self.visited.insert(path.clone()) {
                    let file = self.at(&path);
                    if list == Some(withdrawn::FILE_NAME) {
                        self.found.withdrawn.push(file);
                    } else {
                        self.found.decisions.push(file);
                    }
                }
                continue;
            }
            if let (EntryKind::File { .. }, Some(name)) = (found.kind, found.name.to_str())
                && !hidden
            {
                self.misspelled(folder, name, tree, is_top);
            }
            match found.kind {
                EntryKind::Folder | EntryKind::UnlistableFolder if hidden => {}
                EntryKind::Folder if has_record(&found.below) => {
                    self.run_directory(&path, &found.below);
                }
                EntryKind::Folder => self.folder(&path, &found.below, depth + 1),
                // Files may be readable even if the folder cannot be listed.
                EntryKind::UnlistableFolder
                    if path.join(run_record::FILE_NAME).symlink_metadata().is_ok() =>
                {
                    self.run_directory(&path, &found.below);
                }
                EntryKind::UnlistableFolder => self.diagnostics.push(codes::CONTENT_UNREADABLE.at(
                    Place::file(self.shown(&path)),
                    "The folder cannot be read",
                    "Give the build permission to read it.",
                )),
                EntryKind::Link if path.is_dir() => {
                    self.diagnostics.push(codes::CONTENT_LINKED_FOLDER.at(
                        Place::file(self.shown(&path)),
                        "The link to a folder is skipped",
                        "Add the target folder to the content roots.",
                    ));
                }
                _ if !hidden && depth == 2 && *self.root == self.content_root => self.prose(&path),
                _ => {}
            }
        }
    }

    /// Reports a file outside of run directories that has nearly the name of a record or of a list, and notes event logs.
    fn misspelled(&mut self, folder: &Path, name: &str, tree: &Tree, is_top: bool) {
        let is_missing = |known: &&str| tree.get(OsStr::new(known)).is_none();
        let lists = [withdrawn::FILE_NAME, decisions::FILE_NAME];
        let known = lists.into_iter().filter(|_| is_top);
        let known = known.chain([run_record::FILE_NAME]).filter(is_missing);
        let meant = misspelled(name, known);
        if let Some(meant) = meant {
            let folder = self.shown(folder);
            self.diagnostics
                .push(names::misspelled_name(&folder, name, meant));
        }
        if meant == Some(run_record::FILE_NAME) || name == events::FILE_NAME {
            let path = self.shown(&folder.join(name));
            self.found.nearly_runs.push(path);
        }
    }

    fn run_directory(&mut self, path: &Path, tree: &Tree) {
        if self.visited.insert(self.in_content_root(path)) {
            self.look_for_nested(path, tree, 1);
            let run = self.at(path);
            self.found.runs.push(run);
        }
    }

    /// Searches for run directories inside another one, except in its own folders. Unreadable folders are reported when they are
    /// needed.
    fn look_for_nested(&mut self, folder: &Path, tree: &Tree, depth: usize) {
        let folders = tree.entries().iter();
        let folders = folders.filter(|found| found.kind == EntryKind::Folder);
        for found in folders.filter(|found| !belongs_to_run(found, depth)) {
            let path = folder.join(&*found.name);
            self.look_for_nested(&path, &found.below, depth + 1);
            if has_record(&found.below) {
                let shown = self.shown(&path);
                self.nested.insert(self.in_content_root(&path), shown);
            }
        }
    }

    /// Prose is directly in one of the four folders of a content root.
    fn prose(&mut self, path: &Path) {
        let folder = path.parent().and_then(Path::file_name);
        let kind = folder.and_then(ProseKind::of_folder);
        let stem = path
            .file_stem()
            .filter(|_| path.extension().is_some_and(|end| end == "md"));
        if let (Some(kind), Some(stem)) = (kind, stem)
            && self.visited.insert(path.to_owned())
        {
            let name = stem.to_string_lossy();
            let mut slug = slugify(&name);
            // The page of a case whose name is in another script has the digest of the name as its address.
            if slug.is_empty() && matches!(kind, ProseKind::Group(_)) {
                slug = short_hash(&name);
            }
            let at = self.at(path);
            self.found.prose.push(ProseFile { at, kind, slug });
        }
    }

    fn at(&self, path: &Path) -> ContentPath {
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        ContentPath::new(Arc::clone(&self.root), below, self.shown(path))
    }

    /// The path of an entry in the content root, even if found in a mirror.
    fn in_content_root(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(&self.root) {
            Ok(below) if *self.root != self.content_root => self.content_root.join(below),
            _ => path.to_owned(),
        }
    }

    fn shown(&self, path: &Path) -> String {
        let path = &*self.in_content_root(path);
        let (below, label) = match path.strip_prefix(self.site) {
            Ok(below) => (below, ""),
            Err(_) => (
                path.strip_prefix(&self.content_root).unwrap_or(path),
                &*self.label,
            ),
        };
        let parts = below
            .components()
            .map(|part| part.as_os_str().to_string_lossy());
        let label = (!label.is_empty()).then(|| label.into());
        let parts: Vec<_> = label.into_iter().chain(parts).collect();
        if parts.is_empty() {
            ".".to_owned()
        } else {
            parts.join("/")
        }
    }
}

/// Labels of content roots outside the site, to tell paths of different roots apart.
struct RootLabels {
    needed: bool,
    /// Names with which paths of other roots begin.
    taken: BTreeSet<OsString>,
}

impl RootLabels {
    fn new(site: &Path, content: &[PathBuf]) -> Self {
        let roots: BTreeSet<_> = content
            .iter()
            .filter_map(|root| root.canonicalize().ok())
            .collect();
        let names = |root: &Path| {
            let entries = root.read_dir().into_iter().flatten().flatten();
            entries.map(|entry| entry.file_name()).collect::<Vec<_>>()
        };
        let (mut taken, mut outside) = (BTreeSet::new(), Vec::new());
        for root in &roots {
            match root.strip_prefix(site).map(|below| below.iter().next()) {
                Ok(Some(first)) => taken.extend([first.to_owned()]),
                Ok(None) => taken.extend(names(root)),
                Err(_) => outside.push(root),
            }
        }
        // A path in the only root outside may look like a path of the site.
        let is_ambiguous =
            |root: &&PathBuf| !taken.is_empty() && names(root).iter().any(|it| taken.contains(it));
        Self {
            needed: outside.len() > 1 || outside.iter().any(is_ambiguous),
            taken,
        }
    }

    fn next(&mut self, site: &Path, root: &Path) -> String {
        if !self.needed || root.starts_with(site) {
            return String::new();
        }
        let name = root
            .file_name()
            .unwrap_or("root".as_ref())
            .to_string_lossy()
            .into_owned();
        let others = (2..).map(|number| format!("{name}-{number}"));
        let mut labels = std::iter::once(name.clone()).chain(others);
        let free = labels.find(|label| self.taken.insert(label.into()));
        free.unwrap_or(name)
    }
}

/// Mirrors of content roots: folders that have only the records of their runs.
#[derive(Debug, Default)]
struct Mirrors {
    taken: Vec<PathBuf>,
    /// Whether a mirror exists.
    any: bool,
}

impl Mirrors {
    /// The mirror of the next content root; `None` if it has none.
    fn of(&mut self, records: &Path, site: &Path, root: &Path) -> Option<PathBuf> {
        let below = root.strip_prefix(site).map(Path::to_owned);
        let below = below.or_else(|_| root.file_name().map(PathBuf::from).ok_or(()));
        let mut below = below.ok()?;
        let count = self.taken.iter().filter(|taken| **taken == below).count();
        self.taken.push(below.clone());
        if count > 0 {
            below.as_mut_os_string().push(format!("-{}", count + 1));
        }
        let mirror = records.join(below).canonicalize().ok()?;
        self.any |= mirror.is_dir();
        (mirror != root && mirror.is_dir()).then_some(mirror)
    }
}

/// The mirrors of content roots in a folder of records, with links resolved.
pub fn mirrors(site: &Path, content: &[PathBuf], records: &Path) -> Vec<PathBuf> {
    let site = site.canonicalize().unwrap_or_else(|_| site.to_owned());
    let mut mirrors = Mirrors::default();
    let roots = content.iter().filter_map(|root| root.canonicalize().ok());
    roots
        .filter_map(|root| mirrors.of(records, &site, &root))
        .collect()
}

/// The folder next to a missing one that has nearly its name.
fn similar_folder(missing: &Path) -> Option<PathBuf> {
    let name = missing.file_name()?.to_str()?;
    let parent = std::path::absolute(missing).ok()?.parent()?.to_owned();
    let entries = parent.read_dir().ok()?.flatten();
    let folders = entries.filter(|entry| entry.path().is_dir());
    let mut names: Vec<String> = folders
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort_unstable();
    let near = misspelled(name, names.iter().map(String::as_str))?;
    Some(missing.with_file_name(near))
}

/// A path relative to the site's root if it is below it, for diagnostics.
fn below(site: &Path, path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    absolute
        .strip_prefix(site)
        .unwrap_or(path)
        .to_string_lossy()
        .into_owned()
}

/// Folders in a run directory that by convention hold assets, proofs and a playable build.
const CONVENTIONAL_FOLDERS: [&str; 3] = ["assets", "proofs", "play"];

/// Whether a folder in a run directory has files of the run: the working tree, payloads of a tape (formats.md C), or a
/// conventional folder. A record in it does not make a run.
fn belongs_to_run(found: &TreeEntry, depth: usize) -> bool {
    let name = &*found.name;
    name.as_encoded_bytes().starts_with(b".")
        || depth == 1
            && (name == FOLDER
                || CONVENTIONAL_FOLDERS.iter().any(|custom| name == *custom)
                || Path::new(name).extension().is_some_and(|end| end == "cas"))
}

fn has_record(tree: &Tree) -> bool {
    tree.get(OsStr::new(run_record::FILE_NAME)).is_some()
}
