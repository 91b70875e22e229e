//! Values that some JSON parsers reject: refused where Harn refuses them, and otherwise published in a portable form.

use crate::support::{HEADER, TestSite, annotation, codes, first, lines};

/// Half surrogate pairs, numbers out of range and deep nesting, each as a value.
fn hostile() -> Vec<String> {
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let mut deep_object = "1".to_owned();
    for _ in 0..200 {
        deep_object = format!("{{\"k\":{deep_object}}}");
    }
    vec![
        r#""\ud83d""#.to_owned(),
        r#""a \udc00\ud83d\ude00 b""#.to_owned(),
        r#"{"\ud83d": {"\ude00": 1, "x": "y"}}"#.to_owned(),
        "1e999".to_owned(),
        "-1E+400".to_owned(),
        "9".repeat(5000),
        deep(97),
        deep(128),
        deep(5000),
        deep_object,
        format!("[{}]", deep(120)),
    ]
}

/// An object with each hostile value under its own key.
fn bag() -> String {
    let values = hostile().into_iter().enumerate();
    let members = values.map(|(index, value)| format!("\"k{index}\":{value}"));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

/// Every JSON text on the published site, with its path.
fn published_json(site: &TestSite) -> Vec<(String, String)> {
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let mut found = Vec::new();
    for (path, bytes) in site.published() {
        if path.ends_with(".json") {
            found.push((path, text(bytes)));
        } else if path.ends_with("/events.jsonl") {
            // The log is a download with the original bytes.
        } else if path.ends_with(".jsonl") {
            let lines = text(bytes);
            let lines = lines.lines().enumerate();
            found.extend(lines.map(|(at, line)| (format!("{path}:{}", at + 1), line.to_owned())));
        } else if path.ends_with(".html") {
            for part in text(bytes).split("<script type=\"application/").skip(1) {
                let json = part.split_once('>').expect("a tag").1;
                let json = json.split("</script>").next().expect("an end");
                found.push((path.clone(), json.to_owned()));
            }
        }
    }
    found
}

fn unreadable(site: &TestSite) -> Vec<String> {
    let texts = published_json(site);
    assert!(texts.len() > 10, "{}", texts.len());
    texts
        .iter()
        .filter_map(|(path, text)| {
            let error = serde_json::from_str::<serde_json::Value>(text).err()?;
            Some(format!("{path}: {error}"))
        })
        .collect()
}

fn with_record(site: &TestSite, keys: &str) {
    let record = site.text(&first("run-record.json"));
    let record = record.trim_end().strip_suffix('}').expect("an object");
    site.write_first("run-record.json", format!("{record},{keys}}}"));
}

fn with_threads(site: &TestSite, value: &str) {
    let thread = |id: &str, value: &str| {
        format!(
            r#"{{"id":"{id}","turnId":"t\ud83d","resource":"a\udc00.ts","resolved":false,"newer":{value},"_meta":{value},"entries":[{{"id":"e","text":"half \ud83d","_meta":{value}}}]}}"#
        )
    };
    site.write_first(
        "annotations.json",
        format!(r#"{{"annotations":[{}]}}"#, thread("one", value)),
    );
    site.write_first("annotations.actions.jsonl", format!(
            "{{\"type\":\"annotations/set\",\"annotation\":{}}}\n{{\"type\":\"annotations/entrySet\",\"annotationId\":\"one\",\"entry\":{{\"id\":\"f\",\"text\":{{\"markdown\":\"*\\udfff*\"}},\"more\":{value}}}}}\n",
            thread("two", value)
        ),
    );
}

fn with_transcript(site: &TestSite, value: &str) {
    let text = format!(
        r#"{{"_type":"transcript","version":2,"id":"\ud83d","metadata":{value},"messages":[
            {{"role":"user","content":"half \ud83d"}},
            {{"role":"assistant","content":[{{"type":"text","visibility":"public","text":"\udc00","newer":{value}}},
            {{"type":"tool_call","visibility":"public","name":"n\ud83d","arguments":{value}}}]}}],
            "events":[{{"kind":"plan","role":"assistant","visibility":"public","text":"\ud83d","metadata":{value}}}],
            "assets":[{{"id":"a\ud83d","visibility":"public","name":"\ud83d","metadata":{value}}}]}}"#
    );
    site.write_first("transcript.json", text);
}

