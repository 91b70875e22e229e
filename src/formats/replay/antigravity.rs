//! Antigravity, whose output has no meaning for the recorder (replay.md 11).

use super::Event;

/// Text that is not JSON.
pub(super) fn plain(text: &str) -> Event<'static> {
    Event::new("unknown").text("raw", text)
}
