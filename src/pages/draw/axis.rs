//! Horizontal positions of a tape's events: by time, with long gaps collapsed, or by order.
//!
//! Uses only integer arithmetic, so that a tape is drawn identically on every machine.

use std::time::Duration;

use formats::config::Config;
use formats::model::amounts::clock;
use formats::model::run::{Metric, Run};
use formats::model::tape::{Family, Tape};
use formats::model::time::Moment;

use crate::view::format;

/// Maximum width of an event's bar, and of a collapsed gap, in milliseconds.
const LONGEST: i64 = 30_000;

/// Distances of ticks, in milliseconds. The last one is doubled as often as needed.
const STEPS: [i64; 15] = [
    1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 900_000,
    1_800_000, 3_600_000, 10_800_000, 21_600_000,
];

/// The time axis of a tape.
#[derive(Debug)]
pub struct Axis {
    /// For each event: milliseconds since the first one without collapsed gaps, or its index if there are no times.
    places: Vec<i64>,
    /// The collapsed gaps, in order.
    gaps: Vec<CollapsedGap>,
    /// Whether `places` are times.
    is_time: bool,
    /// The end of the run, if it is known.
    end: Option<i64>,
}

/// How and when a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunEnd {
    /// Milliseconds since 1970-01-01 UTC, by the clock of the tape.
    pub at: i64,
    /// `timed out`
    pub state: String,
    /// Whether something stopped it, such as a timeout: then the time before the end is drawn as long as it was.
    pub is_stopped: bool,
}

impl RunEnd {
    /// The end of a run by the clock of a tape: when the record says that it finished, if the tape has the same clock; else as late
    /// as it was stopped, if the tape `is_only`, the only one of the run.
    pub fn of(run: &Run, tape: &Tape<'_>, is_only: bool) -> Option<Self> {
        let (first, last) = tape.time_range()?;
        let state = format::state(&run.state);
        let is_stopped = state.tone == "poor";
        let [started, finished] =
            [&run.started, &run.finished].map(|it| it.as_ref().map(Moment::ms));
        let has_clock = started.is_some_and(|started| started <= first);
        let finished = finished.filter(|finished| has_clock && last <= *finished);
        let stopped = || {
            let run_time = unlogged_run_time(run, tape.milliseconds())?;
            let lasted = Duration::try_from_secs_f64(run_time)
                .ok()
                .filter(|_| is_stopped && is_only)?;
            first.checked_add(i64::try_from(lasted.as_millis()).ok()?)
        };
        Some(Self {
            at: finished.or_else(stopped)?,
            state: Some(state.word).filter(|_| run.state.is_known())?,
            is_stopped,
        })
    }
}

/// The run time in seconds, if it is more than a tenth longer than the milliseconds `covered`, which a reader would take for it.
pub fn unlogged_run_time(run: &Run, covered: Option<i64>) -> Option<f64> {
    let covered = covered.filter(|length| *length > 0)?;
    let covered = Duration::from_millis(covered.unsigned_abs()).as_secs_f64();
    let run_time = run.metrics.get(Metric::RunTime)?.value();
    (run_time > covered * 1.1).then_some(run_time)
}

#[derive(Debug)]
struct CollapsedGap {
    /// Index of the event after it.
    position: usize,
    duration: i64,
    /// Collapsed part in milliseconds.
    hidden: i64,
    /// Its position on the axis.
    place: i64,
}

/// A label of the axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tick {
    /// Distance from the left.
    pub x: u32,
    /// `m:ss` or `h:mm:ss` since the first event.
    pub label: String,
}

/// An axis scaled to the width of a drawing.
#[derive(Debug, Clone, Copy)]
pub struct Scale<'a> {
    axis: &'a Axis,
    /// The width in units of the drawing.
    width: u32,
    gap_width: u32,
}

impl Axis {
    /// The events by time, or by order if they have no times or all times are equal.
    pub fn of(config: &Config, tape: &Tape<'_>) -> Self {
        Self::until(config, tape, None)
    }

