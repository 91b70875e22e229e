//! Makes a tape of Harn's unified tape and its records (formats.md C).

use std::borrow::Cow;

use crate::formats::tape as harn;
use crate::model::time::{showable, utc};

use super::{Event, External, Family, Format, Kind, Outcome, Tape, TextKind, shortened};

/// The tape of a Harn tape; `file` is its name in the run directory.
#[must_use]
pub fn from_harn<'a>(file: &str, tape: harn::Tape<'a>) -> Tape<'a> {
    let mut header = vec![
        ("Harn version", tape.header.harn_version),
        ("tape version", tape.header.version.to_string()),
    ];
    if let Some(script) = tape.header.script_path {
        header.push(("script", script));
    }
    if !tape.header.argv.is_empty() {
        header.push(("arguments", tape.header.argv.join(" ")));
    }
    if let Some(ms) = tape.header.started_at_unix_ms {
        header.push(("started", utc(ms)));
    }
    let events: Vec<_> = tape.records.into_iter().map(from_record).collect();
    let in_order = events
        .iter()
        .zip(0..)
        .all(|(event, position)| event.seq == position);
    let positions = (!in_order).then(|| {
        // Reversed, so that of two events with one number the first is kept.
        events
            .iter()
            .enumerate()
            .rev()
            .map(|(position, event)| (event.seq, position))
            .collect()
    });
    Tape {
        positions,
        file: file.to_owned(),
        format: Format::Harn,
        content_hash: tape.content_hash,
        older_hash: tape.hash_without_phase,
        header,
        events,
    }
}

fn from_record(line: harn::RecordLine<'_>) -> Event<'_> {
    let record = line.record;
    let mut event = Event {
        seq: record.seq,
        line: line.line.number,
        source: line.line.text,
        at: showable(record.virtual_time_ms),
        kind: Kind {
            word: "unknown",
            family: Family::Other,
        },
        outcome: Outcome::Unstated,
        headline: Cow::Borrowed(""),
        facts: Vec::new(),
        blocks: Vec::new(),
        external: Vec::new(),
        record_digest: Some(line.digest),
    };
    if record.phase == Some(harn::Phase::RuntimeFinalize) {
        event.fact("phase", Some("runtime_finalize"));
    }
    fill_harn(&mut event, record.kind);
    shortened(event)
}

fn fill_harn<'a>(event: &mut Event<'a>, kind: harn::Kind<'a>) {
    let (word, family) = match kind {
        harn::Kind::ClockRead { source, value_ms } => {
            let source = if source == harn::ClockSource::Wall {
                "wall"
            } else {
                "monotonic"
            };
            event.headline = Cow::Owned(format!("{source} clock: {value_ms} ms"));
            ("clock_read", Family::Other)
        }
        harn::Kind::ClockSleep { duration_ms } => {
            event.headline = Cow::Owned(format!("{duration_ms} ms"));
            ("clock_sleep", Family::Other)
        }
        harn::Kind::LlmCall {
            request_digest,
            response,
        } => {
            event.fact("request", Some(request_digest));
            event.payload("response", response);
            ("llm_call", Family::Speech)
        }
        harn::Kind::FileRead {
            path,
            content_hash,
            len_bytes,
        } => {
            event.file(path, &content_hash, len_bytes);
            ("file_read", Family::Read)
        }
        harn::Kind::FileWrite {
            path,
            content_hash,
            len_bytes,
        } => {
            event.file(path, &content_hash, len_bytes);
            ("file_write", Family::Write)
        }
        harn::Kind::FileDelete { path } => {
            event.headline = Cow::Owned(path);
            ("file_delete", Family::Write)
        }
        harn::Kind::ProcessSpawn {
            program,
            args,
            cwd,
            exit_code,
            duration_ms,
            stdout_payload,
            stderr_payload,
        } => {
            event.headline = Cow::Owned(
                std::iter::once(program)
                    .chain(args)
                    .collect::<Vec<_>>()
                    .join(" "),
            );
            event.outcome = if exit_code == 0 {
                Outcome::Succeeded
            } else {
                Outcome::Failed
            };
            event.fact("exit code", Some(exit_code.to_string()));
            event.fact("in", cwd);
            event.fact("took", Some(format!("{duration_ms} ms")));
            event.payload("stdout", stdout_payload);
            event.payload("stderr", stderr_payload);
            ("process_spawn", Family::Command)
        }
        harn::Kind::DecisionEvaluation {
            request_digest,
            response,
        } => {
            event.fact("request", Some(request_digest));
            event.payload("response", response);
            ("decision_evaluation", Family::Speech)
        }
        harn::Kind::McpJsonRpc {
            server,
            method,
            latency_ms,
            request_digest,
            response_digest,
            request_payload,
            response_payload,
        } => {
            event.headline = Cow::Owned(format!("{server} {method}"));
            event.fact("took", Some(format!("{latency_ms} ms")));
            event.fact("request", Some(request_digest));
            event.fact("response", Some(response_digest));
            event.payload("request", request_payload);
            event.payload("response", response_payload);
            ("mcp_json_rpc", Family::Delegation)
        }
        harn::Kind::ModelJob {
            job_id,
            request_id,
            backend,
            state,
            event_kind,
            event: payload,
            asset_digests,
        } => {
            event.headline = Cow::Owned(format!("{event_kind}: {state}"));
            event.fact("job", Some(job_id));
            event.fact("request", Some(request_id));
            event.fact("backend", Some(backend));
            if !asset_digests.is_empty() {
                event.fact("assets", Some(asset_digests.join(", ")));
            }
            event.payload("event", payload);
            ("model_job", Family::Delegation)
        }
        harn::Kind::Unknown => {
            let source = event.source.clone();
            event.push(None, TextKind::Json, source);
            ("unknown", Family::Other)
        }
    };
    event.kind = Kind { word, family };
}

impl<'a> Event<'a> {
    fn file(&mut self, path: String, content_hash: &str, len_bytes: u64) {
        self.headline = Cow::Owned(path);
        self.fact("bytes", Some(len_bytes.to_string()));
        self.fact("hash", Some(content_hash.to_owned()));
    }

    fn payload(&mut self, label: &'static str, payload: harn::Payload<'a>) {
        match payload {
            harn::Payload::Inline { text, .. } => {
                let kind = if text.0.starts_with(['{', '[']) {
                    TextKind::Json
                } else {
                    TextKind::Plain
                };
                self.push(Some(label), kind, text.0);
            }
            harn::Payload::External {
                content_hash,
                len_bytes,
            } => {
                self.external.push(External {
                    label,
                    content_hash,
                    len_bytes,
                });
            }
        }
    }
}
