//! The tapes on a run page, and further pages of long tapes.

use serde::Serialize;

use crate::draw::axis::unlogged_run_time;
use crate::draw::strip::{LegendRow, Strip};
use crate::view::timeline::Layout;
use crate::view::{Badge, DisplayTime, Link, format};
use base::document;
use base::links;
use formats::model::amounts;
use formats::model::run::Run;
use formats::model::tape::{Event, Family, Tape};
use markup::Html;

use super::CheckedRun;

document! {
    /// A strip with its texts.
    pub struct StripView(tape: &Tape<'_>, strip: &Strip<'_>, svg: Html) {
        /// The tape's file.
        pub file: String = tape.file.clone(),
        /// The drawing.
        pub svg: Html = svg,
        pub caption: String = strip.caption.clone(),
        /// How to read it.
        pub help: String = strip.help.clone(),
        /// The names of its rows.
        pub legend: Vec<LegendRow> = strip.legend.clone(),
    }
}

impl StripView {
    /// The strip of the only tape of a run, which also says what the run took, if the tape does not show it.
    #[must_use]
    pub fn of_only_tape(mut self, run: &Run, covered: Option<i64>) -> Self {
        if let Some(run_time) = unlogged_run_time(run, covered) {
            self.caption.push_str("; the run took ");
            self.caption.push_str(&amounts::duration(run_time));
        }
        self
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
    /// The time of its first event, from which times count.
    pub began: Option<DisplayTime>,
    /// `Recorded times run backwards at 2 events, first at event 12.`
    pub backwards: Option<String>,
    /// Number of failed events on the whole tape.
    pub failures: usize,
    /// Where the texts of its pages are, if there are several.
    pub texts: Option<TapeTexts>,
    /// Number of events on the page that only report usage.
    pub usage: usize,
    /// Whether there are messages on the page.
    pub messages: bool,
    /// Whether tools for all tapes are above it: above the first, unless there are only a few events.
    pub tools: bool,
    /// The events of the first page.
    pub html: Html,
    /// Its pages, if there are several.
    pub pages: Option<TapePages>,
}

/// Where a script finds the texts of all pages of a tape.
#[derive(Debug, Serialize)]
pub struct TapeTexts {
    /// Their folder, relative to the site's root.
    pub folder: String,
    pub pages: usize,
    pub page: usize,
}

/// The texts of a tape with several pages, for page `number`.
pub(super) fn texts(layout: &Layout<'_>, number: usize) -> Option<TapeTexts> {
    Some(TapeTexts {
        folder: layout.text_folder()?,
        pages: layout.pages(),
        page: number,
    })
}

/// The pages of a tape, on one of them. The first and the last have no link to themselves.
#[derive(Debug, Serialize)]
pub struct TapePages {
    /// `events 500 to 999 of 3,000`
    pub here: String,
    pub first: Option<String>,
    pub previous: Option<String>,
    pub next: Option<String>,
    pub last: Option<String>,
    /// All pages, or of a very long tape the nearby ones.
    pub list: Vec<PageLink>,
}

/// A page of a tape.
#[derive(Debug, Serialize)]
pub struct PageLink {
    /// `events 500 to 999, 2 failures`
    pub text: String,
    /// Its address.
    pub href: String,
    pub current: bool,
    /// Prefix of the tape's anchors; empty for the first tape.
    pub prefix: String,
    /// Number of its first event.
    pub first: u64,
    /// Number of its last event.
    pub last: u64,
}

document! {
    /// A further page of a tape, `number` from 2 on.
    pub struct EventsPage(s: &CheckedRun<'_>, tape: &Tape<'_>, layout: &Layout<'_>, number: usize, html: Html)
        let path = layout.path(number);
        let root = links::root(&path);
        let href = |number: usize| format!("{root}{}", layout.path(number));
        let range = layout.range(number);
        let run = &s.entry.run;
    {
        /// Task of the run.
        pub title: String = s.task.to_owned(),
        /// The run's id.
        pub id: String = run.id.to_string(),
        /// Its model and harness.
        pub subject: String = format!("{}, {}", run.subject.model(), run.subject.harness),
        /// Its final state.
        pub state: Badge = format::state(&run.state),
        /// Its rating in the review.
        pub rating: Badge = format::rating(s.rating()),
        /// The run's page.
        pub run: Link = Link::new(s.task, format!("{root}{}", links::run(&s.entry.slug))),
        /// The tape's file.
        pub file: String = tape.file.clone(),
        /// The events on this page.
        pub summary: String = page_summary(tape, &range),
        /// The events on this page, for the heading: `events 500–999`.
        pub range: String = {
            let (first, last) = first_and_last(tape, &range);
            format!("events {first}–{last}")
        },
        /// Number of failed events on the whole tape.
        pub failures: usize = layout.all_failures(),
        /// Where the texts of its pages are.
        pub texts: Option<TapeTexts> = texts(layout, number),
        /// Number of events on this page that only report usage.
        pub usage: usize = usage(&tape.events[range.clone()]),
        /// Whether there are messages on this page.
        pub messages: bool = has_messages(&tape.events[range]),
        /// The strip of the whole tape.
        pub strip: Option<StripView> = None,
        pub html: Html = html,
        /// All pages of the tape.
        pub pages: Option<TapePages> = pages(tape, layout, number),
        pub previous: Option<String> = Some(href(number - 1)),
        pub next: Option<String> = (number < layout.pages()).then(|| href(number + 1)),
    }
}

/// Number of events that a reader sees without tools.
const FEW: usize = 12;

/// Whether tools for the tapes of a run are of use.
pub(super) fn need_tools(tapes: &[Tape<'_>]) -> bool {
    tapes.iter().map(|tape| tape.events.len()).sum::<usize>() >= FEW
}

/// Number of events that only report usage.
pub(super) fn usage(events: &[Event<'_>]) -> usize {
    events.iter().filter(|event| event.is_usage()).count()
}

/// Whether one of these events is a message, or reasoning.
pub(super) fn has_messages(events: &[Event<'_>]) -> bool {
    let is_message =
        |event: &Event<'_>| matches!(event.kind.family, Family::Speech | Family::Reasoning);
    events.iter().any(is_message)
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

/// Says that recorded times run backwards, if they do.
pub(super) fn backwards(tape: &Tape<'_>) -> Option<String> {
    let mut events = tape.backward_events();
    let first = events.next()?.seq;
    let count = format::count(events.count() + 1, "event");
    Some(format!(
        "Recorded times run backwards at {count}, first at event {first}."
    ))
}

/// `events 500 to 999`, with the numbers shown at the events.
fn events_text(tape: &Tape<'_>, range: &std::ops::Range<usize>) -> String {
    let (first, last) = first_and_last(tape, range);
    format!(
        "events {} to {}",
        format::grouped(first),
        format::grouped(last)
    )
}

/// `events 500 to 999 of 3,000`
fn page_summary(tape: &Tape<'_>, range: &std::ops::Range<usize>) -> String {
    let events = format::grouped(tape.events.len());
    format!("{} of {events}", events_text(tape, range))
}

/// `, 3 failures`, if there are any.
fn failures(layout: &Layout<'_>, number: usize) -> String {
    match layout.failures(number) {
        0 => String::new(),
        failed => format!(", {}", format::count(failed, "failure")),
    }
}

/// The numbers of the first and the last event of a range.
fn first_and_last(tape: &Tape<'_>, range: &std::ops::Range<usize>) -> (u64, u64) {
    let number = |position: usize| tape.events.get(position).map_or(0, |event| event.seq);
    (number(range.start), number(range.end.saturating_sub(1)))
}

/// Maximum links to pages of a tape on each of them: all, or the nearby ones with the first and the last.
const PAGE_LINKS: usize = 25;

pub(super) fn pages(tape: &Tape<'_>, layout: &Layout<'_>, current: usize) -> Option<TapePages> {
    let count = layout.pages();
    if count == 1 {
        return None;
    }
    let root = links::root(&layout.path(current));
    let href = |number: usize| format!("{root}{}", layout.path(number));
    let (first, last) = if count <= PAGE_LINKS {
        (2, count - 1)
    } else {
        let near = PAGE_LINKS / 2 - 2;
        let first = current.saturating_sub(near).max(2);
        (first, current.saturating_add(near).min(count - 1))
    };
    let numbers = std::iter::once(1).chain(first..=last).chain([count]);
    Some(TapePages {
        here: page_summary(tape, &layout.range(current)),
        first: (current > 1).then(|| href(1)),
        previous: (current > 1).then(|| href(current - 1)),
        next: (current < count).then(|| href(current + 1)),
        last: (current < count).then(|| href(count)),
        list: numbers
            .map(|number| {
                let range = layout.range(number);
                let (first, last) = first_and_last(tape, &range);
                PageLink {
                    text: format!("{}{}", events_text(tape, &range), failures(layout, number)),
                    href: href(number),
                    current: number == current,
                    prefix: layout.prefix.clone(),
                    first,
                    last,
                }
            })
            .collect(),
    })
}
