//! Words that mark private parts of a transcript or a message, in any spelling.

use base::characters::is_hidden;

use super::json::{JsonKind, Member, Node};

/// Words for a model's thoughts and a provider's payload, as letters and digits only.
const REASONING_WORDS: [&str; 10] = [
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

/// Words that also occur within other words.
const REASONING_WHOLE_WORDS: [&str; 2] = ["think", "cot"];

/// A word reduced to letters and digits, ignoring case: `providerPayload`, `provider payload` and `Provider_Payload` are equal.
/// Full-width letters become ASCII.
fn plain(word: &str) -> impl Iterator<Item = char> {
    word.chars()
        .map(|c| match c {
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
            _ => c,
        })
        // Some lowercase letters, such as the long s, share their capital with another letter.
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .filter(|c| c.is_alphanumeric() && !is_hidden(*c))
}

/// Whether a type, a kind, a role or a key means reasoning or a provider's payload.
pub fn is_reasoning(word: &str) -> bool {
    let word: String = plain(word).collect();
    REASONING_WORDS.iter().any(|known| word.contains(known))
        || REASONING_WHOLE_WORDS.contains(&word.as_str())
}

/// Whether an event or an asset of this kind restates earlier turns, private ones included.
pub fn is_summary_kind(kind: &str) -> bool {
    let kind: String = plain(kind).collect();
    kind.contains("compaction") || kind.contains("summar")
}

/// Whether an asset with this id is a compaction snapshot.
pub fn is_compaction_id(id: &str) -> bool {
    plain(id)
        .collect::<String>()
        .starts_with("compactionsource")
}

/// Whether a type or a role is a tool call or a tool result.
pub fn is_tool_word(word: &str) -> bool {
    let word: String = plain(word).collect();
    word.contains("tool") || word.starts_with("function")
}

/// Whether a key of a message lists the directives that Harn put into it: `_harn_directive_ids`.
pub fn is_harn_directive(key: &str) -> bool {
    plain(key).collect::<String>().starts_with("harndirective")
}

/// Whether a key of a message says if Harn published it: `harn_assistant_publication`.
pub fn is_harn_publication(key: &str) -> bool {
    let key: String = plain(key).collect();
    key.starts_with("harn") && key.contains("publication")
}

/// Whether the type of a tool's block is that of a result, not that of a call.
pub fn is_result_word(word: &str) -> bool {
    let word: String = plain(word).collect();
    ["result", "output", "response", "return", "error"]
        .iter()
        .any(|part| word.contains(part))
}

/// Whether a key, in any spelling, is `letters`, which is lowercase.
pub fn is_spelled(key: &str, letters: &str) -> bool {
    plain(key).eq(letters.chars())
}

/// Whether an object is reasoning as a whole: it has such a word under `type`, `kind`, `role`, `channel` and the like, or a mark
/// such as `"thought": true`.
pub fn is_reasoning_object(members: &[Member<'_>]) -> bool {
    any_word(members, names_type_or_role, is_reasoning)
        || members
            .iter()
            .any(|member| is_reasoning(&member.key) && is_mark(member))
}

/// Whether one member marks its object as reasoning: its key, and its value if that is a string or a boolean.
pub fn marks_reasoning(key: &str, word: Option<&str>, mark: Option<bool>) -> bool {
    (names_type_or_role(key) && word.is_some_and(is_reasoning))
        || ((mark == Some(true) || word.is_some_and(is_true)) && is_reasoning(key))
}

/// Whether a value is a true mark and not prose: `true`, `"true"`, 1.
fn is_mark(member: &Member<'_>) -> bool {
    let value = member.value;
    match value.kind() {
        JsonKind::Bool => value.as_bool() == Some(true),
        JsonKind::Number => value.as_f64() != Some(0.0) && !is_metric_key(&member.key),
        JsonKind::String => value.as_str().is_some_and(|text| is_true(&text)),
        _ => false,
    }
}

fn is_true(text: &str) -> bool {
    ["true", "yes", "1"]
        .iter()
        .any(|word| text.trim().eq_ignore_ascii_case(word))
}

/// Whether a value under one of these keys is such a word, or a list with one. All duplicates and all spellings of a key count.
pub fn any_word(
    members: &[Member<'_>],
    key: impl Fn(&str) -> bool,
    is: impl Fn(&str) -> bool,
) -> bool {
    members
        .iter()
        .filter(|member| key(&member.key))
        .any(|member| {
            let is = |node: Node<'_>| node.as_str().is_some_and(|word| is(&word));
            is(member.value) || member.value.items().into_iter().any(is)
        })
}

/// Whether a key names the type or role of its object.
pub fn names_type_or_role(key: &str) -> bool {
    const KEYS: [&str; 7] = [
        "type",
        "kind",
        "role",
        "channel",
        "subtype",
        "blocktype",
        "phase",
    ];
    KEYS.iter().any(|known| is_spelled(key, known))
}

/// Whether a key belongs to blocks and messages.
pub fn is_block_key(key: &str) -> bool {
    const KEYS: [&str; 4] = ["type", "role", "text", "content"];
    KEYS.iter().any(|known| is_spelled(key, known))
}

/// Whether a key is a metric: `reasoning_tokens` is a number and marks nothing.
fn is_metric_key(key: &str) -> bool {
    let key: String = plain(key).collect();
    [
        "token", "count", "budget", "time", "second", "duration", "cost",
    ]
    .iter()
    .any(|measure| key.contains(measure))
}
