//! Groups events of a page under one collapsed line: what is before the first turn, the work of a subagent, what a reviewer muted,
//! repetitions, and reads. Failures and annotated events are never collapsed, but for the work of a subagent, which then is open.

use std::cmp::{Ordering, Reverse};
use std::ops::Range;

use formats::model::annotation::{AnnotationKind, Sidecar};
use formats::model::tape::{EventOutcome, Family};
use markup::markdown;

use super::order::DisplayOrder;
use super::{EventView, Layout};

/// Minimum number of similar units to collapse.
const REPEATED: usize = 4;
/// Maximum number of names on the line of reads, and maximum characters of each.
const NAMES: usize = 5;
const NAME: usize = 40;
/// The fact that names the agent of an event.
pub const AGENT: &str = "agent";
/// Maximum characters of a mute's reason on the line.
const REASON: usize = 240;

/// Consecutive events under one line.
#[derive(Debug)]
pub struct Fold {
    /// Index of the first event on the page.
    pub start: usize,
    /// Index after the last event.
    pub end: usize,
    pub line: FoldLine,
}

/// The content of a fold's line.
#[derive(Debug)]
pub enum FoldLine {
    /// A reviewer muted the events. The reason as plain text, which may be empty.
    Muted(String),
    /// The events repeat this text, with the range of each number that varies.
    Repeated {
        /// `duel.mjs --seed 2…40`
        says: String,
        /// Number of repetitions.
        times: usize,
        /// Whether the harness reports success for all of them.
        all_ok: bool,
    },
    /// The events read these, shortened to their names.
    Reads(String),
    /// The events are before the first turn.
    Setup,
    Subagent(SubagentWork),
}

/// The work of a subagent.
#[derive(Debug)]
pub struct SubagentWork {
    /// Its name; may be empty.
    pub name: String,
    /// Whether it reported success, if it said.
    pub outcome: EventOutcome,
    pub failures: usize,
    pub milliseconds: Option<i64>,
    pub tokens: Option<u64>,
    /// Whether it is shown at once: a reviewer annotated something, or it failed.
    pub is_open: bool,
}

/// The mutes of a tape, by event.
#[derive(Debug, Default)]
pub(super) struct Mutes<'a> {
    /// The mute of each event; empty for a tape without mutes.
    at: Vec<Option<usize>>,
    reasons: Vec<&'a str>,
}

impl<'a> Mutes<'a> {
    pub(super) fn of(layout: &Layout<'_>, sidecar: Option<&'a Sidecar<'a>>) -> Self {
        let annotations = sidecar.iter().flat_map(|sidecar| &sidecar.annotations);
        let muted = annotations.filter(|annotation| annotation.kind == AnnotationKind::Mute);
        let mut spans: Vec<(usize, usize, &str)> = muted
            .filter_map(|annotation| {
                let (start, end) = annotation.span?;
                let reason = annotation.evidence.as_deref().unwrap_or_default();
                let end = layout.tape.position_up_to(end)?;
                Some((layout.position(start)?, end, reason))
            })
            .collect();
        if spans.is_empty() {
            return Self::default();
        }
        spans.sort_unstable();
        let mut begun = 0;
        let mut longest: Option<usize> = None;
        let at = (0..layout.tape.events.len())
            .map(|position| {
                while spans.get(begun).is_some_and(|span| span.0 <= position) {
                    if longest.is_none_or(|longest| spans[longest].1 < spans[begun].1) {
                        longest = Some(begun);
                    }
                    begun += 1;
                }
                longest.filter(|longest| spans[*longest].1 >= position)
            })
            .collect();
        let reasons = spans.into_iter().map(|(.., reason)| reason).collect();
        Self { at, reasons }
    }

    fn at(&self, position: usize) -> Option<usize> {
        self.at.get(position).copied().flatten()
    }
}

/// The folds of a page, the outer ones first.
pub(super) fn folds(
    mutes: &Mutes<'_>,
    layout: &Layout<'_>,
    order: &DisplayOrder,
    views: &[EventView<'_>],
) -> Vec<Fold> {
    let page = Page { layout, views };
    let mut folds: Vec<Fold> = order
        .subagents
        .iter()
        .map(|(range, step)| Fold {
            start: range.start,
            end: range.end,
            line: FoldLine::Subagent(page.work(range.clone(), *step)),
        })
        .collect();
    let [main, inner @ ..] = order.levels.as_slice() else {
        return folds;
    };
    let setup = page.setup(main);
    if setup > 0 {
        folds.push(Fold {
            start: 0,
            end: main[setup - 1].end,
            line: FoldLine::Setup,
        });
    }
    let levels = std::iter::once(&main[setup..]).chain(inner.iter().map(Vec::as_slice));
    for units in levels {
        page.fold(mutes, units, &mut folds);
    }
    folds.sort_by_key(|fold| (fold.start, Reverse(fold.end)));
    folds
}

/// The events of a page.
struct Page<'p, 'a> {
    layout: &'p Layout<'a>,
    views: &'p [EventView<'a>],
}

