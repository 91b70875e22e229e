//! Detects the format of a file by its content.

use std::borrow::Cow;

use base::diagnostics::codes::{
    IMPORT_AMBIGUOUS_FORMAT, IMPORT_NATIVE_FILE, IMPORT_UNKNOWN_FORMAT,
};
use base::diagnostics::without_mark;
use formats::single_file;

use super::row::Row;
use super::{HEAD, LogSource, Problem, messages, problem, raw_json, shared_page};

type Predicate = fn(&Row<'_>) -> bool;

/// The features of a format, all of which must match.
struct Rule {
    format: &'static str,
    features: &'static [(&'static str, Predicate)],
}

/// Files that hold one JSON value.
const DOCUMENTS: &[Rule] = &[
    Rule {
        format: "atif",
        features: &[
            ("`schema_version` of `ATIF-v1.`", |s| {
                s.text("schema_version").starts_with("ATIF-v1.")
            }),
            ("`steps`", |s| s.has_key("steps")),
        ],
    },
    Rule {
        format: "harbor",
        features: &[
            ("`trial_name`", |s| s.has_key("trial_name")),
            ("`task_checksum`", |s| s.has_key("task_checksum")),
        ],
    },
    Rule {
        format: "harbor",
        features: &[
            ("`n_total_trials`", |s| s.has_key("n_total_trials")),
            ("`stats`", |s| s.has_key("stats")),
        ],
    },
    Rule {
        format: "inspect",
        features: &[
            ("`version`", |s| s.has_key("version")),
            ("`eval`", |s| s.has_key("eval")),
            ("`status`", |s| s.has_key("status")),
        ],
    },
    Rule {
        format: "mini-swe-agent",
        features: &[("`trajectory_format` of `mini-swe-agent-`", |s| {
            s.text("trajectory_format").starts_with("mini-swe-agent-")
        })],
    },
    Rule {
        format: "mini-swe-agent",
        features: &[(
            "messages of `role` and `content` only, with commands",
            |s| s.is_array() && keys_of_rows(s) == ["content", "role"] && has_commands(s),
        )],
    },
    Rule {
        format: "swe-agent",
        features: &[
            ("an array `trajectory`", |s| s.is_list("trajectory")),
            ("`info`", |s| s.has_key("info")),
        ],
    },
    Rule {
        format: "swe-agent",
        features: &[
            ("`history` alone", |s| {
                s.keys().len() == 1 && s.is_list("history")
            }),
            ("rows with `role` and `agent`", |s| {
                rows_have(s, &["role", "agent"])
            }),
        ],
    },
    Rule {
        format: "openhands",
        features: &[
            ("`items` or an array", |s| {
                s.is_array() || s.is_list("items")
            }),
            ("events with a `kind`", |s| {
                let kind = first_row(s).map(|row| row.text("kind"));
                ["Event", "Observation", "Condensation"]
                    .iter()
                    .any(|end| kind.as_ref().is_some_and(|kind| kind.ends_with(end)))
            }),
        ],
    },
    Rule {
        format: "openhands",
        features: &[
            ("an array", |s| s.is_array()),
            ("events with `source`", |s| rows_have(s, &["source"])),
            ("`action` or `observation`", |s| {
                rows_have(s, &["action"]) || rows_have(s, &["observation"])
            }),
        ],
    },
    Rule {
        format: "claude-code",
        features: &[("`loglines`", |s| s.is_list("loglines"))],
    },
];

const READ_AS_IS: &str = "runpress reads it as it is: put it into a run directory.";

/// Files that are not logs of another system, with a suggested fix.
const OTHERS: &[(&str, Predicate, &str)] = &[
    ("a file of Harn", |s| s.has_key("_type"), READ_AS_IS),
    (
        "a run record",
        |s| s.has_key("subject") && s.has_key("metrics"),
        "runpress reads it as it is: put its folder into the content.",
    ),
];

/// The first object in an array, or in a list of rows.
fn first_row<'a>(row: &Row<'a>) -> Option<Row<'a>> {
    let mut rows = row
        .items()
        .chain(row.rows("items"))
        .chain(row.rows("history"));
    rows.find(Row::is_object)
}

fn keys_of_rows<'a>(row: &Row<'a>) -> Vec<Cow<'a, str>> {
    first_row(row).map_or_else(Vec::new, |row| row.keys())
}

fn rows_have(row: &Row<'_>, keys: &[&str]) -> bool {
    first_row(row).is_some_and(|row| keys.iter().all(|key| row.has_key(key)))
}

/// Whether an answer in a list of messages has a fenced command, or there is no answer yet. Other lists of messages have calls
/// of tools, or only words.
fn has_commands(row: &Row<'_>) -> bool {
    let has_fence = |row: &Row<'_>| {
        let text = row.text("content");
        ["```bash", "```mswea_bash_command"]
            .iter()
            .any(|fence| text.contains(fence))
    };
    let is_plain = |row: Row<'_>| row.keys() == ["content", "role"];
    let answers = row.items().filter(|row| row.text("role") == "assistant");
    let answers: Vec<Row<'_>> = answers.collect();
    row.items().all(is_plain) && (answers.is_empty() || answers.iter().any(has_fence))
}

