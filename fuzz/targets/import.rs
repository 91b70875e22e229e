//! Imports: the same bytes give the same run, every event is one line of JSON, and says a file and an agent that there are.

use std::collections::BTreeSet;

use runpress::api::import::{Draft, IMPORTERS, Options, Source};

/// Reads `bytes` as a log of a format, under the name of such a log.
pub(super) fn check(format: &str, name: &str, bytes: &[u8]) {
    let importer = IMPORTERS
        .iter()
        .find(|importer| importer.format == format)
        .expect("an importer");
    let read = || {
        let mut runs = Vec::new();
        let source = Source::of(&[(name, bytes)]);
        (importer.runs)(&source, &Options::default(), &mut |run| runs.push(run));
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
