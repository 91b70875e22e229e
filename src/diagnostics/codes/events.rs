//! Codes of events.jsonl.
use super::family;

family! { ALL:
    EVENTS_UNPARSABLE_LINE = "events.unparsable-line" Warning "a line of the event log cannot be read"
        why "The line is kept as an event of type `unknown` with its text, so that the numbers of the events after it do not shift."
        bad "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"agent\",\"mess"
        good "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"agent\",\"message\":\"Done.\"}";
    EVENTS_UNKNOWN_TYPE = "events.unknown-type" Warning "an event is of a type that is not known"
        why "A newer producer may have written it. The event is kept and shown as `unknown` with everything that it holds."
        bad "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"comand\",\"command\":\"npm test\"}"
        good "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"command\",\"command\":\"npm test\"}";
    EVENTS_MISSING_FIELD = "events.missing-field" Warning "an event lacks a key that its type needs"
        why "The event is kept and shown as `unknown` with everything that it holds."
        bad "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"command\"}"
        good "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"command\",\"command\":\"npm test\"}";
    EVENTS_WRONG_TYPE = "events.wrong-type" Warning "a value of an event is of the wrong JSON type"
        why "The event is kept and shown as `unknown` with everything that it holds."
        bad "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"command\",\"command\":\"npm test\",\"exitCode\":\"1\"}"
        good "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"command\",\"command\":\"npm test\",\"exitCode\":1}";
    EVENTS_DUPLICATE_KEY = "events.duplicate-key" Warning "a key stands twice in one event"
        why "JSON readers differ in which of the two they keep, so the event is kept and shown as `unknown` with everything that it holds."
        bad "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"agent\",\"message\":\"a\",\"message\":\"b\"}"
        good "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"agent\",\"message\":\"b\"}";
    EVENTS_INVALID_TIMESTAMP = "events.invalid-timestamp" Warning "the time of an event is not RFC 3339"
        why "The event keeps its place, but the timeline cannot say when it happened."
        bad "{\"timestamp\":\"10:00\",\"type\":\"agent\",\"message\":\"Done.\"}"
        good "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"agent\",\"message\":\"Done.\"}";
}
