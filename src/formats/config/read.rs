//! Reads site.toml key by key. Every problem is reported at its key, with the nearest recognized key.

use std::num::IntErrorKind;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::downloads::Downloads;
use super::pattern::Pattern;
use super::{
    Allowance, Budget, Build, Citation, Config, Expectation, Feeds, Files, GIB, HOSTS, Host,
    ImportRule, KIB, Limits, MIB, NavLink, Policy, Publish, Secrets, Site, SuccessRule, Threshold,
    Timeline,
};
use crate::Words;
use base::diagnostics::text::{nearest, quoted, reason};
use base::diagnostics::{Code, Collector, Diagnostic, Place, Severity, Source, codes};
use base::links::RunFolders;
use base::url::{HttpUrl, ascii_host_help, is_host};

/// The sections in which a misplaced key is looked up.
const SECTIONS: [(&str, &[&str]); 12] = [
    ("site", Site::KEYS),
    ("build", Build::KEYS),
    ("policy", Policy::KEYS),
    ("secrets", Secrets::KEYS),
    ("files", Files::KEYS),
    ("timeline", Timeline::KEYS),
    ("cells", SuccessRule::KEYS),
    ("feeds", Feeds::KEYS),
    ("limits", Limits::KEYS),
    ("citation", Citation::KEYS),
    ("publish", Publish::KEYS),
    ("budget", Budget::KEYS),
];

/// A table of site.toml.
pub(super) trait ConfigTable {
    /// Its keys, in the order of messages.
    const KEYS: &'static [&'static str];

    /// Reads the value of a key.
    fn read(&mut self, reader: &mut ConfigReader<'_>, key: &str, value: &TomlValue<'_>);
}

/// An entry of a list of tables.
pub(super) trait ConfigEntry: ConfigTable + Default {
    /// The name of the list, as in the heading of an entry.
    const LIST: &'static str;

    /// Whether the entry can be used; reports why not.
    fn check(&self, reader: &mut ConfigReader<'_>, item: &TomlValue<'_>) -> bool;
}

/// Reads site.toml and reports all its problems at once.
#[must_use]
pub fn parse(path: &str, text: &str) -> (Config, Vec<Diagnostic>) {
    let mut reader = ConfigReader {
        source: Source::file(path, text.as_bytes()),
        problems: Collector::default(),
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        reader.report(
            &codes::CONFIG_SYNTAX,
            error.span().unwrap_or(0..0),
            format!("The file is not valid TOML: {}", reason(error.message())),
            "Correct the TOML here.".to_owned(),
        );
    }
    let mut config = Config::default();
    if errors.is_empty() {
        reader.keys("", table.get_ref(), &mut config);
    }
    // Tables are sorted by key, but readers expect the order of the file.
    let mut problems = reader.problems.finish(path);
    base::diagnostics::sort(&mut problems);
    (config, problems)
}

/// The place of each entry of a list in site.toml, such as `secrets.allow`, in the order of the file.
pub fn places_of(list: &str, path: &str, text: &str) -> Vec<Place> {
    let source = Source::file(path, text.as_bytes());
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (table, _) = DeTable::parse_recoverable(text);
    let (table, mut keys) = (table.get_ref(), list.split('.'));
    let first = keys.next().and_then(|key| table.get(key));
    let list = keys.try_fold(first, |list, key| {
        Some(list?.get_ref().as_table()?.get(key))
    });
    let items = list.flatten().and_then(|list| list.get_ref().as_array());
    let items = items.into_iter().flatten().map(TomlValue::span);
    items
        .map(|span| source.place(span.start, span.end))
        .collect()
}

pub(super) type TomlValue<'t> = toml::Spanned<DeValue<'t>>;

/// Reads values into fields; a wrong value is reported and leaves its field unchanged.
pub(super) struct ConfigReader<'a> {
    source: Source<'a>,
    problems: Collector,
}

