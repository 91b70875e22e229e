//! A cursor over the JSON of a log. Formats of logs are undocumented, so reading is lenient: a value of an unexpected type is
//! absent, and does not affect its neighbors. `serde_json` checks a text once. After that its levels are only split, one at a time;
//! everything below stays text until it is asked for.

use std::borrow::Cow;

use base::diagnostics::codes::IMPORT_INVALID_FILE;
use formats::json::{Kind, Member, Node, last};

use super::{Problem, problem};

/// The reason that a text is not an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It is another value.
    Other,
    /// It ends too early.
    Cut,
    /// Invalid JSON.
    Invalid,
}

impl Fault {
    /// The reason in words, after "The line" or "The file".
    pub const fn words(self) -> &'static str {
        match self {
            Self::Other => "is not a JSON object",
            Self::Cut => "is truncated",
            Self::Invalid => "is not valid JSON",
        }
    }
}

/// A value of a log, with its members if it is an object. Paths such as `usage.input_tokens` name members of members.
#[derive(Debug, Clone)]
pub struct Row<'a> {
    node: Node<'a>,
    members: Vec<Member<'a>>,
}

impl<'a> Row<'a> {
    /// Reads an object, such as a line.
    pub fn parse(text: &'a str) -> Result<Self, Fault> {
        let node = node(text.trim_ascii());
        match node.strict_members() {
            Some(_) if is_deep(text) => Err(Fault::Invalid),
            Some(members) => Ok(Self { node, members }),
            None => Err(match Node::parse(text) {
                Ok(_) => Fault::Other,
                Err(error) if error.is_eof() => Fault::Cut,
                Err(_) => Fault::Invalid,
            }),
        }
    }

    /// Reads an object of valid UTF-8.
    pub fn bytes(bytes: &'a [u8]) -> Option<Self> {
        Self::parse(std::str::from_utf8(bytes).ok()?).ok()
    }

    /// Reads a whole file.
    pub fn whole(file: &str, text: &'a str) -> Result<Self, Problem> {
        Self::value(text).map_err(|error| {
            let (message, help) = if error.is_eof() {
                let message = "The file ends in the middle of its JSON".to_owned();
                let help = "Import the log again once it is written to its end.";
                (message, help)
            } else {
                (format!("The file cannot be read: {error}"), AS_WRITTEN)
            };
            let mut problem = problem(&IMPORT_INVALID_FILE, file, message, help);
            problem.place.line = u32::try_from(error.line()).ok();
            problem
        })
    }

    /// Reads a whole file that is an object.
    pub fn document(file: &str, text: &'a str) -> Result<Self, Problem> {
        let row = Self::whole(file, text)?;
        let fault = match row.is_object() {
            true if !is_deep(text) => return Ok(row),
            true => Fault::Invalid,
            false => Fault::Other,
        };
        let message = format!("The file {}", fault.words());
        Err(problem(&IMPORT_INVALID_FILE, file, message, AS_WRITTEN))
    }

    /// Reads any value.
    pub fn value(text: &'a str) -> serde_json::Result<Self> {
        Node::parse(text).map(Self::of)
    }

    fn of(node: Node<'a>) -> Self {
        let members = members(node);
        Self { node, members }
    }

