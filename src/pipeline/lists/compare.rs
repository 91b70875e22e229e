//! Writes the page that compares runs, and what its script loads of them.

use std::borrow::Cow;

use rayon::prelude::*;

use crate::summary::{Facet, hash_text};
use base::diagnostics::Diagnostic;
use base::links;
use pages::render::parts::{self, PartBoundaries};
use pages::view::chrome::{HeaderEntry, PageInfo, Script};
use pages::view::compare::{self, CompareManifest};

use super::parts::{PartFiles, write_script};
use super::{Lists, Page, write_error};

/// What the script calls the data of runs.
const FUNCTION: &str = "run";

/// A tape of a run.
#[derive(Clone, Copy)]
struct TapeIndex {
    run: usize,
    tape: usize,
}

impl TapeIndex {
    /// The key of its data.
    fn key<'a>(self, lists: &Lists<'a>) -> Cow<'a, str> {
        let entry = &lists.gathered.archive.runs[self.run];
        compare::key(&entry.slug, self.tape)
    }

    /// Size of its data in bytes.
    fn size(self, lists: &Lists<'_>) -> usize {
        lists.findings()[self.run].compared[self.tape]
    }
}

pub(super) const PAGE: Page = Page {
    header: &[("compare", HeaderEntry::Below("runs"))],
    made_of: Some(&[Facet::Compare]),
    listed: |_| vec![links::COMPARE.to_owned()],
    ..Page::new("compare", &["compare"], write)
};

fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
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
    write_data(lists)
}

/// Writes the data of runs, sorted by address, so that runs of one case are near each other and the script knows where to look for
/// a run. A part whose runs did not change is not made again.
fn write_data(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let tapes = (0..)
        .zip(lists.runs_of_data())
        .flat_map(|(run, (_, findings))| {
            let tapes = (0..).zip(&findings.compared);
            tapes.map(move |(tape, _)| TapeIndex { run, tape })
        });
    let mut items: Vec<TapeIndex> = tapes.collect();
    items.sort_unstable_by(|a, b| a.key(lists).cmp(&b.key(lists)));
    let mut cut = PartBoundaries::new(FUNCTION);
    if let Some(first) = items.first() {
        cut.begins(&first.key(lists), first.size(lists));
    }
    let parts: Vec<_> = items
        .chunk_by(|_, item| !cut.begins(&item.key(lists), item.size(lists)))
        .collect();
    let begun = parts.iter().filter_map(|part| part.first());
    let begun = begun.map(|first| first.key(lists).into_owned());
    let begun = begun.map(|first| (first.clone(), parts::name(&first)));
    let found = CompareManifest::new(begun.collect());
    parts
        .par_iter()
        .try_for_each(|part| write_part(lists, part))?;
    write_script(lists.stage, FUNCTION, "compare/runs.js", &found)
}

fn write_part(lists: &Lists<'_>, items: &[TapeIndex]) -> Result<(), Diagnostic> {
    let Some(first) = items.first().map(|first| first.key(lists)) else {
        return Ok(());
    };
    let mut hasher = blake3::Hasher::new();
    let facets = items.iter().map(|item| {
        hash_text(&mut hasher, &item.key(lists));
        let facets = lists.outcome.facets.as_ref()?;
        hasher.update(&facets[item.run][Facet::Compare as usize]);
        Some(())
    });
    let key = facets.collect::<Option<()>>();
    let key = key.map(|()| hasher.finalize().into());
    let made = lists.write_unless_key_cached(&format!("compare {first}"), key, |lists| {
        let mut files = PartFiles::new(lists.stage, FUNCTION, "compare/");
        for item in items {
            let texts = lists.texts(item.run).map_err(write_error("compare"))?;
            files.push_written(&item.key(lists), texts.compared[item.tape].as_bytes())?;
        }
        files.finish()
    });
    made.map(drop)
}
