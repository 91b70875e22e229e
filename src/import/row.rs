//! A cursor over the JSON of a log. Formats of logs are undocumented, so reading is lenient: a value of an unexpected type is
//! absent, and does not affect its neighbors. `serde_json` checks a text, then one pass over it finds where its values are. They
//! stay text until they are asked for.

use std::borrow::Cow;
use std::rc::Rc;

use serde::de::Error;

use base::diagnostics::codes::IMPORT_INVALID_FILE;
use formats::json::{JsonKind, Node};

use super::{Problem, problem};

/// The reason that a text is not an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowFault {
    /// It is another value.
    Other,
    /// It ends too early.
    Cut,
    /// Invalid JSON.
    Invalid,
}

impl RowFault {
    /// The reason in words, after "The line" or "The file".
    pub const fn words(self) -> &'static str {
        match self {
            Self::Other => "is not a JSON object",
            Self::Cut => "is truncated",
            Self::Invalid => "is not valid JSON",
        }
    }
}

/// A value of a log. Paths such as `usage.input_tokens` name members of members.
#[derive(Debug, Clone)]
pub struct Row<'a> {
    text: &'a str,
    tokens: Rc<Tokens>,
    number: usize,
}

/// Where the values and keys of a text are, in its order. A key is directly before its value.
#[derive(Debug, Default)]
struct Tokens {
    list: Vec<Token>,
    /// Levels of arrays and objects.
    depth: usize,
    /// Whether a key has to be unescaped before it is compared.
    has_escaped_keys: bool,
}

/// The place of a value or a key in a text.
#[derive(Debug)]
struct Token {
    start: u32,
    end: u32,
    /// The number of the first token after this one and all that is in it.
    next: u32,
}

impl<'a> Row<'a> {
    /// Reads an object, such as a line.
    pub fn parse(text: &'a str) -> Result<Self, RowFault> {
        let row = Self::parse_value(text.trim_ascii()).map_err(|error| {
            if error.is_eof() {
                RowFault::Cut
            } else {
                RowFault::Invalid
            }
        })?;
        if !row.is_object() || row.has_broken_keys() {
            return Err(RowFault::Other);
        }
        if row.is_deep() {
            return Err(RowFault::Invalid);
        }
        Ok(row)
    }

    /// Reads an object of valid UTF-8.
    pub fn parse_bytes(bytes: &'a [u8]) -> Option<Self> {
        Self::parse(std::str::from_utf8(bytes).ok()?).ok()
    }

    /// Reads a whole file.
    pub fn parse_file(file: &str, text: &'a str) -> Result<Self, Problem> {
        Self::parse_value(text).map_err(|error| {
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
    pub fn parse_object(file: &str, text: &'a str) -> Result<Self, Problem> {
        let row = Self::parse_file(file, text)?;
        let fault = match row.is_object() {
            true if !row.is_deep() => return Ok(row),
            true => RowFault::Invalid,
            false => RowFault::Other,
        };
        let message = format!("The file {}", fault.words());
        Err(problem(&IMPORT_INVALID_FILE, file, message, AS_WRITTEN))
    }

    /// Reads any value.
    pub fn parse_value(text: &'a str) -> serde_json::Result<Self> {
        let text = Node::parse(text)?.raw;
        if u32::try_from(text.len()).is_err() {
            return Err(Error::custom("it has more than 4 GiB"));
        }
        Ok(Self {
            text,
            tokens: Rc::new(Tokens::of(text)),
            number: 0,
        })
    }

    /// Whether a key of the object has half a surrogate pair, which readers in Rust reject.
    fn has_broken_keys(&self) -> bool {
        let mut keys = self.children(self.number).step_by(2);
        self.tokens.has_escaped_keys && keys.any(|key| self.node_at(key).strict_str().is_none())
    }

    /// Whether values are nested deeper than other programs read them.
    fn is_deep(&self) -> bool {
        self.tokens.depth > 128
    }

    fn at(&self, number: usize) -> Self {
        Self {
            text: self.text,
            tokens: Rc::clone(&self.tokens),
            number,
        }
    }

    fn raw_at(&self, number: usize) -> &'a str {
        let token = &self.tokens.list[number];
        &self.text[token.start as usize..token.end as usize]
    }

    fn node_at(&self, number: usize) -> Node<'a> {
        Node {
            raw: self.raw_at(number),
            offset: 0,
        }
    }

    fn node(&self) -> Node<'a> {
        self.node_at(self.number)
    }

