//! Logs that a command reads: `--from-command`, and the check of such a command.
#![cfg(unix)]

use std::path::{Path, PathBuf};

use runpress::api::import::{Adapter, ImportEvent, ImportOptions, Request, check_adapter};
use serde_json::Value;

use super::{Imported, keeping, request};
use crate::support::{contains, parse, rows};
use runpress::api::import::Keep;

/// A folder with logs. A command prints the log itself, so that a log is what an adapter prints.
struct Logs {
    folder: tempfile::TempDir,
}

const HEADER: &str = "{\"type\":\"adapter\",\"schemaVersion\":1,\"importer\":{\"format\":\"parrot\",\"version\":3}}\n";

impl Logs {
    fn of(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("logs")).expect("a folder");
        for (name, text) in files {
            std::fs::write(folder.path().join("logs").join(name), text).expect("a file");
        }
        Self { folder }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("logs")
    }

    fn import(
        &self,
        path: &Path,
        command: &str,
        options: ImportOptions,
    ) -> Vec<Result<Imported, String>> {
        let request = Request {
            adapter: Adapter::parse(command, 5),
            options,
            update: true,
            ..request(path.to_owned(), self.folder.path().join("runs"))
        };
        assert!(request.adapter.is_some(), "{command}");
        let mut runs = Vec::new();
        runpress::api::import::import(&request, &mut |said| match said {
            ImportEvent::Run(report, warnings) => {
                let report = serde_json::to_value(report).expect("JSON");
                let folder = request
                    .out
                    .join(report["folder"].as_str().expect("a folder"));
                runs.push(Ok(Imported::read(&folder, report, warnings)));
            }
            ImportEvent::Failed(problem) | ImportEvent::Skipped(problem) => {
                let line = problem.place.line.unwrap_or_default();
                let place = format!("{}:{line}", problem.place.path);
                runs.push(Err(format!(
                    "{} {place} {}",
                    problem.code.name, problem.message
                )));
            }
            _ => {}
        });
        runs
    }

    fn one(&self, command: &str) -> Imported {
        let mut runs = self.import(&self.path(), command, ImportOptions::default());
        assert_eq!(runs.len(), 1, "{runs:?}");
        runs.remove(0).expect("a run")
    }

    /// The problem of the only log.
    fn problem(&self, command: &str) -> String {
        let runs = self.import(&self.path().join("log"), command, ImportOptions::default());
        let mut problems = runs.into_iter().map(|run| run.expect_err("a problem"));
        problems.next().expect("a problem")
    }

    /// The problems that a check finds, and its counts.
    fn check(&self, command: &str, seconds: u64) -> Vec<String> {
        let adapter = Adapter::parse(command, seconds).expect("a command");
        let mut found = Vec::new();
        let done = check_adapter(&adapter, &self.path(), &mut |sample| {
            for problem in sample.problems {
                let line = problem.place.line.unwrap_or_default();
                found.push(format!("{line} {}", problem.message));
            }
        });
        found.extend(done.err().map(|problem| problem.message));
        found
    }
}

const RUN: &str = r#"{"type":"record","id":"7d9f0c52-0000-4000-8000-00000000c0de","startedAt":"2026-03-01T11:00:00+01:00","subject":{"testCaseSlug":"fix","harnessSlug":"parrot","harnessVersion":"2"},"metrics":{"runTimeSeconds":4.5,"cost":{"actual":0.5}},"status":{"state":"completed","detail":"done"},"outcomes":[{"name":"reward","value":0.25}],"import":{"formatVersion":"9","ids":{"ticket":"T-1"},"estimated":["cost"],"lowerBounds":["tokens.output"]},"agents":[{"id":"a1","call":"c1"}],"withheld":{"encryptedReasoning":2},"private":{"folders":["/srv/parrot"],"users":["ana"]}}
{"type":"note","kind":"system prompt","text":"You are a parrot."}
{"type":"message","role":"user","text":"Look into /srv/parrot/src, ana.","time":"2026-03-01T11:00:00+01:00"}
{"type":"reasoning","text":"I look."}
{"type":"tool_call","name":"task","call":"c1","arguments":{"path": "/srv/parrot/src"}}
{"type":"subagent","action":"started","id":"a1","call":"c1"}
{"type":"tool_result","call":"c1","ok":false,"exitCode":2,"exitCodeFrom":"field","text":"nothing there"}
{"type":"message","role":"assistant","text":"Inside.","agent":"a1","model":"small"}
{"type":"usage","tokens":{"uncachedInput":7,"output":3},"model":"large","calls":["c1"],"lowerBounds":["output"]}
{"type":"edit","path":"/srv/parrot/src/a.py","change":"modify","diff":"-a\n+b\n","call":"c1","source":{"file":0,"line":12,"id":"e-9"}}
{"type":"unknown","kind":"squawk"}
{"type":"error","message":"The end.","localTime":"2026-03-01T11:00:09"}
"#;

