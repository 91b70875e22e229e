//! Reads the review threads and the files they refer to.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::load::RunFiles;
use base::diagnostics::text::beginning;
use base::diagnostics::{Collector, Diagnostic, Source, codes};
use formats::config::Config;
use formats::model::threads::{LineRange, Thread, Threads};
use markup::MarkdownOrigin;

use crate::rules;
use formats::model;

use super::Inspection;

/// Maximum number of file lines shown per thread; of a longer range it shows the first ones.
const THREAD_LINES: u64 = 40;
/// Maximum characters shown per line: a bundled script may be one line of megabytes.
const LINE: usize = 300;

pub(super) fn threads<'a>(
    config: &Config,
    files: &'a RunFiles,
    found: &mut Inspection<'a>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if files.threads.is_none() && files.thread_actions.is_none() {
        return;
    }
    let mut state = formats::threads::AnnotationsState::default();
    let mut envelopes = Vec::new();
    if let Some(file) = &files.threads {
        let (read, problems) =
            formats::threads::parse_state(Source::file(&file.shown, &file.bytes));
        state = read;
        diagnostics.extend(problems);
    }
    if let Some(file) = &files.thread_actions {
        let (read, problems) =
            formats::threads::parse_actions(&file.shown, &file.bytes, state.channel.as_deref());
        envelopes = read;
        diagnostics.extend(problems);
    }
    let directory = &files.directory.shown;
    let log = format!("{directory}/{}", formats::threads::ACTIONS_FILE);
    let replayed = rules::threads::replay(&log, state, envelopes).unpack(diagnostics);
    let mut threads: Vec<_> = replayed
        .annotations
        .into_iter()
        .map(model::threads::from_annotation)
        .collect();
    let events = |number| found.tapes.first()?.position(number).map(|_| String::new());
    let mut problems = Collector::default();
    for thread in &threads {
        for entry in thread.entries.iter().filter(|entry| entry.markdown) {
            for destination in
                rules::markdown::dropped_links(&entry.text, MarkdownOrigin::Run(&events))
            {
                let place = || thread.written.location.place();
                problems.add(&codes::REVIEW_UNSAFE_LINK, || {
                    rules::markdown::dropped_link(place(), &destination)
                });
            }
        }
    }
    let mut by_file: BTreeMap<String, Vec<&mut Thread<'_>>> = BTreeMap::new();
    for thread in &mut threads {
        match model::threads::resource_path(&thread.resource, &config.files.workspace) {
            // Files that an implementation archive excludes are not published as excerpts either.
            Some(path) if path.split('/').any(|name| name.starts_with('.')) => {
                problems.add(&codes::THREADS_HIDDEN_RESOURCE, || {
                    rules::threads::hidden_resource(thread)
                });
            }
            Some(path) => by_file.entry(path).or_default().push(thread),
            None => problems.add(&codes::THREADS_MISSING_RESOURCE, || {
                rules::threads::missing_resource(thread)
            }),
        }
    }
    for (path, threads) in by_file {
        let file = match files.implementation(&path) {
            Ok(file) => file,
            Err(problem) => {
                diagnostics.push(problem);
                continue;
            }
        };
        let Some(file) = file else {
            for thread in threads {
                problems.add(&codes::THREADS_MISSING_RESOURCE, || {
                    rules::threads::missing_resource(thread)
                });
            }
            continue;
        };
        found.referenced.push(file.file_digest());
        let text = String::from_utf8_lossy(&file.bytes);
        let wanted = threads
            .iter()
            .filter_map(|thread| thread.range)
            .flat_map(shown_lines);
        let (lines, count) = lines(&text, &wanted.collect());
        for thread in threads {
            if file.recorded.is_none() {
                rules::threads::range_outside(thread, count, &mut problems);
            }
            let range = thread.range.into_iter().flat_map(shown_lines);
            let lines = range
                .map_while(|number| Some((number, Arc::clone(lines.get(&number)?))))
                .collect();
            thread.file = Some(model::threads::FileExcerpt {
                path: path.clone(),
                lines,
            });
        }
    }
    let state = format!("{directory}/{}", formats::threads::STATE_FILE);
    diagnostics.extend(problems.finish(&state));
    found.threads = Some(Threads {
        channel: replayed.channel,
        threads,
    });
}

/// The numbers of the lines shown for a thread about a range.
fn shown_lines(range: LineRange) -> std::ops::RangeInclusive<u64> {
    range.first..=range.last.min(range.first.saturating_add(THREAD_LINES - 1))
}

/// The beginnings of the lines with these numbers, and the total number of lines. Threads about the same line share it.
fn lines(text: &str, wanted: &BTreeSet<u64>) -> (BTreeMap<u64, Arc<str>>, u64) {
    let mut found = BTreeMap::new();
    let mut count = 0;
    for line in text.lines() {
        count += 1;
        if wanted.contains(&count) {
            found.insert(count, beginning(line, LINE).into());
        }
    }
    (found, count)
}