    /// The tokens directly in an array, or in an object: a key, its value, the next key.
    fn children(&self, number: usize) -> impl Iterator<Item = usize> {
        let tokens = &self.tokens.list;
        let end = tokens[number].next as usize;
        let is_inside = move |number: &usize| *number < end;
        std::iter::successors(Some(number + 1).filter(is_inside), move |child| {
            Some(tokens[*child].next as usize).filter(is_inside)
        })
    }

    /// A key. A lone surrogate in it becomes U+FFFD.
    fn key(&self, number: usize) -> Cow<'a, str> {
        let quoted = self.raw_at(number);
        if quoted.contains('\\') {
            return self.node_at(number).as_str().unwrap_or_default();
        }
        Cow::Borrowed(&quoted[1..quoted.len() - 1])
    }

    fn is_key(&self, number: usize, key: &str) -> bool {
        if self.tokens.has_escaped_keys {
            return self.key(number) == key;
        }
        let quoted = self.raw_at(number);
        quoted.len() == key.len() + 2 && quoted[1..].starts_with(key)
    }

    /// The value of a member. Of duplicates the last one counts, as in JSON readers.
    fn member(&self, object: usize, key: &str) -> Option<usize> {
        if self.node_at(object).kind() != JsonKind::Object {
            return None;
        }
        let keys = self.children(object).step_by(2);
        let found = keys.filter(|number| self.is_key(*number, key)).last()?;
        Some(found + 1)
    }

    /// A value that is not null.
    fn get(&self, path: &str) -> Option<Node<'a>> {
        self.find(path).map(|number| self.node_at(number))
    }

    fn find(&self, path: &str) -> Option<usize> {
        let mut keys = path.split('.');
        let found = keys.try_fold(self.number, |number, key| self.member(number, key))?;
        (self.node_at(found).kind() != JsonKind::Null).then_some(found)
    }

    /// The members of an object.
    pub fn members(self) -> impl Iterator<Item = (Cow<'a, str>, Self)> {
        let mut keys = Vec::new();
        if self.is_object() {
            keys.extend(self.children(self.number).step_by(2));
        }
        keys.into_iter()
            .map(move |key| (self.key(key), self.at(key + 1)))
    }

    /// The keys of an object, sorted.
    pub fn keys(&self) -> Vec<Cow<'a, str>> {
        let members = self.clone().members();
        let mut keys: Vec<_> = members.map(|(key, _)| key).collect();
        keys.sort();
        keys.dedup();
        keys
    }

    /// The items of an array.
    pub fn items(&self) -> impl DoubleEndedIterator<Item = Self> + use<'a> {
        let mut items = Vec::new();
        if self.is_array() {
            items.extend(self.children(self.number).map(|item| self.at(item)));
        }
        items.into_iter()
    }

    pub fn is_array(&self) -> bool {
        self.node().kind() == JsonKind::Array
    }

    pub fn is_object(&self) -> bool {
        self.node().kind() == JsonKind::Object
    }

    /// Its text, if it is a string.
    pub fn as_str(&self) -> Option<Cow<'a, str>> {
        self.node().as_str()
    }

    /// The text of a part of a message: the part itself, or its `text`.
    pub fn part_text(&self) -> Option<Cow<'a, str>> {
        self.as_str().or_else(|| self.string("text"))
    }

    pub fn json(&self) -> &'a str {
        self.raw_at(self.number)
    }

    /// The JSON of a value that is not null.
    pub fn raw(&self, path: &str) -> Option<&'a str> {
        self.get(path).map(|node| node.raw)
    }

    /// Whether there is a value that is not null.
    pub fn has(&self, path: &str) -> bool {
        self.get(path).is_some()
    }

    /// Whether there is a value, or null.
    pub fn has_key(&self, key: &str) -> bool {
        self.member(self.number, key).is_some()
    }

    /// Whether a key has the value null.
    pub fn is_null(&self, key: &str) -> bool {
        self.member(self.number, key)
            .is_some_and(|value| self.node_at(value).kind() == JsonKind::Null)
    }

    /// Whether a value is an array.
    pub fn is_list(&self, path: &str) -> bool {
        self.get(path)
            .is_some_and(|node| node.kind() == JsonKind::Array)
    }

    pub fn string(&self, path: &str) -> Option<Cow<'a, str>> {
        self.get(path)?.as_str()
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
        let value = self.get(path)?;
        match value.kind() {
            JsonKind::Number => Some(value.raw.to_owned()),
            _ => value.as_str().map(Cow::into_owned),
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

    pub fn number(&self, path: &str) -> Option<f64> {
        self.get(path)?.as_f64().filter(|value| value.is_finite())
    }

    /// `true` or `false`.
    pub fn flag(&self, path: &str) -> Option<bool> {
        self.get(path)?.as_bool()
    }

    /// Whether a value is `true`.
    pub fn is_true(&self, path: &str) -> bool {
        self.flag(path) == Some(true)
    }

    /// An object.
    pub fn row(&self, path: &str) -> Option<Self> {
        let value = self.at(self.find(path)?);
        value.is_object().then_some(value)
    }

    /// The items of an array.
    pub fn rows(&self, path: &str) -> impl DoubleEndedIterator<Item = Self> + use<'a> {
        let array = self.find(path).map(|number| self.at(number));
        array.into_iter().flat_map(|array| array.items())
    }

    /// The items of an array as JSON, to be read one by one.
    pub fn list(&self, path: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        self.rows(path).map(|item| item.json())
    }

    /// The parts of a content: the items of an array, or the value itself.
    pub fn parts(&self, path: &str) -> impl DoubleEndedIterator<Item = Self> + use<'a> {
        let value = self.find(path).map(|number| self.at(number));
        let single = value.filter(|value| !value.is_array());
        self.rows(path).chain(single)
    }
}

