//! Facts of a run for lists, tables and roll-ups, besides its record.

use std::collections::BTreeMap;

use content::inspect::Inspection;
use formats::config::Config;
use formats::model::annotation::Annotation;
use formats::model::findings::{Findings, NewestAnnotation, ThreadCounts};
use formats::model::rule_result::RuleResult;
use formats::model::run::Run;
use formats::model::time;
use markup::markdown;
use pages::draw::axis::Axis;
use pages::draw::density;
use pages::view::rules::EVENTS;
use pages::view::task;
use pages::view::timeline::Layout;

/// Maximum annotations per run on the home page, so that one busy run does not fill it.
const NEWEST: usize = 2;
/// Maximum characters of an annotation on the home page.
const EVIDENCE: usize = 160;

/// The findings of a run whose case has this title.
pub(super) fn of(
    config: &Config,
    run: &Run,
    title: Option<&str>,
    inspection: &Inspection<'_>,
    rules: &[RuleResult],
) -> Findings {
    let rating = inspection.rating();
    let audit = inspection.audited();
    let first = inspection.tapes.first();
    let first = first.filter(|tape| !tape.events.is_empty());
    let mut findings = Findings {
        task: task::task(run, title, inspection.tapes.first()),
        verdict: task::line_of(&task::verdict(run, rating, audit)),
        rating,
        audit,
        events: (!inspection.tapes.is_empty())
            .then(|| inspection.tapes.iter().map(|tape| tape.events.len()).sum()),
        columns: first.map_or_else(Vec::new, |tape| {
            density::columns(&Axis::of(config, tape), tape, density::COLUMNS)
        }),
        threads: inspection.threads.as_ref().map(|threads| ThreadCounts {
            channel: threads.channel.clone(),
            threads: threads.threads.len(),
            entries: threads.entry_count(),
            open: threads.open_count(),
        }),
        rules: rules.to_vec(),
        later_events: later_events(config, inspection, rules),
        ..Findings::default()
    };
    for sidecar in inspection.sidecars.iter().flatten() {
        findings.annotations.merge(&sidecar.report.kind_counts);
    }
    findings
}

fn later_events(
    config: &Config,
    inspection: &Inspection<'_>,
    rules: &[RuleResult],
) -> BTreeMap<u64, usize> {
    let Some(tape) = inspection.tapes.first() else {
        return BTreeMap::new();
    };
    let events = rules
        .iter()
        .flat_map(|rule| rule.events.iter().take(EVENTS));
    let pages = events.filter_map(|seq| {
        let page = tape.position(*seq)? / config.timeline.page_size + 1;
        (page > 1).then_some((*seq, page))
    });
    pages.collect()
}

/// The newest annotations of a run, and the newest one with text by a person.
pub(super) fn newest(
    inspection: &Inspection<'_>,
    layouts: &[Layout<'_>],
) -> (Vec<NewestAnnotation>, Option<NewestAnnotation>) {
    let time = |annotation: &Annotation<'_>| {
        let written = annotation.timestamp.as_deref();
        written.and_then(time::parse_rfc3339)
    };
    let mut newest: Vec<_> = annotations(inspection, layouts)
        .map(|found| (time(found.annotation), found))
        .collect();
    newest.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    let listed = |at: Option<i64>, found: &TapeAnnotation<'_>| {
        let anchor = found
            .layout
            .annotation_anchor(found.annotation, found.index);
        NewestAnnotation {
            kind: found.annotation.kind.word().to_owned(),
            evidence: found.evidence(EVIDENCE),
            href: found.layout.href("index.html", found.position, &anchor),
            at,
        }
    };
    let quote = newest
        .iter()
        .filter(|(_, found)| found.is_by_a_person())
        .map(|(at, found)| listed(*at, found))
        .find(|quote| !quote.evidence.is_empty());
    let newest = newest.iter().take(NEWEST);
    let newest = newest.map(|(at, found)| listed(*at, found));
    (newest.collect(), quote)
}

/// An annotation whose event is on the tape.
pub(super) struct TapeAnnotation<'a> {
    /// Index of the tape.
    pub(super) tape: usize,
    pub(super) layout: &'a Layout<'a>,
    /// Index in the sidecar.
    pub(super) index: usize,
    pub(super) annotation: &'a Annotation<'a>,
    /// The position of its event.
    pub(super) position: usize,
}

impl TapeAnnotation<'_> {
    fn is_by_a_person(&self) -> bool {
        let author = self.annotation.author.as_ref();
        author.is_some_and(|author| author.kind.word() == "human")
    }

    /// Its evidence as plain text, cut at `limit` characters.
    pub(super) fn evidence(&self, limit: usize) -> String {
        markdown::plain(
            self.annotation.evidence.as_deref().unwrap_or_default(),
            limit,
        )
    }
}

/// The annotations of all tapes, in order.
pub(super) fn annotations<'a>(
    inspection: &'a Inspection<'a>,
    layouts: &'a [Layout<'a>],
) -> impl Iterator<Item = TapeAnnotation<'a>> {
    let tapes = inspection.sidecars.iter().zip(layouts).enumerate();
    tapes.flat_map(|(tape, (sidecar, layout))| {
        let annotations = sidecar.iter().flat_map(|sidecar| &sidecar.annotations);
        annotations
            .enumerate()
            .filter_map(move |(index, annotation)| {
                Some(TapeAnnotation {
                    tape,
                    layout,
                    index,
                    annotation,
                    position: layout.position(annotation.event)?,
                })
            })
    })
}
