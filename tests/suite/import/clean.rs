//! What is the same for every format: replaced folders, names and addresses, long texts, kept content, joined calls.

use std::fs;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use runpress::api::import::Keep;
use serde_json::{Value, json};

use super::{Imported, keeping, named, one, run_with, sample};
use crate::support::{fixture, rows};

/// The run of a conversation in `/Users/ana/code/app`, by `bodil.k` on `anas-mac.local`.
fn said(text: &str, keep: &[Keep]) -> Imported {
    let log = json!([
        {"id": 0, "source": "agent", "action": "message", "args": {"content": text}},
        {"id": 1, "source": "agent", "observation": "run", "content": "", "extras": {"metadata":
            {"username": "bodil.k", "hostname": "anas-mac.local", "working_dir": "/Users/ana/code/app"}}},
    ]);
    let files = named([("x.json", &log.to_string())]);
    run_with("openhands", &files, keeping(keep))
}

fn cleaned(text: &str, keep: &[Keep]) -> String {
    let text = said(text, keep).events()[0]["text"].take();
    text.as_str().expect("a text").to_owned()
}

#[test]
fn absolute_paths_and_names_are_replaced_at_their_boundaries() {
    let table = rows(
        r"
cat /Users/ana/code/app/src/a.rs | cat ./src/a.rs
cd /Users/ana/code/app. | cd ..
/Users/ana/code/apple /Users/ana/x | ~/code/apple ~/x
file:///home/bo/x and x/home/bo | file://~/x and x/home/bo
/root/x /rooted | ~/x /rooted
/private/tmp/a /tmp/b /tmpfs x/tmp | tmp/a tmp/b /tmpfs x/tmp
/var/folders/ab/cd12/T/x | tmp/x
C:\Users\ana\x, C:\\Users\\ana\\x | ~\x, ~\\x
~/.claude/projects/-Users-ana-code-app/x | ~/.claude/projects/./x
-Users-ana-other and --home-page | ~-other and --home-page
by /home/carla: carla, carlas, x_carla | by ~: user, carlas, x_carla
-home-carla-x of /home/carla | ~-x of ~
bodil.k@anas-mac.local | user@host
login bodil.k on anas-mac.local | login user on host
Ana <ana.b+c@mail.example.org> | Ana <user@host>
git@github.com:a/b.git react@18.2.0 @types/node | git@github.com:a/b.git react@18.2.0 @types/node
/usr/bin/env /etc/passwd | /usr/bin/env /etc/passwd
",
    );
    let password = concat!("https://me:", "s3cret@git.example.org/x.git");
    let table = table
        .into_iter()
        .chain([[password, "https://git.example.org/x.git"]]);
    for [text, expected] in table {
        assert_eq!(cleaned(text, &[]), expected, "{text}");
        assert_eq!(cleaned(text, &[Keep::Paths, Keep::Identity]), text);
    }
    let text = "/home/carla and ana@example.org";
    assert_eq!(cleaned(text, &[Keep::Paths]), "/home/user and user@host");
    assert_eq!(cleaned(text, &[Keep::Identity]), "~ and ana@example.org");
}

#[test]
fn prompts_and_names_are_found_between_the_codes_of_a_terminal() {
    for (text, expected) in [
        (
            "x\n\u{1b}[01;32mzelda@box\u{1b}[00m:\u{1b}[01;34m~/x\u{1b}[00m$ ls",
            "x\n\u{1b}[01;32muser@host\u{1b}[00m:\u{1b}[01;34m~/x\u{1b}[00m$ ls",
        ),
        (
            "\u{1b}[1mzelda\u{1b}[0m@\u{1b}[2mbox\u{1b}[0m ~ % ls, says zelda",
            "\u{1b}[1muser@host\u{1b}[0m ~ % ls, says user",
        ),
        (
            "\u{1b}]0;zelda@box: ~/x\u{7}zelda",
            "\u{1b}]0;user@host: ~/x\u{7}user",
        ),
        (
            r"\u001b[32mzelda@box\u001b[0m:~$ by\nzelda, by%20zelda",
            r"\u001b[32muser@host\u001b[0m:~$ by\nuser, by%20user",
        ),
        (
            "\u{1b}[1mAnas-MacBook-Pro\u{1b}[0m\\nDESKTOP-4F7K2QM",
            "\u{1b}[1mhost\u{1b}[0m\\nhost",
        ),
    ] {
        assert_eq!(cleaned(text, &[]), expected, "{text}");
    }
    for text in [
        "\u{1b}[1mnpm i react@18.2.0\u{1b}[0m and \u{1b}[32m@types/node\u{1b}[0m",
        "\u{1b}[31muser@\u{1b}[0m: ~/x",
    ] {
        assert_eq!(cleaned(text, &[]), text);
    }
}

