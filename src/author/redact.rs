//! Withholds parts of a run: adds lines to `redactions.jsonl`, with a commitment to each withheld text. Recorded files are
//! never changed, and withheld text is never printed.

mod key;
mod original_files;
mod plan;
mod proof;
mod redaction_list;

use std::collections::BTreeSet;

use base::diagnostics::text::{did_you_mean, quoted, visible};
use base::diagnostics::{Diagnostic, Place, codes};
use content::discover::RunDirectory;
use formats::model::time::parse_rfc3339;
use formats::redactions::{
    FILE_NAME, Redaction, RedactionReason, RewriteError, proof as commitments,
};
use formats::run_record;
use pipeline::site::Site;
use pipeline::with_redactions;

use super::{Refusal, files, open_run};
use original_files::OriginalFiles;
use redaction_list::{ListedRedaction, RedactionList};

pub use proof::reveal_proof;

/// A request to withhold something.
#[derive(Debug, Clone)]
pub struct RedactionRequest {
    pub target: RedactionTarget,
    /// The reason. For a finding, defaults to that of its rule.
    pub reason: Option<RedactionReason>,
    /// The reason in words.
    pub note: Option<String>,
    pub by: Option<String>,
    /// The time; defaults to now.
    pub at: Option<String>,
    /// Whether nothing is written.
    pub dry_run: bool,
}

/// What to withhold.
#[derive(Clone)]
pub enum RedactionTarget {
    /// Text in a file.
    Quote {
        quote: String,
        /// The event that contains it.
        event: Option<u64>,
        /// The file that contains it; defaults to the only tape of the run.
        file: Option<String>,
        /// The value that contains it.
        pointer: Option<String>,
    },
    /// A file.
    File(String),
    /// A finding of the secret scan, by its fingerprint.
    Finding(String),
    /// Every secret that a check reports as an error.
    All,
}

/// Leaves out the text.
impl std::fmt::Debug for RedactionTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Quote { .. } => "Quote",
            Self::File(_) => "File",
            Self::Finding(_) => "Finding",
            Self::All => "All",
        })
    }
}

/// The result of a redaction.
#[derive(Debug)]
pub struct RedactionReport {
    /// Path of the file, as in diagnostics.
    file: String,
    /// The redactions that were added or removed.
    changed: Vec<Redaction>,
    /// How many of them are in other places than requested.
    elsewhere: usize,
    /// Secrets that a check still finds, but not in the text of a file of the run.
    remaining: usize,
    is_removal: bool,
    is_dry_run: bool,
    /// Whether a key was created, and whether git ignores it.
    key: Option<bool>,
}

/// Maximum redactions listed in the result.
const LISTED: usize = 20;

impl RedactionReport {
    /// The result in words.
    pub fn text(&self) -> String {
        let file = visible(&self.file);
        let count = self.changed.len();
        let spans = if count == 1 {
            "1 redaction"
        } else {
            &format!("{count} redactions")
        };
        let mut text = match (count, self.is_removal, self.is_dry_run) {
            (0, ..) => format!("{file}: nothing to withhold\n"),
            (_, true, false) => format!("{file}: removed {spans}\n"),
            (_, true, true) => format!("{file}: would remove {spans}\n"),
            (_, false, false) => format!("{file}: added {spans}\n"),
            (_, false, true) => format!("{file}: would add {spans}\n"),
        };
        for redaction in self.changed.iter().take(LISTED) {
            let id = visible(&redaction.id);
            let place = visible(&redaction.place());
            text.push_str(&format!("  {id}  {place}: {}\n", redaction.marker()));
        }
        if count > LISTED {
            text.push_str(&format!("  and {} more\n", count - LISTED));
        }
        if self.elsewhere > 0 {
            let n = self.elsewhere;
            let s = if n == 1 { " is" } else { "s are" };
            text.push_str(&format!("{n} more occurrence{s} withheld with it.\n"));
        }
        if self.remaining > 0 {
            let n = self.remaining;
            let s = if n == 1 { " remains" } else { "s remain" };
            text.push_str(&format!(
                "{n} secret{s} that cannot be withheld, such as the name of a file: run `runpress check`.\n"
            ));
        }
        if let Some(is_ignored) = self.key {
            text.push_str("Created redaction.key: keep a copy, and never publish it.\n");
            if !is_ignored {
                text.push_str("Add `/redaction.key` to `.gitignore`.\n");
            }
        }
        let is_secret = |it: &Redaction| it.reason == RedactionReason::Secret && !self.is_removal;
        if self.changed.iter().any(is_secret) {
            text.push_str(
                "Replace the secret where it is used: the recorded files still contain it.\n",
            );
        }
        text
    }
}

