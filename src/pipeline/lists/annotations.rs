//! The pages of all annotations: what each kind means, and every annotation under its kind.

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;
use serde::Serialize;

use crate::summary::Facet;
use base::diagnostics::Diagnostic;
use base::links;
use formats::model::annotation::{AnnotationKind, HYPOTHESIS_STATUSES};
use formats::model::findings::CardText;
use pages::feeds::annotations::Recurrence;
use pages::view::Link;
use pages::view::annotations::AnnotationCard;
use pages::view::annotations::kinds::{
    KINDS, KindInfo, appearance_of, folder, kind_index, part_anchor, part_definition, part_name,
    parts_of,
};
use pages::view::chrome::{HeaderEntry, PageInfo, Script};
use pages::view::format;
use pages::view::row::{PAGE_SIZE, Pager, list_page};

use super::{Lists, Page, numbered, recurring};

pub(super) const PAGE: Page = Page {
    header: &[("annotations", HeaderEntry::Link(40, "Annotations"))],
    made_of: Some(&[Facet::Cards]),
    listed: |lists| {
        let first = links::list("annotations", 1);
        let pages = lists.catalogue.pages().into_iter();
        let pages = pages.map(|(kind, number)| kind_path(kind, number));
        [first].into_iter().chain(pages).collect()
    },
    ..Page::new("annotations", &["annotations"], write)
};

/// Number of annotations of each kind on the first page, and of unfolded hypotheses of each status.
const FIRST: usize = 6;

/// The first page: every kind with its definition and its newest annotations.
#[derive(Debug, Serialize)]
struct AnnotationsPage {
    /// `213 annotations on 24 runs`; `None` when there is none.
    summary: Option<String>,
    shelves: Vec<KindView>,
}

/// A kind, on both pages.
#[derive(Debug, Serialize)]
struct KindHead {
    /// Its word in the format.
    kind: &'static str,
    class: &'static str,
    sign: &'static str,
    title: &'static str,
    definition: &'static str,
    /// `12 annotations`
    count: String,
    parts: Vec<PartCount>,
}

/// A kind on the first page.
#[derive(Debug, Serialize)]
struct KindView {
    #[serde(flatten)]
    head: KindHead,
    /// `12`
    number: String,
    /// Its own page; `None` when there is no annotation of it.
    href: Option<String>,
    /// The newest annotations.
    cards: Vec<AnnotationCard>,
    /// Whether there are further annotations.
    more: bool,
}

/// The number of annotations in a part of a kind.
#[derive(Debug, Serialize)]
struct PartCount {
    /// Its word.
    name: String,
    /// Its address on the page.
    href: String,
    count: String,
}

#[derive(Debug, Serialize)]
struct KindPage {
    #[serde(flatten)]
    head: KindHead,
    /// Whether the parts are side by side: hypotheses by status.
    is_board: bool,
    groups: Vec<PartView>,
    /// What recurs in several runs of a case, on the first page.
    recurring: Vec<RecurrenceView>,
    pager: Pager,
}

/// What annotations of several runs of a case have in common.
#[derive(Debug, Serialize)]
struct RecurrenceView {
    case: String,
    pattern: String,
    /// `3 annotations on 2 runs`
    found: String,
    places: Vec<Link>,
    /// How many places are left out.
    more: Option<String>,
}

impl RecurrenceView {
    fn new(recurrence: Recurrence, root: &str) -> Self {
        let count = recurrence.count;
        let links = recurrence.places.iter().map(|place| {
            let (first, last) = (place.event_id, place.end_event_id);
            let events = if first == last {
                format!("event {first}")
            } else {
                format!("events {first} to {last}")
            };
            Link::new(
                format!("{} {events}", place.run),
                format!("{root}{}", place.url),
            )
        });
        let places: Vec<_> = links.collect();
        let annotations = format::count(count, "annotation");
        Self {
            case: recurrence.case,
            pattern: recurrence.pattern.replace('_', " "),
            found: format!("{annotations} on {}", format::count(recurrence.runs, "run")),
            more: (count > places.len()).then(|| format!("{} more", count - places.len())),
            places,
        }
    }
}

