//! Codes of the review threads of the Agent Host Protocol.

family! { ALL:
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
