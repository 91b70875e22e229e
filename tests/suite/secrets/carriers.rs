//! The ways in which a secret appears in published content.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::keys::{Family, Form, Numbers, Secret};
use crate::support::{event, lines};

/// A file: its name and its bytes.
pub(super) type Carried = (&'static str, Vec<u8>);

/// Writes a secret of a family in one way.
pub(super) type Carrier = fn(&Family, &Secret, &mut Numbers) -> Vec<Carried>;

pub(super) const ALL: [(&str, Carrier); 24] = [
    ("plain", plain),
    ("json", json_string),
    ("escaped twice", escaped_twice),
    ("url", url),
    ("header", header),
    ("wrapped", wrapped),
    ("yaml", yaml),
    ("shell", shell),
    ("diff", diff),
    ("base64", encoded),
    ("ansi", colored),
    ("split", split),
    ("blocks", blocks),
    ("zero byte", zero_byte),
    ("zero byte within", zero_byte_within),
    ("UTF-16", utf_16),
    ("invisible", invisible),
    ("Markdown escape", |family, secret, _| {
        let escaped = |c: char| match c {
            '_' | '-' | '.' | '~' | ':' | '/' | '=' | '+' => format!("\\{c}"),
            c => c.to_string(),
        };
        markdown(family, secret, |value| value.chars().map(escaped).collect())
    }),
    ("Markdown reference", |family, secret, _| {
        markdown(family, secret, |value| {
            inside(value, |c| format!("&#{};", u32::from(c)))
        })
    }),
    ("Markdown emphasis", |family, secret, _| {
        markdown(family, secret, |value| {
            inside(value, |c| format!("**{c}**"))
        })
    }),
    ("Markdown code", |family, secret, _| {
        markdown(family, secret, |value| inside(value, |c| format!("`{c}`")))
    }),
    ("Markdown link", |family, secret, _| {
        markdown(family, secret, |value| {
            inside(value, |c| format!("[{c}](https://example.org)"))
        })
    }),
    ("Markdown comment", |family, secret, _| {
        markdown(family, secret, |value| {
            inside(value, |c| format!("<!-- a -->{c}<b></b>"))
        })
    }),
    ("tags", tags),
];

/// What may follow a secret in a text.
pub(super) const ENDS: [&str; 20] = [
    ")", ",", "|", "…", "<", "\u{a0}", "]", "}", ">", "*", ";", "!", "?", "。", "”", "»", ") ",
    ". ", ": ", "\\n",
];

/// The log of a run with one message.
fn message(text: &str) -> Carried {
    let fields = format!("\"message\":{}", json!(text));
    (
        "events.jsonl",
        lines(&[event(0, "agent", &fields)]).into_bytes(),
    )
}

/// A text as a file and as a message of an agent: it must be found in both.
fn text(text: &str) -> Vec<Carried> {
    vec![("notes.txt", text.as_bytes().to_vec()), message(text)]
}

/// `NAME=value`, unless the secret has its own surrounding text.
pub(super) fn assigned(family: &Family, secret: &Secret) -> String {
    match family.form {
        Form::Text => secret.text.clone(),
        Form::Token | Form::Named => format!("{}={}", family.variable, secret.text),
    }
}

fn plain(family: &Family, secret: &Secret, numbers: &mut Numbers) -> Vec<Carried> {
    let said = &secret.text;
    text(&match family.form {
        Form::Text => format!("This is what it holds:\n{said}\n"),
        Form::Named => format!("The file sets {}={said}\n", family.variable),
        Form::Token => match numbers.below(5) {
            0 => format!("I found `{said}` in the file"),
            1 => format!("The file holds {said}, which I should not use."),
            2 => format!("It is in the file ({said})"),
            3 => format!("The file holds {said}."),
            _ => format!("{said}\n"),
        },
    })
}

/// The document in a tool result.
fn document(family: &Family, secret: &Secret) -> String {
    let value = match family.form {
        Form::Text => json!({"stdout": secret.text, "exitCode": 0}),
        Form::Token | Form::Named => json!({"env": {family.variable: secret.text}, "ok": true}),
    };
    value.to_string()
}

fn json_string(family: &Family, secret: &Secret, _: &mut Numbers) -> Vec<Carried> {
    // Escaped dashes and dots, which no writer needs but every reader accepts.
    let escaped = message(&assigned(family, secret));
    let mut hidden = String::from_utf8(escaped.1).expect("UTF-8");
    if let Some(at) = hidden.find("\"message\"") {
        let said = hidden.split_off(at + 10);
        hidden += &said
            .replace('-', "\\u002d")
            .replace('_', "\\u005F")
            .replace('/', "\\/");
    }
    vec![
        ("answer.json", document(family, secret).into_bytes()),
        message(&assigned(family, secret)),
        ("events.jsonl", hidden.into_bytes()),
    ]
}

fn escaped_twice(family: &Family, secret: &Secret, _: &mut Numbers) -> Vec<Carried> {
    vec![message(&document(family, secret))]
}

/// Percent-encoded, as in a form.
fn percent(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC)
        .to_string()
        .replace("%2D", "-")
        .replace("%5F", "_")
        .replace("%2E", ".")
}