#[test]
fn what_a_command_prints_becomes_a_run_like_that_of_an_importer() {
    let logs = Logs::of(&[("log", &format!("{HEADER}{RUN}"))]);
    let run = logs.one("cat");
    run.states("id testCaseSlug harnessSlug harnessVersion startedAt runTimeSeconds actual state detail formatVersion ticket", "7d9f0c52-0000-4000-8000-00000000c0de fix parrot 2 2026-03-01T10:00:00Z 4.5 0.5 completed done 9 T-1");
    run.reads(&[
        "user Look into ./src, user.",
        "reasoning I look.",
        "call task c1",
        "subagent started c1 a1",
        "assistant Inside. @agent=a1",
        "result c1 false 2 nothing there",
        "usage",
        "edit c1 ./src/a.py modify",
        "error The end.",
    ]);
    assert_eq!(run.tokens(), "7/-/3/-");
    assert_eq!(run.lower_bounds(), "tokens.output");
    assert_eq!(
        run.all_withheld(),
        "absolutePaths 3, encryptedReasoning 2, names 1, systemPrompts 1, unknownRows 1"
    );
    assert_eq!(run.report["unknownRows"]["squawk"], 1);
    assert_eq!(run.origin(7), "0 12 - - e-9");
    assert_eq!(run.events()[0]["time"], "2026-03-01T10:00:00Z");
    assert_eq!(run.events()[8]["localTime"], "2026-03-01T11:00:09");
    let import = &run.record["import"];
    assert_eq!(
        (&import["format"], &import["importerVersion"]),
        (&Value::from("parrot"), &Value::from(3))
    );
    assert_eq!(import["sources"][0]["name"], "log");
    assert_eq!(import["estimated"][0], "cost");
    let header = parse(&run.trace[0]);
    assert_eq!(header["importer"]["format"], "parrot");

    let again = logs.one("cat");
    assert_eq!(again.report["result"], "unchanged");
    let kept = logs.import(&logs.path(), "cat", keeping(&[Keep::Prompts]));
    let kept = kept[0].as_ref().expect("a run");
    assert_eq!(kept.brief()[0], "note system prompt You are a parrot.");
}

#[test]
fn a_command_is_called_once_for_each_file_and_without_a_shell() {
    let run = |id: &str| {
        format!(
            "{HEADER}{{\"type\":\"record\",\"id\":\"{id}\"}}\n{{\"type\":\"note\",\"kind\":\"k\"}}\n"
        )
    };
    let two = format!("{}{{\"type\":\"record\",\"id\":\"c\"}}\n", run("b"));
    let logs = Logs::of(&[
        ("a b", &run("a")),
        ("-n", &two),
        ("readme", HEADER),
        ("$(x);y", &run("d")),
    ]);
    let runs = logs.import(&logs.path(), "cat", ImportOptions::default());
    let (runs, others): (Vec<_>, Vec<_>) = runs.into_iter().partition(Result::is_ok);
    let ids: Vec<String> = runs
        .into_iter()
        .map(|run| run.expect("a run").facts("session"))
        .collect();
    assert_eq!(ids, ["d", "b", "c", "a"]);
    assert_eq!(others.len(), 1);
    let other = others[0].as_ref().expect_err("no run");
    assert_eq!(
        other,
        "import.no-runs readme:0 The command reads no run from this file"
    );
    let nameless = format!("{HEADER}{}", "{\"type\":\"record\"}\n".repeat(3));
    let runs = Logs::of(&[("log", &nameless)]).import_all("cat");
    assert_eq!(runs.len(), 3, "a file may have several runs without ids");
    // A quoted word stays one, and `;` and `$` mean nothing.
    let problem = logs.problem_at("a b", "cat 'no such; echo $HOME'");
    contains(
        &problem,
        "ended with the status 1: cat: 'no such; echo $HOME'",
    );
    assert!(Adapter::parse("cat 'open", 5).is_none());
    assert!(Adapter::parse("  ", 5).is_none());
}

