//! Codes of `runpress verify`: what does not hold in a copy of a published site.

codes! {
    VERIFY_UNREADABLE_FILE = "verify.unreadable-file" Error "a file of the copy cannot be read"
        why "A published site has only regular files with names in UTF-8. A link in a copy is not followed: what it leads to is not a part of the copy."
        bad "public/runs/a/events.jsonl -> ../../../notes.txt"
        good "public/runs/a/events.jsonl   (a file)";
    VERIFY_NO_CHECKSUMS = "verify.no-checksums" Warning "the copy has no `SHA256SUMS`"
        why "`SHA256SUMS` lists the checksum of every file. Without it, `runpress verify` still compares feeds, annotations and numbers with each other, but cannot find a change of a text on a page, or a file that is missing or was added."
        bad "# site.toml, without checksums"
        good "[publish]\nchecksums = true";
    VERIFY_INVALID_CHECKSUMS = "verify.invalid-checksums" Error "`SHA256SUMS` cannot be read"
        why "Each line is a SHA-256 with 64 hexadecimal digits, two spaces and a path, as `sha256sum` writes it. Each path is listed once."
        bad "a9812591  run.tape"
        good "a98125912002f09f764fd4643cba3a6e6a8ada4107b246b0c8232767a02031ae  run.tape";
    VERIFY_CHANGED_FILE = "verify.changed-file" Error "a file differs from its checksum"
        why "The bytes of the file are not those that the build wrote: it was edited, damaged, or served differently by a host that rewrites pages."
        bad "index.html: FAILED   (sha256sum --check)"
        good "index.html: OK";
    VERIFY_MISSING_FILE = "verify.missing-file" Error "a listed file is missing"
        why "`SHA256SUMS` or `feeds/index.json` lists a file that is not in the copy."
        bad "runs/a/run.json is listed, and not there"
        good "every listed file is there";
    VERIFY_UNLISTED_FILE = "verify.unlisted-file" Error "a file is not in `SHA256SUMS`"
        why "`SHA256SUMS` lists every file of a site except itself, `.nojekyll` and the marker `.runpress`. A further file was put into the copy after the build."
        bad "runs/b/run.json is there, and not listed"
        good "only listed files are there";
    VERIFY_CHANGED_FEED = "verify.changed-feed" Error "a feed or download differs from its digest in another feed"
        why "`feeds/index.json` lists size and BLAKE3 of each feed, and `run.json` those of the published files of its run."
        bad "feeds/runs.json has 81,200 bytes, and `feeds/index.json` lists 81,204"
        good "both are of the same build";
    VERIFY_INVALID_FEED = "verify.invalid-feed" Error "a feed does not match its schema"
        why "Every feed of a site matches the JSON Schema of the version of runpress that built it. Verify a site with that version."
        bad "{\"schemaVersion\": 1, \"runs\": 3}"
        good "{\"schemaVersion\": 1, \"runs\": []}";
    VERIFY_DIFFERENT_VALUE = "verify.different-value" Error "a value is not what it is made of"
        why "The numbers of `feeds/runs.json`, `feeds/runs.csv`, `feeds/cells.json` and of other feeds over all runs are made again of the records in `run.json`, and annotations, their quotes, steps and rule results are made again of the event logs next to it. So are the events on the pages; the page of a run also has its title, task, verdict, outcomes and writeup from the data. One of the two was changed after the build. An older version of runpress may have made a value differently: verify a site with the version that built it."
        bad "feeds/runs.json says 12 tokens of output, and the record 120"
        good "both say 120";
    VERIFY_NOT_WITHHELD = "verify.not-withheld" Error "a withheld span has no marker"
        why "`run.json` lists each span that is withheld. In the published file, a marker such as `[withheld: secret, 48 characters]` is in its place. Without the marker, what was withheld may be there."
        bad "{\"command\": \"deploy --token …\"}   (and `run.json` lists a redaction of `/command`)"
        good "{\"command\": \"deploy --token [withheld: secret, 48 characters]\"}";
    VERIFY_DEAD_LINK = "verify.dead-link" Error "a link inside the site leads nowhere"
        why "Every link between pages of a site leads to a file, and to an anchor that is there. A file or a page was changed or removed after the build."
        bad "<a href=\"../gone/index.html\">"
        good "<a href=\"../there/index.html\">";
    VERIFY_BROKEN_CHAIN = "verify.broken-chain" Error "the ledger of the site is not consistent"
        why "Each entry of `feeds/changes.json` has the digest of the entry before, and a digest of all runs after its build. An entry, or a run in the ledger, was changed after it was written."
        bad "\"previous\" is not the digest of the entry before"
        good "feeds/changes.json as the build wrote it";
    VERIFY_OTHER_HEAD = "verify.other-head" Error "the ledger has another head than expected"
        why "The head is the digest of the newest entry of the ledger, and through it of all entries before. `--expected-head` gives the one that you know, for example from the log of the job that published the site. A later state of the site has another head, too: `--since` shows whether it continues the state that you know."
        bad "runpress verify public --expected-head 0000…"
        good "runpress verify public --since earlier-copy";
    VERIFY_NOT_CONTINUED = "verify.not-continued" Error "the copy does not continue an earlier one"
        why "The ledger of a site only grows: the newest entry of an earlier copy is among the entries of every later one. If it is not, the site was built anew without its ledger, or its history was rewritten."
        bad "the head of the earlier copy is in no entry"
        good "a site that was built over its predecessor";
    VERIFY_DIFFERENT_INPUT = "verify.different-input" Error "a published run was built of other content"
        why "`run.json` lists the digest of each file of the run directory as it was recorded. With `--content`, they are compared with the files there. A file that changed after the build differs, too."
        bad "events.jsonl has 60 lines, and the site was built of 59"
        good "the content of the commit that was built";
}