impl ConfigReader<'_> {
    /// Reads the keys of a table; an unrecognized key is reported with the nearest recognized one.
    fn keys<T: ConfigTable>(&mut self, section: &str, table: &DeTable<'_>, into: &mut T) {
        for (key, value) in table {
            let name: &str = key.get_ref();
            if T::KEYS.contains(&name) {
                into.read(self, name, value);
                continue;
            }
            let near = if section.is_empty() && !value.get_ref().is_table() {
                section_of(name)
            } else {
                nearest(name, T::KEYS.iter().copied()).map(quoted)
            };
            let help = near.map_or_else(
                || format!("The keys here are {}.", list(T::KEYS)),
                |near| format!("Did you mean {near}?"),
            );
            let place = if section.is_empty() {
                String::new()
            } else {
                format!(" in `[{section}]`")
            };
            self.report(
                &codes::CONFIG_UNKNOWN_KEY,
                key.span(),
                format!("Unknown key {}{place}", quoted(name)),
                help,
            );
        }
    }

    pub(super) fn table<T: ConfigTable>(&mut self, key: &str, value: &TomlValue<'_>, into: &mut T) {
        match value.get_ref().as_table() {
            Some(table) => self.keys(key, table, into),
            None => self.wrong_type(key, value, "a table"),
        }
    }

    /// Reads a value of one type; `expected` names it in messages.
    fn typed<T>(
        &mut self,
        key: &str,
        value: &TomlValue<'_>,
        expected: &str,
        read: Option<T>,
        into: &mut T,
    ) {
        match read {
            Some(read) => *into = read,
            None => self.wrong_type(key, value, expected),
        }
    }

    pub(super) fn string(&mut self, key: &str, value: &TomlValue<'_>, into: &mut String) {
        let text = value.get_ref().as_str().map(str::to_owned);
        self.typed(key, value, "a string", text, into);
    }

    pub(super) fn optional(&mut self, key: &str, value: &TomlValue<'_>, into: &mut Option<String>) {
        let mut text = String::new();
        self.string(key, value, &mut text);
        *into = Some(text).filter(|text| !text.is_empty());
    }

    pub(super) fn one_or_more(&mut self, key: &str, value: &TomlValue<'_>, into: &mut Vec<String>) {
        let one = value.get_ref().as_str().map(|text| vec![text.to_owned()]);
        let expected = "a string or a list of strings";
        self.typed(key, value, expected, one.or_else(|| texts(value)), into);
    }

    pub(super) fn strings(&mut self, key: &str, value: &TomlValue<'_>, into: &mut Vec<String>) {
        self.typed(key, value, "a list of strings", texts(value), into);
    }

    pub(super) fn boolean(&mut self, key: &str, value: &TomlValue<'_>, into: &mut bool) {
        let yes = value.get_ref().as_bool();
        self.typed(key, value, "`true` or `false`", yes, into);
    }

    pub(super) fn optional_boolean(
        &mut self,
        key: &str,
        value: &TomlValue<'_>,
        into: &mut Option<bool>,
    ) {
        let yes = value.get_ref().as_bool().map(Some);
        self.typed(key, value, "`true` or `false`", yes, into);
    }

    pub(super) fn on_invalid(&mut self, key: &str, value: &TomlValue<'_>, quarantine: &mut bool) {
        let choices = [("fail", false), ("quarantine", true)];
        self.choice(key, value, &choices, quarantine);
    }

    pub(super) fn severity(&mut self, key: &str, value: &TomlValue<'_>, into: &mut Severity) {
        let choices = [("error", Severity::Error), ("warn", Severity::Warning)];
        self.choice(key, value, &choices, into);
    }

    pub(super) fn optional_severity(
        &mut self,
        key: &str,
        value: &TomlValue<'_>,
        into: &mut Option<Severity>,
    ) {
        let choices = [
            ("error", Some(Severity::Error)),
            ("warning", Some(Severity::Warning)),
            ("off", None),
        ];
        self.choice(key, value, &choices, into);
    }

    pub(super) fn word<T: Words>(&mut self, key: &str, value: &TomlValue<'_>, into: &mut T) {
        self.choice(key, value, T::WORDS, into);
    }

    pub(super) fn code(
        &mut self,
        key: &str,
        value: &TomlValue<'_>,
        into: &mut Option<&'static Code>,
    ) {
        let mut name = String::new();
        self.string(key, value, &mut name);
        let known = codes::find(&name);
        *into = known.filter(|code| Expectation::includes(code));
        if into.is_some() || value.get_ref().as_str().is_none() {
            return;
        }
        let expectable = codes::all().filter(|code| Expectation::includes(code));
        let near = nearest(&name, expectable.map(|code| code.name)).map(quoted);
        let (message, help) = if known.is_some() {
            (
                format!("Problems of code {} cannot be expected", quoted(&name)),
                "Only warnings about the files of a run can; correct this problem.".to_owned(),
            )
        } else {
            (
                format!("No code has the name {}", quoted(&name)),
                near.map_or_else(
                    || "Copy the code from the list of problems.".to_owned(),
                    |near| format!("Did you mean {near}?"),
                ),
            )
        };
        self.invalid(value, &message, &help);
    }

    pub(super) fn host(
        &mut self,
        key: &str,
        value: &TomlValue<'_>,
        into: &mut Option<&'static Host>,
    ) {
        let choices = HOSTS.each_ref().map(|host| (host.name, Some(host)));
        self.choice(key, value, &choices, into);
    }

    pub(super) fn downloads(&mut self, key: &str, value: &TomlValue<'_>, into: &mut Downloads) {
        if value.get_ref().as_str() == Some("packed") {
            let message = "The value `packed` of `downloads` was removed";
            let help = "Write `files`, or leave the key out: each run then has files of its own, which `files_base_url` moves to a bucket. For many runs in few files, use `--export parquet=DIR`.";
            return self.invalid(value, message, help);
        }
        self.word(key, value, into);
    }

    pub(super) fn doi(&mut self, key: &str, value: &TomlValue<'_>, into: &mut Option<String>) {
        self.optional(key, value, into);
        if let Some(text) = into.take_if(|text| !is_doi(text)) {
            self.invalid(
                value,
                &format!("{} is not a DOI", quoted(&text)),
                "Write the DOI without an address, such as `10.5281/zenodo.1234`.",
            );
        }
    }

    pub(super) fn optional_count(
        &mut self,
        key: &str,
        value: &TomlValue<'_>,
        into: &mut Option<u64>,
    ) {
        let mut count = 0_usize;
        self.count(key, value, &mut count);
        *into = Some(count as u64).filter(|count| *count > 0);
    }

    pub(super) fn optional_size(
        &mut self,
        key: &str,
        value: &TomlValue<'_>,
        into: &mut Option<u64>,
    ) {
        let mut size = 0;
        self.size(key, value, &mut size);
        *into = Some(size).filter(|size| *size > 0);
    }

    pub(super) fn hosts(&mut self, key: &str, value: &TomlValue<'_>, into: &mut Vec<String>) {
        self.strings(key, value, into);
        for host in into.iter().filter(|host| !is_host(host)) {
            self.invalid(
                value,
                &format!("{} is not a host name", quoted(host)),
                &ascii_host_help(host).unwrap_or_else(|| {
                    "Write hosts as `builds.example.org`, without scheme and path.".to_owned()
                }),
            );
        }
        into.retain(|host| is_host(host));
    }

    pub(super) fn threshold(&mut self, key: &str, value: &TomlValue<'_>, into: &mut Threshold) {
        let text = match value.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str()),
            DeValue::Float(number) => Some(number.as_str()),
            _ => None,
        };
        let number = text.and_then(|text| text.parse().ok());
        let finite = number.filter(|number: &f64| number.is_finite());
        self.typed(key, value, "a number", finite.map(Threshold), into);
    }

    pub(super) fn seconds(&mut self, key: &str, value: &TomlValue<'_>, into: &mut u64) {
        let mut seconds = 0;
        self.count(key, value, &mut seconds);
        if seconds > 0 {
            *into = seconds as u64;
        }
    }

    pub(super) fn size(&mut self, key: &str, value: &TomlValue<'_>, into: &mut u64) {
        let size = match value.get_ref() {
            DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
            DeValue::String(text) => parse_size(text),
            _ => None,
        };
        match size {
            Some(size) if size > 0 => *into = size,
            _ => self.invalid(
                value,
                &format!("The value of {} is not a size", quoted(key)),
                "Write a number of bytes, or text such as `64 MiB`.",
            ),
        }
    }

    pub(super) fn list<T: ConfigEntry>(
        &mut self,
        key: &str,
        value: &TomlValue<'_>,
        into: &mut Vec<T>,
    ) {
        let Some(items) = value.get_ref().as_array() else {
            let expected = format!("a list of tables, written `[[{}]]`", T::LIST);
            return self.wrong_type(key, value, &expected);
        };
        for item in items {
            let mut entry = T::default();
            self.table(T::LIST, item, &mut entry);
            if entry.check(self, item) {
                into.push(entry);
            }
        }
    }

    pub(super) fn pattern(&mut self, key: &str, value: &TomlValue<'_>, into: &mut Option<Pattern>) {
        let mut text = String::new();
        self.string(key, value, &mut text);
        if !text.is_empty() {
            *into = Pattern::parse(&text);
            if into.is_none() {
                let message = format!("The pattern of {} is too long", quoted(key));
                self.invalid(value, &message, "Write a shorter pattern.");
            }
        }
    }

    pub(super) fn count(&mut self, key: &str, value: &TomlValue<'_>, into: &mut usize) {
        let Some(number) = value.get_ref().as_integer() else {
            return self.wrong_type(key, value, "a whole number");
        };
        match usize::from_str_radix(number.as_str(), number.radix()) {
            Ok(count) if count > 0 => *into = count,
            Err(error) if *error.kind() == IntErrorKind::PosOverflow => self.invalid(
                value,
                &format!("The value of {} is too large", quoted(key)),
                &format!("Write a whole number up to {}.", usize::MAX),
            ),
            _ => self.invalid(
                value,
                &format!("The value of {} must be at least 1", quoted(key)),
                "Write a whole number above 0.",
            ),
        }
    }

    fn choice<T: Copy>(
        &mut self,
        key: &str,
        value: &TomlValue<'_>,
        choices: &[(&str, T)],
        into: &mut T,
    ) {
        let Some(text) = value.get_ref().as_str() else {
            return self.wrong_type(key, value, "a string");
        };
        if let Some((_, choice)) = choices.iter().find(|(name, _)| *name == text) {
            *into = *choice;
        } else {
            let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
            self.invalid(
                value,
                &format!("Unknown value {} of {}", quoted(text), quoted(key)),
                &format!("Write one of {}.", list(&names)),
            );
        }
    }

    pub(super) fn base_url(
        &mut self,
        key: &str,
        value: &TomlValue<'_>,
        into: &mut Option<HttpUrl>,
    ) {
        let mut text = String::new();
        self.string(key, value, &mut text);
        if !text.is_empty() {
            *into = HttpUrl::base(&text);
            if into.is_none() {
                let help = ascii_host_help(&text).unwrap_or_else(|| "Write `https://example.org/runs/`, without query and fragment, and without `//`, `.` and `..` in its path.".to_owned());
                self.invalid(
                    value,
                    &format!("{} is not an address", quoted(&text)),
                    &help,
                );
            }
        }
    }

    fn wrong_type(&mut self, key: &str, value: &TomlValue<'_>, expected: &str) {
        self.report(
            &codes::CONFIG_WRONG_TYPE,
            value.span(),
            format!(
                "The value of {} must be {expected}, but has type {}",
                quoted(key),
                value.get_ref().type_str()
            ),
            format!("Write {expected} here."),
        );
    }

    fn invalid(&mut self, value: &TomlValue<'_>, message: &str, help: &str) {
        self.report(
            &codes::CONFIG_INVALID_VALUE,
            value.span(),
            message.to_owned(),
            help.to_owned(),
        );
    }

    fn report(&mut self, code: &'static Code, span: Range<usize>, message: String, help: String) {
        let source = self.source;
        self.problems.add(code, || {
            code.at(source.place(span.start, span.end), message, help)
        });
    }
}

