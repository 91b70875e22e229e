//! Atom: the newest runs with their writeups, for a template.

use serde::Serialize;

use base::links;
use formats::config::Config;
use formats::model::archive::Archive;
use formats::model::findings::Findings;
use formats::model::time;

use super::json_feed::summary;
use crate::view::task;

/// The newest runs, as Atom.
#[derive(Debug, Serialize)]
pub struct Atom {
    /// BCP 47 tag.
    pub language: String,
    /// The site's address.
    pub base: String,
    /// Name of the site.
    pub title: String,
    pub description: String,
    /// When the newest run was published.
    pub updated: String,
    /// The publisher; defaults to the site.
    pub author: String,
    /// Licence of the data.
    pub licence: Option<String>,
    /// Canary of the benchmark.
    pub canary: Option<String>,
    /// The runs, newest first.
    pub entries: Vec<AtomEntry>,
}

/// A run in the Atom feed.
#[derive(Debug, Serialize)]
pub struct AtomEntry {
    /// Its page.
    pub url: String,
    /// The subject, and the model.
    pub title: String,
    /// Its social card.
    pub image: Option<String>,
    /// When it was published.
    pub at: String,
    /// Case, model, harness, state.
    pub tags: Vec<String>,
    /// Model, harness, state and rating on one line.
    pub summary: String,
    /// The writeup as sanitized HTML, which is escaped on output.
    pub html: Option<String>,
}

/// The Atom feed of a site at `base`.
pub fn atom(config: &Config, base: &str, archive: &Archive, findings: &[Findings]) -> Atom {
    let site = &config.site;
    let entries: Vec<AtomEntry> = archive
        .runs
        .iter()
        .zip(findings)
        .take(config.feeds.items)
        .filter_map(|(entry, findings)| {
            let run = &entry.run;
            // Atom requires a time for each entry.
            let recency = run.recency()?;
            let subject = &run.subject;
            Some(AtomEntry {
                url: format!("{base}{}", links::directory(&links::run(&entry.slug))),
                image: config
                    .site
                    .cards
                    .includes(findings.is_annotated())
                    .then(|| format!("{base}{}", links::card(&links::run(&entry.slug)))),
                title: task::title(run, &findings.task),
                at: time::iso(recency.ms()),
                tags: vec![
                    subject.case.to_string(),
                    subject.model().to_owned(),
                    subject.harness.to_string(),
                    run.state.word.to_string(),
                ],
                summary: summary(entry, findings),
                html: findings.writeup_html.as_deref().map(str::to_owned),
            })
        })
        .collect();
    Atom {
        language: site.language.clone(),
        base: base.to_owned(),
        title: site.title.clone(),
        description: site.description.clone(),
        // Atom requires a time, and a build does not use the clock.
        updated: entries
            .first()
            .map_or_else(|| time::iso(0), |entry| entry.at.clone()),
        author: site.author.clone().unwrap_or_else(|| site.title.clone()),
        licence: config.policy.licence.clone(),
        canary: config.policy.canary.clone(),
        entries,
    }
}
