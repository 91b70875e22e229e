//! Properties of every problem: its place exists, and its texts are complete, short and harmless.

use std::collections::BTreeMap;

use runpress::api::characters::classify;
use runpress::api::diagnostics::{Diagnostic, PER_FILE, without_mark};

/// The longest message: some sentences with a few quoted values in them.
const MESSAGE: usize = 1_000;

/// Checks the problems of one file.
pub fn check(bytes: &[u8], problems: &[Diagnostic]) {
    let lines: Vec<&[u8]> = without_mark(bytes).split(|byte| *byte == b'\n').collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for problem in problems {
        *counts.entry(problem.code.name).or_default() += 1;
        check_texts(problem);
        let place = &problem.place;
        if let (Some(line), Some(column)) = (place.line, place.column) {
            let text = (line as usize)
                .checked_sub(1)
                .and_then(|index| lines.get(index))
                .unwrap_or_else(|| panic!("{} lines, and a problem: {problem:?}", lines.len()));
            let chars = String::from_utf8_lossy(text).chars().count();
            // An end of file is after the last character.
            let columns = 1..=chars + 1;
            assert!(
                columns.contains(&(column as usize)),
                "{chars} characters, and a problem: {problem:?}"
            );
        }
        if let Some(excerpt) = &place.excerpt {
            assert!(excerpt.start <= excerpt.end, "{problem:?}");
            assert!(
                excerpt.text.get(excerpt.start..excerpt.end).is_some(),
                "{problem:?}"
            );
            assert!(!is_unsafe(&excerpt.text), "{problem:?}");
            assert!(excerpt.text.chars().count() < 400, "{problem:?}");
        }
        if let Some(pointer) = &place.pointer {
            assert!(
                pointer.is_empty() || pointer.starts_with('/'),
                "{problem:?}"
            );
        }
    }
    // One more problem has the number of those that are not listed.
    assert!(
        counts.values().all(|count| *count <= PER_FILE + 1),
        "{counts:?}"
    );
}

fn is_unsafe(text: &str) -> bool {
    classify(text).any(|(c, hidden)| hidden || c.is_control())
}

fn check_texts(problem: &Diagnostic) {
    for text in [&problem.message, &problem.help] {
        assert!(!text.trim().is_empty(), "{problem:?}");
        assert!(!is_unsafe(text), "{problem:?}");
        assert!(text.chars().count() <= MESSAGE, "{problem:?}");
    }
    assert!(!problem.message.ends_with('.'), "{problem:?}");
    assert!(problem.help.ends_with(['.', '?']), "{problem:?}");
}

/// The problems as text: code, place and message.
#[must_use]
pub fn shown(problems: &[Diagnostic]) -> Vec<String> {
    problems
        .iter()
        .map(|d| {
            format!(
                "{}[{}] {:?} {} {}",
                d.severity.word(),
                d.code.name,
                d.place,
                d.message,
                d.help
            )
        })
        .collect()
}

/// Whether one of the problems stops a publication.
#[must_use]
pub fn has_errors(problems: &[Diagnostic]) -> bool {
    problems.iter().any(Diagnostic::is_error)
}
