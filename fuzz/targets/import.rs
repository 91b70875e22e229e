//! Imports: the same bytes give the same run, and every event is one line of JSON with an existing file and agent.

use std::collections::BTreeSet;

use runpress::api::import::{Draft, IMPORTERS, ImportOptions, LogSource};

/// The only name that an importer expects of a log which is a single file.
const NAME: &str = "result.json";

/// The input for a log: a byte that chooses the importer of the format, and the log.
#[must_use]
pub fn input(format: &str, log: &[u8]) -> Option<Vec<u8>> {
    let position = IMPORTERS
        .iter()
        .position(|importer| importer.format == format)?;
    Some([&[u8::try_from(position).ok()?], log].concat())
}

/// Reads a log with the importer that the first byte chooses.
pub fn run(bytes: &[u8]) {
    let Some((first, log)) = bytes.split_first() else {
        return;
    };
    let importer = &IMPORTERS[usize::from(*first) % IMPORTERS.len()];
    let read = || {
        let mut runs = Vec::new();
        let source = LogSource::of(&[(NAME, log)]);
        (importer.runs)(&source, &ImportOptions::default(), &mut |run| {
            runs.push(run);
        });
        runs
    };
    for (first, second) in read().into_iter().zip(read()) {
        match (first, second) {
            (Ok(first), Ok(second)) => assert_eq!(lines(&first), lines(&second)),
            (Err(first), Err(second)) => {
                assert_eq!(first, second);
                assert!(!first.message.contains('\n'), "{first:?}");
            }
            (first, second) => panic!("{first:?} {second:?}"),
        }
    }
}

pub(super) fn lines(draft: &Draft) -> Vec<String> {
    let agents: BTreeSet<&str> = draft.agents.iter().map(|agent| agent.id.as_str()).collect();
    for event in &draft.events {
        assert!(event.source.file < draft.sources.len(), "{event:?}");
        let what = serde_json::to_string(&event.what).expect("JSON");
        assert!(!what.contains('\n'), "{what}");
        assert_ne!(event.source.line, Some(0), "lines begin with 1");
        if let Some(agent) = &event.agent {
            assert!(agents.contains(agent.as_str()), "{agent}");
        }
    }
    let lines = draft.events.iter();
    lines.map(|event| format!("{event:?}")).collect()
}
