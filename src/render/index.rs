//! The inverted index of search: a posting list for each term, in small files that are loaded one by one.
//!
//! A posting list has numbers of texts by kind, newest first, as gaps in digits of five bits. The older texts of a long list are in
//! separate files, so looking up a term costs the same in an archive of any size. These files are cut from the oldest text on, so
//! adding runs does not change them.
//!
//! The terms of some thousand runs fit into memory. Beyond that they spill to sorted segments, which are merged at the end.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::{mem, vec};

use serde::Serialize;

use super::parts;
use super::terms::{self, Term};
use crate::view::data::search::Kind;

/// Texts per file of a long list.
pub const BLOCK: usize = 4_096;
/// Minimum number of newest texts that stay in a long list itself.
const NEWEST: usize = 512;
/// A digit encodes five bits, and whether another digit follows.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The postings of a term, in order: for each text the gap to the one before it, and its kind.
#[derive(Debug, Default)]
struct Postings {
    last: u32,
    is_of_runs: bool,
    bytes: Vec<u8>,
}

/// Size of the cache of short terms.
const KNOWN: usize = 4_096;

/// Terms spill to a segment at about this many bytes. With spare capacity they take about five times as much memory.
const MOST: usize = 1 << 20;
/// Approximate bytes of a term without its postings.
const TERM: usize = 100;
/// Minimum bytes of a segment that are written or read at once. At the end, one piece of each segment is in memory.
const PIECE: usize = 8 << 10;

/// Storage for spilled segments.
pub trait Aside {
    /// The place of a piece.
    type Place;
    /// A failure to write or read a piece.
    type Error;
    /// Stores a piece.
    fn put(&mut self, piece: &[u8]) -> Result<Self::Place, Self::Error>;
    /// Reads a piece back.
    fn get(&mut self, place: Self::Place) -> Result<Vec<u8>, Self::Error>;
}

/// The index of all texts.
#[derive(Debug)]
pub struct Index<A: Aside> {
    /// Places in `postings`.
    short: BTreeMap<u128, usize>,
    long: BTreeMap<Box<str>, usize>,
    postings: Vec<Postings>,
    /// A cache of recent short terms and their places, since texts share most words.
    known: Vec<(u128, usize)>,
    /// Approximate bytes of terms and postings in memory.
    held: usize,
    most: usize,
    aside: A,
    /// The pieces of each segment.
    segments: Vec<Vec<A::Place>>,
}

/// A posting list, as the script reads it.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum List {
    /// All texts.
    Whole(String),
    /// The newest texts, and the name of the files with the others.
    Long(String, String),
}

impl<A: Aside> Index<A> {
    /// An empty index.
    pub fn new(aside: A) -> Self {
        Self {
            short: BTreeMap::new(),
            long: BTreeMap::new(),
            postings: Vec::new(),
            known: vec![(0, 0); KNOWN],
            held: 0,
            most: MOST,
            aside,
            segments: Vec::new(),
        }
    }

    /// Adds texts of a run that share the same words. Numbers ascend; only later calls for the same run may repeat one.
    pub fn add_all(&mut self, texts: &[(Kind, u32)], words: &str) {
        terms::each(words, |term| {
            let place = self.place(term);
            for (kind, number) in texts {
                self.held += self.postings[place].push(*kind, *number);
            }
        });
    }

    /// Adds words of a text of a run. Numbers ascend.
    pub fn add(&mut self, kind: Kind, number: u32, words: &[&str]) {
        for words in words {
            self.add_all(&[(kind, number)], words);
        }
    }

    /// Adds a text that belongs to no run; call it before adding runs. A word weighs more in the title, or if repeated.
    pub fn add_weighed(&mut self, kind: Kind, number: u32, [title, about, text]: [&str; 3]) {
        let mut weights: BTreeMap<usize, u32> = BTreeMap::new();
        for (text, weight) in [(title, 100), (about, 4), (text, 1)] {
            terms::each(text, |term| {
                *weights.entry(self.place(term)).or_default() += weight;
            });
        }
        for (place, sum) in weights {
            let weight = match sum {
                100.. => 3,
                4.. => 2,
                _ => 1,
            };
            self.held += self.postings[place].push(kind, number * 4 + weight);
        }
    }

    fn place(&mut self, term: Term<'_>) -> usize {
        let next = self.postings.len();
        let place = match term {
            Term::Short(term) => {
                let known = &mut self.known[mixed(term)];
                if known.0 != term {
                    *known = (term, *self.short.entry(term).or_insert(next));
                }
                known.1
            }
            Term::Long(term) => match self.long.get(term) {
                Some(place) => *place,
                None => *self.long.entry(term.into()).or_insert(next),
            },
        };
        if place == next {
            self.postings.push(Postings::default());
            self.held += TERM;
        }
        place
    }

