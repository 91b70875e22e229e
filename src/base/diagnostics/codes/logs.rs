//! Codes of event logs, raw logs, Harn tapes and traces.

codes! {
    // Codes of events, in `events.jsonl` and in traces.
    EVENTS_UNPARSABLE_LINE = "events.unparsable-line" Warning "a line of the event log cannot be read"
        why "The line is kept as an event of type `unknown` with its text, so that later events keep their numbers."
        bad "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"agent\",\"mess"
        good "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"agent\",\"message\":\"Done.\"}";
    EVENTS_UNKNOWN_TYPE = "events.unknown-type" Warning "unknown event type"
        why "A newer producer may have written it. The event is kept and shown as `unknown`, with all of its data."
        bad "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"comand\",\"command\":\"npm test\"}"
        good "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"command\",\"command\":\"npm test\"}";
    EVENTS_MISSING_FIELD = "events.missing-field" Warning "an event is missing a required key"
        why "The event is kept and shown as `unknown`, with all of its data."
        bad "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"command\"}"
        good "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"command\",\"command\":\"npm test\"}";
    EVENTS_WRONG_TYPE = "events.wrong-type" Warning "a value of an event has the wrong JSON type"
        why "The event is kept and shown as `unknown`, with all of its data."
        bad "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"command\",\"command\":\"npm test\",\"exitCode\":\"1\"}"
        good "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"command\",\"command\":\"npm test\",\"exitCode\":1}";
    EVENTS_DUPLICATE_KEY = "events.duplicate-key" Warning "duplicate key in an event"
        why "JSON readers disagree on which of the two to keep, so the event is kept and shown as `unknown`, with all of its data."
        bad "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"agent\",\"message\":\"a\",\"message\":\"b\"}"
        good "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"agent\",\"message\":\"b\"}";
    EVENTS_UNPORTABLE_VALUE = "events.unportable-value" Warning "some JSON readers refuse a line of the event log"
        why "JSON allows half of a surrogate pair, numbers of any size and any nesting; many readers do not. The keys that the format leaves open (`raw`, `event`; in a trace `arguments`, `value`) and unknown keys may have such a value. The event is shown as it was recorded, and the log is published byte for byte: a program that reads it with a strict parser stops at this line, or skips it. The first such value of a line is reported."
        bad "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"unknown\",\"raw\":{\"size\":1e999}}"
        good "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"unknown\",\"raw\":{\"size\":1e9}}";
    EVENTS_INVALID_TIMESTAMP = "events.invalid-timestamp" Warning "the time of an event is not RFC 3339"
        why "The event keeps its position, but the timeline cannot show when it happened."
        bad "{\"timestamp\":\"10:00\",\"type\":\"agent\",\"message\":\"Done.\"}"
        good "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"agent\",\"message\":\"Done.\"}";

    // Codes of raw.jsonl.
    RAW_UNPARSABLE_LINE = "raw.unparsable-line" Warning "a line of the raw log cannot be read"
        why "Each line of `raw.jsonl` is a JSON object in UTF-8. The log is checked and counted, but published only with `[policy] publish_raw = true`, and no message quotes its content."
        bad "{\"stream\":\"stdout\",\"line\":\"comp"
        good "{\"stream\":\"stdout\",\"line\":\"compiled\"}";
    RAW_MISSING_FIELD = "raw.missing-field" Warning "a line of the raw log is missing its stream or text"
        why "Each line of `raw.jsonl` has the stream that it was printed to and its text under `line` (`text` is also accepted)."
        bad "{\"line\":\"compiled\"}"
        good "{\"stream\":\"stdout\",\"line\":\"compiled\"}";
    RAW_WRONG_TYPE = "raw.wrong-type" Warning "a value of the raw log is not a string"
        why "Stream and text are strings; output that is itself JSON is written as a string, too."
        bad "{\"stream\":\"stdout\",\"line\":{\"type\":\"item\"}}"
        good "{\"stream\":\"stdout\",\"line\":\"{\\\"type\\\":\\\"item\\\"}\"}";
    RAW_UNKNOWN_STREAM = "raw.unknown-stream" Warning "unknown stream in the raw log"
        why "A process prints to `stdout` or `stderr`; lines of other streams are not counted."
        bad "{\"stream\":\"out\",\"line\":\"compiled\"}"
        good "{\"stream\":\"stdout\",\"line\":\"compiled\"}";
    RAW_EVENT_DIFFERS = "raw.event-differs" Warning "an event does not follow from the raw log"
        why "The raw log has the output of the harness, and the event log its translation by fixed rules. runpress translates the raw log once more and compares, except for times. An event that differs, is missing, was added or appears elsewhere was changed after the recording, or a recorder wrote it by other rules. `[policy] raw_audit` decides whether this is an error. [What the audit proves](../audit/index.html)."
        bad "raw.jsonl: a command that exited with code 1; events.jsonl: {\"type\":\"command\",\"command\":\"npm test\",\"isSuccess\":true,\"exitCode\":0}"
        good "raw.jsonl: a command that exited with code 1; events.jsonl: {\"type\":\"command\",\"command\":\"npm test\",\"isSuccess\":false,\"exitCode\":1}";
    RAW_OLDER_TRANSLATOR = "raw.older-translator" Note "the events follow from the raw log by older rules"
        why "The recorder's rules changed over time. The event log is exactly what an older version of them makes of the raw log, so nothing is wrong with it. If the record has `toolCalls`, which only the newest version writes, this is a warning: then its parts come from different recorders."
        bad "raw.jsonl: a line with token usage; events.jsonl: no event of type `usage`"
        good "raw.jsonl: a line with token usage; events.jsonl: an event of type `usage`";
    RAW_UNKNOWN_HARNESS = "raw.unknown-harness" Note "no rules are known for the harness of a raw log"
        why "A raw log is translated by the rules of its harness, which the record names in `subject.harnessSlug`. Rules are known for `antigravity`, `claude`, `cline`, `codex`, `gg`, `goose`, `kilo`, `opencode` and `pi`. Without them, only the lines are counted."
        bad "{\"subject\":{\"harnessSlug\":\"my-harness\"}}"
        good "{\"subject\":{\"harnessSlug\":\"codex\"}}";
    RAW_TOOL_CALLS_DIFFER = "raw.tool-calls-differ" Warning "the tool calls of the record differ from those in the raw log"
        why "`toolCalls` has the number of calls of each tool, counted from the same output that the raw log has. If the numbers differ, the record or the raw log was changed."
        bad "raw.jsonl: two calls of `bash`; run-record.json: {\"toolCalls\":{\"bash\":3}}"
        good "raw.jsonl: two calls of `bash`; run-record.json: {\"toolCalls\":{\"bash\":2}}";

    // Codes of Harn tapes.
    TAPE_EMPTY = "tape.empty" Error "the tape is empty"
        why "The first line of a tape is its header, so an empty file is not a tape."
        bad "(nothing)"
        good "{\"type\":\"header\",\"version\":1,\"harn_version\":\"0.8.26\"}";
    TAPE_MISSING_HEADER = "tape.missing-header" Error "the tape does not begin with a header"
        why "Harn's loader reads the first physical line as the header. A blank line, a comment or a record there invalidates the whole tape."
        bad "{\"type\":\"record\",\"seq\":0,\"virtual_time_ms\":0,\"monotonic_ms\":0,\"kind\":{\"kind\":\"clock_sleep\",\"duration_ms\":1}}"
        good "{\"type\":\"header\",\"version\":1,\"harn_version\":\"0.8.26\"}";
    TAPE_SECOND_HEADER = "tape.second-header" Error "the tape has a second header"
        why "Two recordings were joined into one file. Both number their events from 0, so annotations are ambiguous."
        bad "{\"type\":\"header\",\"version\":1,\"harn_version\":\"0.8.26\"}\n{\"type\":\"header\",\"version\":1,\"harn_version\":\"0.8.26\"}"
        good "{\"type\":\"header\",\"version\":1,\"harn_version\":\"0.8.26\"}";
    TAPE_UNSUPPORTED_VERSION = "tape.unsupported-version" Error "unsupported version of the tape"
        why "The same keys may have another meaning in a newer version, so it is refused, as by Harn's own loader."
        bad "{\"type\":\"header\",\"version\":6,\"harn_version\":\"1.0.0\"}"
        good "{\"type\":\"header\",\"version\":1,\"harn_version\":\"0.8.26\"}";
    TAPE_MALFORMED_RECORD = "tape.malformed-record" Error "a line of the tape cannot be read"
        why "Harn does not load such a tape either, because its content hash cannot be computed. Every invalid line is reported."
        bad "{\"type\":\"record\",\"seq\":\"0\"}"
        good "{\"type\":\"record\",\"seq\":0,\"phase\":\"user_script\",\"virtual_time_ms\":0,\"monotonic_ms\":0,\"kind\":{\"kind\":\"clock_sleep\",\"duration_ms\":1}}";
    TAPE_TORN_LINE = "tape.torn-line" Warning "the last line of the tape is cut off"
        why "An interrupted recording may end in the middle of a line. As in Harn's own loader, an invalid last line without a line break is skipped. Anywhere else, an invalid line makes the whole tape invalid."
        bad "{\"type\":\"record\",\"seq\":1,\"kind\":{\"llm_c"
        good "{\"type\":\"record\",\"seq\":1,\"virtual_time_ms\":0,\"monotonic_ms\":0,\"kind\":{\"kind\":\"payload_redaction\"}}";
    TAPE_DUPLICATE_SEQ = "tape.duplicate-seq" Warning "duplicate record number in the tape"
        why "Annotations point at events by number. If several events have the same number, annotations are shown at the first."
        bad "seq 0, seq 1, seq 1"
        good "seq 0, seq 1, seq 2";
    TAPE_UNKNOWN_KIND = "tape.unknown-kind" Note "unknown kind of record in the tape"
        why "A newer Harn may have written it. The record is kept, shown as `unknown`, and hashed as Harn's own loader would."
        bad "{\"kind\":\"hologram\"}"
        good "{\"kind\":\"clock_read\",\"source\":\"wall\",\"value_ms\":0}";
    TAPE_MISSING_PAYLOAD = "tape.missing-payload" Warning "a payload of the tape is missing"
        why "Payloads over 4,096 bytes are stored in `<tape>.cas/<hash>` next to the tape. The timeline shows which one is missing."
        bad "run.tape\n(no run.tape.cas/6cf31d98…)"
        good "run.tape\nrun.tape.cas/6cf31d98…";
    TAPE_PAYLOAD_MISMATCH = "tape.payload-mismatch" Error "a payload does not match its hash"
        why "The BLAKE3 hash of the bytes differs from the recorded one: the payload was changed after recording, or replaced by another file."
        bad "\"content_hash\":\"6cf31d98…\",\"text\":\"another text\""
        good "\"content_hash\":\"6cf31d98…\",\"text\":\"the recorded text\"";

    // Codes of traces. Problems of single events have the codes of event logs.
    TRACE_MISSING_HEADER = "trace.missing-header" Error "the trace does not begin with a header"
        why "The header states the version of the format and names the files and agents that the events refer to."
        bad "{\"seq\":0,\"type\":\"message\",\"role\":\"user\",\"text\":\"Fix the test.\"}"
        good "{\"type\":\"trace\",\"schemaVersion\":1}\n{\"seq\":0,\"type\":\"message\",\"role\":\"user\",\"text\":\"Fix the test.\"}";
    TRACE_INVALID_HEADER = "trace.invalid-header" Error "the header of the trace cannot be read"
        why "Events refer to the agents and files that the header lists, so a trace without a valid header is not loaded."
        bad "{\"type\":\"trace\",\"schemaVersion\":\"1\"}"
        good "{\"type\":\"trace\",\"schemaVersion\":1}";
    TRACE_UNSUPPORTED_VERSION = "trace.unsupported-version" Error "unsupported version of the trace"
        why "The same keys may have another meaning in other versions, so the trace is refused."
        bad "{\"type\":\"trace\",\"schemaVersion\":2}"
        good "{\"type\":\"trace\",\"schemaVersion\":1}";
    TRACE_WRONG_NUMBER = "trace.wrong-number" Warning "the number of an event is not its position"
        why "Annotations point at events by number: 0 for the first event after the header, one more for each. A gap usually means that lines were lost. The event is shown with its position as its number."
        bad "seq 0, seq 1, seq 3"
        good "seq 0, seq 1, seq 2";
    TRACE_DANGLING_REFERENCE = "trace.dangling-reference" Warning "an event refers to something that is not in the trace"
        why "A result, an edit, a subagent or a usage event names a call that does not occur earlier, or `agent` or `source.file` names something that is not in the header. The event is shown without the call, agent or source."
        bad "{\"seq\":0,\"type\":\"tool_result\",\"call\":\"c1\",\"ok\":true}"
        good "{\"seq\":0,\"type\":\"tool_call\",\"call\":\"c1\",\"name\":\"bash\"}\n{\"seq\":1,\"type\":\"tool_result\",\"call\":\"c1\",\"ok\":true}";
    TRACE_DUPLICATE_CALL = "trace.duplicate-call" Warning "duplicate call id"
        why "Results refer to calls by id. If several calls share an id, each result is assigned to the first one without a result."
        bad "{\"seq\":0,\"type\":\"tool_call\",\"call\":\"c1\",\"name\":\"bash\"}\n{\"seq\":1,\"type\":\"tool_call\",\"call\":\"c1\",\"name\":\"bash\"}"
        good "{\"seq\":0,\"type\":\"tool_call\",\"call\":\"c1\",\"name\":\"bash\"}\n{\"seq\":1,\"type\":\"tool_call\",\"call\":\"c1~2\",\"name\":\"bash\"}";
}
