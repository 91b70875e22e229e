//! The rules for the site's own prose: addresses must be free, and introductions need a run.

use std::collections::{BTreeMap, BTreeSet};

use crate::discover::ProseFile;
use base::diagnostics::text::quoted;
use base::diagnostics::{Diagnostic, Place, codes};
use formats::model::archive::{Archive, GroupBy};
use formats::page::ProseKind;

/// Checks the addresses of prose. `reserved` has the first path segments that the site uses itself.
#[must_use]
pub fn check_addresses<'a>(
    files: impl Iterator<Item = &'a ProseFile>,
    reserved: &BTreeSet<&str>,
) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let mut first: BTreeMap<(ProseKind, &str), &str> = BTreeMap::new();
    for ProseFile { at, kind, slug } in files {
        let path = &at.shown;
        if slug.is_empty() {
            problems.push(codes::PAGE_RESERVED_NAME.at(
                Place::file(path),
                "The file name has no letter from a to z and no digit, so the page has no address",
                "Rename the file; its `title` may use any script.",
            ));
        } else if *kind == ProseKind::Page && reserved.contains(slug.as_str()) {
            problems.push(codes::PAGE_RESERVED_NAME.at(
                Place::file(path),
                format!("The address {} is reserved", quoted(&format!("/{slug}/"))),
                "Rename the file.",
            ));
        }
        match first.get(&(*kind, slug.as_str())) {
            Some(other) => problems.push(codes::PAGE_DUPLICATE.at(
                Place::file(path),
                format!("The file {} has the same address", quoted(other)),
                "Rename one of the two.",
            )),
            None => {
                first.insert((*kind, slug), path);
            }
        }
    }
    problems
}

/// Warns of prose about a case, model or harness that no run has.
#[must_use]
pub fn check_unmatched<'a>(
    files: impl Iterator<Item = &'a ProseFile>,
    archive: &Archive,
) -> Vec<Diagnostic> {
    let slugs: BTreeSet<(GroupBy, &str)> = GroupBy::ALL
        .into_iter()
        .flat_map(|by| {
            archive
                .groups(by)
                .iter()
                .map(move |group| (by, &*group.slug))
        })
        .collect();
    files
        .filter_map(|ProseFile { at, kind, slug }| {
            let ProseKind::Group(group_by) = *kind else {
                return None;
            };
            let word = group_by.word();
            (!slugs.contains(&(group_by, slug))).then(|| {
                codes::PAGE_UNMATCHED.at(
                    Place::file(&at.shown),
                    format!("No run has a {word} with the slug {}", quoted(slug)),
                    format!("Rename the file to the slug of a {word}, or remove it."),
                )
            })
        })
        .collect()
}