    fn node(&self, path: &str) -> Option<Node<'a>> {
        let mut keys = path.split('.');
        let first = last(&self.members, keys.next()?);
        let found = keys.try_fold(first?, |node, key| last(&members(node), key))?;
        (found.kind() != Kind::Null).then_some(found)
    }

    /// The members of an object.
    pub fn members(self) -> impl Iterator<Item = (Cow<'a, str>, Self)> {
        let members = self.members.into_iter();
        members.map(|member| (member.key, Self::of(member.value)))
    }

    /// The keys of an object, sorted.
    pub fn keys(&self) -> Vec<Cow<'a, str>> {
        let mut keys: Vec<_> = self
            .members
            .iter()
            .map(|member| member.key.clone())
            .collect();
        keys.sort();
        keys.dedup();
        keys
    }

    /// The items of an array.
    pub fn items(&self) -> impl DoubleEndedIterator<Item = Self> + use<'a> {
        items(self.node).into_iter().map(Self::of)
    }

    /// Whether it is an array.
    pub fn is_array(&self) -> bool {
        self.node.kind() == Kind::Array
    }

    /// Whether it is an object.
    pub fn is_object(&self) -> bool {
        self.node.kind() == Kind::Object
    }

    /// Its text, if it is a string.
    pub fn as_str(&self) -> Option<Cow<'a, str>> {
        self.node.as_str()
    }

    /// The text of a part of a message: the part itself, or its `text`.
    pub fn part_text(&self) -> Option<Cow<'a, str>> {
        self.as_str().or_else(|| self.string("text"))
    }

    /// Its JSON.
    pub fn json(&self) -> &'a str {
        self.node.raw
    }

    /// The JSON of a value that is not null.
    pub fn raw(&self, path: &str) -> Option<&'a str> {
        self.node(path).map(|node| node.raw)
    }

    /// Whether there is a value that is not null.
    pub fn has(&self, path: &str) -> bool {
        self.node(path).is_some()
    }

    /// Whether there is a value, or null.
    pub fn has_key(&self, key: &str) -> bool {
        last(&self.members, key).is_some()
    }

    /// Whether a key has the value null.
    pub fn is_null(&self, key: &str) -> bool {
        last(&self.members, key).is_some_and(|node| node.kind() == Kind::Null)
    }

    /// Whether a value is an array.
    pub fn is_list(&self, path: &str) -> bool {
        self.node(path)
            .is_some_and(|node| node.kind() == Kind::Array)
    }

    /// A string.
    pub fn string(&self, path: &str) -> Option<Cow<'a, str>> {
        self.node(path)?.as_str()
    }

    /// A string; empty if absent.
    pub fn text(&self, path: &str) -> Cow<'a, str> {
        self.string(path).unwrap_or_default()
    }

    /// A string that is not empty.
    pub fn word(&self, path: &str) -> Option<Cow<'a, str>> {
        self.string(path).filter(|text| !text.is_empty())
    }

    /// A string or a number, such as an id.
    pub fn id(&self, path: &str) -> Option<String> {
        let node = self.node(path)?;
        match node.kind() {
            Kind::Number => Some(node.raw.to_owned()),
            _ => node.as_str().map(Cow::into_owned),
        }
    }

    /// The first string that is not empty.
    pub fn first<const N: usize>(&self, paths: [&str; N]) -> Option<Cow<'a, str>> {
        paths.iter().find_map(|path| self.word(path))
    }

    /// A string that is not empty, to keep.
    pub fn name(&self, path: &str) -> Option<String> {
        self.word(path).map(Cow::into_owned)
    }

    /// An integer, in any notation.
    pub fn integer(&self, path: &str) -> Option<i64> {
        // Above this, a float cannot represent every integer.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        let whole = |value: &f64| value.fract() == 0.0 && value.abs() < EXACT;
        let number: serde_json::Result<i64> = serde_json::from_str(self.raw(path)?);
        number.ok().or_else(|| {
            let value = self.number(path).filter(whole)?;
            format!("{value:.0}").parse().ok()
        })
    }

    /// A non-negative integer.
    pub fn count(&self, path: &str) -> Option<u64> {
        self.integer(path)?.try_into().ok()
    }

    /// A number.
    pub fn number(&self, path: &str) -> Option<f64> {
        self.node(path)?.as_f64().filter(|value| value.is_finite())
    }

    /// `true` or `false`.
    pub fn flag(&self, path: &str) -> Option<bool> {
        self.node(path)?.as_bool()
    }

    /// Whether a value is `true`.
    pub fn is(&self, path: &str) -> bool {
        self.flag(path) == Some(true)
    }

    /// An object.
    pub fn row(&self, path: &str) -> Option<Self> {
        self.node(path).map(Self::of).filter(Self::is_object)
    }

    /// The items of an array.
    pub fn rows(&self, path: &str) -> impl DoubleEndedIterator<Item = Self> + use<'a> {
        let items = self.node(path).map(items);
        items.unwrap_or_default().into_iter().map(Self::of)
    }

    /// The items of an array as JSON, to be read one by one.
    pub fn list(&self, path: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let items = self.node(path).map(items);
        items.unwrap_or_default().into_iter().map(|node| node.raw)
    }

    /// The parts of a content: the items of an array, or the value itself.
    pub fn parts(&self, path: &str) -> impl DoubleEndedIterator<Item = Self> + use<'a> {
        let parts = self.node(path).map(|node| match node.kind() {
            Kind::Array => items(node),
            _ => vec![node],
        });
        parts.unwrap_or_default().into_iter().map(Self::of)
    }
}