/// Withholds parts of a run. While another writer holds the lock, calls `waiting` with a sentence.
///
/// # Errors
/// The run or the text is missing, a redaction of the run is stale, another writer does not finish, or the file cannot be
/// written. Nothing is written.
pub fn redact(
    site: &Site,
    run: &str,
    request: &RedactionRequest,
    waiting: &dyn Fn(&str),
) -> Result<RedactionReport, Refusal> {
    if request
        .at
        .as_deref()
        .is_some_and(|at| parse_rfc3339(at).is_none())
    {
        let help = "Write it as `2026-03-01T10:00:00Z`.";
        return Err(Refusal::request("The time is not one of RFC 3339", help));
    }
    if request.reason == Some(RedactionReason::Other)
        && request
            .note
            .as_ref()
            .is_none_or(|note| note.trim().is_empty())
    {
        let help = "Write the reason with `--note`.";
        return Err(Refusal::request("The reason `other` needs a note", help));
    }
    let directory = open_run::find(site, run)?;
    let _lock = files::lock(&directory, waiting)?;
    files::retry_while_changed(|| {
        let mut list = RedactionList::read(&directory)?;
        let originals = OriginalFiles::read(&directory, &site.config)?;
        refuse_stale(&list, &originals)?;
        let id = run_id(&originals, &directory)?;
        let check_run = |list: &mut RedactionList| {
            let updated = list.update_published(&originals).map(|_| ());
            updated.map_err(|fault| stale(list, &fault))?;
            with_redactions(site, &directory, &list.bytes()).map_err(Refusal::from)
        };
        let (before, _) = check_run(&mut list)?;
        let elsewhere = plan::add(&mut list, &originals, request, &id, &check_run)?;
        let values = list
            .update_published(&originals)
            .map_err(|fault| stale(&list, &fault))?;
        let (after, scanned) = check_run(&mut list)?;
        refuse_unpublishable(&list, &before, after)?;
        let mut key = None;
        if !request.dry_run && list.entries.iter().any(|entry| entry.is_new) {
            let (bytes, is_new) = key::open(&site.root)?;
            key = is_new.then(|| key::is_ignored(&site.root));
            for (at, entry) in list.entries.iter_mut().enumerate() {
                let value = values.get(&at).filter(|_| entry.is_new);
                let salt = commitments::salt(&bytes, &id, &entry.redaction);
                let commitment = value.map(|value| commitments::commitment(&salt, value));
                if commitment.is_some() {
                    entry.redaction.commitment = commitment;
                }
            }
        }
        let changed = list.entries.iter().filter(|entry| entry.is_new);
        let changed: Vec<_> = changed.map(|entry| entry.redaction.clone()).collect();
        let report = RedactionReport {
            file: format!("{}/{FILE_NAME}", directory.shown),
            changed,
            elsewhere,
            remaining: match request.target {
                RedactionTarget::All => scanned.errors.len(),
                _ => 0,
            },
            is_removal: false,
            is_dry_run: request.dry_run,
            key,
        };
        let is_written = request.dry_run
            || report.changed.is_empty()
            || files::replace(&directory, FILE_NAME, list.old.as_deref(), &list.bytes())?;
        Ok(is_written.then_some(report))
    })
}

/// Removes a redaction.
pub fn undo(
    site: &Site,
    run: &str,
    id: &str,
    dry_run: bool,
    waiting: &dyn Fn(&str),
) -> Result<RedactionReport, Refusal> {
    let directory = open_run::find(site, run)?;
    let _lock = files::lock(&directory, waiting)?;
    files::retry_while_changed(|| {
        let mut list = RedactionList::read(&directory)?;
        let Some(removed) = list.remove(id) else {
            return Err(no_redaction(&list, id));
        };
        let originals = OriginalFiles::read(&directory, &site.config)?;
        // Other stale redactions are kept; the check reports them.
        let _ = list.update_published(&originals);
        let is_written =
            dry_run || files::replace(&directory, FILE_NAME, list.old.as_deref(), &list.bytes())?;
        Ok(is_written.then(|| RedactionReport {
            file: format!("{}/{FILE_NAME}", directory.shown),
            changed: vec![removed],
            elsewhere: 0,
            remaining: 0,
            is_removal: true,
            is_dry_run: dry_run,
            key: None,
        }))
    })
}

