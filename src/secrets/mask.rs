//! Masks the values of findings in other diagnostics, which may quote the same line.

use std::collections::BTreeSet;

use base::diagnostics::{Diagnostic, Excerpt};

/// Every run of this many bytes of a value is masked wherever it occurs.
const GRAM: usize = 6;
/// Maximum bytes of a value to mask.
const MOST: usize = 8 << 10;
const SHOWN: &str = "…";

/// The pieces of values to mask.
#[derive(Clone, Default)]
pub struct Mask(BTreeSet<[u8; GRAM]>);

impl std::fmt::Debug for Mask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mask({})", self.0.len())
    }
}

impl Mask {
    /// Masks all findings in a file of the site, including allowed ones.
    pub fn of_site(name: &str, bytes: &[u8]) -> Self {
        let mut mask = Self::default();
        for finding in super::scan(name, bytes, &super::ScanSettings::default()) {
            mask.hide(&bytes[finding.raw_range]);
        }
        mask
    }

    /// Masks a value: raw, unescaped, without invisible characters, and rendered from Markdown.
    pub fn hide(&mut self, value: &[u8]) {
        let value = &value[..value.len().min(MOST)];
        self.add(value);
        let plain = super::views::unescaped(value).map(|view| view.text);
        let plain = plain.as_deref().unwrap_or(value);
        self.add(plain);
        if let Some(visible) = super::views::visible(plain) {
            self.add(&visible.text);
        }
        super::rendered::for_each_text(plain, false, |rendered, _| {
            self.add(rendered.text.as_bytes());
        });
    }

    fn add(&mut self, value: &[u8]) {
        self.0.extend(value.array_windows::<GRAM>());
    }

    /// Adds the values of another mask.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Whether there is nothing to mask.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text with each piece of a value masked; `None` if it has none.
    pub fn masked(&self, text: &str) -> Option<String> {
        let bytes = text.as_bytes();
        let mut hidden = vec![false; bytes.len()];
        for (at, gram) in bytes.array_windows::<GRAM>().enumerate() {
            if self.0.contains(gram) {
                hidden[at..at + GRAM].fill(true);
            }
        }
        if !hidden.contains(&true) {
            return None;
        }
        let mut masked = String::new();
        let mut was_hidden = false;
        for (at, character) in text.char_indices() {
            let is_hidden = hidden[at..at + character.len_utf8()].contains(&true);
            if !is_hidden {
                masked.push(character);
            } else if !was_hidden {
                masked.push_str(SHOWN);
            }
            was_hidden = is_hidden;
        }
        Some(masked)
    }

    /// Masks the values in all texts of diagnostics. A path keeps its prefix `folder`.
    pub fn apply_all(&self, problems: &mut [Diagnostic], folder: &str) {
        for problem in problems {
            self.apply(problem, folder);
        }
    }

    /// Masks the values in all texts of a diagnostic. A path keeps its prefix `folder`.
    pub fn apply(&self, problem: &mut Diagnostic, folder: &str) {
        if self.is_empty() {
            return;
        }
        // The id of a run may contain a value, too.
        let hide = |text: &mut String| {
            if let Some(masked) = self.masked(text) {
                *text = masked;
            }
        };
        hide(&mut problem.message);
        hide(&mut problem.help);
        problem.run.iter_mut().for_each(hide);
        if let Some(excerpt) = &mut problem.place.excerpt
            && let Some(text) = self.masked(&excerpt.text)
        {
            *excerpt = Excerpt {
                start: 0,
                end: text.len(),
                text,
            };
        }
        if let Some(pointer) = &mut problem.place.pointer {
            hide(pointer);
        }
        let path = &mut problem.place.path;
        if let Some(masked) = path.strip_prefix(folder).and_then(|name| self.masked(name)) {
            *path = format!("{folder}{masked}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_and_every_longer_piece_of_it_are_hidden() {
        let mut mask = Mask::default();
        mask.hide("né-\\u0041bcdef-secret".as_bytes());
        let hidden = |text: &str| mask.masked(text).unwrap_or_else(|| text.to_owned());
        assert_eq!(
            hidden("the value `Abcdef-secret` is long"),
            "the value `…` is long"
        );
        assert_eq!(hidden("cut: def-sec…"), "cut: ……");
        assert_eq!(hidden("né-Abcd"), "…");
        assert_eq!(hidden("other words"), "other words");
    }
}
