//! Answers `explain` and `schema`: what a diagnostic means, and the shape of an input or a feed.

use runpress::api::diagnostics::codes;
use runpress::api::diagnostics::text::{nearest, visible};
use runpress::api::schema::Describes;

use super::COULD_NOT_RUN;
use super::console::{answer, refuse};

/// What a code means, or all codes.
pub(crate) fn explain(code: Option<&str>) -> u8 {
    let Some(code) = code else {
        return answer(&all_codes());
    };
    if let Some(text) = explanation(code) {
        return answer(&text);
    }
    let names = codes::all().map(|code| code.name);
    let hint = nearest(code, names).map_or_else(
        || "Run `runpress explain` to list all codes.".to_owned(),
        |near| format!("Did you mean `{near}`?"),
    );
    refuse(
        &format!("there is no diagnostic `{}`", visible(code)),
        &hint,
    );
    COULD_NOT_RUN
}

/// A schema, or all of them.
pub(crate) fn schema(name: Option<&str>) -> u8 {
    let Some(name) = name else {
        return answer(&all_schemas());
    };
    if let Some(entry) = runpress::api::schema::find(name) {
        return answer(&entry.document());
    }
    let names = runpress::api::schema::ALL.iter().map(|entry| entry.name);
    let hint = nearest(name, names).map_or_else(
        || "Run `runpress schema` to list all names.".to_owned(),
        |near| format!("Did you mean `{near}`?"),
    );
    refuse(&format!("there is no schema `{}`", visible(name)), &hint);
    COULD_NOT_RUN
}

/// The text of `runpress explain CODE`.
fn explanation(name: &str) -> Option<String> {
    let code = codes::find(name)?;
    Some(format!(
        "{} ({})\n\n{}.\n\n{}\n\nBad:\n\n{}\n\nGood:\n\n{}\n",
        code.name,
        code.severity.word(),
        capitalised(code.summary),
        code.explanation,
        indented(code.bad),
        indented(code.good)
    ))
}

/// All codes, a line each.
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

/// All schemas, a line each.
fn all_schemas() -> String {
    runpress::api::schema::ALL
        .iter()
        .map(|entry| {
            let (way, file) = match entry.describes {
                Describes::Input(file) => ("input", file),
                Describes::Feed(path) => ("feed", path),
            };
            format!("{:<16} {way:<6} {:<42} {file}\n", entry.name, entry.title)
        })
        .collect()
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

fn indented(text: &str) -> String {
    text.lines()
        .map(|line| format!("    {line}").trim_end().to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}
