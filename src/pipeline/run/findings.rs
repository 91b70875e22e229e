//! Facts of a run for lists and tables, in addition to its record.

use std::collections::BTreeMap;

use content::inspect::Inspection;
use formats::config::Config;
use formats::model::findings::{CardText, Findings, ThreadCounts};
use formats::model::rule_result::RuleResult;
use formats::model::run::Run;
use pages::draw::axis::Axis;
use pages::draw::density;
use pages::view::rules::EVENTS;
use pages::view::task;

/// Maximum annotations per run on the home page, so that one busy run does not fill it.
const NEWEST: usize = 2;

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
        verdict: task::verdict_line(&task::verdict(run, rating, audit)),
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

/// The newest annotations of a run, and the newest one with text by a person: their places among its cards.
pub(super) fn newest(cards: &[CardText]) -> (Vec<usize>, Option<usize>) {
    let mut newest: Vec<usize> = (0..cards.len()).collect();
    newest.sort_by_key(|place| std::cmp::Reverse(cards[*place].at));
    let is_quotable = |card: &CardText| {
        let author = card.author.as_ref();
        author.is_some_and(|(_, kind)| kind == "human") && !card.evidence.is_empty()
    };
    let quote = newest.iter().find(|place| is_quotable(&cards[**place]));
    let quote = quote.copied();
    newest.truncate(NEWEST);
    (newest, quote)
}
