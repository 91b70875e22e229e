//! Annotating from the command line: what is written, refused and left unchanged.

mod findings;
mod meant;
mod refused;
mod written;

use serde_json::Value;

use crate::support::{FIRST, FIRST_ID, Ran, Run, TestSite, fixture, parse};

const SIDECAR: &str = "content/runs/first/events.jsonl.annotations.jsonl";

fn annotate(site: &TestSite, more: &str) -> Ran {
    site.runpress(&format!("annotate {FIRST} {more}"))
}

/// Harn's sample tape, in a run with the id [`FIRST_ID`].
const TAPE: &str = "testbench_replay_fidelity.testbench-tape";
/// Its sidecar, with the short form of its name.
const SHORT_SIDECAR: &str = "testbench_replay_fidelity.annotations.jsonl";

/// A site with one run, `content/runs/harn`, with these files of Harn's sample.
fn harn(names: &[&str]) -> TestSite {
    let site = TestSite::bare();
    site.run("harn", &Run::new(FIRST_ID));
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
    let lines = (1..).zip(text.lines());
    let lines = lines.filter(|(_, line)| line.contains(r#""type":"annotation""#));
    lines.map(|(number, line)| (number, parse(line))).collect()
}

/// The ids of the annotations of the sidecar.
fn ids(site: &TestSite) -> String {
    let all = written(site).into_iter();
    let ids: Vec<_> = all
        .map(|(_, it)| it["id"].as_str().expect("an id").to_owned())
        .collect();
    ids.join(" ")
}
