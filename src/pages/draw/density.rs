//! A tape in a few columns: how many events of each family, and how many failures. Lists draw runs from the columns in their
//! findings, without reading a tape again.

use serde::Serialize;

use formats::model::findings::{EventCounts, Findings};
use formats::model::tape::{Family, Tape};

use super::axis::Axis;

#[cfg(test)]
mod tests;

/// Columns of a run in its findings.
pub const COLUMNS: usize = 48;
/// Maximum height of a [`TapeGlyph`]. With fewer events in a column, each is one unit high.
const HEIGHT: u32 = 46;
/// Units per column while events are assigned to columns.
const UNITS: u32 = 16;
/// Maximum bars of a glyph, at 7 bytes each; beyond that, columns are merged in pairs.
const MAX_BARS: usize = 200;
/// Minimum columns of a glyph.
const MIN_COLUMNS: usize = 15;

/// The columns of a tape as a small SVG: a path of vertical strokes for each family, and one for failures.
/// `components/density.html` prints it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TapeGlyph {
    /// Number of columns. Each is one unit wide, with its bars centered at an integer.
    pub columns: usize,
    pub height: u32,
    /// Drawn from the bottom up.
    pub paths: Vec<GlyphPath>,
}

/// The bars of one color.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GlyphPath {
    /// `f-speech`, ... or `fail`.
    pub class: String,
    /// Vertical lines, in integer units.
    pub d: String,
}

/// Sorts the events of a tape into `count` columns, of equal time or of equal event counts as the axis decides. Every event is
/// counted once.
pub fn columns(axis: &Axis, tape: &Tape<'_>, count: usize) -> Vec<EventCounts> {
    let mut columns = vec![EventCounts::default(); count.max(1)];
    for (event, column) in tape.events.iter().zip(event_columns(axis, count)) {
        let family = event.kind.family as usize;
        columns[column].events[family] += 1;
        columns[column].failed[family] += u32::from(event.is_failure());
    }
    columns
}

/// The column of each event.
pub fn event_columns(axis: &Axis, count: usize) -> impl Iterator<Item = usize> {
    let last = count.max(1) - 1;
    let width = u32::try_from(last + 1).map_or(u32::MAX, |it| it.saturating_mul(UNITS));
    let places: Vec<u32> = axis.scale(width, UNITS).places().collect();
    places
        .into_iter()
        .map(move |x| usize::try_from(x / UNITS).map_or(last, |column| column.min(last)))
}

fn merge_pairs(columns: &[EventCounts]) -> Vec<EventCounts> {
    let pairs = columns.chunks(2).map(|pair| {
        let mut sum = pair[0];
        pair[1..].iter().for_each(|other| sum.add(other));
        sum
    });
    pairs.collect()
}

/// The legend: classes and names of the colors in order; failures last.
pub fn legend(columns: &[EventCounts]) -> Vec<(String, &'static str)> {
    let mut totals = EventCounts::default();
    for column in columns {
        totals.add(column);
    }
    // The errors of failed calls have the color of failures.
    let is_named =
        |family: &Option<Family>| *family != Some(Family::Error) || totals.failures() == 0;
    let stack = totals.stack().filter(|(_, number)| *number > 0);
    let stack = stack.filter(|(family, _)| is_named(family));
    let color = |family: Option<Family>| match family {
        Some(family) => (format!("f-{}", family.word()), family.word()),
        None => ("f-error".to_owned(), "failures"),
    };
    stack.map(|(family, _)| color(family)).collect()
}

/// The height of a number of events, if `most` events have this height. Rounded up: a column with one event is not empty.
pub(super) fn scaled(number: u32, most: u32, height: u32) -> u32 {
    let part = (u64::from(number) * u64::from(height)).div_ceil(u64::from(most));
    u32::try_from(part).unwrap_or(height)
}

/// Bars of all columns. `first` is the center of the first one and `step` the distance to the next, `top` the space above
/// them and `height` their height.
pub fn paths(
    columns: &[EventCounts],
    first: u32,
    step: u32,
    top: u32,
    height: u32,
) -> Vec<GlyphPath> {
    let totals = columns.iter().map(EventCounts::total);
    let most = totals.max().unwrap_or_default().max(1);
    let y = |number: u32| scaled(number, most, height);
    // A failure stays visible among any number of others.
    let least = if height < most { 2 } else { 1 };
    let mut ds = [const { String::new() }; Family::ALL.len() + 1];
    for (x, column) in (first..).step_by(step as usize).zip(columns) {
        let mut below = 0;
        for (d, (family, number)) in ds.iter_mut().zip(column.stack()) {
            if number == 0 {
                continue;
            }
            let mut from = y(below);
            below += number;
            let to = y(below).max(least);
            if family.is_none() {
                from = from.min(to - least);
            }
            if to > from {
                d.push('M');
                push_number(d, x);
                d.push(' ');
                push_number(d, top + height - from);
                d.push('V');
                push_number(d, top + height - to);
            }
        }
    }
    let families = Family::ALL.into_iter().map(Some).chain([None]);
    let paths = families.zip(ds).filter(|(_, d)| !d.is_empty());
    let class = |family: Option<Family>| match family {
        Some(family) => format!("f-{}", family.word()),
        None => "fail".to_owned(),
    };
    let paths = paths.map(|(family, d)| GlyphPath {
        class: class(family),
        d,
    });
    paths.collect()
}

impl TapeGlyph {
    /// The glyph of these columns: at most about 1.7 KB, and equal on every machine.
    pub fn new(columns: &[EventCounts]) -> Self {
        let mut columns = columns.to_vec();
        while columns.iter().map(bars).sum::<usize>() > MAX_BARS && columns.len() > MIN_COLUMNS {
            columns = merge_pairs(&columns);
        }
        let most = columns.iter().map(EventCounts::total).max();
        let height = most.unwrap_or_default().clamp(1, HEIGHT);
        Self {
            columns: columns.len(),
            height,
            paths: paths(&columns, 0, 1, 0, height),
        }
    }

    /// The glyph of a run, if it has events.
    pub fn of_run(findings: &Findings) -> Option<Self> {
        (!findings.columns.is_empty()).then(|| Self::new(&findings.columns))
    }
}

/// Number of bars of a column.
fn bars(column: &EventCounts) -> usize {
    column.stack().filter(|(_, number)| *number > 0).count()
}

/// Numbers in a glyph mostly have one digit.
fn push_number(out: &mut String, number: u32) {
    match u8::try_from(number) {
        Ok(digit @ 0..10) => out.push(char::from(b'0' + digit)),
        _ => out.push_str(itoa::Buffer::new().format(number)),
    }
}
