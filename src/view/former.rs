//! The pages at addresses that runs have left: of a run that has moved, is set aside or was withdrawn.

use std::collections::{BTreeMap, btree_map};

use serde::Serialize;

use crate::ledger::{Known, Ledger, Named, Withdrawn};

use super::changes::RunView;
use crate::links;

/// What is at an address that a run had.
#[derive(Debug)]
pub enum FormerAddress {
    /// It is elsewhere.
    Moved(MovedPage),
    /// It is not published any more.
    Withdrawn(WithdrawnPage),
}

/// The page at the former address of a run.
#[derive(Debug, Serialize)]
pub struct MovedPage {
    /// The run as it was at this address.
    pub was: RunView,
    /// The run as it is, with its address; none while its files have errors.
    pub now: Option<RunView>,
    pub id: String,
    /// Path of the page that it has now.
    #[serde(skip)]
    pub canonical: Option<String>,
}

/// The page at the address of a withdrawn run.
#[derive(Debug, Serialize)]
pub struct WithdrawnPage {
    pub run: RunView,
    pub id: String,
}

/// The pages at addresses that runs have left, by path. `taken` are the pages that runs have now, with the id of each run;
/// those that are found are added to them.
pub fn pages(
    ledger: &Ledger,
    taken: &mut BTreeMap<String, String>,
) -> Vec<(String, FormerAddress)> {
    let known = ledger.runs.iter().map(|known| (&*known.run.id, known));
    let known: BTreeMap<&str, &Known> = known.collect();
    let gone = ledger.withdrawn.iter().map(|gone| (&*gone.run.id, gone));
    let gone: BTreeMap<&str, &Withdrawn> = gone.collect();
    // An address that a run has moved from was its own after whoever was withdrawn from there.
    let aside = ledger.runs.iter().filter(|known| known.quarantined);
    let aside = aside.map(|known| &known.run);
    let withdrawn = ledger.withdrawn.iter().map(|withdrawn| &withdrawn.run);
    let mut pages = Vec::new();
    for was in ledger.moved.iter().chain(aside).chain(withdrawn) {
        let path = ledger.page(was);
        let page = match (known.get(&*was.id), gone.get(&*was.id)) {
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

fn moved(ledger: &Ledger, was: &Named, known: &Known, path: &str) -> MovedPage {
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