/// A part of a kind with its annotations on a page.
#[derive(Debug, Serialize)]
struct PartView {
    /// Its word; `None` for a kind without parts.
    name: Option<String>,
    definition: Option<&'static str>,
    /// Id of the section.
    anchor: String,
    /// Whether it began on an earlier page.
    continued: bool,
    cards: Vec<AnnotationCard>,
    /// The folded annotations.
    rest: Vec<AnnotationCard>,
    /// How many it has on this page.
    count: usize,
}

impl PartView {
    fn new(kind: usize, part: usize) -> Self {
        Self {
            name: part_name(kind, part),
            definition: part_definition(kind, part),
            anchor: part_anchor(kind, part),
            continued: false,
            cards: Vec::new(),
            rest: Vec::new(),
            count: 0,
        }
    }
}

fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let catalogue = lists.catalogue;
    let path = links::list("annotations", 1);
    let view = catalogue.first_page(lists, &links::root(&path));
    let what = "Annotations of events by people, agents and tools, grouped by kind.";
    let info = PageInfo {
        scripts: &[Script::Contents, Script::Annotations],
        ..PageInfo::listed(path, "Annotations", what)
    };
    lists.page("annotations.html", &info, &view)?;
    catalogue
        .pages()
        .into_par_iter()
        .try_for_each(|(kind, number)| {
            let (path, view) = catalogue.kind_page(lists, kind, number);
            let KindHead {
                title,
                definition,
                ref count,
                ..
            } = view.head;
            let info = PageInfo {
                scripts: &[Script::Annotations],
                ..PageInfo::listed(
                    path,
                    numbered(title, number),
                    format!("{definition} {count}."),
                )
            };
            lists.page("annotation_kind.html", &info, &view)
        })
}

fn kind_path(kind: usize, number: usize) -> String {
    links::list(&format!("annotations/{}", folder(kind)), number)
}

/// Every annotation by kind and part; within a part the newest run comes first.
#[derive(Debug)]
pub(super) struct Catalogue {
    kinds: Vec<Vec<CardPlace>>,
    runs: usize,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct CardPlace {
    /// The place of its run in the archive.
    pub(super) run: usize,
    /// Its place among the cards of the run.
    pub(super) card: usize,
    /// Its part of the kind.
    pub(super) group: usize,
}

impl Catalogue {
    /// Sorts the cards of all runs, which come in the archive's order.
    pub(super) fn new<'f>(runs: impl Iterator<Item = &'f [CardText]>) -> Self {
        let mut catalogue = Self {
            kinds: KINDS.iter().map(|_| Vec::new()).collect(),
            runs: 0,
        };
        for (run, cards) in runs.enumerate() {
            catalogue.runs += usize::from(!cards.is_empty());
            for (card, text) in cards.iter().enumerate() {
                let group = text.group;
                catalogue.kinds[text.kind].push(CardPlace { run, card, group });
            }
        }
        for cards in &mut catalogue.kinds {
            cards.sort_by_key(|card| card.group);
        }
        catalogue
    }

    /// The cards of a kind.
    pub(super) fn of_kind(&self, kind: usize) -> &[CardPlace] {
        &self.kinds[kind]
    }

