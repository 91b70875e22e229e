//! Knows how the data of search and of the facets is written: part by part, so that it is never held whole.

use crate::diagnostics::Diagnostic;
use crate::feeds::parts::{self, Parts};
use crate::feeds::rows;
use crate::feeds::search::{self, Document, Manifest};
use crate::model::archive::Sort;
use crate::render::markdown;
use crate::rules::pages::Shelf;
use crate::spool;
use crate::view::annotations::Card;
use crate::view::links;

use super::lists::Lists;
use super::title;

impl Lists<'_> {
    /// What search reads: first what is small, then the writeups and the annotations, newest run first, while there is room.
    pub(super) fn search_data(&self) -> Result<(), Diagnostic> {
        let mut out = SearchOut {
            lists: self,
            parts: Parts::new("search"),
            size: 0,
            left_out: 0,
        };
        for document in self.prose_documents() {
            out.push(&document)?;
        }
        let runs = || self.archive().runs.iter().zip(&self.outcome.findings);
        for (entry, findings) in runs() {
            out.push(&search::run(entry, findings))?;
        }
        for (entry, findings) in runs() {
            if findings.spooled.writeup.bytes > 0 && out.has_room() {
                let text = self.stage.spool.get(findings.spooled.writeup);
                let text = text.map_err(|error| spool::refused(&error))?;
                let text = String::from_utf8_lossy(&text).into_owned();
                out.push(&search::writeup(entry, findings, text))?;
            }
            for filed in &findings.spooled.cards {
                if out.has_room() {
                    let card: Card = self.card(filed)?;
                    if let Some(document) = search::annotation(card) {
                        out.push(&document)?;
                    }
                }
            }
        }
        out.finish()
    }

    fn prose_documents(&self) -> Vec<Document> {
        let gathered = self.gathered;
        let prose = |shelf, slug: &str| {
            let mut all = gathered.prose.iter();
            all.find(|(file, _)| file.shelf == shelf && file.slug == slug)
                .map(|(_, prose)| prose)
        };
        let plain = |text: &str| markdown::plain(text, search::PROSE);
        let archive = self.archive();
        let groups = [
            (Sort::Case, Shelf::Case, &archive.cases),
            (Sort::Model, Shelf::Model, &archive.models),
            (Sort::Harness, Shelf::Harness, &archive.harnesses),
        ];
        let groups = groups.into_iter().flat_map(|(sort, shelf, groups)| {
            groups.iter().map(move |group| {
                let prose = prose(shelf, &group.slug);
                let title = prose.and_then(|prose| prose.title.as_deref());
                let text = prose.map_or_else(String::new, |prose| plain(&prose.body));
                search::group(sort, group, title, text)
            })
        });
        let pages = gathered.prose.iter().filter_map(|(file, prose)| {
            let is_home = file.slug == "index";
            (file.shelf == Shelf::Page).then(|| {
                let path = if is_home {
                    "index.html".to_owned()
                } else {
                    links::prose(&file.slug)
                };
                let title = if is_home {
                    self.site.config.site.title.clone()
                } else {
                    title(file, prose)
                };
                search::page(
                    title,
                    prose.description.as_deref(),
                    plain(&prose.body),
                    path,
                )
            })
        });
        groups.chain(pages).collect()
    }

    /// What the facets of the page of runs read.
    pub(super) fn rows_data(&self) -> Result<(), Diagnostic> {
        let mut parts = Parts::new("runs");
        let write = |part: Option<(usize, Vec<u8>)>| match part {
            Some((number, bytes)) => self
                .stage
                .write(&format!("search/runs-{number}.js"), &bytes),
            None => Ok(()),
        };
        let archive = self.archive();
        for (entry, findings) in archive.runs.iter().zip(&self.outcome.findings) {
            let full = parts.push(&rows::of(archive, entry, findings));
            write(full.map_err(|error| spool::refused(&error.into()))?)?;
        }
        write(parts.take())?;
        let bytes = parts::manifest("runs", &parts.begun);
        let bytes = bytes.map_err(|error| spool::refused(&error.into()))?;
        self.stage.write("search/runs.js", &bytes)
    }
}

/// The data of search while it is written.
struct SearchOut<'a> {
    lists: &'a Lists<'a>,
    parts: Parts,
    size: usize,
    left_out: usize,
}

impl SearchOut<'_> {
    /// Whether another writeup or annotation has room; what has none is counted.
    fn has_room(&mut self) -> bool {
        let room = self.size < search::ALL;
        self.left_out += usize::from(!room);
        room
    }

    fn push(&mut self, document: &Document) -> Result<(), Diagnostic> {
        self.size += document.size();
        let full = self.parts.push(document);
        self.write(full.map_err(|error| spool::refused(&error.into()))?)
    }

    fn write(&self, part: Option<(usize, Vec<u8>)>) -> Result<(), Diagnostic> {
        let Some((number, bytes)) = part else {
            return Ok(());
        };
        let path = format!("search/search-{number}.js");
        self.lists.stage.write(&path, &bytes)
    }

    fn finish(mut self) -> Result<(), Diagnostic> {
        let last = self.parts.take();
        self.write(last)?;
        let manifest = Manifest {
            parts: self.parts.begun,
            documents: self.parts.items,
            left_out: self.left_out,
        };
        let bytes = parts::manifest("search", &manifest);
        let bytes = bytes.map_err(|error| spool::refused(&error.into()))?;
        self.lists.stage.write("search/index.js", &bytes)
    }
}
