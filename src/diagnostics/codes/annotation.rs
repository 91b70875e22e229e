//! Codes of annotations held against their tape: Harn's eleven, with hyphens for underscores.
use super::family;

family! { ALL:
    ANNOTATION_DUPLICATE_ID = "annotation.duplicate-id" Error "two annotations have the same id"
        why "An id names one annotation of its file. It is reported for the second and every later one."
        bad "{\"id\":\"a-1\"}\n{\"id\":\"a-1\"}"
        good "{\"id\":\"a-1\"}\n{\"id\":\"a-2\"}";
    ANNOTATION_UNKNOWN_EVENT_ID = "annotation.unknown-event-id" Error "an annotation points at an event that is not on the tape"
        why "`event_id` equals the number of an event: `seq` in a Harn tape, the position among the non-blank lines (from 0) in events.jsonl."
        bad "{\"event_id\":900}   (the tape has 40 events)"
        good "{\"event_id\":39}";
    ANNOTATION_HYPOTHESIS_STATUS_MISSING = "annotation.hypothesis-status-missing" Error "a hypothesis has no status"
        why "A hypothesis is `active`, `verifying`, `confirmed`, `disproven` or `stale`."
        bad "{\"kind\":\"hypothesis\"}"
        good "{\"kind\":\"hypothesis\",\"hypothesis_status\":\"active\"}";
    ANNOTATION_FRICTION_KIND_UNEXPECTED = "annotation.friction-kind-unexpected" Error "an annotation that is not friction has a friction kind"
        why "`friction_kind` belongs to annotations of kind `friction`; on another kind one of the two is wrong."
        bad "{\"kind\":\"note\",\"friction_kind\":\"tool_gap\"}"
        good "{\"kind\":\"friction\",\"friction_kind\":\"tool_gap\"}";
    ANNOTATION_HYPOTHESIS_STATUS_UNEXPECTED = "annotation.hypothesis-status-unexpected" Error "an annotation that is not a hypothesis has a status"
        why "`hypothesis_status` belongs to annotations of kind `hypothesis`; on another kind one of the two is wrong."
        bad "{\"kind\":\"note\",\"hypothesis_status\":\"active\"}"
        good "{\"kind\":\"hypothesis\",\"hypothesis_status\":\"active\"}";
    ANNOTATION_FRICTION_KIND_MISSING = "annotation.friction-kind-missing" Error "a friction annotation has no friction kind"
        why "Friction is counted and exported by its kind."
        bad "{\"kind\":\"friction\"}"
        good "{\"kind\":\"friction\",\"friction_kind\":\"tool_gap\"}";
    ANNOTATION_FRICTION_KIND_UNKNOWN = "annotation.friction-kind-unknown" Error "a friction kind is not known"
        why "The kinds are `repeated_query`, `repeated_clarification`, `approval_stall`, `missing_context`, `manual_handoff`, `tool_gap`, `failed_assumption`, `expensive_model_used_for_deterministic_step` and `human_hypothesis`."
        bad "{\"kind\":\"friction\",\"friction_kind\":\"toolgap\"}"
        good "{\"kind\":\"friction\",\"friction_kind\":\"tool_gap\"}";
    ANNOTATION_UNKNOWN_KIND = "annotation.unknown-kind" Warning "an annotation is of a kind that is not known"
        why "A newer producer may have written it. The annotation is kept and shown under the word that it uses."
        bad "{\"kind\":\"praise\"}"
        good "{\"kind\":\"correct\"}";
    ANNOTATION_INVALID_SPAN = "annotation.invalid-span" Error "the span of an annotation does not fit"
        why "A span starts at the annotation's own event, does not end before it starts, and does not end after the last event of the tape."
        bad "{\"event_id\":3,\"span\":{\"start_event_id\":4,\"end_event_id\":2}}"
        good "{\"event_id\":3,\"span\":{\"start_event_id\":3,\"end_event_id\":5}}";
    ANNOTATION_TAPE_DIGEST_MISMATCH = "annotation.tape-digest-mismatch" Error "the tape is not the one that was annotated"
        why "The header's `tape_content_hash` differs from the hash of the tape, so every annotation may point at the wrong event. Look at each one, correct `event_id` where its event has moved, and let `runpress annotate --rehash` write the new hash. `[policy] stale_annotations = \"warn\"` makes this a warning."
        bad "{\"type\":\"header\",\"schema_version\":1,\"tape_content_hash\":\"0000…\"}"
        good "{\"type\":\"header\",\"schema_version\":1,\"tape_content_hash\":\"95acb72c…\"}";
    ANNOTATION_SCHEMA = "annotation.schema" Note "an annotation has a link that is shown as text"
        why "Harn does not restrict the links of an annotation. Readers can follow absolute `http`, `https` and `mailto` addresses; any other is shown as text, and the feeds contain it as written."
        bad "{\"links\":[{\"url\":\"javascript:alert(1)\"}]}"
        good "{\"links\":[{\"url\":\"https://example.org/notes\"}]}";
    ANNOTATION_QUOTE_NOT_FOUND = "annotation.quote-not-found" Warning "the quote of an annotation is not in its event"
        why "An annotation may quote its event under `quote` in `metadata`; the quote should occur in the event that it points at. White space and terminal colors are ignored. Harn gives the key no fixed meaning, so the run is still published. `runpress annotate --rehash` stops at it, unless `[policy] stale_annotations` is `\"warn\"`."
        bad "{\"event_id\":3,\"metadata\":{\"quote\":\"words of event 4\"}}"
        good "{\"event_id\":4,\"metadata\":{\"quote\":\"words of event 4\"}}";
    ANNOTATION_QUOTE_NOT_TEXT = "annotation.quote-not-text" Note "the quote of an annotation is not a string"
        why "`quote` in `metadata` contains words of the event, to check that the annotation still points at it. Harn gives the key no fixed meaning, so any other value is not checked."
        bad "{\"metadata\":{\"quote\":[\"npm test\"]}}"
        good "{\"metadata\":{\"quote\":\"npm test\"}}";
    ANNOTATION_STALE_TARGET = "annotation.stale-target" Note "what an annotation points at, after its tape was changed"
        why "The digest of the sidecar is that of another tape, so each annotation is listed with the event that it points at now. `runpress annotate --rehash --before` shows the event as it was, too. It goes away with `annotation.tape-digest-mismatch`."
        bad "{\"type\":\"header\",\"schema_version\":1,\"tape_content_hash\":\"0000…\"}"
        good "{\"type\":\"header\",\"schema_version\":1,\"tape_content_hash\":\"95acb72c…\"}";
    ANNOTATION_OTHER_KIND = "annotation.other-kind" Note "an annotation speaks of another kind of event than the one it points at"
        why "The evidence names a kind of event by its own word, for example `llm_call`, but neither the event nor the span of the annotation is of that kind, while the tape has one close by. The annotation may have slipped."
        bad "{\"event_id\":1,\"evidence\":\"the LLM call returned the payload\"}   (event 1 is a clock_read)"
        good "{\"event_id\":2,\"evidence\":\"the LLM call returned the payload\"}   (event 2 is the llm_call)";
}
