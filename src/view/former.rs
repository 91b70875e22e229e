//! Pages at former addresses of runs: moved, quarantined or withdrawn.

use std::collections::{BTreeMap, btree_map};

use serde::Serialize;

use crate::ledger::{Held, Ledger, Named};

use super::changes::RunView;
use crate::links;

/// The page at a former address of a run.
#[derive(Debug)]
pub enum FormerAddress {
    /// The run has a new address.
    Moved(MovedPage),
    /// The run is no longer published.
    Withdrawn(WithdrawnPage),
}

/// The page at the former address of a run.
#[derive(Debug, Serialize)]
pub struct MovedPage {
    /// The run as it was at this address.
    pub was: RunView,
    /// The run now, with its address; `None` while its files have errors.
    pub now: Option<RunView>,
    pub id: String,
    /// Path of its current page.
    #[serde(skip)]
    pub canonical: Option<String>,
}

/// The page at the address of a withdrawn run.
#[derive(Debug, Serialize)]
pub struct WithdrawnPage {
    pub run: RunView,
    pub id: String,
}

/// The pages at former addresses, by path. `taken` has the current page at each address that the ledger names,
/// with the id of its run, and gets the pages found here.
pub fn pages(
    ledger: &Ledger,
    taken: &mut BTreeMap<String, String>,
) -> Vec<(String, FormerAddress)> {
    // Moved runs take precedence: a run that moved away had the address after one that was withdrawn from it.
    let aside = ledger.runs.iter().filter(|known| known.quarantined);
    let aside = aside.map(|known| &known.run);
    let withdrawn = ledger.withdrawn.iter().map(|withdrawn| &withdrawn.run);
    let mut pages = Vec::new();
    for was in ledger.moved.iter().chain(aside).chain(withdrawn) {
        let path = ledger.page(was);
        let page = match (ledger.find(&was.id), ledger.gone(&was.id)) {
            (Some(known), _) => FormerAddress::Moved(moved(ledger, was, known, &path)),
            (None, Some(withdrawn)) => FormerAddress::Withdrawn(WithdrawnPage {
                run: RunView {
                    reason: withdrawn.reason.clone(),
                    ..RunView::of(was)
                },
                id: was.id.to_string(),
            }),
            (None, None) => continue,
        };
        if let btree_map::Entry::Vacant(free) = taken.entry(path.clone()) {
            free.insert(was.id.to_string());
            pages.push((path, page));
        }
    }
    pages
}

fn moved(ledger: &Ledger, was: &Named, known: &Held, path: &str) -> MovedPage {
    let page = (!known.quarantined).then(|| ledger.page(&known.run));
    MovedPage {
        was: RunView::of(was),
        now: page.as_ref().map(|page| RunView {
            href: Some(format!("{}{page}", links::root(path))),
            ..RunView::of(&known.run)
        }),
        id: was.id.to_string(),
        canonical: page,
    }
}
