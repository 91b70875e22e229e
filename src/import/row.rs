//! A cursor over the JSON of a log. Formats of logs are undocumented, so reading is lenient: a value of an unexpected type is
//! absent, and does not affect its neighbors. `serde_json` checks a text once. A level of it is split when something in it is asked
//! for, and remembered; everything below stays text.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

use base::diagnostics::codes::IMPORT_INVALID_FILE;
use formats::json::{Kind, Node};

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

/// A value of a log. Paths such as `usage.input_tokens` name members of members.
#[derive(Debug, Clone)]
pub struct Row<'a> {
    json: &'a str,
    children: OnceCell<Rc<[Child<'a>]>>,
}

/// A member of an object, or an item of an array, which has no key.
#[derive(Debug)]
struct Child<'a> {
    key: Cow<'a, str>,
    value: Row<'a>,
}

impl<'a> Row<'a> {
    /// Reads an object, such as a line.
    pub fn parse(text: &'a str) -> Result<Self, Fault> {
        let row = Self::of(text.trim_ascii());
        let Some(members) = row.node().strict_members() else {
            return Err(match Node::parse(text) {
                Ok(_) => Fault::Other,
                Err(error) if error.is_eof() => Fault::Cut,
                Err(_) => Fault::Invalid,
            });
        };
        if is_deep(text) {
            return Err(Fault::Invalid);
        }
        let members = members.into_iter().map(|member| Child {
            key: member.key,
            value: Self::of(member.value.raw),
        });
        Ok(Self {
            children: OnceCell::from(members.collect::<Rc<[_]>>()),
            ..row
        })
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
        Node::parse(text).map(|node| Self::of(node.raw))
    }

    /// A value whose JSON is valid.
    fn of(json: &'a str) -> Self {
        Self {
            json,
            children: OnceCell::new(),
        }
    }

    fn node(&self) -> Node<'a> {
        Node {
            raw: self.json,
            offset: 0,
        }
    }

    fn kind(&self) -> Kind {
        self.node().kind()
    }

    fn children(&self) -> &Rc<[Child<'a>]> {
        self.children.get_or_init(|| split(self.json).collect())
    }

    /// The value of a member. Of duplicates the last one counts, as in JSON readers.
    fn member(&self, key: &str) -> Option<&Self> {
        let members = self.is_object().then(|| self.children())?;
        let member = members.iter().rfind(|member| member.key == key)?;
        Some(&member.value)
    }

    /// A value that is not null.
    fn get(&self, path: &str) -> Option<&Self> {
        let found = path.split('.').try_fold(self, |row, key| row.member(key))?;
        (found.kind() != Kind::Null).then_some(found)
    }

    /// The members of an object.
    pub fn members(self) -> impl Iterator<Item = (Cow<'a, str>, Self)> {
        let is_object = self.is_object();
        split(self.json)
            .take_while(move |_| is_object)
            .map(|member| (member.key, member.value))
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
        let items = self.is_array().then(|| Rc::clone(self.children()));
        let items = items.unwrap_or_default();
        (0..items.len()).map(move |number| items[number].value.clone())
    }

    /// Whether it is an array.
    pub fn is_array(&self) -> bool {
        self.kind() == Kind::Array
    }

    /// Whether it is an object.
    pub fn is_object(&self) -> bool {
        self.kind() == Kind::Object
    }

    /// Its text, if it is a string.
    pub fn as_str(&self) -> Option<Cow<'a, str>> {
        self.node().as_str()
    }

    /// The text of a part of a message: the part itself, or its `text`.
    pub fn part_text(&self) -> Option<Cow<'a, str>> {
        self.as_str().or_else(|| self.string("text"))
    }

    /// Its JSON.
    pub fn json(&self) -> &'a str {
        self.json
    }

    /// The JSON of a value that is not null.
    pub fn raw(&self, path: &str) -> Option<&'a str> {
        self.get(path).map(Self::json)
    }

    /// Whether there is a value that is not null.
    pub fn has(&self, path: &str) -> bool {
        self.get(path).is_some()
    }

    /// Whether there is a value, or null.
    pub fn has_key(&self, key: &str) -> bool {
        self.member(key).is_some()
    }

    /// Whether a key has the value null.
    pub fn is_null(&self, key: &str) -> bool {
        self.member(key)
            .is_some_and(|value| value.kind() == Kind::Null)
    }

    /// Whether a value is an array.
    pub fn is_list(&self, path: &str) -> bool {
        self.get(path).is_some_and(Self::is_array)
    }

    /// A string.
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
            Kind::Number => Some(value.json.to_owned()),
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

    /// A number.
    pub fn number(&self, path: &str) -> Option<f64> {
        self.get(path)?
            .node()
            .as_f64()
            .filter(|value| value.is_finite())
    }

    /// `true` or `false`.
    pub fn flag(&self, path: &str) -> Option<bool> {
        self.get(path)?.node().as_bool()
    }

    /// Whether a value is `true`.
    pub fn is(&self, path: &str) -> bool {
        self.flag(path) == Some(true)
    }

    /// An object.
    pub fn row(&self, path: &str) -> Option<Self> {
        let row = self.get(path).filter(|value| value.is_object())?;
        // The copy shares what is split now.
        row.children();
        Some(row.clone())
    }

    /// The items of an array.
    pub fn rows(&self, path: &str) -> impl DoubleEndedIterator<Item = Self> + use<'a> {
        self.get(path).map(Self::items).into_iter().flatten()
    }

    /// The items of an array as JSON, to be read one by one.
    pub fn list(&self, path: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        self.rows(path).map(|item| item.json)
    }

    /// The parts of a content: the items of an array, or the value itself.
    pub fn parts(&self, path: &str) -> impl DoubleEndedIterator<Item = Self> + use<'a> {
        let single = self.get(path).filter(|value| !value.is_array());
        self.rows(path).chain(single.cloned())
    }
}

pub const AS_WRITTEN: &str = "Import the log as its program wrote it.";

/// The members of an object or the items of an array; nothing for another value. The JSON must be valid: it is not checked again,
/// so that this takes a fraction of the time of a parser. A lone surrogate in a key becomes U+FFFD.
fn split(json: &str) -> impl Iterator<Item = Child<'_>> {
    let has_keys = json.starts_with('{');
    let mut rest = json.strip_prefix(['{', '[']).unwrap_or_default();
    std::iter::from_fn(move || {
        let mut key = Cow::Borrowed("");
        if has_keys {
            let quoted = next_value(&mut rest)?;
            key = Cow::Borrowed(&quoted[1..quoted.len() - 1]);
            if key.contains('\\') {
                key = Row::of(quoted).as_str().unwrap_or_default();
            }
        }
        let value = Row::of(next_value(&mut rest)?);
        Some(Child { key, value })
    })
}

/// Takes the next key or value from the inside of an object or an array.
fn next_value<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let between = |byte: u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b',' | b':');
    let start = rest.bytes().position(|byte| !between(byte))?;
    let text = &rest.as_bytes()[start..];
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
    let (value, after) = rest[start..].split_at(length);
    *rest = after;
    Some(value)
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
    let mut quotes = memchr::memchr_iter(b'"', text).skip(1);
    let end = quotes.find(|quote| {
        let before = text[..*quote].iter().rev();
        before.take_while(|byte| **byte == b'\\').count() % 2 == 0
    });
    end.map_or(text.len(), |quote| quote + 1)
}
