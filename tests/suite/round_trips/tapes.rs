//! Harn tapes: each record is read as written, and the content hash depends on nothing else.

use proptest::prelude::*;
use runpress::api::formats::json::Str;
use runpress::api::formats::tape::change::TranscriptChange;
use runpress::api::formats::tape::{
    Attribution, ClockSource, Effect, Payload, RecordKind, RecordPhase, Recording, RunFacts,
    Segment, TapeHeader, TapeRecord, parse,
};
use serde_json::json;

use crate::generate::{Dice, Json, dice, holds, lines, strict_object, text, word};

fn payload() -> impl Strategy<Value = Payload<'static>> {
    prop_oneof![
        (word(), text()).prop_map(|(content_hash, text)| Payload::Inline {
            content_hash,
            text: Str(text.into())
        }),
        (word(), any::<u64>()).prop_map(|(content_hash, len_bytes)| Payload::External {
            content_hash,
            len_bytes
        }),
    ]
}

fn attribution() -> impl Strategy<Value = Attribution> {
    let segment =
        (text(), any::<u64>(), any::<u64>(), text()).prop_map(|(field, start, end, render_id)| {
            Segment {
                field,
                start,
                end,
                render_id,
            }
        });
    (prop::collection::vec(segment, 0..3), any::<[u64; 4]>()).prop_map(|(segments, bytes)| {
        Attribution {
            segments,
            system_bytes: bytes[0],
            system_attributed: bytes[1],
            prompt_bytes: bytes[2],
            prompt_attributed: bytes[3],
        }
    })
}

fn change() -> impl Strategy<Value = TranscriptChange> {
    let value = || {
        (text(), any::<i64>(), any::<f64>())
            .prop_map(|(text, whole, part)| json!({ "b": text, "a": [whole, part, null, true] }))
    };
    let change = prop_oneof![
        (text(), value()).prop_map(
            |(name, value)| json!({ "fields": { name: { "set": value }, "x": "remove" } })
        ),
        (text(), value())
            .prop_map(|(name, value)| json!({ "fields": { name: { "append": [value] } } })),
        value().prop_map(|value| json!({ "lifecycle": { "kind": "opened", "transcript": value } })),
        Just(json!({ "lifecycle": { "kind": "closed" } })),
    ];
    (text(), change).prop_map(|(session, mut change)| {
        change["session_id"] = json!(session);
        serde_json::from_value(change).expect("a change")
    })
}

fn calls() -> impl Strategy<Value = RecordKind<'static>> {
    let payloads = || prop::collection::vec(payload(), 0..3);
    let model = (
        (text(), payload(), prop::option::of(any::<u64>())),
        prop::option::of(payload()),
        payloads(),
        prop::option::of(attribution()),
    );
    let effect =
        (text(), prop::option::of(payload())).prop_map(|(path, content)| Effect { path, content });
    let tool = (
        (text(), text(), text(), any::<u64>()),
        payload(),
        prop::collection::vec(effect, 0..3),
        prop::option::of(text()),
        prop::collection::vec(change(), 0..3),
    );
    prop_oneof![
        model.prop_map(
            |((request_digest, response, call_index), request, messages, attribution)| {
                RecordKind::LlmCall {
                    request_digest,
                    response,
                    call_index,
                    request,
                    messages,
                    attribution,
                }
            }
        ),
        tool.prop_map(
            |((call_id, tool, args_digest, after_calls), outcome, effects, unservable, changes)| {
                RecordKind::ToolCall {
                    call_id,
                    tool,
                    args_digest,
                    after_calls,
                    outcome,
                    effects,
                    unservable,
                    transcript_changes: changes,
                }
            }
        ),
        (text(), text(), any::<u64>(), prop::option::of(payload())).prop_map(
            |(namespace, key, after_calls, value)| RecordKind::CacheLookup {
                namespace,
                key,
                after_calls,
                value
            }
        ),
        (text(), text(), payload(), payload()).prop_map(
            |(render_id, template_uri, rendered, spans)| RecordKind::PromptRender {
                render_id,
                template_uri,
                rendered,
                spans
            }
        ),
        Just(()).prop_map(|()| RecordKind::PayloadRedaction),
        payload().prop_map(|event| RecordKind::SessionControl { event }),
    ]
}

fn kind() -> impl Strategy<Value = RecordKind<'static>> {
    let source = prop_oneof![Just(ClockSource::Wall), Just(ClockSource::Monotonic)];
    let spawn = (
        text(),
        prop::collection::vec(text(), 0..3),
        prop::option::of(text()),
        any::<i32>(),
        any::<u64>(),
        payload(),
        payload(),
    );
    let call = (
        text(),
        text(),
        (word(), word()),
        any::<u64>(),
        payload(),
        payload(),
    );
    let job = (
        (text(), text(), text(), text(), text()),
        payload(),
        prop::collection::vec(text(), 0..3),
    );
    prop_oneof![
        (source, any::<i64>())
            .prop_map(|(source, value_ms)| RecordKind::ClockRead { source, value_ms }),
        any::<u64>().prop_map(|duration_ms| RecordKind::ClockSleep { duration_ms }),
        calls(),
        (text(), text(), any::<u64>()).prop_map(|(path, content_hash, len_bytes)| {
            RecordKind::FileRead {
                path,
                content_hash,
                len_bytes,
            }
        }),
        (text(), text(), any::<u64>()).prop_map(|(path, content_hash, len_bytes)| {
            RecordKind::FileWrite {
                path,
                content_hash,
                len_bytes,
            }
        }),
        text().prop_map(|path| RecordKind::FileDelete { path }),
        spawn.prop_map(
            |(program, args, cwd, exit_code, duration_ms, stdout_payload, stderr_payload)| {
                RecordKind::ProcessSpawn {
                    program,
                    args,
                    cwd,
                    exit_code,
                    duration_ms,
                    stdout_payload,
                    stderr_payload,
                }
            }
        ),
        (text(), payload()).prop_map(
            |(request_digest, response)| RecordKind::DecisionEvaluation {
                request_digest,
                response
            }
        ),
        call.prop_map(
            |(
                server,
                method,
                (request_digest, response_digest),
                latency_ms,
                request_payload,
                response_payload,
            )| {
                RecordKind::McpJsonRpc {
                    server,
                    method,
                    request_digest,
                    response_digest,
                    latency_ms,
                    request_payload,
                    response_payload,
                }
            }
        ),
        job.prop_map(
            |((job_id, request_id, backend, state, event_kind), event, asset_digests)| {
                RecordKind::ModelJob {
                    job_id,
                    request_id,
                    backend,
                    state,
                    event_kind,
                    event,
                    asset_digests,
                }
            }
        ),
    ]
}

