//! The inverted index of search: a posting list for each term, in small files that are loaded one by one.
//!
//! A posting list has numbers of texts by kind, newest first, as gaps in digits of five bits. The older texts of a long list are in
//! separate files, so looking up a term costs the same in an archive of any size. These files are cut from the oldest text on, so
//! adding runs does not change them.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde::Serialize;

use super::parts;
use super::terms;
use crate::view::data::search::SearchKind;

/// Texts per file of a long list.
const BLOCK: usize = 4_096;
/// Minimum number of newest texts that stay in a long list itself.
const NEWEST: usize = 512;
/// A digit encodes five bits, and whether another digit follows.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The texts that have a term, by kind and number: those of runs after all others, and both in ascending order.
type Postings = Vec<(SearchKind, u32)>;

/// The index of all texts.
#[derive(Debug, Default)]
pub struct SearchIndex {
    terms: IndexMap<String, Postings>,
}

/// A posting list, as the script reads it.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum PostingList {
    /// All texts.
    Whole(String),
    /// The newest texts, and the name of the files with the others.
    Long(String, String),
}

impl SearchIndex {
    /// Adds texts of a run that share the same words. Numbers ascend; only later calls for the same run may repeat one.
    pub fn add_all(&mut self, texts: &[(SearchKind, u32)], words: &str) {
        terms::each(words, |term| {
            let postings = self.postings(term);
            for text in texts {
                if !postings.last().is_some_and(|last| is_known(*last, *text)) {
                    postings.push(*text);
                }
            }
        });
    }

    /// Adds words of a text of a run. Numbers ascend.
    pub fn add(&mut self, kind: SearchKind, number: u32, words: &[&str]) {
        for words in words {
            self.add_all(&[(kind, number)], words);
        }
    }

    /// Adds a text that belongs to no run; call it before adding runs. A word weighs more in the title, or if repeated.
    pub fn add_weighted(&mut self, kind: SearchKind, number: u32, [title, about, text]: [&str; 3]) {
        let mut weights: BTreeMap<String, u32> = BTreeMap::new();
        for (text, weight) in [(title, 100), (about, 4), (text, 1)] {
            terms::each(text, |term| {
                *weights.entry(term.to_owned()).or_default() += weight;
            });
        }
        for (term, sum) in weights {
            let weight = match sum {
                100.. => 3,
                4.. => 2,
                _ => 1,
            };
            self.postings(&term).push((kind, number * 4 + weight));
        }
    }

    fn postings(&mut self, term: &str) -> &mut Postings {
        let known = self.terms.get_index_of(term);
        let index = known.unwrap_or_else(|| {
            let (index, _) = self.terms.insert_full(term.to_owned(), Postings::default());
            index
        });
        &mut self.terms[index]
    }