impl Page<'_, '_> {
    /// Folds units of one level: muted ones, repetitions, and several that only read.
    fn fold(&self, mutes: &Mutes<'_>, units: &[Range<usize>], folds: &mut Vec<Fold>) {
        let mut at = 0;
        while at < units.len() {
            let rest = &units[at..];
            let muted = |unit: &Range<usize>| {
                let mute = mutes.at(self.views[unit.start].position)?;
                let events = self.views[unit.clone()].iter();
                let all = events.map(|event| mutes.at(event.position));
                let all = all.into_iter().all(|of_event| of_event == Some(mute));
                (all && self.is_quiet(unit, true)).then_some(mute)
            };
            let same = || rest.iter().take_while(|unit| self.is_same(&rest[0], unit));
            let reads = || rest.iter().take_while(|unit| self.is_read(unit));
            let (length, line) = if let Some(mute) = muted(&rest[0]) {
                let length = rest.iter().take_while(|unit| muted(unit) == Some(mute));
                let length = length.count();
                let is_long = rest[length - 1].end - rest[0].start > 1;
                let reason = || FoldLine::Muted(markdown::plain(mutes.reasons[mute], REASON));
                (length, is_long.then(reason))
            } else {
                let (same, reads) = (same().count().max(1), reads().count());
                if same >= REPEATED {
                    (same, Some(self.repeated(&rest[..same])))
                } else if reads >= REPEATED {
                    (reads, Some(self.reads(&rest[..reads])))
                } else {
                    (1, None)
                }
            };
            if let Some(line) = line {
                folds.push(Fold {
                    start: rest[0].start,
                    end: rest[length - 1].end,
                    line,
                });
            }
            at += length;
        }
    }

    /// Number of units before the first turn, if there are enough to fold and nothing in them needs attention.
    fn setup(&self, units: &[Range<usize>]) -> usize {
        let steps = &self.layout.steps;
        // The harness does the setup, not the agent.
        let is_setup = |unit: &&Range<usize>| {
            let first = &self.views[unit.start];
            let step = steps.of_event[first.position];
            let is_harness = first.family == Family::Other.word();
            is_harness && steps.steps[step].turn == 0 && self.is_quiet(unit, false)
        };
        let setup = units.iter().take_while(is_setup).count();
        if setup < REPEATED || steps.turns() == 0 {
            return 0;
        }
        setup
    }

    /// Whether a unit only reads, and nothing in it needs attention.
    fn is_read(&self, unit: &Range<usize>) -> bool {
        let first = &self.views[unit.start];
        first.family == Family::Read.word()
            && first.is_in_time()
            && self.is_quiet(unit, false)
            && !self.views[unit.clone()].iter().any(has_span_end)
    }

    fn reads(&self, units: &[Range<usize>]) -> FoldLine {
        let mut names: Vec<&str> = Vec::new();
        for unit in units {
            let headline = self.views[unit.start].headline;
            let name = headline.rsplit('/').next().unwrap_or(headline);
            let name = match name.char_indices().nth(NAME) {
                Some((end, _)) => &name[..end],
                None => name,
            };
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
        let more = names.len().saturating_sub(NAMES);
        let mut says = names[..names.len() - more].join(", ");
        if more > 0 {
            says.push_str(&format!(" and {more} more"));
        }
        FoldLine::Reads(says)
    }

    fn work(&self, range: Range<usize>, step: usize) -> SubagentWork {
        let steps = &self.layout.steps;
        let views = &self.views[range];
        let agent = |view: &EventView<'_>| {
            let fact = view.facts.iter().find(|(name, _)| *name == AGENT);
            fact.map(|(_, name)| name.to_string())
        };
        let step = &steps.steps[step];
        let failures = views.iter().filter(|view| view.is_failure).count();
        let is_annotated = views.iter().any(|view| !view.annotations.is_empty());
        let tape = self.layout.tape;
        let tokens = views
            .iter()
            .filter_map(|view| tape.events[view.position].tokens);
        SubagentWork {
            name: views.iter().find_map(agent).unwrap_or_default(),
            outcome: step.outcome,
            failures,
            milliseconds: step.milliseconds,
            tokens: tokens.reduce(u64::saturating_add),
            is_open: is_annotated || failures > 0,
        }
    }

