//! The data with which the page of runs is filtered and sorted: for each column a value of each run, and the rows in small files,
//! of which the script loads those that it shows.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::view::row::{CELLS, FILTERS, FilterValue, ORDERS, row};
use crate::view::{Cell, DisplayTime};
use formats::model::archive::{Archive, ArchiveEntry};
use formats::model::findings::Findings;

/// No JSON string escapes any of them.
const DIGITS: &[u8; BASE] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/.-:=^!*?()[]{}@%$#_,;";
const BASE: usize = 85;

/// A row: places in the values of [`FILTERS`], then what is a run's own.
#[derive(Debug, Serialize)]
pub struct RunTableRow(
    [usize; FILTERS.len()],
    /// Its folder below `runs/`.
    String,
    /// A unique part of its id.
    String,
    /// Its title.
    String,
    DisplayTime,
    /// The run time in seconds.
    String,
    /// In the order of [`CELLS`].
    [Cell; CELLS.len()],
);

/// A number per run, oldest first, in the shorter of two encodings: browsers load whole columns of a large archive.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum RunTableColumn {
    /// A base that is above all numbers, how many numbers a digit holds, and the digits. With 1, a number may take several digits.
    Digits(usize, usize, String),
    /// Run lengths: a number, how many successive runs have it, then the next number.
    Repeated(Vec<usize>),
    /// The names of runs.
    Names(String),
}

/// The values of a column in the order in which the oldest runs had them, and how many runs have each.
#[derive(Debug, Default, Serialize)]
struct ColumnValues {
    values: Vec<FilterValue>,
    counts: Vec<usize>,
    #[serde(skip)]
    places: BTreeMap<String, usize>,
    #[serde(skip)]
    of_runs: Vec<u32>,
}

