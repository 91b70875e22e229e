//! Stages the files of one run, lists them, and enforces the limits.

use std::io::{self, Write};

use base::diagnostics::text::quoted;
use base::diagnostics::{Diagnostic, Place, codes};
use content::discover::RunDirectory;
use formats::config::Limits;
use markup::Html;
use pages::render::templates::Renderer;
use pages::view::format;
use store::publish::Stage;

use super::Output;

/// Why the pages of a run could not be written.
pub(super) enum StageError {
    /// A file cannot be written.
    Site(Diagnostic),
    /// The run cannot be published; the problem is its own.
    Run(Diagnostic),
}

impl From<Diagnostic> for StageError {
    fn from(problem: Diagnostic) -> Self {
        Self::Site(problem)
    }
}

/// The staged files of one run.
pub(super) struct Files<'a> {
    /// Paths and sizes.
    pub(super) written: Vec<(String, u64)>,
    /// The first page of each tape, for the run page.
    pub(super) first_pages: Vec<Html>,
    pub(super) renderer: &'a Renderer,
    stage: &'a Stage,
    limits: &'a Limits,
    directory: &'a RunDirectory,
    /// Bytes so far.
    bytes: u64,
}

impl<'a> Files<'a> {
    pub(super) const fn new(
        output: Output<'a>,
        limits: &'a Limits,
        directory: &'a RunDirectory,
    ) -> Self {
        Self {
            written: Vec::new(),
            first_pages: Vec::new(),
            renderer: output.renderer,
            stage: output.stage,
            limits,
            directory,
            bytes: 0,
        }
    }

    /// Writes a file.
    pub(super) fn write(&mut self, path: &str, bytes: &[u8]) -> Result<(), StageError> {
        // Check the limits before writing.
        self.note(path, bytes.len() as u64)?;
        Ok(self.stage.write(path, bytes)?)
    }

    /// Writes a page.
    pub(super) fn page(&mut self, path: &str, bytes: &[u8]) -> Result<(), StageError> {
        if bytes.len() > self.limits.page() {
            return Err(self.page_too_large(path));
        }
        self.write(path, bytes)
    }

    /// Writes a file in chunks.
    pub(super) fn stream(
        &mut self,
        path: &str,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), StageError> {
        let written = self.stage.stream(path, fill)?;
        self.note(path, written.bytes)
    }

    /// Reserves the path of a file in a dry run, without its content.
    pub(super) fn planned(&mut self, path: &str, bytes: u64) -> Result<(), StageError> {
        self.stage.plan(path, bytes)?;
        self.note(path, bytes)
    }

    pub(super) const fn is_dry_run(&self) -> bool {
        self.stage.is_dry_run()
    }

    /// The size of a file that was written.
    pub(super) fn bytes_of(&self, path: &str) -> Option<u64> {
        let mut written = self.written.iter();
        written
            .find(|(written, _)| written == path)
            .map(|(_, bytes)| *bytes)
    }

    fn note(&mut self, path: &str, bytes: u64) -> Result<(), StageError> {
        self.written.push((path.to_owned(), bytes));
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes <= self.limits.run {
            return Ok(());
        }
        Err(StageError::Run(codes::PUBLISH_RUN_TOO_LARGE.at(
            Place::file(&self.directory.shown),
            format!(
                "The pages and files of the run are larger than {}",
                format::bytes(self.limits.run)
            ),
            "Leave out what is not meant to be published, or raise `run` in `[limits]`.",
        )))
    }

    /// The error for a page over the limit.
    pub(super) fn page_too_large(&self, path: &str) -> StageError {
        StageError::Run(codes::PUBLISH_PAGE_TOO_LARGE.at(
            Place::file(&self.directory.shown),
            format!(
                "The page {} is larger than {}",
                quoted(path),
                format::bytes(self.limits.page)
            ),
            "Lower `page_size` in `[timeline]` or `inline` in `[limits]`, or raise `page` in `[limits]`.",
        ))
    }
}
