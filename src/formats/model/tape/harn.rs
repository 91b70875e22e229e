//! Converts Harn's unified tape and its records to a tape (formats.md C, J).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::amounts;
use crate::model::time::{displayable, utc};
use crate::tape as harn;

use super::{
    BlockText, ContentBlock, Event, EventKind, EventOutcome, Family, Tape, TapeFormat, TextKind,
    shortened,
};

mod agent;
mod payload;
mod redactions;

use agent::AgentHistory;
use payload::PayloadPart;

/// Payloads of a tape that are separate files, by hash.
pub type Payloads = BTreeMap<String, Arc<str>>;

/// Converts a Harn tape; `file` is its name in the run directory.
pub fn from_harn<'a>(file: &str, tape: harn::HarnTape<'a>, payloads: &Payloads) -> Tape<'a> {
    let mut agent = AgentHistory::new(payloads);
    let events: Vec<_> = tape
        .records
        .into_iter()
        .map(|line| from_record(line, &mut agent))
        .collect();
    let in_order = events
        .iter()
        .zip(0..)
        .all(|(event, position)| event.seq == position);
    let positions = (!in_order).then(|| {
        // Reversed, so that the first of two events with the same number wins.
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
        format: TapeFormat::Harn,
        other_hashes: tape.other_hashes,
        header: header(tape.header),
        ..Tape::of_events(events, tape.content_hash)
    }
}

fn header(header: harn::TapeHeader) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("Harn version", header.harn_version),
        ("Tape version", header.version.to_string()),
    ];
    facts.extend(header.script_path.map(|script| ("Script", script)));
    if !header.argv.is_empty() {
        facts.push(("Arguments", header.argv.join(" ")));
    }
    if let Some(ms) = header.started_at_unix_ms {
        facts.push(("Started", utc(ms)));
    }
    let Some(run) = header.run else { return facts };
    let recording = match run.recording {
        harn::Recording::Full => "full: requests, messages, answers and results of tools",
        harn::Recording::Metadata => "metadata only: models, token counts and digests",
        harn::Recording::Off => "off",
    };
    let effects = if run.effects_observed {
        "observed"
    } else {
        "not observed: a tool call without file changes may still have changed files"
    };
    facts.push(("Recording", recording.to_owned()));
    facts.push(("File changes of tools", effects.to_owned()));
    facts.extend(run.workspace_root.map(|root| ("Workspace root", root)));
    if !run.state_roots.is_empty() {
        facts.push(("State roots", run.state_roots.join(" ")));
    }
    facts
}

fn from_record<'a>(line: harn::RecordLine<'a>, agent: &mut AgentHistory<'_>) -> Event<'a> {
    let record = line.record;
    let unknown = EventKind {
        word: "unknown",
        family: Family::Other,
    };
    let mut event = Event {
        at: displayable(record.virtual_time_ms),
        cached_digest: Some(line.digest),
        ..Event::new(record.seq, line.line, unknown)
    };
    if record.phase == Some(harn::RecordPhase::RuntimeFinalize) {
        event.fact("phase", Some("runtime_finalize"));
    }
    event.kind = fill(&mut event, record.kind, agent);
    redactions::add_fact(&mut event);
    shortened(event)
}

