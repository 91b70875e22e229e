//! Writes the page that compares runs.

use crate::diagnostics::Diagnostic;
use crate::links;
use crate::view::chrome::{PageInfo, Script};
use crate::view::compare;

use super::Lists;

pub(super) fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let info = PageInfo {
        path: links::COMPARE.to_owned(),
        title: "Compare runs".to_owned(),
        description: "Two to four runs side by side.".to_owned(),
        listed: true,
        scripts: &[Script::Tables, Script::Compare],
        ..PageInfo::default()
    };
    let view = compare::page(lists.archive(), &lists.outcome.findings);
    lists.page("compare.html", &info, &view)
}
