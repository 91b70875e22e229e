//! The pages of all annotations: what each kind means, and every annotation under its kind.

mod kinds;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::model::annotation::{Annotation, HYPOTHESIS_STATUSES, Kind};
use crate::model::archive::Entry;
use crate::model::findings::SpooledCard;
use crate::model::tape::Tape;
use crate::model::time;
use crate::model::words;

use super::row::{PAGE_SIZE, Pager, list_page};
use super::timeline::Layout;
use super::{DisplayTime, format};
use crate::links::{self, Slug};

use kinds::{
    KINDS, appearance_of, folder, kind_index, part_anchor, part_definition, part_name, part_of,
    parts_of,
};

/// Annotations of each kind on the first page, and of each status of hypotheses before the others are unfolded.
pub const FIRST: usize = 6;

/// What a card shows of an annotation itself. It waits in the spool until all runs are known.
#[derive(Debug, Serialize, Deserialize)]
pub struct SpooledText {
    /// Its kind, where that is not known.
    pub kind: Option<String>,
    /// Status of a hypothesis, kind of friction.
    pub group: Option<String>,
    /// What it says, as plain text.
    pub evidence: String,
    /// Where it is, relative to the folder of its run.
    pub href: String,
    /// Number of the event.
    pub event: u64,
    /// Number of the last event, if it covers several.
    pub last: Option<u64>,
    pub event_kind: String,
    /// What the event says.
    pub says: String,
    /// Who wrote it: the id, and what they are.
    pub author: Option<(Option<String>, String)>,
    /// When it was written, in milliseconds since 1970.
    pub at: Option<i64>,
}

impl SpooledText {
    /// `event 2` or `events 2 to 4`.
    pub fn events(&self) -> String {
        match self.last {
            Some(last) => format!("events {} to {last}", self.event),
            None => format!("event {}", self.event),
        }
    }
}

/// An annotation in a list.
#[derive(Debug, Serialize)]
pub struct Card {
    /// Its kind, in words.
    pub kind: String,
    /// Class of its kind.
    pub class: &'static str,
    /// Sign of its kind.
    pub sign: &'static str,
    /// What it says, as plain text.
    pub evidence: String,
    /// Where it is, relative to the site's root.
    pub href: String,
    /// `event 12`, or `events 12 to 17`
    pub event: String,
    pub event_kind: String,
    /// What the event says.
    pub says: String,
    /// Title of the run.
    pub run: String,
    /// Page of the run, relative to the site's root.
    pub run_href: String,
    /// The model that ran.
    pub model: String,
    /// Status of a hypothesis, kind of friction.
    pub group: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// `human`, `agent` or `system`, when it says so.
    pub author_kind: Option<String>,
    /// The case of the run.
    pub case: String,
    /// When it was written.
    pub at: Option<DisplayTime>,
}

/// The first page: every kind with its definition and its newest annotations.
#[derive(Debug, Serialize)]
pub struct AnnotationsPage {
    /// `213 annotations on 24 runs`; `None` when there is none.
    pub summary: Option<String>,
    pub shelves: Vec<KindView>,
}

/// A kind on the first page.
#[derive(Debug, Serialize)]
pub struct KindView {
    /// Its word in the format.
    pub kind: &'static str,
    /// Class of the kind.
    pub class: &'static str,
    /// Sign of the kind.
    pub sign: &'static str,
    /// What it is called.
    pub title: &'static str,
    /// What it means.
    pub definition: &'static str,
    /// `12`
    pub number: String,
    /// `12 annotations`
    pub count: String,
    /// Its own page; `None` when there is no annotation of it.
    pub href: Option<String>,
    pub parts: Vec<PartCount>,
    /// The newest.
    pub cards: Vec<Card>,
    /// Whether there are more than these.
    pub more: bool,
}

/// A part of a kind and how many there are.
#[derive(Debug, Serialize)]
pub struct PartCount {
    /// Its word.
    pub name: String,
    /// Where it begins.
    pub href: String,
    /// How many.
    pub count: String,
}

#[derive(Debug, Serialize)]
pub struct KindPage {
    /// Its word in the format.
    pub kind: &'static str,
    /// Class of the kind.
    pub class: &'static str,
    /// Sign of the kind.
    pub sign: &'static str,
    /// What it is called.
    pub title: &'static str,
    /// What it means.
    pub definition: &'static str,
    /// `12 annotations`
    pub count: String,
    pub parts: Vec<PartCount>,
    /// Whether the parts are side by side: hypotheses by status.
    pub is_board: bool,
    /// The annotations on this page.
    pub groups: Vec<PartView>,
    pub pager: Pager,
}

/// A part of a kind with its annotations on a page.
#[derive(Debug, Serialize)]
pub struct PartView {
    /// Its word; `None` for a kind without parts.
    pub name: Option<String>,
    /// What it means.
    pub definition: Option<&'static str>,
    /// Id of the section.
    pub anchor: String,
    /// Whether it began on an earlier page.
    pub continued: bool,
    /// The annotations.
    pub cards: Vec<Card>,
    /// Those that are folded.
    pub rest: Vec<Card>,
    /// How many it has on this page.
    pub count: usize,
}

