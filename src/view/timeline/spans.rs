//! Knows the spans of annotations as lanes beside the events.

use crate::model::annotation::Sidecar;

use super::Layout;

/// Spans are drawn in at most this many lanes; further ones share the last.
pub const LANES: usize = 4;
/// A piece of a span beside one event.
#[derive(Debug, Clone, Copy)]
pub struct SpanPiece {
    /// 0 to [`LANES`] - 1.
    pub lane: usize,
    /// Whether the span begins here.
    pub starts: bool,
    /// Whether it ends here.
    pub ends: bool,
}

/// Gives every span a lane, first come first served, and cuts them into one piece per event of the range.
pub(super) fn span_pieces(
    layout: &Layout<'_>,
    sidecar: Option<&Sidecar<'_>>,
    range: &std::ops::Range<usize>,
) -> Vec<Vec<SpanPiece>> {
    let mut pieces = vec![Vec::new(); range.len()];
    // At most one piece per lane, however many spans share it.
    for (start, end, lane) in lanes(layout, sidecar) {
        for position in start.max(range.start)..(end + 1).min(range.end) {
            let here: &mut Vec<SpanPiece> = &mut pieces[position - range.start];
            let (starts, ends) = (position == start, position == end);
            match here.iter_mut().find(|piece| piece.lane == lane) {
                // Where one span ends and another goes on, the lane goes on.
                Some(piece) => {
                    (piece.starts, piece.ends) = (piece.starts && starts, piece.ends && ends);
                }
                None => here.push(SpanPiece { lane, starts, ends }),
            }
        }
    }
    pieces
}

/// The spans of a sidecar as positions, each with its lane.
#[must_use]
pub fn lanes(layout: &Layout<'_>, sidecar: Option<&Sidecar<'_>>) -> Vec<(usize, usize, usize)> {
    let mut spans: Vec<(usize, usize)> = sidecar
        .iter()
        .flat_map(|s| s.annotations.iter())
        .filter_map(|a| {
            let (start, end) = a.span?;
            Some((layout.position(start)?, layout.tape.position_up_to(end)?))
        })
        .collect();
    spans.sort_unstable();
    spans.dedup();
    let mut free = [0_usize; LANES];
    spans
        .into_iter()
        .map(|(start, end)| {
            let lane = free
                .iter()
                .position(|from| *from <= start)
                .unwrap_or(LANES - 1);
            free[lane] = free[lane].max(end + 1);
            (start, end, lane)
        })
        .collect()
}
