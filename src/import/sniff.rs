//! Detects the format of a file by its content.

mod shape;

use crate::diagnostics::codes::{
    IMPORT_AMBIGUOUS_FORMAT, IMPORT_NATIVE_FILE, IMPORT_UNKNOWN_FORMAT,
};

use super::{HEAD, Problem, Source, loose, problem};

use shape::{Shape, Top};

type Holds = fn(&Shape) -> bool;

/// The features of a format, all of which must match.
struct Rule {
    format: &'static str,
    holds: &'static [(&'static str, Holds)],
}

/// Files that hold one JSON value.
const DOCUMENTS: &[Rule] = &[
    Rule {
        format: "atif",
        holds: &[
            ("`schema_version` of `ATIF-v1.`", |s| {
                s.text("schema_version").starts_with("ATIF-v1.")
            }),
            ("`steps`", |s| s.has("steps")),
        ],
    },
    Rule {
        format: "harbor",
        holds: &[
            ("`trial_name`", |s| s.has("trial_name")),
            ("`task_checksum`", |s| s.has("task_checksum")),
        ],
    },
    Rule {
        format: "harbor",
        holds: &[
            ("`n_total_trials`", |s| s.has("n_total_trials")),
            ("`stats`", |s| s.has("stats")),
        ],
    },
    Rule {
        format: "inspect",
        holds: &[
            ("`version`", |s| s.has("version")),
            ("`eval`", |s| s.has("eval")),
            ("`status`", |s| s.has("status")),
        ],
    },
    Rule {
        format: "mini-swe-agent",
        holds: &[("`trajectory_format` of `mini-swe-agent-`", |s| {
            s.text("trajectory_format").starts_with("mini-swe-agent-")
        })],
    },
    Rule {
        format: "mini-swe-agent",
        holds: &[("messages of `role` and `content` only", |s| {
            s.top == Top::Array && s.row_is(&["role", "content"])
        })],
    },
    Rule {
        format: "swe-agent",
        holds: &[
            ("an array `trajectory`", |s| s.is_array("trajectory")),
            ("`info`", |s| s.has("info")),
        ],
    },
    Rule {
        format: "swe-agent",
        holds: &[
            ("`history` alone", |s| {
                s.top == Top::Object && s.keys.len() == 1 && s.is_array("history")
            }),
            ("rows with `role` and `agent`", |s| {
                s.row_has(&["role", "agent"])
            }),
        ],
    },
    Rule {
        format: "openhands",
        holds: &[
            ("`items` or an array", |s| {
                s.top == Top::Array || s.is_array("items")
            }),
            ("events with a `kind`", |s| {
                ["Event", "Observation", "Condensation"]
                    .iter()
                    .any(|end| s.kind.ends_with(end))
            }),
        ],
    },
    Rule {
        format: "openhands",
        holds: &[
            ("an array", |s| s.top == Top::Array),
            ("events with `source`", |s| s.row_has(&["source"])),
            ("`action` or `observation`", |s| {
                s.row_has(&["action"]) || s.row_has(&["observation"])
            }),
        ],
    },
    Rule {
        format: "claude-code",
        holds: &[("`loglines`", |s| s.is_array("loglines"))],
    },
];

const BESIDE: &str = "runpress reads it as it is: put it into a run folder.";

/// Files that are not logs of another system, with a suggested fix.
const OTHERS: &[(&str, Holds, &str)] = &[
    ("a file of Harn", |s| s.has("_type"), BESIDE),
    (
        "a run record",
        |s| s.has("subject") && s.has("metrics"),
        "runpress reads it as it is: put its folder into the content.",
    ),
];

