//! Reads site.toml key by key; every problem stands at its key, with the nearest known one.

use std::num::IntErrorKind;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::{Build, Config, GIB, KIB, Limits, MIB, NavLink, Policy, Site, Timeline};
use crate::diagnostics::text::{nearest, quoted, reason};
use crate::diagnostics::{Code, Collector, Diagnostic, Severity, Source, codes};
use crate::url::{HttpUrl, is_host};

const SITE: &[&str] = &[
    "title",
    "description",
    "base_url",
    "language",
    "author",
    "notice",
];
const BUILD: &[&str] = &["content", "out", "minify"];
const POLICY: &[&str] = &[
    "require_review",
    "on_invalid",
    "stale_annotations",
    "embed_hosts",
    "publish_events",
    "publish_implementation",
    "licence",
];
const FILES: &[&str] = &["workspace"];
const TIMELINE: &[&str] = &["page_size", "gap_seconds"];
const FEEDS: &[&str] = &["items"];
const LIMITS: &[&str] = &[
    "line", "lines", "file", "document", "writeup", "inline", "page", "run",
];
const SECTIONS: [(&str, &[&str]); 7] = [
    ("site", SITE),
    ("build", BUILD),
    ("policy", POLICY),
    ("files", FILES),
    ("timeline", TIMELINE),
    ("feeds", FEEDS),
    ("limits", LIMITS),
];

/// Reads site.toml; every problem in it is reported at once.
#[must_use]
pub fn parse(path: &str, text: &str) -> (Config, Vec<Diagnostic>) {
    let mut reader = Reader {
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
        reader.read(table.get_ref(), &mut config);
    }
    // Tables are sorted by key; people read a file from its top.
    let mut problems = reader.problems.finish(path);
    crate::diagnostics::sort(&mut problems);
    (config, problems)
}

type Value<'t> = toml::Spanned<DeValue<'t>>;

struct Reader<'a> {
    source: Source<'a>,
    problems: Collector,
}

