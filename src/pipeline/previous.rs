//! Reads the site that is being replaced: its ledger, and the records of changed runs.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::site::Site;
use base::diagnostics::{Diagnostic, Place, codes};
use base::links::{self, Slug};
use content::load;
use formats::config;
use store::ledger::{self, Ledger, RunNames};

/// The ledger; `None` if there is no such site, or it has none yet.
pub(super) fn ledger(site: &Site) -> Result<Option<Ledger>, Diagnostic> {
    let folder = site.previous();
    let shown = site.shown(&folder);
    let limits = &site.config.limits;
    let Some(bytes) = load::published(&folder, &shown, ledger::PATH, limits)? else {
        return Ok(None);
    };
    let mut part = |path: &str| match load::published(&folder, &shown, path, limits) {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err("is missing".to_owned()),
        Err(problem) => Err(format!("cannot be read: {}", problem.message)),
    };
    let ledger = Ledger::parse(&bytes, &mut part).map_err(|reason| {
        codes::LEDGER_UNREADABLE.at(
            Place::file(format!("{shown}/{}", ledger::PATH)),
            format!("The ledger of the previous site cannot be read: {reason}"),
            "Restore the file as runpress wrote it, with the files that its `parts` list, or remove it to start a new ledger.",
        )
    })?;
    let (published, configured) = (ledger.run_folders, site.config.publish.run_folders);
    if published == configured || ledger.run_names().next().is_none() {
        return Ok(Some(ledger));
    }
    let published = published.word();
    Err(codes::LEDGER_RUN_FOLDERS.at(
        Place::file(config::FILE_NAME).pointing("/publish/run_folders"),
        format!("The runs of the previous site are in {published} folders, so `run_folders` cannot be `{}`", configured.word()),
        format!("Set `run_folders = \"{published}\"` in `[publish]`: addresses do not change once they are published. To publish a new site at new addresses, build into an empty folder, without `--previous`."),
    ))
}

/// The record of a run as it was published; `None` if the site is incomplete or must not be read.
pub(super) fn record(site: &Site, run: &RunNames) -> Option<Box<RawValue>> {
    #[derive(Deserialize)]
    struct Document {
        record: Box<RawValue>,
    }
    #[derive(Deserialize)]
    struct Identity {
        id: String,
    }

    if site.options.fresh {
        return None;
    }
    let slug = Slug::new(&run.slug, site.config.publish.run_folders);
    let path = links::run_file(&slug, "run.json");
    let document = load::published(&site.previous(), "", &path, &site.config.limits).ok()??;
    let Document { record } = serde_json::from_slice(&document).ok()?;
    // A different run may have taken the address since.
    let identity: Identity = serde_json::from_str(record.get()).ok()?;
    (*identity.id == *run.id).then_some(record)
}
