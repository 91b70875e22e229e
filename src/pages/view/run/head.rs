//! The first lines of a run page: what was asked, how the run ended, what it cost, and why it ended that way.

use std::sync::Arc;

use serde::Serialize;

use crate::view::audit::{self, AuditView};
use crate::view::decisions::{self, RunDecisionsView};
use crate::view::format;
use crate::view::rules;
use crate::view::task::VerdictFact;
use base::links;
use formats::model::details::{self, StepResult};
use formats::model::run::Run;
use formats::model::steps::StepFailure;
use formats::model::tape::{Event, Family, MADE_FROM};
use formats::model::words;
use markup::markdown;

use super::CheckedRun;
use super::showcase::{self, PictureView};

/// Maximum failures listed; a tape with more repeats one failure many times.
const FAILURES: usize = 500;
/// Failures listed without expanding.
const FIRST: usize = 3;
/// Findings of the audit listed in the first lines.
const AUDITED: usize = 8;
/// Minimum characters of a failure by which it is found in the details of the outcome.
const NAMED: usize = 8;
/// Maximum characters shown of the last message of the agent.
const ANSWER: usize = 200;
/// Maximum characters shown of a failure, and of the call that failed with it.
const SAYS: usize = 100;
const CALL: usize = 48;
/// Maximum characters of a detail that is not cut, and of one that is.
const WHOLE: usize = 220;
const BEGINNING: usize = 160;

/// The task, the verdict, and the reason of the outcome.
#[derive(Debug, Serialize)]
pub struct HeadView {
    /// What was asked.
    pub task: String,
    /// What the case is, if the task is its title.
    pub about: Option<Arc<str>>,
    /// What is known of how it ended and what it took.
    pub verdict: Vec<VerdictFact>,
    /// Facts of the verdict whose words need explaining, and what they mean.
    pub means: Vec<(String, String)>,
    /// Whether its events follow from its raw output.
    pub audit: Option<AuditView>,
    /// Titles of the rules of the site that it violates.
    pub rules: Vec<String>,
    /// Whether the reasons take more than the first screen of a phone.
    pub is_long: bool,
    /// What the publishers of the site decided about it.
    pub decisions: Option<RunDecisionsView>,
    /// Why it ended, or what did not work; none if it completed and no check failed.
    pub why: Option<OutcomeReasonView>,
    /// The detail of its state, if that is all that is known of its end.
    pub ended: Option<Arc<str>>,
    /// What the agent said last, of an imported run that has no other account of its result.
    pub answer: Option<EventExcerpt>,
    /// The format of the log that it was imported from.
    pub made_from: Option<String>,
    /// The failures of its tapes.
    pub failures: FailuresView,
    /// The first image of its showcase, or else of its proofs.
    pub picture: Option<PictureView>,
    /// A description of the image.
    pub shows: String,
}

/// Why a run ended.
#[derive(Debug, Serialize)]
pub struct OutcomeReasonView {
    /// `Why it ended`; for a completed run `What did not work`.
    pub title: &'static str,
    /// The detail of its state in the record, or its beginning.
    pub state: Option<String>,
    /// The detail of its validation, or its beginning.
    pub validation: Option<String>,
    /// Both details.
    #[serde(skip)]
    pub details: Vec<Arc<str>>,
    /// The details that are too long to be shown without expanding.
    pub cut: Vec<Arc<str>>,
    /// Failed steps, and screens that did not open.
    pub checks: Vec<String>,
}

impl OutcomeReasonView {
    /// Whether the details of the outcome have the text of a failure.
    fn names(&self, failure: &StepFailure<'_, '_>) -> bool {
        let says = words::summary(failure.cause, SAYS);
        let says = says.trim_end_matches('…');
        says.len() >= NAMED && self.details.iter().any(|detail| detail.contains(says))
    }
}

/// The failures of all tapes.
#[derive(Debug, Serialize)]
pub struct FailuresView {
    /// `6 failures in 64 events, latest first`
    pub summary: String,
    /// The one that the outcome names, then from the latest on.
    pub first: Vec<EventExcerpt>,
    pub others: Vec<EventExcerpt>,
    /// Number of further failures, which are only on the timeline.
    pub more: Option<String>,
}

/// What an event says, with a link to the timeline.
#[derive(Debug, Serialize)]
pub struct EventExcerpt {
    /// Its address on the timeline.
    pub href: String,
    pub seq: u64,
    /// The beginning of its text, plain.
    pub says: String,
}

