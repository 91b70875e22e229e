//! Codes of the content roots and of reading files.

family! { ALL:
    CONTENT_MISSING_ROOT = "content.missing-root" Error "a content root does not exist"
        why "The folder in `[build] content` or `--content` does not exist or cannot be read, so nothing can be checked. Paths in site.toml are relative to the site's root, paths on the command line to the working directory."
        bad "[build]\ncontent = [\"contents\"]"
        good "[build]\ncontent = [\"content\"]";
    CONTENT_NO_RUNS = "content.no-runs" Warning "no runs found"
        why "A run directory is a folder under a content root that contains `run-record.json`. The site is built without runs."
        bad "content/\n  pages/guide.md"
        good "content/\n  pages/guide.md\n  runs/first/run-record.json";
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
}
