//! Writes what search reads.

use crate::diagnostics::Diagnostic;
use crate::links;
use crate::markup::markdown;
use crate::model::archive::GroupBy;
use crate::model::prose::ProseKind;
use crate::spool;
use crate::view::data::search::{self, Document, Manifest};

use super::parts::{PartFiles, manifest};
use super::{Lists, cards};

/// First what is small, then the failures, the writeups and the annotations, newest run first, while there is room. The annotations are
/// those of the filter of their pages.
pub(super) fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let mut out = Documents {
        files: PartFiles::new(lists.stage, "search", "search/search-"),
        size: 0,
        left_out: 0,
    };
    for document in of_prose(lists) {
        out.push(&document)?;
    }
    for (entry, findings) in lists.runs_of_data() {
        out.push(&search::run(entry, findings))?;
    }
    let mut failures = 0;
    for (entry, findings) in lists.runs_of_data() {
        let messages = lists.stage.spool.get(findings.spooled.failures);
        let messages = messages.and_then(|text| Ok(serde_json::from_slice(&text)?));
        let messages = messages.map_err(|error| spool::refused(&error))?;
        let found = search::failures_of(entry, messages);
        if !found.failures.is_empty() && out.has_room() {
            failures += found.failures.len() - 1;
            out.size += found.size();
            out.files.push(&found.folder, &found)?;
        }
    }
    for (entry, findings) in lists.runs_of_data() {
        let spooled = &findings.spooled;
        if spooled.writeup.bytes > 0 && out.has_room() {
            let text = lists.stage.spool.get(spooled.writeup);
            let text = text.map_err(|error| spool::refused(&error))?;
            let text = String::from_utf8_lossy(&text).into_owned();
            out.push(&search::writeup(entry, findings, text))?;
        }
    }
    out.files.finish()?;
    let mut found = Manifest {
        parts: out.files.parts.names(),
        annotations: Vec::new(),
        documents: out.files.parts.items + failures,
        left_out: out.left_out,
    };
    let kinds = cards::write(lists)?.into_iter();
    let mut kinds: Vec<_> = kinds.map(Vec::into_iter).collect();
    // The newest part of each kind, then the next ones.
    while kinds.iter().any(|parts| parts.len() > 0) {
        for part in kinds.iter_mut().filter_map(Iterator::next) {
            if out.size < search::ALL {
                out.size += part.bytes;
                found.documents += part.documents;
                found.annotations.push(part.file);
            } else {
                found.left_out += part.documents;
            }
        }
    }
    manifest(lists.stage, ("search", "search/index.js"), &found)
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

/// The data of search while it is written.
struct Documents<'a> {
    files: PartFiles<'a>,
    size: usize,
    left_out: usize,
}

impl Documents<'_> {
    /// Whether another text has room; what has none is counted.
    fn has_room(&mut self) -> bool {
        let room = self.size < search::ALL;
        self.left_out += usize::from(!room);
        room
    }

    fn push(&mut self, document: &Document) -> Result<(), Diagnostic> {
        self.size += document.size();
        self.files.push(&document.href, document).map(drop)
    }
}
