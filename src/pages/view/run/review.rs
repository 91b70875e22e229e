//! The review of a run, and its playable build.

use serde::Serialize;

use crate::view::{Badge, format};
use base::document;
use formats::config::Config;
use formats::model::review::Review;
use formats::model::run::Run;
use markup::Html;
use markup::markdown;

document! {
    pub struct ReviewView(review: &Review, html: Html) {
        /// Ratings per domain.
        pub domains: Vec<(String, Badge)> = review
            .domains
            .iter()
            .map(|(name, rating)| (name.clone(), format::rating(*rating)))
            .collect(),
        pub checklist: Vec<ChecklistItemView> = review
            .checklist
            .iter()
            .map(|item| ChecklistItemView {
                id: item.id.clone(),
                label: item.is_overall().then_some("the whole game"),
                status: item.status.clone(),
                points: item.points().map(|points| format!("{points} of 10")),
                note: item.note.clone(),
            })
            .collect(),
        /// The prose.
        pub html: Html = html,
        /// The beginning of the prose as plain text; may be empty.
        pub excerpt: String = excerpt(&review.body),
    }
}

/// Maximum characters of the excerpt.
const EXCERPT: usize = 240;

/// One item of the checklist.
#[derive(Debug, Serialize)]
pub struct ChecklistItemView {
    pub id: String,
    /// Its meaning, if the format defines one.
    pub label: Option<&'static str>,
    pub status: String,
    /// `8 of 10`, for a grade.
    pub points: Option<String>,
    /// The reviewer's note.
    pub note: Option<String>,
}

/// A playable build.
#[derive(Debug, Serialize)]
pub struct BuildView {
    /// Its address.
    pub url: String,
    pub host: String,
    /// Whether the site can frame it, on demand.
    pub embed: bool,
}

pub(super) fn build(config: &Config, run: &Run) -> Option<BuildView> {
    let url = run.playable_build.as_ref()?;
    let host = url.host();
    // Only https is framed, because browsers block mixed content; the policy lists hosts without ports.
    let embed = url.is_https()
        && !url.has_port()
        && config
            .policy
            .embed_hosts
            .iter()
            .any(|allowed| allowed.eq_ignore_ascii_case(&host));
    Some(BuildView {
        url: url.as_str().to_owned(),
        host,
        embed,
    })
}

/// The first paragraph of a text that is no heading.
fn excerpt(body: &str) -> String {
    let mut paragraphs = body.split("\n\n").map(str::trim);
    let first = paragraphs.find(|text| !text.is_empty() && !text.starts_with(['#', '|', '`', '!']));
    markdown::plain(first.unwrap_or_default(), EXCERPT)
}
