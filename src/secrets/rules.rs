//! The rules, parsed once: the unmodified rules of Gitleaks, then runpress's own in the same format.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

use super::families::RuleKind;
use super::hints::Hint;

/// All rules. Each regular expression is compiled when one of its keywords is first found.
pub static RULES: LazyLock<Rules> = LazyLock::new(Rules::read);

const FILES: [&str; 2] = [include_str!("rules.toml"), include_str!("agent_rules.toml")];

/// All rules and their keywords.
#[derive(Debug)]
pub struct Rules {
    /// In the order of the files.
    pub all: Vec<Rule>,
    pub keywords: Vec<(String, Vec<usize>)>,
    /// The allowlist for all rules.
    pub allowed: Allowlist,
}

#[derive(Debug)]
pub struct Rule {
    /// The name of the rule, such as `github-pat`.
    pub id: String,
    /// The second word of its diagnostic code.
    pub family: &'static str,
    /// How a finding of it is handled.
    pub kind: RuleKind,
    /// The check of the text around a keyword, before the expression is tried.
    pub hint: Hint,
    /// Maximum bytes after a keyword in which a match ends.
    pub reach: usize,
    /// Lowercase keywords.
    pub keywords: Vec<String>,
    entropy: f64,
    group: usize,
    expression: Option<LazyRegex>,
    path: Option<LazyRegex>,
    allowed: Vec<Allowlist>,
}

impl Rule {
    /// The expression, compiled on first use. `None` if the rule is about file names.
    pub fn regex(&self) -> Option<&Regex> {
        self.expression.as_ref()?.get()
    }

    /// Whether it applies to files with this name.
    pub fn is_for(&self, name: &str) -> bool {
        let path = self.path.as_ref();
        path.is_none_or(|path| path.is_match(name.as_bytes()))
    }

    /// Whether it looks only at the name of a file.
    pub fn is_about_names(&self) -> bool {
        self.expression.is_none()
    }

    /// The range of the secret in a match: the group of the rule, or the first group that matched.
    pub fn secret(&self, captures: &regex::bytes::Captures<'_>) -> Option<std::ops::Range<usize>> {
        // The first group of these rules is only a few characters of the secret.
        let group = if WHOLE.contains(&self.id.as_str()) {
            captures.get(0)
        } else if self.group > 0 {
            captures.get(self.group)
        } else {
            let mut groups = (1..captures.len()).filter_map(|group| captures.get(group));
            groups.find(|group| !group.is_empty()).or(captures.get(0))
        };
        group.map(|group| group.range())
    }

    /// Whether a match is a false positive: too regular, a placeholder, or known.
    pub fn allows(&self, found: &MatchContext<'_>) -> bool {
        let limit = match self.kind {
            RuleKind::Generic if is_hexadecimal(found.secret) => self.entropy.min(HEXADECIMAL),
            _ => self.entropy,
        };
        (limit > 0.0 && entropy(found.secret) <= limit)
            || self.allowed.iter().any(|list| list.allows(found))
    }
}

/// A match as the allowlists see it.
#[derive(Debug, Clone, Copy)]
pub struct MatchContext<'a> {
    /// Name of the file.
    pub path: &'a str,
    pub secret: &'a [u8],
    /// The whole match of the expression.
    pub matched: &'a [u8],
    /// The line or lines of the match.
    pub line: &'a [u8],
}

/// Matches that are no secrets.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Allowlist {
    condition: Condition,
    regex_target: RegexTarget,
    paths: Vec<LazyRegex>,
    regexes: Vec<LazyRegex>,
    stopwords: Vec<String>,
    #[serde(skip)]
    stopword_search: OnceLock<Option<AhoCorasick>>,
}

/// Whether one criterion of an allowlist is enough, or all must be met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Condition {
    #[default]
    Or,
    And,
}

impl Allowlist {
    /// Whether it allows a match in any file.
    pub fn allows_in_any_file(&self, found: &MatchContext<'_>) -> bool {
        any(&self.regexes, found.secret) || self.has_stopword(found.secret)
    }

