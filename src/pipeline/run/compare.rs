//! Writes what the page of comparisons loads of a run.

use crate::markup::outline;
use crate::render::script;
use crate::view::compare;

use super::files::{Files, StageError};
use super::{CheckedRun, unwritten};

pub(super) fn write(run: &CheckedRun<'_>, files: &mut Files<'_>) -> Result<(), StageError> {
    let sources = &run.sources;
    let writeup = sources
        .review
        .map(|review| outline::blocks(&review.body, compare::WRITEUP));
    let mut scripts = vec![(
        "compare.js".to_owned(),
        script::call("run", &compare::data(sources, writeup)),
    )];
    for tape in 1..sources.tapes.len() {
        let script = script::call("run", &compare::tape(sources, tape));
        scripts.push((format!("compare-{}.js", tape + 1), script));
    }
    for (name, script) in scripts {
        let script = script.map_err(|error| unwritten(&name, &error.into()))?;
        files.write(&run.path(&name), &script)?;
    }
    Ok(())
}
