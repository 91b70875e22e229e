//! Keys are assembled at run time, so that no host reports this file as a leak.

use super::*;

fn key() -> String {
    format!("{}{}", "ghp_", "x7Kq2mPz9LwTn4Rb8VcJ3hYd6FsG1aQeXoWk")
}

fn found(name: &str, text: &str) -> Vec<(String, Option<String>, String)> {
    let settings = ScanSettings {
        paths: true,
        ..ScanSettings::default()
    };
    let findings = scan(name, text.as_bytes(), &settings);
    findings
        .into_iter()
        .map(|finding| {
            assert!(finding.raw_range.end <= text.len());
            (
                finding.rule.to_owned(),
                finding.pointer,
                text[finding.raw_range].to_owned(),
            )
        })
        .collect()
}

#[test]
fn a_key_is_found_in_every_carrier_and_its_bytes_are_exactly_its_own() {
    let key = key();
    let github = |pointer: Option<&str>, written: &str| {
        vec![(
            "github-pat".to_owned(),
            pointer.map(str::to_owned),
            written.to_owned(),
        )]
    };
    assert_eq!(found("a.md", &format!("Token: {key}.")), github(None, &key));
    assert_eq!(
        found("a.yaml", &format!("token: \"{key}\"\n")),
        github(None, &key)
    );
    assert_eq!(
        found("a.sh", &format!("export GH={key}\n")),
        github(None, &key)
    );
    let json = format!("{{\"a\":[0,{{\"b\":\"x\\n{key} y\"}}]}}");
    assert_eq!(found("a.json", &json), github(Some("/a/1/b"), &key));
    let lines = format!("{{}}\n\n{json}\n");
    assert_eq!(found("a.jsonl", &lines), github(Some("/a/1/b"), &key));
    let hidden = key.replacen('h', "\\u0068", 1);
    assert_eq!(
        found("a.jsonl", &json.replace(&key, &hidden)),
        github(Some("/a/1/b"), &hidden)
    );
    let colored = key.replacen('p', "\\u001b[31mp\\u001b[0m", 1);
    assert_eq!(
        found("a.jsonl", &json.replace(&key, &colored)),
        github(Some("/a/1/b"), &colored)
    );
    let coded = base64::Engine::encode(
        &base64::engine::general_purpose::STANDARD,
        format!("token {key}"),
    );
    let coded = coded.trim_end_matches('=').to_owned();
    assert_eq!(
        found("a.jsonl", &json.replace(&key, &coded)),
        github(Some("/a/1/b"), &coded)
    );
}

#[test]
fn a_key_across_two_parts_of_a_long_text_is_found_once() {
    const LENGTH: usize = 4096;
    let key = key();
    let expected = vec![("github-pat".to_owned(), None, key.clone())];
    for quarter in 1..=4 {
        for before in 0..=key.len() {
            let at = quarter * LENGTH / 4 - before;
            let mut text = "- ".repeat(LENGTH / 2);
            text.truncate(at / 2 * 2);
            text.push_str(&" ".repeat(at % 2 + 1));
            text.push_str(&key);
            text.push_str(&" -".repeat(LENGTH));
            text.truncate(LENGTH.max(at + 1 + key.len()));
            assert_eq!(found("a.txt", &text), expected, "{quarter}, {before}");
        }
    }
}

#[test]
fn a_value_is_known_by_the_name_that_it_is_assigned_to_however_often_it_is_escaped() {
    let value = ["f8Zq2LkT0w", "Vb7Xn5RmJ3"].concat();
    let mut text = format!("{{\"api_key\": \"{value}\"}}");
    for pointer in ["/api_key", "/x", "/x", "/x"] {
        let expected = [(
            "generic-api-key".to_owned(),
            Some(pointer.to_owned()),
            value.clone(),
        )];
        assert_eq!(found("a.jsonl", &text), expected, "{text}");
        text = serde_json::json!({ "x": text }).to_string();
    }
}