pub const AS_WRITTEN: &str = "Import the log as its program wrote it.";

/// The members of an object of valid JSON; empty for anything else. A lone surrogate in a key becomes U+FFFD.
fn members(object: Node<'_>) -> Vec<Member<'_>> {
    let mut members = Vec::new();
    if object.kind() == Kind::Object {
        let mut values = Values::of(object);
        while let (Some(key), Some(value)) = (values.next(), values.next()) {
            let key = match key.raw.contains('\\') {
                true => key.as_str().unwrap_or_default(),
                false => Cow::Borrowed(&key.raw[1..key.raw.len() - 1]),
            };
            members.push(Member { key, value });
        }
    }
    members
}

/// The items of an array of valid JSON; empty for anything else.
fn items(array: Node<'_>) -> Vec<Node<'_>> {
    match array.kind() {
        Kind::Array => Values::of(array).collect(),
        _ => Vec::new(),
    }
}

/// The values of an array, or the keys and values of an object in turn. The JSON must be valid: it is not checked again, so that
/// this takes a fraction of the time of a parser.
struct Values<'a> {
    rest: &'a str,
}

impl<'a> Values<'a> {
    fn of(node: Node<'a>) -> Self {
        Self {
            rest: &node.raw[1..],
        }
    }
}

impl<'a> Iterator for Values<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Node<'a>> {
        let between = |byte: u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b',' | b':');
        let start = self.rest.bytes().position(|byte| !between(byte))?;
        let text = &self.rest.as_bytes()[start..];
        let length = match text[0] {
            b'"' => end_of_string(text),
            b'[' => end_of_brackets(text, b'[', b']'),
            b'{' => end_of_brackets(text, b'{', b'}'),
            b']' | b'}' => return None,
            _ => {
                let is_end = |byte: &u8| between(*byte) || matches!(byte, b']' | b'}');
                text.iter().position(is_end).unwrap_or(text.len())
            }
        };
        let (value, rest) = self.rest[start..].split_at(length);
        self.rest = rest;
        Some(node(value))
    }
}

const fn node(raw: &str) -> Node<'_> {
    Node { raw, offset: 0 }
}

/// The end of the array or object that begins a JSON text.
fn end_of_brackets(text: &[u8], open: u8, close: u8) -> usize {
    let (mut depth, mut at) = (0, 0);
    while let Some(found) = memchr::memchr3(b'"', open, close, &text[at..]) {
        at += found;
        match text[at] {
            b'"' => {
                at += end_of_string(&text[at..]);
                continue;
            }
            byte if byte == open => depth += 1,
            _ => depth -= 1,
        }
        at += 1;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// Whether values are nested deeper than other programs read them.
fn is_deep(json: &str) -> bool {
    const DEEP: usize = 128;
    let (mut depth, mut rest) = (0, json.as_bytes());
    if memchr::memchr2_iter(b'[', b'{', rest).nth(DEEP).is_none() {
        return false;
    }
    let is_mark = |byte: &u8| matches!(byte, b'"' | b'[' | b'{' | b']' | b'}');
    while let Some(at) = rest.iter().position(is_mark) {
        rest = &rest[at..];
        let mut length = 1;
        match rest[0] {
            b'"' => length = end_of_string(rest),
            b'[' | b'{' => depth += 1,
            _ => depth -= 1,
        }
        if depth > DEEP {
            return true;
        }
        rest = &rest[length..];
    }
    false
}

/// The end of the string that begins a JSON text.
pub fn end_of_string(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(found) = text
        .get(at..)
        .and_then(|rest| memchr::memchr2(b'"', b'\\', rest))
    {
        at += found;
        if text[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    text.len()
}
