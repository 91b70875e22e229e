//! The site's own prose: read once, and rendered from Markdown where a page shows it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::site::Site;
use base::diagnostics::{Diagnostic, Source};
use base::links;
use content::discover::ProseFile;
use content::load;
use content::rules;
use content::rules::links::InternalLink;
use formats::config::Limits;
use formats::model::archive::{GroupBy, GroupText};
use formats::page;
use formats::page::ProseKind;
use markup::Html;
use markup::MarkdownOrigin;
use markup::markdown::{self, MarkdownContext};
use pages::view::Link;

/// All published prose.
#[derive(Debug, Default)]
pub(super) struct SiteProse {
    pub(super) texts: Vec<ProseText>,
    /// Positions in `texts`, by path of the page.
    by_page: BTreeMap<String, usize>,
    /// Links within the site, of all texts.
    pub(super) links: Vec<InternalLink>,
    /// Unpublished drafts, by their paths in diagnostics.
    pub(super) drafts: Vec<String>,
}

/// A prose file.
#[derive(Debug)]
pub(super) struct ProseText {
    pub(super) file: ProseFile,
    pub(super) prose: page::Prose,
    /// The ids that links may lead to.
    pub(super) ids: BTreeSet<String>,
}

impl SiteProse {
    /// Reads and checks all files.
    pub(super) fn read(
        site: &Site,
        files: Vec<ProseFile>,
        reserved: &BTreeSet<&str>,
        problems: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut read = Self::default();
        for file in files {
            match read_file(&file, &site.config.limits, problems) {
                Ok((prose, _)) if prose.draft && !site.options.drafts => {
                    read.drafts.push(file.at.shown);
                }
                Ok((prose, links)) => {
                    read.links.extend(links);
                    let position = read.texts.len();
                    read.by_page.entry(page_of(&file)).or_insert(position);
                    let context = context(scope_of(&file), MarkdownOrigin::Site(&|_| None));
                    let ids = markdown::ids(&prose.body, context);
                    read.texts.push(ProseText { file, prose, ids });
                }
                Err(problem) => problems.push(problem),
            }
        }
        problems.extend(rules::pages::check_addresses(read.files(), reserved));
        read
    }

    pub(super) fn files(&self) -> impl Iterator<Item = &ProseFile> {
        self.texts.iter().map(|text| &text.file)
    }

    pub(super) fn of_page(&self, path: &str) -> Option<&ProseText> {
        self.by_page
            .get(path)
            .map(|position| &self.texts[*position])
    }

    /// The head of the text about a case.
    pub(super) fn text_of_case(&self, slug: &str) -> GroupText {
        let text = self.of_page(&links::group(GroupBy::Case.folder(), slug));
        text.map_or_else(GroupText::default, |text| GroupText {
            title: text.prose.title.as_deref().map(Arc::from),
            description: text.prose.description.as_deref().map(Arc::from),
        })
    }

    /// Texts with a page of their own.
    pub(super) fn pages(&self) -> impl Iterator<Item = &ProseText> {
        let texts = self.texts.iter();
        texts.filter(|text| text.file.kind == ProseKind::Page && text.file.slug != "index")
    }

    /// The pages in the navigation.
    pub(super) fn navigation(&self) -> Vec<Link> {
        let pages = self.sorted().into_iter();
        let links = pages.map(|text| Link::new(text.title(), text.page()));
        links.collect()
    }

    /// The pages in the order of the navigation.
    pub(super) fn sorted(&self) -> Vec<&ProseText> {
        let mut pages: Vec<_> = self.pages().collect();
        pages.sort_by_key(|text| (text.prose.order.unwrap_or(i64::MAX), &text.file.slug));
        pages
    }
}

impl ProseText {
    pub(super) fn title(&self) -> &str {
        self.prose.title.as_deref().unwrap_or(&self.file.slug)
    }

    /// Path of the page with the text.
    pub(super) fn page(&self) -> String {
        page_of(&self.file)
    }

    pub(super) fn html(&self, site: &Site) -> Html {
        let scope = scope_of(&self.file);
        let page = self.page();
        let size = |address: &str| site.pictures.size(&page, address);
        markdown::render(
            &self.prose.body,
            context(scope, MarkdownOrigin::Site(&size)),
        )
    }

    /// Its headings, if it has its own page: id and text.
    pub(super) fn headings(&self) -> Vec<(String, String)> {
        markdown::headings(
            &self.prose.body,
            context("", MarkdownOrigin::Site(&|_| None)),
        )
    }
}

const fn context<'a>(scope: &'a str, origin: MarkdownOrigin<'a>) -> MarkdownContext<'a> {
    MarkdownContext {
        scope,
        shift: 1,
        origin,
    }
}

fn read_file(
    file: &ProseFile,
    limits: &Limits,
    problems: &mut Vec<Diagnostic>,
) -> Result<(page::Prose, Vec<InternalLink>), Diagnostic> {
    let bytes = load::prose(&file.at, limits)?;
    let source = Source::file(&file.at.shown, &bytes);
    let (prose, found) = page::parse(source);
    problems.extend(found);
    let offset = source.text.len().saturating_sub(prose.body.len());
    let origin = MarkdownOrigin::Site(&|_| None);
    problems.extend(rules::markdown::check(source, &prose.body, offset, origin));
    let links = rules::links::internal_links(source, &prose.body, offset, &page_of(file));
    Ok((prose, links))
}

/// The prefix of the ids in a text, so that they differ from the other ids of its page.
fn scope_of(file: &ProseFile) -> &'static str {
    match file.kind {
        ProseKind::Page if file.slug != "index" => "",
        _ => rules::links::SCOPE,
    }
}

fn page_of(file: &ProseFile) -> String {
    match file.kind {
        ProseKind::Page if file.slug == "index" => "index.html".to_owned(),
        ProseKind::Page => links::prose(&file.slug),
        ProseKind::Group(group_by) => links::group(group_by.folder(), &file.slug),
    }
}
