//! Annotating from the command line: what is written, refused and left unchanged.

mod findings;
mod meant;
mod refused;
mod written;

use serde_json::Value;

use crate::support::{FIRST, Ran, Run, TestSite, fixture};

const SIDECAR: &str = "content/runs/first/events.jsonl.annotations.jsonl";
const ID: &str = "4f1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b11";

fn annotate(site: &TestSite, arguments: &[&str]) -> Ran {
    site.runpress(&[&["annotate", FIRST], arguments].concat())
}

/// Harn's sample tape, in a run with the id [`ID`].
const TAPE: &str = "testbench_replay_fidelity.testbench-tape";
/// Its sidecar, with the short form of its name.
const SHORT_SIDECAR: &str = "testbench_replay_fidelity.annotations.jsonl";

/// A site with one run, `content/runs/harn`, with these files of Harn's sample.
fn harn(names: &[&str]) -> TestSite {
    let site = TestSite::bare();
    site.run("harn", &Run::new(ID));
    for name in names {
        let from = fixture("../../content/runs/fixtures/harn-replay-fidelity").join(name);
        let bytes = std::fs::read(from).expect("a sample");
        site.write(&format!("content/runs/harn/{name}"), bytes);
    }
    site
}

/// The annotations of the sidecar, with their line numbers.
fn written(site: &TestSite) -> Vec<(usize, Value)> {
    let text = site.text(SIDECAR);
    let lines = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line));
    lines
        .filter(|(_, line)| line.contains(r#""type":"annotation""#))
        .map(|(number, line)| (number, serde_json::from_str(line).expect("JSON")))
        .collect()
}
