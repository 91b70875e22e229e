//! What annotations of several runs of a case have in common: anchors whose events do the same, and friction of one kind.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use base::links;
use formats::model::annotation::AnnotationKind;
use pages::feeds::annotations::{Recurrence, RecurrencePlace};
use pages::view::annotations::kinds::{kind_index, parts_of};

use super::Lists;

/// Most places that are listed.
const LISTED: usize = 20;

#[derive(Default)]
struct PatternOccurrences {
    count: usize,
    runs: BTreeSet<usize>,
    places: Vec<RecurrencePlace>,
}

/// What recurs in annotations of a kind, in most runs first. Only anchors and friction can recur.
pub(super) fn of_kind(lists: &Lists<'_>, kind: usize) -> Vec<Recurrence> {
    let mut groups: BTreeMap<(&str, String), PatternOccurrences> = BTreeMap::new();
    let recurs =
        [AnnotationKind::CrystallizeHere, AnnotationKind::Friction].map(|kind| kind_index(&kind));
    let cards = lists.catalogue.of_kind(kind).iter();
    for place in cards.filter(|_| recurs.contains(&kind)) {
        let text = &lists.findings()[place.run].cards[place.card];
        let friction = parts_of(kind)
            .get(place.group)
            .map(|word| (*word).to_owned());
        let entry = &lists.archive().runs[place.run];
        for pattern in text.patterns.iter().cloned().chain(friction) {
            let group = groups.entry((&*entry.run.subject.case, pattern));
            let group = group.or_default();
            group.count += 1;
            group.runs.insert(place.run);
            if group.places.len() < LISTED {
                group.places.push(RecurrencePlace {
                    run_id: entry.run.id.to_string(),
                    run: entry.label.clone(),
                    event_id: text.event,
                    end_event_id: text.last.unwrap_or(text.event),
                    url: links::run_file(&entry.slug, &text.href),
                });
            }
        }
    }
    let groups = groups.into_iter().filter(|(_, group)| group.runs.len() > 1);
    let recurrences = groups.map(|((case, pattern), group)| Recurrence {
        case: case.to_owned(),
        pattern,
        count: group.count,
        runs: group.runs.len(),
        places: group.places,
    });
    let mut recurrences: Vec<_> = recurrences.collect();
    recurrences.sort_by_key(|it| (Reverse(it.runs), Reverse(it.count)));
    recurrences
}
