//! Ids of headings, as link targets.

use std::collections::{BTreeMap, BTreeSet};

use pulldown_cmark::{Event, HeadingLevel, Tag, TagEnd};

use crate::model::slug::slugify;

/// Adds ids to headings of the site's own prose.
pub(super) fn anchor_headings(events: &mut [Event<'_>], scope: &str) {
    // The page itself has the id `main`.
    let mut taken = BTreeSet::from(["main".to_owned()]);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for at in 0..events.len() {
        if !matches!(events[at], Event::Start(Tag::Heading { .. })) {
            continue;
        }
        let text = words(&events[at + 1..]);
        let plain = if scope.is_empty() {
            slugify(&text)
        } else {
            format!("{scope}-{}", slugify(&text))
        };
        // The last number of each name is kept, so that many equal headings take linear time.
        let count = counts.entry(plain.clone()).or_insert(1);
        let mut slug = plain.clone();
        while slug.is_empty() || !taken.insert(slug.clone()) {
            *count += 1;
            slug = format!("{plain}-{count}");
        }
        if let Event::Start(Tag::Heading { id, .. }) = &mut events[at] {
            *id = Some(slug.into());
        }
    }
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