pub(super) fn head(s: &CheckedRun<'_>) -> HeadView {
    let run = &s.entry.run;
    let completed = run.state.is_completed();
    let (picture, shows) = picture(s).unzip();
    let why = why(run, details::steps(s.details), completed);
    let is_open = run.is_imported && why.is_none() && s.inspection.review.is_none();
    let failures = failures(s, why.as_ref());
    let paragraphs = why.as_ref().map_or(0, |why| {
        usize::from(why.state.is_some())
            + usize::from(why.validation.is_some() || !why.checks.is_empty())
    });
    let verdict = s.verdict();
    let means = verdict.iter().filter(|fact| !fact.means.is_empty());
    let means = means.map(|fact| (fact.value.text().to_owned(), fact.means.clone()));
    HeadView {
        is_long: paragraphs > 1 || failures.first.len() > 1,
        answer: is_open.then(|| answer(s)).flatten(),
        about: (!run.is_imported)
            .then(|| s.archive_context.case_description.clone())
            .flatten(),
        ended: why.is_none().then(|| run.state.detail.clone()).flatten(),
        made_from: made_from(s),
        picture,
        shows: shows.unwrap_or_default(),
        task: s.task.to_owned(),
        means: means.collect(),
        verdict,
        audit: audit::audit(s, AUDITED),
        failures,
        why,
        rules: rules::violated(s),
        decisions: decisions::of_run(s),
    }
}

/// The first image of its showcase, or else of its proofs, with a description.
pub fn picture(s: &CheckedRun<'_>) -> Option<(PictureView, String)> {
    let media = s
        .details
        .showcase
        .iter()
        .flat_map(|showcase| &showcase.media);
    let media = media.map(|media| {
        let picture = showcase::picture(
            &s.inspection.pictures.showcase,
            media.kind.as_deref(),
            media.file.as_deref(),
        );
        (picture, [&media.name, &media.file])
    });
    let proofs = s.details.validation.proofs.iter();
    let proofs = proofs.map(|proof| {
        let picture = showcase::picture(
            &s.inspection.pictures.proofs,
            proof.kind.as_deref(),
            proof.dest.as_deref(),
        );
        (picture, [&proof.name, &proof.id])
    });
    media
        .chain(proofs)
        .find_map(|(picture, names)| Some((picture?, details::name(names))))
}

fn answer(s: &CheckedRun<'_>) -> Option<EventExcerpt> {
    let (tape, layout) = s.inspection.tapes.first().zip(s.layouts.first())?;
    let events = tape.events.iter().enumerate().rev();
    let mut events = events.filter(|(_, event)| event.relations.side_track.is_none());
    let (position, event, message) = events.find_map(|(position, event)| {
        let block = event.blocks.first().map(|block| &*block.text);
        let message = block.filter(|_| event.kind.word == "agent");
        let message = event.final_message.as_deref().or(message)?;
        Some((position, event, message))
    })?;
    let says = prose(message);
    (!says.is_empty()).then(|| EventExcerpt {
        href: layout.event_href(&links::run(&s.entry.slug), event.seq, position),
        seq: event.seq,
        says,
    })
}

/// The beginning of a message as one line: its headings and paragraphs, but no tables and code.
fn prose(message: &str) -> String {
    let paragraphs = message.split("\n\n").map(str::trim);
    let prose = paragraphs.filter(|text| !text.is_empty() && !text.starts_with(['|', '`', '!']));
    let mut line = String::new();
    for text in prose {
        if line.len() > ANSWER {
            break;
        }
        if !line.is_empty() {
            line.push_str(" · ");
        }
        line.push_str(&markdown::plain(text, ANSWER));
    }
    match line.char_indices().nth(ANSWER) {
        Some((end, _)) => format!("{}…", line[..end].trim_end_matches(['…', ' '])),
        // A list or a code block would follow.
        None => line.trim_end_matches(':').to_owned(),
    }
}

fn made_from(s: &CheckedRun<'_>) -> Option<String> {
    let header = &s.inspection.tapes.first()?.header;
    let (_, format) = header.iter().find(|(name, _)| *name == MADE_FROM)?;
    format.split(", ").next().map(str::to_owned)
}

