//! Writes the pages of cases, models and harnesses, and the lists of them.

use rayon::prelude::*;

use crate::config::MadeFor;
use crate::diagnostics::Diagnostic;
use crate::links;
use crate::model::archive::GroupBy;
use crate::render::card as png;
use crate::view::card;
use crate::view::catalogue::{self, GroupProse};
use crate::view::chrome::{PageInfo, Script};

use super::{Lists, Page, group_lists, numbered, paths};

pub(super) const PAGE: Page = Page {
    name: "groups",
    folders: &["cases", "models", "harnesses"],
    made_of: Some(&[]),
    listed: listed,
    write,
};

fn listed(lists: &Lists<'_>) -> Vec<String> {
    let of_kind = |group_by: GroupBy| {
        let groups = lists.archive().groups(group_by);
        let of_groups = groups.iter().flat_map(move |group| {
            let folder = format!("{}/{}", group_by.folder(), group.slug);
            paths(&folder, group.runs.len())
        });
        let all = paths(group_by.folder(), groups.len());
        all.into_iter().chain(of_groups)
    };
    GroupBy::ALL.into_iter().flat_map(of_kind).collect()
}

fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    group_lists::write(lists)?;
    let archive = lists.archive();
    let groups = GroupBy::ALL.into_par_iter().flat_map(|group_by| {
        let groups = archive.groups(group_by).par_iter();
        groups.map(move |group| (group_by, group))
    });
    groups.try_for_each(|(group_by, group)| {
        let page = links::group(group_by.folder(), &group.slug);
        let text = lists.gathered.prose.of_page(&page);
        let prose = text.map_or_else(GroupProse::default, |text| GroupProse {
            title: text.prose.title.clone(),
            description: text.prose.description.clone(),
            html: text.html(lists.site),
        });
        let findings = &lists.outcome.findings;
        let pages = catalogue::group_pages(archive, findings, group_by, group, &prose);
        let card = group_by == GroupBy::Case && lists.config().site.cards != MadeFor::None;
        let card = card.then(|| links::card(&page));
        if let Some(path) = &card {
            let view = || card::of_case(lists.config(), archive, findings, group);
            lists
                .stage
                .stream(path, |out| out.write_all(&png::png(&view())))?;
        }
        for (path, mut view) in pages {
            view.card = card.is_some() && path == page;
            let name = format!("{} ({})", group.name, view.sort);
            let written = prose.description.clone();
            let what = written.unwrap_or_else(|| format!("{}: {}.", group.name, view.summary));
            let info = PageInfo {
                scripts: &[Script::Tables],
                image: card.clone(),
                ..PageInfo::listed(path, numbered(&name, view.pager.page), what)
            };
            lists.page("group.html", &info, &view)?;
        }
        Ok(())
    })
}