/// What a card says of an annotation, and the kind and group that it is filed under; `position` is that of its event,
/// `evidence` what it says as plain text.
pub fn spooled_text(
    slug: &Slug,
    (tape, layout): (&Tape<'_>, &Layout<'_>),
    (index, annotation): (usize, &Annotation<'_>),
    position: usize,
    evidence: String,
) -> (SpooledText, usize, usize) {
    let event = &tape.events[position];
    let kind = kind_index(&annotation.kind);
    let group = match annotation.kind {
        Kind::Hypothesis => annotation.hypothesis_status,
        Kind::Friction => annotation.friction_kind.as_deref(),
        _ => None,
    };
    let anchor = layout.annotation_anchor(annotation, index);
    let href = layout.href("index.html", position, &anchor);
    let author = annotation.author.as_ref();
    let text = SpooledText {
        kind: (kind == Kind::KNOWN.len()).then(|| annotation.kind.word().replace('_', " ")),
        group: group.map(|group| group.replace('_', " ")),
        evidence,
        href: href[links::run_file(slug, "").len()..].to_owned(),
        event: event.seq,
        last: annotation
            .span
            .map(|(_, end)| end)
            .filter(|end| *end > event.seq),
        event_kind: event.kind.word.replace('_', " "),
        says: words::says(event, 160),
        author: author.map(|author| (author.id.clone(), author.kind.word().to_owned())),
        at: annotation
            .timestamp
            .as_deref()
            .and_then(time::parse_rfc3339),
    };
    (text, kind, part_of(kind, group))
}

/// The card of an annotation of that kind and run.
pub fn card(entry: &Entry, kind: usize, text: SpooledText) -> Card {
    let (class, sign) = appearance_of(kind);
    let event = text.events();
    let (author, author_kind) = text.author.map_or((None, None), |(id, kind)| {
        let author = id.map_or_else(|| kind.clone(), |id| format!("{id} ({kind})"));
        (Some(author), Some(kind))
    });
    Card {
        kind: text
            .kind
            .unwrap_or_else(|| KINDS[kind].kind.replace('_', " ")),
        class,
        sign,
        evidence: text.evidence,
        href: links::run_file(&entry.slug, &text.href),
        event,
        event_kind: text.event_kind,
        says: text.says,
        run: entry.run.title(),
        run_href: links::run(&entry.slug),
        model: entry.run.subject.model().to_owned(),
        group: text.group,
        author,
        author_kind,
        case: entry.run.subject.case.to_string(),
        at: text.at.map(format::at),
    }
}

/// Every annotation by kind and part; within a part the newest run comes first.
#[derive(Debug)]
pub struct Catalogue {
    kinds: Vec<Vec<Filed>>,
    runs: usize,
}

/// The word of a kind, by its place.
pub fn kind_word(kind: usize) -> &'static str {
    KINDS[kind].kind
}

/// How many kinds there are, with that of what is not known.
pub const KIND_COUNT: usize = KINDS.len();

pub fn kind_folders() -> Vec<String> {
    (0..KIND_COUNT).map(folder).collect()
}

/// Class and sign of a kind, and its parts in the order of [`SpooledCard::group`].
pub fn shelf(kind: usize) -> (&'static str, &'static str, Vec<String>) {
    let (class, sign) = appearance_of(kind);
    let parts = 0..=parts_of(kind).len();
    let parts = parts.filter_map(|part| part_name(kind, part));
    (class, sign, parts.collect())
}

/// Where a card is.
#[derive(Debug, Clone, Copy)]
pub struct Filed {
    run: u32,
    card: u32,
    group: u8,
}

impl Filed {
    /// Its run, by its place in the archive, and its place among the cards of the run.
    pub const fn card(self) -> (usize, usize) {
        (self.run as usize, self.card as usize)
    }

    const fn group(self) -> usize {
        self.group as usize
    }
}

/// Reads a card back from where it waits.
pub type ReadCard<'a, E> = &'a dyn Fn(&Filed) -> Result<Card, E>;

