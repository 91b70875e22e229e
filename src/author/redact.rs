//! Withholds parts of a run: adds lines to `redactions.jsonl`, with a commitment to each withheld text. Recorded files are
//! never changed, and withheld text is never printed.

mod key;
mod list;
mod plan;
mod proof;
mod recorded;

use std::collections::BTreeSet;

use base::diagnostics::text::{nearest, quoted, visible};
use base::diagnostics::{Diagnostic, Place, codes};
use content::discover::RunDirectory;
use formats::model::time::parse_rfc3339;
use formats::redactions::{FILE_NAME, Fault, Reason, Redaction, proof as commitments};
use formats::run_record;
use pipeline::site::Site;
use pipeline::with_redactions;

use super::{Refusal, files, open_run};
use list::List;
use recorded::OriginalFiles;

pub use proof::reveal_proof;

/// A request to withhold something.
#[derive(Debug, Clone)]
pub struct Redact {
    /// What to withhold.
    pub target: Target,
    /// The reason. For a finding, defaults to that of its rule.
    pub reason: Option<Reason>,
    /// The reason in words.
    pub note: Option<String>,
    /// The author.
    pub by: Option<String>,
    /// The time; defaults to now.
    pub at: Option<String>,
    /// Whether nothing is written.
    pub dry_run: bool,
}

/// What to withhold.
#[derive(Clone)]
pub enum Target {
    /// Text in a file.
    Quote {
        /// The text.
        quote: String,
        /// The event that contains it.
        event: Option<u64>,
        /// The file that contains it; defaults to the only tape of the run.
        file: Option<String>,
        /// The value that contains it.
        pointer: Option<String>,
    },
    /// A file.
    Whole(String),
    /// A finding of the secret scan, by its fingerprint.
    Finding(String),
    /// Every secret that a check reports as an error.
    All,
}

/// Leaves out the text.
impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Quote { .. } => "Quote",
            Self::Whole(_) => "Whole",
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
    is_undone: bool,
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
        let mut text = match (count, self.is_undone, self.is_dry_run) {
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
        let is_secret = |it: &Redaction| it.reason == Reason::Secret && !self.is_undone;
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
    asked: &Redact,
    waiting: &dyn Fn(&str),
) -> Result<RedactionReport, Refusal> {
    if asked
        .at
        .as_deref()
        .is_some_and(|at| parse_rfc3339(at).is_none())
    {
        let help = "Write it as `2026-03-01T10:00:00Z`.";
        return Err(Refusal::request("The time is not one of RFC 3339", help));
    }
    if asked.reason == Some(Reason::Other)
        && asked
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
        let mut list = List::read(&directory)?;
        let recorded = OriginalFiles::read(&directory, &site.config)?;
        check(&list, &recorded)?;
        let id = run_id(&recorded, &directory)?;
        let look = |list: &mut List| {
            let settled = list.settle(&recorded).map(|_| ());
            settled.map_err(|fault| stale(list, &fault))?;
            let found = with_redactions(site, &directory, &list.bytes());
            found.map_err(|problem| Refusal::Content(vec![problem]))
        };
        let (before, _) = look(&mut list)?;
        let elsewhere = plan::add(&mut list, &recorded, asked, &id, &look)?;
        let values = list
            .settle(&recorded)
            .map_err(|fault| stale(&list, &fault))?;
        let (after, scanned) = look(&mut list)?;
        refuse_unpublishable(&list, &before, after)?;
        let mut key = None;
        if !asked.dry_run && list.entries.iter().any(|entry| entry.is_new) {
            let (bytes, is_new) = key::open(&site.root)?;
            key = is_new.then(|| key::is_ignored(&site.root));
            for (at, entry) in list.entries.iter_mut().enumerate() {
                let value = values.get(&at).filter(|_| entry.is_new);
                let salt = commitments::salt(&bytes, &id, &entry.redaction);
                let made = value.map(|value| commitments::commitment(&salt, value));
                if made.is_some() {
                    entry.redaction.commitment = made;
                }
            }
        }
        let changed = list.entries.iter().filter(|entry| entry.is_new);
        let changed: Vec<_> = changed.map(|entry| entry.redaction.clone()).collect();
        let done = RedactionReport {
            file: format!("{}/{FILE_NAME}", directory.shown),
            changed,
            elsewhere,
            remaining: match asked.target {
                Target::All => scanned.errors.len(),
                _ => 0,
            },
            is_undone: false,
            is_dry_run: asked.dry_run,
            key,
        };
        let is_written = asked.dry_run
            || done.changed.is_empty()
            || files::replace(&directory, FILE_NAME, list.old.as_deref(), &list.bytes())?;
        Ok(is_written.then_some(done))
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
        let mut list = List::read(&directory)?;
        let Some(removed) = list.remove(id) else {
            return Err(no_redaction(&list, id));
        };
        let recorded = OriginalFiles::read(&directory, &site.config)?;
        // Other stale redactions are kept; the check reports them.
        let _ = list.settle(&recorded);
        let is_written =
            dry_run || files::replace(&directory, FILE_NAME, list.old.as_deref(), &list.bytes())?;
        Ok(is_written.then(|| RedactionReport {
            file: format!("{}/{FILE_NAME}", directory.shown),
            changed: vec![removed],
            elsewhere: 0,
            remaining: 0,
            is_undone: true,
            is_dry_run: dry_run,
            key: None,
        }))
    })
}

fn run_id(recorded: &OriginalFiles, directory: &RunDirectory) -> Result<String, Refusal> {
    recorded.id().ok_or_else(|| {
        Refusal::request(
            format!("The record of {} has no id", quoted(&directory.shown)),
            "Correct `run-record.json` first.",
        )
    })
}

/// Fails if an existing redaction does not match its file.
fn check(list: &List, recorded: &OriginalFiles) -> Result<(), Refusal> {
    for file in list.files() {
        let Some(bytes) = recorded.files.get(&file) else {
            let of = list.of(&file);
            let id = of.first().map_or("", |at| &list.entries[*at].redaction.id);
            return Err(Refusal::request(
                format!(
                    "Redaction {} is of {}, which is not in the run directory",
                    quoted(id),
                    quoted(&file)
                ),
                "Remove it with `--undo`, or restore the file.",
            ));
        };
        list.rewritten(&file, bytes, true)
            .map_err(|fault| stale(list, &fault))?;
    }
    Ok(())
}

/// Fails if a redaction would make a valid file invalid: a marker is not a valid address, number or id.
fn refuse_unpublishable(
    list: &List,
    before: &[Diagnostic],
    after: Vec<Diagnostic>,
) -> Result<(), Refusal> {
    let is_id = |entry: &list::Entry| {
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
fn stale(list: &List, (at, fault): &(usize, Fault)) -> Refusal {
    let redaction = &list.entries[*at].redaction;
    let why = match fault {
        Fault::Stale(_, why) => why,
        Fault::Overlap(..) => "it overlaps another one",
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
    Refusal::Content(vec![problem])
}

fn no_redaction(list: &List, id: &str) -> Refusal {
    let ids: BTreeSet<&str> = list
        .entries
        .iter()
        .map(|entry| &*entry.redaction.id)
        .collect();
    let help = match nearest(id, ids.iter().copied()) {
        Some(near) => format!("Did you mean {}?", quoted(near)),
        None if ids.is_empty() => "The run has no redactions.".to_owned(),
        None => "The ids are in its `redactions.jsonl`.".to_owned(),
    };
    Refusal::request(format!("Redaction {} not found", quoted(id)), help)
}
