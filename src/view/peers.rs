//! Where the cost of a run lies among those of all comparable runs, whichever model or harness made them.

use std::sync::Arc;

use crate::model::archive::{Archive, Entry};
use crate::model::comparison::Set;

use super::plot::Scale;

/// Width of the drawing.
pub const WIDTH: f64 = 120.0;
/// Peers that are drawn, the newest.
const DOTS: usize = 60;

/// The range of the costs of comparable runs.
pub(super) struct PeerRange {
    scale: Scale,
    dots: Vec<f64>,
}

/// A run on the range of its peers.
#[derive(Debug, Clone)]
pub struct Peers {
    /// Where the peers are, from the left; the run is one of them.
    pub dots: Vec<f64>,
    /// Where the run is.
    pub at: f64,
    /// Whether it completed.
    pub completed: bool,
}

fn cost(entry: &Entry) -> Option<f64> {
    let cost = entry.run.metrics.comparable_cost.as_ref()?.value();
    (cost >= 0.0).then_some(cost)
}

/// The ranges of the variants of a set, over all runs of the archive; a run without peers has none.
pub(super) fn ranges(archive: &Archive, set: &Set) -> Vec<Option<PeerRange>> {
    let all = archive.cases[set.case].runs.iter();
    let comparable: Vec<&Entry> = all
        .map(|run| &archive.runs[*run])
        .filter(|entry| {
            let subject = &entry.run.subject;
            subject.version() == set.version
                && subject.orchestrator == set.orchestrator
                && subject.engine_label() == set.engine
        })
        .collect();
    let range = |(variant, _): &(Option<Arc<str>>, Vec<usize>)| {
        let runs = comparable.iter();
        let runs = runs.filter(|entry| entry.run.subject.variant == *variant);
        let costs: Vec<f64> = runs.filter_map(|entry| cost(entry)).collect();
        let scale = Scale::of_cost(&costs, (4.0, WIDTH - 4.0));
        let dots = costs.iter().take(DOTS).map(|cost| scale.place(*cost));
        let dots = dots.collect();
        (costs.len() > 1).then_some(PeerRange { scale, dots })
    };
    set.variants.iter().map(range).collect()
}

impl PeerRange {
    /// A run of the range; none without a known cost.
    pub(super) fn of(&self, entry: &Entry) -> Option<Peers> {
        Some(Peers {
            dots: self.dots.clone(),
            at: self.scale.place(cost(entry)?),
            completed: entry.run.state.is_completed(),
        })
    }
}
