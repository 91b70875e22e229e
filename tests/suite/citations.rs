//! Every section of docs/formats.md that the code cites exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The sections that can be cited: `A.v` of a heading, `H.5` of an item of section H, `contradiction 12`.
fn sections() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("docs/formats.md")).expect("docs/formats.md");
    let mut found = BTreeSet::new();
    let mut list = None;
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ").or(line.strip_prefix("### ")) {
            let name = heading.split(' ').next().unwrap_or_default();
            list = match name.trim_end_matches('.') {
                "Contradictions" => Some("contradiction ".to_owned()),
                "H" => Some("H.".to_owned()),
                _ => None,
            };
            found.insert(name.trim_end_matches('.').to_owned());
        } else if let (Some(list), Some((number, _))) = (&list, line.trim().split_once(". "))
            && number.parse::<u32>().is_ok()
        {
            found.insert(format!("{list}{number}"));
        }
    }
    found
}

/// The citation after each `formats.md` in a comment, as far as it looks like a section.
fn cited(text: &str) -> Vec<String> {
    let text: Vec<&str> = text
        .lines()
        .map(|line| {
            line.trim_start()
                .trim_start_matches(['/', '!', '#'])
                .trim_start()
        })
        .collect();
    let text = text.join(" ");
    let mut found = Vec::new();
    for (at, word) in text.match_indices("formats.md") {
        // The page for authors has the same name.
        if text[..at].ends_with('/') && !text[..at].ends_with("docs/") {
            continue;
        }
        let mut words = text[at + word.len()..]
            .trim_start_matches(',')
            .split_whitespace();
        while let Some(word) = words.next() {
            let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
            if matches!(bare, "contradiction" | "contradictions") {
                let number = words.next().unwrap_or_default();
                let number = number.trim_matches(|c: char| !c.is_ascii_digit());
                found.push(format!("contradiction {number}"));
            } else if is_section(bare) {
                found.push(bare.to_owned());
            } else {
                break;
            }
            // `F and H.5` continues, `D)` and `D.` do not.
            let goes_on = word.ends_with(|c: char| c.is_ascii_alphanumeric() || c == ',');
            if !goes_on || !matches!(words.clone().next(), Some("and" | "to")) {
                break;
            }
            words.next();
        }
    }
    found
}

fn is_section(word: &str) -> bool {
    let (letter, rest) = word.split_at(word.len().min(1));
    letter.chars().all(|c| c.is_ascii_uppercase())
        && !letter.is_empty()
        && (rest.is_empty()
            || rest.strip_prefix('.').is_some_and(|rest| {
                rest.chars()
                    .all(|c| c.is_ascii_digit() || "ivx".contains(c))
            }))
}

#[test]
fn every_citation_of_the_formats_leads_to_a_section() {
    let sections = sections();
    let mut count = 0;
    let mut dead = Vec::new();
    for folder in ["src", "tests", "fuzz", "benches"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for entry in walkdir::WalkDir::new(root) {
            let path = entry.expect("an entry").into_path();
            let is_code = path.extension().is_some_and(|end| end == "rs");
            if !is_code || path.ends_with("tests/suite/citations.rs") {
                continue;
            }
            let text = fs::read_to_string(&path).expect("UTF-8");
            for section in cited(&text) {
                count += 1;
                if !sections.contains(&section) {
                    dead.push(format!("{}: {section}", path.display()));
                }
            }
        }
    }
    assert!(count > 40, "{count} citations were found");
    assert_eq!(dead, [""; 0]);
}

#[test]
fn a_citation_is_read_to_its_last_section() {
    let cited = |text| cited(text).join("; ");
    assert_eq!(cited("/// (formats.md A.v)."), "A.v");
    assert_eq!(cited("/// formats.md F and H.5): x"), "F; H.5");
    assert_eq!(
        cited("// (formats.md,\n    // contradiction 6)."),
        "contradiction 6"
    );
    assert_eq!(cited("the formats.md page"), "");
    assert_eq!(cited("content/pages/formats.md A"), "");
}
