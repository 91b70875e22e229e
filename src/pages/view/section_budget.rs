//! Limits the size of page sections. Only the beginning of long content is shown; `run.json` has all of it.

use formats::config::Config;

use super::format;

/// The remaining size of a section, in bytes of HTML.
#[derive(Debug)]
pub struct SectionBudget {
    remaining: usize,
    /// Maximum bytes of one text.
    inline: usize,
}

/// Bytes of markup around a text.
const MARKUP: usize = 128;
/// Maximum bytes of a name or a label.
const LABEL: usize = 1_000;

impl SectionBudget {
    /// The budget of a section, at most a quarter of a page.
    pub fn of(config: &Config) -> Self {
        Self {
            remaining: config.limits.page() / 4,
            inline: config.limits.inline(),
        }
    }

    /// Whether the budget is used up.
    pub const fn is_full(&self) -> bool {
        self.remaining == 0
    }

    /// Maps items to views until the budget is used up.
    pub fn each<T, V>(
        &mut self,
        mut items: impl Iterator<Item = T>,
        mut view: impl FnMut(&mut Self, T) -> V,
    ) -> Vec<V> {
        let mut views = Vec::new();
        while !self.is_full()
            && let Some(item) = items.next()
        {
            views.push(view(self, item));
        }
        views
    }

    /// The start of a text, within the limit for one text. Uses no budget.
    pub fn beginning<'a>(&self, text: &'a str) -> &'a str {
        format::truncated(text, self.inline)
    }

    /// The start of a text. Uses budget.
    pub fn text<'a>(&mut self, text: &'a str) -> &'a str {
        let text = format::truncated(text, self.inline.min(self.remaining));
        self.take(escaped(text));
        text
    }

    /// The start of a name or a label. Uses budget.
    pub fn label(&mut self, text: &str) -> String {
        let text = format::truncated(text, LABEL);
        self.take(escaped(text));
        text.to_owned()
    }

    /// Uses budget for finished HTML.
    pub fn take(&mut self, bytes: usize) {
        self.remaining = self.remaining.saturating_sub(bytes + MARKUP);
    }
}

/// Bytes of a text when escaped in a template.
fn escaped(text: &str) -> usize {
    let size = |byte: u8| match byte {
        b'&' | b'<' | b'>' | b'"' | b'\'' => 5,
        0..0x20 | 0x7f => 3,
        _ => 1,
    };
    text.bytes().map(size).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_takes_the_room_of_what_it_becomes() {
        let mut budget = SectionBudget {
            remaining: 1_000,
            inline: 100,
        };
        assert_eq!(budget.text(&"<".repeat(200)).len(), 100);
        assert_eq!(budget.remaining, 1_000 - 500 - MARKUP);
        assert_eq!(budget.text("é").len(), 2);
        assert!(!budget.is_full());
        budget.take(1_000);
        assert!(budget.is_full());
        assert_eq!(budget.text("more"), "");
    }
}
