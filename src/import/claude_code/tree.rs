//! Finds the rows on abandoned branches: rows form a tree, and a user who goes back starts a new branch.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::super::draft::DraftEvent;

/// Id of a row, as its hash.
pub(super) type RowId = u128;

/// The hash of an id; `None` for none.
pub(super) fn row_id(uuid: Option<Cow<'_, str>>) -> Option<RowId> {
    uuid.map(|uuid| hash(&uuid))
}

pub(super) fn hash(text: &str) -> u128 {
    twox_hash::XxHash3_128::oneshot(text.as_bytes())
}

/// A row in the tree.
#[derive(Debug)]
pub(super) struct RowNode {
    pub(super) id: Option<RowId>,
    pub(super) parent: Option<RowId>,
    pub(super) events: Range<usize>,
    /// Its time, if the user wrote it.
    pub(super) typed: Option<String>,
}

/// Marks the events on abandoned branches.
pub(super) fn mark_branches(nodes: &[RowNode], events: &mut [DraftEvent]) {
    let mut known = BTreeMap::new();
    let mut parents = Vec::with_capacity(nodes.len());
    for (at, node) in nodes.iter().enumerate() {
        // A parent later in the file is ignored, which rules out cycles.
        parents.push(node.parent.and_then(|parent| known.get(&parent).copied()));
        if let Some(id) = node.id {
            known.entry(id).or_insert(at);
        }
    }
    // This is the last row reachable from each row.
    let mut last: Vec<usize> = (0..nodes.len()).collect();
    for at in (0..nodes.len()).rev() {
        if let Some(parent) = parents[at] {
            let parent: usize = parent;
            last[parent] = last[parent].max(last[at]);
        }
    }
    let abandoned = abandoned(nodes, &parents, &last);
    let mut labels: Vec<Option<usize>> = vec![None; nodes.len()];
    let mut count = 0;
    for (at, node) in nodes.iter().enumerate() {
        labels[at] = if abandoned[at] {
            count += 1;
            Some(count)
        } else {
            let before = if node.id.is_some() {
                parents[at]
            } else {
                at.checked_sub(1)
            };
            before.and_then(|before| labels[before])
        };
        if let Some(label) = labels[at] {
            for event in &mut events[node.events.clone()] {
                event.branch = Some(format!("b{label}"));
            }
        }
    }
}

/// The rows that begin an abandoned branch. Of sibling messages by the user, only the one with the latest descendant is kept.
/// Messages with the same time are a replay.
fn abandoned(nodes: &[RowNode], parents: &[Option<usize>], last: &[usize]) -> Vec<bool> {
    let mut forks: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, node) in nodes.iter().enumerate() {
        if let Some(parent) = parents[at].filter(|_| node.typed.is_some()) {
            forks.entry(parent).or_default().push(at);
        }
    }
    let mut abandoned = vec![false; nodes.len()];
    for at in 0..nodes.len() {
        let Some(children) = forks.get(&at).filter(|children| children.len() > 1) else {
            continue;
        };
        let living = children.iter().copied().max_by_key(|child| last[*child]);
        let Some(living) = living else { continue };
        let mut times = BTreeSet::from([&nodes[living].typed]);
        for child in children.iter().copied().filter(|child| *child != living) {
            abandoned[child] = times.insert(&nodes[child].typed);
        }
    }
    abandoned
}