    /// Calls `term` for each term and its list, in the order of strings in JavaScript, and `file` for each file of a long list.
    pub fn finish<E>(
        self,
        mut term: impl FnMut(&str, &PostingList) -> Result<(), E>,
        mut file: impl FnMut(&str, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut all: Vec<_> = self.terms.into_iter().collect();
        all.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
        all.into_iter()
            .try_for_each(|(text, postings)| term(&text, &list(&text, &postings, &mut file)?))
    }
}

/// Whether a text was already added, by a call of [`SearchIndex::add_all`] for several texts of the run.
fn is_known(last: (SearchKind, u32), (kind, number): (SearchKind, u32)) -> bool {
    let is_of_runs = |kind: SearchKind| kind as usize >= SearchKind::Run as usize;
    is_of_runs(last.0) == is_of_runs(kind) && number <= last.1
}

/// The list of a term. Calls `file` for each file of older texts.
fn list<E>(
    term: &str,
    postings: &Postings,
    file: &mut impl FnMut(&str, &str) -> Result<(), E>,
) -> Result<PostingList, E> {
    let name = parts::name(term);
    let mut list = String::new();
    let mut is_long = false;
    for kind in 0..SearchKind::COUNT {
        let of_kind = postings.iter().filter(|(of, _)| *of as usize == kind);
        let numbers: Vec<u32> = of_kind.map(|(_, number)| *number).collect();
        if numbers.is_empty() {
            continue;
        }
        let files = numbers.len().saturating_sub(NEWEST) / BLOCK;
        let (older, newest) = numbers.split_at(files * BLOCK);
        digits(&mut list, kind * 2 + usize::from(files > 0));
        digits(&mut list, newest.len());
        descending(&mut list, newest);
        if files > 0 {
            is_long = true;
            digits(&mut list, files);
        }
        let mut before = 0;
        for (at, numbers) in older.chunks(BLOCK).enumerate() {
            digits(&mut list, (numbers[0] - before) as usize);
            before = numbers[0];
            let mut text = String::new();
            descending(&mut text, numbers);
            file(&format!("{name}-{kind}-{at}"), &text)?;
        }
    }
    Ok(if is_long {
        PostingList::Long(list, name)
    } else {
        PostingList::Whole(list)
    })
}

/// Writes ascending numbers in descending order: the last number, then the gaps.
fn descending(out: &mut String, numbers: &[u32]) {
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

    /// The texts of each term by kind, newest first, and the files of long lists.
    type Contents = (BTreeMap<String, BTreeMap<usize, Vec<usize>>>, Vec<String>);

    fn read(index: SearchIndex) -> Contents {
        let (mut terms, mut files) = (Vec::new(), BTreeMap::new());
        let done: Result<(), ()> = index.finish(
            |term, list| {
                let (list, name) = match list {
                    PostingList::Whole(list) => (list.clone(), String::new()),
                    PostingList::Long(list, name) => (list.clone(), name.clone()),
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

    const OF_RUNS: [SearchKind; 3] = [SearchKind::Run, SearchKind::Failure, SearchKind::Writeup];

    proptest! {
        #[test]
        fn each_term_leads_to_the_texts_that_have_it_newest_first(
            given in prop::collection::vec((0..3_usize, 1..400_u32, "[a-d é测试案✓]{0,12}"), 0..80),
        ) {
            let mut index = SearchIndex::default();
            let mut expected: BTreeMap<String, BTreeMap<usize, Vec<usize>>> = BTreeMap::new();
            let mut number = 0;
            for (kind, gap, text) in &given {
                number += gap;
                let kind = OF_RUNS[*kind];
                index.add(kind, number, &[text, text]);
                terms::each(text, |term| {
                    let texts = expected.entry(term.to_owned()).or_default();
                    let texts = texts.entry(kind as usize).or_default();
                    if texts.first() != Some(&(number as usize)) {
                        texts.insert(0, number as usize);
                    }
                });
            }
            prop_assert_eq!(read(index), (expected, Vec::new()));
        }
    }

    #[test]
    fn the_older_texts_of_a_long_list_are_in_files_that_stay_as_they_are() {
        let of = |texts: u32| {
            let mut index = SearchIndex::default();
            index.add_weighted(SearchKind::Page, 3, ["Rare word", "", "common common"]);
            for number in 0..texts {
                let rare = if number == 7 { "rare" } else { "" };
                index.add(SearchKind::Run, number * 3, &["common", rare]);
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
    fn words_of_all_texts_of_a_run_are_added_at_once() {
        let shared = "a b of 0123456789abcdefg";
        let own = ["of a", "c", "d b \u{6e2c}", "", "c of e"];
        let (mut at_once, mut each) = (SearchIndex::default(), SearchIndex::default());
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
    fn terms_are_in_the_order_of_a_browser() {
        // A term outside of the basic plane is two surrogates, which are before U+FB50.
        let mut index = SearchIndex::default();
        for (number, text) in (1..).zip(["b \u{fb50} a", "a", "é \u{1f680} 10 b"]) {
            index.add(SearchKind::Run, number, &[text]);
        }
        let mut all = Vec::new();
        let done: Result<(), ()> = index.finish(
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
