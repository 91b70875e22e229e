//! Lines of a log: each is an event with a `type`. Unreadable lines are kept, so that event numbers never shift.

use schemars::Schema;
use serde::Deserialize;
use serde_json::{Value, json};

use base::diagnostics::text::{did_you_mean, quoted};
use base::diagnostics::{Collector, Diagnostic, Source, codes};

use super::json::Node;
use super::jsonl::{Line, LineFault, LineFaultCause};
use super::portable;

/// A line as written.
#[derive(Debug)]
pub struct EventLine<'a, F: EventFields<'a>> {
    /// The source line.
    pub line: Line<'a>,
    /// Its keys; `None` if the line cannot be read, or does not match its type.
    pub fields: Option<F>,
    /// How to interpret `fields`.
    pub kind: F::Kind,
}

/// The keys of an event in a log format.
pub trait EventFields<'a>: Deserialize<'a> {
    type Kind: Copy + 'static;
    /// Event types: name, kind, and keys required in addition to [`EventFields::ALWAYS`].
    const TYPES: &'static [(&'static str, Self::Kind, &'static [&'static str])];
    /// The kind of an unreadable line.
    const UNKNOWN: Self::Kind;
    /// Keys required in every event, besides `type`.
    const ALWAYS: &'static [&'static str];

    /// The `type`; empty if missing.
    fn word(&self) -> &str;

    /// Whether a key that some type requires is present.
    fn has(&self, key: &str) -> bool;
}

/// Reads a line. Problems are warnings.
pub(super) fn read<'a, F: EventFields<'a>>(
    path: &str,
    line: Line<'a>,
    diagnostics: &mut Collector,
) -> EventLine<'a, F> {
    let (fields, kind) = match fields(path, &line) {
        Ok((fields, kind)) => {
            check_portable(path, &line, diagnostics);
            (Some(fields), kind)
        }
        Err(problem) => {
            diagnostics.push(*problem);
            (None, F::UNKNOWN)
        }
    };
    EventLine { line, fields, kind }
}

/// Reports the first value of a line that some readers reject, once per line. Only opaque values and unknown keys can have one:
/// in a key of the format, such a value has the wrong type.
fn check_portable(path: &str, line: &Line<'_>, diagnostics: &mut Collector) {
    let Some((problem, range)) = portable::first_rejected(&line.text) else {
        return;
    };
    diagnostics.add(&codes::EVENTS_UNPORTABLE_VALUE, || {
        let range = problem.marked(range);
        let source = line.source(path);
        codes::EVENTS_UNPORTABLE_VALUE.at(
            source.place(range.start, range.end),
            format!("Some JSON readers refuse this line: it has {}", problem.reason()),
            "Correct the recorder: logs are published byte for byte, and some readers stop at this line.",
        )
    });
}

fn fields<'a, F: EventFields<'a>>(
    path: &str,
    line: &Line<'a>,
) -> Result<(F, F::Kind), Box<Diagnostic>> {
    let source = line.source(path);
    let fields: F = line
        .object(path)
        .map_err(|fault| unreadable(&line.text, *fault))?;
    let text = &*line.text;
    let name = fields.word();
    let known = F::TYPES.iter().find(|(known, ..)| *known == name);
    let Some((_, kind, required)) = known else {
        return Err(Box::new(unknown_type::<F>(&source, text, name)));
    };
    let mut keys = F::ALWAYS.iter().chain(*required);
    if let Some(key) = keys.find(|key| !fields.has(key)) {
        return Err(Box::new(codes::EVENTS_MISSING_FIELD.at(
            source.place(0, text.len()).pointing(format!("/{key}")),
            format!(
                "The event of type {} has no {}; it is kept as an event of type `unknown`",
                quoted(name),
                quoted(key)
            ),
            format!("Add {} to the event.", quoted(key)),
        )));
    }
    Ok((fields, *kind))
}

