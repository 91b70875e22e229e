//! Searches the site's own texts for secrets, once per build.

use std::collections::BTreeSet;

use crate::site::Site;
use ::secrets::{self, Mask, ScanReport, Scanner};
use base::diagnostics::Diagnostic;
use content::load;

use super::prose::SiteProse;

/// Searches prose, static files, templates, settings, names of run directories, and `others`, which are lists with their paths.
pub(super) fn own<'a>(
    site: &Site,
    prose: &SiteProse,
    others: impl Iterator<Item = (&'a str, &'a [u8])>,
    folders: impl Iterator<Item = &'a str>,
) -> Result<ScanReport, Diagnostic> {
    let mut scanner = Scanner::new(&site.config.secrets, "");
    if !site.config.secrets.scan {
        return Ok(scanner.finish());
    }
    for (path, bytes) in site.own_files()? {
        scanner.file(&path, &path, &bytes);
    }
    for text in &prose.texts {
        let at = &text.file.at;
        scanner.file(&at.shown, &at.shown, &load::prose(at, &site.config.limits)?);
    }
    for (path, bytes) in others {
        scanner.file(path, path, bytes);
    }
    for folder in folders {
        scanner.name(folder, folder);
    }
    Ok(scanner.finish())
}

/// Secret values in the record of a run, to mask them in its problems.
pub(super) fn of_record(site: &Site, record: &load::LoadedFile) -> Mask {
    let mut scanner = Scanner::new(&site.config.secrets, "");
    scanner.file(&record.name, &record.shown, &record.bytes);
    scanner.finish().mask
}

/// Reports unused allowances.
pub(super) fn unused(site: &Site, used: &BTreeSet<usize>) -> Vec<Diagnostic> {
    secrets::unused_allowances(&site.config.secrets, used, &site.allowances)
}
