//! Converts lines of Test Cabinet's event log to events (formats.md B.1).

use crate::events::{LogEvent, LogEventFields, LogEventKind};
use crate::json::{Node, Str};
use crate::model::time::parse_rfc3339;

use super::{Event, EventKind, EventOutcome, Family, TextKind, shortened, sum};

/// Converts a line of a log to an event; its number is its position (formats.md H.3).
pub fn from_event(event: LogEvent<'_>, seq: u64) -> Event<'_> {
    let mut made = Event::new(seq, event.line, event_kind(event.kind));
    if let Some(fields) = event.fields {
        fill(&mut made, event.kind, fields);
    } else {
        made.show_line("timestamp");
    }
    shortened(made)
}

pub(super) fn event_kind(kind: LogEventKind) -> EventKind {
    let family = match kind {
        LogEventKind::Agent => Family::Speech,
        LogEventKind::Reasoning => Family::Reasoning,
        LogEventKind::Command => Family::Command,
        LogEventKind::Read | LogEventKind::Search | LogEventKind::List => Family::Read,
        LogEventKind::Write => Family::Write,
        LogEventKind::Skill | LogEventKind::Orchestration => Family::Delegation,
        LogEventKind::Error => Family::Error,
        LogEventKind::Warning => Family::Warning,
        LogEventKind::System | LogEventKind::Usage | LogEventKind::Gg | LogEventKind::Unknown => {
            Family::Other
        }
    };
    EventKind {
        word: kind.word(),
        family,
    }
}

fn fill<'a>(event: &mut Event<'a>, kind: LogEventKind, f: LogEventFields<'a>) {
    let text = |value: Option<Str<'a>>| value.map(Str::into_inner);
    event.at = f.timestamp.as_deref().and_then(parse_rfc3339);
    event.outcome = match f.is_success {
        Some(true) => EventOutcome::Succeeded,
        Some(false) => EventOutcome::Failed,
        None => EventOutcome::Unstated,
    };
    let lines = match (f.start_line, f.end_line) {
        (Some(start), Some(end)) => Some(format!("{start}–{end}")),
        (Some(only), None) | (None, Some(only)) => Some(only.to_string()),
        (None, None) => None,
    };
    match kind {
        LogEventKind::Agent
        | LogEventKind::Reasoning
        | LogEventKind::Error
        | LogEventKind::Warning => {
            event.fact("code", text(f.code));
            event.push(None, TextKind::Plain, text(f.message).unwrap_or_default());
        }
        LogEventKind::Command => {
            event.headline = text(f.command).unwrap_or_default();
            event.fact("exit code", f.exit_code.map(|code| code.to_string()));
            event.fact("in", text(f.working_directory));
        }
        LogEventKind::Read | LogEventKind::Write | LogEventKind::Skill | LogEventKind::List => {
            event.headline = text(f.path).unwrap_or_default();
            event.fact("skill", text(f.skill_name));
            event.fact("lines", lines);
        }
        LogEventKind::Search => {
            event.headline = text(f.query).unwrap_or_default();
            event.fact("in", text(f.path));
        }
        LogEventKind::Orchestration => {
            event.headline = text(f.action).unwrap_or_default();
            if event.outcome == EventOutcome::Unstated && event.headline == "subagent_failed" {
                event.outcome = EventOutcome::Failed;
            }
            event.fact("subagent", text(f.subagent_name));
            event.fact("id", text(f.subagent_id));
        }
        LogEventKind::System => {
            let status = text(f.status);
            if status.as_deref() == Some("failed") {
                event.outcome = EventOutcome::Failed;
            }
            event.headline = text(f.stage).unwrap_or_default();
            event.fact("status", status);
            event.push(None, TextKind::Plain, text(f.message).unwrap_or_default());
        }
        LogEventKind::Usage => {
            event.tokens = f.tokens.and_then(|raw| {
                let tokens = Node::parse(raw.get()).ok()?;
                let count = |key: &str| tokens.get(key)?.raw.parse().ok();
                let keys = ["uncachedInput", "cachedInput", "output", "reasoning"];
                sum(keys.map(count))
            });
            event.push(
                Some("tokens of the turn"),
                TextKind::Json,
                f.tokens.map_or("", |raw| raw.get()),
            );
            event.push(
                Some("cost of the turn"),
                TextKind::Json,
                f.cost.map_or("", |raw| raw.get()),
            );
        }
        LogEventKind::Gg => event.push(None, TextKind::Json, f.event.map_or("", |raw| raw.get())),
        LogEventKind::Unknown => match f.raw.map(|raw| (raw, Str::parse(raw.get()))) {
            Some((_, Some(string))) => event.push(None, TextKind::Plain, string.into_inner()),
            Some((raw, None)) => event.push(None, TextKind::Json, raw.get()),
            // Without `raw`, show the line itself.
            None => {
                let source = event.source.clone();
                event.push(None, TextKind::Json, source);
            }
        },
    }
}
