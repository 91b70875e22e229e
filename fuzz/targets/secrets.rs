//! The scan for secrets: every place is inside the text that it names, no debug text of a finding contains a value, and nothing around a
//! secret hides it.

use runpress::api::secrets::{Finding, ScanSettings, scan};

/// A text, a document, a log, and Markdown in a file and in lines.
const NAMES: [&str; 5] = [
    "notes.txt",
    "answer.json",
    "events.jsonl",
    "writeup.md",
    "run.tape.annotations.jsonl",
];

/// Tokens that are found wherever they are. They are in pieces, so that this file contains none.
const TOKENS: [[&str; 3]; 3] = [
    ["gh", "p_", "q8Zr4Lm2Xw7Nc5Vb9Ks1Tj6Hd3Fg0Py2Ru4E"],
    ["glp", "at-", "x7Qm-2Lr9_Vk4Zt8Wn3B"],
    ["AK", "IA", "Q3EGRZ7NVWXK2TLP"],
];

fn findings(name: &str, bytes: &[u8]) -> Vec<Finding> {
    scan(name, bytes, &ScanSettings::default())
}

/// Scans `bytes` as a file of each sort.
pub fn run(bytes: &[u8]) {
    let lines = bytes.split(|byte| *byte == b'\n').count();
    for name in NAMES {
        let found = findings(name, bytes);
        for finding in &found {
            assert!(finding.range.start < finding.range.end, "{finding:?}");
            assert!(
                (1..=lines).contains(&(finding.line as usize)),
                "{finding:?}"
            );
            assert_eq!(finding.fingerprint.len(), 16);
            assert!(
                finding
                    .fingerprint
                    .bytes()
                    .all(|byte| byte.is_ascii_hexdigit())
            );
            assert!(finding.prefix.len() <= 3, "{finding:?}");
            assert!(finding.raw_range.end <= bytes.len(), "{finding:?}");
            if finding.pointer.is_none() {
                assert!(finding.range.end <= bytes.len(), "{finding:?}");
            }
        }
        assert_eq!(shown(&found), shown(&findings(name, bytes)), "twice");
    }
    for token in TOKENS {
        let token = token.concat();
        for planted in [
            [bytes, b"\n", token.as_bytes(), b"\n", bytes].concat(),
            [bytes, b" \"", token.as_bytes(), b"\" ", bytes].concat(),
        ] {
            let found = findings(NAMES[0], &planted);
            let at = bytes.len() + 1..planted.len() - bytes.len() - 1;
            let covers =
                |finding: &Finding| finding.range.start < at.end && finding.range.end > at.start;
            assert!(found.iter().any(covers), "{} is hidden", &token[..3]);
            for finding in &found {
                assert!(!format!("{finding:?}").contains(&token[8..]));
            }
        }
        // A line of its own is found in a log, whatever the lines around it are.
        let line = format!("\n{{\"type\":\"agent\",\"message\":\"{token}\"}}\n");
        let planted = [bytes, line.as_bytes(), bytes].concat();
        assert!(findings(NAMES[2], &planted).len() > usize::from(token.is_empty()));
    }
}

fn shown(findings: &[Finding]) -> Vec<String> {
    findings
        .iter()
        .map(|finding| format!("{finding:?}"))
        .collect()
}