    /// Spills the terms to a segment if they take too much memory. Call it between runs only.
    pub fn make_room(&mut self) -> Result<(), A::Error> {
        if self.held < self.most {
            return Ok(());
        }
        self.set_aside()
    }

    fn set_aside(&mut self) -> Result<(), A::Error> {
        let (mut pieces, mut piece) = (Vec::new(), Vec::new());
        for (term, postings) in self.take() {
            for text in [term.as_bytes(), &postings] {
                piece.extend_from_slice(&text.len().to_le_bytes());
                piece.extend_from_slice(text);
            }
            if piece.len() >= PIECE {
                pieces.push(self.aside.put(&piece)?);
                piece.clear();
            }
        }
        if !piece.is_empty() {
            pieces.push(self.aside.put(&piece)?);
        }
        self.segments.push(pieces);
        Ok(())
    }

    /// Drains terms and postings from memory, in the order of strings in JavaScript.
    fn take(&mut self) -> impl Iterator<Item = (Box<str>, Vec<u8>)> + use<A> {
        let short = mem::take(&mut self.short).into_iter();
        let short = short.map(|(term, place)| (terms::unpacked(term), place));
        let mut all: Vec<_> = short.chain(mem::take(&mut self.long)).collect();
        all.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
        let mut postings = mem::take(&mut self.postings);
        self.known.fill((0, 0));
        self.held = 0;
        all.into_iter()
            .map(move |(term, place)| (term, mem::take(&mut postings[place].bytes)))
    }

    /// Calls `term` for each term and its list, in the order of strings in JavaScript, and `file` for each file of a long list.
    pub fn finish(
        mut self,
        mut term: impl FnMut(&str, &List) -> Result<(), A::Error>,
        mut file: impl FnMut(&str, &str) -> Result<(), A::Error>,
    ) -> Result<(), A::Error> {
        let mut numbers = Numbers::default();
        if self.segments.is_empty() {
            return self.take().try_for_each(|(text, postings)| {
                let list = numbers.list(&text, &[postings], &mut file)?;
                term(&text, &list)
            });
        }
        self.set_aside()?;
        let segments = mem::take(&mut self.segments).into_iter();
        let mut segments: Vec<_> = segments.map(Segment::of).collect();
        // The next term of each segment. Equal terms come in the order of segments, oldest texts first.
        let mut next = BinaryHeap::new();
        for (at, segment) in segments.iter_mut().enumerate() {
            next.extend(segment.next(at, &mut self.aside)?.map(Reverse));
        }
        while let Some(Reverse(Next { key, at, postings })) = next.pop() {
            let mut all = vec![postings];
            next.extend(segments[at].next(at, &mut self.aside)?.map(Reverse));
            while let Some(Reverse(same)) = next.peek().filter(|it| it.0.key == key) {
                let at = same.at;
                all.extend(next.pop().map(|it| it.0.postings));
                next.extend(segments[at].next(at, &mut self.aside)?.map(Reverse));
            }
            let text = String::from_utf16_lossy(&key);
            let list = numbers.list(&text, &all, &mut file)?;
            term(&text, &list)?;
        }
        Ok(())
    }
}

/// A reader of one segment.
struct Segment<P> {
    pieces: vec::IntoIter<P>,
    piece: vec::IntoIter<u8>,
}

/// The next term of a segment. Ordered by the term as in JavaScript, then by segment.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Next {
    key: Vec<u16>,
    at: usize,
    postings: Vec<u8>,
}

impl<P> Segment<P> {
    fn of(pieces: Vec<P>) -> Self {
        Self {
            pieces: pieces.into_iter(),
            piece: Vec::new().into_iter(),
        }
    }

    /// The next term; `None` at the end.
    fn next<A: Aside<Place = P>>(
        &mut self,
        at: usize,
        aside: &mut A,
    ) -> Result<Option<Next>, A::Error> {
        if self.piece.len() == 0 {
            let Some(place) = self.pieces.next() else {
                return Ok(None);
            };
            self.piece = aside.get(place)?.into_iter();
        }
        let mut text = || {
            let mut length = [0; size_of::<usize>()];
            length.fill_with(|| self.piece.next().unwrap_or_default());
            let text = self.piece.by_ref().take(usize::from_le_bytes(length));
            text.collect::<Vec<u8>>()
        };
        let key = String::from_utf8_lossy(&text()).encode_utf16().collect();
        let postings = text();
        Ok(Some(Next { key, at, postings }))
    }
}

