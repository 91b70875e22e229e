//! The texts of a page of a timeline, so that the script of another page of the tape can search them.

use serde::Serialize;

use crate::view::format;
use crate::view::timeline::{EventView, TimelinePage};

/// Maximum bytes of an event that other pages search; its own page searches all of it.
const EVENT: usize = 2_000;

/// The events of a page, as the script reads them.
#[derive(Debug, Serialize)]
pub struct PageTexts {
    /// Address of the page, relative to the site's root.
    href: String,
    /// The id of each event on its page, and its text.
    events: Vec<(String, String)>,
    /// Whether a text was too long to be here in whole.
    cut: bool,
}

pub fn page_texts(page: &TimelinePage<'_>) -> PageTexts {
    let mut cut = false;
    let events = page.events.iter().map(|event| {
        let mut text = text(event);
        if text.len() > EVENT {
            cut = true;
            text.truncate(format::truncated(&text, EVENT).len());
        }
        (event.anchor.text(), text)
    });
    PageTexts {
        href: page.path.clone(),
        events: events.collect(),
        cut,
    }
}

/// The text that the page has of an event, a line for each part. It ends soon after the part that exceeds [`EVENT`].
fn text(event: &EventView<'_>) -> String {
    let mut text = String::from(event.word);
    let mut push = |part: &str| {
        if !part.is_empty() && text.len() <= EVENT {
            text.push('\n');
            text.push_str(format::truncated(part, EVENT + 1));
        }
    };
    push(event.headline);
    for (name, value) in event.facts {
        push(name);
        push(value);
    }
    for part in &event.texts {
        push(part.about);
        push(part.text);
    }
    for annotation in &event.annotations {
        push(&annotation.name);
        push(annotation.evidence.unwrap_or_default());
    }
    text
}
