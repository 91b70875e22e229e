//! Run records of all versions, with missing, invalid or new values.

mod evidence;
mod keys;
mod problems;
mod states;
mod versions;

/// The words of an element, with a space between its parts.
fn spaced(element: scraper::ElementRef<'_>) -> String {
    let parts: Vec<_> = element.text().flat_map(str::split_whitespace).collect();
    parts.join(" ")
}
