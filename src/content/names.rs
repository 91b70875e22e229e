//! Finds files with misspelled names: without a warning, nobody would notice that they are ignored.

use base::diagnostics::text::{misspelled, quoted};
use base::diagnostics::{Diagnostic, Place, Severity, codes};
use formats::model::implementation::FOLDER;
use formats::{RUN_FILES, redactions, sidecar, trace};

use crate::load::is_tape;

/// The end of the name of a sidecar, after the name of its tape and a dot.
const SIDECAR_ENDING: &str = "annotations.jsonl";
/// The end of the name of a trace, after its first dot.
const TRACE_ENDING: &str = "trace.jsonl";

/// Reports the misspelled names in a run directory, whose path in diagnostics is `folder`. `is_read` says whether a file of a name is read.
pub(crate) fn misspelled_in_run(
    folder: &str,
    names: &[String],
    is_read: impl Fn(&str) -> bool,
) -> Vec<Diagnostic> {
    let is_there = |name: &str| names.iter().any(|other| other == name);
    let known = RUN_FILES.into_iter().chain([redactions::FILE_NAME, FOLDER]);
    let missing: Vec<&str> = known.filter(|known| !is_there(known)).collect();
    let others = names.iter();
    let others = others.filter(|name| !is_read(name) && !name.starts_with('.'));
    let problems = others.filter_map(|name| {
        let meant = intended_name(name, names)
            .filter(|meant| !is_there(meant))
            .or_else(|| misspelled(name, missing.iter().copied()).map(str::to_owned))?;
        let problem = misspelled_name(folder, name, &meant);
        Some(if meant == redactions::FILE_NAME {
            problem.with_severity(Severity::Error)
        } else {
            problem
        })
    });
    problems.collect()
}

/// The name that was meant for a trace, or for a sidecar of a tape that is there.
fn intended_name(name: &str, names: &[String]) -> Option<String> {
    let mut dots = name.rmatch_indices('.').map(|(at, _)| at);
    let (_, second) = (dots.next()?, dots.next());
    let (stem, rest) = second.map_or(("", name), |at| (&name[..at], &name[at + 1..]));
    let mut tapes = names.iter().map(String::as_str).filter(|it| is_tape(it));
    let is_sidecar = rest == SIDECAR_ENDING
        || rest.to_lowercase().ends_with(".jsonl") && misspelled(rest, [SIDECAR_ENDING]).is_some();
    if is_sidecar {
        let tape = tapes.find(|tape| stem.is_empty() || *tape == stem)?;
        return Some(format!("{tape}{}", sidecar::SUFFIX));
    }
    let is_trace = !stem.is_empty() && misspelled(rest, [TRACE_ENDING]).is_some();
    (is_trace && tapes.next().is_none()).then(|| format!("{stem}{}", trace::SUFFIX))
}

/// The problem of a file that is ignored.
pub(crate) fn misspelled_name(folder: &str, name: &str, meant: &str) -> Diagnostic {
    codes::CONTENT_MISSPELLED_NAME.at(
        Place::file(format!("{folder}/{name}")),
        format!(
            "The file {} is not read: its name is not {}",
            quoted(name),
            quoted(meant)
        ),
        format!("Did you mean {}? Then rename the file.", quoted(meant)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_reported_only_if_the_file_that_it_resembles_is_missing() {
        for (names, expected) in [
            (vec!["event.jsonl"], vec!["events.jsonl"]),
            (vec!["event.jsonl", "events.jsonl"], vec![]),
            (vec!["annotation.json"], vec!["annotations.json"]),
            (vec!["writeup.MD"], vec!["writeup.md"]),
            (vec!["transcripts.json"], vec!["transcript.json"]),
            (vec!["redaction.jsonl"], vec!["redactions.jsonl"]),
            (vec!["implementations"], vec!["implementation"]),
            (vec!["session.traces.jsonl"], vec!["session.trace.jsonl"]),
            (vec!["session.trace.json", "run.tape"], vec![]),
            (
                vec!["annotations.jsonl", "run.tape"],
                vec!["run.tape.annotations.jsonl"],
            ),
            (
                vec!["run.tape", "run.tape.annotation.jsonl"],
                vec!["run.tape.annotations.jsonl"],
            ),
            (vec!["annotations.jsonl"], vec!["annotations.json"]),
            (
                vec!["README.md", "notes.json", "x.annotation.jsonl"],
                vec![],
            ),
        ] {
            let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
            let found = misspelled_in_run("run", &names, is_tape);
            let found: Vec<&str> = found
                .iter()
                .filter_map(|it| it.help.split('`').nth(1))
                .collect();
            assert_eq!(found, expected, "{names:?}");
        }
    }
}
