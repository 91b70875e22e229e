//! Limits the size of page sections. Only the beginning of long content is shown; `run.json` has all of it.

use formats::config::Config;

use super::timeline::head;

/// The remaining size of a section, in bytes of HTML.
#[derive(Debug)]
pub struct SectionBudget {
    left: usize,
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
            left: config.limits.page() / 4,
            inline: config.limits.inline(),
        }
    }

    /// Whether the budget is used up.
    pub const fn is_full(&self) -> bool {
        self.left == 0
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
        head(text, self.inline)
    }

    /// The start of a text. Uses budget.
    pub fn text<'a>(&mut self, text: &'a str) -> &'a str {
        let text = head(text, self.inline.min(self.left));
        self.take(escaped(text));
        text
    }

    /// The start of a name or a label. Uses budget.
    pub fn label(&mut self, text: &str) -> String {
        let text = head(text, LABEL);
        self.take(escaped(text));
        text.to_owned()
    }

    /// Uses budget for finished HTML.
    pub fn take(&mut self, bytes: usize) {
        self.left = self.left.saturating_sub(bytes + MARKUP);
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
        let mut room = SectionBudget {
            left: 1_000,
            inline: 100,
        };
        assert_eq!(room.text(&"<".repeat(200)).len(), 100);
        assert_eq!(room.left, 1_000 - 500 - MARKUP);
        assert_eq!(room.text("é").len(), 2);
        assert!(!room.is_full());
        room.take(1_000);
        assert!(room.is_full());
        assert_eq!(room.text("more"), "");
    }
}
