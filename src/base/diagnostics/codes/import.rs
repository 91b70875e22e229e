//! Codes of `runpress import`.

codes! {
    IMPORT_UNREADABLE_FILE = "import.unreadable-file" Error "a file to import cannot be opened"
        why "The path does not exist, or its permissions do not allow reading it. Other files are still imported."
        bad "runpress import logs/sesion.jsonl   (there is no such file)"
        good "runpress import logs/session.jsonl";
    IMPORT_INVALID_FILE = "import.invalid-file" Error "a log is not valid JSON or UTF-8"
        why "The file has the right type, but its content cannot be parsed: it was cut off while it was copied, is still being written, or was edited by hand. JSON Lines are read up to the line that is cut (`import.cut-line`); a single JSON document is readable as a whole or not at all."
        bad "{\"schema_version\":\"ATIF-v1.7\",\"steps\":["
        good "{\"schema_version\":\"ATIF-v1.7\",\"steps\":[]}";
    IMPORT_INVALID_ARCHIVE = "import.invalid-archive" Error "a compressed log cannot be unpacked"
        why "The ZIP or Zstandard data is damaged, often because the file was cut off while it was copied."
        bad "log.eval   (the last bytes are missing)"
        good "log.eval   (copied again)";
    IMPORT_TOO_LARGE = "import.too-large" Error "a log exceeds a limit"
        why "A file may be 1 GiB in size, on disk and unpacked. Compressed data may unpack to 200 times its size (64 MiB are always allowed), and all members of an archive together to 100 times its size (2 GiB are always allowed). An archive may have 100,000 members. Logs stay far below these limits; files made to exhaust memory do not."
        bad "log.jsonl.zst   (1 MiB, which unpacks to 10 GiB)"
        good "log.jsonl.zst   (1 MiB, which unpacks to 20 MiB)";
    IMPORT_UNKNOWN_FORMAT = "import.unknown-format" Error "a file has no recognized format"
        why "The format is recognized by content. The message names the nearest format and what the file lacks. In a folder, such files are skipped and counted. What `codex exec --json` and `claude -p --output-format json` print is not a log: the message says where the log is."
        bad "{\"eval\":{},\"status\":\"success\"}   (Inspect, but `version` is missing)"
        good "{\"version\":2,\"status\":\"success\",\"eval\":{},\"samples\":[]}";
    IMPORT_AMBIGUOUS_FORMAT = "import.ambiguous-format" Error "a file could have two formats"
        why "Lines of two formats are in one file. `--format` decides which one is read; lines of the other are counted as unrecognized."
        bad "{\"type\":\"session_meta\",\"payload\":{}}\n{\"type\":\"user\",\"uuid\":\"u-1\"}"
        good "runpress import --format codex mixed.jsonl";
    IMPORT_WRONG_FORMAT = "import.wrong-format" Error "a file does not have the format that was named"
        why "`--format` skips the recognition of formats, but the file has nothing of this format in it."
        bad "runpress import --format codex session-of-claude-code.jsonl"
        good "runpress import session-of-claude-code.jsonl";
    IMPORT_UNSUPPORTED_VERSION = "import.unsupported-version" Error "a log has a version that is not supported"
        why "A newer version of a format may change the meaning of its keys, so it is not guessed. `content/pages/import` lists the versions that are read."
        bad "{\"schema_version\":\"ATIF-v2.0\",\"steps\":[]}"
        good "{\"schema_version\":\"ATIF-v1.7\",\"steps\":[]}";
    IMPORT_NATIVE_FILE = "import.native-file" Error "a file needs no import"
        why "Run records, traces and Harn tapes are what runpress reads. Put them into a run directory in the content."
        bad "runpress import session.trace.jsonl"
        good "content/runs/first/run-record.json\ncontent/runs/first/session.trace.jsonl";
    IMPORT_NO_RUNS = "import.no-runs" Error "no run was found"
        why "The folder holds no log of a recognized format, or the log holds nothing that could become a run, such as a log of Inspect without samples."
        bad "runpress import empty-folder"
        good "runpress import ~/.codex/sessions";
    IMPORT_UNFINISHED = "import.unfinished" Error "a trial has not ended"
        why "Harbor writes `result.json` when a trial has ended. Without it the trial is still running, or was killed; half a trial is not a run."
        bad "jobs/1/task__a1/config.json"
        good "jobs/1/task__a1/config.json\njobs/1/task__a1/result.json";
    IMPORT_MISSING_CASE = "import.missing-case" Error "a log does not name its case"
        why "Runs of one test case are listed and compared together, so every run has a case. Logs of Claude Code, Codex and some others do not say what the agent was asked to do. Name the case on the command line, or write patterns of paths into site.toml once."
        bad "runpress import ~/.codex/sessions"
        good "[[import]]\npath = \"sessions/2026/02/**\"\ncase = \"fix-parser\"";
    IMPORT_CHANGED = "import.changed" Error "a run was imported before, with other content"
        why "The log has changed since: usually a session was continued, or other options are used. `--update` replaces the record and the trace, if the new ones contain what was imported before. Annotations, the writeup and keys that you added to the record stay; the message says how many events at the beginning are the same, so annotations of these stay valid. A file of `runpress share` restores a run directory as it was, and replaces nothing."
        bad "runpress import session.jsonl   (the session was continued)"
        good "runpress import session.jsonl --update";
    IMPORT_NOT_A_CONTINUATION = "import.not-a-continuation" Error "a log has only a part of a run that was imported before"
        why "The folder of the run was made from other logs, or from a longer version of this one. Replacing it would lose events, so `--update` refuses it. A session that lies in several files is imported with all of them; a copy or a fork of a session that has its id is imported into another folder with `--out`."
        bad "runpress import rollout-1.jsonl\nrunpress import rollout-2.jsonl --update   (the second file continues the first)"
        good "runpress import sessions --update";
    IMPORT_FOREIGN_RUN = "import.foreign-run" Error "a run with this id exists that was not imported"
        why "The record in that folder has no `import` object, so somebody else wrote it. It is never overwritten."
        bad "content/runs/mine/run-record.json: {\"id\":\"7d9f0c52\"}   (and a log with the same id)"
        good "runpress import session.jsonl --out content/other";
    IMPORT_CANNOT_WRITE = "import.cannot-write" Error "a run directory cannot be written"
        why "The folder of `--out`, or the first content root, does not allow writing, is a link, or the disk is full. Other runs are still imported."
        bad "runpress import session.jsonl --out /usr/lib"
        good "runpress import session.jsonl --out content/runs";
    IMPORT_DUPLICATE_RUN = "import.duplicate-run" Note "two logs are the same run"
        why "Both have the same id, or every row of one is a copy of a row in the other. One of them is imported."
        bad "logs/session.jsonl\nlogs/copy-of-session.jsonl"
        good "logs/session.jsonl";
    IMPORT_FAILED_COMMAND = "import.failed-command" Error "a command that reads logs did not succeed"
        why "The command of `--from-command` could not be started, ended with another status than 0, took longer than `--time-limit`, or printed more than 256 MiB about one file. The message has its status and the last line of its error output. Nothing of this file is imported; the others are."
        bad "runpress import session.log --from-command 'python3 adapter.py'   (which ends with an exception)"
        good "runpress import session.log --from-command 'python3 adapter.py'   (which ends with the status 0)";
    IMPORT_INVALID_LINE = "import.invalid-line" Error "a command printed a line that is not of the adapter format"
        why "The command of `--from-command` prints a header, then for each run a record and its events, one JSON object on each line. `runpress schema adapter` prints the schema, and the page [Write an adapter](../adapters/index.html) explains it. One line that cannot be read stops the import of the file, so that no run lacks a part without a word."
        bad "{\"type\":\"tool_call\",\"nmae\":\"bash\"}"
        good "{\"type\":\"tool_call\",\"name\":\"bash\"}";
    IMPORT_NONCONFORMING_ADAPTER = "import.nonconforming-adapter" Error "an adapter breaks a rule of the adapter format"
        why "`runpress import --check-adapter` runs the command twice on each sample and on damaged copies. Results come after their calls, ids name calls of the run, times go forward, what the log does not state is left out and not 0, the same file gives the same bytes, and a damaged file gives an error or lines without a fault."
        bad "{\"type\":\"tool_result\",\"call\":\"call-1\"}   (and no call has this id)"
        good "{\"type\":\"tool_call\",\"name\":\"bash\",\"call\":\"call-1\"}\n{\"type\":\"tool_result\",\"call\":\"call-1\"}";
    IMPORT_SKIPPED_ENTRY = "import.skipped-entry" Note "a link or special file is not read"
        why "A link in a folder could lead anywhere, so links are not followed. Name the file itself, or copy it into the folder."
        bad "logs/session.jsonl -> /srv/logs/session.jsonl"
        good "runpress import /srv/logs/session.jsonl";
    IMPORT_PART_OF_A_THREAD = "import.part-of-a-thread" Warning "a log continues a thread whose earlier file is missing"
        why "Codex continues a long thread in further files. Together they are one run. The message names the thread; its earlier files have that id in their names."
        bad "runpress import rollout-2026-01-02T03-04-05-THREAD_ROLLOUT.jsonl"
        good "runpress import ~/.codex/sessions";
    IMPORT_TOTALS_DIFFER = "import.totals-differ" Warning "two counts of the tokens of a run differ"
        why "The total that a log states is compared with the sum of its responses. They differ if responses were billed that the log does not list, such as compactions, or if a counter started again. The message has the stated total first. `--report json` has both as `recorded` and `computed`."
        bad "{\"total_token_usage\":{\"input_tokens\":900}}   (and responses of 700 tokens)"
        good "{\"total_token_usage\":{\"input_tokens\":900}}   (and responses of 900 tokens)";
    IMPORT_CUT_LINE = "import.cut-line" Warning "a line of a log is cut off"
        why "Usually it is the last line: the program was stopped while it wrote, or is still writing. All other lines are imported. If the log grows later, import it again with `--update`."
        bad "{\"type\":\"user\",\"uuid\":\"u-1\",\"mess"
        good "{\"type\":\"user\",\"uuid\":\"u-1\",\"message\":{\"role\":\"user\",\"content\":\"Fix it.\"}}";
    IMPORT_LOWER_BOUND = "import.lower-bound" Warning "a count or cost of an imported run is a lower bound"
        why "The log lacks a part: some responses have no count of their tokens or only the count of their beginning, a line is cut off, the log of a subagent is missing, or the cost was last written before the run ended. What is known is added up, listed in `import.lowerBounds` of the record, marked with `≥` on pages and `lowerBounds` in feeds, and not compared with other runs."
        bad "{\"type\":\"assistant\",\"message\":{\"stop_reason\":null,\"usage\":{\"output_tokens\":1}}}"
        good "{\"type\":\"assistant\",\"message\":{\"stop_reason\":\"end_turn\",\"usage\":{\"output_tokens\":412}}}";
    IMPORT_UNREADABLE_ENTRY = "import.unreadable-entry" Warning "an entry of a log cannot be read"
        why "A line or value is not what the format promises. It is left out and counted; everything else in the log is imported."
        bad "{\"type\":\"user\",\"uuid\":\"u-1\"}\nnot JSON"
        good "{\"type\":\"user\",\"uuid\":\"u-1\"}";
    IMPORT_CUT_TEXT = "import.cut-text" Warning "a text of a log was too long to be copied whole"
        why "A line of a trace is limited to 64 MiB, so messages, arguments and other texts over 8 MiB keep their first and last 4 MiB. (Results of tools over 1 MiB keep their first and last 256 KiB, as their event says, without this warning.) Such a text is usually a file that was pasted or printed."
        bad "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"(200 MB)\"}}"
        good "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"Look at data/dump.sql.\"}}";
    IMPORT_UNPUBLISHABLE = "import.unpublishable" Warning "an imported run will not be published"
        why "Its log says that the run was canceled, or that something other than the agent failed: the machine, the provider of the model, the verifier. Such a run says nothing about its model. It is imported, and counted on the site, but gets no page."
        bad "result.json: {\"exception_info\": {\"exception_type\": \"CancelledError\"}}"
        good "result.json: {\"exception_info\": null}";
}
