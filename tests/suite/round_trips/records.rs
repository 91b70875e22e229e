//! Run records of every version: each field of the schema is read as written.

use runpress::api::diagnostics::Source;
use runpress::api::formats::run_record::parse;

use super::filler;
use crate::generate::holds;

#[test]
fn a_record_is_read_back_in_every_field_however_it_is_written() {
    let schema = crate::schemas::schema("run-record");
    holds(300, &filler(false), |mut filler| {
        let (document, notes) = filler.document(&schema, "");
        let text = document.write(&mut filler.dice, false);
        let mark = ["", "", "", "\u{feff}"][filler.dice.roll(4)];
        let text = format!("{mark}{text}");
        let (read, problems) = parse(Source::file("r", text.as_bytes()));
        let read = read.unwrap_or_else(|| panic!("{problems:?} in {text}"));
        let problems = &read.diagnostics;
        assert!(problems.is_empty(), "{problems:?} in {text}");
        let read = format!("{:?}", read.record);
        notes.assert_in(&read, &text);
        let values = [
            "Some(\"",
            "Some(NumberLiteral ",
            "Some(Node ",
            "Some(true)",
            "Some(false)",
        ];
        let found: usize = values.iter().map(|value| read.matches(value).count()).sum();
        let fields = notes.written.iter();
        let fields = fields.filter(|((_, value), _)| !value.starts_with("NumberLiteral "));
        let fields: usize = fields.map(|(_, count)| count).sum();
        assert_eq!(found, fields, "{text}: {read}");
    });
}
