//! Codes of Harn tapes.

family! { ALL:
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
}
