//! Groups events of a page under one collapsed line: events that a reviewer muted, and repetitions. Failures and annotated events
//! are never collapsed.

use std::cmp::Ordering;

use formats::model::annotation::{Kind, Sidecar};
use formats::model::tape::{Event, Outcome};
use markup::markdown;

use super::{EventView, Layout};

/// Minimum number of similar units to collapse.
const REPEATED: usize = 4;
/// Maximum characters of a mute's reason on the line.
const REASON: usize = 240;

/// Consecutive events under one line.
#[derive(Debug)]
pub struct Fold {
    /// Index of the first event on the page.
    pub start: usize,
    /// Index after the last event.
    pub end: usize,
    /// The content of the line.
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
        let muted = annotations.filter(|annotation| annotation.kind == Kind::Mute);
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

/// The folds of a page whose first event is at `first`.
pub(super) fn folds(
    mutes: &Mutes<'_>,
    events: &[Event<'_>],
    views: &[EventView<'_>],
    first: usize,
) -> Vec<Fold> {
    let page = Page { events, views };
    let units = page.units();
    let mut folds = Vec::new();
    let mut at = 0;
    while at < units.len() {
        let muted = |unit: &(usize, usize)| {
            let mute = mutes.at(first + unit.0)?;
            let all = (unit.0..unit.1).all(|event| mutes.at(first + event) == Some(mute));
            (all && page.is_quiet(*unit, true)).then_some(mute)
        };
        let (length, line) = if let Some(mute) = muted(&units[at]) {
            let here = units[at..].iter();
            let length = here.take_while(|unit| muted(unit) == Some(mute)).count();
            let (start, end) = (units[at].0, units[at + length - 1].1);
            let reason = || FoldLine::Muted(markdown::plain(mutes.reasons[mute], REASON));
            (length, (end - start > 1).then(reason))
        } else {
            let rest = units[at..].iter();
            let same = rest.take_while(|unit| page.is_same(units[at], **unit));
            let length = same.count().max(1);
            let here = &units[at..at + length];
            (length, (length >= REPEATED).then(|| page.repeated(here)))
        };
        if let Some(line) = line {
            folds.push(Fold {
                start: units[at].0,
                end: units[at + length - 1].1,
                line,
            });
        }
        at += length;
    }
    folds
}

/// The events of a page.
struct Page<'p, 'a> {
    events: &'p [Event<'a>],
    views: &'p [EventView<'a>],
}

impl Page<'_, '_> {
    /// Groups events into units: a call with its result, a failure with its error, a turn with its usage.
    fn units(&self) -> Vec<(usize, usize)> {
        let mut units: Vec<(usize, usize)> = Vec::new();
        for (at, view) in self.views.iter().enumerate() {
            match units.last_mut() {
                Some(unit) if view.is_tied || view.word == "usage" => unit.1 = at + 1,
                _ => units.push((at, at + 1)),
            }
        }
        units
    }

    /// Whether a unit has no failures and no annotations, except for mutes inside a muted span.
    fn is_quiet(&self, (start, end): (usize, usize), in_mute: bool) -> bool {
        self.views[start..end].iter().all(|view| {
            let mut notes = view.annotations.iter();
            !view.failed && notes.all(|note| in_mute && note.class == "mute")
        })
    }

    /// Whether two units are equal except for numbers.
    fn is_same(&self, one: (usize, usize), other: (usize, usize)) -> bool {
        let is_first = one == other;
        let (views, others) = (&self.views[one.0..one.1], &self.views[other.0..other.1]);
        let starts = |view: &EventView<'_>| view.spans.iter().any(|span| span.starts || span.ends);
        views.len() == others.len()
            && !views[0].headline.is_empty()
            && is_same(views[0].headline, others[0].headline)
            && self.is_quiet(other, false)
            && (is_first || others[0].is_in_time())
            && others[1..].iter().all(EventView::is_in_time)
            && !others.iter().any(starts)
            && views.iter().zip(others).all(|(view, other)| {
                let mut facts = view.facts.iter().zip(other.facts);
                (view.word, view.aside) == (other.word, other.aside)
                    && is_same(view.headline, other.headline)
                    && view.facts.len() == other.facts.len()
                    && facts.all(|(fact, other)| fact.0 == other.0 && is_same(&fact.1, &other.1))
            })
    }

    fn repeated(&self, units: &[(usize, usize)]) -> FoldLine {
        let lines: Vec<&str> = units
            .iter()
            .map(|unit| self.views[unit.0].headline)
            .collect();
        let is_ok = |unit: &(usize, usize)| {
            let mut events = self.events[unit.0..unit.1].iter();
            events.any(|event| event.outcome == Outcome::Succeeded)
        };
        FoldLine::Repeated {
            says: ranges(&lines),
            times: units.len(),
            all_ok: units.iter().all(is_ok),
        }
    }
}

/// The pieces of a line: numbers, and the text between them.
fn pieces(line: &str) -> impl Iterator<Item = &str> {
    let is_digit = |piece: &str| piece.starts_with(|c: char| c.is_ascii_digit());
    let mut rest = line;
    std::iter::from_fn(move || {
        let number = is_digit(rest);
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
