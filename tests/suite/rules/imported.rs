//! The same rules over logs of other systems, imported as they are, with a violation planted into each.

use std::collections::{BTreeMap, BTreeSet};

use super::plants::{Plant, found, gated, plants};
use crate::support::{TestSite, fixture, parse};

/// Reported events of a rule and run are at most ten, so that one more may not be reported.
const FEW: usize = 9;

/// A site with all samples of the importers, and for the folder of each run its id and its trace.
fn imported() -> (TestSite, BTreeMap<String, (String, String)>) {
    let site = gated();
    let samples = fixture("import");
    let samples = samples.to_str().expect("UTF-8");
    let ran = site.runpress(&["import", samples, "--case", "pong"]);
    ran.says(" runs imported in ");
    let folders = std::fs::read_dir(site.path("content/runs")).expect("runs");
    let mut runs = BTreeMap::new();
    for folder in folders {
        let folder = folder.expect("a folder").file_name();
        let folder = folder.to_str().expect("UTF-8").to_owned();
        let record = site.text(&format!("content/runs/{folder}/run-record.json"));
        let record = parse(&record);
        let path = format!("content/runs/{folder}/import.trace.jsonl");
        // Runs that ended for a reason outside of them are never published.
        if record["status"]["state"] != "infrastructure" && site.path(&path).exists() {
            let id = record["id"].as_str().expect("an id").to_owned();
            runs.insert(folder, (id, site.text(&path)));
        }
    }
    (site, runs)
}

/// A trace with events before the event at a position, and the line of the last of them.
fn planted(trace: &str, at: usize, events: &[&str]) -> (String, u32) {
    let (header, rest) = trace.split_once('\n').expect("a header");
    let (before, after): (Vec<_>, Vec<_>) =
        rest.lines().enumerate().partition(|(seq, _)| *seq < at);
    let new = events
        .iter()
        .map(|fields| format!("{{\"seq\":0,{fields}}}"));
    let lines = before.iter().map(|(_, line)| (*line).to_owned());
    let lines = lines
        .chain(new)
        .chain(after.iter().map(|(_, line)| (*line).to_owned()));
    let mut out = format!("{header}\n");
    for (seq, line) in lines.enumerate() {
        let (_, rest) = line.split_once("\"seq\":").expect("a number");
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        out.push_str(&format!("{{\"seq\":{seq}{rest}\n"));
    }
    (out, u32::try_from(at + events.len() + 1).expect("a line"))
}

/// The events of a plant. A test counts as edited only after tests ran.
fn events(plant: &Plant) -> Vec<&'static str> {
    let tests = (plant.id == "tests-unedited").then_some(
        r#""type":"tool_call","name":"Bash","call":"t","arguments":{"command":"npm test"}"#,
    );
    tests
        .into_iter()
        .chain(plant.traced.iter().copied())
        .collect()
}

#[test]
fn violations_in_imported_runs_of_every_system_are_found_at_their_events_and_nothing_else() {
    let (site, runs) = imported();
    let systems: BTreeSet<String> = runs
        .values()
        .map(|(_, trace)| {
            let header = parse(trace.lines().next().expect("a header"));
            header["importer"]["format"]
                .as_str()
                .expect("a name")
                .to_owned()
        })
        .collect();
    assert_eq!(systems.len(), 9, "{systems:?}");
    let clean = found(&site, "rules.violated");
    let mut count = 0;
    for (number, plant) in plants().iter().enumerate() {
        let events = events(plant);
        let mut expected = BTreeSet::new();
        for (folder, (id, trace)) in &runs {
            let own = clean.iter().filter(|(run, ..)| run == id);
            let of_rule = own.clone().filter(|(_, rule, _)| rule == plant.id).count();
            let path = format!("content/runs/{folder}/import.trace.jsonl");
            if of_rule >= FEW {
                site.write(&path, trace);
                expected.extend(own.cloned());
                continue;
            }
            let length = trace.lines().count() - 1;
            // What is edited after planted tests would be found, too.
            let is_last = plant.id == "tests-unedited";
            let at = if is_last {
                length
            } else {
                number % (length + 1)
            };
            let (text, line) = planted(trace, at, &events);
            site.write(&path, text);
            let before = u32::try_from(at + 1).expect("a line");
            let shift = u32::try_from(events.len()).expect("few events");
            expected.extend(own.cloned().map(|(run, rule, line)| {
                (
                    run,
                    rule,
                    line.map(|line| if line > before { line + shift } else { line }),
                )
            }));
            expected.insert((id.clone(), plant.id.to_owned(), Some(line)));
            count += 1;
        }
        assert_eq!(found(&site, "rules.violated"), expected, "{}", plant.id);
    }
    assert!(count >= 800, "{count} violations were planted");
}
