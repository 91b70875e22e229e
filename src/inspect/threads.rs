//! Reads the review threads and the files that they are about.

use std::collections::BTreeMap;

use crate::config::Config;
use crate::diagnostics::{Collector, Diagnostic, Source, codes};
use crate::discover::RunDirectory;
use crate::load::{self, RunFiles};
use crate::markup::Origin;
use crate::model::threads::{Lines, Thread, Threads};
use crate::{formats, model, rules};

use super::Inspected;

/// Lines of a file that a thread shows; a thread about more of them shows the first.
const THREAD_LINES: u64 = 40;

pub(super) fn threads<'a>(
    config: &Config,
    directory: &RunDirectory,
    files: &'a RunFiles,
    found: &mut Inspected<'a>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if files.threads.is_none() && files.thread_actions.is_none() {
        return;
    }
    let mut state = formats::threads::State::default();
    let mut envelopes = Vec::new();
    if let Some(file) = &files.threads {
        let (read, problems) =
            formats::threads::parse_state(Source::file(&file.shown, &file.bytes));
        (state, ()) = (read, diagnostics.extend(problems));
    }
    if let Some(file) = &files.thread_actions {
        let (read, problems) = formats::threads::parse_actions(&file.shown, &file.bytes);
        (envelopes, ()) = (read, diagnostics.extend(problems));
    }
    let named = |envelopes: &[formats::threads::Envelope<'_>]| {
        envelopes
            .iter()
            .find_map(|envelope| envelope.channel.as_deref().map(str::to_owned))
    };
    let log = format!("{}/{}", directory.shown, formats::threads::ACTIONS_FILE);
    let channel = state
        .channel
        .as_deref()
        .map(str::to_owned)
        .or_else(|| named(&envelopes));
    let annotations = rules::threads::replay(&log, state, envelopes).unpack(diagnostics);
    let mut threads: Vec<_> = annotations
        .into_iter()
        .map(model::threads::from_annotation)
        .collect();
    let events = |number| found.tapes.first()?.position(number).map(|_| String::new());
    let mut problems = Collector::default();
    for thread in &threads {
        for entry in thread.entries.iter().filter(|entry| entry.markdown) {
            for destination in rules::markdown::dropped_links(&entry.text, Origin::Run(&events)) {
                let place = || thread.written.spot.place();
                problems.add(&codes::REVIEW_UNSAFE_LINK, || {
                    rules::markdown::dropped(place(), &destination)
                });
            }
        }
    }
    let mut by_file: BTreeMap<String, Vec<&mut Thread<'_>>> = BTreeMap::new();
    for thread in &mut threads {
        match model::threads::resource_path(&thread.resource, &config.workspace) {
            Some(path) => by_file.entry(path).or_default().push(thread),
            None => problems.add(&codes::THREADS_MISSING_RESOURCE, || {
                rules::threads::missing_resource(thread)
            }),
        }
    }
    for (path, threads) in by_file {
        let file =
            load::implementation(directory, &path, &config.limits).unwrap_or_else(|problem| {
                diagnostics.push(problem);
                None
            });
        let Some(file) = file else {
            for thread in threads {
                problems.add(&codes::THREADS_MISSING_RESOURCE, || {
                    rules::threads::missing_resource(thread)
                });
            }
            continue;
        };
        found.referenced.push(load::digest(&file));
        let text = String::from_utf8_lossy(&file.bytes);
        let lines: Vec<&str> = text.lines().collect();
        for thread in threads {
            if let Some(problem) = rules::threads::range_outside(thread, lines.len() as u64) {
                problems.push(problem);
            }
            let lines = excerpt(&lines, thread.range);
            thread.file = Some(model::threads::File {
                path: path.clone(),
                lines,
            });
        }
    }
    diagnostics.extend(problems.finish(&format!(
        "{}/{}",
        directory.shown,
        formats::threads::STATE_FILE
    )));
    found.threads = Some(Threads { channel, threads });
}

fn excerpt(lines: &[&str], range: Option<Lines>) -> Vec<(u64, String)> {
    let Some(range) = range else {
        return Vec::new();
    };
    let last = range.last.min(range.first.saturating_add(THREAD_LINES - 1));
    (range.first..=last)
        .map_while(|number| {
            let index = usize::try_from(number).ok()?.checked_sub(1)?;
            Some((number, (*lines.get(index)?).to_owned()))
        })
        .collect()
}
