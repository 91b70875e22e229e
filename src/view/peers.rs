//! The cost of a run compared with all comparable runs, of any model or harness.

use std::sync::Arc;

use crate::model::archive::{Archive, Entry};
use crate::model::comparison::Set;
use crate::model::run::Metric;

use super::plot::Scale;

/// Width of the drawing.
pub const WIDTH: f64 = 120.0;
/// Maximum peers drawn, the newest.
const DOTS: usize = 60;

/// The cost range of comparable runs.
pub(crate) struct PeerRange {
    scale: Scale,
    dots: Vec<f64>,
}

/// A run within the range of its peers.
#[derive(Debug, Clone)]
pub struct Peers {
    /// Positions of the peers from the left, including the run.
    pub dots: Vec<f64>,
    /// Position of the run.
    pub at: f64,
    /// Whether the run completed.
    pub completed: bool,
}

fn cost(entry: &Entry) -> Option<f64> {
    let cost = entry.run.metrics.exact(Metric::ComparableCost)?.value();
    (cost >= 0.0).then_some(cost)
}

/// The ranges for the variants of a set, over all runs of the archive; `None` for a variant with a single run.
pub(crate) fn ranges(archive: &Archive, set: &Set) -> Vec<Option<PeerRange>> {
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
    /// The position of a run; `None` without a known cost.
    pub(crate) fn of(&self, entry: &Entry) -> Option<Peers> {
        Some(Peers {
            dots: self.dots.clone(),
            at: self.scale.place(cost(entry)?),
            completed: entry.run.state.is_completed(),
        })
    }
}
