//! Many runs as small drawings: each run of a list with its events and its outcome.

use serde::Serialize;

use base::links;
use formats::model::archive::{Archive, ArchiveEntry};
use formats::model::findings::Findings;
use formats::model::run::{Metric, Number};

use super::{Badge, decisions, format, task};
use crate::draw::density::TapeGlyph;

/// Maximum runs on one page, the newest.
const RUNS: usize = 48;

/// The newest runs of a list.
#[derive(Debug, Serialize)]
pub struct Wall {
    pub runs: Vec<WallRun>,
    /// Whether the drawings can have widths proportional to run times.
    pub has_times: bool,
    /// Number of older runs.
    pub older: Option<String>,
}

#[derive(Debug, Serialize)]
pub struct WallRun {
    /// Its page.
    pub href: String,
    pub state: Badge,
    /// Its task, or its model if all runs have the same case.
    pub name: String,
    /// How it ended and what it took; empty if nothing is known.
    pub verdict: String,
    pub model: String,
    /// `2026-03-04, 162 events`, as far as known.
    pub facts: String,
    /// Percentage of the longest run time on the wall; 0 if unknown.
    pub width: u8,
    pub glyph: Option<TapeGlyph>,
}

/// The wall of these runs (positions in the archive, newest first), at most `most`, with or without their cases.
pub fn wall(
    archive: &Archive,
    findings: &[Findings],
    runs: &[usize],
    most: Option<usize>,
    names_case: bool,
    root: &str,
) -> Wall {
    let most = most.unwrap_or(RUNS);
    let shown = &runs[..runs.len().min(most)];
    let times = shown.iter().filter_map(|&run| seconds(&archive.runs[run]));
    let longest = times.fold(0.0, f64::max);
    let runs_on_it = shown.iter().map(|&run| {
        let (entry, findings) = (&archive.runs[run], &findings[run]);
        let mut view = wall_run(entry, findings, root);
        view.width = seconds(entry).map_or(0, |seconds| share(seconds, longest));
        if !names_case {
            view.name = std::mem::take(&mut view.model);
        }
        view
    });
    Wall {
        runs: runs_on_it.collect(),
        has_times: longest > 0.0,
        older: format::rest(runs.len(), shown.len(), "older run"),
    }
}

pub fn wall_run(entry: &ArchiveEntry, findings: &Findings, root: &str) -> WallRun {
    let subject = &entry.run.subject;
    let events = findings
        .events
        .map(|events| task::non_breaking(&format::count(events, "event")));
    let date = entry.run.recency().map(|at| format::at(at.ms()).date);
    let facts: Vec<String> = date.into_iter().chain(events).collect();
    let excluded = decisions::exclusion_badge(entry).map(|badge| badge.word.to_lowercase());
    let verdict = Some(&findings.verdict).filter(|verdict| !verdict.is_empty());
    let verdict: Vec<&str> = excluded.iter().chain(verdict).map(String::as_str).collect();
    WallRun {
        href: format!("{root}{}", links::run(&entry.slug)),
        state: format::outcome_badge(entry),
        name: findings.task.clone(),
        verdict: task::non_breaking(&verdict.join(" · ")),
        model: subject.model().to_owned(),
        facts: facts.join(", "),
        width: 100,
        glyph: TapeGlyph::of_run(findings),
    }
}

fn seconds(entry: &ArchiveEntry) -> Option<f64> {
    let number: &Number = entry.run.metrics.get(Metric::RunTime)?;
    Some(number.value()).filter(|seconds| *seconds > 0.0)
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number between 1 and 100"
)]
fn share(seconds: f64, longest: f64) -> u8 {
    (seconds / longest * 100.0).ceil().clamp(1.0, 100.0) as u8
}