/// Whether a value looks like a line of a log rather than a document.
fn is_line(row: &Row<'_>) -> bool {
    row.has_key("type") || row.has_key("timestamp")
}

/// The keys of a value, for a message.
fn described(row: &Row<'_>) -> String {
    let keys = if row.is_object() {
        row.keys()
    } else {
        keys_of_rows(row)
    };
    let start = |key: &Cow<'_, str>| format!("`{}`", key.chars().take(32).collect::<String>());
    let keys: Vec<String> = keys.iter().take(8).map(start).collect();
    match (row.is_object(), keys.is_empty()) {
        (false, _) if !row.is_array() => "no object".to_owned(),
        (_, true) => "no keys".to_owned(),
        (true, false) => keys.join(", "),
        (false, false) => format!("elements with {}", keys.join(", ")),
    }
}

/// The first eight lines that can be parsed.
fn lines(text: &str) -> Vec<Row<'_>> {
    let lines = text.split('\n').take(64);
    lines
        .filter_map(|line| Row::parse(line).ok())
        .take(8)
        .collect()
}

/// The format of a file.
pub(super) fn file(source: &LogSource, position: usize) -> Result<&'static str, Problem> {
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
    let head = without_mark(&head);
    let is_whole = head.len() + 3 < HEAD;
    let head = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() && !is_whole => start_of_text(head),
        Err(_) => {
            let message = "The file is not text, ZIP or Zstandard".to_owned();
            return Err(unknown(message));
        }
    };
    if single_file::is_html(head.as_bytes()) {
        if head.contains(single_file::GENERATOR) {
            return Ok(shared_page::FORMAT);
        }
        let message = "The file is a web page that `runpress share` did not write";
        let help = "Import the log of the session; a page made by another program cannot be read.";
        return Err(problem(&IMPORT_UNKNOWN_FORMAT, name, message, help));
    }
    // If the first line is an object and ends within the head, this may be JSON Lines. Otherwise the whole file decides.
    let mut all = head.split_inclusive('\n');
    let first = all.find(|line| !line.trim().is_empty());
    let first = first.filter(|line| line.ends_with('\n') || is_whole);
    // A document over several lines may have objects on some lines, but not on its first.
    let first = first.filter(|line| Row::parse_value(line).is_ok());
    if let Some(rows) = first
        .map(|_| lines(head))
        .filter(|rows| rows.len() > 1 || rows.first().is_some_and(is_line))
    {
        return jsonl(name, &rows);
    }
    let whole = source.read(position)?.bytes;
    let whole = raw_json::text(name, &whole)?;
    match Row::parse_value(&whole) {
        Ok(row) => document(name, &row).or_else(|problem| {
            // The file may be a log with a single line, longer than the head.
            let row = Some(row).filter(is_line);
            row.and_then(|row| jsonl(name, &[row]).ok()).ok_or(problem)
        }),
        Err(reason) => {
            let rows = lines(&whole);
            if rows.is_empty() {
                let message = format!("The file is neither JSON nor JSON Lines: {reason}");
                return Err(unknown(message));
            }
            jsonl(name, &rows)
        }
    }
}

const FORMATS: &str = "`runpress import --list` lists the formats that are read.";

