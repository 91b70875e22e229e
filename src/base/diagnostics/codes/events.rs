//! Codes of events, in `events.jsonl` and in traces.

family! { ALL:
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
}
