//! Finds secrets in a text: first keywords, then each expression in a window around its keywords.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::dfa::DFA;
use aho_corasick::{Anchored, StartKind};

use super::false_positives;
use super::families::RuleKind;
use super::rules::{MatchContext, RULES, Rule};
use super::views::TextView;

/// Bytes before a keyword in which a match may begin.
const BEFORE: usize = 256;
/// Bytes added to a window when a match reaches its end.
const MORE: usize = 4 << 10;
/// Bytes of a line that an allowlist sees on each side of a match.
const LINE: usize = 512;

/// Keywords and rules of a scan.
#[derive(Debug)]
pub struct SecretEngine {
    keywords: Option<DFA>,
    /// Indices of the rules of each keyword.
    rules: Vec<Vec<usize>>,
}

/// A keyword of a rule that may be part of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeywordMatch {
    /// Index of the rule.
    pub rule: usize,
    /// First byte of the keyword.
    pub start: usize,
    pub end: usize,
}

/// A secret in a text.
#[derive(Debug, Clone)]
pub struct SecretMatch {
    /// The rule that found it.
    pub rule: &'static Rule,
    /// The bytes of the secret.
    pub range: Range<usize>,
}

static SECRETS: LazyLock<SecretEngine> = LazyLock::new(|| SecretEngine::new(false, false));
static WITH_PATHS: LazyLock<SecretEngine> = LazyLock::new(|| SecretEngine::new(true, false));
static PERSONAL: LazyLock<SecretEngine> = LazyLock::new(|| SecretEngine::new(false, true));
static ALL: LazyLock<SecretEngine> = LazyLock::new(|| SecretEngine::new(true, true));

/// The engine with the rules for secrets and, if enabled, for paths and personal data.
pub fn engine(paths: bool, personal: bool) -> &'static SecretEngine {
    match (paths, personal) {
        (false, false) => &SECRETS,
        (true, false) => &WITH_PATHS,
        (false, true) => &PERSONAL,
        (true, true) => &ALL,
    }
}

impl SecretEngine {
    fn new(paths: bool, personal: bool) -> Self {
        let wants = |index: &usize| match RULES.all[*index].kind {
            RuleKind::Path => paths,
            RuleKind::Personal => personal,
            RuleKind::Secret | RuleKind::Generic => true,
        };
        let mut words = Vec::new();
        let mut rules = Vec::new();
        for (word, indices) in &RULES.keywords {
            let indices: Vec<_> = indices.iter().copied().filter(wants).collect();
            if !indices.is_empty() {
                words.push(word.as_str());
                rules.push(indices);
            }
        }
        let mut builder = DFA::builder();
        let keywords = builder
            .start_kind(StartKind::Unanchored)
            .ascii_case_insensitive(true)
            .build(words);
        Self {
            keywords: keywords.ok(),
            rules,
        }
    }

    /// The keywords in a text that may be part of a secret, ordered by end.
    pub fn candidates(&self, text: &[u8], path: &str, mut each: impl FnMut(KeywordMatch)) {
        let Some(keywords) = &self.keywords else {
            return;
        };
        for (end, state) in keyword_ends(keywords, text) {
            for index in 0..keywords.match_len(state) {
                let keyword = keywords.match_pattern(state, index);
                let start = end - keywords.pattern_len(keyword);
                for rule in &self.rules[keyword.as_usize()] {
                    let rule_of_keyword = &RULES.all[*rule];
                    if rule_of_keyword.hint.fits(text, start, end) && rule_of_keyword.is_for(path) {
                        each(KeywordMatch {
                            rule: *rule,
                            start,
                            end,
                        });
                    }
                }
            }
        }
    }

    /// The secrets of a view of a text, by their places in the text.
    pub fn matches_in_view(&self, view: &TextView, path: &str) -> Vec<SecretMatch> {
        let mut found = self.matches(&view.text, path);
        for secret in &mut found {
            secret.range = view.origin(&secret.range);
        }
        found
    }

    /// The secrets of a text.
    pub fn matches(&self, text: &[u8], path: &str) -> Vec<SecretMatch> {
        let mut candidates = Vec::new();
        self.candidates(text, path, |candidate| candidates.push(candidate));
        let mut found = Vec::new();
        confirm(text, 0..text.len(), candidates, path, &mut found);
        found
    }
}

