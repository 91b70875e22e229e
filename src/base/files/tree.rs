//! The listing of a folder and all folders below it, without reading files.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::{EntryKind, Folder, Stamp, is_not_found};

/// The entries of a folder, sorted by name.
#[derive(Debug, Default)]
pub struct Tree(Vec<TreeEntry>);

/// An entry of a folder.
#[derive(Debug)]
pub struct TreeEntry {
    pub name: Box<OsStr>,
    pub kind: EntryKind,
    pub stamp: Stamp,
    /// Whether [`Tree::mark`] found it.
    pub is_marked: bool,
    /// For a folder, its entries.
    pub below: Tree,
}

impl Tree {
    /// Lists a folder and all folders below it, except an entry named `but` directly in the folder.
    ///
    /// It uses threads of its own: the memory that a thread allocated is returned only while it works or when it ends, and a build
    /// drops the tree of its content long before its own threads end.
    pub fn of(folder: &Folder, but: &str) -> io::Result<Self> {
        match rayon::ThreadPoolBuilder::new().build() {
            Ok(pool) => pool.install(|| Self::list(folder, but)),
            Err(_) => Self::list(folder, but),
        }
    }

    fn list(folder: &Folder, but: &str) -> io::Result<Self> {
        let entries = folder.entries()?.into_iter();
        let entries = entries.filter(|entry| entry.name != but);
        let mut found: Vec<_> = entries
            .map(|entry| TreeEntry {
                name: entry.name.into_boxed_os_str(),
                kind: entry.kind,
                stamp: entry.stamp,
                is_marked: false,
                below: Self::default(),
            })
            .collect();
        found.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        let folders = found.par_iter_mut();
        folders
            .filter(|found| found.kind == EntryKind::Folder)
            .for_each(|found| {
                let below = folder.folder(Path::new(&found.name));
                match below.and_then(|folder| Self::list(&folder, "")) {
                    Ok(below) => found.below = below,
                    Err(error) if is_not_found(&error) => {}
                    Err(_) => found.kind = EntryKind::UnlistableFolder,
                }
            });
        Ok(Self(found))
    }

    /// The entries of the folder.
    pub fn entries(&self) -> &[TreeEntry] {
        &self.0
    }

    /// The direct entry of this name.
    pub fn get(&self, name: &OsStr) -> Option<&TreeEntry> {
        let at = self.0.binary_search_by(|found| (*found.name).cmp(name));
        self.0.get(at.ok()?)
    }

    /// The file at this path, separated by `/`.
    pub fn file(&self, path: &str) -> Option<&Stamp> {
        let mut tree = self;
        let mut names = path.split('/').peekable();
        while let Some(name) = names.next() {
            let found = tree.get(OsStr::new(name))?;
            if names.peek().is_none() {
                return matches!(found.kind, EntryKind::File { .. }).then_some(&found.stamp);
            }
            tree = &found.below;
        }
        None
    }

    /// Like [`Tree::file`], but marks the file and the folders that lead to it.
    pub fn mark(&mut self, path: &str) -> Option<Stamp> {
        let (name, below) = path
            .split_once('/')
            .map_or((path, None), |(name, below)| (name, Some(below)));
        let at = self
            .0
            .binary_search_by(|found| (*found.name).cmp(name.as_ref()));
        let found = self.0.get_mut(at.ok()?)?;
        let stamp = match (below, found.kind) {
            (Some(below), _) => found.below.mark(below)?,
            (None, EntryKind::File { .. }) => found.stamp,
            (None, _) => return None,
        };
        found.is_marked = true;
        Some(stamp)
    }

    /// The entries of a folder below this one.
    pub fn folder(&self, path: &Path) -> Option<&Self> {
        let mut names = path.components();
        names.try_fold(self, |tree, name| {
            let found = tree.get(name.as_os_str())?;
            (found.kind == EntryKind::Folder).then_some(&found.below)
        })
    }

    /// Visits everything below the folder, each folder before its entries, with its path from this one, separated by `/`; without
    /// a path if a name is not UTF-8.
    pub fn each(&self, visit: &mut dyn FnMut(Option<&str>, &TreeEntry)) {
        self.each_below(&mut String::new(), true, visit);
    }

    fn each_below(
        &self,
        path: &mut String,
        has_path: bool,
        visit: &mut dyn FnMut(Option<&str>, &TreeEntry),
    ) {
        let end = path.len();
        for found in &self.0 {
            let name = found.name.to_str().filter(|_| has_path);
            path.push_str(name.unwrap_or_default());
            visit(name.map(|_| path.as_str()), found);
            path.push('/');
            found.below.each_below(path, name.is_some(), visit);
            path.truncate(end);
        }
    }

    /// Updates the entry at a path of `folder`, separated by `/`, which is now a file or missing.
    pub fn refresh(&mut self, folder: &Folder, path: &str) {
        let mut tree = self;
        let ends = path.match_indices('/').map(|(at, _)| at);
        for end in ends.chain([path.len()]) {
            let name = OsStr::new(path[..end].rsplit('/').next().unwrap_or_default());
            let at = tree.0.binary_search_by(|found| (*found.name).cmp(name));
            let is_last = end == path.len();
            let at = match at {
                Ok(at) if !is_last => at,
                at => {
                    let at = at.inspect(|at| drop(tree.0.remove(*at)));
                    let Some((kind, stamp)) = folder.stat(Path::new(&path[..end])) else {
                        return;
                    };
                    let found = TreeEntry {
                        name: name.into(),
                        kind,
                        stamp,
                        is_marked: false,
                        below: Self::default(),
                    };
                    let at = at.unwrap_or_else(|at| at);
                    tree.0.insert(at, found);
                    at
                }
            };
            tree = &mut tree.0[at].below;
        }
    }

    /// The path of the first entry whose name matches `is_it`: in this folder, or else below it.
    pub fn find(&self, is_it: &dyn Fn(&OsStr) -> bool) -> Option<PathBuf> {
        let here = self.0.iter().find(|found| is_it(&found.name));
        here.map(|found| PathBuf::from(&found.name)).or_else(|| {
            self.0.iter().find_map(|found| {
                let below = found.below.find(is_it)?;
                Some(Path::new(&found.name).join(below))
            })
        })
    }

    /// A digest of all stamps; `None` if something can change unnoticed: the target of a link, a folder that cannot be listed, or
    /// a file that may have been written again since `now` (see [`Stamp::is_racy`]).
    pub fn digest(&self, now: i64) -> Option<[u8; 32]> {
        let mut hasher = blake3::Hasher::new();
        self.hash_into(&mut hasher, now)?;
        Some(*hasher.finalize().as_bytes())
    }

    fn hash_into(&self, hasher: &mut blake3::Hasher, now: i64) -> Option<()> {
        hasher.update(&(self.0.len() as u64).to_le_bytes());
        for found in &self.0 {
            let name = found.name.as_encoded_bytes();
            hasher.update(&(name.len() as u64).to_le_bytes());
            hasher.update(name);
            match found.kind {
                EntryKind::File { .. } if found.stamp.is_racy(now) => return None,
                EntryKind::File { .. } => found.stamp.hash_into(hasher),
                EntryKind::Folder => {
                    hasher.update(&found.stamp.mode.to_le_bytes());
                    found.below.hash_into(hasher, now)?;
                }
                EntryKind::UnlistableFolder | EntryKind::Link | EntryKind::Other => return None,
            }
        }
        Some(())
    }
}
