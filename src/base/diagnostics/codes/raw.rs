//! Codes of raw.jsonl.

family! { ALL:
    RAW_UNPARSABLE_LINE = "raw.unparsable-line" Warning "a line of the raw log cannot be read"
        why "Each line of `raw.jsonl` is a JSON object in UTF-8. The log is checked and counted but never published, and no message quotes its content."
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
}
