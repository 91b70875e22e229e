//! Ways to damage a file: by a disk, an editor, an incomplete copy or by hand.

use proptest::prelude::*;
use proptest::sample::Index;

/// One change to a file.
#[derive(Debug, Clone)]
pub(crate) enum Mutation {
    /// Flips one bit.
    Flip(Index, u8),
    /// Replaces a byte.
    Replace(Index, u8),
    /// Deletes some bytes.
    Delete(Index, usize),
    /// Inserts bytes.
    Insert(Index, Vec<u8>),
    /// Truncates the file.
    Truncate(Index),
    /// Repeats a line.
    Duplicate(Index),
    /// Swaps two lines.
    Swap(Index, Index),
    /// Deletes a line.
    Drop(Index),
    /// Inserts a piece of another file.
    Splice(Index, Index, Index, usize),
}

/// Fragments with a meaning in one of the formats.
const PIECES: [&str; 24] = [
    "\"",
    "\\",
    "\\u",
    "\\ud83d",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "-1",
    "1e999",
    "18446744073709551616",
    "\n",
    "\r\n",
    "\n\n",
    "\u{feff}",
    "#",
    "---\n",
    "\u{202e}",
    "\0",
    "<script>",
    "[a](javascript:b)",
];

/// Any change.
pub(crate) fn mutation() -> impl Strategy<Value = Mutation> {
    use Mutation::{Delete, Drop, Duplicate, Flip, Insert, Replace, Splice, Swap, Truncate};
    let at = any::<Index>;
    let piece = prop_oneof![
        prop::sample::select(PIECES.to_vec()).prop_map(|piece| piece.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 1..4),
    ];
    prop_oneof![
        3 => (at(), 0_u8..8).prop_map(|(at, bit)| Flip(at, bit)),
        2 => (at(), any::<u8>()).prop_map(|(at, byte)| Replace(at, byte)),
        2 => (at(), 1_usize..40).prop_map(|(at, count)| Delete(at, count)),
        3 => (at(), piece).prop_map(|(at, piece)| Insert(at, piece)),
        1 => at().prop_map(Truncate),
        1 => at().prop_map(Duplicate),
        1 => (at(), at()).prop_map(|(one, other)| Swap(one, other)),
        1 => at().prop_map(Drop),
        1 => (at(), at(), at(), 1_usize..200).prop_map(|(at, file, from, count)| Splice(at, file, from, count)),
    ]
}

impl Mutation {
    /// The bytes after the change. A splice takes from `others`.
    pub(crate) fn apply(&self, bytes: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
        let mut new = bytes.to_vec();
        let place = |at: &Index| at.index(bytes.len() + 1);
        match self {
            Self::Insert(at, piece) => {
                drop(new.splice(place(at)..place(at), piece.iter().copied()));
            }
            Self::Truncate(at) => new.truncate(place(at)),
            Self::Splice(at, file, from, count) => {
                let other = &others[file.index(others.len())];
                let start = from.index(other.len() + 1);
                let piece = other[start..].iter().take(*count).copied();
                new.splice(place(at)..place(at), piece.collect::<Vec<u8>>());
            }
            _ if bytes.is_empty() => {}
            Self::Flip(at, bit) => new[at.index(bytes.len())] ^= 1 << bit,
            Self::Replace(at, byte) => new[at.index(bytes.len())] = *byte,
            Self::Delete(at, count) => {
                let start = at.index(bytes.len());
                new.drain(start..bytes.len().min(start + count));
            }
            Self::Duplicate(_) | Self::Swap(..) | Self::Drop(_) => {
                let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
                let count = lines.len();
                match self {
                    Self::Duplicate(at) => lines.insert(at.index(count), lines[at.index(count)]),
                    Self::Swap(one, other) => lines.swap(one.index(count), other.index(count)),
                    Self::Drop(at) => drop(lines.remove(at.index(count))),
                    _ => {}
                }
                new = lines.concat();
            }
        }
        new
    }
}
