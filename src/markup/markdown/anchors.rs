//! Ids of headings, as link targets.

use std::collections::{BTreeMap, BTreeSet};

use pulldown_cmark::{Event, HeadingLevel, Tag, TagEnd};

use formats::model::slug::{short_hash, with_hash};

/// Maximum characters of an id without its suffix.
const LIMIT: usize = 60;

/// Adds ids to headings of the site's own prose. An id depends on the texts of the headings and never on their order, so links
/// stay valid when a section moves: only headings of the same text are numbered.
pub(super) fn anchor_headings(events: &mut [Event<'_>], scope: &str) {
    let is_heading = |at: &usize| matches!(events[*at], Event::Start(Tag::Heading { .. }));
    let places: Vec<usize> = (0..events.len()).filter(is_heading).collect();
    let texts: Vec<String> = places.iter().map(|at| words(&events[at + 1..])).collect();
    let ids = ids(&texts, scope);
    for (at, new) in places.into_iter().zip(ids) {
        if let Event::Start(Tag::Heading { id, .. }) = &mut events[at] {
            *id = Some(new.into());
        }
    }
}

/// The ids of headings with these texts.
fn ids(texts: &[String], scope: &str) -> Vec<String> {
    // Of different texts with one slug, such as `C++` and `C#`, the shortest has the slug itself.
    let mut owners: BTreeMap<String, &str> = BTreeMap::new();
    let distinct: BTreeSet<&str> = texts.iter().map(String::as_str).collect();
    for text in &distinct {
        let owner = owners.entry(slug(text)).or_insert(text);
        if (text.len(), *text) < (owner.len(), *owner) {
            *owner = text;
        }
    }
    let plain = |text: &str| {
        let slug = slug(text);
        let id = if owners.get(&slug).is_some_and(|owner| *owner == text) {
            slug
        } else {
            with_hash(&slug, text)
        };
        if scope.is_empty() {
            id
        } else {
            format!("{scope}-{id}")
        }
    };
    let plain: BTreeMap<&str, String> = distinct.iter().map(|text| (*text, plain(text))).collect();
    let mut taken: BTreeSet<&str> = plain.values().map(String::as_str).collect();
    // The page itself has the id `main`.
    taken.insert(MAIN);
    // The last number of each text is kept, so that many equal headings take linear time.
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut ids = Vec::with_capacity(texts.len());
    for text in texts {
        let plain = &plain[text.as_str()];
        let count = counts.entry(text).or_default();
        *count += 1;
        let mut id = plain.clone();
        if *count > 1 || id == MAIN {
            *count = (*count).max(2);
            id = format!("{plain}-{count}");
            while taken.contains(id.as_str()) {
                *count += 1;
                id = format!("{plain}-{count}");
            }
        }
        ids.push(id);
    }
    ids
}

const MAIN: &str = "main";

/// Letters and digits of every script in lower case, with hyphens for other characters; a digest of a text that has none.
fn slug(text: &str) -> String {
    let mut slug = String::new();
    let mut length = 0;
    for c in text.chars() {
        if length >= LIMIT {
            break;
        }
        if c.is_alphanumeric() {
            slug.extend(c.to_lowercase());
            length += 1;
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
            length += 1;
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    if slug.is_empty() {
        format!("section-{}", short_hash(text))
    } else {
        slug
    }
}

/// Every id of a text: those of its headings and of its footnotes.
pub(super) fn ids_of(events: &[Event<'_>]) -> BTreeSet<String> {
    let id = |event: &Event<'_>| match event {
        Event::Start(Tag::Heading { id: Some(id), .. } | Tag::FootnoteDefinition(id)) => {
            Some(id.to_string())
        }
        _ => None,
    };
    events.iter().filter_map(id).collect()
}

/// The ids and texts of top-level headings.
pub(super) fn headings(events: &[Event<'_>]) -> Vec<(String, String)> {
    let mut found: Vec<(HeadingLevel, String, String)> = Vec::new();
    for (at, event) in events.iter().enumerate() {
        if let Event::Start(Tag::Heading { level, id, .. }) = event {
            let id = id.as_ref().map(ToString::to_string);
            found.push((*level, id.unwrap_or_default(), words(&events[at + 1..])));
        }
    }
    let highest = found.iter().map(|(level, ..)| *level).min();
    found.retain(|(level, ..)| Some(*level) == highest);
    found.into_iter().map(|(_, id, text)| (id, text)).collect()
}

/// The text of a heading, from the event after its start.
fn words(events: &[Event<'_>]) -> String {
    events
        .iter()
        .take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))))
        .filter_map(|event| match event {
            Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
            _ => None,
        })
        .collect()
}