fn document(name: &str, row: &Row<'_>) -> Result<&'static str, Problem> {
    let mut matches: Vec<&'static str> = DOCUMENTS
        .iter()
        .filter(|rule| rule.features.iter().all(|(_, is_met)| is_met(row)))
        .map(|rule| rule.format)
        .collect();
    matches.dedup();
    match matches[..] {
        [format] => return Ok(format),
        [one, two, ..] => return Err(ambiguous(name, one, two)),
        [] => {}
    }
    if let Some((what, _, help)) = OTHERS.iter().find(|(_, is_it, _)| is_it(row)) {
        return Err(readable_as_is(name, what, help));
    }
    if let Some(problem) = printed(name, std::slice::from_ref(row)) {
        return Err(problem);
    }
    // The most general shape comes last.
    if messages::is_conversation(row) {
        return Ok("messages");
    }
    if row.is_array() && rows_have(row, &["type", "session_id"]) {
        return Err(problem(
            &IMPORT_UNKNOWN_FORMAT,
            name,
            "The file is a list that `claude -p --output-format json --verbose` printed",
            "Import the log `~/.claude/projects/*/*.jsonl`, or print it with `--output-format stream-json --verbose`.",
        ));
    }
    let matching = |rule: &&Rule| {
        rule.features
            .iter()
            .filter(|(_, is_met)| is_met(row))
            .count()
    };
    let nearest = DOCUMENTS.iter().rev().max_by_key(matching);
    let seen = described(row);
    let message = match nearest.filter(|rule| matching(rule) > 0) {
        Some(rule) => {
            let missing = rule.features.iter().find(|(_, is_met)| !is_met(row));
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
fn is_printed_by_codex(row: &Row<'_>) -> bool {
    match &*row.text("type") {
        "thread.started" | "turn.started" | "turn.completed" | "turn.failed" => true,
        "item.started" | "item.updated" | "item.completed" => row.has_key("item"),
        _ => false,
    }
}

/// Whether a row is the result that `claude -p` prints at the end, or alone with `--output-format json`.
fn is_result_of_claude(row: &Row<'_>) -> bool {
    row.text("type") == "result" && row.has_key("session_id") && row.has_key("is_error")
}

/// The problem of a file that a program printed about its session, instead of the log of the session.
fn printed(name: &str, rows: &[Row<'_>]) -> Option<Problem> {
    let session = |key: &str| {
        let mut ids = rows.iter().map(|row| row.text(key));
        ids.find(|id| raw_json::is_uuid(id))
    };
    let (message, help) = if rows.iter().any(is_printed_by_codex) {
        let thread = session("thread_id").unwrap_or_default();
        (
            "The file is what `codex exec --json` printed, which is not the log of the session",
            format!("Import the log: `~/.codex/sessions/**/rollout-*{thread}.jsonl`."),
        )
    } else if rows.iter().all(is_result_of_claude) && !rows.is_empty() {
        let session = session("session_id").unwrap_or("*".into());
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

/// The text before the first byte that is not UTF-8.
fn start_of_text(bytes: &[u8]) -> &str {
    let chunk = bytes.utf8_chunks().next();
    chunk.map_or("", |chunk| chunk.valid())
}

/// The problem of a single file if it is known not to be a log, whatever format is named.
pub(super) fn printed_output(source: &LogSource, position: usize) -> Option<Problem> {
    let name = &source.names()[position];
    let head = source.head(position).ok()?;
    let head = start_of_text(without_mark(&head));
    printed(
        name,
        &Row::parse_value(head).map_or_else(|_| lines(head), |row| vec![row]),
    )
}

fn jsonl(name: &str, rows: &[Row<'_>]) -> Result<&'static str, Problem> {
    let first = &rows[0];
    let kind = |row: &Row<'_>| row.text("type").into_owned();
    if let Some(problem) = printed(name, rows) {
        return Err(problem);
    }
    if kind(first) == "header" && first.has_key("version") {
        return Err(readable_as_is(
            name,
            "a tape of Harn or its sidecar",
            READ_AS_IS,
        ));
    }
    if kind(first) == "trace" {
        return Err(readable_as_is(name, "a trace", READ_AS_IS));
    }
    let is_old_codex = first.has_key("id")
        && first.has_key("timestamp")
        && !first.has_key("type")
        && rows[1..]
            .iter()
            .any(|row| ["message", "reasoning", "function_call"].contains(&kind(row).as_str()));
    let is_codex = is_old_codex
        || rows.iter().any(|row| {
            kind(row) == "session_meta"
                || CODEX.contains(&kind(row).as_str())
                    && row.has_key("payload")
                    && row.has_key("timestamp")
        });
    let is_claude = rows.iter().any(|row| {
        let is_summary = kind(row) == "summary" && row.has_key("leafUuid");
        let has_id = row.has_key("uuid") || row.has_key("sessionId") || row.has("message.role");
        is_summary || CLAUDE.contains(&kind(row).as_str()) && (has_id || row.has_key("snapshot"))
    });
    match (is_claude, is_codex) {
        (true, true) => Err(ambiguous(name, "claude-code", "codex")),
        (true, false) => Ok("claude-code"),
        (false, true) => Ok("codex"),
        (false, false) if messages::is_jsonl(rows) => Ok("messages"),
        (false, false) => {
            let nearest = if rows.iter().any(messages::is_conversation) {
                "messages is the nearest, but not every line has a list of messages"
            } else {
                "claude-code and codex are the nearest, but they lack a known `type`"
            };
            let first = described(first);
            let message =
                format!("The lines have no recognized format: {nearest}; the first has {first}");
            Err(problem(&IMPORT_UNKNOWN_FORMAT, name, message, FORMATS))
        }
    }
}

fn ambiguous(name: &str, one: &str, two: &str) -> Problem {
    let message = format!("The file could be {one} or {two}");
    let help = format!("Decide with `--format {one}` or `--format {two}`.");
    problem(&IMPORT_AMBIGUOUS_FORMAT, name, message, help)
}

fn readable_as_is(name: &str, what: &str, help: &str) -> Problem {
    problem(
        &IMPORT_NATIVE_FILE,
        name,
        format!("The file is {what}"),
        help,
    )
}
