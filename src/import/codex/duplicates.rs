//! Matches the two forms in which Codex writes a text: an item for the model, and an event for the screen.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use super::super::draft::{DraftEvent, EventContent};

/// Who says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Speaker {
    User,
    Assistant,
    Reasoning,
}

/// One of the two forms of a text.
#[derive(Debug)]
pub(super) struct TextForm {
    /// Number of the row, not counting blank lines.
    pub(super) row: usize,
    pub(super) speaker: Speaker,
    /// Whether this is the screen form.
    pub(super) is_event: bool,
    /// Number of the turn.
    pub(super) turn: u64,
    /// Its events in the draft: one, or one for each part of a summary.
    pub(super) events: Range<usize>,
}

/// Maximum distance of duplicates, in rows with text.
const NEAR: usize = 32;

/// For each of `forms`, whether it has a duplicate in the other form.
pub(super) fn pair(forms: &[TextForm], events: &[DraftEvent]) -> Vec<bool> {
    let mut paired = vec![false; forms.len()];
    let mut free: Vec<usize> = forms
        .iter()
        .map(|form| if form.is_event { 0 } else { form.events.len() })
        .collect();
    let join = |at: usize, duplicate: Option<usize>, paired: &mut [bool]| {
        if let Some(duplicate) = duplicate {
            (paired[at], paired[duplicate]) = (true, true);
        }
    };
    // Match equal texts first, so that none is matched to a neighbor with a different text.
    for same_text in [true, false] {
        for at in (0..forms.len()).filter(|at| forms[*at].is_event) {
            if paired[at] {
                continue;
            }
            // Context that was inserted may be next to the words of the user.
            let needs_same_text = same_text || forms[at].speaker == Speaker::User;
            let fits = |item: &usize| {
                free[*item] > 0 && (!needs_same_text || is_same(&forms[*item], &forms[at], events))
            };
            let duplicate = before(forms, at)
                .find(fits)
                .or_else(|| after(forms, at).find(fits));
            if let Some(duplicate) = duplicate {
                free[duplicate] -= 1;
            }
            join(at, duplicate, &mut paired);
        }
    }
    let mut elsewhere: BTreeMap<(Speaker, u64, &str), VecDeque<usize>> = BTreeMap::new();
    for (at, item) in forms.iter().enumerate().filter(|(at, _)| free[*at] > 0) {
        for event in item.events.clone() {
            let key = (item.speaker, item.turn, text(&events[event]));
            elsewhere.entry(key).or_default().push_back(at);
        }
    }
    for (at, event) in forms.iter().enumerate().filter(|(_, form)| form.is_event) {
        if !paired[at] && !event.events.is_empty() {
            let key = (event.speaker, event.turn, text(&events[event.events.start]));
            let duplicate = elsewhere.get_mut(&key).and_then(VecDeque::pop_front);
            join(at, duplicate, &mut paired);
        }
    }
    paired
}

/// The items on the rows directly before one, skipping events of the same kind.
fn before(forms: &[TextForm], at: usize) -> impl Iterator<Item = usize> {
    (at.saturating_sub(NEAR)..at)
        .rev()
        .take_while(move |other| is_near(forms, at, *other))
        .filter(|other| !forms[*other].is_event)
}

/// The items on the rows directly after one.
fn after(forms: &[TextForm], at: usize) -> impl Iterator<Item = usize> {
    (at + 1..forms.len().min(at + NEAR))
        .take_while(move |other| is_near(forms, at, *other))
        .filter(|other| !forms[*other].is_event)
}

/// Whether two texts are of the same kind, and every row between them has a text.
fn is_near(forms: &[TextForm], at: usize, other: usize) -> bool {
    forms[at].speaker == forms[other].speaker
        && forms[at].row.abs_diff(forms[other].row) == at.abs_diff(other)
}

fn is_same(item: &TextForm, event: &TextForm, events: &[DraftEvent]) -> bool {
    let letters = |at: usize| text(&events[at]).chars().filter(|c| !c.is_whitespace());
    let Some(wanted) = event.events.clone().next() else {
        return false;
    };
    item.events
        .clone()
        .any(|at| letters(at).eq(letters(wanted)))
}

fn text(event: &DraftEvent) -> &str {
    match &event.what {
        EventContent::Message { text, .. } | EventContent::Reasoning { text, .. } => text.trim(),
        _ => "",
    }
}