/// The format of a file.
pub(super) fn file(source: &Source, position: usize) -> Result<&'static str, Problem> {
    let name = &source.names()[position];
    let unknown = |message: String| problem(&IMPORT_UNKNOWN_FORMAT, name, message, FORMATS);
    let head = source.head(position)?;
    if head.starts_with(b"PK\x03\x04") {
        let archive = source.archive(position)?;
        let has = |member: &str| archive.names().iter().any(|name| name == member);
        return if has("header.json") || has("_journal/start.json") {
            Ok("inspect")
        } else {
            let message = "The archive is no log of Inspect: it has no `header.json`";
            let help = "Unpack it and import what it holds.";
            Err(problem(&IMPORT_UNKNOWN_FORMAT, name, message, help))
        };
    }
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&head);
    let is_text = match std::str::from_utf8(head) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none() && head.len() + 3 >= HEAD,
    };
    if !is_text {
        let message = "The file is not text, ZIP or Zstandard".to_owned();
        return Err(unknown(message));
    }
    // If the first line is an object and ends within the head, this may be JSON Lines. Otherwise the whole file decides.
    let mut lines = head.split_inclusive(|byte| *byte == b'\n');
    let first = lines.find(|line| !line.trim_ascii().is_empty());
    let first = first.filter(|line| line.ends_with(b"\n") || head.len() + 3 < HEAD);
    // A document over several lines may have objects on some lines, but not on its first.
    let first = first.filter(|line| shape::document(line).is_ok());
    if let Some(rows) = first
        .map(|_| shape::rows(head))
        .filter(|rows| rows.len() > 1 || rows.first().is_some_and(Shape::is_row))
    {
        return jsonl(name, &rows);
    }
    let whole = source.read(position)?.bytes;
    let whole = loose::text(name, &whole)?;
    match shape::document(whole.as_bytes()) {
        Ok(shape) => document(name, &shape).or_else(|problem| {
            // Maybe a log with a single line, longer than the head.
            let row = Some(shape).filter(Shape::is_row);
            row.and_then(|row| jsonl(name, &[row]).ok()).ok_or(problem)
        }),
        Err(reason) => {
            let rows = shape::rows(whole.as_bytes());
            if rows.is_empty() {
                let message = format!("The file is neither JSON nor JSON Lines: {reason}");
                return Err(unknown(message));
            }
            jsonl(name, &rows)
        }
    }
}

const FORMATS: &str = "`runpress import --list` lists the formats that are read.";

fn document(name: &str, shape: &Shape) -> Result<&'static str, Problem> {
    let mut matches: Vec<&'static str> = DOCUMENTS
        .iter()
        .filter(|rule| rule.holds.iter().all(|(_, holds)| holds(shape)))
        .map(|rule| rule.format)
        .collect();
    matches.dedup();
    match matches[..] {
        [format] => return Ok(format),
        [one, two, ..] => return Err(ambiguous(name, one, two)),
        [] => {}
    }
    if let Some((what, _, help)) = OTHERS.iter().find(|(_, is_it, _)| is_it(shape)) {
        return Err(native(name, what, help));
    }
    if let Some(problem) = printed(name, std::slice::from_ref(shape)) {
        return Err(problem);
    }
    if shape.top == Top::Array && shape.row_has(&["type", "session_id"]) {
        return Err(problem(
            &IMPORT_UNKNOWN_FORMAT,
            name,
            "The file is a list that `claude -p --output-format json --verbose` printed",
            "Import the log `~/.claude/projects/*/*.jsonl`, or print it with `--output-format stream-json --verbose`.",
        ));
    }
    let held = |rule: &&Rule| rule.holds.iter().filter(|(_, holds)| holds(shape)).count();
    let nearest = DOCUMENTS.iter().rev().max_by_key(held);
    let seen = shape.seen();
    let message = match nearest.filter(|rule| held(rule) > 0) {
        Some(rule) => {
            let missing = rule.holds.iter().find(|(_, holds)| !holds(shape));
            let missing = missing.map_or("", |(what, _)| what);
            format!(
                "The file has no recognized format: {} is the nearest, but it lacks {missing}; it has {seen}",
                rule.format
            )
        }
        None => format!("The file has no recognized format: it has {seen}"),
    };
    Err(problem(&IMPORT_UNKNOWN_FORMAT, name, message, FORMATS))
}

/// Values of `type` in rows of Claude Code.
const CLAUDE: [&str; 7] = [
    "user",
    "assistant",
    "system",
    "attachment",
    "progress",
    "file-history-snapshot",
    "queue-operation",
];

/// Values of `type` in rows of Codex.
const CODEX: [&str; 7] = [
    "session_meta",
    "response_item",
    "event_msg",
    "turn_context",
    "compacted",
    "world_state",
    "inter_agent_communication",
];

