//! The page of the rules: what the site expects of its runs, and what it found.

use serde::Serialize;

use base::diagnostics::Diagnostic;
use pages::view::chrome::{HeaderEntry, PageInfo};
use pages::view::format;
use pages::view::rules::{self, RuleView};

use super::{Lists, Page};

pub(super) const FOLDER: &str = "rules";

pub(super) const PAGE: Page = Page {
    header: &[(FOLDER, HeaderEntry::Link(50, "Rules"))],
    made_of: Some(&[]),
    listed: |lists| {
        let has_rules = !lists.site.rules.is_empty();
        has_rules
            .then(|| rules::PAGE.to_owned())
            .into_iter()
            .collect()
    },
    ..Page::new("rules", &[FOLDER], write)
};

#[derive(Debug, Serialize)]
struct RulesPage {
    /// `9 rules`
    count: String,
    rules: Vec<RuleView>,
}

fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let all = &lists.site.rules;
    if all.is_empty() {
        return Ok(());
    }
    let of_rule = |rule| rules::of_all(all, rule, lists.archive(), lists.findings());
    let view = RulesPage {
        count: format::count(all.list.len(), "rule"),
        rules: all.list.iter().map(of_rule).collect(),
    };
    let what = "What this site expects of its runs: each rule with its text and version, and the runs that violate it.";
    let info = PageInfo::listed(rules::PAGE, "Rules", what);
    lists.page("rules.html", &info, &view)
}
