//! Writes what search reads: the index of all terms, and the texts that they lead to.

use crate::diagnostics::Diagnostic;
use crate::links;
use crate::markup::markdown;
use crate::model::archive::{Entry, GroupBy};
use crate::model::findings::Findings;
use crate::model::prose::ProseKind;
use crate::render::index::Index;
use crate::render::parts::{Parts, Sizes};
use crate::render::script;
use crate::spool;
use crate::view::annotations::{Filed, kind_word};
use crate::view::data::search::{self, Document, Kind, Manifest, RunHead, RunText};

use super::Lists;
use super::parts::{PartFiles, manifest};
use super::texts::{SLOTS, Texts};

/// Of the parts of the index. A word costs a reader one of them.
const TERMS: Sizes = Sizes {
    most: 64_000,
    enough: 24_000,
    beginners: 8,
};
/// Bytes of the texts of a run that are together.
const TOGETHER: usize = 24_000;
/// Cases that are offered before there are words.
const OFFERED: usize = 8;

/// The oldest run is first, so that the texts of a run keep their numbers when newer ones are added.
pub(super) fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let mut index = Index::default();
    let mut documents = 0;
    let mut cases = (0, Vec::new());
    let mut about = Texts::new(lists.stage, "about");
    for document in of_prose(lists) {
        let json = script::item(&document).map_err(|error| spool::refused(&error.into()))?;
        let Document(kind, title, of, href, text) = &document;
        let number = about.push(href, &json, 1)?;
        index.add_weighed(*kind, number, [title, of, text]);
        documents += 1;
        if *kind == Kind::Case {
            cases.0 += 1;
            if cases.0 <= OFFERED {
                cases.1.push(Document(
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
    let mut texts = Texts::new(lists.stage, "texts");
    let runs: Vec<_> = lists.runs_of_data().enumerate().collect();
    for (place, (entry, findings)) in runs.into_iter().rev() {
        let head = search::run(entry, findings);
        let all = texts_of(lists, place, (entry, findings))?;
        documents += 1 + all.len();
        add(&mut texts, &mut index, (&head, &all))?;
    }
    texts.finish()?;
    let parts = write_index(lists, index)?;
    let found = Manifest {
        parts: &parts.begun,
        documents,
        cases,
    };
    manifest(lists.stage, ("search", "search/index.js"), &found)
}

/// Adds a run. One with very many texts is several items, each with its head.
fn add(
    texts: &mut Texts<'_>,
    index: &mut Index,
    (head, all): (&RunHead, &[RunText]),
) -> Result<(), Diagnostic> {
    let json = |value: serde_json::Result<Vec<u8>>| {
        value.map_err(|error: serde_json::Error| spool::refused(&error.into()))
    };
    let RunHead(folder, run, _, text, _) = head;
    let head_json = json(script::item(head))?;
    let mut left = all;
    let mut is_first = true;
    while is_first || !left.is_empty() {
        let mut item = [b"[", head_json.as_slice()].concat();
        let mut taken = 0;
        while taken < left.len() && taken + 1 < SLOTS && (taken == 0 || item.len() < TOGETHER) {
            item.push(b',');
            item.extend(json(script::item(&left[taken]))?);
            taken += 1;
        }
        item.push(b']');
        let number = texts.push(folder, &item, 1 + taken)?;
        if is_first {
            index.add(Kind::Run, number, &[run, text]);
        }
        let (now, later) = left.split_at(taken);
        for (text, number) in now.iter().zip(number + 1..) {
            text.words(head, |kind, words| index.add(kind, number, words));
        }
        (left, is_first) = (later, false);
    }
    Ok(())
}

/// The failures, the writeup and the annotations of a run.
fn texts_of(
    lists: &Lists<'_>,
    run: usize,
    (entry, findings): (&Entry, &Findings),
) -> Result<Vec<RunText>, Diagnostic> {
    let spooled = &findings.spooled;
    let get = |slice| lists.stage.spool.get(slice);
    let messages = get(spooled.failures).and_then(|text| Ok(serde_json::from_slice(&text)?));
    let messages = messages.map_err(|error| spool::refused(&error))?;
    let mut all: Vec<_> = search::failures_of(entry, messages).collect();
    if spooled.writeup.bytes > 0 {
        let text = get(spooled.writeup).map_err(|error| spool::refused(&error))?;
        all.push(search::writeup(String::from_utf8_lossy(&text).into_owned()));
    }
    for spooled in spooled.cards.iter().copied() {
        let text = lists.text(&Filed { run, spooled })?;
        all.extend(search::annotation(kind_word(spooled.kind), text));
    }
    Ok(all)
}

fn write_index(lists: &Lists<'_>, index: Index) -> Result<Parts, Diagnostic> {
    let mut files = PartFiles::sized(lists.stage, ("search", TERMS), "search/terms-");
    index.finish(
        |term, list| {
            let json =
                script::item(&(term, list)).map_err(|error| spool::refused(&error.into()))?;
            // A part is one flat list: a term, its list, the next term.
            files.push_written(term, &json[1..json.len() - 1]).map(drop)
        },
        |name, list| {
            let (folder, name) = name.split_at(2);
            let path = format!("search/lists/{folder}/{name}.js");
            manifest(lists.stage, ("search", &path), &list)
        },
    )?;
    files.finish()?;
    Ok(files.parts)
}

fn of_prose(lists: &Lists<'_>) -> Vec<Document> {
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
