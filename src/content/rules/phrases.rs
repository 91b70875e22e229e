//! Finds which of many phrases occur in a text, in one pass (Aho–Corasick): the time does not depend on the number of phrases.

use std::collections::BTreeMap;

/// Up to this many phrases are searched one by one, which is faster.
const FEW: usize = 8;
/// Maximum bytes of phrases per pass: each takes some 40 bytes of memory.
const BATCH: usize = 4 << 20;

/// For each of `phrases`, whether the text contains it.
pub(super) fn contained(text: &str, phrases: &[&str]) -> Vec<bool> {
    let mut found = Vec::with_capacity(phrases.len());
    for batch in batches(phrases) {
        let mut search = PhraseSearch::new(batch);
        search.search_in(text);
        found.extend((0..batch.len()).map(|index| search.has(index)));
    }
    found
}

/// For each of `phrases`, the name of the first text that contains it; `texts` returns all texts in order, on every call.
pub(super) fn first_containing<N: Copy, T: Iterator<Item = (N, String)>>(
    phrases: &[&str],
    texts: impl Fn() -> T,
) -> Vec<Option<N>> {
    let mut first = Vec::with_capacity(phrases.len());
    for batch in batches(phrases) {
        let mut search = PhraseSearch::new(batch);
        let mut first_texts = vec![None; batch.len()];
        for (name, text) in texts() {
            search.search_in(&text);
            for (index, first_text) in first_texts.iter_mut().enumerate() {
                if first_text.is_none() && search.has(index) {
                    *first_text = Some(name);
                }
            }
            if first_texts.iter().all(Option::is_some) {
                break;
            }
        }
        first.append(&mut first_texts);
    }
    first
}

/// Splits phrases into batches for one pass.
fn batches<'p, 't>(phrases: &'p [&'t str]) -> impl Iterator<Item = &'p [&'t str]> {
    let mut rest = phrases;
    std::iter::from_fn(move || {
        let mut bytes = 0_usize;
        let fits = rest.iter().take_while(|phrase| {
            bytes = bytes.saturating_add(phrase.len());
            bytes <= BATCH
        });
        let count = fits.count().max(FEW).min(rest.len());
        let (batch, after) = rest.split_at(count);
        rest = after;
        (!batch.is_empty()).then_some(batch)
    })
}

/// A search that accumulates matches.
enum PhraseSearch<'t> {
    Few(Vec<(&'t str, bool)>),
    Many(Box<Trie>),
}

impl<'t> PhraseSearch<'t> {
    fn new(phrases: &[&'t str]) -> Self {
        if phrases.len() <= FEW {
            Self::Few(phrases.iter().map(|phrase| (*phrase, false)).collect())
        } else {
            Self::Many(Box::new(Trie::new(phrases)))
        }
    }

    fn search_in(&mut self, text: &str) {
        match self {
            Self::Few(phrases) => {
                for (phrase, found) in phrases.iter_mut().filter(|(_, found)| !found) {
                    *found = memchr::memmem::find(text.as_bytes(), phrase.as_bytes()).is_some();
                }
            }
            Self::Many(trie) => trie.search_in(text),
        }
    }

    fn has(&self, index: usize) -> bool {
        match self {
            Self::Few(phrases) => phrases[index].1,
            Self::Many(trie) => trie.found[trie.ends[index] as usize],
        }
    }
}

/// A trie of all phrases; node 0 is the root.
struct Trie {
    next: BTreeMap<(u32, u8), u32>,
    /// The longest proper suffix of each node that is also a node.
    suffixes: Vec<u32>,
    /// Nodes that matched.
    found: Vec<bool>,
    /// The node of each phrase.
    ends: Vec<u32>,
}

impl Trie {
    fn new(phrases: &[&str]) -> Self {
        let mut next = BTreeMap::new();
        let mut nodes = vec![(0, 0, 0)];
        let ends: Vec<u32> = phrases
            .iter()
            .map(|phrase| {
                phrase.bytes().zip(1_u32..).fold(0, |at, (byte, depth)| {
                    *next.entry((at, byte)).or_insert_with(|| {
                        nodes.push((depth, at, byte));
                        u32::try_from(nodes.len() - 1).unwrap_or_default()
                    })
                })
            })
            .collect();
        let mut trie = Self {
            next,
            suffixes: vec![0; nodes.len()],
            found: vec![false; nodes.len()],
            ends,
        };
        // Suffixes are shorter, so they are computed first.
        let mut order: Vec<usize> = (1..nodes.len()).collect();
        order.sort_by_key(|node| nodes[*node].0);
        for node in order {
            let (_, parent, byte) = nodes[node];
            if parent != 0 {
                trie.suffixes[node] = trie.step(trie.suffixes[parent as usize], byte);
            }
        }
        // The empty phrase matches everywhere.
        trie.found[0] = true;
        trie
    }

    /// The next node for a byte.
    fn step(&self, mut at: u32, byte: u8) -> u32 {
        loop {
            match self.next.get(&(at, byte)) {
                Some(next) => return *next,
                None if at == 0 => return 0,
                None => at = self.suffixes[at as usize],
            }
        }
    }

    fn search_in(&mut self, text: &str) {
        let mut at = 0;
        for byte in text.bytes() {
            at = self.step(at, byte);
            let mut node = at as usize;
            // A node that matched before is done, with all its suffixes.
            while !self.found[node] {
                self.found[node] = true;
                node = self.suffixes[node] as usize;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_phrases_are_found_as_each_alone_would_be() {
        let text = "aabab ü éab baab aaaaab the end";
        let phrases: Vec<String> = [
            "", "a", "b", "ab", "ba", "zz", "é", "ü é", "the end", "the ends",
        ]
        .into_iter()
        .map(str::to_owned)
        .chain((1..9).map(|n| "a".repeat(n)))
        .chain((1..9).map(|n| "a".repeat(n) + "b"))
        .chain(["a".to_owned(), "zz".to_owned()])
        .collect();
        let phrases: Vec<&str> = phrases.iter().map(String::as_str).collect();
        let expected: Vec<bool> = phrases.iter().map(|phrase| text.contains(phrase)).collect();
        assert_eq!(contained(text, &phrases), expected);
        for phrase in &phrases {
            assert_eq!(
                contained(text, &[phrase]),
                [text.contains(phrase)],
                "{phrase}"
            );
        }
    }

    #[test]
    fn the_first_text_that_holds_a_phrase_is_named() {
        let texts = ["one", "one two", "two three"];
        let named = || {
            texts
                .iter()
                .zip(1_u64..)
                .map(|(text, n)| (n, (*text).to_owned()))
        };
        let phrases = [
            "one", "two", "three", "four", "o", "e t", "t", "th", "wo", "two t",
        ];
        let expected: Vec<Option<u64>> = phrases
            .iter()
            .map(|phrase| {
                named()
                    .find(|(_, text)| text.contains(phrase))
                    .map(|(n, _)| n)
            })
            .collect();
        assert_eq!(first_containing(&phrases, named), expected);
        assert_eq!(first_containing(&phrases[..3], named), expected[..3]);
    }

    #[test]
    fn phrases_of_many_megabytes_are_looked_for_in_several_passes() {
        let long = "x".repeat(BATCH / 2);
        let phrases: Vec<&str> = [long.as_str(); 20].into_iter().chain(["y"]).collect();
        let sizes: Vec<usize> = batches(&phrases).map(<[&str]>::len).collect();
        assert_eq!(sizes, [8, 8, 5]);
        assert_eq!(batches(&[]).count(), 0);
    }
}