impl Words for RunFolders {
    const WORDS: &'static [(&'static str, Self)] = &[
        (Self::Flat.word(), Self::Flat),
        (Self::Prefixed.word(), Self::Prefixed),
    ];
}

impl ConfigEntry for NavLink {
    const LIST: &'static str = "nav";

    fn check(&self, reader: &mut ConfigReader<'_>, item: &TomlValue<'_>) -> bool {
        let safe = HttpUrl::parse(&self.url).is_some() || base::url::is_site_path(&self.url);
        let help = "The `url` is `http(s)://…` or a path of the site such as `guide/index.html`.";
        if self.title.is_empty() || self.url.is_empty() {
            reader.invalid(item, "A navigation entry needs a `title` and a `url`", help);
        }
        if !self.url.is_empty() && !safe {
            let url = item.get_ref().as_table().and_then(|table| table.get("url"));
            let message = format!("A navigation entry cannot link to {}", quoted(&self.url));
            let ascii = ascii_host_help(&self.url);
            let help = ascii.as_deref().unwrap_or(help);
            reader.invalid(url.unwrap_or(item), &message, help);
        }
        !self.title.is_empty() && safe
    }
}

impl ConfigEntry for Expectation {
    const LIST: &'static str = "expect";

    fn check(&self, reader: &mut ConfigReader<'_>, item: &TomlValue<'_>) -> bool {
        let is_whole =
            self.code.is_some() && !self.run.is_empty() && !self.reason.trim().is_empty();
        let has_code = item
            .get_ref()
            .as_table()
            .is_some_and(|it| it.contains_key("code"));
        if !is_whole && (self.code.is_some() || !has_code) {
            let help = "Write the code of the problem, the id or the directory of the run, and why the problem is expected.";
            reader.invalid(
                item,
                "An expectation needs a `code`, a `run` and a `reason`",
                help,
            );
        }
        is_whole
    }
}