impl Logs {
    fn import_all(&self, command: &str) -> std::collections::BTreeSet<String> {
        let runs = self.import(&self.path(), command, ImportOptions::default());
        let ids = runs.into_iter().map(|run| run.expect("a run").facts("id"));
        ids.collect()
    }

    fn problem_at(&self, name: &str, command: &str) -> String {
        let mut runs = self.import(&self.path().join(name), command, ImportOptions::default());
        runs.remove(0).expect_err("a problem")
    }
}

#[test]
fn a_command_that_fails_is_named_with_its_status_and_last_words() {
    let logs = Logs::of(&[("log", "")]);
    for (command, message) in [
        (
            "no-such-program-here",
            "could not be started: `no-such-program-here`: ",
        ),
        (
            "sh -c 'printf \"first\\n\\033[31mlast\\r\\n\\n\" >&2; exit 3'",
            "ended with the status 3: \u{241b}[31mlast",
        ),
        ("sh -c 'kill -9 $$'", "was ended by a signal"),
        ("sh -c 'sleep 60'", "took longer than 5 seconds"),
        ("sh -c 'sleep 60 & exit 0'", "took longer than 5 seconds"),
        ("yes", "printed more than 256 MiB"),
        (
            "sh -c 'yes | head -c 3000000 >&2; exit 4'",
            "ended with the status 4: y",
        ),
    ] {
        let problem = logs.problem(command);
        assert!(
            problem.starts_with("import.failed-command log:0 The command "),
            "{problem}"
        );
        assert!(problem.contains(message), "{command}: {problem}");
    }
}

#[test]
fn one_line_that_cannot_be_read_stops_the_import_of_its_file() {
    let record = "{\"type\":\"record\"}\n";
    let header = |from: &str, to: &str| HEADER.replace(from, to);
    for (lines, line, message) in [
        (String::new(), 0, "It printed nothing"),
        ("{}\n".to_owned(), 1, "The first line is not a header"),
        (
            header("Version\":1", "Version\":2"),
            1,
            "The lines have version `2`",
        ),
        (
            header("parrot", "codex"),
            1,
            "The format `codex` has an importer",
        ),
        (
            header("parrot", "Par rot"),
            1,
            "The format `Par rot` has no valid name",
        ),
        (
            header("\"version\":", "\"url\":\"x\",\"version\":") + record,
            1,
            "`importer` has the unknown key `url`",
        ),
    ] {
        refuses(&lines, line, message);
    }
    // After the header; `RECORD` stands for a record.
    for [lines, line, message] in rows(
        r#"
{"type":"note","kind":"k"} | 2 | An event before the first record
RECORD⏎⏎progress: 1 % | 4 | The line cannot be read:
RECORD⏎[1] | 3 | The line cannot be read:
RECORD⏎{"type":"mesage"} | 3 | The line has the unknown type `mesage`
RECORD⏎{"type":"note"} | 3 | The event of type `note` has no `kind`
RECORD⏎{"type":"tool_result","exit_code":1} | 3 | The event has the unknown key `exit_code`
RECORD⏎{"type":"usage","tokens":{"cached":1}} | 3 | `tokens` has the unknown key `cached`
{"type":"record","metrics":{"tokens":{"cached":1}}} | 2 | `tokens` has the unknown key `cached`
{"type":"record","agents":[{"id":"a"},{"id":"b","parentId":"a"}]} | 2 | An agent has the unknown key `parentId`
{"type":"record","metrics":{"token":{}}} | 2 | The line cannot be read:
RECORD⏎{"type":"note","kind":"k","agent":"x"} | 3 | The record of the run has no agent `x`
"#,
    ) {
        let lines = lines.replace("RECORD", record.trim_end());
        refuses(
            &format!("{HEADER}{lines}\n"),
            line.parse().expect("a line"),
            message,
        );
    }
}

