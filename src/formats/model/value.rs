//! Values with their text in the input, and parts of a record without a defined shape: any JSON, truncated for a page.

use serde::{Deserialize, Serialize};

use crate::json::{JsonKind, Node};

/// A value with its text in the input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Literal<T> {
    value: T,
    text: String,
}

impl<T: Copy> Literal<T> {
    /// A value parsed from `text`.
    pub fn new(text: &str, value: T) -> Self {
        let text = text.to_owned();
        Self { value, text }
    }

    pub const fn value(&self) -> T {
        self.value
    }

    /// The text as written.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// A value as written, truncated if too large for a page; `run.json` has all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonExcerpt {
    Null,
    /// `true` or `false`
    Bool(bool),
    /// The digits in the record.
    Number(String),
    Text(TextExcerpt),
    /// Items, and the number of omitted ones.
    List(Vec<JsonExcerpt>, usize),
    /// Keys and values in the order of the record, and the number of omitted ones.
    Map(Vec<(String, JsonExcerpt)>, usize),
    /// A list or an object that is nested too deeply or too large for a page.
    Cut,
}

/// A text, possibly truncated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextExcerpt {
    /// The part shown.
    pub text: String,
    /// Length of the full text in characters, if truncated.
    pub of: Option<usize>,
}

/// Maximum characters of a text.
const MAX_TEXT_CHARS: usize = 4000;
/// Maximum items of a list, or keys of an object.
const MAX_ITEMS: usize = 60;
/// Maximum levels below the first.
const MAX_DEPTH: usize = 8;
/// Maximum values of a block.
const MAX_VALUES: usize = 1500;

impl JsonExcerpt {
    /// The value at `node`.
    pub fn of(node: Node<'_>) -> Self {
        let mut left = MAX_VALUES;
        Self::read(node, 0, &mut left)
    }

    fn read(node: Node<'_>, depth: usize, left: &mut usize) -> Self {
        *left = left.saturating_sub(1);
        match node.kind() {
            JsonKind::Null => Self::Null,
            JsonKind::Bool => Self::Bool(node.raw == "true"),
            JsonKind::Number => Self::Number(node.raw.chars().take(MAX_TEXT_CHARS).collect()),
            JsonKind::String => Self::Text(TextExcerpt::of(
                &node.as_str().unwrap_or_else(|| node.raw.into()),
            )),
            JsonKind::Array | JsonKind::Object if depth > MAX_DEPTH || *left == 0 => Self::Cut,
            JsonKind::Array => {
                let items = node.items();
                let count = items.len();
                let shown = take(items, left, |item, left| Self::read(item, depth + 1, left));
                let more = count - shown.len();
                Self::List(shown, more)
            }
            JsonKind::Object => {
                let members = node.members();
                let count = members.len();
                let shown = take(members, left, |member, left| {
                    let key = member.key.chars().take(MAX_TEXT_CHARS).collect();
                    (key, Self::read(member.value, depth + 1, left))
                });
                let more = count - shown.len();
                Self::Map(shown, more)
            }
        }
    }
}

fn take<T, U>(items: Vec<T>, left: &mut usize, mut read: impl FnMut(T, &mut usize) -> U) -> Vec<U> {
    let mut shown = Vec::new();
    for item in items.into_iter().take(MAX_ITEMS) {
        if *left == 0 {
            break;
        }
        shown.push(read(item, left));
    }
    shown
}

impl TextExcerpt {
    /// Truncates `text`.
    pub fn of(text: &str) -> Self {
        match text.char_indices().nth(MAX_TEXT_CHARS) {
            Some((end, _)) => Self {
                text: text[..end].to_owned(),
                of: Some(text.chars().count()),
            },
            None => Self {
                text: text.to_owned(),
                of: None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_value_is_cut_and_says_by_how_much() {
        let text = format!("[{}]", vec!["[1,2]"; 100].join(","));
        let JsonExcerpt::List(items, more) = JsonExcerpt::of(Node::parse(&text).expect("valid"))
        else {
            panic!("a list")
        };
        assert_eq!((items.len(), more), (MAX_ITEMS, 40));
        let long = format!("\"{}\"", "é".repeat(MAX_TEXT_CHARS + 1));
        let JsonExcerpt::Text(text) = JsonExcerpt::of(Node::parse(&long).expect("valid")) else {
            panic!("a text")
        };
        assert_eq!(
            (text.text.chars().count(), text.of),
            (MAX_TEXT_CHARS, Some(MAX_TEXT_CHARS + 1))
        );
    }

    #[test]
    fn depth_has_an_end() {
        let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
        assert!(matches!(
            JsonExcerpt::of(Node::parse(&deep).expect("valid")),
            JsonExcerpt::List(..)
        ));
    }
}
