//! How the recorder looks values up (replay.md 4.2).

use serde_json::Value;

/// The string under a key.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

/// The string under a key, or nothing.
pub(super) fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    text(value, key).unwrap_or_default()
}

/// The value of the first of these keys whose value is a string, even an empty one.
pub(super) fn first<'a>(value: &'a Value, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| text(value, key))
}

/// The string that [`first`] finds, if it is not empty: an empty first string hides the keys after it.
pub(super) fn filled<'a>(value: &'a Value, keys: &[&str]) -> Option<&'a str> {
    first(value, keys).filter(|text| !text.is_empty())
}

/// The first of these places that exists, whatever is there. Dots separate the keys of a place.
pub(super) fn place<'a>(value: &'a Value, places: &[&str]) -> Option<&'a Value> {
    places.iter().find_map(|place| {
        let mut keys = place.split('.');
        keys.try_fold(value, |value, key| value.get(key))
    })
}

/// The string at the first of these places that exists.
pub(super) fn text_at<'a>(value: &'a Value, places: &[&str]) -> Option<&'a str> {
    place(value, places)?.as_str()
}

/// The string that [`text_at`] finds, if it is not empty.
pub(super) fn filled_at<'a>(value: &'a Value, places: &[&str]) -> Option<&'a str> {
    text_at(value, places).filter(|text| !text.is_empty())
}

/// The first of these keys whose value is an integer of 32 bits without a sign.
pub(super) fn number(value: &Value, keys: &[&str]) -> Option<u32> {
    keys.iter()
        .find_map(|key| u32::try_from(value.get(key)?.as_u64()?).ok())
}

/// The texts under a key of all blocks of a type, joined.
pub(super) fn joined(blocks: &[Value], kind: &str, key: &str) -> Option<String> {
    let blocks = blocks.iter().filter(|block| word(block, "type") == kind);
    let text: String = blocks.filter_map(|block| text(block, key)).collect();
    (!text.is_empty()).then_some(text)
}
