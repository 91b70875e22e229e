//! Compares the rows of tables of runs, and the entries of the Atom feed, with the published records.

use std::collections::BTreeMap;

use rayon::prelude::*;

use ::pages::feeds::atom;
use ::pages::view::row::{self, RunRow};
use base::diagnostics::text::quoted;
use base::diagnostics::{Diagnostic, Place, codes};
use base::links;
use formats::config::Config;
use formats::model::archive::{Archive, ArchiveEntry};
use formats::model::findings::Findings;

use super::copy::SiteCopy;
use super::html::{self, ElementQuery, page_text, without_white_space};
use super::pages;
use super::settings::SiteSettings;

/// Maximum rows that are reported for a page.
const MOST: usize = 10;
/// The text before the slug in each row.
const ROW: &[u8] = b"data-run=";
/// The first page of the list of all runs, and what its further pages begin with.
const ALL: [&str; 2] = ["runs/index.html", "runs/page/"];
const ATOM: &str = "feeds/atom.xml";

const ENTRY: ElementQuery = ElementQuery {
    name: "entry",
    attribute: None,
    parts: &["id", "title", "published", "updated", "summary", "content"],
};

/// Compares the tables of runs, unless templates of the site make them, and the Atom feed, which needs all runs.
pub(crate) fn check(
    copy: &SiteCopy,
    settings: &SiteSettings,
    archive: &Archive,
    findings: &[Findings],
) -> Vec<Diagnostic> {
    if settings.has_own_templates {
        return Vec::new();
    }
    let mut problems = rows(copy, archive, findings);
    if copy.left_out.is_empty() {
        problems.extend(atom(copy, &settings.config, archive, findings));
    }
    problems
}

/// Compares each row of a run on each page that is not of one run.
fn rows(copy: &SiteCopy, archive: &Archive, findings: &[Findings]) -> Vec<Diagnostic> {
    let runs = archive.runs.iter().zip(findings);
    let runs: BTreeMap<&str, (&ArchiveEntry, &Findings)> =
        runs.map(|run| (&*run.0.slug, run)).collect();
    let paths = copy.files.keys();
    let paths: Vec<&String> = paths
        .filter(|path| pages::is_page(path) && links::split_run(path).is_none())
        .collect();
    let of_pages = paths.par_iter().map(|path| {
        let mut problems = Vec::new();
        let bytes = copy.read_some(path, &mut problems);
        let bytes = bytes.filter(|bytes| memchr::memmem::find(bytes, ROW).is_some());
        let rows = bytes.map_or_else(Vec::new, |bytes| html::run_rows(&bytes));
        let different = rows.iter().filter(|row| {
            let run = runs.get(row.slug.as_str());
            run.is_none_or(|(entry, findings)| !is_row_of(archive, entry, findings, row))
        });
        let different = different.take(MOST).map(|row| {
            let message = format!(
                "The row of {} is not what the published records say",
                quoted(&row.slug)
            );
            different_value(path, message)
        });
        problems.extend(different);
        let slugs: Vec<String> = rows.into_iter().map(|row| row.slug).collect();
        (problems, slugs)
    });
    let of_pages: Vec<_> = of_pages.collect();
    let mut problems = Vec::new();
    let mut all = BTreeMap::new();
    for (path, (found, slugs)) in paths.iter().zip(of_pages) {
        problems.extend(found);
        if *path == ALL[0] || path.starts_with(ALL[1]) {
            let number = path
                .strip_prefix(ALL[1])
                .and_then(|it| it.split('/').next());
            let number = number.and_then(|number| number.parse::<usize>().ok());
            all.insert(number, slugs);
        }
    }
    // A sample may lack pages of the list.
    let listed = all.values().flatten().map(String::as_str);
    let expected = archive.runs.iter().map(|entry| &*entry.slug);
    if copy.left_out.is_empty() && !all.is_empty() && !listed.eq(expected) {
        let message = "The list of runs does not have each run once, newest first".to_owned();
        problems.push(different_value(ALL[0], message));
    }
    problems
}