fn unreadable(text: &str, fault: LineFault) -> Box<Diagnostic> {
    let reason = fault.reason();
    let (code, message, help) = match fault.cause {
        LineFaultCause::Encoding => (
            &codes::EVENTS_UNPARSABLE_LINE,
            fault.message(),
            "Write the log as UTF-8.",
        ),
        LineFaultCause::NotAnObject(found) => (
            &codes::EVENTS_WRONG_TYPE,
            format!("The line is not a JSON object but {found}"),
            "Write each event as one JSON object on one line.",
        ),
        LineFaultCause::Json(_) if reason.starts_with("duplicate field") => (
            &codes::EVENTS_DUPLICATE_KEY,
            format!("Duplicate key in this event ({reason})"),
            "Keep one of the two.",
        ),
        LineFaultCause::Json(_) if reason.starts_with("unknown variant") => (
            &codes::EVENTS_WRONG_TYPE,
            format!("A value of this event is not allowed: {reason}"),
            "Use one of the expected words.",
        ),
        LineFaultCause::Json(_) if Node::parse(text).is_ok() => (
            &codes::EVENTS_WRONG_TYPE,
            format!("A value of this event has the wrong type: {reason}"),
            "Use the type of the key: numbers and booleans without quotes, text in quotes.",
        ),
        LineFaultCause::Json(_) => (
            &codes::EVENTS_UNPARSABLE_LINE,
            format!("The line is not a JSON object: {reason}"),
            "Correct the line; a truncated last line usually means that the recorder was stopped.",
        ),
    };
    let message = format!("{message}; it is kept as an event of type `unknown`");
    Box::new(code.at(fault.place, message, help))
}

fn unknown_type<'a, F: EventFields<'a>>(source: &Source<'_>, text: &str, name: &str) -> Diagnostic {
    let node = Node::parse(text).ok().and_then(|root| root.get("type"));
    let place = node.map_or_else(|| source.place(0, 1), |node| node.place(source));
    let (message, help) = if name.is_empty() {
        (
            "The event has no `type`; it is kept as an event of type `unknown`".to_owned(),
            "Add `type` to the event.".to_owned(),
        )
    } else {
        let known = F::TYPES.iter().map(|(known, ..)| *known);
        (
            format!(
                "Unknown event type {}; it is kept as an event of type `unknown`",
                quoted(name)
            ),
            did_you_mean(
                name,
                known,
                "No action needed; a newer producer may have written it.",
            ),
        )
    };
    codes::EVENTS_UNKNOWN_TYPE.at(place.pointing("/type"), message, help)
}

/// Adds the required keys to the schema of an event, for all types and for each type.
pub(super) fn require_keys<'a, F: EventFields<'a>>(schema: &mut Schema) {
    let types = F::TYPES
        .iter()
        .filter(|(.., required)| !required.is_empty());
    let each: Vec<Value> = types
        .map(|(name, _, required)| {
            json!({
                "if": { "properties": { "type": { "const": name } } },
                "then": present(required),
            })
        })
        .collect();
    schema.insert("allOf".to_owned(), Value::Array(each));
    let always: Vec<_> = F::ALWAYS.iter().chain(&["type"]).collect();
    for key in &always {
        // A required key cannot be null.
        if let Some(types) = schema.pointer_mut(&format!("/properties/{key}/type"))
            && let Some(first) = types.get(0).cloned()
        {
            *types = first;
        }
    }
    schema.insert("required".to_owned(), json!(always));
    if let Some(Value::Object(kind)) = schema.pointer_mut("/properties/type") {
        let names: Vec<_> = F::TYPES.iter().map(|(name, ..)| *name).collect();
        kind.insert("minLength".to_owned(), json!(1));
        kind.insert("examples".to_owned(), json!(names));
    }
}

/// Keys that must be present and not null.
fn present(keys: &[&str]) -> Value {
    let properties: serde_json::Map<_, _> = keys
        .iter()
        .map(|key| ((*key).to_owned(), json!({ "not": { "type": "null" } })))
        .collect();
    json!({ "required": keys, "properties": properties })
}
