//! A tape as a session of the Hugging Face Hub: a header, and a message for each event that says or does something.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Map, Value};

use crate::feeds::write_document;
use formats::model::archive::ArchiveEntry;
use formats::model::tape::{Event, EventOutcome, Family, Tape, TapeFormat};

/// The first line of a session. Its last four values are metadata that the Hub ignores.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Header<'a> {
    r#type: &'static str,
    harness: &'a str,
    id: String,
    name: &'a str,
    run_id: &'a str,
    tape: &'a str,
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    canary: Option<&'a str>,
}

/// A line after the first.
#[derive(Serialize)]
struct Line<'a> {
    r#type: &'static str,
    message: Message<'a>,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Message<'a> {
    role: &'static str,
    content: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ToolCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<i64>,
}

/// A call of a tool. Its id is the number of the event.
#[derive(Serialize)]
struct ToolCall<'a> {
    id: String,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    /// JSON.
    arguments: String,
}

/// Writes the session of a tape of a run; `name` is what was asked, `number` the place of the tape.
pub fn write(
    out: &mut dyn Write,
    entry: &ArchiveEntry,
    name: &str,
    tape: &Tape<'_>,
    number: usize,
    canary: Option<&str>,
) -> io::Result<()> {
    let run = &entry.run;
    let id = match number {
        0 => run.id.to_string(),
        _ => format!("{}/{}", run.id, tape.file),
    };
    let header = Header {
        r#type: "session",
        harness: &run.subject.harness,
        id,
        name,
        run_id: &run.id,
        tape: &tape.file,
        model: run.subject.model(),
        canary,
    };
    write_document(out, &header)?;
    for event in &tape.events {
        for message in messages(tape, event) {
            let r#type = "message";
            write_document(out, &Line { r#type, message })?;
        }
    }
    Ok(())
}

/// The messages of an event; none of an event that only counts tokens, or whose text is withheld.
fn messages<'e>(tape: &Tape<'_>, event: &'e Event<'_>) -> Vec<Message<'e>> {
    let message = |role, content| Message {
        role,
        content,
        timestamp: event.at,
        ..Message::default()
    };
    if event.is_usage() {
        return Vec::new();
    }
    if let Some(call) = event.relations.call {
        return vec![Message {
            tool_call_id: Some(call.to_string()),
            ..message("tool", all_text(event))
        }];
    }
    match event.kind.family {
        Family::Speech if event.kind.word == "user" => vec![message("user", all_text(event))],
        Family::Speech => vec![message("assistant", all_text(event))],
        Family::Reasoning => {
            let text = all_text(event);
            let has_text = !text.is_empty();
            let reasoning = Message {
                reasoning_content: Some(text),
                ..message("assistant", String::new())
            };
            has_text.then_some(reasoning).into_iter().collect()
        }
        Family::Error | Family::Warning | Family::Other => {
            let text = all_text(event);
            let word = event.kind.word;
            vec![message("system", format!("{word}: {text}"))]
        }
        _ => {
            let call = Message {
                tool_calls: vec![tool_call(tape, event)],
                ..message("assistant", String::new())
            };
            let result = result(tape, event).map(|text| Message {
                tool_call_id: Some(event.seq.to_string()),
                ..message("tool", text)
            });
            std::iter::once(call).chain(result).collect()
        }
    }
}

/// The call of a tool: of a trace with the arguments as recorded, of other tapes with the subject of the event.
fn tool_call<'e>(tape: &Tape<'_>, event: &'e Event<'_>) -> ToolCall<'e> {
    let tool = event.facts.iter().find(|(name, _)| *name == "tool");
    let name = match tool {
        Some((_, name)) => name,
        None if event.kind.word == "tool_call" => {
            event.headline.split(' ').next().unwrap_or_default()
        }
        None => event.kind.word,
    };
    let recorded = event
        .blocks
        .first()
        .filter(|_| tape.format == TapeFormat::Trace);
    let recorded = recorded.map(|block| &*block.text);
    let recorded = recorded.filter(|text| serde_json::from_str::<Map<_, _>>(text).is_ok());
    let arguments = recorded.map_or_else(
        || {
            let key = match event.kind.family {
                Family::Command => "command",
                Family::Read if event.kind.word == "search" => "query",
                Family::Read | Family::Write => "path",
                _ => "about",
            };
            let text = match recorded {
                None if tape.format == TapeFormat::Trace => all_text(event),
                _ => event.headline.to_string(),
            };
            Value::from(Map::from_iter([(key.to_owned(), Value::from(text))])).to_string()
        },
        str::to_owned,
    );
    let id = event.seq.to_string();
    let function = Function { name, arguments };
    ToolCall { id, function }
}

/// The result of a call that has no event of its own: what the harness recorded with the call.
fn result(tape: &Tape<'_>, event: &Event<'_>) -> Option<String> {
    if tape.format == TapeFormat::Trace {
        return None;
    }
    let outcome = match event.outcome {
        EventOutcome::Unstated => None,
        EventOutcome::Succeeded => Some("succeeded".to_owned()),
        EventOutcome::Failed => Some("failed".to_owned()),
    };
    let facts = event.facts.iter();
    let facts = facts.map(|(name, value)| format!("{name}: {value}"));
    let blocks = event.blocks.iter().map(|block| block.text.to_string());
    let lines: Vec<String> = outcome.into_iter().chain(facts).chain(blocks).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The headline and all blocks of an event.
fn all_text(event: &Event<'_>) -> String {
    let blocks = event.blocks.iter();
    let blocks = blocks.flat_map(|block| [block.about.as_ref(), &*block.text]);
    let texts = std::iter::once(&*event.headline).chain(blocks);
    let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
    texts.join("\n")
}
