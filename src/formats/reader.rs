//! Reads a document field by field and continues after a problem, to report all problems at once.

use std::borrow::Cow;
use std::collections::BTreeSet;

use base::diagnostics::text::quoted;
use base::diagnostics::{Code, Collector, Diagnostic, LazyPlace, Place, Severity, Source};

use super::json::{JsonKind, Member, Node, last, pointer_part};
use super::portable;
use super::reason::reason;

/// The codes of a format for problems of shape.
#[derive(Debug)]
pub struct ShapeCodes {
    /// A required key is missing.
    pub missing: &'static Code,
    /// A value has the wrong JSON type.
    pub wrong_type: &'static Code,
    /// An object has a duplicate key.
    pub duplicate_key: &'static Code,
}

/// The outermost value of a JSON document. `name` is the document in a message, `help` the fix if it is not JSON.
///
/// # Errors
/// The document is not UTF-8 or not JSON.
pub fn document<'a>(
    source: Source<'a>,
    code: &'static Code,
    name: &str,
    help: &str,
) -> Result<Node<'a>, Box<Diagnostic>> {
    let text = source.utf8().map_err(|place| {
        let message = format!("The {name} is not valid UTF-8");
        code.at(
            place,
            message,
            source.help_for_utf8("Write the file as UTF-8."),
        )
    })?;
    Ok(Node::parse(text).map_err(|error| {
        let message = format!("The {name} is not valid JSON: {}", reason(&error));
        code.at(source.place_of(&error), message, help)
    })?)
}

/// Reads one document and collects its problems.
#[derive(Debug)]
pub struct DocumentReader<'a> {
    source: Source<'a>,
    codes: &'static ShapeCodes,
    /// Whether a lone surrogate becomes U+FFFD, as in JavaScript, instead of an error, as in Rust.
    allows_lone_surrogates: bool,
    /// Whether problems are warnings at the moment.
    late: bool,
    /// Whether [`Presence::Known`] keys may be missing.
    pub allows_unrecorded: bool,
    pub diagnostics: Collector,
}

impl DocumentReader<'_> {
    #[must_use]
    pub fn finish(self) -> Vec<Diagnostic> {
        self.diagnostics.finish(self.source.path)
    }
}

/// An object of the document with its path from the root.
#[derive(Debug, Clone)]
pub struct JsonObject<'a> {
    /// JSON pointer to the object; empty for the root.
    pub pointer: String,
    node: Node<'a>,
    members: Vec<Member<'a>>,
}

/// Whether a key is required.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Missing or null is a problem.
    Required,
    /// Missing and null are the same (formats.md A.i).
    Optional,
    /// Required, unless the document may lack what its source did not record.
    Known,
}

/// A number as written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NumberLiteral<'a> {
    /// The characters in the document.
    pub literal: &'a str,
    /// The nearest 64-bit float; may be infinite.
    pub value: f64,
}

impl<'a> JsonObject<'a> {
    /// The JSON pointer of a member.
    pub fn pointer_to(&self, key: &str) -> String {
        format!("{}/{}", self.pointer, pointer_part(key))
    }

    /// The member's value; `None` if missing or null.
    pub fn get(&self, key: &str) -> Option<Node<'a>> {
        last(&self.members, key).filter(|value| value.kind() != JsonKind::Null)
    }

    /// Whether `key` is present with the value null.
    pub fn is_null(&self, key: &str) -> bool {
        last(&self.members, key).is_some_and(|value| value.kind() == JsonKind::Null)
    }

    pub fn node(&self) -> Node<'a> {
        self.node
    }

    /// All members, in the order of the document.
    pub fn members(&self) -> impl Iterator<Item = (&Cow<'a, str>, Node<'a>)> {
        self.members
            .iter()
            .map(|member| (&member.key, member.value))
    }

    /// All keys, in the order of the document.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|member| member.key.as_ref())
    }
}

impl<'a> DocumentReader<'a> {
    /// A reader of a document.
    pub fn new(source: Source<'a>, codes: &'static ShapeCodes) -> Self {
        Self {
            source,
            codes,
            allows_lone_surrogates: false,
            late: false,
            allows_unrecorded: false,
            diagnostics: Collector::default(),
        }
    }

