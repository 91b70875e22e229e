//! Run records of every version: each field is read as written.

mod made;
mod written;

use runpress::api::diagnostics::Source;
use runpress::api::formats::run_record::parse;

use crate::generate::{dice, holds};

/// The debug format of a value, without places.
fn without_places(value: &impl std::fmt::Debug) -> String {
    let shown = format!("{value:#?}");
    let lines = shown
        .lines()
        .filter(|line| !line.trim_start().starts_with("offset: "));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_record_is_read_back_in_every_field_however_it_is_written() {
    holds(300, &(made::record(), dice()), |(record, mut dice)| {
        let text = written::record(&mut dice, &record).write(&mut dice, false);
        let mark = if dice.once_in(4) { "\u{feff}" } else { "" };
        let text = format!("{mark}{text}");
        let (read, problems) = parse(Source::file("r", text.as_bytes()));
        let read = read.unwrap_or_else(|| panic!("{problems:?} in {text}"));
        assert!(
            read.diagnostics.is_empty(),
            "{:?} in {text}",
            read.diagnostics
        );
        assert_eq!(
            without_places(&read.record),
            without_places(&record),
            "{text}"
        );
    });
}
