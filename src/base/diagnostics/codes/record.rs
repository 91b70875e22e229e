//! Codes of run-record.json.

family! { ALL:
    RECORD_NOT_UTF8 = "record.not-utf8" Error "the record is not UTF-8"
        why "JSON is UTF-8. The first invalid byte is marked."
        bad "{\"id\": \"caf\\xe9\"}   (one Latin-1 byte)"
        good "{\"id\": \"café\"}";
    RECORD_SYNTAX = "record.syntax" Error "the record is not valid JSON"
        why "A truncated record usually means that the recorder was stopped while writing. Copy the record from its source again, or remove the folder."
        bad "{\"id\": \"4f1c2d3e\", \"startedAt\":"
        good "{\"id\": \"4f1c2d3e\", \"startedAt\": \"2026-03-01T10:00:00Z\"}";
    RECORD_WRONG_DOCUMENT = "record.wrong-document" Error "the file is a different kind of document"
        why "`run-record.json` contains a Test Cabinet run record: one object with `id`, `subject`, `metrics`, `validation` and `status`. Harn also calls one of its documents a run record; that is a different format."
        bad "{\"_type\": \"run_record\", \"workflow_id\": \"w-1\"}"
        good "{\"id\": \"4f1c2d3e\", \"subject\": {\"testCaseSlug\": \"pong\"}}";
    RECORD_MISSING_FIELD = "record.missing-field" Error "a required key of the record is missing"
        why "The run cannot be published without this key. Keys that later versions added are never required, and null counts as missing only where a value is needed."
        bad "{\"id\": \"4f1c2d3e\"}"
        good "{\"id\": \"4f1c2d3e\", \"startedAt\": \"2026-03-01T10:00:00Z\", \"finishedAt\": \"2026-03-01T10:20:00Z\"}";
    RECORD_WRONG_TYPE = "record.wrong-type" Error "a value of the record has the wrong JSON type"
        why "A string is never converted to a number, nor a number to a string. In a key that later versions of the format added, such as `proofs` or `toolCalls`, this is a warning and the run is shown without the value."
        bad "{\"metrics\": {\"runTimeSeconds\": \"612\"}}"
        good "{\"metrics\": {\"runTimeSeconds\": 612}}";
    RECORD_DUPLICATE_KEY = "record.duplicate-key" Error "duplicate key in an object of the record"
        why "JSON readers disagree on which of the two values to keep, and Test Cabinet refuses such a record, so it is not published. Duplicate keys inside `codeAnalysis` and the other parts that are copied whole are not reported."
        bad "{\"id\": \"a\", \"id\": \"b\"}"
        good "{\"id\": \"b\"}";
    RECORD_EMPTY_NAME = "record.empty-name" Error "the id of the run or a name of its subject is empty"
        why "Addresses, tables, feeds and citations identify the run by its id, test case, harness and model."
        bad "{\"id\": \"\"}"
        good "{\"id\": \"4f1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b11\"}";
    RECORD_INVALID_TIMESTAMP = "record.invalid-timestamp" Error "a timestamp is not RFC 3339"
        why "The archive is sorted by time. A timestamp needs date, time and offset, as in `2026-03-01T10:00:00Z` or `2026-03-01T11:00:00.250+01:00`."
        bad "{\"startedAt\": \"1 March 2026, 10:00\"}"
        good "{\"startedAt\": \"2026-03-01T10:00:00Z\"}";
    RECORD_FINISHED_BEFORE_START = "record.finished-before-start" Error "the run finished before it started"
        why "One of the two timestamps is wrong, often because of a missing offset."
        bad "{\"startedAt\": \"2026-03-01T10:00:00Z\", \"finishedAt\": \"2026-03-01T09:00:00Z\"}"
        good "{\"startedAt\": \"2026-03-01T10:00:00Z\", \"finishedAt\": \"2026-03-01T11:00:00Z\"}";
    RECORD_INVALID_METRIC = "record.invalid-metric" Error "a metric is negative, not finite or not whole"
        why "Times and costs are finite and not negative; token counts are whole numbers. An unknown value is null, never a negative number."
        bad "{\"metrics\": {\"tokens\": {\"output\": -1}}}"
        good "{\"metrics\": {\"tokens\": {\"output\": null}}}";
    RECORD_SIMILARITY_OUT_OF_RANGE = "record.similarity-out-of-range" Error "a similarity is not between 0 and 1"
        why "The similarity of a check is a fraction from 0 (nothing alike) to 1 (identical)."
        bad "{\"view\": \"title\", \"reached\": true, \"similarity\": 97.5}"
        good "{\"view\": \"title\", \"reached\": true, \"similarity\": 0.975}";
    RECORD_DUPLICATE_CHECK = "record.duplicate-check" Warning "two checks have the same view"
        why "Comparison tables have one column per view and show the first check of each. The run page shows all checks."
        bad "{\"checks\": [{\"view\": \"title\"}, {\"view\": \"title\"}]}"
        good "{\"checks\": [{\"view\": \"title\"}, {\"view\": \"in-play\"}]}";
    RECORD_INVALID_LINK = "record.invalid-link" Error "a link of the record is not http or https"
        why "Readers follow the links of a record. Only absolute `http://` and `https://` addresses are allowed; anything else could run code or open files on the reader's computer."
        bad "{\"links\": {\"sourceRepo\": \"javascript:alert(1)\"}}"
        good "{\"links\": {\"sourceRepo\": \"https://git.example.org/runs/4f1c2d3e\"}}";
    RECORD_MISSING_PICTURE = "record.missing-picture" Note "a picture that the record declares is missing"
        why "Proofs are looked for at `implementation/<dest>`, media of the showcase and images in its description at `implementation/showcase/<file>`; then at the same path in the run directory and in its `assets/`. The page names the picture instead. With `publish_pictures = false`, no picture is looked for."
        bad "{\"showcase\": {\"media\": [{\"file\": \"gone.png\", \"kind\": \"image\"}]}}"
        good "{\"showcase\": {\"media\": [{\"file\": \"title.png\", \"kind\": \"image\"}]}}";
    RECORD_UNKNOWN_KEY = "record.unknown-key" Note "unknown key in records"
        why "The key comes from a newer recorder, or is misspelled. `run.json` contains it as written; no page shows it. Each key is reported once for the whole archive, at the first run that has it, with the number of runs. Keys inside `codeAnalysis`, `toolCalls` and the other parts that are copied whole are not checked."
        bad "{\"validation\": {\"loaded\": true, \"prooofs\": []}}"
        good "{\"validation\": {\"loaded\": true, \"proofs\": []}}";
    RECORD_NEVER_PUBLISHED = "record.never-published" Note "the run ended in a state that is never published"
        why "A run whose state is `infrastructure` (the machine failed) or `canceled` (the run was stopped) says nothing about its model, and Test Cabinet never publishes it. The run is left out of the site and its feeds, and its other files are not read. The site shows only how many such runs there are."
        bad "{\"status\": {\"state\": \"canceled\", \"detail\": \"Stopped by the operator.\"}}"
        good "{\"status\": {\"state\": \"timed_out\", \"detail\": \"Stopped after 3600 s.\"}}";
    RECORD_UNPORTABLE_VALUE = "record.unportable-value" Warning "some JSON readers refuse a value of the record"
        why "JSON allows half of a surrogate pair, numbers of any size and any nesting; many readers do not. A key that the record format does not list may have such a value: the run is published, and its feeds contain U+FFFD instead of half a pair, null instead of a number beyond 64-bit floats, and an empty object or array below 96 levels. A listed key must have a value of its type."
        bad "{\"codeAnalysis\": {\"title\": \"\\ud83d\", \"size\": 1e999}}"
        good "{\"codeAnalysis\": {\"title\": \"\\ud83d\\ude00\", \"size\": 1e9}}";
}
