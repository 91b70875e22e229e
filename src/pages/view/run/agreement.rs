//! How far the annotators of a tape agree, under the annotated moments: those who annotate at least one event together.

use serde::Serialize;

use crate::view::timeline::Layout;
use crate::view::{Cell, Link, format};
use base::links;
use formats::model::agreement::{Agreement, Annotator, EventRange, PairAgreement};
use formats::model::tape::Tape;

use super::CheckedRun;

/// Maximum pairs on the page; the feed has all of them.
const PAIRS: usize = 6;
/// Maximum disagreements on the page.
const DISAGREEMENTS: usize = 20;
/// Maximum bytes of an annotator's name.
const NAME: usize = 80;

/// The agreement on a tape.
#[derive(Debug, Serialize)]
pub struct AgreementView {
    /// The tape, if the run has several.
    pub tape: Option<String>,
    /// `2 annotators, 26 events`
    pub summary: String,
    pub pairs: Vec<AnnotatorPairView>,
    /// `4 more pairs`
    pub more_pairs: Option<String>,
    /// The events on which annotators differ.
    pub disagreements: Vec<DisagreementView>,
    /// `12 more`
    pub more: Option<String>,
    /// What does not count, in sentences.
    pub apart: Vec<String>,
    /// The feed with all of it.
    pub feed: String,
}

#[derive(Debug, Serialize)]
pub struct AnnotatorPairView {
    /// `reviewer-1 (human) and lint-bot (system)`
    pub names: String,
    /// `the same kinds for 3 of 5 events that both annotate; κ 0.61, n = 26`
    pub says: String,
    pub kinds: Vec<KindRow>,
}

/// A kind that one of the two uses.
#[derive(Debug, Serialize)]
pub struct KindRow {
    pub kind: String,
    /// Numbers of events: both, only the first, only the second, neither.
    pub events: [String; 4],
    pub kappa: Cell,
}

/// Events on which annotators differ.
#[derive(Debug, Serialize)]
pub struct DisagreementView {
    /// `event 12` or `events 12 to 15`, with its address.
    pub events: Link,
    /// `correct by reviewer-1; incorrect by reviewer-2`
    pub says: String,
}

/// The agreement on each tape with several annotators.
pub(super) fn agreements(s: &CheckedRun<'_>, path: &str) -> Vec<AgreementView> {
    let several = s.inspection.tapes.len() > 1;
    s.tapes()
        .filter_map(|(tape, sidecar, layout)| {
            let agreement = Agreement::of(tape, sidecar?)?;
            let pairs = agreement.pairs();
            if pairs.is_empty() {
                return None;
            }
            Some(AgreementView {
                tape: several.then(|| tape.file.clone()),
                ..view(&agreement, &pairs, tape, layout, path)
            })
        })
        .collect()
}

fn view(
    agreement: &Agreement,
    pairs: &[PairAgreement],
    tape: &Tape<'_>,
    layout: &Layout<'_>,
    path: &str,
) -> AgreementView {
    let differ = agreement.disagreements();
    let differ: Vec<_> = differ.filter(|range| range.is_disputed()).collect();
    let events = format::count(tape.events.len(), "event");
    let annotators = format::count(agreement.annotators.len() + agreement.omitted, "annotator");
    let omitted = (agreement.omitted > 0).then(|| {
        format!(
            "Only the {} with the most annotations are compared.",
            agreement.annotators.len()
        )
    });
    let unnamed = (agreement.unnamed > 0).then(|| {
        let unnamed = format::count(agreement.unnamed, "annotation");
        format!("{unnamed} without the name of an author are not compared.")
    });
    AgreementView {
        tape: None,
        summary: format!("{annotators}, {events}"),
        more_pairs: format::rest(pairs.len(), PAIRS, "more pair"),
        more: format::rest(differ.len(), DISAGREEMENTS, "more disagreement"),
        pairs: pairs
            .iter()
            .take(PAIRS)
            .map(|pair| pair_view(agreement, pair))
            .collect(),
        disagreements: differ
            .into_iter()
            .take(DISAGREEMENTS)
            .map(|range| disagreement(&agreement.annotators, tape, layout, path, range))
            .collect(),
        apart: omitted.into_iter().chain(unnamed).collect(),
        feed: format!("{}feeds/agreement.json", links::root(path)),
    }
}

fn pair_view(agreement: &Agreement, pair: &PairAgreement) -> AnnotatorPairView {
    let [first, second] = pair
        .annotators
        .map(|index| name(&agreement.annotators[index]));
    let both = format::count(pair.annotated.both as usize, "event");
    let kappa = pair.kappa.map_or_else(
        || "κ is undefined, since both give all events the same kinds".to_owned(),
        |kappa| format!("κ {}", decimal(kappa)),
    );
    AnnotatorPairView {
        names: format!("{first} and {second}"),
        says: format!(
            "the same kinds for {} of {both} that both annotate; {kappa}, n = {}",
            pair.same, agreement.events
        ),
        kinds: pair
            .kinds
            .iter()
            .map(|kind| {
                let [first, second] = kind.events.only;
                let numbers = [kind.events.both, first, second, kind.events.neither];
                KindRow {
                    kind: kind.kind.replace('_', " "),
                    events: numbers.map(|number| format::grouped(number as usize)),
                    kappa: kind.kappa.map_or_else(
                        || Cell::unknown("both give the kind to all events"),
                        |kappa| Cell::known(decimal(kappa)),
                    ),
                }
            })
            .collect(),
    }
}

/// Two decimals, with the sign of a number that is not rounded to zero.
fn decimal(kappa: f64) -> String {
    let digits = format!("{:.2}", kappa.abs());
    if kappa < 0.0 && digits != "0.00" {
        format!("−{digits}")
    } else {
        digits
    }
}

fn name(annotator: &Annotator) -> String {
    format!(
        "{} ({})",
        format::truncated(&annotator.id, NAME),
        annotator.kind.word()
    )
}

fn disagreement(
    annotators: &[Annotator],
    tape: &Tape<'_>,
    layout: &Layout<'_>,
    path: &str,
    range: &EventRange,
) -> DisagreementView {
    let (first, last) = range.positions;
    let [from, to] = [first, last].map(|position| tape.events[position].seq);
    let words = if first == last {
        format!("event {from}")
    } else {
        format!("events {from} to {to}")
    };
    let said = annotators
        .iter()
        .zip(&range.kinds)
        .filter(|(_, kinds)| !kinds.is_empty())
        .map(|(annotator, kinds)| {
            let words: Vec<_> = kinds.iter().map(|kind| kind.replace('_', " ")).collect();
            format!(
                "{} by {}",
                words.join(" and "),
                format::truncated(&annotator.id, NAME)
            )
        });
    DisagreementView {
        events: Link::new(words, layout.event_href(path, from, first)),
        says: said.collect::<Vec<_>>().join("; "),
    }
}
