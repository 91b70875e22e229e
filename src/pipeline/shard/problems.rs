//! The diagnostics of shards and merges.

use std::path::Path;

use base::diagnostics::text::quoted;
use base::diagnostics::{Diagnostic, Place, codes};
use content::discover::Shard;
use pages::view::format;
use store::cache::CacheFault;
use store::publish::PART_FILE;

/// How many runs a message lists.
const MAX_LISTED: usize = 10;

/// The first [`MAX_LISTED`] names, and how many more there are: `a`, `b` and 3 more.
fn joined(names: &[&str]) -> String {
    let mut shown: Vec<String> = names
        .iter()
        .take(MAX_LISTED)
        .map(|name| quoted(name))
        .collect();
    let rest = names.len() - shown.len();
    if rest > 0 {
        shown.push(format!("{rest} more"));
    }
    let last = shown.pop().unwrap_or_default();
    if shown.is_empty() {
        last
    } else {
        format!("{} and {last}", shown.join(", "))
    }
}

/// This machine lacks the content of a run of the shard.
pub(super) fn shard_needs(shard: Shard, run: &str) -> Diagnostic {
    codes::SHARD_NEEDS_CONTENT.at(
        Place::file(run),
        format!("The content of this run of shard {shard} is missing; only its record is here"),
        "Copy the run directory into the content of this machine, or build this shard on another one.",
    )
}

/// A run must be rendered again, and its content is missing or changed.
pub(super) fn merge_needs(run: &str) -> Diagnostic {
    codes::MERGE_NEEDS_CONTENT.at(
        Place::file(run),
        "The pages of this run must be rendered again, but its content is missing or changed",
        "Copy the run directory into the content of this machine; or fix or remove the runs with errors, build all shards again, and merge.",
    )
}

/// How a part differs from the merged site.
#[derive(Debug, Clone, Copy)]
pub(super) enum PartDifference {
    Key,
    Settings,
    Templates,
    StaticFiles,
    Navigation,
    Records,
    Ledger,
}

pub(super) fn other(part: &str, difference: PartDifference) -> Diagnostic {
    let (code, what, help) = match difference {
        PartDifference::Key => (
            &codes::MERGE_OTHER_SETTINGS,
            "with a different `redaction.key`, or only one side has it",
            "Give all machines the same `redaction.key` beside site.toml, or none of them, and build the shards again.",
        ),
        PartDifference::Settings => (
            &codes::MERGE_OTHER_SETTINGS,
            "with different settings",
            "Build all shards and merge with the same site.toml, `--base-url` and `--keep-going`.",
        ),
        PartDifference::Templates => (
            &codes::MERGE_OTHER_SETTINGS,
            "with different templates",
            "Build all shards and merge with the same `templates/`.",
        ),
        PartDifference::StaticFiles => (
            &codes::MERGE_OTHER_SETTINGS,
            "with different static files",
            "Build all shards and merge with the same `static/`.",
        ),
        PartDifference::Navigation => (
            &codes::MERGE_OTHER_SETTINGS,
            "with different pages in the navigation",
            "Build all shards and merge with the same pages of prose and the same `--drafts`.",
        ),
        PartDifference::Records => (
            &codes::MERGE_OTHER_RECORDS,
            "from different records",
            "Give every shard and the merge the records of all runs, as content or with `--records`, and build the shards again.",
        ),
        PartDifference::Ledger => (
            &codes::MERGE_OTHER_SETTINGS,
            "with different addresses, because it was given another ledger or none",
            "Build the shards again with `--previous` and the ledger of the site that the merge replaces.",
        ),
    };
    code.at(
        Place::file(part),
        format!("The part {} was built {what}", quoted(part)),
        help,
    )
}

pub(super) fn unreadable(part: &str, why: CacheFault) -> Diagnostic {
    match why {
        CacheFault::Missing => not_a_part(part, &format!("it has no `{PART_FILE}`")),
        CacheFault::Unopened(why) => {
            not_a_part(part, &format!("`{PART_FILE}` cannot be read: {why}"))
        }
        CacheFault::Damaged => damaged(part, PART_FILE),
        CacheFault::OtherProgram => codes::MERGE_OTHER_VERSION.at(
            Place::file(part),
            format!(
                "The part {} was built by a different program",
                quoted(part)
            ),
            "Use the same program file for all shards and the merge. Another commit, feature, target or compiler makes a different program, even if `runpress --version` prints the same.",
        ),
    }
}