/// The text numbers of a term by kind. Common terms have one for each text of the archive, so the older ones are written as soon as
/// there are enough of them, and the memory is used again for the next term.
#[derive(Default)]
struct Numbers([OfKind; Kind::COUNT]);

/// The text numbers of a kind.
#[derive(Default)]
struct OfKind {
    /// Those that are in no file, oldest first.
    newest: Vec<u32>,
    files: usize,
    /// The first number of the last file.
    before: u32,
    /// The first number of each file, as a gap to the one before it, in digits.
    firsts: String,
}

impl Numbers {
    /// The list of the term with these postings, oldest segment first. Calls `file` for each file of older texts.
    fn list<E>(
        &mut self,
        term: &str,
        postings: &[Vec<u8>],
        file: &mut impl FnMut(&str, &str) -> Result<(), E>,
    ) -> Result<List, E> {
        let name = parts::name(term);
        for bytes in postings {
            let (mut last, mut are_of_runs) = (0, false);
            let (mut value, mut shift) = (0_usize, 0);
            for byte in bytes {
                value |= usize::from(byte & 0x7f) << shift;
                shift += 7;
                if *byte < 0x80 {
                    let kind = value % Kind::COUNT;
                    let is_of_runs = kind >= Kind::Run as usize;
                    if is_of_runs != are_of_runs {
                        (are_of_runs, last) = (is_of_runs, 0);
                    }
                    last += u32::try_from(value / Kind::COUNT).unwrap_or(u32::MAX);
                    if let Some((at, older)) = self.0[kind].push(last) {
                        file(&format!("{name}-{kind}-{at}"), &older)?;
                    }
                    (value, shift) = (0, 0);
                }
            }
        }
        let mut list = String::new();
        let mut is_long = false;
        for (kind, numbers) in self.0.iter_mut().enumerate() {
            is_long |= numbers.files > 0;
            numbers.write_to(&mut list, kind);
        }
        Ok(if is_long {
            List::Long(list, name)
        } else {
            List::Whole(list)
        })
    }
}

impl OfKind {
    /// Adds a number. Returns the place and the text of a file if there are now enough older numbers for one.
    fn push(&mut self, number: u32) -> Option<(usize, String)> {
        self.newest.push(number);
        let first = *self.newest.first()?;
        if self.newest.len() < NEWEST + BLOCK {
            return None;
        }
        let mut older = String::new();
        descending(&mut older, &self.newest[..BLOCK]);
        self.newest.drain(..BLOCK);
        digits(&mut self.firsts, (first - self.before) as usize);
        self.before = first;
        self.files += 1;
        Some((self.files - 1, older))
    }

    /// Moves what is known of the kind to the end of a list.
    fn write_to(&mut self, list: &mut String, kind: usize) {
        if self.newest.is_empty() {
            return;
        }
        digits(list, kind * 2 + usize::from(self.files > 0));
        digits(list, self.newest.len());
        descending(list, &self.newest);
        if self.files > 0 {
            digits(list, self.files);
            list.push_str(&self.firsts);
        }
        self.newest.clear();
        self.firsts.clear();
        (self.files, self.before) = (0, 0);
    }
}

/// The cache slot of a term. The high bits of the product differ even for terms that differ in one letter.
#[allow(clippy::cast_possible_truncation, reason = "both halves are taken")]
const fn mixed(term: u128) -> usize {
    let both = (term >> 64) as u64 ^ (term as u64).rotate_left(29);
    let bits = KNOWN.trailing_zeros();
    (both.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits)) as usize
}

impl Postings {
    /// Adds a text, and returns the number of bytes added.
    fn push(&mut self, kind: Kind, number: u32) -> usize {
        let is_of_runs = kind as usize >= Kind::Run as usize;
        if is_of_runs != self.is_of_runs {
            (self.is_of_runs, self.last) = (is_of_runs, 0);
        } else if number <= self.last && !self.bytes.is_empty() {
            // Already added by `add_all`.
            return 0;
        }
        let before = self.bytes.len();
        let mut left = (number - self.last) as usize * Kind::COUNT + kind as usize;
        self.last = number;
        while let Some(more) = Some(left >> 7).filter(|more| *more > 0) {
            self.bytes.push(low(left) | 0x80);
            left = more;
        }
        self.bytes.push(low(left));
        self.bytes.len() - before
    }
}

