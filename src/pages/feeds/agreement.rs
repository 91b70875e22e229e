//! `agreement.json`: how far the annotators of each tape agree.

use schemars::JsonSchema;

use base::shapes;
use formats::model::agreement::{Agreement, Annotator, EventRange, KindAgreement, PairAgreement};
use formats::model::annotation::Sidecar;
use formats::model::run::Run;
use formats::model::tape::Tape;

/// The statistic of the feed.
pub const STATISTIC: &str = "Cohen's kappa";

/// `agreement.json`: how far the annotators of each tape agree, newest run first. The units are the events of the tape, and the
/// class of an event is the set of kinds that an annotator gave it, or none. Annotations with a span count at each event that it
/// covers.
#[allow(
    dead_code,
    reason = "only its schema is used: the document is written piece by piece"
)]
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct AgreementDocument<'a> {
    /// Version of this format.
    #[schemars(with = "shapes::Version")]
    schema_version: u32,
    /// What `kappa` is.
    statistic: &'a str,
    /// The tapes with at least two annotators.
    tapes: Vec<TapeAgreement<'a>>,
}

document! {
    /// The annotators of a tape.
    #[serde(rename_all = "camelCase")]
    struct TapeAgreement<'a>(run: &'a Run, tape: &'a Tape<'_>, agreement: &'a Agreement) {
        /// Id of the run.
        run_id: &'a str = &run.id,
        /// Name of the tape.
        tape: &'a str = &tape.file,
        /// Number of events on the tape: the n of each kappa.
        events: u32 = agreement.events,
        /// The authors with a name: people first, then models, then other programs, by name. At most 8, those with the most
        /// annotations.
        annotators: Vec<AnnotatorDocument<'a>> = agreement.annotators.iter().map(AnnotatorDocument::of).collect(),
        /// Number of further annotators.
        omitted_annotators: usize = agreement.omitted,
        /// Number of annotations whose author has no name. They are not compared.
        unnamed_annotations: usize = agreement.unnamed,
        /// Each two annotators.
        pairs: Vec<PairDocument> = agreement.pairs().iter().map(PairDocument::of).collect(),
        /// The events to which the annotators give different kinds, in their order. Neighbors of which all say the same are one range.
        disagreements: Vec<RangeDocument> = agreement.disagreements().map(|range| RangeDocument::of(tape, range)).collect(),
    }
}

document! {
    /// An author of annotations.
    #[schemars(rename = "Annotator")]
    struct AnnotatorDocument<'a>(annotator: &'a Annotator) {
        /// Name or handle.
        id: &'a str = &annotator.id,
        /// Kind of author.
        #[schemars(extend("enum" = ["human", "agent", "system"]))]
        kind: &'static str = annotator.kind.word(),
        /// Number of annotations on the tape.
        annotations: usize = annotator.annotations,
    }
}

document! {
    /// How far two annotators agree.
    #[serde(rename_all = "camelCase")]
    #[schemars(rename = "AnnotatorPair")]
    struct PairDocument(pair: &PairAgreement) {
        /// The indices of the two in `annotators`.
        annotators: [usize; 2] = pair.annotators,
        /// Events that both annotate.
        both: u32 = pair.annotated.both,
        /// Events to which both give the same kinds.
        same: u32 = pair.same,
        /// Events that only the first annotates, and only the second.
        only: [u32; 2] = pair.annotated.only,
        /// Cohen's kappa, with sets of kinds as classes. Null is undefined: both put all events into the same class.
        kappa: Option<f64> = pair.kappa,
        /// The kinds that at least one of them uses, by name. Unrecognized kinds are `unknown`.
        kinds: Vec<KindDocument> = pair.kinds.iter().map(KindDocument::of).collect(),
    }
}

document! {
    /// How far two annotators agree on a kind.
    #[schemars(rename = "KindAgreement")]
    struct KindDocument(agreement: &KindAgreement) {
        /// The kind.
        kind: &'static str = agreement.kind,
        /// Events to which both give the kind.
        both: u32 = agreement.events.both,
        /// Events to which only the first gives it, and only the second.
        only: [u32; 2] = agreement.events.only,
        /// Events to which neither gives it.
        neither: u32 = agreement.events.neither,
        /// Cohen's kappa, with two classes: with the kind and without it. Null is undefined: both give the kind to all events.
        kappa: Option<f64> = agreement.kappa,
    }
}

document! {
    /// Events of which the annotators do not say the same.
    #[schemars(rename = "Disagreement")]
    struct RangeDocument(tape: &Tape<'_>, range: &EventRange) {
        /// The number of the first event.
        event_id: u64 = tape.events[range.positions.0].seq,
        /// The number of the last event.
        end_event_id: u64 = tape.events[range.positions.1].seq,
        /// The kinds that each annotator gives each of the events, in the order of `annotators`; empty for none.
        kinds: Vec<Vec<&'static str>> = range.kinds.iter().map(|kinds| kinds.iter().collect()).collect(),
    }
}

/// The lines of a run, one for each tape with several annotators.
pub fn lines(
    run: &Run,
    tapes: &[Tape<'_>],
    sidecars: &[Option<Sidecar<'_>>],
) -> serde_json::Result<String> {
    let mut lines = String::new();
    for (tape, sidecar) in tapes.iter().zip(sidecars) {
        let agreement = sidecar.as_ref().and_then(|it| Agreement::of(tape, it));
        if let Some(agreement) = agreement {
            super::push_line(&mut lines, &TapeAgreement::of(run, tape, &agreement))?;
        }
    }
    Ok(lines)
}
