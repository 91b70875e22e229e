//! Where the events of a tape are from left to right: by time, with long gaps folded, or by order.
//!
//! All arithmetic is in whole numbers, so that a tape has the same picture on every machine.

use crate::config::Config;
use crate::model::tape::Tape;
use crate::model::time::push_clock;

/// The longest bar of an event, and what is left of a folded gap; in milliseconds.
pub const LONGEST: i64 = 30_000;

/// Distances of ticks, in milliseconds. The last one is doubled as often as needed.
const STEPS: [i64; 15] = [
    1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 900_000,
    1_800_000, 3_600_000, 10_800_000, 21_600_000,
];

/// The events of a tape in time.
#[derive(Debug)]
pub struct Axis {
    /// Of each event: milliseconds since the first one without what is folded, or its position when there are no times.
    places: Vec<i64>,
    /// The gaps that are folded, in order.
    folds: Vec<Fold>,
    /// Whether the places are times.
    is_time: bool,
}

/// A long gap.
#[derive(Debug)]
struct Fold {
    /// Position of the event after it.
    position: usize,
    /// Milliseconds that it lasts.
    lasts: i64,
    /// Milliseconds of it that are left out.
    hidden: i64,
    /// Its place on the axis.
    place: i64,
}

/// A label of the axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tick {
    /// From the left.
    pub x: u32,
    /// `m:ss` or `h:mm:ss` since the first event.
    pub label: String,
}

/// An axis that is as wide as a picture.
#[derive(Debug, Clone, Copy)]
pub struct Scale<'a> {
    axis: &'a Axis,
    /// In units of the picture.
    width: u32,
    /// Width of a folded gap.
    fold: u32,
}

impl Axis {
    /// The events by time. Without times, or when all are the same, the order counts.
    #[must_use]
    pub fn of(config: &Config, tape: &Tape<'_>) -> Self {
        let gap = i64::try_from(config.timeline.gap_seconds)
            .unwrap_or(i64::MAX)
            .saturating_mul(1000);
        let left = gap.min(LONGEST);
        let mut places = Vec::with_capacity(tape.events.len());
        let mut folds = Vec::new();
        let (mut place, mut latest) = (0_i64, None);
        for (position, event) in tape.events.iter().enumerate() {
            let pause = match (latest, event.at) {
                (Some(latest), Some(at)) => at.saturating_sub(latest).max(0),
                _ => 0,
            };
            if pause > gap {
                place = place.saturating_add(left);
                folds.push(Fold {
                    position,
                    lasts: pause,
                    hidden: pause - left,
                    place,
                });
            } else {
                place = place.saturating_add(pause);
            }
            // A clock that was set back does not move events to the left.
            latest = latest.max(event.at);
            places.push(place);
        }
        if place == 0 {
            return Self::of_order(tape);
        }
        Self {
            places,
            folds,
            is_time: true,
        }
    }

    /// The events at equal distances.
    #[must_use]
    pub fn of_order(tape: &Tape<'_>) -> Self {
        Self {
            places: (0..).take(tape.events.len()).collect(),
            folds: Vec::new(),
            is_time: false,
        }
    }

    /// The axis on a picture of this width, with `fold` units for each folded gap.
    #[must_use]
    pub fn scale(&self, width: u32, fold: u32) -> Scale<'_> {
        // Very many gaps share half of the width.
        let gaps = u32::try_from(self.folds.len()).unwrap_or(u32::MAX).max(1);
        Scale {
            axis: self,
            width,
            fold: fold.min(width / 2 / gaps),
        }
    }

    fn total(&self) -> i64 {
        self.places.last().copied().unwrap_or_default().max(1)
    }
}

impl Scale<'_> {
    /// Where each event is, from 0 to the width.
    pub fn places(&self) -> impl Iterator<Item = u32> {
        let mut folded = 0;
        self.axis
            .places
            .iter()
            .enumerate()
            .map(move |(position, place)| {
                let folds = &self.axis.folds;
                folded += usize::from(
                    folds
                        .get(folded)
                        .is_some_and(|fold| fold.position == position),
                );
                self.x(*place, folded)
            })
    }

    /// Where each event ends: when the next one begins or a gap is folded, [`LONGEST`] at most. Without times it ends where
    /// the next one is.
    pub fn ends(&self) -> impl Iterator<Item = u32> {
        let places = &self.axis.places;
        let mut folded = 0;
        places.iter().enumerate().map(move |(position, place)| {
            let folds = &self.axis.folds;
            folded += usize::from(
                folds
                    .get(folded)
                    .is_some_and(|fold| fold.position == position),
            );
            let next = places.get(position + 1).unwrap_or(place);
            let longest = if self.axis.is_time { LONGEST } else { 1 };
            self.x((*next).min(place.saturating_add(longest)), folded)
        })
    }

    /// The folded gaps: from, to, and milliseconds that they last.
    pub fn folds(&self) -> impl Iterator<Item = (u32, u32, i64)> {
        let folds = self.axis.folds.iter().enumerate();
        folds.map(|(index, fold)| {
            let from = self.x(fold.place, index);
            (from, from + self.fold, fold.lasts)
        })
    }

    /// Milliseconds on so many units without a folded gap; 0 without times.
    #[must_use]
    pub fn milliseconds(&self, units: u32) -> i64 {
        if !self.axis.is_time {
            return 0;
        }
        let part =
            i128::from(self.axis.total()) * i128::from(units) / i128::from(self.room().max(1));
        i64::try_from(part).unwrap_or(i64::MAX)
    }

    /// At most `most` labels at round times; none without times.
    #[must_use]
    pub fn ticks(&self, most: usize) -> Vec<Tick> {
        if !self.axis.is_time {
            return Vec::new();
        }
        // Only what is not folded needs labels.
        let most = i64::try_from(most.max(1)).unwrap_or(i64::MAX);
        let total = self.axis.total();
        let mut steps = STEPS.into_iter();
        let mut step = 0;
        while step == 0 || total / step >= most {
            step = steps.next().unwrap_or(step.saturating_mul(2));
        }
        let mut ticks = Vec::new();
        let (mut from, mut hidden) = (0_i64, 0_i64);
        let folds = self.axis.folds.iter().map(|fold| (fold.place, fold.hidden));
        for (folded, (place, next)) in folds.chain([(total, 0)]).enumerate() {
            // The first round time after the gap before.
            let mut place_of =
                (from.saturating_add(hidden)).saturating_add(step - 1) / step * step - hidden;
            while place_of <= place && ticks.len() < 4 * STEPS.len() {
                let mut label = String::new();
                push_clock(&mut label, place_of + hidden);
                ticks.push(Tick {
                    x: self.x(place_of, folded),
                    label,
                });
                place_of = place_of.saturating_add(step);
            }
            from = place;
            hidden = hidden.saturating_add(next);
        }
        ticks
    }

    /// Units without those of folded gaps.
    fn room(&self) -> u32 {
        let folds = u32::try_from(self.axis.folds.len()).unwrap_or(u32::MAX);
        self.width.saturating_sub(self.fold.saturating_mul(folds))
    }

    /// Where a place is behind so many folded gaps.
    fn x(&self, place: i64, folded: usize) -> u32 {
        let part = i128::from(place) * i128::from(self.room()) / i128::from(self.axis.total());
        let folded = u32::try_from(folded).unwrap_or(u32::MAX);
        let x = u32::try_from(part).unwrap_or(self.width);
        x.saturating_add(self.fold.saturating_mul(folded))
            .min(self.width)
    }
}
