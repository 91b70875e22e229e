//! What an importer reads: the files of one path that the user named, each with its size and digest.

use std::cell::RefCell;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::Problem;

/// A file or a folder that the user named. Nothing outside of it is read.
#[derive(Debug)]
pub struct Source {
    root: PathBuf,
    /// The files beneath it by their path with `/`, sorted; one name without a folder where the user named a file.
    names: Vec<String>,
    /// What is known of those that were read.
    read: RefCell<Vec<Option<Known>>>,
}

/// What is published of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// Its size.
    pub bytes: u64,
    /// BLAKE3 of its bytes as they are on disk.
    pub blake3: String,
}

/// A file that was read.
#[derive(Debug)]
pub struct File<'s> {
    /// Position in the source, for `Draft::sources`.
    pub position: usize,
    /// Name, as in `Source::names`.
    pub name: &'s str,
    /// Its bytes; of a file that is compressed with Zstandard, what it holds.
    pub bytes: Vec<u8>,
}

impl Source {
    /// The files, by name.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The position of a file.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.names
            .binary_search_by(|known| known.as_str().cmp(name))
            .ok()
    }

    /// Reads a file whole.
    ///
    /// # Errors
    /// It cannot be read, or is larger than the limit.
    pub fn read(&self, position: usize) -> Result<File<'_>, Problem> {
        let name = &self.names[position];
        let path = self.path(name);
        let mut bytes = Vec::new();
        fs::File::open(&path)
            .and_then(|mut file| file.read_to_end(&mut bytes))
            .map_err(|error| failed(name, &error))?;
        self.read.borrow_mut()[position] = Some(Known {
            bytes: bytes.len() as u64,
            blake3: blake3::hash(&bytes).to_hex().to_string(),
        });
        Ok(File {
            position,
            name,
            bytes,
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        if self.root.is_dir() {
            self.root.join(Path::new(name))
        } else {
            self.root.clone()
        }
    }
}

fn failed(name: &str, error: &io::Error) -> Problem {
    Problem {
        file: name.to_owned(),
        line: None,
        message: format!("The file could not be read: {error}"),
        help: "Check the path and its permissions.".to_owned(),
    }
}
