//! Parsed values that can be shown as they were written.

use serde::{Deserialize, Serialize};

/// A value with its text in the input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Written<T> {
    value: T,
    text: String,
}

impl<T: Copy> Written<T> {
    /// A value parsed from `text`.
    pub fn new(text: &str, value: T) -> Self {
        let text = text.to_owned();
        Self { value, text }
    }

    pub const fn value(&self) -> T {
        self.value
    }

    /// The text as written.
    pub fn text(&self) -> &str {
        &self.text
    }
}
