//! Stages the files of one run, lists them, and enforces the limits.

use std::io::{self, Write};

use base::diagnostics::text::quoted;
use base::diagnostics::{Diagnostic, Place, codes};
use formats::config::Limits;
use formats::model::FileDigest;
use markup::Html;
use pages::render::templates::Renderer;
use pages::view::format;
use store::publish::Stage;

use super::{CheckedRun, SiteOutput};

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

/// The stage of one run.
pub(super) struct RunStage<'a> {
    /// Paths and sizes of the staged files.
    pub(super) written: Vec<(String, u64)>,
    /// The first page of each tape, for the run page.
    pub(super) first_pages: Vec<Html>,
    pub(super) renderer: &'a Renderer,
    /// Whether pages and `run.json` are planned and not made: in a check, if no template can fail and no limit can be exceeded.
    pub(super) plans_pages: bool,
    stage: &'a Stage,
    limits: &'a Limits,
    /// The directory of the run in diagnostics.
    shown: &'a str,
    /// The size of all staged files.
    bytes: u64,
}

/// Maximum bytes on the pages of a run for each byte of its files: each character of a message may need a mark, in the message
/// and in its source.
const GROWTH: u64 = 64;
/// Maximum bytes on the pages of a run in addition to those.
const FRAME: u64 = 1 << 20;

impl<'a> RunStage<'a> {
    pub(super) fn new(output: SiteOutput<'a>, run: &CheckedRun<'a>) -> Self {
        let limits = &run.config.limits;
        let most = run.files.held.saturating_mul(GROWTH).saturating_add(FRAME);
        let files = run.digests.iter().map(FileDigest::published_bytes);
        let is_small = most <= limits.page && files.fold(most, u64::saturating_add) <= limits.run;
        Self {
            written: Vec::new(),
            first_pages: Vec::new(),
            renderer: output.renderer,
            plans_pages: output.stage.is_dry_run() && output.renderer.is_built_in() && is_small,
            stage: output.stage,
            limits,
            shown: &run.files.directory.shown,
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
            Place::file(self.shown),
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
            Place::file(self.shown),
            format!(
                "The page {} is larger than {}",
                quoted(path),
                format::bytes(self.limits.page)
            ),
            "Lower `page_size` in `[timeline]` or `inline` in `[limits]`, or raise `page` in `[limits]`.",
        ))
    }
}
