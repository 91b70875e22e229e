//! Documents for feed readers and search engines: Atom, the sitemap and robots.txt.

use serde::Serialize;

use crate::summary::Facet;
use base::diagnostics::Diagnostic;
use base::links;
use formats::config::Config;
use formats::model::archive::Archive;
use formats::model::findings::Findings;
use formats::model::time;
use pages::view::{format, task};

use super::{Lists, PAGES, Page};

pub(super) const PAGE: Page = Page {
    made_of: Some(&[Facet::Cards, Facet::Threads]),
    ..Page::new("machines", &["robots", "sitemap"], write)
};

fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let base = lists.base();
    let canary = lists.config().policy.canary.as_deref();
    let robots = robots(base, canary);
    lists.stage.write("robots.txt", robots.as_bytes())?;
    if let Some(canary) = canary {
        // In CSV and JSON Lines, another line would be another row.
        for path in ["canary.txt", "feeds/canary.txt"] {
            lists.stage.write(path, format!("{canary}\n").as_bytes())?;
        }
    }
    let Some(base) = base else { return Ok(()) };
    let runs = lists.archive().runs.iter();
    let runs = runs.map(|entry| links::run(&entry.slug));
    let pages = PAGES.iter().flat_map(|page| (page.listed)(lists));
    let pages = pages.chain(runs);
    let addresses: Vec<String> = pages
        .map(|path| format!("{base}{}", links::directory(&path)))
        .collect();
    if addresses.len() <= MOST {
        return sitemap(lists, "sitemap.xml", "sitemap.xml", addresses);
    }
    let mut parts = Vec::new();
    for (index, part) in addresses.chunks(MOST).enumerate() {
        let path = format!("sitemap-{}.xml", index + 1);
        sitemap(lists, "sitemap.xml", &path, part.to_vec())?;
        parts.push(format!("{base}{path}"));
    }
    sitemap(lists, "sitemap_index.xml", "sitemap.xml", parts)
}

fn sitemap(
    lists: &Lists<'_>,
    template: &str,
    path: &str,
    addresses: Vec<String>,
) -> Result<(), Diagnostic> {
    let xml = lists.renderer.document(template, &Sitemap { addresses })?;
    lists.stage.write(path, &xml)
}

/// Maximum addresses per sitemap, from its format.
const MOST: usize = 50_000;

/// The newest runs, as Atom.
#[derive(Debug, Serialize)]
pub(super) struct Atom {
    /// BCP 47 tag.
    language: String,
    /// The site's address.
    base: String,
    /// Name of the site.
    title: String,
    description: String,
    /// When the newest run was published.
    updated: String,
    /// The publisher; defaults to the site.
    author: String,
    /// Licence of the data.
    licence: Option<String>,
    /// Canary of the benchmark.
    canary: Option<String>,
    /// The runs, newest first.
    entries: Vec<AtomEntry>,
}

/// A run in the Atom feed.
#[derive(Debug, Serialize)]
pub(super) struct AtomEntry {
    /// Its page.
    url: String,
    /// The subject, and the model.
    title: String,
    /// Its social card.
    image: Option<String>,
    /// When it was published.
    at: String,
    /// Case, model, harness, state.
    tags: Vec<String>,
    /// Model, harness, state and rating on one line.
    summary: String,
    /// The writeup as sanitized HTML, which is escaped on output.
    html: Option<String>,
}

/// The Atom feed of a site at `base`.
pub(super) fn atom(config: &Config, base: &str, archive: &Archive, findings: &[Findings]) -> Atom {
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
                title: format!("{} by {}", task::name(run, &findings.task), subject.model()),
                at: time::iso(recency.ms()),
                tags: vec![
                    subject.case.to_string(),
                    subject.model().to_owned(),
                    subject.harness.to_string(),
                    run.state.word.to_string(),
                ],
                summary: format!(
                    "{} with {}: {}, {}",
                    subject.model(),
                    subject.harness,
                    run.state.word,
                    format::rating(findings.rating).word
                ),
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

/// A sitemap, or an index of several.
#[derive(Debug, Serialize)]
struct Sitemap {
    addresses: Vec<String>,
}

/// Crawlers that only collect training data, by their documented names.
const TRAINING: [&str; 8] = [
    "AI2Bot",
    "Applebot-Extended",
    "Bytespider",
    "CCBot",
    "ClaudeBot",
    "GPTBot",
    "Google-Extended",
    "meta-externalagent",
];

/// `robots.txt`: allows everything, except that crawlers for training data are blocked if the site has a canary.
fn robots(base: Option<&str>, canary: Option<&str>) -> String {
    let mut text = "User-agent: *\nDisallow:\n".to_owned();
    if let Some(canary) = canary {
        text.push('\n');
        for line in canary.lines() {
            text.push_str(&format!("# {line}\n"));
        }
        for name in TRAINING {
            text.push_str(&format!("User-agent: {name}\n"));
        }
        text.push_str("Disallow: /\n");
    }
    if let Some(base) = base {
        text.push_str(&format!("\nSitemap: {base}sitemap.xml\n"));
    }
    text
}
