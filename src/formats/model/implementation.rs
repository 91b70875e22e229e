//! The published part of the working tree that a run produced.

use super::FileDigest;

/// The folder of a run directory with the working tree.
pub const FOLDER: &str = "implementation";

/// The published files that the agent left.
#[derive(Debug, Default)]
pub struct Implementation {
    /// Files of the archive, sorted by path. Empty without an archive.
    pub files: Vec<ImplementationFile>,
    /// Entries of the folder that are not in the archive.
    pub left_out: OmissionCounts,
}

/// A file of the archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImplementationFile {
    /// Its path begins with [`FOLDER`].
    pub digest: FileDigest,
    /// Whether its owner can execute it.
    pub executable: bool,
}

/// Counts of entries that are never published. An excluded folder counts as one, with all its content.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OmissionCounts {
    /// Names that begin with a dot.
    pub hidden: usize,
    /// Links, wherever they point.
    pub links: usize,
    /// Names that are not portable.
    pub names: usize,
    /// Pipes, devices and the like.
    pub others: usize,
}

impl OmissionCounts {
    pub const fn total(self) -> usize {
        self.hidden + self.links + self.names + self.others
    }

    /// `2 hidden files or folders and 1 link`
    pub fn words(self) -> String {
        let kinds = [
            (
                self.hidden,
                "hidden file or folder",
                "hidden files or folders",
            ),
            (self.links, "link", "links"),
            (
                self.names,
                "name that is not portable",
                "names that are not portable",
            ),
            (self.others, "special file", "special files"),
        ];
        let parts = kinds.into_iter().filter(|(count, ..)| *count > 0);
        let parts: Vec<String> = parts
            .map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }))
            .collect();
        match parts.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            _ => parts.concat(),
        }
    }
}

impl Implementation {
    /// Whether the archive has a file at this path.
    pub fn contains(&self, path: &str) -> bool {
        let found = self
            .files
            .binary_search_by(|file| file.digest.path.as_str().cmp(path));
        found.is_ok()
    }

    /// Total size of the files, in bytes.
    pub fn bytes(&self) -> u64 {
        self.files
            .iter()
            .map(|file| file.digest.published_bytes())
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn left_out_files_are_reported_by_kind() {
        let mut left_out = OmissionCounts::default();
        assert_eq!((left_out.total(), left_out.words().as_str()), (0, ""));
        left_out.links = 1;
        assert_eq!(left_out.words(), "1 link");
        left_out.hidden = 2;
        assert_eq!(left_out.words(), "2 hidden files or folders and 1 link");
        left_out.others = 3;
        assert_eq!(
            left_out.words(),
            "2 hidden files or folders, 1 link and 3 special files"
        );
        assert_eq!(left_out.total(), 6);
    }
}
