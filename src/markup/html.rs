//! The type for finished HTML, the only one that templates print unescaped.

use serde::{Serialize, Serializer};

/// Finished HTML. Only `markup` and the code of `pages` that writes HTML may create it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Html(String);

impl Html {
    /// Declares `html` as finished.
    pub const fn finished(html: String) -> Self {
        Self(html)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Html {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Tera's serializer passes a template value marked as safe through unchanged.
        tera::Value::safe_string(&self.0).serialize(serializer)
    }
}