    /// Whether it allows a match.
    pub fn allows(&self, found: &MatchContext<'_>) -> bool {
        let target = match self.regex_target {
            RegexTarget::Secret => found.secret,
            RegexTarget::Match => found.matched,
            RegexTarget::Line => found.line,
        };
        let checks = [
            (!self.paths.is_empty()).then(|| any(&self.paths, found.path.as_bytes())),
            (!self.regexes.is_empty()).then(|| any(&self.regexes, target)),
            (!self.stopwords.is_empty()).then(|| self.has_stopword(found.secret)),
        ];
        let mut checks = checks.into_iter().flatten().peekable();
        match self.condition {
            Condition::And => checks.peek().is_some() && checks.all(|is_met| is_met),
            Condition::Or => checks.any(|is_met| is_met),
        }
    }

    fn has_stopword(&self, secret: &[u8]) -> bool {
        let search = self.stopword_search.get_or_init(|| {
            let mut builder = AhoCorasick::builder();
            builder
                .ascii_case_insensitive(true)
                .build(&self.stopwords)
                .ok()
        });
        search
            .as_ref()
            .is_some_and(|search| search.is_match(secret))
    }
}

fn any(regexes: &[LazyRegex], text: &[u8]) -> bool {
    regexes.iter().any(|regex| regex.is_match(text))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RegexTarget {
    #[default]
    Secret,
    Match,
    Line,
}

/// An expression, compiled on first use.
#[derive(Debug, Deserialize)]
#[serde(from = "String")]
struct LazyRegex {
    pattern: String,
    compiled: OnceLock<Option<Regex>>,
}

impl LazyRegex {
    fn get(&self) -> Option<&Regex> {
        let compiled = self.compiled.get_or_init(|| compile(&self.pattern));
        compiled.as_ref()
    }

    fn is_match(&self, text: &[u8]) -> bool {
        self.get().is_some_and(|regex| regex.is_match(text))
    }
}

impl From<String> for LazyRegex {
    fn from(pattern: String) -> Self {
        Self {
            pattern,
            compiled: OnceLock::new(),
        }
    }
}

/// Rules whose whole match is the secret.
const WHOLE: [&str; 2] = ["jwt-base64", "microsoft-teams-webhook"];

/// The end of a key in most Gitleaks rules, which are made for source files.
const END: &str = r#"(?:[\x60'"\s;]|\\[nr]|$)"#;
/// The end of a key in a sentence, a URL or a document: any character that no key continues with, in any script. Signs that are
/// part of some keys end one before a space or another sign.
const END_OF_KEY: &str = r#"(?:[^\w+/=.:@~-]|[/.:@~](?:[^\w+/=-]|$)|$)"#;
/// The end of a key that may be any word. In source code, `(`, `[`, `{` and the like follow a name instead of a key.
const END_OF_ANY: &str = r#"(?:[\x60'"\s;&,|)\]}<>*\x80-\xff]|[.:!?](?:[^\w]|$)|\\|$)"#;

/// Compiles an expression. A test checks that every expression of the two files compiles.
fn compile(pattern: &str) -> Option<Regex> {
    let pattern = with_braces(pattern);
    let mut builder = RegexBuilder::new(&pattern);
    builder.unicode(false).size_limit(64 << 20).build().ok()
}

/// Escapes literal braces, which Go accepts unescaped.
fn with_braces(pattern: &str) -> String {
    let mut escaped = String::with_capacity(pattern.len() + 8);
    let mut is_escape = false;
    for (at, character) in pattern.char_indices() {
        let repeats = || {
            let digits =
                pattern[at + 1..].trim_start_matches(|c: char| c.is_ascii_digit() || c == ',');
            digits.starts_with('}') && pattern[at + 1..].starts_with(|c: char| c.is_ascii_digit())
        };
        if character == '{' && !is_escape && !repeats() {
            escaped.push('\\');
        }
        is_escape = character == '\\' && !is_escape;
        escaped.push(character);
    }
    escaped
}

/// Limit of the entropy of hexadecimal digits, in bits per byte. They have at most 4, so a random key of 32 digits is often below
/// the limit of a rule for any text.
const HEXADECIMAL: f64 = 3.0;

/// Whether a value is a hexadecimal number or a UUID.
fn is_hexadecimal(value: &[u8]) -> bool {
    value.len() >= 32
        && value
            .iter()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-'))
}

/// Shannon entropy, in bits per byte.
fn entropy(text: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in text {
        counts[usize::from(*byte)] += 1;
    }
    let all = f64::from(u32::try_from(text.len()).unwrap_or(u32::MAX));
    let shares = counts.iter().filter(|count| **count > 0);
    shares
        .map(|count| f64::from(*count) / all)
        .map(|share| -share * share.log2())
        .sum()
}

impl Rules {
    fn read() -> Self {
        let mut rules = Self {
            all: Vec::new(),
            keywords: Vec::new(),
            allowed: Allowlist::default(),
        };
        let mut keywords: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for text in FILES {
            // Both files are part of the program, and a test parses them.
            let Ok(file) = toml::from_str::<RuleFile>(text) else {
                continue;
            };
            if let Some(allowed) = file.allowlist {
                rules.allowed = allowed;
            }
            for entry in file.rules {
                for keyword in &entry.keywords {
                    let of = keywords.entry(keyword.to_lowercase()).or_default();
                    of.push(rules.all.len());
                }
                rules.all.push(entry.into());
            }
        }
        rules.keywords = keywords.into_iter().collect();
        rules
    }
}

#[derive(Deserialize)]
struct RuleFile {
    allowlist: Option<Allowlist>,
    #[serde(default)]
    rules: Vec<RuleEntry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RuleEntry {
    id: String,
    regex: Option<String>,
    path: Option<LazyRegex>,
    #[serde(default)]
    entropy: f64,
    #[serde(default)]
    secret_group: usize,
    #[serde(default)]
    keywords: Vec<String>,
    #[serde(default)]
    allowlists: Vec<Allowlist>,
}

impl From<RuleEntry> for Rule {
    fn from(entry: RuleEntry) -> Self {
        let (family, kind) = super::families::of(&entry.id);
        let pattern = entry.regex.map(|pattern| {
            let end = if kind == RuleKind::Generic {
                END_OF_ANY
            } else {
                END_OF_KEY
            };
            pattern.replace(END, end)
        });
        Self {
            hint: Hint::of(&entry.id, pattern.as_deref().unwrap_or_default()),
            reach: super::hints::reach(&entry.id),
            family,
            kind,
            id: entry.id,
            keywords: entry
                .keywords
                .iter()
                .map(|word| word.to_lowercase())
                .collect(),
            entropy: entry.entropy,
            group: entry.secret_group,
            expression: pattern.map(LazyRegex::from),
            path: entry.path,
            allowed: entry.allowlists,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_files_of_rules_are_read_and_every_expression_compiles() {
        for text in FILES {
            toml::from_str::<RuleFile>(text).unwrap_or_else(|error| panic!("{error}"));
        }
        let lists = RULES.all.iter().flat_map(|rule| &rule.allowed);
        for list in lists.chain([&RULES.allowed]) {
            for regex in list.paths.iter().chain(&list.regexes) {
                assert!(regex.get().is_some(), "{}", regex.pattern);
            }
        }
        for rule in &RULES.all {
            assert!(
                rule.is_about_names() || rule.regex().is_some(),
                "{}",
                rule.id
            );
            assert!(
                rule.is_about_names() || !rule.keywords.is_empty(),
                "{}",
                rule.id
            );
        }
        assert!(RULES.all.len() > 240);
    }

    #[test]
    fn no_rule_has_the_name_of_another() {
        let mut ids: Vec<_> = RULES.all.iter().map(|rule| rule.id.as_str()).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }

    #[test]
    fn most_rules_end_with_what_follows_a_key_in_source_files() {
        let rules = FILES[0].matches(END).count();
        assert!(rules > 100, "{rules}");
        let mut replaced = RULES.all.iter().filter_map(|rule| rule.expression.as_ref());
        assert!(!replaced.any(|regex| regex.pattern.contains(END)));
        for id in WHOLE {
            assert!(RULES.all.iter().any(|rule| rule.id == id), "{id}");
        }
    }

    #[test]
    fn entropy_is_that_of_shannon() {
        assert!(entropy(b"aaaa") < 0.001);
        assert!((entropy(b"abcd") - 2.0).abs() < 0.001);
    }
}
