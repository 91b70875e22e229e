//! The cost of a run compared with all comparable runs, of any model or harness.

use std::sync::Arc;

use serde::{Serialize, Serializer};

use formats::model::archive::{Archive, ArchiveEntry};
use formats::model::comparison::ComparableSet;
use formats::model::run::{Metric, Number};
use markup::Html;

use crate::draw::plot::ValueScale;

const WIDTH: f64 = 120.0;
/// Maximum peers drawn, the newest.
const DOTS: usize = 60;

/// The cost range of comparable runs.
pub struct PeerRange {
    scale: ValueScale,
    dots: Vec<f64>,
}

/// A run within the range of its peers.
#[derive(Debug, Clone)]
pub struct Peers {
    /// Positions of the peers from the left, including the run.
    dots: Vec<f64>,
    /// Position of the run.
    at: f64,
    completed: bool,
}

/// The comparable cost of a run that counts, if it is known in full.
pub(super) fn counted_cost(entry: &ArchiveEntry) -> Option<&Number> {
    let cost = entry.run.metrics.exact(Metric::ComparableCost);
    cost.filter(|_| entry.exclusion().is_none())
}

/// The ranges for the variants of a set, over all runs of the archive; `None` for a variant with a single run.
pub fn ranges(archive: &Archive, set: &ComparableSet) -> Vec<Option<PeerRange>> {
    let all = archive.cases[set.case].runs.iter();
    let comparable: Vec<&ArchiveEntry> = all
        .map(|run| &archive.runs[*run])
        .filter(|entry| {
            let subject = &entry.run.subject;
            subject.version() == set.version
                && subject.orchestrator == set.orchestrator
                && subject.engine_label() == set.engine
        })
        .collect();
    let range = |variant: &Option<Arc<str>>| {
        let runs = comparable.iter();
        let runs = runs.filter(|entry| entry.run.subject.variant == *variant);
        let costs: Vec<f64> = runs
            .filter_map(|entry| Some(counted_cost(entry)?.value()))
            .collect();
        let scale = ValueScale::of_cost(&costs, (4.0, WIDTH - 4.0));
        let dots = costs.iter().take(DOTS).map(|cost| scale.place(*cost));
        let dots = dots.collect();
        (costs.len() > 1).then_some(PeerRange { scale, dots })
    };
    let variants = set.variants.iter();
    variants.map(|(variant, _)| range(variant)).collect()
}

/// Serializes as the drawing: a line for the range, a dot for each peer, and a mark for the run.
impl Serialize for Peers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut dots = String::new();
        for x in &self.dots {
            dots.push_str(&format!("M{x:.0} 8h0"));
        }
        let at = self.at;
        let own = if self.completed {
            format!("<circle cx=\"{at:.0}\" cy=\"8\" r=\"4\"/>")
        } else {
            format!("<path class=\"x\" d=\"m{at:.0} 8 4 4-8-8m0 8 8-8\"/>")
        };
        Html::finished(format!(
            "<svg class=\"peers\" viewBox=\"0 0 {WIDTH} 16\" aria-hidden=\"true\"><path d=\"M0 8h{WIDTH}\"/><path d=\"{dots}\"/>{own}</svg>"
        ))
        .serialize(serializer)
    }
}

impl PeerRange {
    /// The position of a run; `None` without a known cost, or if it does not count.
    pub fn of(&self, entry: &ArchiveEntry) -> Option<Peers> {
        Some(Peers {
            dots: self.dots.clone(),
            at: self.scale.place(counted_cost(entry)?.value()),
            completed: entry.run.state.is_completed(),
        })
    }
}
