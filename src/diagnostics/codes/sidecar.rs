//! Codes of loading annotation sidecars.
use super::family;

family! { ALL:
    SIDECAR_EMPTY = "sidecar.empty" Error "the sidecar has no header"
        why "A sidecar holds at least a header line; comments and blank lines do not count."
        bad "# nothing yet"
        good "{\"type\":\"header\",\"schema_version\":1}";
    SIDECAR_MISSING_HEADER = "sidecar.missing-header" Error "the sidecar does not begin with a header"
        why "The first line that is neither blank nor a comment must be the header: it says which tape the judgements are about."
        bad "{\"type\":\"annotation\",\"event_id\":3,\"kind\":\"note\"}"
        good "{\"type\":\"header\",\"schema_version\":1}\n{\"type\":\"annotation\",\"event_id\":3,\"kind\":\"note\"}";
    SIDECAR_SECOND_HEADER = "sidecar.second-header" Error "a header stands within the sidecar"
        why "Two sidecars were joined into one file. Keep one header; if both are about the same tape, their annotations may follow it."
        bad "{\"type\":\"header\",\"schema_version\":1}\n{\"type\":\"header\",\"schema_version\":1}"
        good "{\"type\":\"header\",\"schema_version\":1}";
    SIDECAR_UNSUPPORTED_VERSION = "sidecar.unsupported-version" Error "the sidecar is of a newer version"
        why "A newer version may mean something else by the same words; it is refused, as Harn's own loader does."
        bad "{\"type\":\"header\",\"schema_version\":2}"
        good "{\"type\":\"header\",\"schema_version\":1}";
    SIDECAR_MALFORMED_LINE = "sidecar.malformed-line" Error "a line of the sidecar cannot be read"
        why "One bad line refuses the whole sidecar, as in Harn's own loader, so that no judgement is dropped in silence. Every bad line is reported. `event_id` and `kind` are required; `links` and `metadata` may be absent but not null; `hypothesis_status` and the author's `kind` take known words only."
        bad "{\"type\":\"annotation\",\"event_id\":\"3\",\"kind\":\"note\"}"
        good "{\"type\":\"annotation\",\"event_id\":3,\"kind\":\"note\"}";
    SIDECAR_WITHOUT_TAPE = "sidecar.without-tape" Error "the sidecar's tape is not there"
        why "A sidecar stands beside its tape and has its full name plus `.annotations.jsonl`. Judgements about a tape that is not published point at nothing."
        bad "run.tape.annotations.jsonl\n(no run.tape)"
        good "run.tape\nrun.tape.annotations.jsonl";
    SIDECAR_AMBIGUOUS = "sidecar.ambiguous" Error "two sidecars are about one tape"
        why "The sidecar of `x.tape` is `x.tape.annotations.jsonl`; Harn's fixtures also use `x.annotations.jsonl`. With both present it is not clear which one counts."
        bad "x.tape\nx.annotations.jsonl\nx.tape.annotations.jsonl"
        good "x.tape\nx.tape.annotations.jsonl";
    SIDECAR_OTHER_TAPE = "sidecar.other-tape" Warning "the sidecar's header names another tape"
        why "`tape_path` in the header is relative to the sidecar's folder. It names another file than the tape that the sidecar stands beside; one of the two was renamed or copied."
        bad "run.tape.annotations.jsonl: {\"tape_path\":\"other.tape\"}"
        good "run.tape.annotations.jsonl: {\"tape_path\":\"run.tape\"}";
    SIDECAR_UNPORTABLE_VALUE = "sidecar.unportable-value" Warning "a value of the sidecar is nested too deeply for some JSON readers"
        why "Harn reads 127 levels of objects and arrays, and a feed adds a few levels of its own, so a reader with the same limit could not read it. Feeds hold an empty object or array below 96 levels."
        bad "{\"type\":\"annotation\",\"event_id\":3,\"kind\":\"note\",\"metadata\":{\"a\":[[[…100 levels…]]]}}"
        good "{\"type\":\"annotation\",\"event_id\":3,\"kind\":\"note\",\"metadata\":{\"a\":[]}}";
}
