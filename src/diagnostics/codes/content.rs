//! Codes of the content roots and of reading files.
use super::family;

family! { ALL:
    CONTENT_MISSING_ROOT = "content.missing-root" Error "a content root does not exist"
        why "The folder that `[build] content` or `--content` names is not there or cannot be read, so nothing can be checked. Paths in site.toml are relative to the site's root, paths on the command line to the working directory."
        bad "[build]\ncontent = [\"contents\"]"
        good "[build]\ncontent = [\"content\"]";
    CONTENT_NO_RUNS = "content.no-runs" Warning "no run was found"
        why "A run directory is a folder under a content root that holds `run-record.json`. The site is built, but it shows no run."
        bad "content/\n  pages/guide.md"
        good "content/\n  pages/guide.md\n  runs/first/run-record.json";
    CONTENT_UNREADABLE = "content.unreadable" Error "a file or folder cannot be read"
        why "The system refused: the permissions are wrong, the disk has a fault, or it is not a regular file. What cannot be read cannot be checked, so it is not published."
        bad "content/runs/first/events.jsonl   (a folder, a pipe, or without read permission)"
        good "content/runs/first/events.jsonl   (a regular, readable file)";
    CONTENT_SYMLINK = "content.symlink" Error "a symbolic link has a forbidden target"
        why "A link could point at anything on the build machine, so targets are restricted. A link in a run directory may point only to a file in the same run directory that is not read under its own name: never to another run, a hidden file, `raw.jsonl`, a transcript, the payloads of a tape or `implementation/`. A link among pages may point only to a file in the same content root outside all run directories. Links to folders are never followed."
        bad "content/runs/first/events.jsonl -> ../second/raw.jsonl"
        good "content/runs/first/events.jsonl -> logs/events-2.jsonl";
    CONTENT_LINKED_FOLDER = "content.linked-folder" Warning "a linked folder is not walked"
        why "Symbolic links to folders are not followed: they can lead out of the content root, or in circles. Runs behind this link are not published."
        bad "content/runs/old -> ../archive"
        good "[build]\ncontent = [\"content\", \"archive\"]";
    CONTENT_NESTED_RUN = "content.nested-run" Warning "a run directory lies in another one"
        why "Run directories do not nest: what lies in the folder of a run is of that run. So the run of this record is not published. Folders that hold what a run made or recorded are not searched: `implementation/`, `assets/`, `proofs/`, `play/`, the payloads of a tape, and folders whose names begin with a dot."
        bad "content/runs/first/run-record.json\ncontent/runs/first/again/run-record.json"
        good "content/runs/first/run-record.json\ncontent/runs/first-again/run-record.json";
    CONTENT_TOO_LARGE = "content.too-large" Error "a file is larger than the limit"
        why "The limits in `[limits]` keep one broken recording from taking the whole build down. Raise the one that the message names if the file is right."
        bad "events.jsonl of 1.2 GiB with the default limit"
        good "[limits]\nfile = \"2 GiB\"";
    CONTENT_TOO_MANY_LINES = "content.too-many-lines" Error "a run has more lines than the limit"
        why "Each line of an event log, a tape, a sidecar or an action log is an event, an annotation or an action, and takes memory that grows with their number, however short it is. The limit is for all of these files of a run together. Raise `lines` in `[limits]` if the file is right."
        bad "events.jsonl with 2,000,000 events with the default limit"
        good "[limits]\nlines = 4000000";
    CONTENT_INTERNAL_ERROR = "content.internal-error" Error "internal error while processing a run"
        why "This is a bug in runpress, not a problem of the run. The other runs are still checked, and `--keep-going` publishes them. The terminal shows the location in the code and nothing of the run; set `RUST_BACKTRACE=1` for more."
        bad "a run that runpress cannot read because of a fault of its own"
        good "a newer version of runpress, once the fault is reported and fixed";
    CONTENT_LINE_TOO_LONG = "content.line-too-long" Error "a line is longer than the limit"
        why "One event on one line of many megabytes usually means that binary data was recorded as text. Raise `line` in `[limits]` if the line is right."
        bad "an event of 70 MiB with the default limit"
        good "[limits]\nline = \"128 MiB\"";
}