fn url(family: &Family, secret: &Secret, numbers: &mut Numbers) -> Vec<Carried> {
    let at = match family.form {
        Form::Token | Form::Named => family.variable.to_lowercase(),
        Form::Text => "q".to_owned(),
    };
    let is_url = secret.text.contains("://") && !secret.text.contains(' ');
    text(&match numbers.below(2) {
        _ if is_url => format!("GET {} HTTP/1.1\n", secret.text),
        0 => format!(
            "GET https://api.internal/v1/items?page=2&{at}={}\n",
            percent(&secret.text)
        ),
        _ => format!(
            "curl 'https://api.internal/v1/items?{at}={}&page=2'\n",
            percent(&secret.text)
        ),
    })
}

fn header(family: &Family, secret: &Secret, numbers: &mut Numbers) -> Vec<Carried> {
    let name = family.variable.replace('_', "-");
    let line = secret.text.replace('\n', "\\n");
    text(&match (family.form, numbers.below(2)) {
        (Form::Text, _)
            if line
                .split_once(": ")
                .is_some_and(|(name, _)| !name.contains(' ')) =>
        {
            format!("> POST /v1 HTTP/1.1\n> {line}\n> Accept: */*\n")
        }
        (Form::Token, 0) => {
            format!("POST /v1 HTTP/1.1\nauthorization: Bearer {line}\nAccept: */*\n")
        }
        _ => format!("POST /v1 HTTP/1.1\nX-{name}: {line}\nAccept: */*\n"),
    })
}

/// Wrapped at a fixed width, as by a terminal or `fold`; the secret continues on the second line.
fn wrapped(family: &Family, secret: &Secret, numbers: &mut Numbers) -> Vec<Carried> {
    const WIDTH: usize = 64;
    let said = assigned(family, secret);
    if secret.text.contains('\n') {
        return text(&format!("$ cat key\n{said}\n"));
    }
    let before = said.len() - secret.text.len() + secret.value.start;
    let cut = 6 + numbers.below(secret.value.len().min(40) - 8);
    let words = "the settings of the machine, as they were printed ".repeat(4);
    let lead = (2 * WIDTH - (before + cut) % WIDTH) % WIDTH;
    let mut lead = words[..lead].to_owned();
    if lead.pop().is_some() {
        lead.push(' ');
    }
    let all: Vec<char> = format!("{lead}{said}\n").chars().collect();
    let rows: Vec<String> = all.chunks(WIDTH).map(String::from_iter).collect();
    text(&rows.join("\n"))
}

fn yaml(family: &Family, secret: &Secret, numbers: &mut Numbers) -> Vec<Carried> {
    let (name, value) = (family.variable, &secret.text);
    let block = value.replace('\n', "\n    ");
    text(&match (family.form, numbers.below(2)) {
        (Form::Text, _) => format!("settings:\n  {name}: |\n    {block}\n  LEVEL: debug\n"),
        (_, 0) => format!("env:\n  {name}: {value}\n  LEVEL: debug\n"),
        _ => format!(
            "env:\n  {}: \"{value}\"\n  level: debug\n",
            name.to_lowercase()
        ),
    })
}

fn shell(family: &Family, secret: &Secret, numbers: &mut Numbers) -> Vec<Carried> {
    let (name, value) = (family.variable, &secret.text);
    text(&match (family.form, numbers.below(3)) {
        (Form::Text, _) => format!("export {name}='{value}'\nnpm test\n"),
        (_, 0) => format!("export {name}={value}\nnpm test\n"),
        (_, 1) => format!("export {name}=\"{value}\" && npm test\n"),
        _ => format!("{name}={value} npm test\n"),
    })
}

fn diff(family: &Family, secret: &Secret, numbers: &mut Numbers) -> Vec<Carried> {
    let sign = ["+", "-"][numbers.below(2)];
    let rows = assigned(family, secret).replace('\n', &format!("\n{sign}"));
    text(&format!(
        "--- a/.env\n+++ b/.env\n@@ -1,2 +1,3 @@\n LEVEL=debug\n{sign}{rows}\n PORT=8080\n"
    ))
}

fn encoded(family: &Family, secret: &Secret, _: &mut Numbers) -> Vec<Carried> {
    let said = match family.form {
        Form::Token => secret.text.clone(),
        Form::Named | Form::Text => assigned(family, secret),
    };
    text(&format!("data: {}\n", STANDARD.encode(format!("{said}\n"))))
}

/// Colored as by `grep --color` and `ls --color`, with the end of a color inside the secret.
fn colored(family: &Family, secret: &Secret, numbers: &mut Numbers) -> Vec<Carried> {
    let said = assigned(family, secret);
    let start = said.len() - secret.text.len() + secret.value.start;
    let cut = start + 2 + numbers.below(secret.value.len().min(40) - 4);
    text(&format!(
        "\u{1b}[32m{}\u{1b}[0m{}\u{1b}[01;31m\u{1b}[K{}\u{1b}[m\u{1b}[K{}\u{1b}[0m\n",
        &said[..start.min(3)],
        &said[start.min(3)..start],
        &said[start..cut],
        &said[cut..]
    ))
}

