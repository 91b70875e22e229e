//! JSON Feed 1.1: the newest runs with their writeups.

use serde::Serialize;

use base::links;
use base::url::HttpUrl;
use formats::config::Config;
use formats::model::archive::{Archive, ArchiveEntry};
use formats::model::findings::Findings;
use formats::model::review::Rating;
use formats::model::time;

use crate::view::task;

base::document! {
    /// The feed.
    pub struct JsonFeed<'a>(config: &'a Config, archive: &'a Archive, findings: &'a [Findings])
    {
        version: &'static str = "https://jsonfeed.org/version/1.1",
        title: &'a str = &config.site.title,
        #[serde(skip_serializing_if = "Option::is_none")]
        home_page_url: Option<&'a str> = config.site.base_url.as_ref().map(HttpUrl::as_str),
        #[serde(skip_serializing_if = "Option::is_none")]
        feed_url: Option<String> = config.site.address("feeds/feed.json"),
        description: &'a str = &config.site.description,
        language: &'a str = &config.site.language,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        authors: Vec<Author<'a>> = config.site.author.iter().map(|name| Author { name }).collect(),
        #[serde(rename = "_runpress", skip_serializing_if = "Option::is_none")]
        extension: Option<Extension<'a>> = config.policy.canary.as_deref().map(|canary| Extension { canary }),
        items: Vec<Item<'a>> = archive.runs.iter().zip(findings).take(config.feeds.items).map(|(entry, findings)| Item::of(config, entry, findings)).collect(),
    }
}

/// An extension of the standard; its name begins with `_`.
#[derive(Debug, Serialize)]
struct Extension<'a> {
    canary: &'a str,
}

#[derive(Debug, Serialize)]
struct Author<'a> {
    name: &'a str,
}

base::document! {
    struct Item<'a>(config: &'a Config, entry: &'a ArchiveEntry, findings: &'a Findings)
    let run = &entry.run;
    let page = links::run(&entry.slug);
    let summary = summary(entry, findings);
    {
        id: &'a str = &run.id,
        /// Feed readers need absolute addresses, which require the site's own.
        #[serde(skip_serializing_if = "Option::is_none")]
        url: Option<String> = config.site.address(links::directory(&page)),
        title: String = task::name(run, &findings.task),
        #[serde(skip_serializing_if = "Option::is_none")]
        image: Option<String> = config.site.cards.includes(findings.is_annotated()).then(|| config.site.address(&links::card(&page))).flatten(),
        #[serde(skip_serializing_if = "Option::is_none")]
        content_html: Option<&'a str> = findings.writeup_html.as_deref(),
        #[serde(skip_serializing_if = "Option::is_none")]
        content_text: Option<String> = findings.writeup_html.is_none().then(|| summary.clone()),
        summary: String = summary,
        #[serde(skip_serializing_if = "Option::is_none")]
        date_published: Option<String> = run.recency().map(|at| time::iso(at.ms())),
        tags: Vec<&'a str> = vec![&run.subject.case, run.subject.model(), &run.subject.harness, &run.state.word],
    }
}

/// Model, harness, state and rating of a run on one line.
pub(super) fn summary(entry: &ArchiveEntry, findings: &Findings) -> String {
    let run = &entry.run;
    let rating = findings.rating.map_or("unrated", Rating::word);
    let (model, harness) = (run.subject.model(), &run.subject.harness);
    format!("{model} with {harness}: {}, {rating}", run.state.word)
}
