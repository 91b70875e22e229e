//! Codes of raw.jsonl.
use super::family;

family! { ALL:
    RAW_UNPARSABLE_LINE = "raw.unparsable-line" Warning "a line of the raw log cannot be read"
        why "Each line of `raw.jsonl` is a JSON object in UTF-8. The log is checked and counted, never published, and no message quotes what it holds."
        bad "{\"stream\":\"stdout\",\"line\":\"comp"
        good "{\"stream\":\"stdout\",\"line\":\"compiled\"}";
    RAW_MISSING_FIELD = "raw.missing-field" Warning "a line of the raw log lacks its stream or its text"
        why "Each line of `raw.jsonl` carries the stream that it was printed to and its text under `line`; `text` is accepted for `line`."
        bad "{\"line\":\"compiled\"}"
        good "{\"stream\":\"stdout\",\"line\":\"compiled\"}";
    RAW_WRONG_TYPE = "raw.wrong-type" Warning "a value of the raw log is not a string"
        why "Both the stream and the text of a line are strings; output that is JSON itself is written as a string too."
        bad "{\"stream\":\"stdout\",\"line\":{\"type\":\"item\"}}"
        good "{\"stream\":\"stdout\",\"line\":\"{\\\"type\\\":\\\"item\\\"}\"}";
    RAW_UNKNOWN_STREAM = "raw.unknown-stream" Warning "a line of the raw log comes from no stream of a process"
        why "A process prints to `stdout` or to `stderr`; lines of another stream are not counted."
        bad "{\"stream\":\"out\",\"line\":\"compiled\"}"
        good "{\"stream\":\"stdout\",\"line\":\"compiled\"}";
}