pub(super) fn not_a_part(part: &str, why: &str) -> Diagnostic {
    codes::MERGE_NOT_A_PART.at(
        Place::file(part),
        format!("{} is not a part: {why}", quoted(part)),
        "Name the folders that `runpress build --shard K/N --out` wrote.",
    )
}

pub(super) fn overlaps(part: &str) -> Diagnostic {
    codes::MERGE_OVERLAP.at(
        Place::file(part),
        format!("The part {} overlaps with the output folder", quoted(part)),
        "Choose an output folder beside the parts.",
    )
}

pub(super) fn other_count((one, ones): (&str, u32), (other, others): (&str, u32)) -> Diagnostic {
    codes::MERGE_OTHER_COUNT.at(
        Place::file(other),
        format!(
            "{} is one of {others} parts, and {} is one of {ones}",
            quoted(other),
            quoted(one)
        ),
        "Merge only parts that were built with the same N in `--shard K/N`.",
    )
}

pub(super) fn duplicate(one: &str, other: &str, number: u32) -> Diagnostic {
    let message = if Path::new(one) == Path::new(other) {
        format!("{} is given twice", quoted(one))
    } else {
        format!(
            "{} and {} are both part {number}",
            quoted(one),
            quoted(other)
        )
    };
    codes::MERGE_DUPLICATE_PART.at(Place::file(other), message, "Name each part once.")
}

pub(super) fn missing(first: &str, numbers: &[usize], count: u32) -> Diagnostic {
    let numbers: Vec<String> = numbers
        .iter()
        .map(|number| format!("{number}/{count}"))
        .collect();
    let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
    let (what, verb) = match numbers.len() {
        1 => ("Part", "is"),
        _ => ("Parts", "are"),
    };
    codes::MERGE_MISSING_PART.at(
        Place::file(first),
        format!("{what} {} {verb} missing", joined(&numbers)),
        "Build the missing shards, and name the folders of all parts.",
    )
}

/// The data of a run in a part is damaged.
pub(super) fn damaged_run(part: &str, run: &str) -> Diagnostic {
    codes::MERGE_DAMAGED_PART.at(
        Place::file(part),
        format!(
            "The part {} is damaged: its data of run {} cannot be read",
            quoted(part),
            quoted(run)
        ),
        "Build this shard again with `runpress build --shard`, and merge again.",
    )
}

/// A part is damaged; `what` is a file in it.
pub(super) fn damaged(part: &str, what: &str) -> Diagnostic {
    codes::MERGE_DAMAGED_PART.at(
        Place::file(part),
        format!(
            "The part {} is damaged: {} is missing, truncated, changed or unreadable",
            quoted(part),
            quoted(what)
        ),
        "Build this shard again with `runpress build --shard`, and merge again.",
    )
}

pub(super) fn foreign(part: &str, path: &str) -> Diagnostic {
    codes::MERGE_FOREIGN_FILE.at(
        Place::file(part),
        format!(
            "The part {} contains {}, which runpress did not write",
            quoted(part),
            quoted(path)
        ),
        "Remove it, or build this shard again.",
    )
}

pub(super) fn stale(part: &str, runs: &[&str]) -> Diagnostic {
    let count = format::count(runs.len(), "run");
    codes::MERGE_STALE_PART.at(
        Place::file(part),
        format!(
            "The content of {count} changed after part {} was built: {}",
            quoted(part),
            joined(runs)
        ),
        "Build this shard again. If these run directories are incomplete on this machine on purpose, remove them and pass their records with `--records`.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_ends_with_and() {
        assert_eq!(joined(&["a"]), "`a`");
        assert_eq!(joined(&["a", "b"]), "`a` and `b`");
        assert_eq!(joined(&["a", "b", "c"]), "`a`, `b` and `c`");
        let many = joined(&["a"; MAX_LISTED + 2]);
        assert!(many.ends_with("`a`, `a` and 2 more"), "{many}");
    }

    #[test]
    fn a_part_that_is_given_twice_is_not_two_parts() {
        for same in ["parts/1", "parts/1/"] {
            let found = duplicate("parts/1", same, 1);
            assert_eq!(found.message, "`parts/1` is given twice");
        }
        let found = duplicate("parts/1", "parts/2", 1);
        assert_eq!(found.message, "`parts/1` and `parts/2` are both part 1");
    }
}