#[test]
fn everything_published_from_values_that_some_readers_refuse_can_be_read_strictly() {
    let value = bag();
    let site = TestSite::base();
    with_record(
        &site,
        &format!(r#""codeAnalysis":{{"v":{value}}},"newer":{value},"toolchain":{{"v":{value}}}"#),
    );
    with_threads(&site, &value);
    with_transcript(&site, &value);
    site.write_first("events.jsonl", lines(&[
            &format!(r#"{{"timestamp":"2026-03-01T10:00:09Z","type":"unknown","raw":{value}}}"#),
            &format!(r#"{{"timestamp":"2026-03-01T10:00:09Z","type":"gg","event":{value}}}"#),
            &format!(r#"{{"timestamp":"2026-03-01T10:00:09Z","type":"agent","message":"m","newer":{value}}}"#),
            &format!(r#"{{"timestamp":"2026-03-01T10:00:09Z","type":"newer","value":{value}}}"#),
        ]),
    );
    site.unannotated();
    let outcome = site.build();
    assert!(outcome.published, "{value}: {:#?}", outcome.diagnostics);
    for code in [
        "events.unportable-value",
        "record.unportable-value",
        "threads.unportable-value",
        "transcript.unportable-value",
    ] {
        assert!(codes(&outcome).contains(&code), "{code} for {value}");
    }
    assert_eq!(unreadable(&site), Vec::<String>::new(), "{value}");
    // A second build compares the records.
    let text = site.text(&first("run-record.json"));
    site.write_first("run-record.json", text.replace("\"newer\":", "\"newest\":"));
    assert!(site.build().published, "{value}");
    assert_eq!(unreadable(&site), Vec::<String>::new(), "{value}");
}

#[test]
fn a_log_line_that_strict_readers_refuse_is_reported_once_and_published_unchanged() {
    let event = |fields: &str| {
        format!(
            r#"{{"timestamp":"2026-03-01T10:00:09Z","type":"agent","message":"e 3e4",{fields}}}"#
        )
    };
    for value in hostile() {
        let line = event(&format!(r#""newer":{value},"again":{value}"#));
        let site = TestSite::base();
        let log = lines(&[&event(r#""a":1e9,"b":"\ud83d\ude00 \u00e9""#), &line]);
        site.log(&log);
        let outcome = site.build();
        let is_refused = serde_json::from_str::<serde_json::Value>(&line).is_err();
        let expected = ["events.unportable-value"; 1];
        let expected = &expected[..usize::from(is_refused)];
        assert_eq!(codes(&outcome), expected, "{value}");
        if let Some(problem) = outcome.diagnostics.first() {
            assert_eq!(problem.place.line, Some(2));
            let before = u32::try_from(line.find("newer").expect("the key"));
            assert!(problem.place.column > before.ok(), "{value}");
        }
        assert_eq!(site.first_text("events.jsonl"), log, "{value}");
    }
}

#[test]
fn a_value_of_a_log_that_is_of_the_wrong_type_is_not_reported_again() {
    let site = TestSite::base();
    let log = lines(&[
        r#"{"timestamp":"2026-03-01T10:00:09Z","type":"agent","message":"half \ud83d"}"#,
        r#"{"timestamp":"2026-03-01T10:00:09Z","type":"command","command":"c","exitCode":1e999}"#,
    ]);
    site.log(log);
    assert_eq!(codes(&site.check()), ["events.wrong-type"; 2]);
}

#[test]
fn a_later_key_of_a_record_gets_one_warning_and_not_two() {
    for key in [
        r#""seedCommit":"\ud83d""#,
        r#""toolCalls":{"total":1e999}"#,
        r#""gameJamReadme":{"deep":{"er":"\ude00"}}"#,
    ] {
        let site = TestSite::base();
        with_record(&site, key);
        assert_eq!(codes(&site.check()), ["record.wrong-type"], "{key}");
    }
    let site = TestSite::base();
    with_record(&site, r#""seedCommit":"\ud83d","newer":"\ud83d""#);
    let mut found = codes(&site.check());
    found.sort_unstable();
    assert_eq!(
        found,
        [
            "record.unknown-key",
            "record.unportable-value",
            "record.wrong-type"
        ]
    );
}

#[test]
fn half_a_pair_in_a_thread_is_shown_as_a_replacement_character() {
    let site = TestSite::base();
    with_threads(&site, "1e999");
    assert!(site.build().published);
    let run = site.first_run();
    let thread = &run["threads"]["annotations"][0];
    assert_eq!(thread["entries"][0]["text"], "half \u{fffd}");
    assert_eq!(thread["resource"], "a\u{fffd}.ts");
    assert_eq!(thread["newer"], serde_json::Value::Null);
}

#[test]
fn a_known_key_of_a_record_with_half_a_pair_is_refused_as_test_cabinet_refuses_it() {
    let site = TestSite::base();
    site.replace_first("run-record.json", "sample/lark-1", "sample/lark\\ud83d");
    assert_eq!(codes(&site.check()), ["record.wrong-type"]);
}

#[test]
fn a_sidecar_that_harn_cannot_read_is_refused_whichever_key_is_at_fault() {
    for value in hostile() {
        // Nesting that Harn accepts is published in a portable form.
        let readable = serde_json::from_str::<serde_json::Value>(&format!("[[{value}]]")).is_ok();
        let expected = if readable {
            "sidecar.unportable-value"
        } else {
            "sidecar.malformed-line"
        };
        let places = [
            format!("\"suggested_fix\":{value}"),
            format!("\"metadata\":{{\"m\":{value}}}"),
            format!("\"newer\":{value}"),
        ];
        for fields in places {
            let site = TestSite::base();
            let fields = format!("{fields},\"friction_kind\":\"tool_gap\"");
            site.annotate(&[annotation("a", 0, "friction", &fields)]);
            let outcome = site.build();
            assert_eq!(codes(&outcome), [expected], "{fields}");
            assert_eq!(outcome.published, readable);
            if readable {
                assert_eq!(unreadable(&site), Vec::<String>::new(), "{fields}");
            }
        }
        let site = TestSite::base();
        site.write_first(
            "events.jsonl.annotations.jsonl",
            lines(&[HEADER.replace('}', &format!(",\"newer\":{value}}}"))]),
        );
        assert_eq!(codes(&site.check()), [expected], "{value}");
    }
}
