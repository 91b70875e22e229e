//! Codes of what was said about events: sidecars, reviews, transcripts and review threads.

codes! {
    // Codes of loading annotation sidecars.
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

    // Codes of annotations checked against their tape: Harn's eleven, with hyphens for underscores.
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
        why "The header's `tape_content_hash` differs from the hash of the tape, so every annotation may point at the wrong event. Check each one, correct `event_id` where its event has moved, then run `runpress annotate --rehash RUN` to write the new hash. `[policy] stale_annotations = \"warn\"` makes this a warning."
        bad "{\"type\":\"header\",\"schema_version\":1,\"tape_content_hash\":\"0000…\"}"
        good "{\"type\":\"header\",\"schema_version\":1,\"tape_content_hash\":\"95acb72c…\"}";
    ANNOTATION_SCHEMA = "annotation.schema" Note "a link of an annotation is shown as text"
        why "Harn does not restrict the links of an annotation. Only absolute `http`, `https` and `mailto` addresses become links; any other is shown as text, and the feeds contain it as written."
        bad "{\"links\":[{\"url\":\"javascript:alert(1)\"}]}"
        good "{\"links\":[{\"url\":\"https://example.org/notes\"}]}";
    ANNOTATION_QUOTE_NOT_FOUND = "annotation.quote-not-found" Warning "the quote of an annotation is not in its event"
        why "An annotation may quote its event under `quote` in `metadata`; the quote should occur in that event. White space and terminal colors are ignored. Harn gives the key no fixed meaning, so the run is still published. `runpress annotate --rehash RUN` stops at a missing quote, unless `[policy] stale_annotations` is `\"warn\"`."
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
        why "The hash in the sidecar does not match the tape, so each annotation is listed with the event that it points at now. `runpress annotate --rehash RUN --before TAPE` also shows the original event. Fixing `annotation.tape-digest-mismatch` removes these notes."
        bad "{\"type\":\"header\",\"schema_version\":1,\"tape_content_hash\":\"0000…\"}"
        good "{\"type\":\"header\",\"schema_version\":1,\"tape_content_hash\":\"95acb72c…\"}";
    ANNOTATION_OTHER_KIND = "annotation.other-kind" Note "an annotation may point at the wrong event"
        why "The evidence names a kind of event, for example `llm_call`, but neither its event nor its span contains one, and the tape has one nearby. The `event_id` may be wrong."
        bad "{\"event_id\":1,\"evidence\":\"the LLM call returned the payload\"}   (event 1 is a clock_read)"
        good "{\"event_id\":2,\"evidence\":\"the LLM call returned the payload\"}   (event 2 is the llm_call)";
    ANNOTATION_INVALID_FINDING = "annotation.invalid-finding" Error "a finding of a scanner cannot be read"
        why "Each line of a file for `runpress annotate --from` is one finding: `event`, `kind`, `evidence`, `author` with `id` and `kind`, and where they apply `span_end`, `quote`, `hypothesis_status` and `friction_kind`. A finding without an event has no place on a page. If one line is refused, nothing is written, so that a corrected file can be imported as a whole."
        bad "{\"kind\":\"incorrect\",\"evidence\":\"The tests were edited.\",\"author\":{\"id\":\"scan\",\"kind\":\"system\"}}"
        good "{\"event\":3,\"kind\":\"incorrect\",\"evidence\":\"The tests were edited.\",\"author\":{\"id\":\"scan\",\"kind\":\"system\"}}";

    // Codes of writeup.md.
    REVIEW_MISSING = "review.missing" Error "a completed run has no review"
        why "`[policy] require_review = true` requires a writeup with a rating or a checklist for every completed run, as Test Cabinet does before publishing. Other runs need none."
        bad "run-record.json with state `completed`, no writeup.md"
        good "---\nrating: great\n---\n\nIt plays well.";
    REVIEW_NOT_UTF8 = "review.not-utf8" Error "the review is not UTF-8"
        why "Invalid bytes would be replaced, so the text shown would differ from the text written."
        bad "caf\\xe9   (one Latin-1 byte)"
        good "café";
    REVIEW_UNCLOSED_FENCE = "review.unclosed-fence" Error "the front matter of the review is not closed"
        why "Front matter is between two lines that contain only `---`. Without the second line, rating and text cannot be separated."
        bad "---\nrating: great\n\nIt plays well."
        good "---\nrating: great\n---\n\nIt plays well.";
    REVIEW_EMPTY = "review.empty" Warning "the review has no text"
        why "A rating without a reason is of little use. With `require_review` this is an error."
        bad "---\nrating: great\n---"
        good "---\nrating: great\n---\n\nIt plays well.";
    REVIEW_UNKNOWN_RATING = "review.unknown-rating" Warning "missing or unknown rating"
        why "Ratings are `flawless`, `great`, `passable`, `scuffed` and `broken`, without quotes, as `rating: great` or per domain as `rating.gameplay: great`. Without a valid rating the run is shown as unrated; with `require_review` this is an error. A review with a checklist of `review.` lines needs no rating: its badge is the grade of the item `overall`, as in a game jam."
        bad "---\nrating: \"great\"\n---\n\nIt plays well."
        good "---\nrating: great\n---\n\nIt plays well.";
    REVIEW_UNKNOWN_STATUS = "review.unknown-status" Warning "unknown status of a checklist item"
        why "An item is `pass`, `fail` or `na`, or graded `broken`, `poor`, `neutral`, `great` or `incredible`; a note may follow after a space. For the item `overall` this is an error with `require_review`."
        bad "review.controls: passed"
        good "review.controls: pass the paddle follows the keys";
    REVIEW_TOO_LARGE = "review.too-large" Error "the review is larger than the limit"
        why "A review is a text for people. If it is meant to be this long, raise `writeup` in `[limits]`."
        bad "a writeup.md of 300 KiB with the default limit"
        good "[limits]\nwriteup = \"512 KiB\"";
    REVIEW_UNSAFE_LINK = "review.unsafe-link" Warning "a link or image is removed from a text"
        why "Links in the Markdown of a run may be `http`, `https` or `mailto`, or point at an event of the run such as `#e-17`; relative addresses and images would not work on the site. Pages of the site may also use relative addresses and images. The text of a removed link remains."
        bad "[play](javascript:alert(1))"
        good "[play](https://example.org/play)";

    // Codes of Harn transcripts.
    TRANSCRIPT_SYNTAX = "transcript.syntax" Error "the transcript is not valid JSON"
        why "`transcript.json` is one JSON document in UTF-8. Messages about a transcript never quote it, because parts of it are private."
        bad "{\"_type\": \"transcript\", \"messages\": ["
        good "{\"_type\": \"transcript\", \"version\": 2, \"messages\": []}";
    TRANSCRIPT_WRONG_DOCUMENT = "transcript.wrong-document" Error "the file is not a Harn transcript"
        why "A transcript is recognized by `_type`; any other file of this name might be published by mistake."
        bad "{\"_type\": \"run_record\"}"
        good "{\"_type\": \"transcript\", \"version\": 2, \"messages\": []}";
    TRANSCRIPT_OTHER_VERSION = "transcript.other-version" Warning "unsupported version of the transcript"
        why "Only version 2 is supported. The same keys may have another meaning in other versions; everything not clearly public is withheld."
        bad "{\"_type\": \"transcript\", \"version\": 3}"
        good "{\"_type\": \"transcript\", \"version\": 2}";
    TRANSCRIPT_WRONG_TYPE = "transcript.wrong-type" Error "a value of the transcript has the wrong JSON type"
        why "`messages` and `assets` are arrays, `id` and `state` strings. Absent arrays are empty."
        bad "{\"_type\": \"transcript\", \"messages\": {}}"
        good "{\"_type\": \"transcript\", \"messages\": []}";
    TRANSCRIPT_DUPLICATE_KEY = "transcript.duplicate-key" Warning "duplicate key in an object"
        why "JSON readers disagree on which of the two to keep; runpress keeps the last, as most do."
        bad "{\"_type\": \"transcript\", \"id\": \"a\", \"id\": \"b\"}"
        good "{\"_type\": \"transcript\", \"id\": \"b\"}";
    TRANSCRIPT_MISSING_ASSET = "transcript.missing-asset" Warning "a public asset of the transcript is missing"
        why "A public asset names a file that does not exist in the run directory, or a public block names an asset that is not in `assets`. The conversation shows its name only."
        bad "{\"assets\": [{\"id\": \"a\", \"visibility\": \"public\", \"storage\": {\"path\": \"assets/gone.png\"}}]}"
        good "{\"assets\": [{\"id\": \"a\", \"visibility\": \"public\", \"storage\": {\"path\": \"assets/shot.png\"}}]}";
    TRANSCRIPT_ASSET_OUTSIDE = "transcript.asset-outside" Error "an asset of the transcript has a forbidden path"
        why "`storage.path` is relative to the run directory. A path with `..`, an absolute path or a link out of the folder could publish any file of the build machine. Hidden files such as `.env`, files of other runs, and files with another role in the run, such as its record, cannot be assets."
        bad "{\"storage\": {\"path\": \"../../secrets.txt\"}}"
        good "{\"storage\": {\"path\": \"assets/shot.png\"}}";
    TRANSCRIPT_ASSET_WITHHELD = "transcript.asset-withheld" Note "a public asset of the transcript is not published"
        why "A public asset is published when it names a file, or when its `data` is a string. Other `data` could contain anything, and an asset that is itself a transcript contains more than its public part."
        bad "{\"assets\": [{\"id\": \"a\", \"visibility\": \"public\", \"data\": {\"rows\": []}}]}"
        good "{\"assets\": [{\"id\": \"a\", \"visibility\": \"public\", \"mime_type\": \"text/csv\", \"data\": \"a,b\"}]}";
    TRANSCRIPT_EVENT_DISAGREES = "transcript.event-disagrees" Note "an event of the transcript contradicts its turns"
        why "Harn derives an event of kind `message` or `tool_result` from each message. The page shows the messages, so an event with another text or role, or without a message, is not on the page. White space does not count."
        bad "{\"messages\": [{\"role\": \"user\", \"content\": \"a\"}], \"events\": [{\"kind\": \"message\", \"role\": \"user\", \"text\": \"b\"}]}"
        good "{\"messages\": [{\"role\": \"user\", \"content\": \"a\"}], \"events\": [{\"kind\": \"message\", \"role\": \"user\", \"text\": \"a\"}]}";
    TRANSCRIPT_INLINE_CONTENT = "transcript.inline-content" Note "a public block contains its file as base64"
        why "Base64 in a block is not published; the conversation shows the label of the block. A file of the run directory, described in `assets` and named by `asset_id`, is published, and keeps the transcript small."
        bad "{\"type\": \"image\", \"media_type\": \"image/png\", \"base64\": \"iVBORw0KGgo=\"}"
        good "{\"type\": \"image\", \"asset_id\": \"shot\"}";
    TRANSCRIPT_UNPORTABLE_VALUE = "transcript.unportable-value" Warning "some JSON readers refuse a value of the transcript"
        why "JSON allows half of a surrogate pair, numbers of any size and any nesting; many readers do not. The format allows such a value, so the run is published, and its feeds contain U+FFFD instead of half a pair, null instead of a number beyond 64-bit floats, and an empty object or array below 96 levels."
        bad "{\"type\": \"text\", \"text\": \"\\ud83d\"}"
        good "{\"type\": \"text\", \"text\": \"\\ud83d\\ude00\"}";

    // Codes of the review threads of the Agent Host Protocol.
    THREADS_SYNTAX = "threads.syntax" Error "the review threads are not valid JSON"
        why "`annotations.json` is one JSON document in UTF-8; `annotations.actions.jsonl` has one action per line."
        bad "{\"annotations\": ["
        good "{\"annotations\": []}";
    THREADS_MISSING_FIELD = "threads.missing-field" Error "a required key of a thread, an entry or an action is missing"
        why "A thread has `id`, `resource`, `resolved`, `entries` and `turnId` (or, since 0.9, `origin`); an entry has `id` and `text`; an action has `type` and the ids of its target."
        bad "{\"annotations\": [{\"id\": \"t-1\"}]}"
        good "{\"annotations\": [{\"id\": \"t-1\", \"turnId\": \"turn-3\", \"resource\": \"file:///workspace/src/a.ts\", \"resolved\": false, \"entries\": [{\"id\": \"e-1\", \"text\": \"Why?\"}]}]}";
    THREADS_WRONG_TYPE = "threads.wrong-type" Error "a value of a thread, an entry or an action has the wrong JSON type"
        why "The text of an entry is a string (plain) or an object with `markdown`; positions and sequence numbers are whole numbers from 0; `resolved` is `true` or `false`."
        bad "{\"id\": \"e-1\", \"text\": 3}"
        good "{\"id\": \"e-1\", \"text\": {\"markdown\": \"*Why?*\"}}";
    THREADS_DUPLICATE_KEY = "threads.duplicate-key" Warning "duplicate key in an object"
        why "JSON readers disagree on which of the two to keep; runpress keeps the last, as most do."
        bad "{\"id\": \"t-1\", \"id\": \"t-2\"}"
        good "{\"id\": \"t-2\"}";
    THREADS_DUPLICATE_ID = "threads.duplicate-id" Error "duplicate id of a thread or an entry"
        why "Actions find a thread by its id, and an entry by its id within the thread, so they could never apply to the second one."
        bad "{\"annotations\": [{\"id\": \"t-1\"}, {\"id\": \"t-1\"}]}"
        good "{\"annotations\": [{\"id\": \"t-1\"}, {\"id\": \"t-2\"}]}";
    THREADS_NO_ENTRIES = "threads.no-entries" Warning "a thread has no entry"
        why "The protocol requires at least one entry; a producer that removes the last one should remove the thread. The thread is shown without text."
        bad "{\"id\": \"t-1\", \"entries\": []}"
        good "{\"id\": \"t-1\", \"entries\": [{\"id\": \"e-1\", \"text\": \"Why?\"}]}";
    THREADS_MISSING_RESOURCE = "threads.missing-resource" Warning "the file of a thread is missing"
        why "`resource` names a file of the produced working tree: `file://` and the configured `[files] workspace` are removed, and the rest is looked up in `implementation/`, never outside it. The thread is shown without lines."
        bad "{\"resource\": \"file:///workspace/src/gone.ts\"}"
        good "{\"resource\": \"file:///workspace/src/main.ts\"}";
    THREADS_HIDDEN_RESOURCE = "threads.hidden-resource" Note "the file of a thread is hidden"
        why "Files and folders whose names begin with a dot, such as `.env` and `.git`, are never published, neither in the archive of the implementation nor as the lines of a thread."
        bad "{\"resource\": \"file:///workspace/.env\"}"
        good "{\"resource\": \"file:///workspace/src/main.ts\"}";
    THREADS_RANGE_OUTSIDE = "threads.range-outside" Warning "the range of a thread is not in its file"
        why "Lines count from 0, and the end may not be before the start. The file may have been changed after the review."
        bad "{\"range\": {\"start\": {\"line\": 900, \"character\": 0}, \"end\": {\"line\": 901, \"character\": 0}}}   (the file has 40 lines)"
        good "{\"range\": {\"start\": {\"line\": 9, \"character\": 0}, \"end\": {\"line\": 10, \"character\": 0}}}";
    THREADS_UNKNOWN_ACTION = "threads.unknown-action" Note "unknown type of action"
        why "A newer client may have written it. The action is ignored, as in the protocol's own reducer."
        bad "{\"type\": \"annotations/starred\"}"
        good "{\"type\": \"annotations/updated\", \"annotationId\": \"t-1\", \"resolved\": true}";
    THREADS_NO_ACTION = "threads.no-action" Note "JSON-RPC messages report no action"
        why "On the wire, an action arrives in a JSON-RPC notification with the method `action`, whose `params` is the envelope. Responses, requests and other methods change no thread. What a client asks for with `dispatchAction` has no effect until the server reports it. Such messages are skipped, and reported once with their number."
        bad "{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {}}"
        good "{\"jsonrpc\": \"2.0\", \"method\": \"action\", \"params\": {\"channel\": \"ahp-session:/1/annotations\", \"serverSeq\": 1, \"action\": {\"type\": \"annotations/removed\", \"annotationId\": \"t-1\"}}}";
    THREADS_NEW_RESOLVED = "threads.new-resolved" Note "a new thread is resolved from the start"
        why "In the protocol, new threads are open; a later action resolves them. A producer that opens a thread as resolved may have lost its history, or set the flag by mistake. The thread is published as resolved."
        bad "{\"type\": \"annotations/set\", \"annotation\": {\"id\": \"t-1\", \"resolved\": true}}   (no thread `t-1` before)"
        good "{\"type\": \"annotations/updated\", \"annotationId\": \"t-1\", \"resolved\": true}";
    THREADS_NO_TARGET = "threads.no-target" Note "the target of an action does not exist"
        why "The action is ignored, as in the protocol's own reducer; the thread may have been removed before."
        bad "{\"type\": \"annotations/removed\", \"annotationId\": \"gone\"}"
        good "{\"type\": \"annotations/removed\", \"annotationId\": \"t-1\"}";
    THREADS_FOREIGN_CHANNEL = "threads.foreign-channel" Note "actions belong to another channel"
        why "A log may contain the actions of several channels or sessions. The threads of a run are those of the channel that its snapshot names under `resource` or, without a snapshot, of the first channel in the log that ends in `/annotations`. Actions of other channels are skipped, and each channel is reported once, with the number of its actions."
        bad "{\"channel\": \"ahp-session:/1/changeset\", \"action\": {\"type\": \"annotations/removed\", \"annotationId\": \"t-1\"}}"
        good "{\"channel\": \"ahp-session:/1/annotations\", \"action\": {\"type\": \"annotations/removed\", \"annotationId\": \"t-1\"}}";
    THREADS_UNPORTABLE_VALUE = "threads.unportable-value" Warning "some JSON readers refuse a value of the review threads"
        why "JSON allows half of a surrogate pair, numbers of any size and any nesting; many readers do not. JavaScript accepts such a value, so the run is published, and its feeds contain U+FFFD instead of half a pair, null instead of a number beyond 64-bit floats, and an empty object or array below 96 levels."
        bad "{\"id\": \"e-1\", \"text\": \"\\ud83d\"}"
        good "{\"id\": \"e-1\", \"text\": \"\\ud83d\\ude00\"}";
}
