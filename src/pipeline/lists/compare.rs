//! Writes the page that compares runs, and what its script loads of them.

use rayon::prelude::*;

use crate::diagnostics::Diagnostic;
use crate::links;
use crate::model::findings::Slice;
use crate::pipeline::kept::Facet;
use crate::render::parts::{self, Cut};
use crate::spool;
use crate::view::chrome::{PageInfo, Script};
use crate::view::compare::{self, Manifest};

use super::Lists;
use super::parts::{PartFiles, manifest};

/// What the script calls the data of runs.
const FUNCTION: &str = "run";

/// The key of a tape, what it brings to a comparison, and a digest of what its run does.
type Item = (String, Slice, Option<[u8; 16]>);

pub(super) fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let info = PageInfo {
        scripts: &[Script::Tables, Script::Compare],
        ..PageInfo::listed(
            links::COMPARE,
            "Compare runs",
            "Two to four runs side by side.",
        )
    };
    let view = compare::page(lists.archive(), &lists.outcome.findings);
    lists.page("compare.html", &info, &view)?;
    data(lists)
}

/// By address, so that runs of one case are near each other and the script knows where to look for a run. A part whose runs
/// are as they were is not made again.
fn data(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let left = lists.outcome.left.iter();
    let mut items: Vec<_> = lists
        .runs_of_data()
        .zip(left)
        .flat_map(|((entry, findings), left)| {
            let facet = left
                .as_ref()
                .map(|left| left.facets[Facet::Compare as usize]);
            let slices = findings.spooled.compare.iter().enumerate();
            slices.map(move |(tape, slice)| (compare::key(&entry.slug, tape), *slice, facet))
        })
        .collect();
    items.sort_unstable_by(|(a, ..), (b, ..)| a.cmp(b));
    let mut cut = Cut::new(FUNCTION);
    if let Some((key, slice, _)) = items.first() {
        cut.begins(key, slice.bytes);
    }
    let parts: Vec<_> = items
        .chunk_by(|_, (key, slice, _)| !cut.begins(key, slice.bytes))
        .collect();
    let begun = parts.iter().filter_map(|part| part.first());
    let begun = begun.map(|(first, ..)| (first.clone(), parts::name(first)));
    let found = Manifest::new(begun.collect());
    parts.par_iter().try_for_each(|part| part_of(lists, part))?;
    manifest(lists.stage, (FUNCTION, "compare/runs.js"), &found)
}

fn part_of(lists: &Lists<'_>, items: &[Item]) -> Result<(), Diagnostic> {
    let Some((first, ..)) = items.first() else {
        return Ok(());
    };
    let mut hasher = blake3::Hasher::new();
    let facets = items.iter().map(|(key, _, facet)| {
        hasher.update(&(key.len() as u64).to_le_bytes());
        hasher.update(key.as_bytes());
        hasher.update(&(*facet)?);
        Some(())
    });
    let key = facets.collect::<Option<()>>();
    let key = key.map(|()| hasher.finalize().into());
    let made = lists.unless_made_of((&format!("compare {first}"), key), |lists| {
        let mut files = PartFiles::new(lists.stage, FUNCTION, "compare/");
        for (key, slice, _) in items {
            let item = lists.stage.spool.get(*slice);
            let item = item.map_err(|error| spool::refused(&error))?;
            files.push_written(key, &item)?;
        }
        files.finish()
    });
    made.map(drop)
}
