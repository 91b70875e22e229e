//! Run records: of every age, with whatever is missing, wrong or new in them.

mod evidence;
mod keys;
mod problems;
mod states;
mod versions;

/// The words of an element, a space between any two of its parts.
fn spaced(element: scraper::ElementRef<'_>) -> String {
    let parts: Vec<_> = element.text().flat_map(str::split_whitespace).collect();
    parts.join(" ")
}