    /// The events, up to the end of their run.
    pub fn until(config: &Config, tape: &Tape<'_>, end: Option<&RunEnd>) -> Self {
        let gap = config.timeline.gap_milliseconds();
        let left = gap.min(LONGEST);
        let mut places = Vec::with_capacity(tape.events.len());
        let mut gaps = Vec::new();
        let (mut place, mut latest) = (0_i64, None);
        for (position, event) in tape.events.iter().enumerate() {
            let pause = match (latest, event.at) {
                (Some(latest), Some(at)) => at.saturating_sub(latest).max(0),
                _ => 0,
            };
            if pause > gap {
                place = place.saturating_add(left);
                gaps.push(CollapsedGap {
                    position,
                    duration: pause,
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
        let mut axis = Self {
            places,
            gaps,
            is_time: true,
            end: None,
        };
        if let Some((end, latest)) = end.zip(latest) {
            axis.extend(tape, end, end.at.saturating_sub(latest).max(0), gap);
        }
        axis
    }

    /// Adds the `pause` between the last event and the end of the run. Events keep a third of the drawing.
    fn extend(&mut self, tape: &Tape<'_>, end: &RunEnd, pause: i64, gap: i64) {
        let before = self.total();
        let left = gap.min(LONGEST);
        let cut = if end.is_stopped {
            left.max(before.saturating_mul(2))
        } else {
            left
        };
        let drawn = if pause > gap.max(cut) { cut } else { pause };
        let place = before.saturating_add(drawn);
        // An error without a time after all others is what ended the run.
        let errors = tape.events.iter().rev();
        let errors = errors.take_while(|it| it.at.is_none() && it.kind.family == Family::Error);
        let first = self.places.len() - errors.count();
        self.places[first..].fill(place);
        if drawn < pause {
            self.gaps.push(CollapsedGap {
                position: first,
                duration: pause,
                hidden: pause - drawn,
                place,
            });
        }
        self.end = Some(place);
    }

    /// The events at equal distances.
    pub fn of_order(tape: &Tape<'_>) -> Self {
        Self {
            places: (0..).take(tape.events.len()).collect(),
            gaps: Vec::new(),
            is_time: false,
            end: None,
        }
    }

    /// Scales the axis to this width, with `gap_width` units for each collapsed gap.
    pub fn scale(&self, width: u32, gap_width: u32) -> Scale<'_> {
        // Many gaps share half of the width.
        let gaps = u32::try_from(self.gaps.len()).unwrap_or(u32::MAX).max(1);
        Scale {
            axis: self,
            width,
            gap_width: gap_width.min(width / 2 / gaps),
        }
    }

    fn total(&self) -> i64 {
        let last = self.end.or(self.places.last().copied());
        last.unwrap_or_default().max(1)
    }
}

impl Scale<'_> {
    /// The position of each event, from 0 to the width.
    pub fn places(&self) -> impl Iterator<Item = u32> {
        self.events().map(|(_, place, gaps)| self.x(place, gaps))
    }

    /// Each event with its index, its place on the axis, and the number of collapsed gaps before it.
    fn events(&self) -> impl Iterator<Item = (usize, i64, usize)> {
        let mut gaps = self.axis.gaps.iter().map(|gap| gap.position).peekable();
        let mut before = 0;
        let places = self.axis.places.iter().enumerate();
        places.map(move |(position, place)| {
            before += usize::from(gaps.next_if_eq(&position).is_some());
            (position, *place, before)
        })
    }

    /// The end of each event: the next event or collapsed gap, but at most 30 seconds after its start. Without times, the
    /// position of the next event.
    pub fn ends(&self) -> impl Iterator<Item = u32> {
        let longest = if self.axis.is_time { LONGEST } else { 1 };
        self.events().map(move |(position, place, gaps)| {
            let next = self.axis.places.get(position + 1).copied();
            let next = next.or(self.axis.end).unwrap_or(place);
            self.x(next.min(place.saturating_add(longest)), gaps)
        })
    }

    /// The position of the end of the run.
    pub fn end(&self) -> Option<u32> {
        let end = self.axis.end?;
        Some(self.x(end, self.axis.gaps.len()))
    }

    /// The collapsed gaps: start, end, and duration in milliseconds.
    pub fn gaps(&self) -> impl Iterator<Item = (u32, u32, i64)> {
        let gaps = self.axis.gaps.iter().enumerate();
        gaps.map(|(index, gap)| {
            let from = self.x(gap.place, index);
            (from, from + self.gap_width, gap.duration)
        })
    }

    /// Milliseconds in this many units without a collapsed gap; 0 without times.
    pub fn milliseconds(&self, units: u32) -> i64 {
        if !self.axis.is_time {
            return 0;
        }
        let part = i128::from(self.axis.total()) * i128::from(units)
            / i128::from(self.width_without_gaps().max(1));
        i64::try_from(part).unwrap_or(i64::MAX)
    }

    /// Up to `most` labels at round times; empty without times.
    pub fn ticks(&self, most: usize) -> Vec<Tick> {
        if !self.axis.is_time {
            return Vec::new();
        }
        // Collapsed parts need no labels.
        let most = i64::try_from(most.max(1)).unwrap_or(i64::MAX);
        let total = self.axis.total();
        let mut steps = STEPS.into_iter();
        let mut step = 0;
        while step == 0 || total / step >= most {
            step = steps.next().unwrap_or(step.saturating_mul(2));
        }
        let mut ticks = Vec::new();
        let (mut from, mut hidden) = (0_i64, 0_i64);
        let gaps = self.axis.gaps.iter().map(|gap| (gap.place, gap.hidden));
        for (gaps_before, (place, next)) in gaps.chain([(total, 0)]).enumerate() {
            // This is the first round time after the previous gap.
            let mut place_of =
                (from.saturating_add(hidden)).saturating_add(step - 1) / step * step - hidden;
            while place_of <= place && ticks.len() < 4 * STEPS.len() {
                ticks.push(Tick {
                    x: self.x(place_of, gaps_before),
                    label: clock(place_of + hidden),
                });
                place_of = place_of.saturating_add(step);
            }
            from = place;
            hidden = hidden.saturating_add(next);
        }
        ticks
    }

    fn width_without_gaps(&self) -> u32 {
        let gaps = u32::try_from(self.axis.gaps.len()).unwrap_or(u32::MAX);
        self.width
            .saturating_sub(self.gap_width.saturating_mul(gaps))
    }

    /// The x position of a place after this many collapsed gaps.
    fn x(&self, place: i64, gaps: usize) -> u32 {
        let part = i128::from(place) * i128::from(self.width_without_gaps())
            / i128::from(self.axis.total());
        let gaps = u32::try_from(gaps).unwrap_or(u32::MAX);
        let x = u32::try_from(part).unwrap_or(self.width);
        x.saturating_add(self.gap_width.saturating_mul(gaps))
            .min(self.width)
    }
}