/// Expects this problem of what a command prints.
#[track_caller]
fn refuses(lines: &str, line: u32, message: &str) {
    let logs = Logs::of(&[("log", lines)]);
    let problem = logs.problem("cat");
    let start = format!("import.invalid-line log (output):{line} {message}");
    assert!(problem.starts_with(&start), "{lines}\n{problem}\n{start}");
    assert!(!logs.folder.path().join("runs").join("fix").exists());
}

#[test]
fn a_check_names_every_rule_that_an_adapter_breaks() {
    let record = r#"{"type":"record","id":"","startedAt":"2026-03-01T11:00:00Z","finishedAt":"2026-03-01T10:00:00Z","metrics":{"runTimeSeconds":0,"tokens":{"output":0},"cost":{"actual":-1}},"agents":[{"id":"a","call":"nowhere"}]}"#;
    let events = r#"
{"type":"tool_result","call":"late"}
{"type":"tool_call","name":"n","call":"late","time":"2026-03-01T11:00:02Z"}
{"type":"tool_call","name":"n","call":"once","time":"2026-03-01T11:00:01Z"}
{"type":"tool_result","call":"once","time":"2026-03-01T11:00:01Z"}
{"type":"tool_result","call":"once","time":"soon"}
{"type":"tool_result","call":"none","time":"1970-01-01T00:00:00Z","agent":"a"}
{"type":"usage","tokens":{"uncachedInput":0,"output":0},"calls":["gone"],"cost":0,"model":" "}
{"type":"note","kind":"k","agent":"b"}
"#;
    let logs = Logs::of(&[("log", &format!("{HEADER}{record}{events}"))]);
    let mut found = logs.check("cat", 5);
    // Copies that are cut off have the same problems.
    found.retain(|problem| !problem.contains(" Of ") && !problem.contains("An empty file"));
    assert_eq!(
        found,
        [
            "10 The record of the run has no agent `b`",
            "3 The result comes before its call `late`",
            "7 The call `once` has another result already",
            "8 No call has the id `none`",
            "2 No call has the id `nowhere`",
            "9 No call has the id `gone`",
            "2 The run ends before it starts",
            "5 The event is earlier than the one before it",
            "7 `soon` is no time of RFC 3339",
            "8 The time is second 0 of 1970, which no run has",
            "2 The run time is 0, which means that it was not measured",
            "2 The cost is negative",
            "2 The number of tokens is 0, which means that it was not measured",
            "2 The text is empty",
            "9 The number of tokens is 0, which means that it was not measured",
            "9 The cost is 0, which means that it was not measured",
            "9 The text is empty",
        ]
    );
}

#[test]
fn a_check_finds_output_that_changes_and_what_damaged_files_do() {
    let logs = Logs::of(&[("log", &format!("{HEADER}{RUN}"))]);
    let good = "sh -c 'tail -c 1 \"$0\" | grep -q . && exit 1; test -s \"$0\" || exit 1; iconv -f utf-8 -t utf-8 \"$0\"'";
    assert_eq!(logs.check(good, 5), [""; 0]);

    let clock = r#"sh -c 'cat "$0"; echo "{\"type\":\"note\",\"kind\":\"$$\"}"'"#;
    let found = &logs.check(clock, 5)[0];
    assert!(found.starts_with("14 "), "{found}");
    assert!(
        found.ends_with("printed something else the second time, from this line on"),
        "{found}"
    );

    let mut found = logs.check("cat", 5);
    found.retain(|problem| problem.contains(" Of "));
    for damage in ["stray byte", "the first 0 bytes"] {
        contains(&found.join("\n"), damage);
    }

    let hang = "sh -c 'tail -c 1 \"$0\" | grep -q . && sleep 60; cat \"$0\"'";
    contains(&logs.check(hang, 1).join("\n"), "ran longer than 1 seconds");

    let always = format!("{HEADER}{{\"type\":\"record\"}}\n").replace('"', "\\\"");
    let found = logs.check(&format!("sh -c 'printf %s \"{always}\"'"), 5);
    assert_eq!(found, ["0 An empty file gives a run"]);

    let found = Logs::of(&[("log", HEADER)]).check("cat", 5).pop();
    let expected = "The command reads no run from any of the samples";
    assert_eq!(found.as_deref(), Some(expected));
}