/// The manifest, which the script loads first.
#[derive(Debug, Serialize)]
pub struct RunTableManifest {
    total: usize,
    columns: BTreeMap<&'static str, ColumnValues>,
    /// The names of the columns in the order of a row.
    filters: [&'static str; FILTERS.len()],
    cells: [&'static str; CELLS.len()],
    /// The characters of the names of runs: other words are in none of them.
    letters: BTreeSet<char>,
    #[serde(skip)]
    names: Names,
    /// NaN for a run without a number.
    #[serde(skip)]
    numbers: [Vec<f64>; ORDERS.len()],
}

/// Names in lower case, with spaces between them. Names of eight hexadecimal digits, as UUIDs begin, are numbers of five
/// digits: many in succession are one name that begins with an `X`.
#[derive(Debug, Default)]
struct Names {
    written: String,
    end_in_number: bool,
}

impl Names {
    fn push(&mut self, name: &str) {
        let digits = name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = (digits && name.len() == 8).then(|| usize::from_str_radix(name, 16));
        let number = number.and_then(Result::ok);
        let continues = self.end_in_number && number.is_some();
        self.end_in_number = number.is_some();
        if !continues && !self.written.is_empty() {
            self.written.push(' ');
        }
        match number {
            Some(number) => {
                self.written.push_str(if continues { "" } else { "X" });
                self.written.extend(base_digits(number, 5));
            }
            None => self.written.push_str(name),
        }
    }
}

impl ColumnValues {
    fn push(&mut self, value: FilterValue) -> serde_json::Result<usize> {
        let next = self.values.len();
        let place = self.places.entry(serde_json::to_string(&value)?);
        let place = *place.or_insert(next);
        if place == next {
            self.values.push(value);
            self.counts.push(0);
        }
        self.counts[place] += 1;
        self.of_runs.push(u32::try_from(place).unwrap_or(u32::MAX));
        Ok(place)
    }
}

impl RunTableManifest {
    /// An empty manifest with capacity for this many runs.
    pub fn new(runs: usize) -> Self {
        let values = || ColumnValues {
            of_runs: Vec::with_capacity(runs),
            ..ColumnValues::default()
        };
        Self {
            total: 0,
            columns: FILTERS.map(|(name, _)| (name, values())).into(),
            filters: FILTERS.map(|(name, _)| name),
            cells: CELLS.map(|(name, _)| name),
            letters: BTreeSet::new(),
            names: Names::default(),
            numbers: ORDERS.map(|_| Vec::with_capacity(runs)),
        }
    }

    /// Adds a run, the oldest first, and gives its row.
    pub fn add(
        &mut self,
        archive: &Archive,
        entry: &ArchiveEntry,
        findings: &Findings,
    ) -> serde_json::Result<RunTableRow> {
        let row = row(archive, entry, findings, "", &[]);
        self.total += 1;
        let name = row.label.to_lowercase();
        self.letters.extend(name.chars());
        self.names.push(&name);
        for (column, (_, number)) in self.numbers.iter_mut().zip(ORDERS) {
            column.push(number(&entry.run, findings).unwrap_or(f64::NAN));
        }
        let mut places = [0; FILTERS.len()];
        for (place, (name, value)) in places.iter_mut().zip(FILTERS) {
            let values = self.columns.entry(name).or_default();
            *place = values.push(value(&row, findings))?;
        }
        let cells = CELLS.map(|(_, cell)| cell(&row));
        Ok(RunTableRow(
            places,
            entry.slug.below_runs().into_owned(),
            row.label,
            row.title,
            row.finished,
            row.seconds,
            cells,
        ))
    }

    /// The columns: for each run the place of its value, or its rank from 1 and 0 without one; and the names of the runs.
    pub fn columns(&self) -> impl Iterator<Item = (&'static str, RunTableColumn)> + '_ {
        let chosen = self.columns.iter();
        let chosen = chosen.map(|(name, values)| (*name, RunTableColumn::of(&values.of_runs)));
        let ordered = ORDERS.into_iter().zip(&self.numbers);
        let ordered =
            ordered.map(|((name, _), numbers)| (name, RunTableColumn::of(&ranks(numbers))));
        let names = ("run", RunTableColumn::Names(self.names.written.clone()));
        chosen.chain(ordered).chain([names])
    }
}

impl RunTableColumn {
    fn of(numbers: &[u32]) -> Self {
        let base = numbers.iter().max().map_or(0, |most| most + 1).max(2) as usize;
        let fits = |per: &u32| base.checked_pow(*per).is_some_and(|size| size <= BASE);
        let each = (1..=6).rev().find(fits).unwrap_or(1) as usize;
        let group = |group: &[u32]| {
            let numbers = group.iter().rev();
            numbers.fold(0, |sum, number| sum * base + *number as usize)
        };
        let groups = numbers.chunks(each).map(group);
        let width = (1..=5).find(|width| base <= BASE.pow(*width)).unwrap_or(5);
        let length = groups.len() * width as usize;
        let repeated = numbers.chunk_by(|one, next| one == next);
        let repeated = repeated.flat_map(|same| [same[0] as usize, same.len()]);
        let written = |number: usize| number.checked_ilog10().unwrap_or_default() as usize + 2;
        // Columns of many runs are long, so neither encoding is made before it is known to be the shorter one.
        if repeated.clone().map(written).sum::<usize>() < length {
            Self::Repeated(repeated.collect())
        } else {
            let mut digits = String::with_capacity(length);
            digits.extend(groups.flat_map(|number| base_digits(number, width)));
            Self::Digits(base, each, digits)
        }
    }
}

/// The rank of each number among them, from 1; 0 for none.
fn ranks(numbers: &[f64]) -> Vec<u32> {
    let mut sorted: Vec<f64> = numbers
        .iter()
        .copied()
        .filter(|number| !number.is_nan())
        .collect();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup_by(|a, b| a.total_cmp(b).is_eq());
    let rank = |number: &f64| {
        if number.is_nan() {
            0
        } else {
            sorted.partition_point(|each| each.total_cmp(number).is_lt()) + 1
        }
    };
    let ranks = numbers.iter().map(rank);
    ranks
        .map(|rank| u32::try_from(rank).unwrap_or(u32::MAX))
        .collect()
}

/// A number in this many digits, the low ones first.
fn base_digits(number: usize, width: u32) -> impl Iterator<Item = char> {
    (0..width).map(move |at| char::from(DIGITS[number / BASE.pow(at) % BASE]))
}
