//! `withdrawn.toml`: the reasons for withdrawn runs, which were published before.

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use base::diagnostics::text::reason;
use base::diagnostics::{Diagnostic, Source, codes};
use base::shapes;

/// The file name in a content root.
pub const FILE_NAME: &str = "withdrawn.toml";

/// Why runs were withdrawn. The page that replaces such a run shows it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Withdrawals {
    /// One table for each run.
    #[serde(default)]
    pub run: Vec<Withdrawal>,
}

/// Why a run was withdrawn.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Withdrawal {
    /// Id or slug of the run.
    #[schemars(with = "shapes::Name")]
    pub id: Spanned<String>,
    /// The reason, in plain text.
    #[schemars(with = "shapes::Name")]
    pub reason: Spanned<String>,
}

#[must_use]
pub fn parse(source: Source<'_>) -> (Withdrawals, Vec<Diagnostic>) {
    let read = std::str::from_utf8(source.text)
        .map_err(|error| {
            let at = error.valid_up_to();
            (at..at + 1, "it is not valid UTF-8".to_owned())
        })
        .and_then(|text| {
            toml::from_str::<Withdrawals>(text)
                .map_err(|error| (error.span().unwrap_or(0..0), reason(error.message())))
        });
    let blank = |run: &Withdrawal| {
        let texts = [("an `id`", &run.id), ("a `reason`", &run.reason)];
        texts
            .into_iter()
            .find(|(_, text)| text.get_ref().trim().is_empty())
            .map(|(what, text)| (text.span(), format!("{what} is empty")))
    };
    match read {
        Ok(read) => match read.run.iter().find_map(blank) {
            None => (read, Vec::new()),
            Some((span, why)) => (Withdrawals::default(), vec![invalid(&source, span, &why)]),
        },
        Err((span, why)) => (Withdrawals::default(), vec![invalid(&source, span, &why)]),
    }
}

fn invalid(source: &Source<'_>, span: std::ops::Range<usize>, why: &str) -> Diagnostic {
    codes::WITHDRAWN_INVALID.at(
        source.place(span.start, span.end),
        format!("The list of withdrawn runs cannot be read: {why}"),
        "Write a table `[[run]]` with `id` and `reason` for each run.",
    )
}