/// The value with one of its letters written in another way. The letter is between two others, as not every markup is possible
/// elsewhere.
fn inside(value: &str, write: impl Fn(char) -> String) -> String {
    let all = value.as_bytes();
    let is_letter = |at: usize| all[at - 1..=at + 1].iter().all(u8::is_ascii_alphanumeric);
    let at = (1..all.len() - 1)
        .find(|at| is_letter(*at))
        .expect("three letters");
    let written = write(char::from(all[at]));
    format!("{}{written}{}", &value[..at], &value[at + 1..])
}

/// The text with the secret in another writing.
fn rewritten(family: &Family, secret: &Secret, write: impl Fn(&str) -> String) -> String {
    let said = assigned(family, secret);
    let before = said.len() - secret.text.len();
    let value = secret.value.start + before..secret.value.end + before;
    format!(
        "{}{}{}",
        &said[..value.start],
        write(&said[value.clone()]),
        &said[value.end..]
    )
}

/// A review and an annotation.
fn markdown(family: &Family, secret: &Secret, write: impl Fn(&str) -> String) -> Vec<Carried> {
    let said = rewritten(family, secret, write);
    let evidence = json!({"id": "a", "evidence": format!("It printed\n\n{said}\n")});
    vec![
        (
            "writeup.md",
            format!("---\nrating: great\n---\n\n{said}\n").into_bytes(),
        ),
        (
            "events.jsonl.annotations.jsonl",
            format!("{evidence}\n").into_bytes(),
        ),
    ]
}

fn tags(family: &Family, secret: &Secret, _: &mut Numbers) -> Vec<Carried> {
    let said = rewritten(family, secret, |value| {
        inside(value, |c| format!("<b>{c}</b>"))
    });
    vec![("static/notes.html", format!("<p>{said}</p>\n").into_bytes())]
}

/// After a zero byte: in a style sheet, and in a log with a line that was torn off.
fn zero_byte(family: &Family, secret: &Secret, _: &mut Numbers) -> Vec<Carried> {
    let said = assigned(family, secret);
    let log = [
        b"{\"type\":\"agent\",\"mess\0\n",
        message(&said).1.as_slice(),
    ]
    .concat();
    vec![
        (
            "static/own.css",
            format!("p {{}}\0\n/* {said} */\n").into_bytes(),
        ),
        ("events.jsonl", log),
    ]
}

fn zero_byte_within(family: &Family, secret: &Secret, _: &mut Numbers) -> Vec<Carried> {
    let said = rewritten(family, secret, |value| inside(value, |c| format!("{c}\0")));
    vec![("notes.txt", format!("{said}\n").into_bytes())]
}

fn utf_16(family: &Family, secret: &Secret, _: &mut Numbers) -> Vec<Carried> {
    let said = format!("\u{feff}The file sets\r\n{}\r\n", assigned(family, secret));
    let units: Vec<u16> = said.encode_utf16().collect();
    let bytes = |write: fn(u16) -> [u8; 2]| units.iter().copied().flat_map(write).collect();
    vec![
        ("notes.txt", bytes(u16::to_le_bytes)),
        ("notes.txt", bytes(u16::to_be_bytes)),
    ]
}

/// With characters that nobody sees.
fn invisible(family: &Family, secret: &Secret, numbers: &mut Numbers) -> Vec<Carried> {
    let hidden = [
        "\u{200b}",
        "\u{ad}",
        "\u{feff}",
        "\u{2060}",
        "\u{200d}\u{200c}",
    ];
    let hidden = hidden[numbers.below(hidden.len())];
    let said = rewritten(family, secret, |value| {
        inside(value, |c| format!("{hidden}{c}"))
    });
    text(&format!("{said}\n"))
}

/// Split over two neighboring blocks of one message.
fn blocks(family: &Family, secret: &Secret, numbers: &mut Numbers) -> Vec<Carried> {
    let said = assigned(family, secret);
    let start = said.len() - secret.text.len() + secret.value.start;
    let cut = start + 2 + numbers.below(secret.value.len() - 4);
    let block = |text: &str| json!({"type": "text", "text": text, "visibility": "public"});
    let content = json!([block(&said[..cut]), block(&said[cut..])]);
    let messages = json!([{"role": "assistant", "content": content}]);
    let transcript = json!({"_type": "transcript", "messages": messages});
    let line = event(0, "agent", &format!("\"content\":{content}"));
    vec![
        ("transcript.json", transcript.to_string().into_bytes()),
        ("events.jsonl", lines(&[line]).into_bytes()),
    ]
}

/// Split over two consecutive messages of one agent.
fn split(family: &Family, secret: &Secret, numbers: &mut Numbers) -> Vec<Carried> {
    let said = assigned(family, secret);
    let start = said.len() - secret.text.len() + secret.value.start;
    let cut = start + 2 + numbers.below(secret.value.len() - 4);
    let halves = [&said[..cut], &said[cut..]].map(|half| {
        let fields = format!("\"message\":{}", json!(half));
        event(0, "agent", &fields)
    });
    vec![("events.jsonl", lines(&halves).into_bytes())]
}
