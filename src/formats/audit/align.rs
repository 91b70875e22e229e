//! Aligns two lists of digests: what is between the equal parts differs. The cost has a bound.

use std::ops::Range;

use super::digest::Digest;

/// Most differences that are looked for in one part.
const MAX_DIFFERENCES: usize = 512;

/// A part in which the lists have nothing in common, or too many differences to find what they have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Gap {
    pub(super) derived: Range<usize>,
    pub(super) recorded: Range<usize>,
}

/// The gaps between the equal parts of two lists, in order.
pub(super) fn gaps(derived: &[Digest], recorded: &[Digest]) -> Vec<Gap> {
    let whole = Gap {
        derived: 0..derived.len(),
        recorded: 0..recorded.len(),
    };
    let whole = trimmed(whole, derived, recorded);
    let mut gaps = Vec::new();
    if !shortest(&whole, derived, recorded, &mut gaps) {
        for part in parts(&whole, derived, recorded) {
            let part = trimmed(part, derived, recorded);
            if !shortest(&part, derived, recorded, &mut gaps) {
                gaps.push(part);
            }
        }
    }
    gaps
}

/// The gap without equal starts and ends.
fn trimmed(mut gap: Gap, derived: &[Digest], recorded: &[Digest]) -> Gap {
    let starts = derived[gap.derived.clone()].iter();
    let starts = starts.zip(&recorded[gap.recorded.clone()]);
    let start = starts.take_while(|(a, b)| a == b).count();
    gap.derived.start += start;
    gap.recorded.start += start;
    let ends = derived[gap.derived.clone()].iter().rev();
    let ends = ends.zip(recorded[gap.recorded.clone()].iter().rev());
    let end = ends.take_while(|(a, b)| a == b).count();
    gap.derived.end -= end;
    gap.recorded.end -= end;
    gap
}

/// Splits a gap with the greedy algorithm of Myers, and adds the gaps in it. False if there are too many differences.
fn shortest(gap: &Gap, derived: &[Digest], recorded: &[Digest], gaps: &mut Vec<Gap>) -> bool {
    let (a, b) = (
        &derived[gap.derived.clone()],
        &recorded[gap.recorded.clone()],
    );
    if a.is_empty() || b.is_empty() {
        if !(a.is_empty() && b.is_empty()) {
            gaps.push(gap.clone());
        }
        return true;
    }
    // `reached[d][k]` is how far in `a` a path with `d` differences gets on diagonal `2k - d`.
    let mut reached: Vec<Vec<usize>> = Vec::new();
    for d in 0..=MAX_DIFFERENCES.min(a.len() + b.len()) {
        let mut row = Vec::with_capacity(d + 1);
        for k in 0..=d {
            let before = reached.last();
            let below = before.and_then(|row| row.get(k).copied());
            let left = before.and_then(|row| row.get(k.checked_sub(1)?).map(|x| x + 1));
            let mut x = below.max(left).unwrap_or(0);
            // On diagonal `x - y`, which is `2k - d`.
            let mut y = (x + d).saturating_sub(2 * k);
            while x < a.len() && y < b.len() && a[x] == b[y] {
                x += 1;
                y += 1;
            }
            row.push(x);
            if x >= a.len() && y >= b.len() {
                reached.push(row);
                split(gap, &reached, k, gaps);
                return true;
            }
        }
        reached.push(row);
    }
    false
}

/// Follows the path back from its end on diagonal `k`.
fn split(gap: &Gap, reached: &[Vec<usize>], mut k: usize, gaps: &mut Vec<Gap>) {
    let mut found: Vec<Gap> = Vec::new();
    for d in (1..reached.len()).rev() {
        let before = &reached[d - 1];
        let below = before.get(k).copied();
        let left = k.checked_sub(1).and_then(|k| before.get(k).copied());
        let (x, y, end) = if left.map(|x| x + 1) > below {
            // A derived event without a recorded one.
            k -= 1;
            let x = left.unwrap_or(0);
            let y = (x + d - 1).saturating_sub(2 * k);
            (x, y, (x + 1, y))
        } else {
            let x = below.unwrap_or(0);
            let y = (x + d - 1).saturating_sub(2 * k);
            (x, y, (x, y + 1))
        };
        let one = Gap {
            derived: gap.derived.start + x..gap.derived.start + end.0,
            recorded: gap.recorded.start + y..gap.recorded.start + end.1,
        };
        match found.last_mut() {
            Some(next) if touches(&one, next) => {
                next.derived.start = one.derived.start;
                next.recorded.start = one.recorded.start;
            }
            _ => found.push(one),
        }
    }
    gaps.extend(found.into_iter().rev());
}