impl ConfigEntry for ImportRule {
    const LIST: &'static str = "import";

    fn check(&self, reader: &mut ConfigReader<'_>, item: &TomlValue<'_>) -> bool {
        if self.path.is_none() {
            let help = "Write a pattern such as `path = \"logs/fix-parser/**\"`.";
            reader.invalid(item, "An import entry needs a `path`", help);
        }
        self.path.is_some()
    }
}

impl ConfigEntry for Allowance {
    const LIST: &'static str = "secrets.allow";

    fn check(&self, reader: &mut ConfigReader<'_>, item: &TomlValue<'_>) -> bool {
        if self.reason.trim().is_empty() {
            let help = "Write why it may be published, such as `reason = \"a revoked key of the test server\"`.";
            reader.invalid(item, "An allowance needs a `reason`", help);
            return false;
        }
        let has_condition =
            self.fingerprint.is_some() || self.rule.is_some() || self.path.is_some();
        if !has_condition {
            let help = "Name a `fingerprint`, a `rule` or a `path`.";
            reader.invalid(item, "An allowance of everything is not possible", help);
        }
        has_condition
    }
}

/// The section that a misplaced key belongs to, if any.
fn section_of(name: &str) -> Option<String> {
    let all = SECTIONS.iter().flat_map(|(_, keys)| keys.iter().copied());
    let near = nearest(name, all)?;
    let (section, _) = SECTIONS.iter().find(|(_, keys)| keys.contains(&near))?;
    Some(format!("{} in `[{section}]`", quoted(near)))
}