#[test]
fn a_key_that_is_split_over_events_is_found_in_each_of_them() {
    let key = key();
    for at in [2, 10, 30] {
        let (first, rest) = key.split_at(at);
        let text = format!(
            "{{\"type\":\"agent\",\"message\":\"It is {first}\"}}\n{{\"type\":\"agent\",\"message\":\"{rest} now\"}}\n"
        );
        let expected = [first, rest].map(|part| {
            (
                "github-pat".to_owned(),
                Some("/message".to_owned()),
                part.to_owned(),
            )
        });
        assert_eq!(found("events.jsonl", &text), expected);
        assert!(found("events.jsonl", &text.replace("{first}\"", " \"")).len() == 2);
    }
}

#[test]
fn a_range_counts_the_decoded_string_and_the_length_its_characters() {
    let key = key();
    let text = format!("{{\"m\":\"é\\u00e9\\ud83d\\ude00 {key}\"}}");
    let findings = scan("a.jsonl", text.as_bytes(), &ScanSettings::default());
    let [finding] = findings.as_slice() else {
        panic!("{findings:?}")
    };
    assert_eq!(finding.range, 9..9 + key.len());
    assert_eq!(finding.length_in_characters, key.len());
    assert_eq!(finding.masked_value(), "ghp…(40 characters)…");
}

#[test]
fn a_private_key_is_found_whole_and_when_its_end_is_cut_off() {
    let line = [
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
        "BKcwggSjAgEAAoIBAQDJtVfdm8Qh2Zx0",
    ]
    .concat();
    let head = ["-----BEGIN RSA PRI", "VATE KEY-----"].concat();
    let whole = format!("{head}\n{line}\n{line}\n{}", head.replace("BEGIN", "END"));
    let all = found("k.txt", &format!("x\n{whole}\n"));
    assert_eq!(all, [("private-key".to_owned(), None, whole.clone())]);
    let json = serde_json::json!({ "out": whole }).to_string();
    assert_eq!(found("k.jsonl", &json)[0].0, "private-key");
    let cut = format!("{head}\n{line}\n{line}");
    assert_eq!(found("k.txt", &cut)[0].0, "private-key-cut");
}

#[test]
fn a_fingerprint_is_that_of_the_place_and_does_not_depend_on_the_value() {
    let of = |text: &str, owner: &str| {
        let settings = ScanSettings {
            owner,
            ..ScanSettings::default()
        };
        scan("a.md", text.as_bytes(), &settings)[0]
            .fingerprint
            .clone()
    };
    let (key, other) = (key(), key().replace('7', "8"));
    let print = of(&key, "r1");
    assert_eq!(print.len(), 16);
    assert_eq!(print, of(&other, "r1"));
    assert_ne!(print, of(&key, "r2"));
    assert_ne!(print, of(&format!(" {key}"), "r1"));
}

#[test]
fn a_debug_print_of_a_finding_does_not_show_its_value() {
    let findings = scan("a.md", key().as_bytes(), &ScanSettings::default());
    assert!(!format!("{findings:?}").contains("x7Kq"));
}

#[test]
fn home_directories_of_people_are_found_and_those_of_accounts_are_not() {
    let names = |text: &str| {
        found("a.md", text)
            .into_iter()
            .map(|(_, _, name)| name)
            .collect::<Vec<_>>()
    };
    assert_eq!(names("cd /home/mkowalski/x && ls"), ["mkowalski"]);
    assert_eq!(
        names("/Users/jdoe3 and C:\\Users\\Pawel.K\\x"),
        ["jdoe3", "Pawel.K"]
    );
    assert!(
        names("/home/runner/x /home/ubuntu /Users/root https://x.org/users/petra ~/home/abc")
            .is_empty()
    );
}

#[test]
fn ordinary_text_has_no_secrets() {
    for text in [
        "The key is to use tokens: input_tokens=12345678, output_tokens=1",
        "postgres://user:password@localhost/db and https://user:${TOKEN}@host/x",
        "Authorization: Bearer $TOKEN or Authorization: Bearer <your-token>",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "AKIAIOSFODNN7EXAMPLE",
        "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    ] {
        assert_eq!(found("a.md", text), [], "{text}");
    }
}
