//! Compares the content with that of a base, such as a checkout of the branch that a pull request is about.

use std::io;
use std::path::Path;

use base::diagnostics::text::quoted;
use base::diagnostics::{Diagnostic, Failure, Place, codes};
use formats::config::{self, Config};
use pages::view::contribution::{ContentState, Contribution};
use store::ledger::{self as ledgers, Ledger};

use super::{NoProgress, Outcome, Progress, SiteContent, dry_run, ledger};
use crate::site::{Overrides, Site};

/// A site whose runs are all checked.
struct CheckedSite<'a> {
    site: &'a Site,
    gathered: &'a SiteContent,
    outcome: &'a Outcome,
}

/// Why a folder cannot be the base; `None` if it can, or if no base is given. An empty folder or a checkout may be from before
/// there was a site.
pub(super) fn base_problem(site: &Site) -> Option<Diagnostic> {
    let folder = site.options.base.as_deref()?;
    let shown = folder.to_string_lossy();
    let reason = match folder.read_dir() {
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => "is not a folder".to_owned(),
        Err(error) => format!("cannot be read: {error}"),
        Ok(_) if folder.join(ledgers::PATH).exists() => {
            return Some(codes::CONTENT_NO_BASE.at(
                Place::file(&*shown),
                format!("The base {} is a published site", quoted(&shown)),
                "Name the root of its sources with `--base`, and the published site with `--previous`.",
            ));
        }
        Ok(mut entries) => {
            let is_checkout = [".git", config::FILE_NAME]
                .iter()
                .any(|name| folder.join(name).exists());
            let mut roots = overrides(site, folder).content;
            if roots.is_empty() {
                let default = Config::default().build.content;
                roots.extend(default.iter().map(|root| folder.join(root)));
            }
            let has_content = roots.iter().any(|root| root.is_dir());
            if is_checkout || has_content || entries.next().is_none() {
                return None;
            }
            format!("has no `{}` and no content", config::FILE_NAME)
        }
    };
    Some(codes::CONTENT_NO_BASE.at(
        Place::file(&*shown),
        format!("The base {} {reason}", quoted(&shown)),
        "Name the root of the site in a checkout of the target branch, such as the folder that `git worktree add ../base origin/main` makes.",
    ))
}

/// How the content differs from that of the base; `None` if no base is given.
pub(super) fn contribution(
    site: &Site,
    gathered: &SiteContent,
    outcome: &Outcome,
    progress: &dyn Progress,
) -> Option<Contribution> {
    let folder = site.options.base.as_ref()?;
    progress.begin("Checking the base", None);
    let after = CheckedSite {
        site,
        gathered,
        outcome,
    };
    match before(site, folder) {
        Ok((state, ledger)) => {
            let changes = after.ledger(Some(&ledger));
            let is_changed = changes.newest() > ledger.newest();
            let changes = changes.builds.into_iter().next().filter(|_| is_changed);
            Some(Contribution::of(&state, after.state(), changes))
        }
        Err(problems) => {
            // A repository without a site has no content, so that everything is new.
            let is_empty = |it: &Diagnostic| it.code == &codes::CONTENT_MISSING_ROOT;
            let is_unreadable = !problems.iter().any(is_empty);
            let unreadable = problems.into_iter().find(|_| is_unreadable);
            let ledger = after.ledger(Some(&Ledger::default()));
            let changes = ledger.builds.into_iter().next();
            let nothing = ContentState::default();
            Some(Contribution {
                unreadable,
                ..Contribution::of(&nothing, after.state(), changes)
            })
        }
    }
}

/// The content of the base, and a ledger that has only its runs.
fn before(site: &Site, folder: &Path) -> Result<(ContentState, Ledger), Failure> {
    let base = Site::open(folder, &overrides(site, folder))?;
    let staged = dry_run(&base, &NoProgress)?;
    let checked = CheckedSite {
        site: &base,
        gathered: &staged.gathered,
        outcome: &staged.outcome,
    };
    let ledger = checked.ledger(None);
    Ok((checked.state(), ledger))
}

/// The same options, for the base.
fn overrides(site: &Site, folder: &Path) -> Overrides {
    let options = &site.options;
    let content = options.content.iter();
    let content = content.map(|path| match path.strip_prefix(&site.root) {
        Ok(below) => folder.join(below),
        Err(_) => path.clone(),
    });
    // Addresses and some problems depend on the site that is replaced, which is the same for both.
    let previous = site.previous();
    let has_ledger = previous.join(ledgers::PATH).exists();
    Overrides {
        content: content.collect(),
        previous: has_ledger.then_some(previous),
        fresh: true,
        base: None,
        out: None,
        export: None,
        records: None,
        ..options.clone()
    }
}

impl CheckedSite<'_> {
    fn state(&self) -> ContentState {
        let (site, gathered) = (self.site, self.gathered);
        let runs = gathered.archive.runs.iter();
        let directories = gathered.directories.iter();
        let left_out = directories.filter(|directory| directory.is_left_out());
        ContentState::of(
            &gathered.archive,
            &self.outcome.findings,
            runs.map(|entry| gathered.directory(entry).place.shown.clone()),
            left_out.map(|run| run.place.shown.clone()).collect(),
            &site.rules,
            &site.config.cells,
            &self.outcome.diagnostics,
        )
    }

    /// A ledger of its runs, also if they have errors.
    fn ledger(&self, previous: Option<&Ledger>) -> Ledger {
        let runs = ledger::runs(&self.gathered.archive, &self.outcome.findings);
        let now = ledger::current_runs(self.site, self.gathered, runs);
        // The old records are not the published ones, so only digests say which fields changed.
        ledgers::next(previous, now, &ledgers::by_digest)
    }
}