fn why(run: &Run, steps: [StepResult<'_>; 2], completed: bool) -> Option<OutcomeReasonView> {
    let validation = &run.validation;
    let steps = ["Install", "Build"].into_iter().zip(steps);
    let failed = steps.filter(|(_, step)| step.has_failed());
    let failed = failed.map(|(name, _)| format!("{name} failed"));
    let unreached: Vec<&str> = validation
        .checks
        .iter()
        .filter(|check| check.compared().is_none())
        .map(|check| &*check.name)
        .collect();
    let unreached = match (unreached.len(), validation.checks.len()) {
        (0, _) => None,
        (none, all) if none == all => Some("None of the expected screens opened".to_owned()),
        (1, _) => Some(format!("The screen {} did not open", unreached[0])),
        _ => Some(format!("The screens {} did not open", unreached.join(", "))),
    };
    let checks: Vec<String> = failed.chain(unreached).collect();
    // An imported run may have no recorded outcome.
    let fine = completed || &*run.state.word == "unknown";
    let worked = checks.is_empty() && validation.loaded != Some(false);
    let details = [&run.state.detail, &validation.detail];
    let details: Vec<Arc<str>> = details.into_iter().flatten().cloned().collect();
    (!fine || !worked).then(|| OutcomeReasonView {
        title: if fine {
            "What did not work"
        } else {
            "Why it ended"
        },
        state: run.state.detail.as_ref().map(beginning),
        validation: validation.detail.as_ref().map(beginning),
        cut: details.iter().filter(|it| is_long(it)).cloned().collect(),
        details,
        checks,
    })
}

/// Whether a detail takes more than a few lines.
fn is_long(detail: &Arc<str>) -> bool {
    detail.chars().nth(WHOLE).is_some()
}

fn beginning(detail: &Arc<str>) -> String {
    if is_long(detail) {
        words::excerpt(detail, BEGINNING)
    } else {
        detail.to_string()
    }
}

/// What failed, and why: `npm test: Cannot find module`.
fn failure_text(failure: &StepFailure<'_, '_>) -> String {
    let cause = event_text(failure.cause, SAYS);
    let call = failure.call.filter(|call| call.seq != failure.cause.seq);
    let call = call.map(|call| event_text(call, CALL));
    let parts = call.into_iter().chain([cause]);
    let parts: Vec<String> = parts.filter(|says| !says.is_empty()).collect();
    parts.join(": ")
}

/// What an event is about. A name alone, as of a file, says nothing without what was done with it.
fn event_text(event: &Event<'_>, limit: usize) -> String {
    let says = words::summary(event, limit);
    match event.kind.word {
        "result" | "edit" => says,
        word if says.is_empty() => word.to_owned(),
        word => match event.kind.family {
            Family::Read | Family::Write => format!("{word} {says}"),
            _ => says,
        },
    }
}

fn failures(s: &CheckedRun<'_>, why: Option<&OutcomeReasonView>) -> FailuresView {
    let path = links::run(&s.entry.slug);
    let mut failed = Vec::new();
    let mut events = 0;
    for (tape, layout) in s.inspection.tapes.iter().zip(s.layouts) {
        events += tape.events.len();
        let failures = tape.events.iter().enumerate();
        let failures = failures.filter(|(_, event)| event.is_failure());
        failed.extend(failures.map(|(position, event)| (tape, layout, position, event.seq)));
    }
    let count = failed.len();
    // What failed last is closest to the end that a reader wants to understand.
    let latest = failed.into_iter().rev().take(FAILURES);
    let mut named = None;
    let list = latest
        .enumerate()
        .map(|(index, (tape, layout, position, seq))| {
            let failure = layout.steps.failure(tape, position);
            if named.is_none() && why.is_some_and(|why| why.names(&failure)) {
                named = Some(index);
            }
            EventExcerpt {
                href: layout.event_href(&path, seq, position),
                seq,
                says: failure_text(&failure),
            }
        });
    let mut list: Vec<EventExcerpt> = list.collect();
    if let Some(named) = named {
        list[..=named].rotate_right(1);
    }
    let order = match (count, named) {
        (0 | 1, _) => "",
        (_, None | Some(0)) => ", latest first",
        _ => ", the one named above first, then the latest",
    };
    let others = list.split_off(list.len().min(FIRST));
    FailuresView {
        summary: format!(
            "{} in {}{order}",
            format::count(count, "failure"),
            format::count(events, "event")
        ),
        more: format::rest(count, list.len() + others.len(), "more failure"),
        first: list,
        others,
    }
}
