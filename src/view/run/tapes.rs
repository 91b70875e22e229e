//! The tapes of a run on its page, and the further pages of the long ones.

use serde::Serialize;

use crate::links;
use crate::markup::Html;
use crate::model::tape::Tape;
use crate::view::strip::{Row, Strip};
use crate::view::timeline::Layout;
use crate::view::{Badge, DisplayTime, Link, format};

use super::Sources;

/// A strip with its words.
#[derive(Debug, Serialize)]
pub struct StripView {
    /// The tape's file.
    pub file: String,
    /// The drawing.
    pub svg: Html,
    /// What it shows.
    pub caption: String,
    /// How it is read.
    pub help: String,
    /// The names of its rows.
    pub legend: Vec<Row>,
}

impl StripView {
    /// The strip of a tape with its drawing.
    #[must_use]
    pub fn new(tape: &Tape<'_>, strip: &Strip<'_>, svg: Html) -> Self {
        Self {
            file: tape.file.clone(),
            svg,
            caption: strip.caption.clone(),
            help: strip.help.clone(),
            legend: strip.legend.clone(),
        }
    }
}

/// A tape on the run page.
#[derive(Debug, Serialize)]
pub struct TimelineView {
    /// The tape's file.
    pub file: String,
    /// Id of the section.
    pub anchor: String,
    /// `200 events`
    pub count: String,
    /// When its first event happened: times count from here.
    pub began: Option<DisplayTime>,
    /// How many events of the whole tape failed.
    pub failures: usize,
    /// The events of the first page.
    pub html: Html,
    /// Its pages, when there are several.
    pub pages: Vec<PageLink>,
}

/// A page of a tape.
#[derive(Debug, Serialize)]
pub struct PageLink {
    /// `events 501 to 1,000 of 3,000, 2 failures`
    pub text: String,
    /// Its address.
    pub href: String,
    /// Whether it is this page.
    pub current: bool,
    /// What the anchors of the tape begin with; empty for the first tape.
    pub prefix: String,
    /// Number of its first event.
    pub first: u64,
    /// Number of its last event.
    pub last: u64,
}

/// A further page of a tape.
#[derive(Debug, Serialize)]
pub struct EventsPage {
    /// Title of the run.
    pub title: String,
    /// The run's id.
    pub id: String,
    /// Its model and harness.
    pub subject: String,
    /// How it ended.
    pub state: Badge,
    /// What reviewers said.
    pub rating: Badge,
    /// The run's page.
    pub run: Link,
    /// The tape's file.
    pub file: String,
    /// Which events are here.
    pub summary: String,
    /// The same as the heading has it: `events 500–999`.
    pub range: String,
    /// How many events of the whole tape failed.
    pub failures: usize,
    /// The whole tape.
    pub strip: Option<StripView>,
    /// The events.
    pub html: Html,
    /// All pages of the tape.
    pub pages: Vec<PageLink>,
    /// The page before.
    pub previous: Option<String>,
    /// The page after.
    pub next: Option<String>,
}

/// `200 events`, `200 events, 12 of them without their reasoning`
pub(super) fn count(tape: &Tape<'_>) -> String {
    let mut count = format::count(tape.events.len(), "event");
    if tape.withheld > 0 {
        count.push_str(&format!(
            ", {} of them without their reasoning",
            tape.withheld
        ));
    }
    count
}

/// Makes page `number` (from 2) of a tape.
#[must_use]
pub fn events_page(
    s: &Sources<'_>,
    tape: &Tape<'_>,
    layout: &Layout<'_>,
    number: usize,
    html: Html,
) -> EventsPage {
    let path = layout.path(number);
    let root = links::root(&path);
    let href = |number: usize| format!("{root}{}", layout.path(number));
    let range = layout.range(number);
    let run = &s.entry.run;
    EventsPage {
        title: run.title(),
        id: run.id.to_string(),
        subject: format!("{}, {}", run.subject.model(), run.subject.harness),
        state: format::state(&run.state),
        rating: format::rating(s.review.and_then(|review| review.rating)),
        run: Link::new(run.title(), format!("{root}{}", links::run(&s.entry.slug))),
        file: tape.file.clone(),
        summary: span(tape, &range),
        range: {
            let (first, last) = ends(tape, &range);
            format!("events {first}–{last}")
        },
        failures: tape.failures(),
        strip: None,
        html,
        pages: pages(tape, layout, number),
        previous: Some(href(number - 1)),
        next: (number < layout.pages()).then(|| href(number + 1)),
    }
}

/// `events 500 to 999 of 3,000`: the numbers are those shown at the events.
fn span(tape: &Tape<'_>, range: &std::ops::Range<usize>) -> String {
    let (first, last) = ends(tape, range);
    format!(
        "events {} to {} of {}",
        format::grouped(&first.to_string()),
        format::grouped(&last.to_string()),
        format::grouped(&tape.events.len().to_string())
    )
}

/// `, 3 failures`, if there are any.
fn failures(tape: &Tape<'_>, range: &std::ops::Range<usize>) -> String {
    let events = tape.events.get(range.clone()).into_iter().flatten();
    match events.filter(|event| event.is_failure()).count() {
        0 => String::new(),
        failed => format!(", {}", format::count(failed, "failure")),
    }
}

/// The numbers of the first and the last event of a range.
fn ends(tape: &Tape<'_>, range: &std::ops::Range<usize>) -> (u64, u64) {
    let number = |position: usize| tape.events.get(position).map_or(0, |event| event.seq);
    (number(range.start), number(range.end.saturating_sub(1)))
}

/// Links to pages of a tape that are shown on each of them: all, or those near this one with the first and the last.
const PAGE_LINKS: usize = 25;

pub(super) fn pages(tape: &Tape<'_>, layout: &Layout<'_>, current: usize) -> Vec<PageLink> {
    let count = layout.pages();
    if count == 1 {
        return Vec::new();
    }
    let root = links::root(&layout.path(current));
    let near =
        |number: usize| count <= PAGE_LINKS || number.abs_diff(current) <= PAGE_LINKS / 2 - 2;
    (1..=count)
        .filter(|number| *number == 1 || *number == count || near(*number))
        .map(|number| {
            let range = layout.range(number);
            let (first, last) = ends(tape, &range);
            PageLink {
                text: format!("{}{}", span(tape, &range), failures(tape, &range)),
                href: format!("{root}{}", layout.path(number)),
                current: number == current,
                prefix: layout.prefix.clone(),
                first,
                last,
            }
        })
        .collect()
}
