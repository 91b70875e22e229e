//! Knows what is made once all runs are known: lists, tables, prose, feeds, assets.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::diagnostics::Diagnostic;
use crate::feeds;
use crate::model::archive::{Archive, Sort};
use crate::model::findings::Filed;
use crate::publish::Stage;
use crate::render::templates::Renderer;
use crate::render::{Html, plot};
use crate::rules::pages::Shelf;
use crate::schema;
use crate::site::Site;
use crate::spool;
use crate::view::annotations::{Card, Catalogue};
use crate::view::chrome::{PageInfo, Script};
use crate::view::{catalogue, compare, home, links, overview, problems, run as run_view};

use super::{Gathered, Outcome, Progress, group_prose, own_markdown, title};

/// What the lists are made from.
pub(super) struct Lists<'a> {
    pub(super) gathered: &'a Gathered,
    pub(super) site: &'a Site,
    pub(super) outcome: &'a Outcome,
    pub(super) stage: &'a Stage,
    pub(super) renderer: &'a Renderer,
}

/// One of the things that are made from the lists.
type Step<'a> = fn(&Lists<'a>) -> Result<(), Diagnostic>;

impl<'a> Lists<'a> {
    /// Writes all of them.
    ///
    /// # Errors
    /// The site cannot be written, or a template cannot be rendered.
    pub(super) fn publish(&self, progress: &dyn Progress) -> Result<(), Diagnostic> {
        let steps: [Step<'a>; 16] = [
            Self::home,
            Self::runs,
            Self::groups,
            Self::overview,
            Self::compare,
            Self::annotations,
            Self::prose,
            Self::problems,
            Self::changes,
            Self::not_found,
            Self::feeds,
            Self::for_machines,
            Self::search_data,
            Self::rows_data,
            Self::schemas,
            Self::assets,
        ];
        progress.begin("Lists and feeds", steps.len());
        let run = |step: &Step<'a>| {
            let result = step(self);
            progress.tick();
            result
        };
        // Collected first, so that of several faults always the same one is told.
        let results: Vec<_> = steps.par_iter().map(run).collect();
        results.into_iter().collect()
    }

    fn assets(&self) -> Result<(), Diagnostic> {
        for asset in &self.site.assets().files {
            self.stage.write(&asset.path, &asset.bytes)?;
        }
        self.stage.write(".nojekyll", b"")
    }

    pub(super) fn archive(&self) -> &Archive {
        &self.gathered.archive
    }

    /// The card of an annotation, from where it waits.
    pub(super) fn card(&self, filed: &Filed) -> Result<Card, Diagnostic> {
        let card = self.stage.spool.get(filed.card);
        card.and_then(|card| Ok(serde_json::from_slice(&card)?))
            .map_err(|error| spool::refused(&error))
    }

    pub(super) fn page(
        &self,
        template: &str,
        info: &PageInfo,
        view: &impl serde::Serialize,
    ) -> Result<(), Diagnostic> {
        let bytes = self.renderer.page(template, info, view)?;
        self.stage.write(&info.path, &bytes)
    }

    fn home(&self) -> Result<(), Diagnostic> {
        let config = &self.site.config;
        let prose = &self.gathered.prose;
        let intro = prose
            .iter()
            .find(|(file, _)| file.shelf == Shelf::Page && file.slug == "index");
        let html = intro.map_or_else(Html::default, |(_, prose)| {
            own_markdown(self.site, "index.html", &prose.body, "about")
        });
        let view = home::home_page(config, self.archive(), &self.outcome.findings, html);
        let info = PageInfo {
            path: "index.html".to_owned(),
            title: String::new(),
            description: config.site.description.clone(),
            listed: true,
            scripts: &[Script::Tables],
            json_ld: feeds::json_ld::home(config).ok(),
            ..PageInfo::default()
        };
        self.page("home.html", &info, &view)
    }

    fn runs(&self) -> Result<(), Diagnostic> {
        (1..=catalogue::page_count(self.archive().runs.len()))
            .into_par_iter()
            .try_for_each(|number| {
                let view = catalogue::runs_page(self.archive(), &self.outcome.findings, number);
                let title = if number == 1 {
                    "Runs".to_owned()
                } else {
                    format!("Runs, page {number}")
                };
                let info = PageInfo {
                    path: links::list("runs", number),
                    title,
                    description: format!("All runs, newest first: {}.", view.pager.summary),
                    section: Some("runs/index.html".to_owned()),
                    listed: true,
                    scripts: &[Script::Tables, Script::Runs],
                    ..PageInfo::default()
                };
                self.page("runs.html", &info, &view)
            })
    }

    fn groups(&self) -> Result<(), Diagnostic> {
        let archive = self.archive();
        let all: Vec<_> = [
            (Sort::Case, Shelf::Case, &archive.cases),
            (Sort::Model, Shelf::Model, &archive.models),
            (Sort::Harness, Shelf::Harness, &archive.harnesses),
        ]
        .into_iter()
        .flat_map(|(sort, shelf, groups)| groups.iter().map(move |group| (sort, shelf, group)))
        .collect();
        let prose: BTreeMap<_, _> = self
            .gathered
            .prose
            .iter()
            .rev()
            .map(|(file, prose)| ((file.shelf, file.slug.as_str()), prose))
            .collect();
        all.into_par_iter().try_for_each(|(sort, shelf, group)| {
            let found = prose.get(&(shelf, group.slug.as_str())).copied();
            let prose = group_prose(self.site, (sort, found), &group.slug);
            let findings = &self.outcome.findings;
            let pages =
                catalogue::group_pages(archive, findings, sort, group, &prose, plot::render);
            for (path, view) in pages {
                let name = format!("{} ({})", group.name, view.sort);
                let number = view.pager.page;
                let info = PageInfo {
                    path,
                    title: if number == 1 {
                        name
                    } else {
                        format!("{name}, page {number}")
                    },
                    description: prose
                        .description
                        .clone()
                        .unwrap_or_else(|| format!("{}: {}.", group.name, view.summary)),
                    listed: true,
                    scripts: &[Script::Tables],
                    ..PageInfo::default()
                };
                self.page("group.html", &info, &view)?;
            }
            Ok(())
        })
    }

    fn overview(&self) -> Result<(), Diagnostic> {
        let archive = self.archive();
        (1..=catalogue::page_count(archive.cases.len()))
            .into_par_iter()
            .try_for_each(|number| {
                let view = overview::page(archive, number);
                let info = PageInfo {
                    path: links::list("overview", number),
                    title: if number == 1 {
                        "Overview".to_owned()
                    } else {
                        format!("Overview, page {number}")
                    },
                    description: "Which case was run by which model and with which harness."
                        .to_owned(),
                    section: Some(links::list("overview", 1)),
                    listed: true,
                    scripts: &[Script::Tables],
                    ..PageInfo::default()
                };
                self.page("overview.html", &info, &view)
            })
    }

    fn compare(&self) -> Result<(), Diagnostic> {
        let info = PageInfo {
            path: links::COMPARE.to_owned(),
            title: "Compare runs".to_owned(),
            description: "Two to four runs side by side.".to_owned(),
            listed: true,
            scripts: &[Script::Tables, Script::Compare],
            ..PageInfo::default()
        };
        let view = compare::page(self.archive(), &self.outcome.findings);
        self.page("compare.html", &info, &view)
    }

    fn annotations(&self) -> Result<(), Diagnostic> {
        let findings = &self.outcome.findings;
        let runs = findings.iter().map(|found| found.spooled.cards.as_slice());
        let catalogue = Catalogue::new(runs);
        self.cards_data(&catalogue)?;
        let read = |filed: &Filed| self.card(filed);
        let view = catalogue.first_page(&read)?;
        let info = PageInfo {
            path: links::list("annotations", 1),
            title: "Annotations".to_owned(),
            description: "What people and tools said about single events, by kind.".to_owned(),
            section: Some(links::list("annotations", 1)),
            listed: true,
            scripts: &[Script::Contents, Script::Annotations],
            ..PageInfo::default()
        };
        self.page("annotations.html", &info, &view)?;
        catalogue.pages().into_par_iter().try_for_each(|page| {
            let (path, view) = catalogue.kind_page(page, &read)?;
            let info = PageInfo {
                path,
                title: match page.1 {
                    1 => view.title.to_owned(),
                    number => format!("{}, page {number}", view.title),
                },
                description: format!("{} {}.", view.definition, view.count),
                section: Some(links::list("annotations", 1)),
                listed: true,
                scripts: &[Script::Annotations],
                ..PageInfo::default()
            };
            self.page("annotation_kind.html", &info, &view)
        })
    }

    fn prose(&self) -> Result<(), Diagnostic> {
        for (file, prose) in &self.gathered.prose {
            if file.shelf != Shelf::Page || file.slug == "index" {
                continue;
            }
            let path = links::prose(&file.slug);
            let title = title(file, prose);
            let view = home::ProsePage {
                root: links::root(&path),
                title: title.clone(),
                description: prose.description.clone(),
                html: own_markdown(self.site, &path, &prose.body, ""),
            };
            let info = PageInfo {
                section: Some(path.clone()),
                path,
                description: prose.description.clone().unwrap_or_else(|| title.clone()),
                title,
                listed: true,
                ..PageInfo::default()
            };
            self.page("page.html", &info, &view)?;
        }
        Ok(())
    }

    fn problems(&self) -> Result<(), Diagnostic> {
        let quarantined = &self.gathered.quarantined;
        let public = self.gathered.public(self.outcome);
        let entries = self.archive().runs.iter();
        let mut places: problems::Places<'_> = entries
            .map(|entry| {
                let directory = &self.gathered.directories[entry.directory];
                let run = &entry.run;
                let (title, id) = (run_view::title(run), &entry.label);
                let name = format!("{title} · {} · {id}", run.subject.model);
                (directory.shown.as_str(), (name, links::run(&entry.slug)))
            })
            .collect();
        for run in quarantined {
            places.insert(&run.path, (run.path.clone(), run.page.clone()));
        }
        let pages = problems::problems_pages(
            &public.diagnostics,
            quarantined,
            (self.outcome.not_published, public.withheld),
            &places,
        );
        for (path, view) in pages {
            let info = PageInfo {
                path,
                title: "Problems".to_owned(),
                description: "Everything that the build noticed in its input.".to_owned(),
                section: Some("problems/index.html".to_owned()),
                listed: false,
                ..PageInfo::default()
            };
            self.page("problems.html", &info, &view)?;
        }
        for run in quarantined {
            let info = PageInfo {
                path: run.page.clone(),
                title: "Quarantined run".to_owned(),
                description: "This run is not published because its files have errors.".to_owned(),
                section: Some("problems/index.html".to_owned()),
                listed: false,
                ..PageInfo::default()
            };
            self.page("quarantined.html", &info, &problems::quarantined_page(run))?;
        }
        Ok(())
    }

    fn not_found(&self) -> Result<(), Diagnostic> {
        let info = PageInfo {
            path: "404.html".to_owned(),
            title: "Not found".to_owned(),
            description: "There is no page at this address.".to_owned(),
            listed: false,
            ..PageInfo::default()
        };
        let view = home::NotFoundPage {
            root: self.renderer.not_found_root(),
        };
        let bytes = self.renderer.not_found("404.html", &info, &view)?;
        self.stage.write(&info.path, &bytes)
    }

    fn schemas(&self) -> Result<(), Diagnostic> {
        schema::ALL
            .iter()
            .try_for_each(|entry| self.stage.write(&entry.path(), entry.document().as_bytes()))
    }
}