/// Whether a text is a DOI, as citation files have it.
fn is_doi(text: &str) -> bool {
    let parts = text
        .strip_prefix("10.")
        .and_then(|rest| rest.split_once('/'));
    parts.is_some_and(|(registrant, name)| {
        let mut numbers = registrant.split('.');
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let is_part = |c: char| c.is_ascii_alphanumeric() || ":/_;.()[]-".contains(c);
        let first = numbers.next().unwrap_or_default();
        (4..=9).contains(&first.len())
            && is_number(first)
            && numbers.all(is_number)
            && !name.is_empty()
            && name.chars().all(is_part)
    })
}

/// The items of a list of strings; `None` for anything else.
fn texts(value: &TomlValue<'_>) -> Option<Vec<String>> {
    let items = value.get_ref().as_array()?;
    let text = |item: &TomlValue<'_>| item.get_ref().as_str().map(str::to_owned);
    items.iter().map(text).collect()
}

fn list(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number: u64 = text[..digits].parse().ok()?;
    let unit = match text[digits..].trim() {
        "" | "B" => 1,
        "KiB" => KIB,
        "MiB" => MIB,
        "GiB" => GIB,
        _ => return None,
    };
    number.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_is_the_default() {
        let (config, problems) = parse("site.toml", "");
        assert_eq!(config, Config::default());
        assert!(problems.is_empty());
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_file() {
        let (config, problems) = parse("site.toml", "\u{feff}[site]\ntitle = 'x'\nnope = 1\n");
        assert_eq!(config.site.title, "x");
        let place = &problems[0].place;
        assert_eq!((place.line, place.column), (Some(3), Some(1)));
    }

    #[test]
    fn every_problem_is_found_at_once() {
        let text = "[site]\ntitel = 'x'\nlanguage = 3\n[policy]\non_invalid = 'maybe'\n[limits]\nline = '64 MB'\n";
        let (_, problems) = parse("site.toml", text);
        let found: Vec<_> = problems
            .iter()
            .map(|p| (p.code.name, p.place.line, p.place.column))
            .collect();
        assert_eq!(
            found,
            [
                ("config.unknown-key", Some(2), Some(1)),
                ("config.wrong-type", Some(3), Some(12)),
                ("config.invalid-value", Some(5), Some(14)),
                ("config.invalid-value", Some(7), Some(8)),
            ]
        );
        assert_eq!(problems[0].help, "Did you mean `title`?");
        let (_, stray) = parse("site.toml", "titel = 'x'\n[polcy]\n");
        let help: Vec<_> = stray.iter().map(|p| p.help.as_str()).collect();
        assert_eq!(
            help,
            [
                "Did you mean `title` in `[site]`?",
                "Did you mean `policy`?"
            ]
        );
    }
}
