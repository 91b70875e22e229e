//! Appends a decision about a run to `decisions.jsonl` of its content root.

use serde_json::value::RawValue;

use base::diagnostics::text::{did_you_mean, quoted, visible};
use content::discover::RunDirectory;
use formats::decisions::{self, Correction, Decision, DecisionKind, NamedAuthor};
use formats::model::archive::ArchiveEntry;
use pipeline::SiteContent;
use pipeline::site::Site;

use super::annotate::{json, with_line};
use super::open_run::{self, OpenRun};
use super::{Refusal, files};

/// A decision that is to be written. The day is today.
#[derive(Debug, Clone)]
pub struct NewDecision {
    pub verb: DecisionKind,
    pub reason: String,
    pub author: NamedAuthor,
    /// The event that shows it.
    pub event: Option<u64>,
    /// The rule that it is about.
    pub rule: Option<String>,
    /// Name and new value of the corrected outcome. A value that is not JSON is a text.
    pub outcome: Option<(String, String)>,
}

/// Appends a decision about a run, and returns what was written in words. While another writer holds the lock, calls
/// `waiting` with a sentence.
///
/// # Errors
/// There is no such run, the new line fails a check, or the file cannot be written. Nothing is written.
pub fn decide(
    site: &Site,
    run: &str,
    new: &NewDecision,
    waiting: &dyn Fn(&str),
) -> Result<String, Refusal> {
    let directory = open_run::find(site, run)?;
    let _lock = files::lock(&directory, waiting)?;
    files::retry_while_changed(|| {
        let gathered = SiteContent::read(site).map_err(Refusal::Site)?;
        let Some(entry) = gathered.run_in(&directory) else {
            return Err(Refusal::request(
                format!("The run {} cannot be published", quoted(run)),
                "Correct its record first; `runpress check` shows what is wrong.",
            ));
        };
        let decision = Decision {
            date: jiff::Timestamp::now()
                .to_zoned(jiff::tz::TimeZone::UTC)
                .date(),
            author: new.author.clone(),
            run: entry.run.id.to_string(),
            decision: new.verb,
            reason: new.reason.clone(),
            rule: new.rule.clone(),
            event: new.event,
            outcome: new
                .outcome
                .as_ref()
                .map(|(name, value)| correction(entry, name, value))
                .transpose()?,
            origin: decisions::DecisionOrigin::default(),
        };
        let path = directory.root.join(decisions::FILE_NAME);
        append(site, &gathered, &directory, &json(&decision)).map(|line| {
            line.map(|line| {
                let shown = visible(&site.shown(&path));
                let id = visible(&decision.run);
                format!("{shown}:{line}: {id}: {}\n", new.verb.word())
            })
        })
    })
}

/// Appends a line to the file, if all lines pass the checks, and returns its number; `None` if the file changed meanwhile.
fn append(
    site: &Site,
    gathered: &SiteContent,
    directory: &RunDirectory,
    text: &str,
) -> Result<Option<usize>, Refusal> {
    let path = &directory.root.join(decisions::FILE_NAME);
    let unreadable = |error: std::io::Error| {
        Refusal::request(
            format!(
                "The file {} cannot be written: {error}",
                quoted(&site.shown(path))
            ),
            "Correct the permissions or free disk space. The previous file is unchanged.",
        )
    };
    let old = match std::fs::read(path) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(unreadable(error)),
    };
    // A link is followed, so that its target is replaced and not the link.
    let target = match old {
        Some(_) => path.canonicalize().map_err(unreadable)?,
        None => path.to_owned(),
    };
    let bytes = with_line(old.clone().unwrap_or_default(), text);
    let shown = site.shown(path);
    let (decisions, mut problems) = decisions::parse(&shown, &bytes);
    if let Some(new) = decisions.last() {
        problems.extend(gathered.problems_with(site, new));
        let run = OpenRun::open(&site.config, directory)?;
        let found = run.inspect();
        let tape = found.value.tapes.first();
        problems.extend(content::rules::decisions::check_event(new, tape));
    }
    if !problems.is_empty() {
        return Err(Refusal::Content(problems));
    }
    let is_written = files::replace_if_same(&target, old.as_deref(), &bytes).map_err(unreadable)?;
    Ok(is_written.then(|| memchr::memchr_iter(b'\n', &bytes).count()))
}

/// The correction of an outcome, from the value that it has so far.
fn correction(entry: &ArchiveEntry, name: &str, value: &str) -> Result<Correction, Refusal> {
    let mut outcomes = entry.run.outcomes.iter();
    let Some(outcome) = outcomes.find(|outcome| *outcome.name == *name) else {
        let names = entry.run.outcomes.iter().map(|outcome| &*outcome.name);
        return Err(Refusal::request(
            format!("The run has no outcome {}", quoted(name)),
            did_you_mean(name, names, "Write the name as on the page of the run."),
        ));
    };
    let corrected = decisions::corrected(&entry.decisions, outcome);
    let from = corrected.as_ref().unwrap_or(outcome).value.as_deref();
    let raw = |text: &str| RawValue::from_string(text.to_owned()).ok();
    let invalid = || Refusal::request("The recorded value is not JSON", "Correct the record.");
    Ok(Correction {
        name: name.to_owned(),
        from: raw(from.unwrap_or("null")).ok_or_else(invalid)?,
        to: raw(value)
            .or_else(|| raw(&json(&value)))
            .ok_or_else(invalid)?,
    })
}
