//! A tape in a few columns: the number of events per family, and of failures. Small enough to keep with a run, so that lists can
//! draw it without reading the tape again.

use serde::Serialize;

use formats::model::findings::Findings;
use formats::model::tape::{Family, Tape};

use super::axis::Axis;

#[cfg(test)]
mod tests;

/// Columns kept for a run.
pub const KEPT: usize = 48;
/// Maximum height of a [`Glyph`]. With fewer events in a column, each is one unit high.
const HEIGHT: u32 = 46;
/// Units per column while events are assigned to columns.
const UNITS: u32 = 16;
/// Maximum bars of a glyph, at 7 bytes each; beyond that, columns are merged in pairs.
const BARS: usize = 200;
/// Minimum columns of a glyph.
const COARSE: usize = 15;

/// Number of families.
const FAMILIES: usize = Family::ALL.len();

/// Events of one column, by family in the order of [`Family::ALL`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Column {
    pub events: [u32; FAMILIES],
    /// Failed events.
    pub failed: [u32; FAMILIES],
}

/// A tape in columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Density {
    /// From left to right.
    pub columns: Vec<Column>,
}

/// A density as a small SVG: a path of vertical strokes for each family, and one for failures. `components/density.html` prints
/// it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Glyph {
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

impl Column {
    /// Number of events.
    pub fn total(&self) -> u32 {
        self.events.iter().sum()
    }

    /// Number of failures.
    pub fn failures(&self) -> u32 {
        self.failed.iter().sum()
    }

    /// The stack from the bottom up: successful events of each family, then failures.
    pub fn stack(&self) -> impl Iterator<Item = (Option<Family>, u32)> {
        let numbers = self.events.iter().zip(&self.failed);
        let fine = numbers.map(|(events, failed)| events.saturating_sub(*failed));
        let families = Family::ALL.into_iter().map(Some).zip(fine);
        families.chain([(None, self.failures())])
    }

    /// Number of bars in the stack.
    fn bars(&self) -> usize {
        let families = self.events.iter().zip(&self.failed);
        let fine = families.filter(|(events, failed)| events > failed).count();
        fine + usize::from(self.failures() > 0)
    }

    fn add(&mut self, other: &Self) {
        for (sum, number) in self.events.iter_mut().zip(other.events) {
            *sum = sum.saturating_add(number);
        }
        for (sum, number) in self.failed.iter_mut().zip(other.failed) {
            *sum = sum.saturating_add(number);
        }
    }
}

impl Density {
    /// Sorts the events of a tape into `columns`, of equal time or of equal event counts as the axis decides. Every event is
    /// counted once.
    pub fn of(axis: &Axis, tape: &Tape<'_>, columns: usize) -> Self {
        let mut density = Self {
            columns: vec![Column::default(); columns.max(1)],
        };
        for (event, column) in tape.events.iter().zip(places(axis, columns)) {
            let family = event.kind.family as usize;
            let column = &mut density.columns[column];
            column.events[family] += 1;
            column.failed[family] += u32::from(event.is_failure());
        }
        density
    }

    /// The value of [`Findings::density`], if the run has events.
    pub fn kept(axis: &Axis, tape: &Tape<'_>) -> Option<String> {
        (!tape.events.is_empty()).then(|| Self::of(axis, tape, KEPT).packed())
    }

    /// The columns of a run, if it has events.
    pub fn of_run(findings: &Findings) -> Option<Self> {
        Self::of_packed(findings.density.as_deref()?)
    }

    /// Merges columns in pairs.
    pub fn halved(&self) -> Self {
        let pairs = self.columns.chunks(2).map(|pair| {
            let mut sum = pair[0];
            pair[1..].iter().for_each(|other| sum.add(other));
            sum
        });
        Self {
            columns: pairs.collect(),
        }
    }

    /// Packs the columns into a text of a few hundred bytes: their number and, for each family and its failures, how many columns
    /// have a count, the empty columns before each of them, and the count.
    pub fn packed(&self) -> String {
        let mut out = String::new();
        push(
            &mut out,
            u32::try_from(self.columns.len()).unwrap_or(u32::MAX),
        );
        for series in 0..2 * FAMILIES {
            let numbers = self.columns.iter().map(|column| *column.series(series));
            let numbers: Vec<_> = numbers
                .enumerate()
                .filter(|(_, number)| *number > 0)
                .collect();
            push(&mut out, u32::try_from(numbers.len()).unwrap_or(u32::MAX));
            let mut next = 0;
            for (at, number) in numbers {
                push(&mut out, u32::try_from(at - next).unwrap_or(u32::MAX));
                push(&mut out, number);
                next = at + 1;
            }
        }
        out
    }