/// Whether a row is one that `codex exec --json` prints, which is not the session that Codex keeps.
fn is_printed_by_codex(row: &Shape) -> bool {
    let is_item = matches!(
        row.text("type"),
        "item.started" | "item.updated" | "item.completed"
    );
    let is_turn = matches!(
        row.text("type"),
        "turn.started" | "turn.completed" | "turn.failed"
    );
    is_turn || is_item && row.has("item") || row.text("type") == "thread.started"
}

/// Whether a row is the result that `claude -p` prints at the end, or alone with `--output-format json`.
fn is_result_of_claude(row: &Shape) -> bool {
    row.text("type") == "result" && row.has("session_id") && row.has("is_error")
}

/// The problem of a file that a program printed about its session, instead of the log of the session.
fn printed(name: &str, rows: &[Shape]) -> Option<Problem> {
    let session = |key: &str| {
        let mut ids = rows.iter().map(|row| row.text(key));
        ids.find(|id| loose::is_uuid(id)).unwrap_or("*").to_owned()
    };
    let (message, help) = if rows.iter().any(is_printed_by_codex) {
        let thread = session("thread_id");
        let thread = if thread == "*" {
            thread
        } else {
            format!("*{thread}")
        };
        (
            "The file is what `codex exec --json` printed, which is not the log of the session",
            format!("Import the log: `~/.codex/sessions/**/rollout-{thread}.jsonl`."),
        )
    } else if rows.iter().all(is_result_of_claude) && !rows.is_empty() {
        let session = session("session_id");
        (
            "The file is the result that `claude -p --output-format json` printed, without the session",
            format!(
                "Import the log `~/.claude/projects/*/{session}.jsonl`, or print it with `--output-format stream-json --verbose`."
            ),
        )
    } else {
        return None;
    };
    Some(problem(&IMPORT_UNKNOWN_FORMAT, name, message, help))
}

/// The problem of a single file if it is known not to be a log, whatever format is named.
pub(super) fn never(source: &Source, position: usize) -> Option<Problem> {
    let name = &source.names()[position];
    let head = source.head(position).ok()?;
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&head);
    let rows = match shape::document(head) {
        Ok(shape) => vec![shape],
        Err(_) => shape::rows(head),
    };
    printed(name, &rows)
}

fn jsonl(name: &str, rows: &[Shape]) -> Result<&'static str, Problem> {
    let first = &rows[0];
    let kind = |row: &Shape| row.text("type").to_owned();
    if let Some(problem) = printed(name, rows) {
        return Err(problem);
    }
    if kind(first) == "header" && first.has("version") {
        return Err(native(name, "a tape of Harn or its sidecar", BESIDE));
    }
    if kind(first) == "trace" {
        return Err(native(name, "a trace", BESIDE));
    }
    let is_old_codex = first.has("id")
        && first.has("timestamp")
        && !first.has("type")
        && rows[1..]
            .iter()
            .any(|row| ["message", "reasoning", "function_call"].contains(&kind(row).as_str()));
    let is_codex = is_old_codex
        || rows.iter().any(|row| {
            kind(row) == "session_meta"
                || CODEX.contains(&kind(row).as_str()) && row.has("payload") && row.has("timestamp")
        });
    let is_claude = rows.iter().any(|row| {
        let is_summary = kind(row) == "summary" && row.has("leafUuid");
        let has_id = row.has("uuid") || row.has("sessionId") || row.role;
        is_summary || CLAUDE.contains(&kind(row).as_str()) && (has_id || row.has("snapshot"))
    });
    match (is_claude, is_codex) {
        (true, true) => Err(ambiguous(name, "claude-code", "codex")),
        (true, false) => Ok("claude-code"),
        (false, true) => Ok("codex"),
        (false, false) => Err(problem(
            &IMPORT_UNKNOWN_FORMAT,
            name,
            format!(
                "The lines have no recognized format: claude-code and codex are the nearest, but they lack a known `type`; the first has {}",
                first.seen()
            ),
            FORMATS,
        )),
    }
}

fn ambiguous(name: &str, one: &str, two: &str) -> Problem {
    let message = format!("The file could be {one} or {two}");
    let help = format!("Decide with `--format {one}` or `--format {two}`.");
    problem(&IMPORT_AMBIGUOUS_FORMAT, name, message, help)
}

fn native(name: &str, what: &str, help: &str) -> Problem {
    problem(
        &IMPORT_NATIVE_FILE,
        name,
        format!("The file is {what}"),
        help,
    )
}
