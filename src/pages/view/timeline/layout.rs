//! The pages and anchors of a tape's events.

use base::links::{self, Slug};
use formats::config::Config;
use formats::model::annotation::{Annotation, Sidecar};
use formats::model::slug::slugify;
use formats::model::steps::Steps;
use formats::model::tape::Tape;

/// The layout of a tape: the page and the anchor of each event.
#[derive(Debug)]
pub struct Layout<'t> {
    /// Prefix of anchors and folders of this tape; empty for a run's first tape.
    pub prefix: String,
    pub(super) slug: Slug,
    page_size: usize,
    /// Number of failed events up to the end of each page. Every page of the tape states them, so they are counted once.
    failures: Vec<usize>,
    pub(super) tape: &'t Tape<'t>,
    pub steps: Steps,
}

impl<'t> Layout<'t> {
    /// The layout of the tapes of the run at `slug`.
    pub fn of(config: &Config, slug: &Slug, tapes: &'t [Tape<'t>]) -> Vec<Self> {
        let mut taken = Vec::new();
        tapes
            .iter()
            .enumerate()
            .map(|(index, tape)| {
                let prefix = if index == 0 {
                    String::new()
                } else {
                    prefix(&tape.file, &mut taken)
                };
                Self {
                    prefix,
                    slug: slug.clone(),
                    page_size: config.timeline.page_size,
                    failures: (tape.events.chunks(config.timeline.page_size))
                        .scan(0, |failures, page| {
                            *failures += page.iter().filter(|event| event.is_failure()).count();
                            Some(*failures)
                        })
                        .collect(),
                    tape,
                    steps: Steps::of(tape),
                }
            })
            .collect()
    }

    /// Number of pages; the first is part of the run page.
    pub fn pages(&self) -> usize {
        self.tape.events.len().div_ceil(self.page_size).max(1)
    }

    /// Number of failed events on page `number`, from 1.
    pub fn failures(&self, number: usize) -> usize {
        let up_to = |number: usize| {
            let page = number.checked_sub(1).and_then(|at| self.failures.get(at));
            page.copied().unwrap_or_default()
        };
        up_to(number) - up_to(number - 1)
    }

    /// Number of failed events on the whole tape.
    pub fn all_failures(&self) -> usize {
        self.failures.last().copied().unwrap_or_default()
    }

    /// Path of page `number`, from 1.
    pub fn path(&self, number: usize) -> String {
        links::events(&self.slug, &self.prefix, number)
    }

    /// The folder with the texts of its pages; `None` if it has a single page.
    pub fn text_folder(&self) -> Option<String> {
        (self.pages() > 1).then(|| links::event_texts(&self.slug, &self.prefix))
    }

    /// The positions on page `number`, from 1.
    pub fn range(&self, number: usize) -> std::ops::Range<usize> {
        let start = (number - 1) * self.page_size;
        start..(start + self.page_size).min(self.tape.events.len())
    }

    /// The position of event number `seq` on the tape.
    pub fn position(&self, seq: u64) -> Option<usize> {
        self.tape.position(seq)
    }

    /// The page of a position, from 1.
    pub const fn page(&self, position: usize) -> usize {
        position / self.page_size + 1
    }

    /// The anchor of the event at `position`.
    pub fn anchor(&self, seq: u64, position: usize) -> EventAnchor<'_> {
        // For a duplicate number, the first event gets the anchor.
        EventAnchor {
            prefix: &self.prefix,
            seq,
            again: (self.position(seq) != Some(position)).then_some(position),
        }
    }

    /// The annotations of events on the tape: the position of the event, the index in the sidecar, and the annotation.
    pub fn annotations<'s, 'a>(
        &self,
        sidecar: Option<&'s Sidecar<'a>>,
    ) -> impl Iterator<Item = (usize, usize, &'s Annotation<'a>)> {
        let annotations = sidecar.into_iter().flat_map(|it| &it.annotations);
        annotations.enumerate().filter_map(|(index, annotation)| {
            Some((self.position(annotation.event)?, index, annotation))
        })
    }

    pub fn annotation_anchor(&self, annotation: &Annotation<'_>, index: usize) -> String {
        let slug = slugify(&annotation.label);
        // Labels that are not slugs are distinguished by their position in the file; no slug begins with a hyphen.
        if slug == annotation.label {
            format!("{}a-{slug}", self.prefix)
        } else {
            format!("{}a--{slug}-{index}", self.prefix)
        }
    }

    /// Address of the event at `position`, for the page at path `from`.
    pub fn event_href(&self, from: &str, seq: u64, position: usize) -> String {
        let mut href = self.page_href(from, self.page(position));
        self.anchor(seq, position).push_to(&mut href);
        href
    }

    /// Address of event number `seq`, if the tape has it, for the page at path `from`.
    pub fn numbered_href(&self, from: &str, seq: u64) -> Option<String> {
        let position = self.position(seq)?;
        Some(self.event_href(from, seq, position))
    }

    /// Address of an anchor at the event at `position`, for the page at path `from`.
    pub fn href(&self, from: &str, position: usize, anchor: &str) -> String {
        let mut href = self.page_href(from, self.page(position));
        href.push_str(anchor);
        href
    }

    /// The address of page `number` for anchors, up to the `#`, from the page at path `from`.
    pub fn page_href(&self, from: &str, number: usize) -> String {
        let path = self.path(number);
        if path == from {
            "#".to_owned()
        } else {
            format!("{}#", links::between(from, &path))
        }
    }
}

/// The id of an event on its page, formatted on demand.
#[derive(Debug, Clone, Copy)]
pub struct EventAnchor<'a> {
    prefix: &'a str,
    seq: u64,
    again: Option<usize>,
}

impl EventAnchor<'_> {
    /// Whether it is the tape's prefix, `e-` and the event's position, as on most tapes.
    pub fn is_plain(&self, position: usize) -> bool {
        self.again.is_none() && usize::try_from(self.seq) == Ok(position)
    }

    /// Appends the anchor.
    pub fn push_to(&self, out: &mut String) {
        let mut digits = itoa::Buffer::new();
        out.push_str(self.prefix);
        out.push_str("e-");
        out.push_str(digits.format(self.seq));
        if let Some(position) = self.again {
            out.push('-');
            out.push_str(digits.format(position));
        }
    }

    pub fn text(&self) -> String {
        let mut out = String::new();
        self.push_to(&mut out);
        out
    }
}

/// First segments of ids on a run page: events, annotations, threads.
const RESERVED: [&str; 3] = ["e", "a", "thread"];

fn prefix(file: &str, taken: &mut Vec<String>) -> String {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let mut slug = slugify(stem);
    if slug.is_empty()
        || taken.contains(&slug)
        || RESERVED.contains(&slug.as_str())
        || slug.bytes().all(|b| b.is_ascii_digit())
    {
        slug = formats::model::slug::with_hash(&slug, file);
    }
    taken.push(slug.clone());
    // Slugs have no dot, so anchors with and without a prefix stay distinct.
    format!("{slug}.")
}
