//! A cursor over the JSON of a log. Formats of logs are undocumented, so reading is lenient: a value of an unexpected type is
//! absent, and does not affect its neighbors. One level is parsed at a time; everything below stays text until it is asked for.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::diagnostics::codes::IMPORT_INVALID_FILE;
use crate::formats::json::{Kind, Member, Node, last};

use super::loose::{self, Fault, Maybe, OfScalar};
use super::{Problem, problem};

/// A value of a log, with its members if it is an object. Paths such as `usage.input_tokens` name members of members.
#[derive(Debug, Clone)]
pub struct Row<'a> {
    node: Node<'a>,
    members: Vec<Member<'a>>,
}

impl<'a> Row<'a> {
    /// Reads an object, such as a line.
    pub fn parse(text: &'a str) -> Result<Self, Fault> {
        let row = match Self::value(text) {
            Ok(_) if loose::is_deep(text) => return Err(Fault::Invalid),
            Ok(row) => row,
            Err(error) if error.is_eof() => return Err(Fault::Cut),
            Err(_) => return Err(Fault::Invalid),
        };
        row.is_object().then_some(row).ok_or(Fault::Other)
    }

    /// Reads an object of valid UTF-8.
    pub fn bytes(bytes: &'a [u8]) -> Option<Self> {
        Self::parse(std::str::from_utf8(bytes).ok()?).ok()
    }

    /// Reads a whole file.
    pub fn document(file: &str, text: &'a str) -> Result<Self, Problem> {
        let raw: &RawValue = loose::document(file, text)?;
        Self::parse(raw.get()).map_err(|fault| {
            let message = format!("The file {}", fault.words());
            let help = "Import the log as its program wrote it.";
            problem(&IMPORT_INVALID_FILE, file, message, help)
        })
    }

    /// Reads any value.
    pub fn value(text: &'a str) -> serde_json::Result<Self> {
        Node::parse(text).map(Self::of)
    }

    fn of(node: Node<'a>) -> Self {
        let members = node.members();
        Self { node, members }
    }

    fn node(&self, path: &str) -> Option<Node<'a>> {
        let mut keys = path.split('.');
        let first = last(&self.members, keys.next()?);
        let found = keys.try_fold(first?, |node, key| node.get(key))?;
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
        self.node.items().into_iter().map(Self::of)
    }

    /// Its JSON.
    pub fn json(&self) -> &'a str {
        self.node.raw
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
        loose::word(self.raw(path))
    }

    /// The first string that is not empty.
    pub fn first<const N: usize>(&self, paths: [&str; N]) -> Option<Cow<'a, str>> {
        paths.iter().find_map(|path| self.word(path))
    }

    /// A string that is not empty, to keep.
    pub fn name(&self, path: &str) -> Option<String> {
        self.word(path).map(Cow::into_owned)
    }

    fn scalar<T: OfScalar<'a>>(&self, path: &str) -> Option<T> {
        let value: Maybe<T> = serde_json::from_str(self.raw(path)?).ok()?;
        value.0
    }

    /// A non-negative integer.
    pub fn count(&self, path: &str) -> Option<u64> {
        self.scalar(path)
    }

    /// An integer.
    pub fn integer(&self, path: &str) -> Option<i64> {
        self.scalar(path)
    }

    /// A number.
    pub fn number(&self, path: &str) -> Option<f64> {
        self.scalar(path)
    }

    /// `true` or `false`.
    pub fn flag(&self, path: &str) -> Option<bool> {
        self.scalar(path)
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
        let items = self.node(path).map(|node| node.items());
        items.unwrap_or_default().into_iter().map(Self::of)
    }

    /// The items of an array as JSON, to be read one by one.
    pub fn list(&self, path: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let items = self.node(path).map(|node| node.items());
        items.unwrap_or_default().into_iter().map(|node| node.raw)
    }

    /// The parts of a content: the items of an array, or the value itself.
    pub fn parts(&self, path: &str) -> impl DoubleEndedIterator<Item = Self> + use<'a> {
        let parts = self.node(path).map(|node| match node.kind() {
            Kind::Array => node.items(),
            _ => vec![node],
        });
        parts.unwrap_or_default().into_iter().map(Self::of)
    }
}
