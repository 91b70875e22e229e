//! What is published of the working tree that a run produced.

use super::FileDigest;

/// The folder of a run directory that holds the working tree.
pub const FOLDER: &str = "implementation";

/// The files that the agent left, as far as they are published.
#[derive(Debug, Default)]
pub struct Implementation {
    /// Files of the archive, sorted by path. Empty when there is no archive.
    pub files: Vec<File>,
    /// What is in the folder and is not in the archive.
    pub left_out: Omitted,
}

/// A file of the archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its path begins with [`FOLDER`].
    pub digest: FileDigest,
    /// Whether its owner may execute it.
    pub executable: bool,
}

/// How much is never published. A folder that is left out counts as one, whatever it holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Omitted {
    /// Names that begin with a dot.
    pub hidden: usize,
    /// Links, wherever they lead.
    pub links: usize,
    /// Names that not every system can write.
    pub names: usize,
    /// Pipes, devices and the like.
    pub others: usize,
}

impl Omitted {
    /// How much it is together.
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
    /// Whether the archive holds a file of this path.
    pub fn holds(&self, path: &str) -> bool {
        let found = self
            .files
            .binary_search_by(|file| file.digest.path.as_str().cmp(path));
        found.is_ok()
    }

    /// Size of all files together, in bytes.
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
        let mut left_out = Omitted::default();
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
