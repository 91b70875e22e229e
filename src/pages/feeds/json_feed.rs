//! JSON Feed 1.1: the newest runs with their writeups.

use serde::Serialize;

use base::links;
use formats::config::Config;
use formats::model::archive::Archive;
use formats::model::findings::Findings;
use formats::model::review::Rating;
use formats::model::time;

use super::archive::address;
use crate::view::task;

/// The feed.
#[derive(Debug, Serialize)]
pub struct JsonFeed<'a> {
    version: &'static str,
    title: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    home_page_url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    feed_url: Option<String>,
    description: &'a str,
    language: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    authors: Vec<Author<'a>>,
    #[serde(rename = "_runpress", skip_serializing_if = "Option::is_none")]
    extension: Option<Extension<'a>>,
    items: Vec<Item<'a>>,
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

#[derive(Debug, Serialize)]
struct Item<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_html: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_text: Option<String>,
    summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    date_published: Option<String>,
    tags: Vec<&'a str>,
}

/// Makes the feed of the newest runs.
pub fn feed<'a>(
    config: &'a Config,
    archive: &'a Archive,
    findings: &'a [Findings],
) -> JsonFeed<'a> {
    let site = &config.site;
    let base = site.base_url.as_ref();
    JsonFeed {
        version: "https://jsonfeed.org/version/1.1",
        title: &site.title,
        home_page_url: base.map(base::url::HttpUrl::as_str),
        feed_url: base.map(|url| format!("{}feeds/feed.json", url.as_str())),
        description: &site.description,
        language: &site.language,
        authors: site.author.iter().map(|name| Author { name }).collect(),
        extension: config
            .policy
            .canary
            .as_deref()
            .map(|canary| Extension { canary }),
        items: archive
            .runs
            .iter()
            .zip(findings)
            .take(config.feeds.items)
            .map(|(entry, findings)| {
                let run = &entry.run;
                let summary = format!(
                    "{} with {}: {}, {}",
                    run.subject.model(),
                    run.subject.harness,
                    run.state.word,
                    findings.rating.map_or("unrated", Rating::word)
                );
                Item {
                    id: &run.id,
                    // Feed readers need absolute addresses, which require the site's own.
                    url: base.map(|_| address(config, &links::run(&entry.slug))),
                    title: task::name(run, &findings.task),
                    image: base
                        .filter(|_| site.cards.includes(findings.is_annotated()))
                        .map(|base| {
                            let card = links::card(&links::run(&entry.slug));
                            format!("{}{card}", base.as_str())
                        }),
                    content_html: findings.writeup_html.as_deref(),
                    content_text: findings.writeup_html.is_none().then(|| summary.clone()),
                    summary,
                    date_published: run.recency().map(|at| time::iso(at.ms())),
                    tags: vec![
                        &run.subject.case,
                        run.subject.model(),
                        &run.subject.harness,
                        &run.state.word,
                    ],
                }
            })
            .collect(),
    }
}
