//! Whether a page would show the same of the archive as it did.

use crate::model::archive::{Peer, Range, Ranges};
use crate::model::archive_context::{ArchiveContext, Neighbour};

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
    for neighbour in [newer, older] {
        let neighbour = neighbour.as_ref().map(|neighbour| {
            let Neighbour {
                slug,
                model,
                harness,
                at,
            } = neighbour;
            let at = at.as_ref().map_or("", |at| at.text.as_str());
            [slug, model.as_str(), harness, at].map(str::as_bytes)
        });
        texts.extend(neighbour.unwrap_or_default());
    }
    let Ranges {
        tokens,
        comparable_cost,
        actual_cost,
        run_time,
        peers,
    } = ranges;
    let mut counts = Vec::new();
    for range in tokens
        .iter()
        .chain([comparable_cost, actual_cost, run_time])
    {
        let ends = range.as_ref().map(|Range { min, max, runs }| {
            counts.extend(runs.to_le_bytes());
            [&min.literal, &max.literal].map(String::as_bytes)
        });
        texts.extend(ends.unwrap_or_default());
    }
    texts.push(&counts);
    for Peer { slug, run } in peers.iter() {
        texts.extend([slug, run.subject.model()].map(str::as_bytes));
        for number in run.metrics.all() {
            let literal = number.map(|number| number.literal.as_bytes());
            texts.push(literal.unwrap_or_default());
        }
    }
    for (id, address) in named {
        texts.push(id.as_bytes());
        texts.push(address.as_deref().unwrap_or_default().as_bytes());
    }
    kept::digest(&texts)
}
