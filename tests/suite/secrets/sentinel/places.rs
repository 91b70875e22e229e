//! The places of a run and a site that can contain a secret.

use serde_json::json;

use crate::support::{FIRST, TestSite, event, first};

/// Puts a secret somewhere.
pub(super) type Put = Box<dyn Fn(&TestSite, &str)>;

/// A place that no table can describe.
type Other = (&'static str, fn(&TestSite, &str));

/// Places that are published, in the form of [`places`].
const PUBLISHED: &str = r#"
a message                           | event agent | "message":"KEY"
reasoning                           | event reasoning | "message":"KEY"
a command                           | event command | "command":"curl -H 'x: KEY'","exitCode":0
a working directory                 | event command | "command":"ls","workingDirectory":"/KEY"
the path of a file                  | event read | "path":"src/KEY.ts"
a query                             | event search | "query":"KEY"
a skill                             | event skill | "skillName":"KEY"
the code of an error                | event error | "message":"no","code":"KEY"
the name of an agent                | event orchestration | "action":"spawn","subagentName":"KEY"
an unrecognized field of an event   | event agent | "message":"m","later":{"deep":["KEY"]}
the name of a field                 | event agent | "message":"m","KEY":1
an unrecognized event               | event unknown | "raw":{"stdout":"KEY"}
the detail of a state               | value /status/detail | KEY
the detail of a check               | value /validation/checks/0/detail | KEY
a command of the record             | value /validation/install/command | npm ci --token=KEY
an environment                      | value /environment/os | KEY
a link                              | value /links/sourceRepo | https://agent:KEY@git.example.org/x
an unrecognized field of the record | run-record.json | "tooling" | "later": { "a": "KEY" }, "tooling"
the header of a tape                | run.tape | "version":1 | "version":1,"argv":["KEY"]
the arguments of a call in a trace  | run.trace.jsonl | "ls" | "KEY"
a result in a trace                 | run.trace.jsonl | "none" | "KEY"
a diff in a trace                   | run.trace.jsonl | -a\n+b | -a\n+KEY
the text of an annotation           | events.jsonl.annotations.jsonl | [here](#e-2) | KEY
metadata of an annotation           | events.jsonl.annotations.jsonl | "evidence" | "metadata":{"a":"KEY"},"evidence"
an annotation of a tape             | run.tape.annotations.jsonl | A *note*. | KEY
a public turn                       | transcript.json | Write pong. | KEY
a public block                      | transcript.json | I will. | KEY
the name of a public asset          | transcript.json | "name":"shot" | "name":"KEY"
a review thread                     | annotations.json | "plain" | "KEY"
a review                            | writeup.md | It works | It printed KEY and works
a field of a review                 | writeup.md | rating: great | rating: great⏎review.play: pass KEY
a review with a zero byte           | writeup.md | It works | It ␀ printed KEY
a reviewed file                     | write RUN/implementation/src/a.ts | one KEY⏎two⏎three⏎
a page                              | write content/pages/about.md | +++⏎title = "About"⏎+++⏎⏎Use KEY here.⏎
the title of a page                 | write content/pages/about.md | +++⏎title = "KEY"⏎+++⏎⏎Words.⏎
the page of a case                  | write content/cases/pong.md | +++⏎title = "Pong"⏎+++⏎⏎Use KEY here.⏎
a file of the site                  | write static/notes.txt | KEY⏎
a script of the site                | write static/js/own.js | const key = "KEY";⏎
a style sheet with a zero byte      | write static/css/own.css | p {}␀⏎/* KEY */⏎
the name of a file of the site      | write static/KEY.txt | words⏎
a template of the site              | write templates/components/own.html | <p>KEY</p>⏎
the settings of the site            | append site.toml | description = "KEY"⏎
"#;

/// Places next to a mistake whose message or excerpt would show the line.
const BROKEN: &str = r#"
an event that is no JSON               | append RUN/events.jsonl | TOKEN=KEY⏎
an event of an unrecognized type       | event KEY | "message":"m"
a truncated event                      | append RUN/events.jsonl | {"type":"agent","message":"KEY⏎
a wrong time beside it                 | append RUN/events.jsonl | {"timestamp":"KEY","type":"agent","message":"KEY"}⏎
a truncated record                     | write RUN/run-record.json | {"id": "KEY
a wrong type in the record             | run-record.json | 612.5 | "KEY"
an annotation of an unrecognized kind  | events.jsonl.annotations.jsonl | "marker" | "KEY"
a quote that is not there              | events.jsonl.annotations.jsonl | "evidence" | "metadata":{"quote":"KEY"},"evidence"
a record of an unrecognized kind       | run.tape | "clock_sleep" | "KEY"
a path that leads out of the run       | transcript.json | assets/shot.png | ../KEY
an unrecognized rating                 | writeup.md | rating: great | rating: KEY
an unrecognized setting                | append site.toml | description = "KEY"⏎later_KEY = "KEY"⏎
front matter that is no TOML           | write content/pages/about.md | +++⏎title = KEY⏎+++⏎⏎Words.⏎
a template that does not compile       | write templates/home.html | {% if "KEY" %}⏎{{ KEY ⏎
"#;

/// Places that are in no page and no download.
const PRIVATE: &str = r#"
the raw log                        | write RUN/raw.jsonl | {"stream":"stdout","line":"KEY"}⏎
reasoning in a transcript          | transcript.json | "Hm." | "KEY"
a file that no thread is about     | write RUN/implementation/.env | K=KEY⏎
"#;

/// Reads a table with a place in each row: its name, and what is done there. `event` adds an event to the log, `value` sets
/// a value of the record, `write` and `append` change a file of the site; a file of the run has a text replaced by another.
fn places(table: &'static str) -> Vec<(&'static str, Put)> {
    let rows = table.lines().filter(|row| !row.is_empty()).map(|row| {
        let cells: Vec<&str> = row.split(" | ").map(str::trim_start).collect();
        let put = move |site: &TestSite, key: &str| {
            let signs = [("RUN", FIRST), ("⏎", "\n"), ("␀", "\0"), ("KEY", key)];
            let text = |cell: &str| {
                let replace = |text: String, (sign, by): (&str, &str)| text.replace(sign, by);
                signs.into_iter().fold(cell.to_owned(), replace)
            };
            let (action, at) = cells[1].split_once(' ').unwrap_or((cells[1], ""));
            let (at, last) = (text(at), text(cells[cells.len() - 1]));
            match action {
                "event" => log(site, &at, &last),
                "value" => {
                    site.edit_first(|record| {
                        *record.pointer_mut(&at).expect("a value") = json!(last);
                    });
                }
                "write" => {
                    site.write(&at, last);
                }
                "append" => {
                    site.append(&at, &last);
                }
                file => {
                    site.replace_first(file, cells[2], &last);
                }
            }
        };
        (
            row.split(" | ").next().unwrap_or_default().trim_end(),
            Box::new(put) as Put,
        )
    });
    rows.collect()
}

/// Places that are published.
pub(super) fn published() -> Vec<(&'static str, Put)> {
    let others: [Other; 14] = [
        (
            "a message beside reasoning that is withheld",
            |site, key| {
                withhold_reasoning(site);
                log(site, "reasoning", r#""message":"Hm.""#);
                log(site, "agent", &format!(r#""message":"{key}""#));
            },
        ),
        (
            "a fact of an event whose reasoning is withheld",
            |site, key| {
                withhold_reasoning(site);
                let raw = json!({ "thinking": "Hm.", "step": key });
                log(site, "unknown", &format!(r#""raw":{raw}"#));
            },
        ),
        ("a payload of a tape", |site, key| {
            let payload = json!({ "text": key }).to_string();
            let hash = blake3::hash(payload.as_bytes()).to_hex();
            let tape = site.text(&first("run.tape"));
            let known = tape.split("content_hash\":\"").nth(1).expect("a payload");
            let length = known.split("len_bytes\":").nth(1).expect("a length");
            let length = length.split('}').next().expect("a number");
            let tape = tape.replace(&known[..64], &hash).replace(
                &format!("len_bytes\":{length}"),
                &format!("len_bytes\":{}", payload.len()),
            );
            site.write_first("run.tape", tape);
            site.write_first(&format!("run.tape.cas/{hash}"), payload);
        }),
        ("a public asset that is text", |site, key| {
            site.write_first("assets/shot.txt", format!("{key}\n"));
            site.replace_first("transcript.json", "assets/shot.png", "assets/shot.txt");
        }),
        ("an action on a thread", |site, key| {
            let entry = json!({ "id": "9", "text": key });
            let action =
                json!({ "type": "annotations/entrySet", "annotationId": "a", "entry": entry });
            let line = format!("{}\n", json!({ "action": action }));
            site.append(&first("annotations.actions.jsonl"), &line);
        }),
        ("an annotation with a zero byte", |site, key| {
            let sidecar = "events.jsonl.annotations.jsonl";
            site.replace_first(sidecar, "[here](#e-2)", &format!("\\u0000 {key}"));
            site.append(&first(sidecar), "{\"id\":\"\0\n");
        }),
        ("a log with a line that was torn off", |site, key| {
            site.append(&first("events.jsonl"), "{\"type\":\"agent\",\"mess\0\n");
            log(site, "agent", &format!(r#""message":"{key}""#));
        }),
        ("a review with an escape in a key", |site, key| {
            let key = key.replace('_', "\\_");
            site.replace_first("writeup.md", "It works", &format!("It printed {key}"));
        }),
        ("an annotation with emphasis in a key", |site, key| {
            let key = key.replacen('h', "**h**", 1);
            site.replace_first("events.jsonl.annotations.jsonl", "[here](#e-2)", &key);
        }),
        (
            "an entry of a thread with a comment in a key",
            |site, key| {
                let key = key.replacen('_', "_<!-- a -->", 1);
                site.replace_first("annotations.json", "*marked*", &key);
            },
        ),
        ("a page with a character reference in a key", |site, key| {
            let key = key.replacen('_', "&#95;", 1);
            site.write(
                "content/pages/about.md",
                format!("# About\n\nUse {key} here.\n"),
            );
        }),
        ("two blocks of a turn", |site, key| {
            let (start, rest) = key.split_at(6);
            let blocks = format!("{start}\"}},{{\"type\":\"text\",\"text\":\"{rest}");
            site.replace_first("transcript.json", "I will.", &blocks);
        }),
        ("the id of a redaction", |site, key| {
            site.edit_first(|record| record["environment"]["os"] = json!("Debian"));
            let redaction = json!({ "id": key, "file": "run-record.json", "pointer": "/environment/os",
                "start": 0, "end": 6, "length": 6, "reason": "personal" });
            site.write_first("redactions.jsonl", format!("{redaction}\n"));
        }),
        ("the name of a folder of a run", |site, key| {
            let folder = site.path(&format!("content/runs/{key}"));
            std::fs::rename(site.path(FIRST), folder).expect("a move");
        }),
    ];
    with(places(PUBLISHED), &others)
}

/// Places that are in no page and no download.
pub(super) fn private() -> Vec<(&'static str, Put)> {
    let others: [Other; 3] = [
        ("reasoning that is withheld", |site, key| {
            withhold_reasoning(site);
            log(site, "reasoning", &format!(r#""message":"{key}""#));
            let raw = json!({ "thinking": key, "step": 1 });
            log(site, "unknown", &format!(r#""raw":{raw}"#));
        }),
        ("reasoning of a trace that is withheld", |site, key| {
            withhold_reasoning(site);
            let line = json!({ "seq": 3, "type": "reasoning", "text": key });
            site.append(&first("run.trace.jsonl"), &format!("{line}\n"));
        }),
        ("a message and a call in the raw log", |site, key| {
            let items = [
                json!({ "type": "agent_message", "text": key }),
                json!({ "type": "command_execution", "command": format!("cat {key}"), "exit_code": 0 }),
                json!({ "type": key, key: key }),
            ];
            let rows = items.map(|item| {
                let line = json!({ "type": "item.completed", "item": item }).to_string();
                format!("{}\n", json!({ "stream": "stdout", "line": line }))
            });
            site.write_first("raw.jsonl", rows.concat());
        }),
    ];
    with(places(PRIVATE), &others)
}

/// Places next to a mistake whose message or excerpt would show the line.
pub(super) fn broken() -> Vec<(&'static str, Put)> {
    places(BROKEN)
}

fn with(mut places: Vec<(&'static str, Put)>, others: &[Other]) -> Vec<(&'static str, Put)> {
    places.extend(
        others
            .iter()
            .map(|(name, put)| (*name, Box::new(*put) as Put)),
    );
    places
}

fn withhold_reasoning(site: &TestSite) {
    site.settings("[policy]\npublish_reasoning = false");
}

/// Adds an event to the log of the run.
fn log(site: &TestSite, kind: &str, fields: &str) {
    site.append(&first("events.jsonl"), &(event(60, kind, fields) + "\n"));
}
