//! The `content` of a model API message, as one text.

use serde_json::value::RawValue;

use super::row::Row;

/// The content of a message, as one text and the number of its images.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct MessageContent {
    /// Its texts, one per line.
    pub text: String,
    /// Number of omitted images and other media.
    pub images: u64,
    /// Number of omitted parts of a type that no importer knows.
    pub unknown: u64,
}

/// Types of parts whose text is of the message; parts without a type are texts.
const TEXTS: [&str; 6] = [
    "",
    "text",
    "input_text",
    "output_text",
    "summary_text",
    "reasoning_text",
];

/// Types of parts that importers read on their own.
const OTHERS: [&str; 8] = [
    "function_call",
    "redacted_thinking",
    "reasoning",
    "server_tool_use",
    "thinking",
    "toolCall",
    "tool_result",
    "tool_use",
];

impl MessageContent {
    /// Reads `content` of a model API: a string, or a list of parts.
    pub fn of(raw: Option<&RawValue>) -> Self {
        let mut content = Self::default();
        match raw.and_then(|raw| Row::parse_value(raw.get()).ok()) {
            Some(row) if row.is_array() => row.items().for_each(|part| content.add(&part)),
            Some(part) => content.add(&part),
            None => {}
        }
        content
    }

    /// Reads the content of a message.
    pub fn at(row: &Row<'_>, path: &str) -> Self {
        let mut content = Self::default();
        row.parts(path).for_each(|part| content.add(&part));
        content
    }

    /// Appends a text on a new line.
    pub fn line(&mut self, text: &str) {
        if !(self.text.is_empty() || self.text.ends_with('\n')) {
            self.text.push('\n');
        }
        self.text.push_str(text);
    }

    /// Appends a part.
    pub fn add(&mut self, part: &Row<'_>) {
        let kind = part.text("type");
        let media = ["image", "audio", "video", "file", "document"];
        if TEXTS.contains(&&*kind) {
            part.part_text().iter().for_each(|text| self.line(text));
        } else if media.iter().any(|media| kind.contains(media)) {
            self.images += part.rows("image_urls").count().max(1) as u64;
        } else if !OTHERS.contains(&&*kind) {
            self.unknown += 1;
        }
    }
}

impl From<String> for MessageContent {
    fn from(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_a_text_or_parts_and_pictures_in_it_are_counted() {
        let content = |json: &str| {
            let raw: &RawValue = serde_json::from_str(json).expect("JSON");
            let content = MessageContent::of(Some(raw));
            (content.text, content.images)
        };
        assert_eq!(content(r#""one""#), ("one".to_owned(), 0));
        let parts = r#"["one",{"type":"text","text":"two"},{"type":"image_url","image_url":{}},7]"#;
        assert_eq!(content(parts), ("one\ntwo".to_owned(), 1));
        let images = r#"[{"type":"image","image_urls":["a","b"]}]"#;
        assert_eq!(content(images), (String::new(), 2));
        assert_eq!(content("null"), (String::new(), 0));
        let unknown: &RawValue =
            serde_json::from_str(r#"[{"type":"new","text":"secret"}]"#).expect("JSON");
        let unknown = MessageContent::of(Some(unknown));
        assert_eq!((&*unknown.text, unknown.unknown), ("", 1));
    }
}