    /// Whether a unit has no failures, no findings of the audit and no annotations, except for mutes inside a muted span.
    fn is_quiet(&self, unit: &Range<usize>, in_mute: bool) -> bool {
        self.views[unit.clone()].iter().all(|view| {
            let mut notes = view.annotations.iter();
            let is_named = view.failed || view.differs || view.follows_missing;
            !is_named && notes.all(|note| in_mute && note.class == "mute")
        })
    }

    /// Whether two units are equal except for numbers.
    fn is_same(&self, one: &Range<usize>, other: &Range<usize>) -> bool {
        let is_first = one == other;
        let (views, others) = (&self.views[one.clone()], &self.views[other.clone()]);
        views.len() == others.len()
            && !views[0].headline.is_empty()
            && is_same(views[0].headline, others[0].headline)
            && self.is_quiet(other, false)
            && (is_first || others[0].is_in_time())
            && others[1..].iter().all(EventView::is_in_time)
            && !others.iter().any(has_span_end)
            && views.iter().zip(others).all(|(view, other)| {
                let mut facts = view.facts.iter().zip(other.facts);
                (view.word, view.aside) == (other.word, other.aside)
                    && is_same(view.headline, other.headline)
                    && view.facts.len() == other.facts.len()
                    && facts.all(|(fact, other)| fact.0 == other.0 && is_same(&fact.1, &other.1))
            })
    }

    fn repeated(&self, units: &[Range<usize>]) -> FoldLine {
        let lines: Vec<&str> = units
            .iter()
            .map(|unit| self.views[unit.start].headline)
            .collect();
        let events = &self.layout.tape.events;
        let is_ok = |unit: &Range<usize>| {
            let mut views = self.views[unit.clone()].iter();
            views.any(|view| events[view.position].outcome == EventOutcome::Succeeded)
        };
        FoldLine::Repeated {
            says: ranges(&lines),
            times: units.len(),
            all_ok: units.iter().all(is_ok),
        }
    }
}

fn has_span_end(view: &EventView<'_>) -> bool {
    view.spans.iter().any(|span| span.starts || span.ends)
}

/// The pieces of a line: numbers, and the text between them.
fn pieces(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let number = is_number(rest);
        let end = rest.find(|c: char| c.is_ascii_digit() != number);
        let (piece, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

fn is_number(piece: &str) -> bool {
    piece.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether two lines are equal except for numbers.
fn is_same(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let mut bytes = one.bytes().zip(other.bytes());
    let differ = bytes.find(|(byte, other)| byte != other);
    if differ.is_some_and(|(byte, other)| !byte.is_ascii_digit() && !other.is_ascii_digit()) {
        return false;
    }
    let words = |piece: &'_ &str| !is_number(piece);
    pieces(one).count() == pieces(other).count()
        && pieces(one).filter(words).eq(pieces(other).filter(words))
        && pieces(one).map(is_number).eq(pieces(other).map(is_number))
}

/// Merges lines that are equal except for numbers.
fn ranges(lines: &[&str]) -> String {
    let mut lines = lines.iter().map(|line| pieces(line));
    let mut all: Vec<(&str, &str)> = lines
        .next()
        .map(|first| first.map(|piece| (piece, piece)).collect())
        .unwrap_or_default();
    for line in lines {
        for (range, piece) in all.iter_mut().zip(line) {
            if by_value(piece, range.0).is_lt() {
                range.0 = piece;
            } else if by_value(piece, range.1).is_gt() {
                range.1 = piece;
            }
        }
    }
    let mut says = String::new();
    for (least, most) in all {
        says.push_str(least);
        if least != most {
            says.push('…');
            says.push_str(most);
        }
    }
    says
}

/// Compares numbers of any length by value.
fn by_value(one: &str, other: &str) -> Ordering {
    let significant = |number: &'_ str| number.len() - number.trim_start_matches('0').len();
    let (one, other) = (&one[significant(one)..], &other[significant(other)..]);
    (one.len(), one).cmp(&(other.len(), other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_differ_in_numbers_become_ranges() {
        assert!(is_same("duel.mjs --seed 2", "duel.mjs --seed 40"));
        assert!(!is_same("duel.mjs --seed 2", "duel.mjs --speed 2"));
        assert!(!is_same("a", "a1"));
        assert!(!is_same("1a", "a1"));
        assert_eq!(
            ranges(&["seed 10 of 40", "seed 9 of 40", "seed 011 of 40"]),
            "seed 9…011 of 40"
        );
        assert_eq!(ranges(&["ls", "ls"]), "ls");
    }
}
