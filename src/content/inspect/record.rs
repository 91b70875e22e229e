//! Reads a record and checks it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::load::LoadedFile;
use crate::rules;
use base::diagnostics::{CheckResult, Collector, Diagnostic, Place, Severity, Source, codes};
use base::pictures::ImageSize;
use formats::model;
use formats::model::run::{self, Run};
use formats::model::tape::Tape;
use formats::portable;
use formats::run_record::{self, RunRecord, UnknownKey};
use markup::MarkdownOrigin;

/// A record that was read and checked.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct CheckedRecord {
    /// The run; `None` if the record is invalid.
    pub run: Option<Arc<Run>>,
    /// Whether its state is never published, even if the rest is invalid.
    pub never_published: bool,
    /// Its id, even if the rest is invalid.
    pub id: Option<Arc<str>>,
    /// The problems found.
    pub diagnostics: Vec<Diagnostic>,
    /// Keys that are in no version of the format.
    pub unknown_keys: Vec<UnknownKey>,
}

/// Reads a record and checks it.
pub fn record(file: &LoadedFile) -> CheckedRecord {
    let source = Source::file(&file.shown, &file.bytes);
    let (parsed, mut diagnostics) = run_record::parse(source);
    let Some(parsed) = parsed else {
        return CheckedRecord {
            diagnostics,
            ..CheckedRecord::default()
        };
    };
    diagnostics.extend(parsed.diagnostics.iter().cloned());
    diagnostics.extend(rules::record::check(source, &parsed));
    let broken = diagnostics.iter().any(Diagnostic::is_error);
    if !broken {
        let mut unportable = Collector::default();
        let code = &codes::RECORD_UNPORTABLE_VALUE;
        let reported: Vec<_> = diagnostics
            .iter()
            .filter(|problem| problem.code == &codes::RECORD_WRONG_TYPE)
            .filter_map(|problem| parsed.root.find(problem.place.pointer.as_deref()?))
            .map(|node| node.offset..node.offset + node.raw.len())
            .collect();
        portable::check(&source, parsed.root, &reported, code, &mut unportable);
        diagnostics.extend(unportable.finish(&file.shown));
    }
    let run = if broken {
        None
    } else {
        run::from_record(&parsed.record).map(Arc::new)
    };
    let unpublished = rules::record::check_published(source, &parsed);
    let never_published = unpublished.is_some();
    diagnostics.extend(unpublished);
    let id = parsed.record.id.as_deref().map(Arc::from);
    if let Some(id) = &id {
        for problem in &mut diagnostics {
            problem.assign(id);
        }
    }
    CheckedRecord {
        run,
        never_published,
        id,
        diagnostics,
        unknown_keys: run_record::unknown_keys(parsed.root),
    }
}

/// The place of a record's id.
pub fn id_place(file: &LoadedFile) -> Place {
    let source = Source::file(&file.shown, &file.bytes);
    let (parsed, _) = run_record::parse(source);
    parsed.map_or_else(
        || Place::file(&file.shown),
        |parsed| rules::record::place(source, &parsed, "/id"),
    )
}

/// The part of a record that only the run page shows. Forbidden links in its prose are notes, because nobody edits what an agent
/// wrote.
pub fn details<'a>(file: &'a LoadedFile, tape: Option<&Tape<'_>>) -> CheckResult<RunRecord<'a>> {
    const ANY: ImageSize = ImageSize {
        width: 1,
        height: 1,
    };
    let source = Source::file(&file.shown, &file.bytes);
    let (Some(parsed), _) = run_record::parse(source) else {
        return CheckResult::clean(RunRecord::default());
    };
    let events = |number| tape?.position(number).map(|_| String::new());
    // A missing image has its own code.
    let origin = MarkdownOrigin::Showcase {
        events: &events,
        image: &|_| Some((String::new(), ANY)),
    };
    let description = model::details::description(&parsed.record);
    let mut problems = Collector::default();
    for destination in rules::markdown::dropped_links(description.unwrap_or_default(), origin) {
        problems.add_as(&codes::REVIEW_UNSAFE_LINK, Severity::Note, || {
            let place = rules::record::place(source, &parsed, "/showcase/description");
            rules::markdown::dropped_link(place, &destination)
        });
    }
    let diagnostics = problems.finish(&file.shown);
    CheckResult {
        value: parsed.record,
        diagnostics,
    }
}