fn fill<'a>(
    event: &mut Event<'a>,
    kind: harn::RecordKind<'a>,
    agent: &mut AgentHistory<'_>,
) -> EventKind {
    let (word, family) = match kind {
        harn::RecordKind::LlmCall {
            request_digest,
            response,
            call_index,
            request,
            messages,
            attribution,
        } => {
            event.fact("call", call_index.map(|index| index.to_string()));
            agent.response(event, response);
            event.fact("from templates", attribution.as_ref().and_then(share));
            agent.messages(event, messages);
            event.digest_fact("digest of the request", &request_digest);
            agent.request(event, request);
            ("llm_call", Family::Speech)
        }
        harn::RecordKind::ToolCall {
            call_id,
            tool,
            args_digest,
            after_calls: _,
            outcome,
            effects,
            unservable,
            transcript_changes,
        } => {
            let family = agent.tool(event, call_id, &tool, &args_digest, outcome, effects);
            event.fact("cannot be replayed:", unservable);
            if !transcript_changes.is_empty() {
                let text = harn::change::json(&transcript_changes);
                let text = harn::content::without_thinking(&text).unwrap_or(text);
                event.blocks.push(ContentBlock {
                    folded: true,
                    ..PayloadPart::of(&text).block(Some("transcript changes"), TextKind::Json)
                });
            }
            ("tool_call", family)
        }
        harn::RecordKind::ClockRead { source, value_ms } => {
            let source = if source == harn::ClockSource::Wall {
                "wall"
            } else {
                "monotonic"
            };
            event.headline = Cow::Owned(format!("{source} clock: {value_ms} ms"));
            ("clock_read", Family::Other)
        }
        harn::RecordKind::ClockSleep { duration_ms } => {
            event.headline = Cow::Owned(format!("{duration_ms} ms"));
            ("clock_sleep", Family::Other)
        }
        harn::RecordKind::FileRead {
            path,
            content_hash,
            len_bytes,
        } => {
            agent.file(event, path, &content_hash, len_bytes);
            ("file_read", Family::Read)
        }
        harn::RecordKind::FileWrite {
            path,
            content_hash,
            len_bytes,
        } => {
            agent.file(event, path, &content_hash, len_bytes);
            ("file_write", Family::Write)
        }
        harn::RecordKind::FileDelete { path } => {
            agent.forget_file(&path);
            event.headline = Cow::Owned(path);
            ("file_delete", Family::Write)
        }
        harn::RecordKind::ProcessSpawn {
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
                EventOutcome::Succeeded
            } else {
                EventOutcome::Failed
            };
            event.fact("exit code", Some(exit_code.to_string()));
            event.fact("in", cwd);
            event.fact("took", Some(format!("{duration_ms} ms")));
            for (label, payload) in [("stdout", stdout_payload), ("stderr", stderr_payload)] {
                if let Some(text) = agent.payload_text(event, label, "", payload) {
                    event.text(label, text);
                }
            }
            ("process_spawn", Family::Command)
        }
        harn::RecordKind::DecisionEvaluation {
            request_digest,
            response,
        } => {
            event.digest_fact("digest of the request", &request_digest);
            agent.response(event, response);
            ("decision_evaluation", Family::Speech)
        }
        harn::RecordKind::McpJsonRpc {
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
            event.digest_fact("digest of the request", &request_digest);
            event.digest_fact("digest of the response", &response_digest);
            agent.payload(event, "request", request_payload);
            agent.payload(event, "response", response_payload);
            ("mcp_json_rpc", Family::Delegation)
        }
        harn::RecordKind::ModelJob {
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
                let digests: Vec<_> = asset_digests
                    .iter()
                    .map(|digest| shortened_digest(digest))
                    .collect();
                event.fact("digests of the assets", Some(digests.join(", ")));
            }
            agent.payload(event, "event", payload);
            ("model_job", Family::Delegation)
        }
        harn::RecordKind::CacheLookup {
            namespace,
            key,
            after_calls: _,
            value,
        } => {
            event.headline = Cow::Owned(format!("{namespace} {key}"));
            event.fact("result", Some(if value.is_some() { "hit" } else { "miss" }));
            if let Some(value) = value {
                agent.folded(event, "value", value);
            }
            ("cache_lookup", Family::Other)
        }
        harn::RecordKind::PromptRender {
            render_id,
            template_uri,
            rendered,
            spans,
        } => {
            event.headline = Cow::Owned(template_uri);
            event.digest_fact("id", &render_id);
            for (label, payload) in [("prompt", rendered), ("spans", spans)] {
                if let Some(text) = agent.payload_text(event, label, "", payload) {
                    event.folded(label, text);
                }
            }
            ("prompt_render", Family::Other)
        }
        harn::RecordKind::PayloadRedaction => {
            event.push(
                None,
                TextKind::Plain,
                "Something was removed here: the recorder left out text of the next record that matched its patterns.",
            );
            ("payload_redaction", Family::Other)
        }
        harn::RecordKind::SessionControl { event: payload } => {
            agent.session(event, payload);
            ("session_control", Family::Other)
        }
        harn::RecordKind::Unknown => {
            let source = harn::content::without_thinking(&event.source);
            let source = source.map_or_else(|| event.source.clone(), Cow::Owned);
            event.push(None, TextKind::Json, source);
            ("unknown", Family::Other)
        }
    };
    EventKind { word, family }
}

/// A digest shortened to a recognizable prefix. Other texts stay as they are.
fn shortened_digest(digest: &str) -> String {
    amounts::abbreviated_digest(digest).unwrap_or_else(|| digest.to_owned())
}

/// The share of a prompt that comes from templates.
fn share(attribution: &harn::Attribution) -> Option<String> {
    let (bytes, all) = (attribution.prompt_attributed, attribution.prompt_bytes);
    (all > 0).then(|| format!("{bytes} of {all} bytes"))
}

impl<'a> Event<'a> {
    fn digest_fact(&mut self, name: &'static str, digest: &str) {
        self.fact(name, Some(shortened_digest(digest)));
    }

    fn text(&mut self, label: &'static str, text: BlockText<'a>) {
        if !text.is_empty() {
            let kind = TextKind::of(&text);
            self.blocks.push(ContentBlock::new(Some(label), kind, text));
        }
    }

    /// Adds an initially collapsed block.
    fn folded(&mut self, label: &'static str, text: BlockText<'a>) {
        let before = self.blocks.len();
        self.text(label, text);
        if let Some(block) = self.blocks.get_mut(before) {
            block.folded = true;
        }
    }
}
