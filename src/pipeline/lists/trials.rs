//! The pages of the trials of cases: one for each case that has a cell with several runs.

use serde::Serialize;
use serde::de::IgnoredAny;

use base::diagnostics::Diagnostic;
use base::links;
use formats::model::archive::{Archive, ArchiveGroup, GroupBy};
use formats::model::cells::{self, ModelPair};
use formats::model::comparison::{self, ComparableSet};
use formats::model::statistics::{RESAMPLES, SEED};
use pages::view::chrome::PageInfo;
use pages::view::compare::{FirstTape, TapeData};
use pages::view::trials::{self, ModelPairView, TrialsView};
use pages::view::{Link, format};

use super::{Lists, Page, write_error};
use crate::summary::Facet;

pub(super) const PAGE: Page = Page {
    made_of: Some(&[Facet::Compare]),
    listed,
    ..Page::new("trials", &["cases"], write)
};

/// Maximum cells of a page; the feed has all of them.
const CELLS: usize = 200;

#[derive(Debug, Serialize)]
struct TrialsPage {
    case: Link,
    /// Title of the case.
    title: String,
    /// `8 runs in 2 cells of the same variant, model and harness`
    summary: String,
    /// How many cells with several runs are left out.
    more: Option<String>,
    /// How many cells have a single run.
    single: Option<String>,
    /// What counts as a success.
    rule: String,
    /// What the first interval says.
    example: Option<String>,
    sets: Vec<TrialsView>,
    pairs: Vec<ModelPairView>,
    more_pairs: Option<String>,
    seed: u64,
    resamples: String,
}

/// Whether a case has a page of trials: a cell of its sets has several runs.
pub(super) fn has_page(archive: &Archive, sets: &[ComparableSet]) -> bool {
    let comparable = sets.iter().filter(|set| set.is_comparable);
    let cells = cells::cells(archive, comparable);
    cells.iter().any(|cell| cell.is_repeated(archive))
}

fn listed(lists: &Lists<'_>) -> Vec<String> {
    let archive = lists.archive();
    let cases = archive.cases.iter();
    let cases = cases.filter(|case| has_page(archive, &comparison::sets(archive, &case.runs)));
    cases.map(|case| links::trials(&case.slug)).collect()
}

fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let archive = lists.archive();
    let all = cells::of_archive(archive, &lists.config().cells);
    let pairs = cells::pairs(archive, &all);
    let mut cases = archive.cases.iter();
    cases.try_for_each(|case| write_case(lists, case, &pairs))
}

fn write_case(
    lists: &Lists<'_>,
    case: &ArchiveGroup,
    pairs: &[ModelPair],
) -> Result<(), Diagnostic> {
    let archive = lists.archive();
    let sets = comparison::sets(archive, &case.runs);
    if !has_page(archive, &sets) {
        return Ok(());
    }
    let rule = &lists.config().cells;
    let path = links::trials(&case.slug);
    let root = links::root(&path);
    let mut cells = cells::summaries(archive, &sets, rule);
    let all = cells.len();
    cells.retain(|it| it.cell.runs.len() > 1);
    let repeated = cells.len();
    cells.truncate(CELLS);
    let tape = |run: usize| tape(lists, run);
    let of_sets = cells.chunk_by(|a, b| a.cell.set == b.cell.set);
    let views = of_sets.map(|cells| trials::set(archive, cells, &tape, &root));
    let views = views.collect::<Result<Vec<TrialsView>, Diagnostic>>()?;
    let (shown, more_pairs) = trials::pairs(archive, pairs, &cells, &root);
    let about = lists
        .gathered
        .prose
        .of_page(&links::group("cases", &case.slug));
    let name = about.and_then(|about| about.prose.title.as_deref());
    let title = format!("Trials of {}", name.unwrap_or(&case.name));
    let what = "How often runs of the same model, variant and harness succeed, and how sure the numbers are.";
    let info = PageInfo::listed(path, title.clone(), what);
    let view = TrialsPage {
        case: Link::to_group(GroupBy::Case, case, &root),
        title,
        summary: format!(
            "{} in {} of the same variant, model and harness",
            format::count(cells.iter().map(|it| it.cell.runs.len()).sum(), "run"),
            format::count(cells.len(), "cell"),
        ),
        more: format::rest(repeated, CELLS, "more cell"),
        single: (all > repeated).then(|| format::count(all - repeated, "cell")),
        rule: trials::rule(rule),
        example: trials::example(&cells),
        sets: views,
        pairs: shown,
        more_pairs,
        seed: SEED,
        resamples: format::grouped(RESAMPLES),
    };
    lists.page("trials.html", &info, &view)
}

/// The first tape of a run, from its data for comparisons; none in a check, which makes no such data.
fn tape(lists: &Lists<'_>, run: usize) -> Result<Option<TapeData<'static>>, Diagnostic> {
    if lists.findings()[run].compared.is_empty() {
        return Ok(None);
    }
    let data = lists.texts(run);
    // The data has its key before it.
    let data = data.and_then(|data| {
        Ok(serde_json::from_str::<(IgnoredAny, FirstTape<'_>)>(
            &data.compared[0],
        )?)
    });
    let (_, first) = data.map_err(write_error("compare"))?;
    Ok(first.tape)
}