    /// Number of hypotheses by status.
    pub(super) fn hypothesis_counts(&self) -> BTreeMap<&'static str, usize> {
        let kind = kind_index(&AnnotationKind::Hypothesis);
        let count = |part| self.of_part(kind, part).len();
        let words = HYPOTHESIS_STATUSES.iter().enumerate();
        words.map(|(part, word)| (*word, count(part))).collect()
    }

    fn head(&self, kind: usize, root: &str) -> KindHead {
        let (class, sign) = appearance_of(kind);
        let KindInfo {
            kind: word,
            title,
            definition,
        } = KINDS[kind];
        KindHead {
            kind: word,
            class,
            sign,
            title,
            definition,
            count: format::count(self.kinds[kind].len(), "annotation"),
            parts: self.parts(kind, root),
        }
    }

    fn first_page(&self, lists: &Lists<'_>, root: &str) -> AnnotationsPage {
        let total: usize = self.kinds.iter().map(Vec::len).sum();
        let mut shelves = Vec::new();
        for (kind, cards) in self.kinds.iter().enumerate() {
            // The format does not define unknown kinds, so there is no page about them if a site has none.
            if cards.is_empty() && kind == AnnotationKind::KNOWN.len() {
                continue;
            }
            let newest = cards
                .iter()
                .take(FIRST)
                .map(|card| lists.card(card.run, card.card));
            shelves.push(KindView {
                head: self.head(kind, root),
                number: format::grouped(cards.len()),
                href: (!cards.is_empty()).then(|| format!("{root}{}", kind_path(kind, 1))),
                cards: newest.collect(),
                more: cards.len() > FIRST,
            });
        }
        let (annotations, runs) = (
            format::count(total, "annotation"),
            format::count(self.runs, "run"),
        );
        AnnotationsPage {
            summary: (total > 0).then(|| format!("{annotations} on {runs}")),
            shelves,
        }
    }

    fn parts(&self, kind: usize, root: &str) -> Vec<PartCount> {
        let parts = 0..=parts_of(kind).len();
        parts
            .filter_map(|part| {
                let name = part_name(kind, part)?;
                let cards = self.of_part(kind, part);
                let path = kind_path(kind, cards.start / PAGE_SIZE + 1);
                (!cards.is_empty()).then(|| PartCount {
                    name,
                    href: format!("{root}{path}#{}", part_anchor(kind, part)),
                    count: format::grouped(cards.len()),
                })
            })
            .collect()
    }

    /// The places of a part's cards among those of the kind.
    fn of_part(&self, kind: usize, part: usize) -> Range<usize> {
        let cards = &self.kinds[kind];
        let start = cards.partition_point(|card| card.group < part);
        start..cards.partition_point(|card| card.group <= part)
    }

    /// Kind and number of every page of a kind.
    fn pages(&self) -> Vec<(usize, usize)> {
        let kinds = self.kinds.iter().enumerate();
        kinds
            .flat_map(|(kind, cards)| {
                (1..=cards.len().div_ceil(PAGE_SIZE)).map(move |number| (kind, number))
            })
            .collect()
    }

    /// A page of a kind, with its path.
    fn kind_page(&self, lists: &Lists<'_>, kind: usize, number: usize) -> (String, KindPage) {
        let cards = &self.kinds[kind];
        let folder = format!("annotations/{}", folder(kind));
        let page = list_page(&folder, number, PAGE_SIZE, cards.len(), "annotations");
        let range = page.items;
        let is_board = KINDS[kind].kind == "hypothesis";
        let mut groups: Vec<PartView> = Vec::new();
        for (index, place) in cards.iter().enumerate().take(range.end).skip(range.start) {
            let group = place.group;
            let begins = index == 0 || cards[index - 1].group != group;
            if begins || index == range.start {
                groups.push(PartView {
                    continued: !begins,
                    ..PartView::new(kind, group)
                });
            }
            if let Some(part) = groups.last_mut() {
                let mut card = lists.card(place.run, place.card);
                // The heading names the part.
                card.group = card.group.filter(|_| part.name.is_none());
                part.count += 1;
                let is_folded = is_board && part.cards.len() == FIRST;
                let cards = if is_folded {
                    &mut part.rest
                } else {
                    &mut part.cards
                };
                cards.push(card);
            }
        }
        if is_board && cards.len() <= PAGE_SIZE {
            self.fill_board(kind, &mut groups);
        }
        let recurring = if number == 1 {
            recurring::of_kind(lists, kind)
        } else {
            Vec::new()
        };
        let recurring = recurring.into_iter();
        let view = KindPage {
            head: self.head(kind, &page.root),
            is_board,
            groups,
            recurring: recurring
                .map(|it| RecurrenceView::new(it, &page.root))
                .collect(),
            pager: page.pager,
        };
        (page.path, view)
    }

    /// Columns for all statuses, because empty ones are informative.
    fn fill_board(&self, kind: usize, groups: &mut Vec<PartView>) {
        for part in 0..parts_of(kind).len() {
            if self.of_part(kind, part).is_empty() {
                groups.insert(part.min(groups.len()), PartView::new(kind, part));
            }
        }
    }
}