fn run_id(originals: &OriginalFiles, directory: &RunDirectory) -> Result<String, Refusal> {
    originals.id().ok_or_else(|| {
        Refusal::request(
            format!("The record of {} has no id", quoted(&directory.shown)),
            "Correct `run-record.json` first.",
        )
    })
}

/// Fails if an existing redaction does not match its file.
fn refuse_stale(list: &RedactionList, originals: &OriginalFiles) -> Result<(), Refusal> {
    for file in list.files() {
        let Some(bytes) = originals.files.get(&file) else {
            let indices = list.of_file(&file);
            let id = indices
                .first()
                .map_or("", |at| &list.entries[*at].redaction.id);
            return Err(Refusal::request(
                format!(
                    "Redaction {} is of {}, which is not in the run directory",
                    quoted(id),
                    quoted(&file)
                ),
                "Remove it with `--undo`, or restore the file.",
            ));
        };
        list.rewrite(&file, bytes, true)
            .map_err(|fault| stale(list, &fault))?;
    }
    Ok(())
}

/// Fails if a redaction would make a valid file invalid: a marker is not a valid address, number or id.
fn refuse_unpublishable(
    list: &RedactionList,
    before: &[Diagnostic],
    after: Vec<Diagnostic>,
) -> Result<(), Refusal> {
    let is_id = |entry: &ListedRedaction| {
        let it = &entry.redaction;
        it.file == run_record::FILE_NAME && it.pointer.as_deref() == Some("/id") && entry.is_new
    };
    if list.entries.iter().any(is_id) {
        return Err(Refusal::request(
            "The id of a run cannot be withheld",
            "Write another id into `run-record.json`; its page gets a new address.",
        ));
    }
    let key = |it: &Diagnostic| {
        let place = &it.place;
        (
            it.code.name,
            place.path.clone(),
            place.line,
            place.pointer.clone(),
        )
    };
    let known: BTreeSet<_> = before.iter().map(key).collect();
    let is_of_content = |it: &Diagnostic| {
        !["redaction.", "secret."]
            .iter()
            .any(|start| it.code.name.starts_with(start))
    };
    let mut problems: Vec<_> = after
        .into_iter()
        .filter(|it| it.is_error() && is_of_content(it) && !known.contains(&key(it)))
        .collect();
    if problems.is_empty() {
        return Ok(());
    }
    for problem in &mut problems {
        let is_of_record = problem.place.path.ends_with(run_record::FILE_NAME);
        problem.place.excerpt = None;
        let what = if is_of_record {
            "Remove or replace the value in the record, then run `runpress redact` again."
        } else {
            "Withhold the whole file with `--file` and `--whole`, or move it out of the run."
        };
        problem.help = format!("Nothing was withheld: a marker is not valid here. {what}");
    }
    Err(Refusal::Content(problems))
}

/// The refusal for a redaction that does not match its file.
fn stale(list: &RedactionList, (at, fault): &(usize, RewriteError)) -> Refusal {
    let redaction = &list.entries[*at].redaction;
    let why = match fault {
        RewriteError::Stale(_, why) => why,
        RewriteError::Overlap(..) => "it overlaps another one",
    };
    let problem: Diagnostic = codes::REDACTION_STALE.at(
        Place::file(FILE_NAME),
        format!(
            "Redaction {} does not match {}: {why}",
            quoted(&redaction.id),
            quoted(&redaction.place())
        ),
        "Remove it with `--undo`, then withhold the text again.",
    );
    problem.into()
}

fn no_redaction(list: &RedactionList, id: &str) -> Refusal {
    let ids = list.entries.iter().map(|entry| &*entry.redaction.id);
    let otherwise = if list.entries.is_empty() {
        "The run has no redactions."
    } else {
        "The ids are in its `redactions.jsonl`."
    };
    let help = did_you_mean(id, ids, otherwise);
    Refusal::request(format!("Redaction {} not found", quoted(id)), help)
}
