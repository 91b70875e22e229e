//! Converts lines of Test Cabinet's event log to events (formats.md B.1).

use crate::events::{self, Fields};
use crate::json::{Node, Str};
use crate::model::time::parse_rfc3339;

use super::{Event, Family, Kind, Outcome, TextKind, shortened, sum};

/// Converts a line of a log to an event; its number is its position (formats.md H.3).
pub fn from_event(event: events::Event<'_>, seq: u64) -> Event<'_> {
    shortened(whole_event(event, seq))
}

fn whole_event(event: events::Event<'_>, seq: u64) -> Event<'_> {
    let mut made = Event::new(seq, event.line, event_kind(event.kind));
    if let Some(fields) = event.fields {
        fill(&mut made, event.kind, fields);
    } else {
        made.show_line("timestamp");
    }
    made
}

pub(super) const fn event_kind(kind: events::Kind) -> Kind {
    let (word, family) = match kind {
        events::Kind::Agent => ("agent", Family::Speech),
        events::Kind::Reasoning => ("reasoning", Family::Reasoning),
        events::Kind::Command => ("command", Family::Command),
        events::Kind::Read => ("read", Family::Read),
        events::Kind::Write => ("write", Family::Write),
        events::Kind::Search => ("search", Family::Read),
        events::Kind::List => ("list", Family::Read),
        events::Kind::Skill => ("skill", Family::Delegation),
        events::Kind::Orchestration => ("orchestration", Family::Delegation),
        events::Kind::Error => ("error", Family::Error),
        events::Kind::Warning => ("warning", Family::Warning),
        events::Kind::System => ("system", Family::Other),
        events::Kind::Usage => ("usage", Family::Other),
        events::Kind::Gg => ("gg", Family::Other),
        events::Kind::Unknown => ("unknown", Family::Other),
    };
    Kind { word, family }
}

fn fill<'a>(event: &mut Event<'a>, kind: events::Kind, f: Fields<'a>) {
    let text = |value: Option<Str<'a>>| value.map(Str::into_inner);
    event.at = f.timestamp.as_deref().and_then(parse_rfc3339);
    event.outcome = match f.is_success {
        Some(true) => Outcome::Succeeded,
        Some(false) => Outcome::Failed,
        None => Outcome::Unstated,
    };
    let lines = match (f.start_line, f.end_line) {
        (Some(start), Some(end)) => Some(format!("{start}–{end}")),
        (Some(only), None) | (None, Some(only)) => Some(only.to_string()),
        (None, None) => None,
    };
    match kind {
        events::Kind::Agent
        | events::Kind::Reasoning
        | events::Kind::Error
        | events::Kind::Warning => {
            event.fact("code", text(f.code));
            event.push(None, TextKind::Plain, text(f.message).unwrap_or_default());
        }
        events::Kind::Command => {
            event.headline = text(f.command).unwrap_or_default();
            event.fact("exit code", f.exit_code.map(|code| code.to_string()));
            event.fact("in", text(f.working_directory));
        }
        events::Kind::Read | events::Kind::Write | events::Kind::Skill | events::Kind::List => {
            event.headline = text(f.path).unwrap_or_default();
            event.fact("skill", text(f.skill_name));
            event.fact("lines", lines);
        }
        events::Kind::Search => {
            event.headline = text(f.query).unwrap_or_default();
            event.fact("in", text(f.path));
        }
        events::Kind::Orchestration => {
            event.headline = text(f.action).unwrap_or_default();
            if event.outcome == Outcome::Unstated && event.headline == "subagent_failed" {
                event.outcome = Outcome::Failed;
            }
            event.fact("subagent", text(f.subagent_name));
            event.fact("id", text(f.subagent_id));
        }
        events::Kind::System => {
            let status = text(f.status);
            if status.as_deref() == Some("failed") {
                event.outcome = Outcome::Failed;
            }
            event.headline = text(f.stage).unwrap_or_default();
            event.fact("status", status);
            event.push(None, TextKind::Plain, text(f.message).unwrap_or_default());
        }
        events::Kind::Usage => {
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
        events::Kind::Gg => event.push(None, TextKind::Json, f.event.map_or("", |raw| raw.get())),
        events::Kind::Unknown => match f.raw.map(|raw| (raw, Str::parse(raw.get()))) {
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