fn touches(a: &Gap, b: &Gap) -> bool {
    a.derived.end == b.derived.start && a.recorded.end == b.recorded.start
}

/// Splits a gap at the digests that are unique in both lists and in the same order there.
fn parts(gap: &Gap, derived: &[Digest], recorded: &[Digest]) -> Vec<Gap> {
    let (a, b) = (
        unique(derived, &gap.derived),
        unique(recorded, &gap.recorded),
    );
    let mut common = Vec::new();
    let mut b = b.into_iter().peekable();
    for (digest, x) in a {
        while b.next_if(|(other, _)| *other < digest).is_some() {}
        common.extend(
            b.next_if(|(other, _)| *other == digest)
                .map(|(_, y)| (x, y)),
        );
    }
    common.sort_unstable();
    let mut parts = Vec::new();
    let mut start = (gap.derived.start, gap.recorded.start);
    let end = (gap.derived.end, gap.recorded.end);
    for (x, y) in rising(&common).into_iter().chain([end]) {
        parts.push(Gap {
            derived: start.0..x,
            recorded: start.1..y,
        });
        start = (x + 1, y + 1);
    }
    parts
}

/// The digests that are once in a part of a list, sorted, with their positions.
fn unique(digests: &[Digest], part: &Range<usize>) -> Vec<(Digest, usize)> {
    let mut all: Vec<_> = part.clone().map(|at| (digests[at], at)).collect();
    all.sort_unstable();
    let groups = all.chunk_by(|a, b| a.0 == b.0);
    groups
        .filter(|group| group.len() == 1)
        .map(|group| group[0])
        .collect()
}

/// The longest part of these pairs in which both numbers rise; the first ones rise already.
fn rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The last pair of the best list of each length, and the pair before each.
    let mut ends: Vec<usize> = Vec::new();
    let mut before = vec![None; pairs.len()];
    for (at, (_, y)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *y);
        before[at] = length.checked_sub(1).map(|length| ends[length]);
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let chain = std::iter::successors(ends.last().copied(), |at| before[*at]);
    let mut longest: Vec<_> = chain.map(|at| pairs[at]).collect();
    longest.reverse();
    longest
}

#[cfg(test)]
mod tests {
    use super::{Digest, Gap, gaps};

    fn found(a: &[Digest], b: &[Digest]) -> Vec<((usize, usize), (usize, usize))> {
        let ends = |gap: Gap| {
            let (a, b) = (gap.derived, gap.recorded);
            ((a.start, a.end), (b.start, b.end))
        };
        gaps(a, b).into_iter().map(ends).collect()
    }

    #[test]
    fn gaps_are_what_is_between_equal_parts() {
        assert_eq!(found(&[1, 2, 3], &[1, 2, 3]), []);
        assert_eq!(found(&[1, 2, 3], &[1, 3]), [((1, 2), (1, 1))]);
        assert_eq!(found(&[1, 2, 3], &[1, 9, 3]), [((1, 2), (1, 2))]);
        assert_eq!(
            found(&[1, 2, 3], &[3, 1, 2]),
            [((0, 0), (0, 1)), ((2, 3), (3, 3))]
        );
        assert_eq!(found(&[], &[1]), [((0, 0), (0, 1))]);
    }

    #[test]
    fn a_long_list_with_two_differences_has_two_gaps() {
        let derived: Vec<Digest> = (0..200_000).map(|at| at % 7).collect();
        let mut recorded = derived.clone();
        recorded.remove(150_000);
        recorded.insert(50_000, 99);
        let gaps = gaps(&derived, &recorded);
        assert_eq!(gaps.len(), 2);
        assert_eq!(gaps[0].recorded, 50_000..50_001);
        assert_eq!(gaps[1].derived.len() + gaps[1].recorded.len(), 1);
    }

    #[test]
    fn many_differences_are_found_between_unique_events() {
        let derived: Vec<Digest> = (0..100_000).collect();
        let changed = |at: &Digest| if at % 10 == 3 { at + 1_000_000 } else { *at };
        let recorded: Vec<Digest> = derived.iter().map(changed).collect();
        assert_eq!(gaps(&derived, &recorded).len(), 10_000);
        let others: Vec<Digest> = (500_000..600_000).collect();
        assert_eq!(found(&derived, &others), [((0, 100_000), (0, 100_000))]);
    }
}
