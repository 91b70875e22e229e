//! Compares the events on the pages of a run with its published tapes: each page has exactly the HTML that a build makes of them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use base::diagnostics::{Diagnostic, Place, codes};
use content::inspect::Inspection;
use pages::render::{script, timeline};
use pages::view::data::find;
use pages::view::timeline::{Layout, Timeline};

use super::compare;
use super::copy::SiteCopy;
use super::settings::SiteSettings;

/// The beginning of the attribute with the line of the raw log, which is not published.
const RAW_LINE: &str = " title=\"from raw line ";
/// The list of events on a page.
const LISTS: [&str; 2] = ["class=tape", "class=\"tape\""];
/// How an event on a page begins.
const EVENT: &str = "<li class=\"e ";

/// Compares the pages of all tapes, the texts that they link to, and what their search reads.
pub(crate) fn check(
    copy: &SiteCopy,
    settings: &SiteSettings,
    inspection: &Inspection<'_>,
    layouts: &[Layout<'_>],
    problems: &mut Vec<Diagnostic>,
) {
    let config = &settings.config;
    let mut texts = BTreeSet::new();
    let tapes = inspection.tapes.iter().zip(&inspection.sidecars);
    for ((tape, sidecar), layout) in tapes.zip(layouts) {
        // Pages show payloads from separate files, which are not published.
        if tape.events.iter().any(|event| !event.external.is_empty()) {
            continue;
        }
        let mut pages = Timeline::new(config, layout, sidecar.as_ref());
        for number in 1..=layout.pages() {
            let (page, long) = pages.page(number);
            for text in long {
                if texts.insert(text.path.clone()) {
                    problems.extend(different_file(copy, &text.path, text.text.as_bytes()));
                }
            }
            if let Some(folder) = layout.text_folder()
                && let Ok(script) = script::call("run", &find::page_texts(&page))
            {
                problems.extend(different_file(
                    copy,
                    &format!("{folder}{number}.js"),
                    &script,
                ));
            }
            let Some(html) = timeline::render(&page, usize::MAX) else {
                continue;
            };
            let published = copy.read_some(&page.path, problems);
            let published = published.as_deref().map(String::from_utf8_lossy);
            let shows = |text: &Cow<'_, str>| {
                !settings.has_own_templates || LISTS.iter().any(|list| text.contains(list))
            };
            if let Some(published) = published.filter(shows) {
                problems.extend(different_event(&page.path, &published, html.as_str()));
            }
        }
    }
}

/// The problem of a file that is not what was made again.
fn different_file(copy: &SiteCopy, path: &str, derived: &[u8]) -> Option<Diagnostic> {
    let mut problems = Vec::new();
    let published = copy.read_some(path, &mut problems)?;
    (published != derived).then(|| compare::differs(Place::file(path), compare::EVENTS))
}

/// The problem of a page that does not have the events as they are made again.
fn different_event(path: &str, page: &str, events: &str) -> Option<Diagnostic> {
    let page = without_raw_lines(page);
    let is_list = |at: usize| {
        let (before, after) = (&page[..at], &page[at + events.len()..]);
        let before = before.trim_end();
        let tag = before.rfind('<').map(|start| &before[start..]);
        let begins = tag.is_some_and(|tag| tag.starts_with("<ol") && tag.ends_with('>'));
        begins && after.trim_start().starts_with("</ol>")
    };
    if page.find(events).is_some_and(is_list) {
        return None;
    }
    // The first event that the page does not have after those before it.
    let mut rest = &*page;
    let mut starts: Vec<usize> = events.match_indices(EVENT).map(|(at, _)| at).collect();
    starts.push(events.len());
    let first = starts.windows(2).find_map(|event| {
        let event = &events[event[0]..event[1]];
        match rest.find(event) {
            Some(at) => {
                rest = &rest[at + event.len()..];
                None
            }
            None => Some(event),
        }
    });
    let id = first.and_then(|event| event.split_once(" id=")?.1.split(['>', ' ']).next());
    let message = match id {
        Some(id) => format!("The page does not show the event `{id}` as it is published"),
        None => "The page does not show the events as they are published".to_owned(),
    };
    let help = "The page, the event log or its sidecar was changed after the build. Get the site from the publisher again.";
    Some(codes::VERIFY_DIFFERENT_VALUE.at(Place::file(path), message, help))
}

/// The page without the numbers of lines of the raw log.
fn without_raw_lines(page: &str) -> Cow<'_, str> {
    let mut parts = page.split(RAW_LINE);
    let first = parts.next().unwrap_or_default();
    if first.len() == page.len() {
        return Cow::Borrowed(page);
    }
    let mut text = first.to_owned();
    for part in parts {
        let digits = part.trim_start_matches(|c: char| c.is_ascii_digit());
        text.push_str(digits.strip_prefix('"').unwrap_or(digits));
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_event_that_differs_is_named_and_lines_of_the_raw_log_are_not_compared() {
        let event = |id: &str, text: &str| {
            format!("<li class=\"e f-read\" id=e-{id}><p><a href=#e-{id}>{id}</a> {text}\n")
        };
        let events = event("1", "one") + &event("2", "two");
        let page = |events: &str| format!("<ol class=tape>\n{events}</ol>");
        let found = |page: &str| different_event("a", page, &events).map(|it| it.message);
        assert_eq!(found(&page(&events)), None);
        let numbered = events.replace("#e-2>", "#e-2 title=\"from raw line 17\">");
        assert_eq!(found(&page(&numbered)), None);
        let changed = found(&page(&events.replace("two", "2"))).expect("a problem");
        assert!(changed.contains("`e-2`"), "{changed}");
        for place in ["one\n", "two\n"] {
            let added = events.replace(place, &format!("{place}<li>more\n"));
            assert!(found(&page(&added)).is_some());
        }
    }
}