impl Reader<'_> {
    fn read(&mut self, table: &DeTable<'_>, config: &mut Config) {
        self.each(table, "", |reader, key, value| {
            match key {
                "site" => reader.table(key, value, |r, k, v| r.site(&mut config.site, k, v)),
                "build" => reader.table(key, value, |r, k, v| r.build(&mut config.build, k, v)),
                "policy" => reader.table(key, value, |r, k, v| r.policy(&mut config.policy, k, v)),
                "timeline" => {
                    reader.table(key, value, |r, k, v| r.timeline(&mut config.timeline, k, v));
                }
                "files" => reader.table(key, value, |r, k, v| match k {
                    "workspace" => r.one_or_more(k, v, &mut config.workspace),
                    _ => Err(FILES),
                }),
                "feeds" => reader.table(key, value, |r, k, v| match k {
                    "items" => r.count(k, v, &mut config.feed_items),
                    _ => Err(FEEDS),
                }),
                "limits" => reader.table(key, value, |r, k, v| r.limits(&mut config.limits, k, v)),
                "nav" => reader.nav(value, &mut config.nav),
                _ => {
                    return Err(&[
                        "site", "build", "policy", "timeline", "files", "feeds", "limits", "nav",
                    ]);
                }
            }
            Ok(())
        });
    }

    fn site(&mut self, site: &mut Site, key: &str, value: &Value<'_>) -> Known {
        match key {
            "title" => self.string(key, value, &mut site.title),
            "description" => self.string(key, value, &mut site.description),
            "base_url" => self.base_url(key, value, &mut site.base_url),
            "language" => self.string(key, value, &mut site.language),
            "author" => self.optional(key, value, &mut site.author),
            "notice" => self.optional(key, value, &mut site.notice),
            _ => Err(SITE),
        }
    }

    fn build(&mut self, build: &mut Build, key: &str, value: &Value<'_>) -> Known {
        match key {
            "content" => self.strings(key, value, &mut build.content),
            "out" => self.string(key, value, &mut build.out),
            "minify" => self.boolean(key, value, &mut build.minify),
            _ => Err(BUILD),
        }
    }

    fn policy(&mut self, policy: &mut Policy, key: &str, value: &Value<'_>) -> Known {
        match key {
            "require_review" => self.boolean(key, value, &mut policy.require_review),
            "publish_events" => self.boolean(key, value, &mut policy.publish_events),
            "publish_implementation" => {
                self.boolean(key, value, &mut policy.publish_implementation)
            }
            "licence" => self.optional(key, value, &mut policy.licence),
            "on_invalid" => self.choice(
                key,
                value,
                &[("fail", false), ("quarantine", true)],
                &mut policy.quarantine,
            ),
            "stale_annotations" => {
                let choices = [("error", Severity::Error), ("warn", Severity::Warning)];
                self.choice(key, value, &choices, &mut policy.stale_annotations)
            }
            "embed_hosts" => {
                self.strings(key, value, &mut policy.embed_hosts)?;
                for host in policy.embed_hosts.iter().filter(|host| !is_host(host)) {
                    self.invalid(
                        value,
                        &format!("{} is not a host name", quoted(host)),
                        "Write hosts as `builds.example.org`, without scheme and path.",
                    );
                }
                policy.embed_hosts.retain(|host| is_host(host));
                Ok(())
            }
            _ => Err(POLICY),
        }
    }

    fn timeline(&mut self, timeline: &mut Timeline, key: &str, value: &Value<'_>) -> Known {
        match key {
            "page_size" => self.count(key, value, &mut timeline.page_size),
            "gap_seconds" => {
                let mut seconds = 0;
                self.count(key, value, &mut seconds)?;
                if seconds > 0 {
                    timeline.gap_seconds = seconds as u64;
                }
                Ok(())
            }
            _ => Err(TIMELINE),
        }
    }

    fn limits(&mut self, limits: &mut Limits, key: &str, value: &Value<'_>) -> Known {
        let limit = match key {
            "line" => &mut limits.line,
            "lines" => return self.count(key, value, &mut limits.lines),
            "file" => &mut limits.file,
            "document" => &mut limits.document,
            "writeup" => &mut limits.writeup,
            "inline" => &mut limits.inline,
            "page" => &mut limits.page,
            "run" => &mut limits.run,
            _ => return Err(LIMITS),
        };
        let size = match value.get_ref() {
            DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
            DeValue::String(text) => parse_size(text),
            _ => None,
        };
        match size {
            Some(size) if size > 0 => *limit = size,
            _ => self.invalid(
                value,
                &format!("The value of {} is not a size", quoted(key)),
                "Write a number of bytes, or text such as `64 MiB`.",
            ),
        }
        Ok(())
    }

    fn nav(&mut self, value: &Value<'_>, nav: &mut Vec<NavLink>) {
        let Some(items) = value.get_ref().as_array() else {
            self.wrong_type("nav", value, "a list of tables, written `[[nav]]`");
            return;
        };
        for item in items {
            let mut link = NavLink {
                title: String::new(),
                url: String::new(),
            };
            self.table("nav", item, |r, k, v| match k {
                "title" => r.string(k, v, &mut link.title),
                "url" => r.string(k, v, &mut link.url),
                _ => Err(&["title", "url"]),
            });
            let safe = HttpUrl::parse(&link.url).is_some() || crate::url::is_site_path(&link.url);
            let help =
                "The `url` is `http(s)://…` or a path of the site such as `guide/index.html`.";
            if link.title.is_empty() || link.url.is_empty() {
                self.invalid(item, "A navigation entry needs a `title` and a `url`", help);
            }
            if !link.url.is_empty() && !safe {
                let url = item.get_ref().as_table().and_then(|table| table.get("url"));
                let message = format!("A navigation entry cannot lead to {}", quoted(&link.url));
                self.invalid(url.unwrap_or(item), &message, help);
            }
            if !link.title.is_empty() && safe {
                nav.push(link);
            }
        }
    }

    /// Calls `read` for each key; unknown ones are reported with the nearest known.
    fn each(
        &mut self,
        table: &DeTable<'_>,
        section: &str,
        mut read: impl FnMut(&mut Self, &str, &Value<'_>) -> Known,
    ) {
        for (key, value) in table {
            let name: &str = key.get_ref();
            if let Err(known) = read(self, name, value) {
                let stray = section.is_empty() && !value.get_ref().is_table();
                let near = if stray {
                    section_of(name)
                } else {
                    nearest(name, known.iter().copied()).map(quoted)
                };
                let help = near.map_or_else(
                    || format!("The keys here are {}.", list(known)),
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
                    format!("There is no key {}{place}", quoted(name)),
                    help,
                );
            }
        }
    }

    fn table(
        &mut self,
        section: &str,
        value: &Value<'_>,
        read: impl FnMut(&mut Self, &str, &Value<'_>) -> Known,
    ) {
        match value.get_ref().as_table() {
            Some(table) => self.each(table, section, read),
            None => self.wrong_type(section, value, "a table"),
        }
    }

    #[allow(
        clippy::unnecessary_wraps,
        reason = "a section reads as one table of keys"
    )]
    fn string(&mut self, key: &str, value: &Value<'_>, into: &mut String) -> Known {
        match value.get_ref().as_str() {
            Some(text) => text.clone_into(into),
            None => self.wrong_type(key, value, "a string"),
        }
        Ok(())
    }

    fn optional(&mut self, key: &str, value: &Value<'_>, into: &mut Option<String>) -> Known {
        let mut text = String::new();
        self.string(key, value, &mut text)?;
        *into = Some(text).filter(|text| !text.is_empty());
        Ok(())
    }

    #[allow(
        clippy::unnecessary_wraps,
        reason = "a section reads as one table of keys"
    )]
    fn one_or_more(&mut self, key: &str, value: &Value<'_>, into: &mut Vec<String>) -> Known {
        let one = value.get_ref().as_str();
        match one
            .map(|text| vec![text.to_owned()])
            .or_else(|| texts(value))
        {
            Some(texts) => *into = texts,
            None => self.wrong_type(key, value, "a string or a list of strings"),
        }
        Ok(())
    }

    #[allow(
        clippy::unnecessary_wraps,
        reason = "a section reads as one table of keys"
    )]
    fn strings(&mut self, key: &str, value: &Value<'_>, into: &mut Vec<String>) -> Known {
        match texts(value) {
            Some(texts) => *into = texts,
            None => self.wrong_type(key, value, "a list of strings"),
        }
        Ok(())
    }

    #[allow(
        clippy::unnecessary_wraps,
        reason = "a section reads as one table of keys"
    )]
    fn boolean(&mut self, key: &str, value: &Value<'_>, into: &mut bool) -> Known {
        match value.get_ref().as_bool() {
            Some(yes) => *into = yes,
            None => self.wrong_type(key, value, "`true` or `false`"),
        }
        Ok(())
    }

    #[allow(
        clippy::unnecessary_wraps,
        reason = "a section reads as one table of keys"
    )]
    fn count(&mut self, key: &str, value: &Value<'_>, into: &mut usize) -> Known {
        let Some(number) = value.get_ref().as_integer() else {
            self.wrong_type(key, value, "a whole number");
            return Ok(());
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
        Ok(())
    }

    #[allow(
        clippy::unnecessary_wraps,
        reason = "a section reads as one table of keys"
    )]
    fn choice<T: Copy>(
        &mut self,
        key: &str,
        value: &Value<'_>,
        choices: &[(&str, T)],
        into: &mut T,
    ) -> Known {
        let Some(text) = value.get_ref().as_str() else {
            self.wrong_type(key, value, "a string");
            return Ok(());
        };
        if let Some((_, choice)) = choices.iter().find(|(name, _)| *name == text) {
            *into = *choice;
        } else {
            let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
            self.invalid(
                value,
                &format!("The value {} of {} is not known", quoted(text), quoted(key)),
                &format!("Write one of {}.", list(&names)),
            );
        }
        Ok(())
    }

    fn base_url(&mut self, key: &str, value: &Value<'_>, into: &mut Option<HttpUrl>) -> Known {
        let mut text = String::new();
        self.string(key, value, &mut text)?;
        if !text.is_empty() {
            *into = HttpUrl::base(&text);
            if into.is_none() {
                self.invalid(
                    value,
                    &format!("{} is not an address", quoted(&text)),
                    "Write `https://example.org/runs/`, without query and fragment, and without `//`, `.` and `..` in its path.",
                );
            }
        }
        Ok(())
    }

    fn wrong_type(&mut self, key: &str, value: &Value<'_>, expected: &str) {
        self.report(
            &codes::CONFIG_WRONG_TYPE,
            value.span(),
            format!(
                "The value of {} must be {expected}, and is of type {}",
                quoted(key),
                value.get_ref().type_str()
            ),
            format!("Write {expected} here."),
        );
    }

    fn invalid(&mut self, value: &Value<'_>, message: &str, help: &str) {
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

/// `Err` carries the keys that exist, for a key that does not.
type Known = Result<(), &'static [&'static str]>;

/// A key that stands outside every section may belong into one.
fn section_of(name: &str) -> Option<String> {
    let all = SECTIONS.iter().flat_map(|(_, keys)| keys.iter().copied());
    let near = nearest(name, all)?;
    let (section, _) = SECTIONS.iter().find(|(_, keys)| keys.contains(&near))?;
    Some(format!("{} in `[{section}]`", quoted(near)))
}

/// The strings of a list of nothing else.
fn texts(value: &Value<'_>) -> Option<Vec<String>> {
    let items = value.get_ref().as_array()?;
    let text = |item: &Value<'_>| item.get_ref().as_str().map(str::to_owned);
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
