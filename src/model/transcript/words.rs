//! Knows the words that mark what is private in a transcript, however they are spelled.

/// Words of what a model thought and of what a provider sent, as letters and digits only.
const PRIVATE: [&str; 10] = [
    "reasoning",
    "thinking",
    "thought",
    "analysis",
    "scratchpad",
    "monologue",
    "providerpayload",
    "providerrequest",
    "providerresponse",
    "providerraw",
];

/// Those that are part of other words, too.
const PRIVATE_ALONE: [&str; 2] = ["think", "cot"];

/// A word without case, separators and anything else that is neither a letter nor a digit: `providerPayload`,
/// `provider payload` and `Provider_Payload` are one.
fn plain(word: &str) -> impl Iterator<Item = char> {
    word.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
}

/// Whether a type, a kind, a role or a key means reasoning or a provider's payload.
pub(super) fn is_reasoning(word: &str) -> bool {
    let word: String = plain(word).collect();
    PRIVATE.iter().any(|known| word.contains(known)) || PRIVATE_ALONE.contains(&word.as_str())
}

/// Whether an event or an asset of this kind restates earlier turns, private ones included.
pub(super) fn is_restating(kind: &str) -> bool {
    let kind: String = plain(kind).collect();
    kind.contains("compaction") || kind == "summary"
}

/// Whether a type or a role means that a tool is called or answers.
pub(super) fn is_of_a_tool(word: &str) -> bool {
    let word: String = plain(word).collect();
    word.contains("tool") || word.starts_with("function")
}

/// Whether a key is this one, given in lower-case letters, however it is spelled.
pub(super) fn is_spelled(key: &str, letters: &str) -> bool {
    plain(key).eq(letters.chars())
}