/// Whether the cells of a row are those of its run.
fn is_row_of(
    archive: &Archive,
    entry: &ArchiveEntry,
    findings: &Findings,
    published: &html::TableRow,
) -> bool {
    let row = row::row(archive, entry, findings, "", &[]);
    published.cells.iter().all(|(column, text)| {
        let text = without_white_space(text);
        let mut expected = cell(&row, column)
            .into_iter()
            .map(|it| without_white_space(&page_text(&it)));
        match column.as_str() {
            // After the cost, pages of models draw where it is among others.
            "cost" => expected.any(|it| text.starts_with(&it)),
            // These columns depend on the other runs of the table.
            _ if expected.len() == 0 => true,
            _ => expected.any(|it| it == text),
        }
    })
}

/// The possible texts of a cell; none for a column that is not compared.
fn cell(row: &RunRow, column: &str) -> Vec<String> {
    let excluded = row.excluded.as_ref().map_or("", |badge| &badge.word);
    let one = |text: &str| vec![text.to_owned()];
    match column {
        "run" => {
            let date = &row.finished.date;
            vec![
                format!("{} {}", row.title, row.label),
                format!("{} {}, {date}", row.title, row.label),
                format!("{} {date}", row.label),
            ]
        }
        "finished" => one(&row.finished.date),
        "case" => vec![format!("{} {}", row.case.text, row.version)],
        "variant" => one(row.variant.text()),
        "model" => one(&row.model.text),
        "harness" => vec![
            row.harness.text.clone(),
            format!("{} {}", row.harness.text, row.harness_version.text()),
        ],
        "state" => vec![
            row.state.word.clone(),
            format!("{} {excluded}", row.state.word),
        ],
        "outcome" => one(row.outcome.text()),
        "rating" => one(&row.rating.word),
        "uncached" => one(row.tokens[0].text()),
        "cached" => one(row.tokens[1].text()),
        "output" => one(row.tokens[2].text()),
        "reasoning" => one(row.tokens[3].text()),
        "cost" => one(row.comparable_cost.text()),
        "actual" => one(row.actual_cost.text()),
        "time" => one(row.run_time.text()),
        "events" => one(row.events.text()),
        "annotations" => one(row.annotations.text()),
        "threads" => one(row.threads.text()),
        _ => Vec::new(),
    }
}

/// Compares the entries of the Atom feed, which only a site with an address has.
fn atom(
    copy: &SiteCopy,
    config: &Config,
    archive: &Archive,
    findings: &[Findings],
) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let Some((bytes, base)) = copy
        .read_some(ATOM, &mut problems)
        .zip(config.site.base_url.as_ref())
    else {
        return problems;
    };
    let feed = atom::atom(config, base.as_str(), archive, findings);
    let expected = feed.entries.iter().map(|entry| {
        let texts = [
            Some(&entry.url),
            Some(&entry.title),
            Some(&entry.at),
            Some(&entry.at),
            Some(&entry.summary),
            entry.html.as_ref(),
        ];
        let texts = texts.into_iter().flatten();
        texts
            .map(|text| without_white_space(&page_text(text)))
            .collect()
    });
    let expected: Vec<Vec<String>> = expected.collect();
    let published = html::elements(&bytes, ENTRY, usize::MAX).into_iter();
    let published: Vec<Vec<String>> = published
        .map(|texts| texts.iter().map(|text| without_white_space(text)).collect())
        .collect();
    let count = published.len().max(expected.len());
    let different = (0..count).filter(|at| published.get(*at) != expected.get(*at));
    problems.extend(different.take(MOST).map(|at| {
        let message = format!("Entry {} is not what the published records say", at + 1);
        different_value(ATOM, message)
    }));
    problems
}

fn different_value(path: &str, message: String) -> Diagnostic {
    codes::VERIFY_DIFFERENT_VALUE.at(
        Place::file(path),
        message,
        "The page or the data was changed after the build. Get the site from the publisher again.",
    )
}
