//! The owners of addresses. The ledger has the names of runs, and digests of everything else.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use formats::model::archive::GroupBy;
use formats::model::digests::short_digest;
use formats::model::slug::name_slugs;

use super::{Ledger, RunNames};

/// The folder of the pages of runs.
const RUNS: &str = "runs";

/// The owners of addresses: a digest of the name for a digest of the address. The ledger repeats no name that was corrected or
/// that is not published, so it has no names here.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct AddressOwners(BTreeMap<String, String>);

impl AddressOwners {
    /// Whether there are no owners.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the address of a case, model or harness belongs to this name; `None` if it belongs to nobody.
    pub fn is_of_name(&self, group_by: GroupBy, slug: &str, name: &str) -> Option<bool> {
        self.is_of(group_by.folder(), slug, name)
    }

    /// Whether the address of a run that was never published belongs to the run of this id; `None` if it belongs to nobody.
    pub fn is_of_run(&self, slug: &str, id: &str) -> Option<bool> {
        self.is_of(RUNS, slug, id)
    }

    /// Gives the address of a case, model or harness to a name, unless it has an owner.
    pub fn add_name(&mut self, group_by: GroupBy, slug: &str, name: &str) {
        self.add(group_by.folder(), slug, name);
    }

    /// Gives the address of a run that was never published to its id, unless it has an owner.
    pub fn add_run(&mut self, slug: &str, id: &str) {
        self.add(RUNS, slug, id);
    }

    /// Adds the owners of a later build. An address keeps its earlier owner.
    pub(super) fn extend(&mut self, later: Self) {
        for (address, owner) in later.0 {
            self.0.entry(address).or_insert(owner);
        }
    }

    /// Chooses the address of each case, model or harness: its present address, or else the first that is free.
    pub fn choose_slugs(
        &self,
        group_by: GroupBy,
        names: &BTreeSet<&str>,
    ) -> BTreeMap<String, String> {
        let mut slugs: BTreeMap<String, String> = BTreeMap::new();
        let mut new = Vec::new();
        for name in names {
            let candidates = name_slugs(name).into_iter();
            let mut own = candidates.filter(|slug| !slug.is_empty());
            let own = own.find(|slug| self.is_of_name(group_by, slug, name) == Some(true));
            match own {
                Some(slug) => drop(slugs.insert((*name).to_owned(), slug)),
                None => new.push(*name),
            }
        }
        let mut taken: BTreeSet<String> = slugs.values().cloned().collect();
        for name in new {
            let candidates = name_slugs(name).into_iter();
            let mut free = candidates.filter(|slug| {
                let is_owned = self.is_of_name(group_by, slug, name).is_some();
                !slug.is_empty() && !is_owned && !taken.contains(slug)
            });
            let slug = free.next().unwrap_or_default();
            taken.insert(slug.clone());
            slugs.insert(name.to_owned(), slug);
        }
        slugs
    }

    /// Adds the addresses that an earlier version, which did not write them down, gave to the cases, models and harnesses of runs.
    pub(super) fn add_unlisted<'a>(&mut self, runs: &(impl Iterator<Item = &'a RunNames> + Clone)) {
        for group_by in GroupBy::ALL {
            let names = runs.clone().map(|run| match group_by {
                GroupBy::Case => &*run.test_case_slug,
                GroupBy::Model => &*run.model_id,
                GroupBy::Harness => &*run.harness_slug,
            });
            for (name, slug) in self.choose_slugs(group_by, &names.collect()) {
                self.add_name(group_by, &slug, &name);
            }
        }
    }

    fn is_of(&self, folder: &str, slug: &str, name: &str) -> Option<bool> {
        let owner = self.0.get(&digest(folder, slug))?;
        Some(*owner == digest(folder, name))
    }

    fn add(&mut self, folder: &str, slug: &str, name: &str) {
        let address = self.0.entry(digest(folder, slug));
        address.or_insert_with(|| digest(folder, name));
    }
}

fn digest(folder: &str, name: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(folder.as_bytes());
    hasher.update(b"/");
    hasher.update(name.as_bytes());
    short_digest(&hasher.finalize())
}

impl Ledger {
    /// The id of the run to which each address belongs, by slug. Earlier versions gave one address to several runs, one after the
    /// other: it belongs to the run whose page is there now.
    pub fn owners(&self) -> BTreeMap<&str, &str> {
        let withdrawn = self.withdrawn.iter().rev().map(|gone| &gone.run);
        let published = self.runs.iter().map(|known| &known.run);
        let all = withdrawn.chain(&self.moved).chain(published);
        all.map(|run| (&*run.slug, &*run.id)).collect()
    }

    /// The names of a run when it was last published; `None` if it never was.
    pub fn last_names(&self, id: &str) -> Option<&RunNames> {
        let published = self.find(id).map(|known| &known.run);
        published.or_else(|| self.withdrawn_run(id).map(|gone| &gone.run))
    }
}
