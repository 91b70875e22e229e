//! Writes the pages of cases, models and harnesses.

use rayon::prelude::*;

use crate::diagnostics::Diagnostic;
use crate::links;
use crate::model::archive::Sort;
use crate::view::catalogue::{self, GroupProse};
use crate::view::chrome::{PageInfo, Script};

use super::{Lists, numbered};

pub(super) fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let archive = lists.archive();
    let sorts = [
        (Sort::Case, &archive.cases),
        (Sort::Model, &archive.models),
        (Sort::Harness, &archive.harnesses),
    ];
    let groups = sorts
        .into_par_iter()
        .flat_map(|(sort, groups)| groups.par_iter().map(move |group| (sort, group)));
    groups.try_for_each(|(sort, group)| {
        let page = links::group(sort.folder(), &group.slug);
        let text = lists.gathered.prose.of_page(&page);
        let prose = text.map_or_else(GroupProse::default, |text| GroupProse {
            title: text.prose.title.clone(),
            description: text.prose.description.clone(),
            html: text.html(lists.site, "about"),
        });
        let findings = &lists.outcome.findings;
        let pages = catalogue::group_pages(archive, findings, sort, group, &prose);
        for (path, view) in pages {
            let name = format!("{} ({})", group.name, view.sort);
            let written = prose.description.clone();
            let info = PageInfo {
                path,
                title: numbered(&name, view.pager.page),
                description: written
                    .unwrap_or_else(|| format!("{}: {}.", group.name, view.summary)),
                listed: true,
                scripts: &[Script::Tables],
                ..PageInfo::default()
            };
            lists.page("group.html", &info, &view)?;
        }
        Ok(())
    })
}