impl Catalogue {
    /// Sorts the cards of all runs, which come in the archive's order.
    pub fn new<'f>(runs: impl Iterator<Item = &'f [SpooledCard]>) -> Self {
        let mut catalogue = Self {
            kinds: KINDS.iter().map(|_| Vec::new()).collect(),
            runs: 0,
        };
        for (run, cards) in (0..).zip(runs) {
            catalogue.runs += usize::from(!cards.is_empty());
            for (card, spooled) in (0..).zip(cards) {
                let group = u8::try_from(spooled.group).unwrap_or(u8::MAX);
                catalogue.kinds[spooled.kind].push(Filed { run, card, group });
            }
        }
        for cards in &mut catalogue.kinds {
            cards.sort_by_key(|card| card.group);
            cards.shrink_to_fit();
        }
        catalogue
    }

    /// How many hypotheses have each status.
    pub fn hypothesis_counts(&self) -> std::collections::BTreeMap<&'static str, usize> {
        let kind = kind_index(&Kind::Hypothesis);
        let count = |part| self.of_part(kind, part).len();
        let words = HYPOTHESIS_STATUSES.iter().enumerate();
        words.map(|(part, word)| (*word, count(part))).collect()
    }

    pub fn first_page<E>(&self, read: ReadCard<'_, E>) -> Result<AnnotationsPage, E> {
        let root = links::root(&links::list("annotations", 1));
        let total: usize = self.kinds.iter().map(Vec::len).sum();
        let mut shelves = Vec::new();
        for (kind, cards) in self.kinds.iter().enumerate() {
            // Unknown kinds are no part of the format: without one there is nothing to define.
            if cards.is_empty() && kind == Kind::KNOWN.len() {
                continue;
            }
            let (class, sign) = appearance_of(kind);
            shelves.push(KindView {
                kind: KINDS[kind].kind,
                class,
                sign,
                title: KINDS[kind].title,
                definition: KINDS[kind].definition,
                number: format::grouped(&cards.len().to_string()),
                count: format::count(cards.len(), "annotation"),
                href: (!cards.is_empty()).then(|| format!("{root}{}", kind_path(kind, 1))),
                parts: self.parts(kind, &root),
                cards: cards
                    .iter()
                    .take(FIRST)
                    .map(read)
                    .collect::<Result<_, E>>()?,
                more: cards.len() > FIRST,
            });
        }
        Ok(AnnotationsPage {
            summary: (total > 0).then(|| {
                format!(
                    "{} on {}",
                    format::count(total, "annotation"),
                    format::count(self.runs, "run")
                )
            }),
            shelves,
        })
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
                    count: format::grouped(&cards.len().to_string()),
                })
            })
            .collect()
    }

    /// The places of a part's cards among those of the kind.
    fn of_part(&self, kind: usize, part: usize) -> Range<usize> {
        let cards = &self.kinds[kind];
        let start = cards.partition_point(|card| card.group() < part);
        start..cards.partition_point(|card| card.group() <= part)
    }

    /// Kind and number of every page of a kind.
    pub fn pages(&self) -> Vec<(usize, usize)> {
        let kinds = self.kinds.iter().enumerate();
        kinds
            .flat_map(|(kind, cards)| {
                (1..=cards.len().div_ceil(PAGE_SIZE)).map(move |number| (kind, number))
            })
            .collect()
    }

    /// The paths of the pages of all kinds.
    pub fn paths(&self) -> Vec<String> {
        let pages = self.pages().into_iter();
        pages
            .map(|(kind, number)| kind_path(kind, number))
            .collect()
    }

    /// A page of a kind, with its path.
    pub fn kind_page<E>(
        &self,
        (kind, number): (usize, usize),
        read: ReadCard<'_, E>,
    ) -> Result<(String, KindPage), E> {
        let cards = &self.kinds[kind];
        let folder = format!("annotations/{}", folder(kind));
        let page = list_page(&folder, number, PAGE_SIZE, cards.len(), "annotations");
        let range = page.items;
        let is_board = KINDS[kind].kind == "hypothesis";
        let mut groups: Vec<PartView> = Vec::new();
        for (index, filed) in cards.iter().enumerate().take(range.end).skip(range.start) {
            let group = filed.group();
            let begins = index == 0 || cards[index - 1].group() != group;
            if begins || index == range.start {
                groups.push(PartView {
                    name: part_name(kind, group),
                    definition: part_definition(kind, group),
                    anchor: part_anchor(kind, group),
                    continued: !begins,
                    cards: Vec::new(),
                    rest: Vec::new(),
                    count: 0,
                });
            }
            if let Some(part) = groups.last_mut() {
                let mut card = read(filed)?;
                // The heading says it.
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
        let (class, sign) = appearance_of(kind);
        let view = KindPage {
            is_board,
            kind: KINDS[kind].kind,
            class,
            sign,
            title: KINDS[kind].title,
            definition: KINDS[kind].definition,
            count: format::count(cards.len(), "annotation"),
            parts: self.parts(kind, &page.root),
            groups,
            pager: page.pager,
        };
        Ok((page.path, view))
    }
}

impl Catalogue {
    /// Columns for the statuses that no hypothesis has: that nothing was disproven yet is worth seeing.
    fn fill_board(&self, kind: usize, groups: &mut Vec<PartView>) {
        for part in 0..parts_of(kind).len() {
            if self.of_part(kind, part).is_empty() {
                let column = PartView {
                    name: part_name(kind, part),
                    definition: part_definition(kind, part),
                    anchor: part_anchor(kind, part),
                    continued: false,
                    cards: Vec::new(),
                    rest: Vec::new(),
                    count: 0,
                };
                groups.insert(part.min(groups.len()), column);
            }
        }
    }
}

fn kind_path(kind: usize, number: usize) -> String {
    links::list(&format!("annotations/{}", folder(kind)), number)
}
