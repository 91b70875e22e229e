//! Codes of annotations checked against their tape: Harn's eleven, with hyphens for underscores.

family! { ALL:
    ANNOTATION_DUPLICATE_ID = "annotation.duplicate-id" Error "duplicate annotation id"
        why "Annotation ids are unique within a sidecar. The second and every later annotation with the same id is reported."
        bad "{\"id\":\"a-1\"}\n{\"id\":\"a-1\"}"
        good "{\"id\":\"a-1\"}\n{\"id\":\"a-2\"}";
    ANNOTATION_UNKNOWN_EVENT_ID = "annotation.unknown-event-id" Error "an annotation points at an event that does not exist"
        why "`event_id` is the number of an event: its `seq` in a Harn tape, or its position among the non-blank lines of events.jsonl, counted from 0."
        bad "{\"event_id\":900}   (the tape has 40 events)"
        good "{\"event_id\":39}";
    ANNOTATION_HYPOTHESIS_STATUS_MISSING = "annotation.hypothesis-status-missing" Error "a hypothesis is missing its status"
        why "The status of a hypothesis is `active`, `verifying`, `confirmed`, `disproven` or `stale`."
        bad "{\"kind\":\"hypothesis\"}"
        good "{\"kind\":\"hypothesis\",\"hypothesis_status\":\"active\"}";
    ANNOTATION_FRICTION_KIND_UNEXPECTED = "annotation.friction-kind-unexpected" Error "unexpected friction kind"
        why "Only annotations of kind `friction` have a `friction_kind`; either the kind or this key is wrong."
        bad "{\"kind\":\"note\",\"friction_kind\":\"tool_gap\"}"
        good "{\"kind\":\"friction\",\"friction_kind\":\"tool_gap\"}";
    ANNOTATION_HYPOTHESIS_STATUS_UNEXPECTED = "annotation.hypothesis-status-unexpected" Error "unexpected hypothesis status"
        why "Only annotations of kind `hypothesis` have a `hypothesis_status`; either the kind or this key is wrong."
        bad "{\"kind\":\"note\",\"hypothesis_status\":\"active\"}"
        good "{\"kind\":\"hypothesis\",\"hypothesis_status\":\"active\"}";
    ANNOTATION_FRICTION_KIND_MISSING = "annotation.friction-kind-missing" Error "a friction annotation is missing its friction kind"
        why "Friction is counted and exported by kind."
        bad "{\"kind\":\"friction\"}"
        good "{\"kind\":\"friction\",\"friction_kind\":\"tool_gap\"}";
    ANNOTATION_FRICTION_KIND_UNKNOWN = "annotation.friction-kind-unknown" Error "unknown friction kind"
        why "The recognized kinds are `repeated_query`, `repeated_clarification`, `approval_stall`, `missing_context`, `manual_handoff`, `tool_gap`, `failed_assumption`, `expensive_model_used_for_deterministic_step` and `human_hypothesis`."
        bad "{\"kind\":\"friction\",\"friction_kind\":\"toolgap\"}"
        good "{\"kind\":\"friction\",\"friction_kind\":\"tool_gap\"}";
    ANNOTATION_UNKNOWN_KIND = "annotation.unknown-kind" Warning "unknown annotation kind"
        why "A newer producer may have written it. The annotation is published, and its kind is shown as written."
        bad "{\"kind\":\"praise\"}"
        good "{\"kind\":\"correct\"}";
    ANNOTATION_INVALID_SPAN = "annotation.invalid-span" Error "an annotation has an invalid span"
        why "A span starts at the event of its annotation. It ends at that event or a later one, no later than the last event of the tape."
        bad "{\"event_id\":3,\"span\":{\"start_event_id\":4,\"end_event_id\":2}}"
        good "{\"event_id\":3,\"span\":{\"start_event_id\":3,\"end_event_id\":5}}";
    ANNOTATION_TAPE_DIGEST_MISMATCH = "annotation.tape-digest-mismatch" Error "the tape changed after it was annotated"
        why "The header's `tape_content_hash` differs from the hash of the tape, so every annotation may point at the wrong event. Check each one, correct `event_id` where its event has moved, then run `runpress annotate --rehash` to write the new hash. `[policy] stale_annotations = \"warn\"` makes this a warning."
        bad "{\"type\":\"header\",\"schema_version\":1,\"tape_content_hash\":\"0000…\"}"
        good "{\"type\":\"header\",\"schema_version\":1,\"tape_content_hash\":\"95acb72c…\"}";
    ANNOTATION_SCHEMA = "annotation.schema" Note "a link of an annotation is shown as text"
        why "Harn does not restrict the links of an annotation. Only absolute `http`, `https` and `mailto` addresses become links; any other is shown as text, and the feeds contain it as written."
        bad "{\"links\":[{\"url\":\"javascript:alert(1)\"}]}"
        good "{\"links\":[{\"url\":\"https://example.org/notes\"}]}";
    ANNOTATION_QUOTE_NOT_FOUND = "annotation.quote-not-found" Warning "the quote of an annotation is not in its event"
        why "An annotation may quote its event under `quote` in `metadata`; the quote should occur in that event. White space and terminal colors are ignored. Harn gives the key no fixed meaning, so the run is still published. `runpress annotate --rehash` stops at a missing quote, unless `[policy] stale_annotations` is `\"warn\"`."
        bad "{\"event_id\":3,\"metadata\":{\"quote\":\"words of event 4\"}}"
        good "{\"event_id\":4,\"metadata\":{\"quote\":\"words of event 4\"}}";
    ANNOTATION_QUOTE_WITHHELD = "annotation.quote-withheld" Note "the quote of an annotation is of an event of which parts are withheld"
        why "The event has a marker instead of words that are withheld, and the quote is not in what is left. The annotation is published. If its quote contains a part of the withheld words, withhold that part, too."
        bad "{\"event_id\":3,\"metadata\":{\"quote\":\"npm run deploy --token\"}}   (event 3: npm run [withheld: secret, 23 characters])"
        good "{\"event_id\":3,\"metadata\":{\"quote\":\"npm run\"}}";
    ANNOTATION_QUOTE_NOT_TEXT = "annotation.quote-not-text" Note "the quote of an annotation is not a string"
        why "`quote` in `metadata` contains words of the event, to check that the annotation still points at it. Harn gives the key no fixed meaning, so any other value is not checked."
        bad "{\"metadata\":{\"quote\":[\"npm test\"]}}"
        good "{\"metadata\":{\"quote\":\"npm test\"}}";
    ANNOTATION_STALE_TARGET = "annotation.stale-target" Note "an annotation refers to a changed tape"
        why "The hash in the sidecar does not match the tape, so each annotation is listed with the event that it points at now. `runpress annotate --rehash --before` also shows the original event. Fixing `annotation.tape-digest-mismatch` removes these notes."
        bad "{\"type\":\"header\",\"schema_version\":1,\"tape_content_hash\":\"0000…\"}"
        good "{\"type\":\"header\",\"schema_version\":1,\"tape_content_hash\":\"95acb72c…\"}";
    ANNOTATION_OTHER_KIND = "annotation.other-kind" Note "an annotation may point at the wrong event"
        why "The evidence names a kind of event, for example `llm_call`, but neither its event nor its span contains one, and the tape has one nearby. The `event_id` may be wrong."
        bad "{\"event_id\":1,\"evidence\":\"the LLM call returned the payload\"}   (event 1 is a clock_read)"
        good "{\"event_id\":2,\"evidence\":\"the LLM call returned the payload\"}   (event 2 is the llm_call)";
}
