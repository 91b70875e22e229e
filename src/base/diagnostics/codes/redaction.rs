//! Codes of redactions.jsonl.

family! { ALL:
    REDACTION_INVALID_LINE = "redaction.invalid-line" Error "a line of redactions.jsonl cannot be read"
        why "Each line of `redactions.jsonl` withholds one span, or one whole file, of the run. A line that is not understood would withhold nothing, so the run is not published. `runpress redact` writes valid lines; `runpress schema redactions` prints their schema."
        bad "{\"id\":\"r1\",\"file\":\"events.jsonl\",\"reason\":\"secret\"}"
        good "{\"id\":\"r1\",\"file\":\"events.jsonl\",\"event\":41,\"pointer\":\"/command\",\"start\":17,\"end\":65,\"length\":48,\"reason\":\"secret\"}";
    REDACTION_DUPLICATE_ID = "redaction.duplicate-id" Error "duplicate redaction id"
        why "The id of a redaction is unique in its file: `--undo` and `reveal-proof` name a redaction by it, and its commitment is made with it."
        bad "{\"id\":\"r1\",…}\n{\"id\":\"r1\",…}"
        good "{\"id\":\"r1\",…}\n{\"id\":\"r2\",…}";
    REDACTION_UNKNOWN_FILE = "redaction.unknown-file" Error "a redaction names a file that is not in the run"
        why "`file` is the path of a file from the run directory. A redaction of a file that does not exist withholds nothing: the file was probably renamed, and is published under its new name. `raw.jsonl` is never published and needs no redaction."
        bad "{\"id\":\"r1\",\"file\":\"event.jsonl\",…}"
        good "{\"id\":\"r1\",\"file\":\"events.jsonl\",…}";
    REDACTION_STALE = "redaction.stale" Error "a redaction no longer matches its file"
        why "The span, its length, the text around it or its commitment does not match the recorded file: the file changed after the redaction was written. Nothing of the run is published, since the text to withhold may now be elsewhere. Remove the redaction with `runpress redact RUN --undo ID`, then withhold the text again."
        bad "{\"id\":\"r1\",\"file\":\"writeup.md\",\"start\":17,\"end\":65,\"length\":48,…}   (writeup.md has 40 bytes)"
        good "{\"id\":\"r1\",\"file\":\"writeup.md\",\"start\":5,\"end\":30,\"length\":25,…}";
    REDACTION_OVERLAP = "redaction.overlap" Error "two redactions overlap"
        why "Each byte is withheld by one redaction, so that every marker has one reason and one length. Remove one of the two with `runpress redact RUN --undo ID`."
        bad "{\"id\":\"r1\",…,\"start\":0,\"end\":20,…}\n{\"id\":\"r2\",…,\"start\":10,\"end\":30,…}"
        good "{\"id\":\"r1\",…,\"start\":0,\"end\":30,…}";
    REDACTION_REMAINS = "redaction.remains" Error "a withheld value occurs elsewhere in the run"
        why "A value that is withheld as a secret is still in another file, event or key that would be published, as it is or escaped. `runpress redact` withholds every occurrence; this one was added later, or the redaction was written by hand. Values under 8 bytes are not searched for."
        bad "{\"id\":\"r1\",\"file\":\"events.jsonl\",\"event\":41,…}   (event 52 has the same key)"
        good "{\"id\":\"r1\",\"file\":\"events.jsonl\",\"event\":41,…}\n{\"id\":\"r2\",\"file\":\"events.jsonl\",\"event\":52,…}";
    REDACTION_INVALID_KEY = "redaction.invalid-key" Error "redaction.key is not a key"
        why "`redaction.key` beside site.toml holds the 32 random bytes, as 64 hexadecimal digits, with which the commitments of all redactions are made. `runpress redact` creates it. It is never published and belongs into no repository; keep a copy where you keep other keys. On machines without the file, such as those of CI jobs, commitments are not compared."
        bad "redaction.key: ********"
        good "redaction.key: the 64 hexadecimal digits of your backup";
    REDACTION_PUBLISHED_KEY = "redaction.published-key" Error "redaction.key is among the files that are published"
        why "With the key of the redactions, anyone can test guesses of every short text that is withheld. It belongs beside site.toml, from where nothing is published, and into no repository."
        bad "static/redaction.key"
        good "redaction.key";
}
