//! Codes of loading annotation sidecars.

family! { ALL:
    SIDECAR_EMPTY = "sidecar.empty" Error "the sidecar has no header"
        why "A sidecar needs at least a header line; comments and blank lines do not count."
        bad "# nothing yet"
        good "{\"type\":\"header\",\"schema_version\":1}";
    SIDECAR_MISSING_HEADER = "sidecar.missing-header" Error "the sidecar does not begin with a header"
        why "The first line that is neither blank nor a comment must be the header. It identifies the annotated tape."
        bad "{\"type\":\"annotation\",\"event_id\":3,\"kind\":\"note\"}"
        good "{\"type\":\"header\",\"schema_version\":1}\n{\"type\":\"annotation\",\"event_id\":3,\"kind\":\"note\"}";
    SIDECAR_SECOND_HEADER = "sidecar.second-header" Error "the sidecar has a second header"
        why "Two sidecars were joined into one file. Keep one header; if both belong to the same tape, put all annotations after it."
        bad "{\"type\":\"header\",\"schema_version\":1}\n{\"type\":\"header\",\"schema_version\":1}"
        good "{\"type\":\"header\",\"schema_version\":1}";
    SIDECAR_UNSUPPORTED_VERSION = "sidecar.unsupported-version" Error "unsupported version of the sidecar"
        why "The same keys may have another meaning in a newer version, so it is refused, as by Harn's own loader."
        bad "{\"type\":\"header\",\"schema_version\":2}"
        good "{\"type\":\"header\",\"schema_version\":1}";
    SIDECAR_MALFORMED_LINE = "sidecar.malformed-line" Error "a line of the sidecar cannot be read"
        why "One invalid line invalidates the whole sidecar, as in Harn's own loader, so that no annotation is silently lost. Every invalid line is reported. `event_id` and `kind` are required; `links` and `metadata` may be absent but not null; `hypothesis_status` and the `kind` of the author accept only recognized values."
        bad "{\"type\":\"annotation\",\"event_id\":\"3\",\"kind\":\"note\"}"
        good "{\"type\":\"annotation\",\"event_id\":3,\"kind\":\"note\"}";
    SIDECAR_WITHOUT_TAPE = "sidecar.without-tape" Error "the tape of a sidecar is missing"
        why "A sidecar is next to its tape and has its full name plus `.annotations.jsonl`. Without the tape, its annotations point at nothing."
        bad "run.tape.annotations.jsonl\n(no run.tape)"
        good "run.tape\nrun.tape.annotations.jsonl";
    SIDECAR_AMBIGUOUS = "sidecar.ambiguous" Error "a tape has two sidecars"
        why "The sidecar of `x.tape` is `x.tape.annotations.jsonl`; Harn's fixtures also use `x.annotations.jsonl`. With both present it is unclear which one applies."
        bad "x.tape\nx.annotations.jsonl\nx.tape.annotations.jsonl"
        good "x.tape\nx.tape.annotations.jsonl";
    SIDECAR_OTHER_TAPE = "sidecar.other-tape" Warning "the header of a sidecar names another tape"
        why "`tape_path` in the header is relative to the sidecar's folder. It names a different file than the tape next to the sidecar; one of the two was renamed or copied."
        bad "run.tape.annotations.jsonl: {\"tape_path\":\"other.tape\"}"
        good "run.tape.annotations.jsonl: {\"tape_path\":\"run.tape\"}";
    SIDECAR_UNPORTABLE_VALUE = "sidecar.unportable-value" Warning "a value of the sidecar is nested too deeply for some JSON readers"
        why "Harn reads 127 levels of objects and arrays. Feeds add a few more, so a reader with the same limit would refuse them. Feeds contain an empty object or array below 96 levels."
        bad "{\"type\":\"annotation\",\"event_id\":3,\"kind\":\"note\",\"metadata\":{\"a\":[[[…100 levels…]]]}}"
        good "{\"type\":\"annotation\",\"event_id\":3,\"kind\":\"note\",\"metadata\":{\"a\":[]}}";
}
