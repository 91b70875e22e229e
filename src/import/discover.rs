//! Finds the logs in a folder, to import them one by one, and the files that are not logs.

use std::collections::{BTreeMap, BTreeSet};

use base::diagnostics::codes::{IMPORT_SKIPPED_ENTRY, IMPORT_WRONG_FORMAT};

use super::{LogSource, Problem, openhands, problem, sniff};

/// A log, and its format.
pub(super) struct DiscoveredLog {
    pub(super) source: LogSource,
    /// Name of the importer.
    pub(super) format: &'static str,
}

/// Searches the user's path. With a format, finds only its files, and takes a single file without checking it.
pub(super) fn find_logs(
    source: LogSource,
    format: Option<&'static str>,
) -> (Vec<DiscoveredLog>, Vec<Problem>) {
    if !source.is_folder()
        && let Some(format) = format
    {
        if let Some(problem) = sniff::printed_output(&source, 0) {
            return (Vec::new(), vec![problem]);
        }
        return (vec![DiscoveredLog { source, format }], Vec::new());
    }
    let mut found = Units::default();
    let names = source.names();
    let mut taken = BTreeSet::new();
    for folder in folders(names) {
        let at = |name: &str| source.position(&format!("{folder}{name}"));
        let is_taken = |name: &String| name.starts_with(&*folder);
        if taken
            .iter()
            .any(|done: &String| folder.starts_with(&**done))
        {
            continue;
        }
        let is_harbor = at("result.json")
            .is_some_and(|at| sniff::file(&source, at).is_ok_and(|format| format == "harbor"));
        let is_openhands = at("base_state.json").is_some()
            || names
                .iter()
                .filter(|name| is_taken(name))
                .any(|name| is_event(&name[folder.len()..]));
        let format = match (is_harbor, is_openhands) {
            (true, _) => "harbor",
            (_, true) => "openhands",
            _ => continue,
        };
        let positions = (0..names.len())
            .filter(|at| is_taken(&names[*at]))
            .collect();
        found.add(format, &folder, positions);
        taken.insert(folder.into_owned());
    }
    let is_loose = |name: &str| !taken.iter().any(|folder| name.starts_with(&**folder));
    let mut subagents = Vec::new();
    for (position, name) in names.iter().enumerate() {
        if !is_loose(name) {
            continue;
        }
        if let Some((session, _)) = name.split_once("/subagents/") {
            subagents.push((format!("{session}.jsonl"), position));
            continue;
        }
        match sniff::file(&source, position) {
            // Files of these formats refer to files next to them.
            Ok(format @ ("claude-code" | "atif")) => {
                let folder = name.rfind('/').map_or(0, |at| at + 1);
                found.add(format, &name[..folder], vec![position]);
            }
            Ok("codex") => found.add("codex", "", vec![position]),
            Ok(format) => found.add(format, name, vec![position]),
            Err(problem) => found.skipped.push(problem),
        }
    }
    for (session, position) in subagents {
        let folder = session.rfind('/').map_or("", |at| &session[..=at]);
        let key = ("claude-code", folder.to_owned());
        match found.units.get_mut(&key) {
            Some(positions) => positions.push(position),
            None => found.add("claude-code", folder, vec![position]),
        }
    }
    for name in source.skipped() {
        found.skipped.push(problem(
            &IMPORT_SKIPPED_ENTRY,
            name,
            "Links and special files are not read",
            "Copy the file to where the link is, or name it on the command line.",
        ));
    }
    let mut units = Vec::new();
    for ((name, folder), mut positions) in found.units {
        if format.is_some_and(|format| format != name) {
            let first = positions.first().and_then(|at| names.get(*at));
            let message = format!("The format was named, and this log is {name}");
            let help = format!("Import it with `--format {name}`, or without `--format`.");
            let place = first.map_or("", String::as_str);
            found
                .skipped
                .push(problem(&IMPORT_WRONG_FORMAT, place, message, help));
            continue;
        }
        positions.sort_unstable();
        let prefix = if folder.ends_with('/') {
            folder.len()
        } else {
            0
        };
        let source = source.part(&positions, prefix);
        units.push(DiscoveredLog {
            source,
            format: name,
        });
    }
    (units, found.skipped)
}

#[derive(Default)]
struct Units {
    /// The positions of files, by format and by folder or name.
    units: BTreeMap<(&'static str, String), Vec<usize>>,
    skipped: Vec<Problem>,
}

impl Units {
    fn add(&mut self, format: &'static str, at: &str, positions: Vec<usize>) {
        let unit = self.units.entry((format, at.to_owned())).or_default();
        unit.extend(positions);
    }
}

/// Each folder that contains a file, ending with `/`, outer ones first; the source itself is empty.
fn folders(names: &[String]) -> BTreeSet<std::borrow::Cow<'_, str>> {
    let mut folders = BTreeSet::from(["".into()]);
    for name in names {
        for (at, _) in name.match_indices('/') {
            folders.insert(name[..=at].into());
        }
    }
    folders
}

/// Whether this is an event file of `OpenHands`.
fn is_event(name: &str) -> bool {
    let file = name.strip_prefix("events/");
    file.and_then(openhands::event_number).is_some()
}

#[cfg(test)]
mod tests {
    use super::{LogSource, find_logs};

    const CLAUDE: &[u8] = b"{\"type\":\"user\",\"uuid\":\"u\",\"sessionId\":\"s\"}\n";
    const CODEX: &[u8] = b"{\"type\":\"session_meta\",\"timestamp\":\"t\",\"payload\":{}}\n";

    #[test]
    fn the_logs_of_a_folder_are_found_and_the_files_of_one_run_stay_together() {
        let source = LogSource::of(&[
            ("codex/a.jsonl", CODEX),
            ("codex/deep/b.jsonl", CODEX),
            ("conv/base_state.json", b"{}"),
            ("conv/events/event-00000-x.json", b"{}"),
            ("job/result.json", b"{\"n_total_trials\":1,\"stats\":{}}"),
            ("job/trial/agent/x.jsonl", CLAUDE),
            (
                "job/trial/result.json",
                b"{\"trial_name\":\"a\",\"task_checksum\":\"b\"}",
            ),
            ("one.traj", b"{\"trajectory\":[],\"info\":{}}"),
            ("p/s.jsonl", CLAUDE),
            ("p/s/subagents/agent-1.jsonl", CLAUDE),
            ("p/s2.jsonl", CLAUDE),
            ("readme.md", b"# Logs"),
        ]);
        let (units, skipped) = find_logs(source, None);
        let found: Vec<(&str, Vec<String>)> = units
            .iter()
            .map(|unit| (unit.format, unit.source.names().to_vec()))
            .collect();
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let expected: Vec<(&str, Vec<String>)> = vec![
            (
                "claude-code",
                names(&["s.jsonl", "s/subagents/agent-1.jsonl", "s2.jsonl"]),
            ),
            ("codex", names(&["codex/a.jsonl", "codex/deep/b.jsonl"])),
            (
                "harbor",
                names(&["result.json", "trial/agent/x.jsonl", "trial/result.json"]),
            ),
            (
                "openhands",
                names(&["base_state.json", "events/event-00000-x.json"]),
            ),
            ("swe-agent", names(&["one.traj"])),
        ];
        assert_eq!(found, expected);
        let skipped: Vec<&str> = skipped.iter().map(|problem| &*problem.place.path).collect();
        assert_eq!(skipped, ["readme.md"]);
    }
}
