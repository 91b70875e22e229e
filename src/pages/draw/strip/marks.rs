//! Labels on a strip: numbers of failures, and times, without overlaps.

use crate::draw::axis::Scale;
use formats::model::amounts::clock;

use super::{StripPosition, WIDTH};

/// Minimum units between labels of failures, on a wide page and on a phone: numbers, and discs.
const NUMBERS: [u32; 2] = [64, 200];
const DISCS: [u32; 2] = [24, 76];
/// Maximum labels for times, and for gaps.
const TIMES: usize = 10;
const GAPS: usize = 3;
/// Minimum units between labels, on a wide page and on a phone.
const LABELS: [u32; 2] = [72, 170];
/// Units that the label of the end takes, on a wide page and on a phone.
const END: [u32; 2] = [220, 480];
/// A gap gets a label if it is at least this fraction of the time without collapsed gaps.
const LONG: i64 = 20;

/// A text below the strip.
#[derive(Debug)]
pub struct AxisLabel {
    /// Distance from the left.
    pub x: u32,
    /// `m:ss`, or the length of a gap.
    pub text: String,
    /// Whether it does not fit on a phone.
    pub is_broad: bool,
}

/// The position of a failure, and its number.
type Failure<'a> = (StripPosition<'a>, u64);

#[derive(Debug)]
pub struct Failures<'a> {
    /// Vertical lines; empty if discs count the failures.
    pub lines: Vec<StripPosition<'a>>,
    /// Labels on a wide page.
    pub wide: Vec<FailureLabel<'a>>,
    /// Labels on a phone, if different.
    pub slim: Option<Vec<FailureLabel<'a>>>,
}

/// A label with the numbers of failures, or with their count.
#[derive(Debug, Clone)]
pub struct FailureLabel<'a> {
    /// The first failure.
    pub place: StripPosition<'a>,
    /// `24`, `24, 25` or `24 +4`; `5` on a disc.
    pub text: String,
}

impl<'a> Failures<'a> {
    /// Failures with their numbers.
    pub(super) fn numbered(failures: impl Iterator<Item = (StripPosition<'a>, u64)>) -> Self {
        let failures: Vec<_> = failures.collect();
        let text = |group: &[(StripPosition<'_>, u64)]| match group {
            [(_, only)] => only.to_string(),
            [(_, first), (_, second)] => format!("{first}, {second}"),
            _ => {
                let first = group.first().map_or(0, |(_, first)| *first);
                format!("{first} +{}", group.len() - 1)
            }
        };
        Self {
            lines: failures.iter().map(|(place, _)| *place).collect(),
            ..Self::of(&failures, NUMBERS, &text)
        }
    }

    /// Counts failures in columns of this width.
    pub(super) fn counted(
        failures: impl Iterator<Item = (StripPosition<'a>, u64)>,
        column: u32,
    ) -> Self {
        let failures = failures.map(|(place, number)| {
            let x = place.x.min(WIDTH - 1) / column * column + column / 2;
            (StripPosition { x, ..place }, number)
        });
        let failures: Vec<_> = failures.collect();
        Self::of(&failures, DISCS, &|group| group.len().to_string())
    }

    fn of(
        failures: &[Failure<'a>],
        [wide, slim]: [u32; 2],
        text: &dyn Fn(&[Failure<'a>]) -> String,
    ) -> Self {
        let labels = |room: u32| -> Vec<_> {
            let mut labels = Vec::new();
            let mut rest = failures;
            while let Some((place, _)) = rest.first() {
                let near = |(other, _): &(StripPosition<'_>, u64)| other.x.abs_diff(place.x) < room;
                let count = rest.iter().take_while(|other| near(other)).count();
                let (group, others) = rest.split_at(count);
                labels.push(FailureLabel {
                    place: *place,
                    text: text(group),
                });
                rest = others;
            }
            labels
        };
        let (wide, slim) = (labels(wide), labels(slim));
        Self {
            lines: Vec::new(),
            slim: (slim.len() < wide.len()).then_some(slim),
            wide,
        }
    }
}

/// Labels for the `end` of the run, for the longest gaps, and for times that fit next to them.
pub(super) fn labels(scale: Scale<'_>, end: Option<String>) -> Vec<AxisLabel> {
    let end = end.zip(scale.end());
    let ends = if end.is_some() { END } else { [0, 0] };
    let mut gaps: Vec<_> = scale.gaps().collect();
    gaps.retain(|(_, _, lasts)| *lasts >= scale.milliseconds(WIDTH) / LONG);
    gaps.sort_by_key(|(from, _, lasts)| (std::cmp::Reverse(*lasts), *from));
    let gaps = gaps
        .into_iter()
        .take(GAPS)
        .map(|(from, to, lasts)| (u32::midpoint(from, to), format!("gap {}", clock(lasts))));
    let times = scale
        .ticks(TIMES)
        .into_iter()
        .map(|tick| (tick.x, tick.label));
    let mut labels: Vec<AxisLabel> = Vec::new();
    for (x, text) in gaps.chain(times) {
        let is_free = |size: usize, all: bool| {
            let mut others = labels.iter().filter(|other| all || !other.is_broad);
            x + ends[size] <= WIDTH && others.all(|other| other.x.abs_diff(x) >= LABELS[size])
        };
        if is_free(0, true) {
            let is_broad = !is_free(1, false);
            labels.push(AxisLabel { x, text, is_broad });
        }
    }
    labels.extend(end.map(|(text, x)| AxisLabel {
        x,
        text,
        is_broad: false,
    }));
    labels.sort_by_key(|label| label.x);
    labels
}
