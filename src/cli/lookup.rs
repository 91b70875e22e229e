//! Runs `explain` and `schema`: the meaning of a diagnostic, and the shape of an input or a feed.

use runpress::api::diagnostics::text::{capitalized, nearest, visible};
use runpress::api::diagnostics::{Code, codes};
use runpress::api::schema::{self, SchemaSubject};

use super::COULD_NOT_RUN;
use super::console::{answer, refuse};

/// Explains a code, or lists all codes.
pub(crate) fn explain(code: Option<&str>) -> u8 {
    let Some(name) = code else {
        return answer(&all_codes());
    };
    if let Some(code) = codes::find(name) {
        return answer(&explanation(code));
    }
    let names = codes::all().map(|code| code.name);
    unknown(
        "diagnostic",
        name,
        names,
        "Run `runpress explain` to list all codes.",
    )
}

/// Prints a schema, or lists all schemas.
pub(crate) fn schema(name: Option<&str>) -> u8 {
    let Some(name) = name else {
        return answer(&all_schemas());
    };
    if let Some(entry) = schema::find(name) {
        return answer(&entry.document());
    }
    let names = schema::ALL.iter().map(|entry| entry.name);
    unknown(
        "schema",
        name,
        names,
        "Run `runpress schema` to list all names.",
    )
}

fn unknown<'a>(what: &str, word: &str, known: impl Iterator<Item = &'a str>, help: &str) -> u8 {
    let near = nearest(word, known).map(|near| format!("Did you mean `{near}`?"));
    let hint = near.unwrap_or_else(|| help.to_owned());
    refuse(&format!("there is no {what} `{}`", visible(word)), &hint);
    COULD_NOT_RUN
}

/// The text of `runpress explain CODE`.
fn explanation(code: &Code) -> String {
    format!(
        "{} ({})\n\n{}.\n\n{}\n\nBad:\n\n{}\n\nGood:\n\n{}\n",
        code.name,
        code.severity.word(),
        capitalized(code.summary),
        code.explanation,
        indented(code.bad),
        indented(code.good)
    )
}

/// All codes, one per line.
fn all_codes() -> String {
    codes::all()
        .map(|code| {
            format!(
                "{:<42} {:<8} {}\n",
                code.name,
                code.severity.word(),
                code.summary
            )
        })
        .collect()
}

/// All schemas, one per line.
fn all_schemas() -> String {
    schema::ALL
        .iter()
        .map(|entry| {
            let (way, file) = match entry.subject {
                SchemaSubject::Input(file) => ("input", file),
                SchemaSubject::Feed(path) => ("feed", path),
            };
            format!("{:<16} {way:<6} {:<42} {file}\n", entry.name, entry.title)
        })
        .collect()
}

fn indented(text: &str) -> String {
    let lines = text.lines().map(|line| format!("    {line}"));
    let lines: Vec<_> = lines.map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n")
}
