//! Hides parts of a record that are meant for other runs, not for readers.

use std::borrow::Cow;

use crate::json::{JsonKind, Node};

/// Replaces a game jam README on the page.
const INSTEAD: &str = "\"(not displayed; run.json holds it)\"";

/// The record as shown on a page: without game jam READMEs.
pub fn displayed(text: &str) -> Cow<'_, str> {
    let mut hidden = Vec::new();
    for member in Node::parse(text)
        .map(|record| record.members())
        .unwrap_or_default()
    {
        match member.key.as_ref() {
            "gameJamReadme" => hidden.push(member.value),
            "gameJamPriorEntries" if member.value.kind() == JsonKind::Array => {
                let entries = member
                    .value
                    .items()
                    .into_iter()
                    .flat_map(|entry| entry.members());
                let readmes = entries.filter(|member| member.key == "readme");
                hidden.extend(readmes.map(|member| member.value));
            }
            _ => {}
        }
    }
    hidden.retain(|node| node.kind() != JsonKind::Null);
    if hidden.is_empty() {
        return Cow::Borrowed(text);
    }
    let (mut shown, mut at) = (String::with_capacity(text.len()), 0);
    for node in hidden {
        shown.push_str(&text[at..node.offset]);
        shown.push_str(INSTEAD);
        at = node.offset + node.raw.len();
    }
    shown.push_str(&text[at..]);
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readmes_of_game_jams_are_left_out_and_everything_else_is_as_written() {
        let text = r#"{ "gameJamReadme" : "A \n", "é":"ü", "gameJamPriorEntries":[{"readme":{"b":1},"runId":"r"},{"readme":null}, 1],
            "gameJamReadme":"\"twice\"", "readme":"mine"}"#;
        assert_eq!(
            displayed(text),
            format!(
                r#"{{ "gameJamReadme" : {INSTEAD}, "é":"ü", "gameJamPriorEntries":[{{"readme":{INSTEAD},"runId":"r"}},{{"readme":null}}, 1],
            "gameJamReadme":{INSTEAD}, "readme":"mine"}}"#
            )
        );
        for text in ["{\"a\": 1}", "[]", "no JSON", "{\"gameJamReadme\":null}"] {
            assert_eq!(displayed(text), text);
        }
    }
}