#[test]
fn no_spelling_of_a_home_folder_or_a_user_passes() {
    let spellings = fs::read_to_string(fixture("spellings.json")).expect("a file");
    let spellings: Vec<String> = serde_json::from_str(&spellings).expect("a list");
    let texts = spellings.iter().map(|text| (text, cleaned(text, &[])));
    let passed: Vec<_> = texts.filter(|(_, text)| text.contains("zelda")).collect();
    assert!(passed.is_empty(), "{passed:#?}");
}

#[test]
fn the_whole_user_information_of_an_address_is_removed_and_nothing_else() {
    let long = "p".repeat(400);
    for password in [
        "a/b", "a'b", "a(b", "a<b", "a b", "a=b", "a?b", "p@q", "a/b@c", "12/ab", &long,
    ] {
        let text = format!("see https://zelda:{password}@git.example.org/x.git?a=b ok");
        let expected = "see https://git.example.org/x.git?a=b ok";
        assert_eq!(cleaned(&text, &[]), expected, "{password}");
    }
    for (text, expected) in [
        ("postgres://u:p/w@db:5432/x", "postgres://db:5432/x"),
        (r"https:\/\/u:p@example.org\/x", r"https:\/\/example.org\/x"),
        (
            "https%3A%2F%2Fu%3Ap%2Fw%40example.org%2Fx",
            "https%3A%2F%2Fuser@host%2Fx",
        ),
        (
            "https%253A%252F%252Fu%253Ap%2540example.org",
            "https%253A%252F%252Fuser@host",
        ),
        (
            "https://u:p@\u{200b}example.org/x",
            "https://\u{200b}example.org/x",
        ),
    ] {
        assert_eq!(cleaned(text, &[]), expected);
    }
    for text in [
        "https://example.org/@scope/pkg",
        "https://example.org:8080/@scope/pkg@1.2.3",
        "http://localhost:3000/@vite/client",
        "https://example.org/x and react@latest, actions/checkout@v4, @types/node",
        "import x from 'y@1.0.0' // https://example.org",
        "GET /users/17 and /users/:id",
        "src/home/page.tsx and components/Users/List.tsx, https://example.org/users/list",
    ] {
        assert_eq!(cleaned(text, &[]), text);
    }
}

/// A session of Claude Code with these content blocks, each a message of the agent or a result of the user.
fn session(blocks: &[Value]) -> Imported {
    let row = |block: &Value| {
        let kind = if block["type"] == "tool_result" {
            "user"
        } else {
            "assistant"
        };
        json!({"type": kind, "sessionId": "s", "cwd": "/repo", "message": {"role": kind, "content": [block]}})
    };
    let rows: String = blocks
        .iter()
        .map(|block| format!("{}\n", row(block)))
        .collect();
    one("claude-code", "s.jsonl", rows)
}

#[test]
fn keys_and_escaped_strings_of_arguments_are_replaced_and_everything_else_stays_as_written() {
    let arguments = r#"{ "/Users/ana/x": [1.10, "\u002fUsers\u002fana\/y", "\u00e9"], "a":1e400}"#;
    let row = r#"{"type":"assistant","sessionId":"s","message":{"content":[{"type":"tool_use","id":"t","name":"f","input":@}]}}"#;
    let run = one("claude-code", "s.jsonl", row.replace('@', arguments));
    let expected = r#""arguments":{"~/x":[1.10,"~/y","\u00e9"],"a":1e400}"#;
    assert!(run.lines()[0].contains(expected), "{}", run.lines()[0]);
    assert_eq!(run.withheld("absolutePaths"), 2);
}

#[test]
fn ids_and_every_other_word_of_a_log_are_replaced_and_different_ids_stay_different() {
    let blocks = ["zelda", "yoshi"].map(|name| {
        let id = format!("/home/{name}/1");
        [
            json!({"type": "tool_use", "id": id, "name": "/home/zelda/tool", "input": {}}),
            json!({"type": "tool_result", "tool_use_id": id, "content": "in /repo/a /repository/b /x/repo/c"}),
        ]
    });
    let run = session(&blocks.concat());
    let calls: Vec<Value> = run
        .events()
        .iter()
        .map(|event| event["call"].clone())
        .collect();
    assert_eq!(calls, ["~/1-2", "~/1-2", "~/1", "~/1"]);
    assert_eq!(run.events()[1]["text"], "in ./a /repository/b /x/repo/c");
    let row = r#"{"type":"assistant","sessionId":"/home/zelda/run","version":"1 by zelda@laptop","message":{"model":"/home/zelda/models/a","content":"ok"}}"#;
    let words = one("claude-code", "s.jsonl", row);
    words.states("modelId harnessVersion", "~/models/a 1 by user@host");
    for run in [run, words] {
        assert!(!run.text().contains("zelda"), "{}", run.text());
    }
}

