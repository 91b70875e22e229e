//! Writes the search data: the index of terms, and the texts that it refers to.

use std::collections::BTreeMap;

use crate::summary::{Facet, RunTexts};
use base::diagnostics::Diagnostic;
use base::links;
use formats::model::archive::{ArchiveEntry, GroupBy};
use formats::model::findings::Findings;
use formats::page::ProseKind;
use markup::markdown;
use pages::render::index::SearchIndex;
use pages::render::parts::{PartSizes, ScriptParts};
use pages::render::script;
use pages::view::annotations::kind_folders;
use pages::view::chrome::PageInfo;
use pages::view::data::search::{
    self, SearchDocument, SearchKind, SearchManifest, SearchRun, SearchText,
};

use super::cards::CardFiles;
use super::parts::{PartFiles, write_script};
use super::texts::TextFiles;
use super::{Lists, Page, write_error};

/// Sizes of index parts. Looking up a word loads one part.
const TERMS: PartSizes = PartSizes {
    max_bytes: 64_000,
    min_bytes: 24_000,
    keys_per_start: 8,
};
/// Sizes of text files. Showing a text loads one file.
const TEXTS: PartSizes = PartSizes {
    max_bytes: 32_000,
    min_bytes: 16_000,
    keys_per_start: 4,
};
/// Cases listed before the user types.
const OFFERED: usize = 8;

/// Writes all search data. Runs are numbered from the oldest, so adding runs keeps the numbers of existing texts.
pub(super) const PAGE: Page = Page {
    made_of: Some(&[
        Facet::Cards,
        Facet::Writeup,
        Facet::Failures,
        Facet::Messages,
    ]),
    ..Page::new("search", &["search"], write)
};

fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let what = "Finds runs, messages, failures, annotations and pages.";
    let info = PageInfo::unlisted(links::SEARCH, "Search", what);
    // The page has no data of its own: its script searches.
    lists.page("search.html", &info, &BTreeMap::<&str, &str>::new())?;
    let mut index = SearchIndex::default();
    let mut documents = 0;
    let mut cases = (0, Vec::new());
    let mut about = TextFiles::new(lists.stage, "search", TEXTS, "about".to_owned());
    for document in of_prose(lists) {
        let json = script::item(&document).map_err(write_error("search"))?;
        let SearchDocument(kind, title, of, href, text) = &document;
        let number = about.push(href, &json, 1)?;
        index.add_weighted(*kind, number, [title, of, text]);
        documents += 1;
        if *kind == SearchKind::Case {
            cases.0 += 1;
            if cases.0 <= OFFERED {
                cases.1.push(SearchDocument(
                    *kind,
                    title.clone(),
                    of.clone(),
                    href.clone(),
                    String::new(),
                ));
            }
        }
    }
    about.finish()?;
    let mut texts = TextFiles::new(lists.stage, "search", TEXTS, "texts".to_owned());
    let mut cards = CardFiles::new(lists);
    let runs: Vec<_> = lists.runs_of_data().enumerate().collect();
    for (run, (entry, findings)) in runs.into_iter().rev() {
        let head = search::run(entry, findings);
        let found = lists.texts(run).map_err(write_error("search"))?;
        let numbers = cards.add(entry, findings)?;
        let all = texts_of(entry, findings, found, numbers);
        documents += 1 + all.len();
        add(&mut texts, &mut index, &head, &all)?;
    }
    texts.finish()?;
    cards.finish()?;
    let parts = write_index(lists, index)?;
    let found = SearchManifest {
        parts: &parts.starts,
        documents,
        cases,
        kinds: kind_folders(),
    };
    write_script(lists.stage, "search", "search/index.js", &found)
}

fn add(
    texts: &mut TextFiles<'_>,
    index: &mut SearchIndex,
    head: &SearchRun,
    all: &[SearchText],
) -> Result<(), Diagnostic> {
    let written: Result<Vec<_>, _> = all.iter().map(script::item).collect();
    let written = written.map_err(write_error("search"))?;
    let json = script::item(head).map_err(write_error("search"))?;
    let SearchRun(folder, run, _, text, _, forms) = head;
    let (number, numbers) = texts.push_all(folder, &json, 1, &written)?;
    let mut numbered = vec![(SearchKind::Run, number)];
    numbered.extend(all.iter().map(SearchText::kind).zip(numbers));
    index.add_all(&numbered, run);
    index.add(SearchKind::Run, number, &[text, forms]);
    for (text, (kind, number)) in all.iter().zip(&numbered[1..]) {
        text.words(head, |words| index.add(*kind, *number, words));
    }
    Ok(())
}

/// The failures, the messages, the writeup and the annotations of a run, whose cards have these numbers.
fn texts_of(
    entry: &ArchiveEntry,
    findings: &Findings,
    found: RunTexts,
    numbers: Vec<u32>,
) -> Vec<SearchText> {
    let mut all: Vec<_> = search::failures_of(entry, found.failures).collect();
    let messages = found.messages.into_iter();
    all.extend(messages.map(|(href, of, says)| SearchText::Message("m", href, of, says)));
    if !found.writeup.is_empty() {
        all.push(SearchText::Writeup("w", found.writeup));
    }
    let cards = findings.cards.iter().cloned().zip(numbers);
    all.extend(cards.filter_map(|(card, number)| search::annotation(number, card)));
    all
}

fn write_index(lists: &Lists<'_>, index: SearchIndex) -> Result<ScriptParts, Diagnostic> {
    let mut files = PartFiles::sized(lists.stage, "search", TERMS, "search/terms-");
    index.finish(
        |term, list| {
            let json = script::item(&(term, list)).map_err(write_error("search"))?;
            // A part is one flat list: term, posting list, term, …
            files.push_written(term, &json[1..json.len() - 1]).map(drop)
        },
        |name, list| {
            let (folder, name) = name.split_at(2);
            let path = format!("search/lists/{folder}/{name}.js");
            write_script(lists.stage, "search", &path, &list)
        },
    )?;
    files.finish()?;
    Ok(files.parts)
}

fn of_prose(lists: &Lists<'_>) -> Vec<SearchDocument> {
    let prose = &lists.gathered.prose;
    let plain = |text: &str| markdown::plain(text, search::PROSE);
    let archive = lists.archive();
    let groups = GroupBy::ALL.into_iter().flat_map(|group_by| {
        archive.groups(group_by).iter().map(move |group| {
            let text = prose.of_page(&links::group(group_by.folder(), &group.slug));
            let title = text.and_then(|text| text.prose.title.as_deref());
            let body = text.map_or_else(String::new, |text| plain(&text.prose.body));
            search::group(group_by, group, title, body)
        })
    });
    let pages = prose
        .texts
        .iter()
        .filter(|text| text.file.kind == ProseKind::Page);
    let pages = pages.map(|text| {
        let path = text.page();
        let title = match path.as_str() {
            "index.html" => &lists.site.config.site.title,
            _ => text.title(),
        };
        let description = text.prose.description.as_deref();
        search::page(title.to_owned(), description, plain(&text.prose.body), path)
    });
    groups.chain(pages).collect()
}