    /// Unpacks a text; `None` if [`Density::packed`] did not write it.
    pub fn of_packed(text: &str) -> Option<Self> {
        let mut digits = text.bytes();
        let mut number = || pull(&mut digits);
        let columns = usize::try_from(number()?)
            .ok()
            .filter(|columns| *columns <= MOST)?;
        let mut density = Self {
            columns: vec![Column::default(); columns],
        };
        for series in 0..2 * FAMILIES {
            let mut next = 0_usize;
            for _ in 0..number()? {
                let at = next.checked_add(usize::try_from(number()?).ok()?)?;
                *density.columns.get_mut(at)?.series_mut(series) = number()?;
                next = at + 1;
            }
        }
        Some(density)
    }

    /// The legend: classes and names of the colors in order; failures last.
    pub fn key(&self) -> Vec<(String, &'static str)> {
        let mut stacks = [false; FAMILIES + 1];
        for column in &self.columns {
            for (is_there, (_, number)) in stacks.iter_mut().zip(column.stack()) {
                *is_there |= number > 0;
            }
        }
        let families = Family::ALL
            .into_iter()
            .map(|family| (format!("f-{}", family.word()), family.word()));
        families
            .chain([("f-error".to_owned(), "failures")])
            .zip(stacks)
            .filter_map(|(color, is_there)| is_there.then_some(color))
            .collect()
    }

    /// The glyph: at most about 1.7 KB, and equal on every machine.
    pub fn glyph(&self) -> Glyph {
        let bars = |density: &Self| density.columns.iter().map(Column::bars).sum::<usize>();
        let mut fine = self.clone();
        while bars(&fine) > BARS && fine.columns.len() > COARSE {
            fine = fine.halved();
        }
        let most = fine.columns.iter().map(Column::total).max();
        let height = most.unwrap_or_default().clamp(1, HEIGHT);
        Glyph {
            columns: fine.columns.len(),
            height,
            paths: fine.drawn((0, 1), (0, height)),
        }
    }

    /// Bars of all columns. `first` is the center of the first one and `step` the distance to the next, `top` the space above
    /// them and `height` their height.
    pub fn drawn(&self, (first, step): (u32, u32), (top, height): (u32, u32)) -> Vec<GlyphPath> {
        let totals = self.columns.iter().map(Column::total);
        let most = totals.max().unwrap_or_default().max(1);
        // Rounded up: a column with one event is not empty.
        let y = |number: u32| {
            if height == most {
                return number;
            }
            let part = (u64::from(number) * u64::from(height)).div_ceil(u64::from(most));
            u32::try_from(part).unwrap_or(height)
        };
        // A failure stays visible among any number of others.
        let least = if height < most { 2 } else { 1 };
        let mut ds = [const { String::new() }; FAMILIES + 1];
        for (x, column) in (first..).step_by(step as usize).zip(&self.columns) {
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
}

/// The column of each event.
pub fn places(axis: &Axis, columns: usize) -> impl Iterator<Item = usize> {
    let last = columns.max(1) - 1;
    let width = u32::try_from(last + 1).map_or(u32::MAX, |it| it.saturating_mul(UNITS));
    let places: Vec<u32> = axis.scale(width, UNITS).places().collect();
    places
        .into_iter()
        .map(move |x| usize::try_from(x / UNITS).map_or(last, |column| column.min(last)))
}

impl Glyph {
    /// The glyph of a run, if it has events.
    pub fn of_run(findings: &Findings) -> Option<Self> {
        Density::of_run(findings).map(|density| density.glyph())
    }
}

impl Column {
    fn series(&self, index: usize) -> &u32 {
        if index < FAMILIES {
            &self.events[index]
        } else {
            &self.failed[index - FAMILIES]
        }
    }

    fn series_mut(&mut self, index: usize) -> &mut u32 {
        if index < FAMILIES {
            &mut self.events[index]
        } else {
            &mut self.failed[index - FAMILIES]
        }
    }
}

/// Numbers in a glyph mostly have one digit.
fn push_number(out: &mut String, number: u32) {
    match u8::try_from(number) {
        Ok(digit @ 0..10) => out.push(char::from(b'0' + digit)),
        _ => out.push_str(itoa::Buffer::new().format(number)),
    }
}

/// Maximum columns in a packed text.
const MOST: usize = 10_000;

/// Digits of packed numbers: five bits each, lowest first; a sixth bit marks that more follow.
const ZERO: u8 = b'0';
const MORE: u8 = 32;

fn push(out: &mut String, mut number: u32) {
    while number >= u32::from(MORE) {
        let digit = u8::try_from(number % u32::from(MORE)).unwrap_or_default();
        out.push(char::from(ZERO + MORE + digit));
        number /= u32::from(MORE);
    }
    let digit = u8::try_from(number).unwrap_or_default();
    out.push(char::from(ZERO + digit));
}

fn pull(digits: &mut impl Iterator<Item = u8>) -> Option<u32> {
    let (mut number, mut shift) = (0_u32, 0);
    loop {
        let digit = digits
            .next()?
            .checked_sub(ZERO)
            .filter(|digit| *digit < 2 * MORE)?;
        if shift > 30 {
            return None;
        }
        number |= u32::from(digit % MORE).checked_shl(shift)?;
        shift += 5;
        if digit < MORE {
            return Some(number);
        }
    }
}
