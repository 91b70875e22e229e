//! (edge) Paths of problems relative to the working directory, as CI services expect them.

use std::path::{Path, PathBuf};

use runpress::api::diagnostics::{Diagnostic, Place};

/// The base folders of problem paths: the site's root, then content roots outside it.
pub(crate) struct ProblemFolders(Vec<ProblemFolder>);

struct ProblemFolder {
    path: PathBuf,
    /// Its path below the working directory, ending with `/`; `None` if it is elsewhere.
    below: Option<String>,
}

impl ProblemFolders {
    /// The folders of a site.
    pub(crate) fn new(root: &Path, content: &[PathBuf]) -> Self {
        let here = std::env::current_dir().and_then(|here| here.canonicalize());
        let outside = content.iter().filter(|path| !path.starts_with(root));
        let paths = std::iter::once(root).chain(outside.map(PathBuf::as_path));
        let folder = |path: &Path| ProblemFolder {
            path: path.to_owned(),
            below: here.as_ref().ok().and_then(|here| below(here, path)),
        };
        Self(paths.map(folder).collect())
    }

    /// The problems, with paths relative to the working directory if the files are below it.
    pub(crate) fn relative_to_working_dir(&self, problems: &[Diagnostic]) -> Vec<Diagnostic> {
        let relative = |problem: &Diagnostic| Diagnostic {
            place: Place {
                path: self.path(&problem.place.path),
                ..problem.place.clone()
            },
            ..problem.clone()
        };
        problems.iter().map(relative).collect()
    }

    fn path(&self, path: &str) -> String {
        let found = self.0.iter().find(|folder| folder.path.join(path).exists());
        // A missing file is reported relative to the root.
        let found = found.or_else(|| self.0.first());
        match found.and_then(|folder| folder.below.as_deref()) {
            Some(below) => format!("{below}{path}"),
            None => path.to_owned(),
        }
    }
}

fn below(here: &Path, folder: &Path) -> Option<String> {
    let folder = folder.canonicalize().ok()?;
    let parts = folder.strip_prefix(here).ok()?.iter();
    parts
        .map(|part| Some(format!("{}/", part.to_str()?)))
        .collect()
}