pub const AS_WRITTEN: &str = "Import the log as its program wrote it.";

impl Tokens {
    /// Finds the values of valid JSON. It is not checked again, so that this takes a fraction of the time of a parser.
    #[allow(clippy::cast_possible_truncation, reason = "longer texts are refused")]
    fn of(json: &str) -> Self {
        let bytes = json.as_bytes();
        let (mut tokens, mut open, mut start) = (Self::default(), Vec::new(), 0);
        while let Some(first) = bytes.get(start) {
            let list = &mut tokens.list;
            let length = match first {
                b' ' | b'\n' | b'\r' | b'\t' | b',' => {
                    start += 1;
                    continue;
                }
                b':' => {
                    let key = list.last().map_or(0, |key| key.start as usize);
                    tokens.has_escaped_keys |= bytes[key..start].contains(&b'\\');
                    start += 1;
                    continue;
                }
                b']' | b'}' => {
                    start += 1;
                    let next = list.len() as u32;
                    if let Some(token) = open.pop().and_then(|number: usize| list.get_mut(number)) {
                        token.end = start as u32;
                        token.next = next;
                    }
                    continue;
                }
                b'[' | b'{' => {
                    open.push(list.len());
                    tokens.depth = tokens.depth.max(open.len());
                    1
                }
                b'"' => end_of_string(&bytes[start..]),
                _ => {
                    let is_end = |byte: &u8| !matches!(byte, b'+' | b'-' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'E');
                    let rest = &bytes[start..];
                    rest.iter().position(is_end).unwrap_or(rest.len())
                }
            };
            list.push(Token {
                start: start as u32,
                end: (start + length) as u32,
                next: list.len() as u32 + 1,
            });
            start += length;
        }
        tokens
    }
}

/// The end of the string that begins a JSON text.
pub fn end_of_string(text: &[u8]) -> usize {
    let mut quotes = memchr::memchr_iter(b'"', text).skip(1);
    let end = quotes.find(|quote| {
        let before = text[..*quote].iter().rev();
        before.take_while(|byte| **byte == b'\\').count() % 2 == 0
    });
    end.map_or(text.len(), |quote| quote + 1)
}
