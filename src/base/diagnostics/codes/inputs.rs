//! Codes of the settings, the content and the records of runs.

codes! {
    // Codes of site.toml.
    CONFIG_SYNTAX = "config.syntax" Error "invalid TOML in site.toml"
        why "The file cannot be parsed as TOML, so nothing can be built. The marked position is where the parser stopped; the mistake is there or just before."
        bad "[site\ntitle = \"Runs\""
        good "[site]\ntitle = \"Runs\"";
    CONFIG_UNKNOWN_KEY = "config.unknown-key" Error "unknown key in site.toml"
        why "An unknown key would be silently ignored, and a misspelled policy would have no effect. The message suggests the nearest known key."
        bad "[site]\ntitel = \"Runs\""
        good "[site]\ntitle = \"Runs\"";
    CONFIG_WRONG_TYPE = "config.wrong-type" Error "a value in site.toml has the wrong type"
        why "Each key takes one type: a string, a whole number, `true` or `false`, a list of strings, or a table."
        bad "[build]\nminify = \"yes\""
        good "[build]\nminify = true";
    CONFIG_INVALID_VALUE = "config.invalid-value" Error "a value in site.toml is not allowed"
        why "The type is right, but the value is not allowed: for example an unknown policy, a URL that is not http or https, a size of zero, or a host with a path."
        bad "[policy]\non_invalid = \"ignore\""
        good "[policy]\non_invalid = \"quarantine\"";
    CONFIG_UNUSED_EXPECTATION = "config.unused-expectation" Warning "an entry of `[[expect]]` matches no problem"
        why "An entry of `[[expect]]` makes a problem of one run a note. This run does not have this problem: it was corrected, or the code or the run is misspelled. The entry would hide the problem if it came back, so remove it."
        bad "[[expect]]\ncode = \"raw.event-differs\"\nrun = \"content/runs/frist\"\nreason = \"a sample\""
        good "[[expect]]\ncode = \"raw.event-differs\"\nrun = \"content/runs/first\"\nreason = \"a sample\"";
    CONFIG_NO_BASE_URL = "config.no-base-url" Note "no base URL is set"
        why "Without `base_url` the site works at any address, but feeds have no absolute URLs and pages have no canonical URL."
        bad "[site]\ntitle = \"Runs\""
        good "[site]\ntitle = \"Runs\"\nbase_url = \"https://example.org/runs/\"";

    // Codes of the content roots and of reading files.
    CONTENT_MISSING_ROOT = "content.missing-root" Error "a content root does not exist"
        why "The folder in `[build] content` or `--content` does not exist or cannot be read, so nothing can be checked. Paths in site.toml are relative to the site's root, paths on the command line to the working directory."
        bad "[build]\ncontent = [\"contents\"]"
        good "[build]\ncontent = [\"content\"]";
    CONTENT_NO_RUNS = "content.no-runs" Warning "no runs found"
        why "A run directory is a folder under a content root that contains `run-record.json`. The site is built without runs. It is an error if there is a file with nearly that name, or an event log without a record: then runs were meant to be found, and nothing is published."
        bad "content/\n  runs/first/run_record.json"
        good "content/\n  runs/first/run-record.json";
    CONTENT_MISSPELLED_NAME = "content.misspelled-name" Warning "a file has nearly the name of one that is read"
        why "Files are known by their names, and others are ignored: an event log named `event.jsonl` would be missing on the page of its run. If the file is meant to have another name, choose one that is less similar. It is an error for `redactions.jsonl`, since what it lists would be published."
        bad "content/runs/first/event.jsonl"
        good "content/runs/first/events.jsonl";
    CONTENT_NO_BASE = "content.no-base" Error "the folder of `--base` is not the root of a site"
        why "`--base` names the root of a site before a change. Compared with another folder, every run would look new. A checkout or an empty folder may have no site yet, and is then a base without runs; any other folder needs `site.toml` or a content root."
        bad "runpress check --base ../base/content"
        good "runpress check --base ../base";
    CONTENT_UNREADABLE = "content.unreadable" Error "a file or folder cannot be read"
        why "The operating system refused access: the permissions are wrong, the disk is faulty, or it is not a regular file. An unreadable file cannot be checked, so it is not published."
        bad "content/runs/first/events.jsonl   (a folder, a pipe, or without read permission)"
        good "content/runs/first/events.jsonl   (a regular, readable file)";
    CONTENT_SYMLINK = "content.symlink" Error "a symbolic link has a forbidden target"
        why "A link could point at anything on the build machine, so targets are restricted. A link in a run directory may point only to a file in the same run directory that is not read under its own name: never to another run, a hidden file, `raw.jsonl`, a transcript, the payloads of a tape or `implementation/`. A link among pages may point only to a file in the same content root outside all run directories. Links to folders are never followed."
        bad "content/runs/first/events.jsonl -> ../second/raw.jsonl"
        good "content/runs/first/events.jsonl -> logs/events-2.jsonl";
    CONTENT_LINKED_FOLDER = "content.linked-folder" Warning "a link to a folder is skipped"
        why "Symbolic links to folders are not followed: they could lead out of the content root, or loop. Runs behind this link are not published."
        bad "content/runs/old -> ../archive"
        good "[build]\ncontent = [\"content\", \"archive\"]";
    CONTENT_NESTED_RUN = "content.nested-run" Warning "a run directory is inside another one"
        why "Everything in a run directory belongs to its run, so the nested record is not published. Folders for output and recordings are not searched: `implementation/`, `assets/`, `proofs/`, `play/`, the payloads of a tape, and folders whose names begin with a dot."
        bad "content/runs/first/run-record.json\ncontent/runs/first/again/run-record.json"
        good "content/runs/first/run-record.json\ncontent/runs/first-again/run-record.json";
    CONTENT_TOO_LARGE = "content.too-large" Error "a file is larger than the limit"
        why "The limits in `[limits]` keep one broken recording from stopping the whole build. `memory` limits the total size of all files of a run that are held in memory: the record, event logs, tapes and their payloads, sidecars, the writeup, the transcript and review threads. If the files are correct, raise the limit that the message names."
        bad "events.jsonl of 400 MiB with the default limit"
        good "[limits]\nmemory = \"512 MiB\"";
    CONTENT_TOO_MANY_LINES = "content.too-many-lines" Error "a run has more lines than the limit"
        why "Each line of an event log, a tape, a sidecar or an action log takes memory, however short it is. The limit applies to the sum of these files of one run. If they are correct, raise `lines` in `[limits]`."
        bad "events.jsonl with 2,000,000 events with the default limit"
        good "[limits]\nlines = 4000000";
    CONTENT_INTERNAL_ERROR = "content.internal-error" Error "internal error while processing a run"
        why "This is a bug in runpress, not a problem of the run. The other runs are still checked, and `--keep-going` publishes them. The terminal shows the location in the code, but nothing of the run; set `RUST_BACKTRACE=1` for more."
        bad "a run that triggers a bug in runpress"
        good "a newer version of runpress, once the bug is reported and fixed";
    CONTENT_LINE_TOO_LONG = "content.line-too-long" Error "a line is longer than the limit"
        why "A line of many megabytes usually contains binary data that was recorded as text. If the line is correct, raise `line` in `[limits]`."
        bad "an event of 70 MiB with the default limit"
        good "[limits]\nline = \"128 MiB\"";

    // Codes of run-record.json.
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
