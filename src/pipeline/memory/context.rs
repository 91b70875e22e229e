//! Whether a page would show the same of the archive as it did.

use crate::model::archive::{Peer, Range, Ranges};
use crate::model::archive_context::{ArchiveContext, Neighbour};
use crate::model::run::Number;
use crate::model::time::Moment;

use super::kept;

/// A digest of what a page shows of the archive. Every field is named here, so that none can be left out.
pub(super) fn digest(context: &ArchiveContext) -> [u8; 16] {
    let ArchiveContext {
        slug,
        label,
        case,
        model,
        harness,
        newer,
        older,
        ranges,
        named,
    } = context;
    let mut texts: Vec<&[u8]> = [slug, label.as_str(), case, model, harness]
        .map(str::as_bytes)
        .to_vec();
    let mut counts = Vec::new();
    for neighbour in [newer, older] {
        let neighbour = neighbour.as_ref().map(|neighbour| {
            let Neighbour {
                slug,
                model,
                harness,
                at,
            } = neighbour;
            let at = at.as_ref();
            counts.extend(at.map_or(i64::MIN, Moment::ms).to_le_bytes());
            let at = at.and_then(Moment::held).unwrap_or_default();
            [slug, model.as_str(), harness, at].map(str::as_bytes)
        });
        texts.extend(neighbour.unwrap_or_default());
    }
    let Ranges { metrics, peers } = ranges;
    let mut numbers: Vec<Option<&Number>> = Vec::new();
    for range in metrics {
        let ends = range.as_ref().map(|Range { min, max, runs }| {
            counts.extend(runs.to_le_bytes());
            [Some(min), Some(max)]
        });
        numbers.extend(ends.unwrap_or_default());
    }
    for Peer { slug, run } in peers.iter() {
        texts.extend([slug, run.subject.model()].map(str::as_bytes));
        numbers.extend(run.metrics.numbers.iter().map(Option::as_ref));
        counts.push(run.metrics.lower_bounds.bits());
    }
    for number in numbers {
        counts.extend(number.map_or(f64::NAN, Number::value).to_le_bytes());
        let held = number.and_then(Number::held);
        texts.push(held.unwrap_or_default().as_bytes());
    }
    texts.push(&counts);
    for (id, address) in named {
        texts.push(id.as_bytes());
        texts.push(address.as_deref().unwrap_or_default().as_bytes());
    }
    kept::digest(&texts)
}