    /// A reader of a document whose strings may have lone surrogates.
    pub fn allowing_lone_surrogates(source: Source<'a>, codes: &'static ShapeCodes) -> Self {
        Self {
            allows_lone_surrogates: true,
            ..Self::new(source, codes)
        }
    }

    /// Continues with the problems of earlier lines.
    pub fn with_problems(self, diagnostics: Collector) -> Self {
        Self {
            diagnostics,
            ..self
        }
    }

    /// Reads keys of later versions: a problem in one is a warning, and the document is shown without it.
    pub fn late<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.late, true);
        let value = read(self);
        self.late = before;
        value
    }

    /// Reports values of the document that some readers reject.
    pub fn check_portable(&mut self, root: Node<'_>, code: &'static Code) {
        portable::check(&self.source, root, &[], code, &mut self.diagnostics);
    }

    fn report(
        &mut self,
        code: &'static Code,
        node: Node<'_>,
        pointer: &str,
        words: impl FnOnce() -> (String, String),
    ) {
        let severity = if self.late {
            Severity::Warning
        } else {
            code.severity
        };
        let source = self.source;
        self.diagnostics.add_as(code, severity, || {
            let (message, help) = words();
            code.at(node.place(&source).pointing(pointer), message, help)
        });
    }

    /// The place of a value.
    pub fn place(&self, node: Node<'_>, pointer: impl Into<String>) -> Place {
        node.place(&self.source).pointing(pointer)
    }

    /// The place of a value, computed on demand.
    pub fn lazy_place(&self, node: Node<'_>, pointer: impl Into<String>) -> LazyPlace<'a> {
        LazyPlace {
            source: self.source,
            at: node.offset,
            pointer: pointer.into(),
        }
    }

    /// Reads `node` as an object and reports duplicate keys.
    pub fn object(&mut self, node: Node<'a>, pointer: impl Into<String>) -> Option<JsonObject<'a>> {
        let pointer = pointer.into();
        if node.kind() != JsonKind::Object {
            self.wrong_type(node, &pointer, "an object");
            return None;
        }
        let members = if self.allows_lone_surrogates {
            Some(node.members())
        } else {
            node.strict_members()
        };
        let Some(members) = members else {
            self.report(self.codes.wrong_type, node, &pointer, || {
                (
                    format!(
                        "The object at {} has a key with half a surrogate pair",
                        place_name(&pointer)
                    ),
                    "Write every key as valid Unicode.".to_owned(),
                )
            });
            return None;
        };
        let mut seen = BTreeSet::new();
        for member in &members {
            if !seen.insert(member.key.as_ref()) {
                let source = self.source;
                self.diagnostics.add(self.codes.duplicate_key, || {
                    let place = member.value.place(&source);
                    let key = pointer_part(&member.key);
                    let code = self.codes.duplicate_key;
                    let counts = match code.severity {
                        Severity::Error => "",
                        _ => "; the last value is used",
                    };
                    code.at(
                        place.pointing(format!("{pointer}/{key}")),
                        format!(
                            "Duplicate key {} in this object{counts}",
                            quoted(&member.key)
                        ),
                        "Keep one of the two.",
                    )
                });
            }
        }
        Some(JsonObject {
            pointer,
            node,
            members,
        })
    }

    pub fn child(
        &mut self,
        parent: &JsonObject<'a>,
        key: &str,
        need: Presence,
    ) -> Option<JsonObject<'a>> {
        let node = self.value(parent, key, need)?;
        self.object(node, parent.pointer_to(key))
    }

    /// The value under `key`, of any type.
    pub fn value(
        &mut self,
        parent: &JsonObject<'a>,
        key: &str,
        need: Presence,
    ) -> Option<Node<'a>> {
        let found = parent.get(key);
        let is_needed =
            need == Presence::Required || need == Presence::Known && !self.allows_unrecorded;
        if found.is_none() && is_needed {
            let null = last(&parent.members, key);
            let place = null.unwrap_or_else(|| parent.node.start());
            self.report(self.codes.missing, place, &parent.pointer_to(key), || {
                let key = quoted(key);
                if null.is_some() {
                    let help = match need {
                        Presence::Known => {
                            "Write its value; only an imported run may leave it open."
                        }
                        _ => "Write its value.",
                    };
                    return (format!("The required key {key} is null"), help.to_owned());
                }
                (
                    format!("The required key {key} is missing"),
                    format!(
                        "Add {key} to the object at {}.",
                        place_name(&parent.pointer)
                    ),
                )
            });
        }
        found
    }

    pub fn string(
        &mut self,
        parent: &JsonObject<'a>,
        key: &str,
        need: Presence,
    ) -> Option<Cow<'a, str>> {
        let node = self.value(parent, key, need)?;
        let text = if self.allows_lone_surrogates {
            node.as_str()
        } else {
            node.strict_str()
        };
        self.typed(text, node, parent, key, "a string")
    }

    pub fn boolean(&mut self, parent: &JsonObject<'a>, key: &str, need: Presence) -> Option<bool> {
        let node = self.value(parent, key, need)?;
        self.typed(node.as_bool(), node, parent, key, "`true` or `false`")
    }

    pub fn number(
        &mut self,
        parent: &JsonObject<'a>,
        key: &str,
        need: Presence,
    ) -> Option<NumberLiteral<'a>> {
        let node = self.value(parent, key, need)?;
        self.as_number(node, parent.pointer_to(key))
    }

    /// The non-negative integer under `key`.
    pub fn whole(&mut self, parent: &JsonObject<'a>, key: &str, need: Presence) -> Option<u64> {
        let node = self.value(parent, key, need)?;
        self.typed(node.as_u64(), node, parent, key, WHOLE)
    }

    /// A value that must be a number.
    pub fn as_number(
        &mut self,
        node: Node<'a>,
        pointer: impl AsRef<str>,
    ) -> Option<NumberLiteral<'a>> {
        let number = node.as_f64().map(|value| NumberLiteral {
            literal: node.raw,
            value,
        });
        if number.is_none() {
            self.wrong_type(node, pointer.as_ref(), "a number");
        }
        number
    }

    /// A value that must be a count, which is a non-negative integer.
    pub fn as_count(
        &mut self,
        node: Node<'a>,
        pointer: impl AsRef<str>,
    ) -> Option<NumberLiteral<'a>> {
        if node.as_u64().is_none() {
            self.wrong_type(node, pointer.as_ref(), WHOLE);
            return None;
        }
        self.as_number(node, pointer)
    }

    /// The items of the array under `key`, each with its JSON pointer.
    pub fn items(
        &mut self,
        parent: &JsonObject<'a>,
        key: &str,
        need: Presence,
    ) -> Vec<(Node<'a>, String)> {
        let Some(node) = self.value(parent, key, need) else {
            return Vec::new();
        };
        let pointer = parent.pointer_to(key);
        if node.kind() != JsonKind::Array {
            self.wrong_type(node, &pointer, "an array");
            return Vec::new();
        }
        node.items()
            .into_iter()
            .enumerate()
            .map(|(i, item)| (item, format!("{pointer}/{i}")))
            .collect()
    }

    fn typed<T>(
        &mut self,
        value: Option<T>,
        node: Node<'a>,
        parent: &JsonObject<'a>,
        key: &str,
        expected: &str,
    ) -> Option<T> {
        if value.is_none() {
            self.wrong_type(node, &parent.pointer_to(key), expected);
        }
        value
    }

    fn wrong_type(&mut self, node: Node<'a>, pointer: &str, expected: &str) {
        self.report(self.codes.wrong_type, node, pointer, || {
            let found = if node.kind() == JsonKind::String && expected == "a string" {
                "a string with half a surrogate pair".to_owned()
            } else if node.kind() == JsonKind::Number && expected == WHOLE {
                quoted(node.raw)
            } else {
                node.kind().described().to_owned()
            };
            (
                format!(
                    "The value at {} must be {expected}, but is {found}",
                    place_name(pointer)
                ),
                format!("Write {expected} here."),
            )
        });
    }
}

/// The type that [`DocumentReader::whole`] expects.
const WHOLE: &str = "a whole number that is not negative";

/// A JSON pointer for messages: the empty one is "the top level".
fn place_name(pointer: &str) -> String {
    if pointer.is_empty() {
        "the top level".to_owned()
    } else {
        quoted(pointer)
    }
}
