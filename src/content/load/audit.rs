//! (edge) Reads the logs of a run once more for their audit: as they were recorded, without redactions.

use base::diagnostics::Diagnostic;
use formats::audit::{self, Audit};
use formats::replay::Harness;
use formats::{events, raw};

use super::run_files::{self, Role, RunFiles, raw_lines};
use super::{RunFolder, open, unreadable};

impl RunFolder<'_> {
    /// Compares the event log with the raw log. `Ok(None)` if there is no raw log, or the event log cannot be read.
    pub fn audit(self, harness: Harness, files: &RunFiles) -> Result<Option<Audit>, Diagnostic> {
        let is_unreadable = files
            .unreadable
            .iter()
            .any(|name| name == events::FILE_NAME);
        if files.raw.is_none() || is_unreadable {
            return Ok(None);
        }
        let shown = format!("{}/{}", self.directory.shown, raw::FILE_NAME);
        let folder = open(self.directory);
        let folder = folder.map_err(|error| unreadable(&shown, &error.to_string()))?;
        let again;
        let log = match &files.events {
            Some(log) if log.recorded.is_none() => Some(&*log.bytes),
            _ => {
                let shown = format!("{}/{}", self.directory.shown, events::FILE_NAME);
                let most = Role::Events.most(self.limits);
                again = run_files::read(&folder, events::FILE_NAME, &shown, most)?;
                again.as_deref()
            }
        };
        let most = Role::Raw.most(self.limits);
        let name = raw::FILE_NAME;
        let audit = audit::audit(harness, log, |each| {
            let mut reader = raw::Reader::default();
            let read = raw_lines(
                &folder,
                (name, &shown),
                most,
                |_| (),
                |line| {
                    let printed = reader.line(&shown, &line);
                    let row = printed.and_then(|printed| printed.row());
                    each(line.number, row.as_ref());
                },
            );
            read.map(|_| ())
        });
        audit.map(Some)
    }
}
