//! Writes the annotation cards that search and the annotation filter load.

use std::collections::BTreeMap;

use base::diagnostics::Diagnostic;
use formats::model::archive::ArchiveEntry;
use formats::model::findings::Findings;
use pages::render::index::digits;
use pages::render::parts::PartSizes;
use pages::render::script;
use pages::view::annotations::{kind_folders, kind_word};
use pages::view::data::cards::{CardCounts, CardManifest, CardRow, KindCards, SharedCardFields};

use super::Lists;
use super::parts::write_script;
use super::reuse::ListStage;
use super::texts::{SLOTS, TextFiles};
use super::write_error;

const FUNCTION: &str = "annotations";
/// Sizes of card files. Showing a card loads one file.
const SIZES: PartSizes = PartSizes {
    max_bytes: 32_000,
    min_bytes: 28_000,
    keys_per_start: 4,
};
/// Files per block.
const FILES: usize = 64;

/// The annotations of all runs, in separate files for each kind.
pub(super) struct CardFiles<'a> {
    lists: &'a Lists<'a>,
    manifest: CardManifest,
    kinds: BTreeMap<usize, KindFiles<'a>>,
}

/// The files of a kind.
struct KindFiles<'a> {
    folder: String,
    cards: KindCards,
    texts: TextFiles<'a>,
    /// Counts of the current file.
    file: CardCounts,
    /// Counts of the finished files of the current block.
    block: CardCounts,
    /// Index of the current file.
    current_file: usize,
}

impl<'a> CardFiles<'a> {
    pub(super) fn new(lists: &'a Lists<'a>) -> Self {
        Self {
            lists,
            manifest: CardManifest::new(),
            kinds: BTreeMap::new(),
        }
    }

    /// Adds the cards of a run, oldest run first. Returns the number of each card within its kind.
    pub(super) fn add(
        &mut self,
        entry: &ArchiveEntry,
        findings: &Findings,
    ) -> Result<Vec<u32>, Diagnostic> {
        let cards = &findings.cards;
        let mut numbers = vec![0; cards.len()];
        if cards.is_empty() {
            return Ok(numbers);
        }
        let head = self.manifest.head(entry, &findings.task);
        // The script reads files from the end.
        let mut by_kind: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, card) in cards.iter().enumerate().rev() {
            by_kind.entry(card.kind).or_default().push(at);
        }
        let stage = self.lists.stage;
        for (kind, places) in by_kind {
            let kind = self.kinds.entry(kind);
            let kind = kind.or_insert_with_key(|kind| KindFiles::new(stage, *kind));
            let rows: Vec<_> = places.iter().map(|at| CardRow::new(&cards[*at])).collect();
            for (at, number) in places.into_iter().zip(kind.add(stage, &head, &rows)?) {
                numbers[at] = number;
            }
        }
        Ok(numbers)
    }

    /// Writes the last files and the manifest.
    pub(super) fn finish(mut self) -> Result<(), Diagnostic> {
        for (place, mut kind) in self.kinds {
            kind.texts.finish()?;
            kind.end_file();
            let block = encoded(&kind.cards, &kind.block);
            kind.cards.blocks.push(block);
            self.manifest.kinds.insert(kind_word(place), kind.cards);
        }
        let path = "search/annotations.js";
        write_script(self.lists.stage, FUNCTION, path, &self.manifest)
    }
}

impl<'a> KindFiles<'a> {
    fn new(stage: &'a ListStage<'a>, kind: usize) -> Self {
        let folder = kind_folders().swap_remove(kind);
        Self {
            cards: KindCards::new(kind),
            texts: TextFiles::new(stage, FUNCTION, SIZES, format!("annotations-{folder}")),
            folder,
            file: CardCounts::default(),
            block: CardCounts::default(),
            current_file: 0,
        }
    }

    fn add(
        &mut self,
        stage: &ListStage<'_>,
        head: &SharedCardFields<'_>,
        rows: &[CardRow<'_>],
    ) -> Result<Vec<u32>, Diagnostic> {
        let written: Result<Vec<_>, _> = rows.iter().map(script::item).collect();
        let written = written.map_err(write_error("search"))?;
        let json = script::item(head).map_err(write_error("search"))?;
        let (_, numbers) = self.texts.push_all(&head.0, &json, 0, &written)?;
        for (number, row) in numbers.iter().zip(rows) {
            let file = *number as usize / SLOTS;
            if file > self.current_file {
                self.end_file();
                if file.is_multiple_of(FILES) {
                    self.end_block(stage)?;
                }
                self.current_file = file;
            }
            self.file.add((head.3, row.author, row.text.group));
        }
        Ok(numbers)
    }

    fn end_file(&mut self) {
        let file = std::mem::take(&mut self.file);
        self.cards.files.push(encoded(&self.cards, &file));
        self.block.append(file);
    }

    fn end_block(&mut self, stage: &ListStage<'_>) -> Result<(), Diagnostic> {
        let block = std::mem::take(&mut self.block);
        let files = std::mem::take(&mut self.cards.files);
        let number = self.cards.blocks.len();
        let path = format!("search/annotations-{}/{number}.js", self.folder);
        self.cards.blocks.push(encoded(&self.cards, &block));
        write_script(stage, FUNCTION, &path, &files)
    }
}

/// Counts in the encoding that the script reads.
fn encoded(cards: &KindCards, counts: &CardCounts) -> String {
    let mut out = String::new();
    cards
        .numbers(counts)
        .for_each(|number| digits(&mut out, number));
    out
}
