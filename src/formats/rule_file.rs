//! `rules/*.toml`: what a site expects of its runs.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use base::diagnostics::text::{quoted, reason};
use base::diagnostics::{Diagnostic, Source, codes};
use base::shapes;

/// The folder in the site's root.
pub const FOLDER: &str = "rules";

/// A text with its place in the file.
pub type SpannedText = Spanned<String>;

/// A file of rules.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleFile {
    /// Version of the rules of this file, as readers see it.
    #[serde(default)]
    #[schemars(with = "String")]
    pub version: Option<String>,
    /// Severity of the rules of this file that give none, and of its built-in rules.
    #[serde(default)]
    pub severity: RuleSeverity,
    /// Ids of the built-in rules that are switched on.
    #[serde(default, rename = "use")]
    #[schemars(with = "Vec<String>")]
    pub built_in: Vec<SpannedText>,
    /// One table for each rule.
    #[serde(default, rename = "rule")]
    #[schemars(with = "Vec<RuleEntry>")]
    pub rules: Vec<Spanned<RuleEntry>>,
}

/// A rule. It has one of `find` with `expect`, `require`, and `trials`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleEntry {
    /// Its id: lowercase letters, digits and hyphens. No other rule of the site has it.
    #[schemars(with = "String", regex(pattern = "^[a-z0-9]+(-[a-z0-9]+)*$"))]
    pub id: SpannedText,
    /// What is expected, in a line.
    #[schemars(with = "shapes::Name")]
    pub title: SpannedText,
    /// Why it is expected, in Markdown.
    #[serde(default)]
    #[schemars(with = "String")]
    pub why: Option<String>,
    /// What the rule cannot see, in Markdown.
    #[serde(default)]
    #[schemars(with = "String")]
    pub blind: Option<String>,
    /// What to do about a violation, in a line of plain text, for the reports of a check.
    #[serde(default)]
    #[schemars(with = "String")]
    pub fix: Option<String>,
    /// What a violation does.
    #[serde(default)]
    #[schemars(with = "RuleSeverity")]
    pub severity: Option<RuleSeverity>,
    /// The runs that it applies to; all runs without it.
    #[serde(default)]
    pub applies: Applies,
    /// An expression over one event: the events for which it holds are found.
    #[serde(default)]
    #[schemars(with = "String")]
    pub find: Option<SpannedText>,
    /// With `find`: only events after the first one for which this expression holds are found.
    #[serde(default)]
    #[schemars(with = "String")]
    pub after: Option<SpannedText>,
    /// What is expected of the events found: `none`, `some`, `at most 3`, `first before <id>` or `last after <id>` of another rule
    /// with `find`.
    #[serde(default)]
    #[schemars(with = "String")]
    pub expect: Option<SpannedText>,
    /// An expression over the run, which must hold.
    #[serde(default)]
    #[schemars(with = "String")]
    pub require: Option<SpannedText>,
    /// How many runs each combination of case, variant, model and harness needs.
    #[serde(default)]
    #[schemars(with = "u32", range(min = 1))]
    pub trials: Option<Spanned<u32>>,
    /// With `trials`: the files that a run needs to count, by their names in its folder.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub files: Vec<SpannedText>,
}

/// Patterns of the runs that a rule applies to: `*` is anything within a name, `**` anything. A run must fit one pattern of each key.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Applies {
    /// Patterns of the case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub case: Vec<String>,
    /// Patterns of the variant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variant: Vec<String>,
    /// Patterns of the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub model: Vec<String>,
    /// Patterns of the harness.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub harness: Vec<String>,
}

words! {
    /// What a violation does.
    #[derive(Default, JsonSchema)]
    RuleSeverity {
        /// It stops the build, or quarantines the run.
        Error = "error",
        /// It marks the run.
        #[default]
        Flag = "flag",
        /// It is noted.
        Note = "note",
    }
}

impl RuleFile {
    /// Its own rules.
    pub fn entries(&self) -> impl Iterator<Item = &RuleEntry> {
        self.rules.iter().map(Spanned::get_ref)
    }
}

impl Applies {
    /// Whether the rule applies to all runs.
    pub fn is_all(&self) -> bool {
        let keys = [&self.case, &self.variant, &self.model, &self.harness];
        keys.iter().all(|patterns| patterns.is_empty())
    }
}

/// Reads a file of rules. The expressions in it are not examined.
pub fn parse(source: Source<'_>) -> Result<RuleFile, Diagnostic> {
    let text = source.utf8().map_err(|place| {
        codes::RULES_INVALID.at(
            place,
            "The file is not valid UTF-8",
            source.help_for_utf8("Save the file as UTF-8."),
        )
    })?;
    let file: RuleFile = toml::from_str(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        codes::RULES_INVALID.at(
            source.place(span.start, span.end),
            format!("The rules cannot be read: {}", reason(error.message())),
            "The page about rules lists the keys of a rule and their types.",
        )
    })?;
    let invalid = file.entries().find_map(invalid_value);
    match invalid {
        None => Ok(file),
        Some((span, message, help)) => {
            let place = source.place(span.start, span.end);
            Err(codes::RULES_INVALID.at(place, message, help))
        }
    }
}

/// The first value that no rule has.
fn invalid_value(rule: &RuleEntry) -> Option<(Range<usize>, String, &'static str)> {
    let id = rule.id.get_ref();
    let is_plain = |part: &str| {
        let mut bytes = part.bytes();
        !part.is_empty() && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    if !id.split('-').all(is_plain) {
        let message = format!("{} is no id of a rule", quoted(id));
        let help = "Write lowercase letters, digits and hyphens, such as `no-tests-after`.";
        return Some((rule.id.span(), message, help));
    }
    if rule.title.get_ref().trim().is_empty() {
        let help = "Say in a line what is expected.";
        return Some((rule.title.span(), "The title is empty".to_owned(), help));
    }
    let trials = rule
        .trials
        .as_ref()
        .filter(|trials| *trials.get_ref() == 0)?;
    let message = "`trials` must be at least 1".to_owned();
    Some((trials.span(), message, "Write a whole number above 0."))
}
