//! Which text is finished HTML: the only type that a template prints unescaped.

use serde::{Serialize, Serializer};

/// Finished HTML. Only `markup` and `render` make one: a test of the house looks for others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Html(String);

impl Html {
    /// Says that `html` is finished.
    pub(crate) const fn finished(html: String) -> Self {
        Self(html)
    }

    /// The HTML.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Html {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // A template value that is marked safe passes through Tera's serializer unchanged.
        tera::Value::safe_string(&self.0).serialize(serializer)
    }
}
