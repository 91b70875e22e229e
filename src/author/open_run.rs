//! The input of an annotator: one run, its tapes, and the sidecar of the chosen tape.

use std::path::Path;

use base::diagnostics::text::{did_you_mean, quoted};
use base::diagnostics::{CheckResult, Diagnostic};
use content::discover::{self, RunDirectory};
use content::inspect::{self, Inspection};
use content::load::{self, RunFiles};
use formats::config::Config;
use formats::{sidecar, tape};
use pipeline::SiteContent;
use pipeline::site::Site;

use super::Refusal;

/// Finds a run by folder path, id or address on the site.
pub(super) fn find(site: &Site, name: &str) -> Result<RunDirectory, Refusal> {
    if let Some(directory) = discover::run_at(&site.root, &site.content, Path::new(name)) {
        return Ok(directory);
    }
    let gathered = SiteContent::read(site).map_err(Refusal::Site)?;
    match gathered.named(name)[..] {
        [directory] => Ok(directory.clone()),
        [] => Err(Refusal::request(
            format!("Run {} not found", quoted(name)),
            did_you_mean(
                name,
                gathered.names(),
                "Name the folder of its `run-record.json`, its id, or the last part of its address.",
            ),
        )),
        ref several => Err(Refusal::request(
            format!("Several runs have the id {}", quoted(name)),
            format!(
                "Name the folder instead: {}.",
                listed(several.iter().map(|found| &*found.shown))
            ),
        )),
    }
}

/// One run with its current or proposed files.
pub(super) struct OpenRun<'a> {
    pub(super) config: &'a Config,
    pub(super) files: RunFiles,
    /// Problems of reading the files.
    problems: Vec<Diagnostic>,
}

/// An existing sidecar, or a new one if `bytes` is `None`.
pub(super) struct SidecarFile {
    pub(super) name: String,
    pub(super) bytes: Option<Vec<u8>>,
}

impl<'a> OpenRun<'a> {
    pub(super) fn open(config: &'a Config, directory: &'a RunDirectory) -> Result<Self, Refusal> {
        let record = load::record(directory, &config.limits)?;
        let (files, problems) = load::run(directory, &record, &config.limits);
        Ok(Self {
            config,
            files,
            problems,
        })
    }

    /// Checks the tapes and their sidecars.
    pub(super) fn inspect(&self) -> CheckResult<Inspection<'_>> {
        let mut checked = inspect::annotated(self.config, &self.files);
        checked.diagnostics.extend(self.problems.iter().cloned());
        checked
    }

    /// The index of the chosen tape; without a name, the only one of `among`.
    pub(super) fn tape_index(
        &self,
        found: &CheckResult<Inspection<'_>>,
        wanted: Option<&str>,
        among: &[&str],
    ) -> Result<usize, Refusal> {
        let run = quoted(&self.files.directory.shown);
        let tapes = self.tapes();
        let none = "Put an `events.jsonl` or a Harn tape next to its record.";
        let name = match (wanted, among) {
            (None, [only]) => only,
            (None, []) => return Err(Refusal::request(format!("The run {run} has no tape"), none)),
            (None, several) => {
                let names = listed(several.iter().copied());
                return Err(Refusal::request(
                    format!("The run {run} has several tapes"),
                    format!("Name one with `--tape`: {names}."),
                ));
            }
            (Some(wanted), _) => tapes
                .iter()
                .copied()
                .find(|tape| self.is_named(tape, wanted))
                .ok_or_else(|| {
                    let help = match &tapes[..] {
                        [] => none.to_owned(),
                        tapes => format!("It has {}.", listed(tapes.iter().copied())),
                    };
                    Refusal::request(
                        format!("The run {run} has no tape {}", quoted(wanted)),
                        help,
                    )
                })?,
        };
        let position = found.value.tapes.iter().position(|tape| tape.file == name);
        position.ok_or_else(|| Refusal::Content(self.problems_of(found, name)))
    }

    /// The names of the run's tapes, including those that fail to load.
    pub(super) fn tapes(&self) -> Vec<&str> {
        let unreadable = self.files.unreadable.iter().map(String::as_str);
        let read = self.files.events.iter().chain(&self.files.tapes);
        read.map(|file| file.name.as_str())
            .chain(unreadable.filter(|name| load::is_tape(name)))
            .collect()
    }

    /// The tapes with a sidecar, or all tapes if none has one.
    pub(super) fn annotated_tapes(&self, found: &CheckResult<Inspection<'_>>) -> Vec<&str> {
        let mut tapes = self.tapes();
        let has_sidecar = |name: &str| {
            let pairs = found.value.tapes.iter().zip(&found.value.sidecars);
            pairs
                .into_iter()
                .any(|(tape, sidecar)| tape.file == name && sidecar.is_some())
        };
        if tapes.iter().any(|name| has_sidecar(name)) {
            tapes.retain(|name| has_sidecar(name));
        }
        tapes
    }

    /// Whether `wanted` is the tape's file name or a path to it.
    fn is_named(&self, tape: &str, wanted: &str) -> bool {
        tape == wanted
            || Path::new(wanted)
                .canonicalize()
                .is_ok_and(|path| path == self.files.directory.path().join(tape))
    }

    /// The sidecar of a tape. Fails if an existing sidecar cannot be used, because additions to it could not be checked.
    pub(super) fn sidecar(
        &self,
        found: &CheckResult<Inspection<'_>>,
        tape: usize,
    ) -> Result<SidecarFile, Refusal> {
        let attached = found.value.sidecars.get(tape).and_then(Option::as_ref);
        if let Some(sidecar) = attached {
            let file = self
                .files
                .sidecars
                .iter()
                .find(|file| file.name == sidecar.file);
            return Ok(SidecarFile {
                name: sidecar.file.clone(),
                bytes: file.map(|file| file.bytes.clone()),
            });
        }
        let tape = &found.value.tapes[tape].file;
        let belongs_to_another_tape = |name: &str| {
            let mut sidecars = found.value.sidecars.iter().flatten();
            sidecars.any(|sidecar| sidecar.file == name)
        };
        // Harn's own fixtures drop the tape's extension (formats.md H.2).
        let stems = tape::EXTENSIONS
            .iter()
            .filter_map(|extension| tape.strip_suffix(extension));
        for stem in std::iter::once(tape.as_str()).chain(stems) {
            let name = format!("{stem}{}", sidecar::SUFFIX);
            let exists = self.files.sidecars.iter().any(|file| file.name == name)
                || self.files.unreadable.contains(&name);
            if exists && !belongs_to_another_tape(&name) {
                return Err(Refusal::Content(self.problems_of(found, &name)));
            }
        }
        Ok(SidecarFile {
            name: format!("{tape}{}", sidecar::SUFFIX),
            bytes: None,
        })
    }

    /// The problems of one file of the run.
    pub(super) fn problems_of(
        &self,
        found: &CheckResult<Inspection<'_>>,
        name: &str,
    ) -> Vec<Diagnostic> {
        let shown = format!("{}/{name}", self.files.directory.shown);
        let problems = found.diagnostics.iter();
        problems
            .filter(|problem| problem.place.path == shown)
            .cloned()
            .collect()
    }
}

/// Names in backticks, between commas.
fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.map(quoted).collect::<Vec<_>>().join(", ")
}

/// The refusal for a tape without a sidecar.
pub(super) fn no_sidecar(tape: &str, directory: &RunDirectory) -> Refusal {
    Refusal::request(
        format!(
            "The tape {} of {} has no sidecar",
            quoted(tape),
            quoted(&directory.shown)
        ),
        "`runpress annotate` creates it with the first annotation.",
    )
}