fn record() -> impl Strategy<Value = TapeRecord<'static>> {
    let phase = prop::option::of(prop_oneof![
        Just(RecordPhase::UserScript),
        Just(RecordPhase::RuntimeFinalize)
    ]);
    (any::<u64>(), phase, any::<i64>(), any::<i64>(), kind()).prop_map(
        |(seq, phase, virtual_time_ms, monotonic_ms, kind)| TapeRecord {
            seq,
            phase,
            virtual_time_ms,
            monotonic_ms,
            kind,
        },
    )
}

fn header() -> impl Strategy<Value = TapeHeader> {
    let recording = prop_oneof![
        Just(Recording::Full),
        Just(Recording::Metadata),
        Just(Recording::Off)
    ];
    let run = (
        recording,
        any::<bool>(),
        prop::collection::vec(text(), 0..3),
        prop::option::of(text()),
    )
        .prop_map(
            |(recording, effects_observed, state_roots, workspace_root)| RunFacts {
                recording,
                effects_observed,
                state_roots,
                workspace_root,
            },
        );
    (
        0_u32..6,
        text(),
        prop::option::of(any::<i64>()),
        prop::option::of(text()),
        prop::collection::vec(text(), 0..3),
        prop::option::of(run),
    )
        .prop_map(
            |(version, harn_version, started_at_unix_ms, script_path, argv, run)| TapeHeader {
                version,
                harn_version,
                started_at_unix_ms,
                script_path,
                argv,
                run,
            },
        )
}

fn header_line(dice: &mut Dice, header: &TapeHeader) -> String {
    let argv = || {
        Json::Array(
            header
                .argv
                .iter()
                .map(|arg| Json::from(arg.as_str()))
                .collect(),
        )
    };
    let plain = dice.once_in(2);
    let header = strict_object(
        dice,
        [
            ("type", Some(Json::from("header"))),
            ("version", Some(Json::from(u64::from(header.version)))),
            (
                "harn_version",
                Some(Json::from(header.harn_version.as_str())),
            ),
            (
                "started_at_unix_ms",
                header
                    .started_at_unix_ms
                    .map(|ms| Json::Written(ms.to_string())),
            ),
            ("script_path", header.script_path.as_deref().map(Json::from)),
            ("argv", (!header.argv.is_empty() || plain).then(argv)),
            (
                "run",
                header
                    .run
                    .as_ref()
                    .map(|run| serde_json::to_value(run).expect("plain data").into()),
            ),
        ],
    );
    header.write(dice, true)
}

/// The value with the keys of every object in a different order.
fn stirred(dice: &mut Dice, value: Json) -> Json {
    match value {
        Json::Object(members) => {
            let members = members
                .into_iter()
                .map(|(key, value)| (key, stirred(dice, value)));
            let mut members: Vec<_> = members.collect();
            dice.shuffle(&mut members);
            Json::Object(members)
        }
        other => other,
    }
}

fn record_line(dice: &mut Dice, record: &TapeRecord<'_>) -> String {
    let Json::Object(mut members) = serde_json::to_value(record).expect("plain data").into() else {
        unreachable!("a record is an object")
    };
    members.push(("type".to_owned(), Json::from("record")));
    stirred(dice, Json::Object(members)).write(dice, true)
}

#[test]
fn a_tape_is_read_back_in_every_record_and_its_hash_sees_only_what_it_says() {
    let tape = (header(), prop::collection::vec(record(), 0..5));
    holds(250, &(tape, dice()), |((header, mut records), mut dice)| {
        let mut texts = vec![header_line(&mut dice, &header)];
        texts.extend(records.iter().map(|record| record_line(&mut dice, record)));
        let text = lines(&mut dice, &texts, false);
        let (read, problems) = parse("t", text.as_bytes());
        assert!(problems.is_empty(), "{problems:?} in {text}");
        let read = read.expect("a tape");
        assert_eq!(format!("{:?}", read.header), format!("{header:?}"));
        let phased = records.iter().any(|record| record.phase.is_some());
        for record in &mut records {
            record.phase.get_or_insert(RecordPhase::UserScript);
        }
        let found: Vec<String> = read
            .records
            .iter()
            .map(|line| format!("{:?}", line.record))
            .collect();
        let expected: Vec<String> = records.iter().map(|record| format!("{record:?}")).collect();
        assert_eq!(found, expected, "{text}");
        let mut hasher = blake3::Hasher::new();
        for record in &records {
            hasher.update(
                serde_json::to_string(record)
                    .expect("plain data")
                    .as_bytes(),
            );
            hasher.update(b"\n");
        }
        assert_eq!(read.content_hash, hasher.finalize().to_hex().as_str());
        assert!(read.other_hashes.len() >= usize::from(!phased));
    });
}
