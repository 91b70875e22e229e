//! Spans of annotations, as lanes next to the events.

use formats::model::annotation::Sidecar;

use super::Layout;

/// Maximum number of lanes; further spans share the last one.
pub const LANES: usize = 4;
/// A piece of a span next to one event.
#[derive(Debug, Clone, Copy)]
pub struct SpanPiece {
    /// 0 to [`LANES`] - 1.
    pub lane: usize,
    /// Whether the span starts at this event.
    pub starts: bool,
    pub ends: bool,
}

/// The pieces of all spans next to each event of a tape.
#[derive(Debug, Default)]
pub(super) struct TapeSpans {
    /// Three bits for each lane: whether it has a piece, a start and an end; empty for a tape without spans.
    bits: Vec<u16>,
}

/// Bits per lane.
const BITS: usize = 3;
const THERE: u16 = 1;
const STARTS: u16 = 2;
const ENDS: u16 = 4;

impl TapeSpans {
    /// Assigns a lane to every span, first come, first served, and splits lanes into one piece per event, however many spans
    /// share a lane.
    pub(super) fn of(layout: &Layout<'_>, sidecar: Option<&Sidecar<'_>>) -> Self {
        let spans = lanes(layout, sidecar);
        if spans.is_empty() {
            return Self::default();
        }
        let mut bits_of_events = vec![0; layout.tape.events.len()];
        for lane in 0..LANES {
            // Each pair has the numbers of spans that start and that end at an event.
            let mut ends_here = vec![(0_usize, 0_usize); bits_of_events.len()];
            for (start, end, _) in spans.iter().filter(|(.., of)| *of == lane) {
                // A span that ends before its start covers nothing.
                if start <= end {
                    ends_here[*start].0 += 1;
                    ends_here[*end].1 += 1;
                }
            }
            let mut open = 0;
            for (bits, (starting, ending)) in bits_of_events.iter_mut().zip(ends_here) {
                open += starting;
                if open > 0 {
                    // A lane continues if one of its spans ends and another goes on.
                    let starts = if starting == open { STARTS } else { 0 };
                    let ends = if ending == open { ENDS } else { 0 };
                    *bits |= (THERE | starts | ends) << (BITS * lane);
                }
                open -= ending;
            }
        }
        Self {
            bits: bits_of_events,
        }
    }

    /// The pieces next to the event at `position`.
    pub(super) fn at(&self, position: usize) -> EventSpans {
        EventSpans(self.bits.get(position).copied().unwrap_or_default())
    }
}

/// The pieces next to one event.
#[derive(Debug, Clone, Copy)]
pub struct EventSpans(u16);

impl EventSpans {
    /// Iterates over the pieces, by lane.
    pub fn iter(self) -> impl Iterator<Item = SpanPiece> {
        (0..LANES).filter_map(move |lane| {
            let bits = self.0 >> (BITS * lane);
            (bits & THERE != 0).then_some(SpanPiece {
                lane,
                starts: bits & STARTS != 0,
                ends: bits & ENDS != 0,
            })
        })
    }
}

/// The spans of a sidecar by position, each with its lane.
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
