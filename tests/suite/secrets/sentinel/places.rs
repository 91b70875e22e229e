//! The places of a run and a site that can contain a secret.

use serde_json::{Value, json};

use crate::support::{FIRST, TestSite, event, lines};

/// A place: its name, and a function that puts the secret there.
pub(super) type Place = (&'static str, fn(&TestSite, &str));

/// Places that are published.
pub(super) const PLACES: [Place; 56] = [
    (
        "a message beside reasoning that is withheld",
        |site, key| {
            withhold_reasoning(site);
            log(site, "reasoning", &json!({ "message": "Hm." }));
            log(site, "agent", &json!({ "message": key }));
        },
    ),
    (
        "a fact of an event whose reasoning is withheld",
        |site, key| {
            withhold_reasoning(site);
            log(
                site,
                "unknown",
                &json!({ "raw": { "thinking": "Hm.", "step": key } }),
            );
        },
    ),
    ("a message", |site, key| {
        log(site, "agent", &json!({ "message": key }));
    }),
    ("reasoning", |site, key| {
        log(site, "reasoning", &json!({ "message": key }));
    }),
    ("a command", |site, key| {
        log(
            site,
            "command",
            &json!({ "command": format!("curl -H 'x: {key}'"), "exitCode": 0 }),
        );
    }),
    ("a working directory", |site, key| {
        log(
            site,
            "command",
            &json!({ "command": "ls", "workingDirectory": format!("/{key}") }),
        );
    }),
    ("the path of a file", |site, key| {
        log(site, "read", &json!({ "path": format!("src/{key}.ts") }));
    }),
    ("a query", |site, key| {
        log(site, "search", &json!({ "query": key }));
    }),
    ("a skill", |site, key| {
        log(site, "skill", &json!({ "skillName": key }));
    }),
    ("the code of an error", |site, key| {
        log(site, "error", &json!({ "message": "no", "code": key }));
    }),
    ("the name of an agent", |site, key| {
        log(
            site,
            "orchestration",
            &json!({ "action": "spawn", "subagentName": key }),
        );
    }),
    ("an unrecognized field of an event", |site, key| {
        log(
            site,
            "agent",
            &json!({ "message": "m", "later": { "deep": [key] } }),
        );
    }),
    ("the name of a field", |site, key| {
        log(site, "agent", &json!({ "message": "m", key: 1 }));
    }),
    ("an unrecognized event", |site, key| {
        log(site, "unknown", &json!({ "raw": { "stdout": key } }));
    }),
    ("the detail of a state", |site, key| {
        set(site, "run-record.json", "/status/detail", key);
    }),
    ("the detail of a check", |site, key| {
        set(site, "run-record.json", "/validation/checks/0/detail", key);
    }),
    ("a command of the record", |site, key| {
        set(
            site,
            "run-record.json",
            "/validation/install/command",
            &format!("npm ci --token={key}"),
        );
    }),
    ("an environment", |site, key| {
        set(site, "run-record.json", "/environment/os", key);
    }),
    ("a link", |site, key| {
        set(
            site,
            "run-record.json",
            "/links/sourceRepo",
            &format!("https://agent:{key}@git.example.org/x"),
        );
    }),
    ("an unrecognized field of the record", |site, key| {
        replace(
            site,
            "run-record.json",
            "\"tooling\"",
            &format!("\"later\": {{ \"a\": \"{key}\" }}, \"tooling\""),
        );
    }),
    ("the header of a tape", |site, key| {
        replace(
            site,
            "run.tape",
            "\"version\":1",
            &format!("\"version\":1,\"argv\":[\"{key}\"]"),
        );
    }),
    ("a payload of a tape", |site, key| {
        let payload = json!({ "text": key }).to_string();
        let hash = blake3::hash(payload.as_bytes()).to_hex();
        let tape = site.text(&format!("{FIRST}/run.tape"));
        let known = tape.split("content_hash\":\"").nth(1).expect("a payload");
        let length = known.split("len_bytes\":").nth(1).expect("a length");
        let length = length.split('}').next().expect("a number");
        let tape = tape.replace(&known[..64], &hash).replace(
            &format!("len_bytes\":{length}"),
            &format!("len_bytes\":{}", payload.len()),
        );
        site.write(&format!("{FIRST}/run.tape"), tape);
        site.write(&format!("{FIRST}/run.tape.cas/{hash}"), payload);
    }),
    ("the arguments of a call in a trace", |site, key| {
        replace(site, "run.trace.jsonl", "\"ls\"", &json!(key).to_string());
    }),
    ("a result in a trace", |site, key| {
        replace(site, "run.trace.jsonl", "\"none\"", &json!(key).to_string());
    }),
    ("a diff in a trace", |site, key| {
        replace(site, "run.trace.jsonl", "-a\\n+b", &format!("-a\\n+{key}"));
    }),
    ("the text of an annotation", |site, key| {
        replace(site, "events.jsonl.annotations.jsonl", "[here](#e-2)", key);
    }),
    ("metadata of an annotation", |site, key| {
        replace(
            site,
            "events.jsonl.annotations.jsonl",
            "\"evidence\"",
            &format!("\"metadata\":{{\"a\":\"{key}\"}},\"evidence\""),
        );
    }),
    ("an annotation of a tape", |site, key| {
        replace(site, "run.tape.annotations.jsonl", "A *note*.", key);
    }),
    ("a public turn", |site, key| {
        replace(site, "transcript.json", "Write pong.", key);
    }),
    ("a public block", |site, key| {
        replace(site, "transcript.json", "I will.", key);
    }),
    ("the name of a public asset", |site, key| {
        replace(
            site,
            "transcript.json",
            "\"name\":\"shot\"",
            &format!("\"name\":\"{key}\""),
        );
    }),
    ("a public asset that is text", |site, key| {
        site.write(&format!("{FIRST}/assets/shot.txt"), format!("{key}\n"));
        replace(
            site,
            "transcript.json",
            "assets/shot.png",
            "assets/shot.txt",
        );
    }),
    ("a review thread", |site, key| {
        replace(
            site,
            "annotations.json",
            "\"plain\"",
            &json!(key).to_string(),
        );
    }),
    ("an action on a thread", |site, key| {
        let action = json!({ "action": { "type": "annotations/entrySet", "annotationId": "a", "entry": { "id": "9", "text": key } } });
        let path = format!("{FIRST}/annotations.actions.jsonl");
        site.write(&path, format!("{}{action}\n", site.text(&path)));
    }),
    ("a review", |site, key| {
        replace(
            site,
            "writeup.md",
            "It works",
            &format!("It printed {key} and works"),
        );
    }),
    ("a field of a review", |site, key| {
        replace(
            site,
            "writeup.md",
            "rating: great",
            &format!("rating: great\nreview.play: pass {key}"),
        );
    }),
    ("a reviewed file", |site, key| {
        site.write(
            &format!("{FIRST}/implementation/src/a.ts"),
            format!("one {key}\ntwo\nthree\n"),
        );
    }),
    ("a page", |site, key| {
        site.write(
            "content/pages/about.md",
            format!("+++\ntitle = \"About\"\n+++\n\nUse {key} here.\n"),
        );
    }),
    ("the title of a page", |site, key| {
        site.write(
            "content/pages/about.md",
            format!("+++\ntitle = \"{key}\"\n+++\n\nWords.\n"),
        );
    }),
    ("the page of a case", |site, key| {
        site.write(
            "content/cases/pong.md",
            format!("+++\ntitle = \"Pong\"\n+++\n\nUse {key} here.\n"),
        );
    }),
    ("a file of the site", |site, key| {
        site.write("static/notes.txt", format!("{key}\n"));
    }),
    ("a script of the site", |site, key| {
        site.write("static/js/own.js", format!("const key = \"{key}\";\n"));
    }),
    ("the name of a file of the site", |site, key| {
        site.write(&format!("static/{key}.txt"), "words\n");
    }),
    ("the settings of the site", |site, key| {
        let settings = site.text("site.toml");
        site.write("site.toml", format!("{settings}description = \"{key}\"\n"));
    }),
    ("a template of the site", |site, key| {
        site.write("templates/components/own.html", format!("<p>{key}</p>\n"));
    }),
    ("a review with a zero byte", |site, key| {
        replace(
            site,
            "writeup.md",
            "It works",
            &format!("It \0 printed {key}"),
        );
    }),
    ("an annotation with a zero byte", |site, key| {
        replace(
            site,
            "events.jsonl.annotations.jsonl",
            "[here](#e-2)",
            &format!("\\u0000 {key}"),
        );
        tail(site, "events.jsonl.annotations.jsonl", "{\"id\":\"\0");
    }),
    ("a log with a line that was torn off", |site, key| {
        tail(site, "events.jsonl", "{\"type\":\"agent\",\"mess\0");
        log(site, "agent", &json!({ "message": key }));
    }),
    ("a style sheet with a zero byte", |site, key| {
        site.write("static/css/own.css", format!("p {{}}\0\n/* {key} */\n"));
    }),
    ("a review with an escape in a key", |site, key| {
        let key = key.replace('_', "\\_");
        replace(site, "writeup.md", "It works", &format!("It printed {key}"));
    }),
    ("an annotation with emphasis in a key", |site, key| {
        let key = key.replacen('h', "**h**", 1);
        replace(site, "events.jsonl.annotations.jsonl", "[here](#e-2)", &key);
    }),
    (
        "an entry of a thread with a comment in a key",
        |site, key| {
            let key = key.replacen('_', "_<!-- a -->", 1);
            replace(site, "annotations.json", "*marked*", &key);
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
        let (first, rest) = key.split_at(6);
        let blocks = format!("{first}\"}},{{\"type\":\"text\",\"text\":\"{rest}");
        replace(site, "transcript.json", "I will.", &blocks);
    }),
    ("the id of a redaction", |site, key| {
        set(site, "run-record.json", "/environment/os", "Debian");
        let redaction = json!({ "id": key, "file": "run-record.json", "pointer": "/environment/os", "start": 0, "end": 6, "length": 6, "reason": "personal" });
        site.write(
            &format!("{FIRST}/redactions.jsonl"),
            format!("{redaction}\n"),
        );
    }),
    ("the name of a folder of a run", |site, key| {
        std::fs::rename(site.path(FIRST), site.path(&format!("content/runs/{key}")))
            .expect("a move");
    }),
];

/// Places that are in no page and no download.
pub(super) const PRIVATE: [Place; 6] = [
    ("reasoning that is withheld", |site, key| {
        withhold_reasoning(site);
        log(site, "reasoning", &json!({ "message": key }));
        log(
            site,
            "unknown",
            &json!({ "raw": { "thinking": key, "step": 1 } }),
        );
    }),
    ("reasoning of a trace that is withheld", |site, key| {
        withhold_reasoning(site);
        let line = json!({ "seq": 3, "type": "reasoning", "text": key });
        tail(site, "run.trace.jsonl", &line.to_string());
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
        site.write(&format!("{FIRST}/raw.jsonl"), rows.concat());
    }),
    ("the raw log", |site, key| {
        let line = json!({ "stream": "stdout", "line": key });
        site.write(&format!("{FIRST}/raw.jsonl"), format!("{line}\n"));
    }),
    ("reasoning in a transcript", |site, key| {
        replace(site, "transcript.json", "\"Hm.\"", &json!(key).to_string());
    }),
    ("a file that no thread is about", |site, key| {
        site.write(
            &format!("{FIRST}/implementation/.env"),
            format!("KEY={key}\n"),
        );
    }),
];

/// Places next to a mistake whose message or excerpt would show the line.
pub(super) const BROKEN: [Place; 14] = [
    ("an event that is no JSON", |site, key| {
        tail(site, "events.jsonl", &format!("TOKEN={key}"));
    }),
    ("an event of an unrecognized type", |site, key| {
        log(site, key, &json!({ "message": "m" }));
    }),
    ("a truncated event", |site, key| {
        tail(
            site,
            "events.jsonl",
            &format!("{{\"type\":\"agent\",\"message\":\"{key}"),
        );
    }),
    ("a wrong time beside it", |site, key| {
        tail(
            site,
            "events.jsonl",
            &json!({ "timestamp": key, "type": "agent", "message": key }).to_string(),
        );
    }),
    ("a truncated record", |site, key| {
        site.write(
            &format!("{FIRST}/run-record.json"),
            format!("{{\"id\": \"{key}"),
        );
    }),
    ("a wrong type in the record", |site, key| {
        replace(site, "run-record.json", "612.5", &json!(key).to_string());
    }),
    ("an annotation of an unrecognized kind", |site, key| {
        replace(
            site,
            "events.jsonl.annotations.jsonl",
            "\"marker\"",
            &json!(key).to_string(),
        );
    }),
    ("a quote that is not there", |site, key| {
        replace(
            site,
            "events.jsonl.annotations.jsonl",
            "\"evidence\"",
            &format!("\"metadata\":{{\"quote\":\"{key}\"}},\"evidence\""),
        );
    }),
    ("a record of an unrecognized kind", |site, key| {
        replace(site, "run.tape", "\"clock_sleep\"", &json!(key).to_string());
    }),
    ("a path that leads out of the run", |site, key| {
        replace(
            site,
            "transcript.json",
            "assets/shot.png",
            &format!("../{key}"),
        );
    }),
    ("an unrecognized rating", |site, key| {
        replace(
            site,
            "writeup.md",
            "rating: great",
            &format!("rating: {key}"),
        );
    }),
    ("an unrecognized setting", |site, key| {
        let settings = site.text("site.toml");
        site.write(
            "site.toml",
            format!("{settings}description = \"{key}\"\nlater_{key} = \"{key}\"\n"),
        );
    }),
    ("front matter that is no TOML", |site, key| {
        site.write(
            "content/pages/about.md",
            format!("+++\ntitle = {key}\n+++\n\nWords.\n"),
        );
    }),
    ("a template that does not compile", |site, key| {
        site.write(
            "templates/home.html",
            format!("{{% if \"{key}\" %}}\n{{{{ {key} \n"),
        );
    }),
];

fn withhold_reasoning(site: &TestSite) {
    let settings = site.text("site.toml");
    site.write(
        "site.toml",
        format!("{settings}\n[policy]\npublish_reasoning = false\n"),
    );
}

/// Adds an event to the log of the run.
fn log(site: &TestSite, kind: &str, fields: &Value) {
    let fields = fields.to_string();
    tail(
        site,
        "events.jsonl",
        &event(60, kind, &fields[1..fields.len() - 1]),
    );
}

/// Adds a line to a file of the run.
fn tail(site: &TestSite, name: &str, line: &str) {
    let path = format!("{FIRST}/{name}");
    site.write(&path, site.text(&path) + &lines(&[line]));
}

/// Replaces a part of a file of the run.
fn replace(site: &TestSite, name: &str, from: &str, to: &str) {
    site.replace(&format!("{FIRST}/{name}"), from, to);
}

/// Replaces a value of a document of the run.
fn set(site: &TestSite, name: &str, pointer: &str, value: &str) {
    let path = format!("{FIRST}/{name}");
    let mut document: Value = serde_json::from_str(&site.text(&path)).expect("a document");
    *document.pointer_mut(pointer).expect("a value") = json!(value);
    site.write(&path, format!("{document:#}\n"));
}