#[test]
fn a_hundred_names_are_found_as_one_is() {
    let homes: String = (0..100).map(|n| format!("/home/person{n}/x ")).collect();
    let names: String = (0..100).map(|n| format!("person{n}, ")).collect();
    let text = format!("{homes}{names}person1000 Ana");
    let (homes, names) = ("~/x ".repeat(100), "user, ".repeat(100));
    assert_eq!(cleaned(&text, &[]), format!("{homes}{names}person1000 Ana"));
}

#[test]
fn a_result_of_more_than_a_mebibyte_keeps_both_ends_and_says_how_much_is_missing() {
    let text = "ä".repeat(700_000);
    let run = session(&[json!({"type": "tool_result", "tool_use_id": "t", "content": text})]);
    let event = &run.events()[0];
    let text = event["text"].as_str().expect("text");
    assert!(text.starts_with("ää") && text.ends_with("ää"), "both ends");
    let kept = text.len() - "\n…\n".len();
    assert_eq!(kept, 512 << 10);
    assert_eq!(event["truncated"], 1_400_000 - kept);
}

#[test]
fn calls_with_one_id_are_told_apart_and_answered_in_order() {
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "f", "input": {}});
    let result = |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": "x"});
    let failed =
        json!({"type": "tool_result", "tool_use_id": "c", "content": "no", "is_error": true});
    let run = session(&[
        call("c"),
        call("c~2"),
        call("c"),
        result("c"),
        failed,
        result("c"),
        result("gone"),
    ]);
    run.reads(&[
        "call f c",
        "call f c~2",
        "call f c~3",
        "result c x",
        "result c~3 false no",
        "result x",
        "result x",
    ]);
    for (count, expected) in [
        ("toolCalls", 3),
        ("toolResults", 2),
        ("failedCalls", 1),
        ("resultsWithoutFlag", 1),
        ("unanswered", 1),
        ("orphanResults", 2),
    ] {
        assert_eq!(run.report[count], expected, "{count}");
    }
}

#[test]
fn images_are_kept_on_request_if_their_bytes_are_those_of_an_image() {
    let png = b"\x89PNG\r\n\x1a\nrest";
    let part = |bytes: &[u8]| {
        let data = BASE64_STANDARD.encode(bytes);
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}})
    };
    let content =
        json!([{"type": "text", "text": "look"}, part(png), part(b"<script>alert(1)</script>")]);
    let log =
        json!({"type": "user", "sessionId": "s", "message": {"role": "user", "content": content}});
    let read = |keep| {
        run_with(
            "claude-code",
            &named([("s.jsonl", &log.to_string())]),
            keeping(keep),
        )
    };
    let run = read(&[Keep::Images]);
    let (name, bytes) = run.assets.first_key_value().expect("an image");
    assert_eq!(bytes, png);
    assert!(name.ends_with(".png"), "{name}");
    assert_eq!(run.events()[0]["assets"], json!([format!("assets/{name}")]));
    assert_eq!(run.withheld("images"), 1, "the page is no image");
    let run = read(&[]);
    assert_eq!((run.assets.len(), run.withheld("images")), (0, 2));
}

#[test]
fn images_in_attachments_and_contents_of_files_are_kept_on_request() {
    let read = |format, path, keep| {
        run_with(
            format,
            &[("log".to_owned(), sample(path))],
            keeping(&[keep]),
        )
    };
    let run = read("inspect", "inspect/log_images.json", Keep::Images);
    assert!(
        run.assets.keys().all(|name| name.ends_with(".png")),
        "{:?}",
        run.assets
    );
    assert_eq!((run.assets.len(), run.withheld("images")), (1, 0));
    let path = "claude-code/made-streamed/7d9f0c52-0000-4000-8000-00000000a001.jsonl";
    let run = read("claude-code", path, Keep::Files);
    let text = b"module.exports = (a, b) => a - b;";
    assert!(
        run.assets.values().any(|file| file == text),
        "{:?}",
        run.assets
    );
}

#[test]
fn images_in_the_result_of_a_call_are_counted() {
    const RESULT: &str = r#"[{"type":"text","text":"done"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]"#;
    for (format, log) in [
        (
            "mini-swe-agent",
            r#"{"trajectory_format":"mini-swe-agent-1.1","info":{},"messages":[{"role":"user","content":"Look"},
              {"role":"assistant","content":"I look","extra":{"actions":[{"command":"ls","tool_call_id":"c1"}]}},
              {"role":"tool","tool_call_id":"c1","content":RESULT,"extra":{"returncode":0}}]}"#,
        ),
        (
            "openhands",
            r#"[{"id":1,"source":"agent","action":"run","args":{"command":"ls"}},
              {"id":2,"source":"agent","observation":"run","cause":1,"content":RESULT}]"#,
        ),
    ] {
        let run = one(format, "a.traj.json", log.replace("RESULT", RESULT));
        assert!(run.text().contains("done"), "{format}");
        assert_eq!(run.withheld("images"), 1, "{format}");
    }
}
