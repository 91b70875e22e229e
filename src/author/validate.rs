//! Harn's validation report of one sidecar, whether or not its run can be published.

use pipeline::site::Site;

use super::Refusal;
use super::open_run::{self, OpenRun};

/// Harn's report of a sidecar.
#[derive(Debug)]
pub struct ValidationReport {
    /// The report as JSON, indented, with a final newline.
    pub json: String,
    pub has_problems: bool,
}

/// Validates the sidecar of a tape as Harn does. Without `tape`, the run must have only one with a sidecar. Writes nothing.
pub fn validate(site: &Site, run: &str, tape: Option<&str>) -> Result<ValidationReport, Refusal> {
    let directory = open_run::find(site, run)?;
    let run = OpenRun::open(&site.config, &directory)?;
    let found = run.inspect();
    let position = run.tape_index(&found, tape, &run.annotated_tapes(&found))?;
    let tape = &found.value.tapes[position];
    run.sidecar(&found, position)?;
    let Some(sidecar) = &found.value.sidecars[position] else {
        return Err(open_run::no_sidecar(&tape.file, &directory));
    };
    // A structure of strings and numbers always serializes.
    let json = serde_json::to_string_pretty(&sidecar.report).unwrap_or_default();
    Ok(ValidationReport {
        json: json + "\n",
        has_problems: !sidecar.report.problems.is_empty(),
    })
}
