//! Knows the words that mark what is private in a transcript or a message, however they are spelled.

use super::json::Member;

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
pub(crate) fn is_reasoning(word: &str) -> bool {
    let word: String = plain(word).collect();
    PRIVATE.iter().any(|known| word.contains(known)) || PRIVATE_ALONE.contains(&word.as_str())
}

/// Whether an event or an asset of this kind restates earlier turns, private ones included.
pub(crate) fn is_restating(kind: &str) -> bool {
    let kind: String = plain(kind).collect();
    kind.contains("compaction") || kind == "summary"
}

/// Whether a type or a role means that a tool is called or answers.
pub(crate) fn is_of_a_tool(word: &str) -> bool {
    let word: String = plain(word).collect();
    word.contains("tool") || word.starts_with("function")
}

/// Whether a key is this one, given in lower-case letters, however it is spelled.
pub(crate) fn is_spelled(key: &str, letters: &str) -> bool {
    plain(key).eq(letters.chars())
}

/// Whether an object says that it is reasoning as a whole: by a word under `type`, `kind`, `role` or `channel`, or
/// by a mark such as `"thought": true`.
pub(crate) fn is_reasoning_itself(members: &[Member<'_>]) -> bool {
    members.iter().any(|member| {
        let word = member.value.as_str();
        says_reasoning(&member.key, word.as_deref(), member.value.as_bool())
    })
}

/// The same of one member of an object: its key, and its value where that is a string or a boolean.
pub(crate) fn says_reasoning(key: &str, word: Option<&str>, mark: Option<bool>) -> bool {
    let names_it = ["type", "kind", "role", "channel"]
        .iter()
        .any(|name| is_spelled(key, name));
    if names_it {
        word.is_some_and(is_reasoning)
    } else {
        mark == Some(true) && is_reasoning(key)
    }
}