/// The last seven bits.
#[allow(clippy::cast_possible_truncation, reason = "seven bits fit")]
const fn low(number: usize) -> u8 {
    (number & 0x7f) as u8
}

/// Writes ascending numbers in descending order: the last number, then the gaps.
pub fn descending(out: &mut String, numbers: &[u32]) {
    let mut after = None;
    for number in numbers.iter().rev() {
        let distance = after.map_or(*number, |after: u32| after - number);
        digits(out, distance as usize);
        after = Some(*number);
    }
}

/// Writes a number, low digits first.
pub fn digits(out: &mut String, mut number: usize) {
    loop {
        let low = number % 32;
        number /= 32;
        let more = if number > 0 { 32 } else { 0 };
        out.push(char::from(DIGITS[low + more]));
        if number == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::render::terms::tests::written;

    /// Reads numbers back.
    fn numbers(text: &str) -> Vec<usize> {
        let (mut all, mut value, mut shift) = (Vec::new(), 0, 0);
        for byte in text.bytes() {
            let digit = DIGITS.iter().position(|each| *each == byte);
            let digit = digit.expect("a digit");
            value |= (digit & 31) << shift;
            shift += 5;
            if digit < 32 {
                all.push(value);
                (value, shift) = (0, 0);
            }
        }
        all
    }

    fn texts(gaps: &[usize]) -> Vec<usize> {
        let mut all: Vec<usize> = Vec::new();
        for gap in gaps {
            all.push(all.last().map_or(*gap, |last| last - gap));
        }
        all
    }

    /// Pieces in memory.
    #[derive(Debug, Default)]
    struct Pieces(Vec<Vec<u8>>);

    impl Aside for Pieces {
        type Place = usize;
        type Error = ();

        fn put(&mut self, piece: &[u8]) -> Result<usize, ()> {
            self.0.push(piece.to_vec());
            Ok(self.0.len() - 1)
        }

        fn get(&mut self, place: usize) -> Result<Vec<u8>, ()> {
            self.0.get(place).cloned().ok_or(())
        }
    }

    fn index() -> Index<Pieces> {
        Index::new(Pieces::default())
    }

    /// The texts of each term by kind, newest first, and the files of long lists.
    type Read = (BTreeMap<String, BTreeMap<usize, Vec<usize>>>, Vec<String>);

    fn read(index: Index<Pieces>) -> Read {
        let (mut terms, mut files) = (Vec::new(), BTreeMap::new());
        let done: Result<(), ()> = index.finish(
            |term, list| {
                let (list, name) = match list {
                    List::Whole(list) => (list.clone(), String::new()),
                    List::Long(list, name) => (list.clone(), name.clone()),
                };
                terms.push((term.to_owned(), list, name));
                Ok(())
            },
            |name, body| {
                files.insert(name.to_owned(), body.to_owned());
                Ok(())
            },
        );
        done.expect("nothing fails");
        let mut all = BTreeMap::new();
        for (term, list, name) in terms {
            let list = numbers(&list);
            let (mut at, mut kinds) = (0, BTreeMap::new());
            while at < list.len() {
                let (head, size) = (list[at], list[at + 1]);
                at += 2;
                let mut found = texts(&list[at..at + size]);
                at += size;
                if head % 2 == 1 {
                    let blocks = list[at];
                    for block in (0..blocks).rev() {
                        let body = &files[&format!("{name}-{}-{block}", head / 2)];
                        let older = texts(&numbers(body));
                        let from: usize = list[at + 1..=at + 1 + block].iter().sum();
                        assert_eq!((older.len(), older.last()), (BLOCK, Some(&from)));
                        found.extend(older);
                    }
                    at += 1 + blocks;
                }
                kinds.insert(head / 2, found);
            }
            assert!(all.insert(term, kinds).is_none());
        }
        (all, files.into_keys().collect())
    }

    const OF_RUNS: [Kind; 3] = [Kind::Run, Kind::Failure, Kind::Writeup];

    proptest! {
        #[test]
        fn each_term_leads_to_the_texts_that_have_it_newest_first(
            given in prop::collection::vec((0..3_usize, 1..400_u32, "[a-d é测试案✓]{0,12}"), 0..80),
        ) {
            let (mut index, mut apart) = (index(), index());
            apart.most = 2 * TERM;
            let mut expected: BTreeMap<String, BTreeMap<usize, Vec<usize>>> = BTreeMap::new();
            let mut number = 0;
            for (kind, gap, text) in &given {
                number += gap;
                let kind = OF_RUNS[*kind];
                for index in [&mut index, &mut apart] {
                    index.add(kind, number, &[text, text]);
                    prop_assert_eq!(index.make_room(), Ok(()));
                    prop_assert!(index.held < index.most);
                }
                terms::each(text, |term| {
                    let texts = expected.entry(written(term)).or_default();
                    let texts = texts.entry(kind as usize).or_default();
                    if texts.first() != Some(&(number as usize)) {
                        texts.insert(0, number as usize);
                    }
                });
            }
            prop_assert_eq!(read(apart), (expected.clone(), Vec::new()));
            prop_assert_eq!(read(index), (expected, Vec::new()));
        }
    }

    #[test]
    fn the_older_texts_of_a_long_list_are_in_files_that_stay_as_they_are() {
        let of = |texts: u32| {
            let mut index = index();
            index.add_weighed(Kind::Page, 3, ["Rare word", "", "common common"]);
            for number in 0..texts {
                let rare = if number == 7 { "rare" } else { "" };
                index.add(Kind::Run, number * 3, &["common", rare]);
            }
            index
        };
        let (terms, files) = read(of(10_000));
        let expected: Vec<usize> = (0..10_000).rev().map(|number| number * 3).collect();
        assert_eq!(terms["common"][&4], expected);
        assert_eq!(terms["common"][&3], [3 * 4 + 1], "a word of a text");
        assert_eq!(terms["rare"][&3], [3 * 4 + 3], "a word of a title");
        assert_eq!(terms["rare"][&4], [21]);
        assert_eq!(files.len(), 2);
        assert_eq!(read(of(10_500)).1, files);
    }

    #[test]
    fn terms_that_were_set_aside_give_the_lists_of_those_in_memory() {
        let of = |most: usize| {
            let mut index = index();
            index.most = most;
            index.add_weighed(Kind::Page, 3, ["Rare word", "", "common common"]);
            for number in 0..10_000 {
                // Terms of all lengths, some of them in every run and some of them in one.
                let own = format!(
                    "{number} {}",
                    "\u{e9}\u{1f680}x".repeat(number as usize % 9)
                );
                index.add(Kind::Run, number * 3, &["common", &own]);
                index.add(Kind::Failure, number * 3 + 1, &["common"]);
                index.make_room().expect("room");
            }
            let pieces = index.segments.iter().map(Vec::len).sum::<usize>();
            (pieces, read(index))
        };
        let ((none, expected), (some, aside)) = (of(usize::MAX), of(100_000));
        assert_eq!(aside, expected);
        assert!(none == 0 && some > 5, "{some}");
    }

    #[test]
    fn short_and_long_terms_are_one_index() {
        let long = "0123456789abcdefg";
        let mut index = index();
        index.add(Kind::Run, 1, &[long, "b"]);
        index.add(Kind::Run, 2, &[&long[..16], long, "a"]);
        let (terms, _) = read(index);
        assert_eq!(terms[long][&4], [2, 1]);
        assert_eq!(terms[&long[..16]][&4], [2]);
        assert_eq!(terms.len(), 4);
    }

    #[test]
    fn words_of_all_texts_of_a_run_are_added_at_once() {
        let shared = "a b of 0123456789abcdefg";
        let own = ["of a", "c", "d b \u{6e2c}", "", "c of e"];
        let (mut at_once, mut each) = (index(), index());
        let mut number = 0;
        for run in 0..700 {
            let words = format!("{shared} run{run}");
            let numbers = number..number + 5;
            let all: Vec<_> = numbers.map(|at| (OF_RUNS[at as usize % 3], at)).collect();
            at_once.add_all(&all, &words);
            for ((kind, at), text) in all.iter().zip(own) {
                at_once.add(*kind, *at, &[text]);
                each.add(*kind, *at, &[text, &words]);
            }
            number += 5;
        }
        assert_eq!(read(at_once), read(each));
    }

    #[test]
    fn terms_are_in_the_order_of_a_browser_in_memory_and_aside() {
        // A term outside of the basic plane is two surrogates, which are before U+FB50.
        for most in [usize::MAX, 1] {
            let mut index = index();
            index.most = most;
            for (number, text) in (1..).zip(["b \u{fb50} a", "a", "é \u{1f680} 10 b"]) {
                index.add(Kind::Run, number, &[text]);
                index.make_room().expect("room");
            }
            let mut all = Vec::new();
            let done = index.finish(
                |term, _| {
                    all.push(term.to_owned());
                    Ok(())
                },
                |_, _| Ok(()),
            );
            assert_eq!(done, Ok(()));
            assert_eq!(all, ["10", "a", "b", "e", "\u{1f680}", "\u{fb50}"]);
        }
    }
}
