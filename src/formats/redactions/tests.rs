//! Rewriting of files, with every way to write a text.

use super::*;

fn redaction(file: &str, at: &str) -> Redaction {
    let line = format!(r#"{{"id":"r","file":"{file}","reason":"secret",{at}}}"#);
    let (found, problems) = parse("redactions.jsonl", line.as_bytes());
    assert_eq!(problems, [], "{line}");
    found.into_iter().next().expect("a redaction").0
}

/// The published text of a file, and the withheld values.
fn published(file: &str, text: &[u8], at: &[&str]) -> Result<(String, Vec<String>), RewriteError> {
    let list: Vec<_> = at.iter().map(|at| redaction(file, at)).collect();
    let list: Vec<_> = list.iter().collect();
    let done = rewrite(file, text, &list, true)?;
    let values = done
        .values
        .into_iter()
        .map(|value| String::from_utf8_lossy(&value).into_owned());
    Ok((
        String::from_utf8_lossy(&done.bytes).into_owned(),
        values.collect(),
    ))
}

const MARK: &str = "[withheld: secret, 3 characters]";

#[test]
fn a_span_is_of_the_decoded_string_and_the_bytes_around_it_stay() {
    // Each string decodes to `a KEY b`, and its escapes are kept.
    for (before, key, after) in [
        ("a ", "KEY", " b"),
        ("\\u0061 ", "\\u004bEY", " \\u0062"),
        ("\\/ ", "K\\u0045Y", " \\n\\t"),
        ("\u{e9}", "KEY", "\\ud83d\\ude00"),
        ("\\ud83d\\ude00", "KEY", "\\ud83d"),
        ("\\ud83d", "KEY", "\u{1f600}"),
        ("\\\\\\\"", "KEY", "\\\\"),
    ] {
        let text = format!("{{\"x\": 1.50 ,\"a\" : \"{before}{key}{after}\"}}");
        let before_text: String = serde_json::from_str(&format!(
            "\"{}\"",
            before
                .replace("\\ud83d", "\\ufffd")
                .replace("\\ufffd\\ude00", "\\ud83d\\ude00")
        ))
        .expect("a string");
        let start = before_text.len();
        let at = format!(
            r#""line":1,"pointer":"/a","start":{start},"end":{},"length":3"#,
            start + 3
        );
        let expected = format!("{{\"x\": 1.50 ,\"a\" : \"{before}{MARK}{after}\"}}");
        for (mark, end) in [("", "\n"), ("\u{feff}", "\r\n"), ("", "")] {
            let found = published(
                "events.jsonl",
                format!("{mark}{text}{end}").as_bytes(),
                &[&at],
            );
            let (bytes, values) = found.expect("it fits");
            assert_eq!(
                (bytes, values),
                (format!("{mark}{expected}{end}"), vec!["KEY".to_owned()])
            );
        }
    }
}

#[test]
fn an_event_is_found_by_its_number_in_each_format() {
    let span = r#""pointer":"/m","start":0,"end":3,"length":3"#;
    for (file, text, event) in [
        ("events.jsonl", "\n{\"m\":\"a\"}\r\n \n{\"m\":\"KEY\"}\n", 1),
        (
            "x.trace.jsonl",
            "{\"type\":\"trace\"}\n\n{\"m\":\"KEY\"}\n",
            0,
        ),
        (
            "x.tape",
            "{\"seq\":7}\n{\"seq\":3,\"m\":\"a\"}\n{\"seq\":7,\"m\":\"KEY\"}\n",
            7,
        ),
    ] {
        let at = format!("\"event\":{event},{span}");
        let (bytes, _) = published(file, text.as_bytes(), &[&at]).expect("it fits");
        assert_eq!(bytes, text.replace("KEY", MARK), "{file}");
        let at = format!("\"event\":9,{span}");
        let gone = published(file, text.as_bytes(), &[&at]);
        assert_eq!(
            gone,
            Err(RewriteError::Stale(0, "there is no such event or line"))
        );
    }
}

#[test]
fn of_duplicate_keys_a_pointer_means_the_last_and_text_as_written_means_any() {
    let text = br#"{"m":"KEY","m":"KEY","KEY":1}"#;
    let (bytes, _) = published(
        "run-record.json",
        text,
        &[
            r#""pointer":"/m","start":0,"end":3,"length":3"#,
            r#""start":6,"end":9,"length":3"#,
            r#""start":22,"end":25,"length":3"#,
        ],
    )
    .expect("they fit");
    assert_eq!(
        bytes,
        format!(r#"{{"m":"{MARK}","m":"{MARK}","{MARK}":1}}"#)
    );
}

#[test]
fn a_value_that_is_no_string_is_withheld_whole() {
    let text = br#"{"a": [4111, true]}"#;
    let at = r#""pointer":"/a/0","start":0,"end":4,"length":4"#;
    let (bytes, values) = published("run-record.json", text, &[at]).expect("it fits");
    assert_eq!(
        bytes,
        r#"{"a": ["[withheld: secret, 4 characters]", true]}"#
    );
    assert_eq!(values, ["4111"]);
    let at = r#""pointer":"/a/0","start":0,"end":3,"length":3"#;
    assert!(matches!(
        published("run-record.json", text, &[at]),
        Err(RewriteError::Stale(0, _))
    ));
}

#[test]
fn lines_of_text_keep_their_numbers() {
    let (bytes, _) = published(
        "writeup.md",
        b"a\nBEGIN\nx\nEND\nb",
        &[r#""start":2,"end":13,"length":11"#],
    )
    .expect("it fits");
    assert_eq!(bytes, "a\n[withheld: secret, 11 characters]\n\n\nb");
}

#[test]
fn a_span_that_no_longer_matches_is_stale() {
    for (text, at, why) in [
        (
            "{\"m\":\"KE\"}",
            r#""line":1,"pointer":"/m","start":0,"end":3,"length":3"#,
            "the span ends after the text",
        ),
        (
            "{\"m\":\"K\u{e9}\"}",
            r#""line":1,"pointer":"/m","start":0,"end":3,"length":3"#,
            "the span has another length",
        ),
        (
            "{\"m\":\"KE\u{e9}\"}",
            r#""line":1,"pointer":"/m","start":0,"end":3,"length":3"#,
            "the span begins or ends within a character",
        ),
        (
            "{\"n\":\"KEY\"}",
            r#""line":1,"pointer":"/m","start":0,"end":3,"length":3"#,
            "the pointer leads to nothing",
        ),
        (
            "{\"m\":\"KEY\"",
            r#""line":1,"pointer":"/m","start":0,"end":3,"length":3"#,
            "the text is not valid JSON",
        ),
        (
            "K\u{e9}",
            r#""line":1,"start":0,"end":2,"length":2"#,
            "the span begins or ends within a character",
        ),
        (
            "[withheld: secret, 3 characters]",
            r#""line":1,"start":0,"end":32,"length":32"#,
            "the text there is a marker already",
        ),
        (
            "{\"m\":\"KEY\"}",
            r#""line":1,"pointer":"/m","start":0,"end":3,"length":3,"published":"blake3:00""#,
            "the text around the span changed",
        ),
    ] {
        let found = published("events.jsonl", text.as_bytes(), &[at]);
        assert_eq!(found, Err(RewriteError::Stale(0, why)), "{text}");
    }
    let one = r#""line":1,"pointer":"/m","start":0,"end":3,"length":3"#;
    let other = r#""line":1,"pointer":"/m","start":2,"end":5,"length":3"#;
    let both = published("events.jsonl", b"{\"m\":\"ABCDEF\"}", &[other, one]);
    assert_eq!(both, Err(RewriteError::Overlap(0, 1)));
}

#[test]
fn the_text_around_a_span_is_what_is_published_of_it() {
    let text = b"{\"m\":\"KEY and KEY\",\"n\":1}\n";
    let mut list = [
        redaction(
            "events.jsonl",
            r#""event":0,"pointer":"/m","start":0,"end":3,"length":3"#,
        ),
        redaction(
            "events.jsonl",
            r#""event":0,"pointer":"/m","start":8,"end":11,"length":3"#,
        ),
    ];
    let done =
        rewrite("events.jsonl", text, &list.iter().collect::<Vec<_>>(), true).expect("they fit");
    let shown = format!("\"{MARK} and {MARK}\"");
    let digest = format!("blake3:{}", blake3::hash(shown.as_bytes()).to_hex());
    assert_eq!(done.published, [digest.clone(), digest]);
    for (redaction, published) in list.iter_mut().zip(done.published) {
        redaction.published = Some(published);
    }
    let list: Vec<_> = list.iter().collect();
    assert!(rewrite("events.jsonl", text, &list, true).is_ok());
    let moved = b"{\"m\":\"ABC AND KEY\",\"n\":1}\n";
    assert!(matches!(
        rewrite("events.jsonl", moved, &list, true),
        Err(RewriteError::Stale(0, _))
    ));
}

#[test]
fn a_value_is_found_however_it_is_written_and_can_be_withheld_there() {
    let value = "sk-\"a/b\u{e9}&c>d";
    let json = serde_json::to_string(value).expect("a string");
    let once = &json[1..json.len() - 1];
    let twice = serde_json::to_string(&json).expect("a string");
    let escaped: String = value
        .chars()
        .map(|c| format!("\\u{:04x}", u32::from(c)))
        .collect();
    let lines = [
        format!("{{\"a\":{json}}}"),
        format!("{{\"a\":{{\"b~/c\":[0,{json}]}}}}"),
        format!("{{\"a\":{twice}}}"),
        format!("{{\"a\":\"{escaped}\"}}"),
        format!("{{\"a\":\"{}\"}}", once.replace('/', "\\/")),
        format!("{{\"x{once}y\":1,\"b\":2}}"),
        format!("{{\"a\":{json},\"a\":\"\"}}"),
        "{\"a\":\"x=sk-%22a%2Fb%C3%A9%26c%3Ed\"}".to_owned(),
        "{\"a\":\"sk-&quot;a/b\u{e9}&amp;c&gt;d\"}".to_owned(),
        "{\"a\":\"sk-&#34;a/b\u{e9}&amp;c>d\"}".to_owned(),
        "{\"a\":\"sk-\\\"a/b\u{e9}&amp;c>d\"}".to_owned(),
        "{\"a\":\"sk-\\\"a/b\u{e9}&amp;c&gt;d\"}".to_owned(),
        format!("not JSON: {value}"),
    ];
    let text = lines.join("\n");
    let found = occurrences("events.jsonl", text.as_bytes(), value);
    let events: Vec<_> = found.iter().map(|found| found.event).collect();
    assert_eq!(events, (0..13).map(Some).collect::<Vec<_>>());
    assert_eq!(found[1].pointer.as_deref(), Some("/a/b~0~1c/1"));
    let list: Vec<_> = found
        .iter()
        .map(|found| {
            let mut redaction =
                redaction("events.jsonl", r#""event":0,"start":0,"end":1,"length":1"#);
            found.put(&mut redaction);
            redaction
        })
        .collect();
    let list: Vec<_> = list.iter().collect();
    let done = rewrite("events.jsonl", text.as_bytes(), &list, true).expect("they fit");
    assert!(occurrences("events.jsonl", &done.bytes, value).is_empty());
    let published = String::from_utf8(done.bytes).expect("text");
    for (line, before) in published.lines().zip(&lines) {
        assert!(has_marker(line), "{line}");
        let is_json = |text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok();
        assert_eq!(is_json(line), is_json(before), "{line}");
    }
}

#[test]
fn a_line_that_would_withhold_nothing_is_an_error() {
    for (line, why) in [
        ("[]", "an array instead of an object"),
        (
            r#"{"id":"r","file":"a","reason":"secrets","whole":true}"#,
            "unknown variant",
        ),
        (
            r#"{"id":"r","file":"a","reason":"secret","whole":true,"x":1}"#,
            "unknown field",
        ),
        (
            r#"{"id":" ","file":"a","reason":"secret","whole":true}"#,
            "`id` is empty",
        ),
        (
            r#"{"id":"r","file":"../a","reason":"secret","whole":true}"#,
            "not a path below",
        ),
        (
            r#"{"id":"r","file":"a","reason":"other","whole":true}"#,
            "`note` is missing",
        ),
        (
            r#"{"id":"r","file":"a","reason":"secret","whole":true,"start":0}"#,
            "has no span",
        ),
        (
            r#"{"id":"r","file":"run-record.json","reason":"secret","whole":true}"#,
            "the record",
        ),
        (
            r#"{"id":"r","file":"a","reason":"secret"}"#,
            "the span is not valid",
        ),
        (
            r#"{"id":"r","file":"a","reason":"secret","start":3,"end":3,"length":0}"#,
            "not valid",
        ),
        (
            r#"{"id":"r","file":"a","reason":"secret","start":3,"end":4,"length":2}"#,
            "not valid",
        ),
        (
            r#"{"id":"r","file":"events.jsonl","reason":"secret","start":3,"end":4,"length":1}"#,
            "either",
        ),
        (
            r#"{"id":"r","file":"a","reason":"secret","line":1,"start":3,"end":4,"length":1}"#,
            "no lines",
        ),
        (
            r#"{"id":"r","file":"a","reason":"secret","pointer":"/a","start":3,"end":4,"length":1}"#,
            "as text",
        ),
    ] {
        let (found, problems) = parse("p", line.as_bytes());
        assert!(found.is_empty(), "{line}");
        let messages: Vec<_> = problems
            .iter()
            .map(|problem| problem.message.as_str())
            .collect();
        assert!(
            matches!(messages[..], [message] if message.contains(why)),
            "{line}: {messages:?}"
        );
    }
}