/// Where keywords end in a text, and the state that knows which ones, in order.
///
/// Every published byte passes through this automaton, and each step waits for the one before. So the text is divided into parts
/// that are walked in turn, byte by byte: the processor takes their steps at the same time. The result is that of one walk, since
/// each part is entered with the bytes that a keyword across its start can have before it.
fn keyword_ends(keywords: &DFA, text: &[u8]) -> Vec<(usize, StateID)> {
    const PARTS: usize = 4;
    /// Below this, entering the parts costs more than it saves.
    const SHORT: usize = 1 << 10;
    let Ok(start) = keywords.start_state(Anchored::No) else {
        return Vec::new();
    };
    let next = |state, byte: &u8| keywords.next_state(Anchored::No, state, *byte);
    let length = if text.len() < SHORT {
        0
    } else {
        text.len() / PARTS
    };
    let mut states: [StateID; PARTS] = std::array::from_fn(|part| {
        let from = part * length;
        let before = from.saturating_sub(keywords.max_pattern_len());
        text[before..from].iter().fold(start, next)
    });
    let mut ends: [Vec<(usize, StateID)>; PARTS] = Default::default();
    for at in 0..length {
        for part in 0..PARTS {
            let here = part * length + at;
            states[part] = next(states[part], &text[here]);
            if keywords.is_match(states[part]) {
                ends[part].push((here + 1, states[part]));
            }
        }
    }
    let mut ends = ends.concat();
    let mut state = states[PARTS - 1];
    for (at, byte) in text.iter().enumerate().skip(PARTS * length) {
        state = next(state, byte);
        if keywords.is_match(state) {
            ends.push((at + 1, state));
        }
    }
    ends
}

/// Runs the expressions of `candidates`, which are all within `bounds`.
pub fn confirm(
    text: &[u8],
    bounds: Range<usize>,
    mut candidates: Vec<KeywordMatch>,
    path: &str,
    found: &mut Vec<SecretMatch>,
) {
    candidates.sort_unstable();
    let text = &text[..bounds.end];
    let mut candidates = candidates.into_iter().peekable();
    while let Some(first) = candidates.next() {
        let rule = &RULES.all[first.rule];
        let window = |candidate: &KeywordMatch| {
            let start = candidate.start.saturating_sub(BEFORE).max(bounds.start);
            start..text.len().min(candidate.end + rule.reach)
        };
        let mut merged = window(&first);
        while let Some(next) = candidates.peek().filter(|next| next.rule == first.rule) {
            let next = window(next);
            if next.start > merged.end {
                break;
            }
            merged.end = merged.end.max(next.end);
            candidates.next();
        }
        match_window(rule, text, merged, path, found);
    }
}

fn match_window(
    rule: &'static Rule,
    text: &[u8],
    window: Range<usize>,
    path: &str,
    found: &mut Vec<SecretMatch>,
) {
    let Some(regex) = rule.regex() else { return };
    let mut seen = &text[..window.end];
    let mut at = window.start;
    while at <= seen.len() {
        let Some(captures) = regex.captures_at(seen, at) else {
            break;
        };
        if captures
            .get(0)
            .is_some_and(|whole| whole.end() == seen.len())
            && seen.len() < text.len()
        {
            // A match that reaches the end of the window may continue after it.
            let more = text.len().min(seen.len() + MORE);
            let is_last = more - window.end >= 8 * MORE;
            seen = &text[..more];
            if !is_last {
                continue;
            }
        }
        let Some((whole, secret)) = captures.get(0).zip(rule.secret(&captures)) else {
            break;
        };
        at = whole.end().max(at + 1);
        let line = whole.start().saturating_sub(LINE)..text.len().min(whole.end() + LINE);
        let context = MatchContext {
            path,
            secret: &text[secret.clone()],
            matched: whole.as_bytes(),
            line: line_of(
                &text[line.clone()],
                whole.start() - line.start,
                whole.end() - line.start,
            ),
        };
        let is_allowed = match rule.kind {
            // Files such as those of `node_modules` hold many values with the name of a secret, but a real key counts
            // everywhere.
            RuleKind::Secret => {
                rule.allows(&context)
                    || RULES.allowed.allows_in_any_file(&context)
                    || false_positives::is_sample(context.secret)
                    || false_positives::is_placeholder(context.secret)
            }
            RuleKind::Generic => {
                rule.allows(&context)
                    || RULES.allowed.allows(&context)
                    || false_positives::is_sample(context.secret)
                    || false_positives::is_digest(&context)
            }
            RuleKind::Path | RuleKind::Personal => rule.allows(&context),
        };
        if !is_allowed && !secret.is_empty() {
            found.push(SecretMatch {
                rule,
                range: secret,
            });
        }
    }
}

/// The lines that contain `start..end`.
fn line_of(text: &[u8], start: usize, end: usize) -> &[u8] {
    let from = memchr::memrchr(b'\n', &text[..start]).map_or(0, |at| at + 1);
    let to = memchr::memchr(b'\n', &text[end..]).map_or(text.len(), |at| end + at);
    &text[from..to]
}
