//! Prepares input text for messages: short, on one line, without control characters.

use std::borrow::Cow;

use crate::characters::{classify, symbol};

/// Maximum length of quoted input, in characters.
const QUOTE_LIMIT: usize = 80;

/// Input text in backticks, shortened and sanitized.
pub fn quoted(value: &str) -> String {
    let (value, more) = cut(value, QUOTE_LIMIT);
    let mut out = String::with_capacity(value.len() + 2);
    out.push('`');
    for (c, hidden) in classify(value) {
        if hidden || c.is_control() {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out.push_str(more);
    out.push('`');
    out
}

/// A number and its noun: `1 error`, `2 errors`.
pub fn counted(count: u64, word: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {word}{end}")
}

/// Maximum length of a parser's message, in characters; it may quote the input.
const REASON_LIMIT: usize = 200;

/// Another program's message about an input, on one line, shortened and sanitized.
pub fn reason(sentence: &str) -> String {
    let (line, more) = cut(sentence, REASON_LIMIT);
    format!("{}{more}", visible(&line.replace('\n', " ")))
}

/// The beginning of a text, with an ellipsis if it is cut. Called before `visible`, because hidden characters depend on the end
/// of the text.
fn cut(text: &str, limit: usize) -> (&str, &'static str) {
    text.char_indices()
        .nth(limit)
        .map_or((text, ""), |(end, _)| (&text[..end], "…"))
}

/// One line of text. Replaces every character that could control a terminal or mislead a reader, and keeps the width.
pub fn visible(text: &str) -> String {
    classify(text)
        .map(|(c, hidden)| match c {
            '\t' => ' ',
            _ if hidden || c.is_control() => symbol(c),
            _ => c,
        })
        .collect()
}

/// The first `limit` characters of a text, with an ellipsis if there are more.
pub fn beginning(text: &str, limit: usize) -> Cow<'_, str> {
    match cut(text, limit) {
        (whole, "") => Cow::Borrowed(whole),
        (start, more) => Cow::Owned(format!("{start}{more}")),
    }
}

/// The words with a capital first letter.
pub fn capitalized(words: &str) -> String {
    let mut chars = words.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).collect()
}

/// The word in `known` nearest to `word`, if it is near enough.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = fold(word);
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&folded, &fold(candidate)), candidate))
        .filter(|(score, _)| *score >= 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// Asks for the word in `known` nearest to `word`; `otherwise` if none is near enough.
pub fn did_you_mean<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
    otherwise: &str,
) -> String {
    nearest(word, known).map_or_else(
        || otherwise.to_owned(),
        |near| format!("Did you mean {}?", quoted(near)),
    )
}

/// The name in `known` of which the name of a file is a misspelling. Stricter than [`nearest`], since other files may have any name:
/// at most two letters differ, one of a short name, and not the first.
pub fn misspelled<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = fold(name);
    let near = known.into_iter().filter_map(|known| {
        let other = fold(known);
        let most = if other.len() < SHORT { 1 } else { 2 };
        let distance = strsim::osa_distance(&folded, &other);
        let is_near = distance <= most && folded.chars().next() == other.chars().next();
        (is_near && name != known).then_some((distance, known))
    });
    let nearest = near.min_by_key(|(distance, _)| *distance);
    nearest.map(|(_, known)| known)
}

/// Letters and digits of the name of a file below which it is short, such as `raw.jsonl`.
const SHORT: usize = 10;

/// The spelling without case and separators, so that `baseUrl` is near `base_url`.
fn fold(word: &str) -> String {
    word.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_value_is_short_and_harmless() {
        assert_eq!(quoted("a\u{1b}[31m"), "`a\\u{1b}[31m`");
        assert_eq!(quoted("\u{202e}txt"), "`\\u{202e}txt`");
        assert_eq!(quoted(&"x".repeat(200)).chars().count(), QUOTE_LIMIT + 3);
    }

    #[test]
    fn a_joiner_at_the_end_of_what_is_quoted_is_escaped_like_any_other() {
        let family = "👩\u{200d}".repeat(QUOTE_LIMIT);
        assert!(quoted(&family).ends_with("👩\\u{200d}…`"));
        assert_eq!(quoted("👩\u{200d}💻"), "`👩\u{200d}💻`");
    }

    #[test]
    fn the_nearest_key_ignores_case_and_separators() {
        assert_eq!(nearest("baseUrl", ["title", "base_url"]), Some("base_url"));
        assert_eq!(nearest("titel", ["title", "base_url"]), Some("title"));
        assert_eq!(nearest("zzz", ["title", "base_url"]), None);
    }

    #[test]
    fn only_a_name_with_few_other_letters_is_misspelled() {
        let known = ["events.jsonl", "writeup.md", "raw.jsonl"];
        for (name, meant) in [
            ("event.jsonl", Some("events.jsonl")),
            ("events.json", Some("events.jsonl")),
            ("Evnets.JSONL", Some("events.jsonl")),
            ("write-up.MD", Some("writeup.md")),
            ("raw.json", Some("raw.jsonl")),
            ("events.jsonl", None),
            ("agents.jsonl", None),
            ("run.jsonl", None),
            ("writer.md", None),
            ("event-notes.jsonl", None),
        ] {
            assert_eq!(misspelled(name, known), meant, "{name}");
        }
    }
}
