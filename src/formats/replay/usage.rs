//! Events of token usage, which version 6 added (replay.md 4.7).

use serde_json::{Value, json};

use super::{TranslatedEvent, Translator};

/// The keys of the counts.
pub(super) struct UsageKeys {
    pub(super) input: &'static str,
    pub(super) cache_write: &'static str,
    pub(super) cache_read: &'static str,
    pub(super) output: &'static str,
    /// `None` if the harness does not count it.
    pub(super) reasoning: Option<&'static str>,
}

/// The event of an object with counts; none if all are 0.
pub(super) fn usage(
    t: &mut Translator,
    counts: Option<&Value>,
    keys: &UsageKeys,
) -> Option<TranslatedEvent<'static>> {
    let counts = counts?;
    let count = |key| find(counts, key).unwrap_or(0);
    let input = count(keys.input).saturating_add(count(keys.cache_write));
    let (cached, output) = (count(keys.cache_read), count(keys.output));
    let reasoning = keys.reasoning.map(count);
    if input == 0 && cached == 0 && output == 0 && reasoning.unwrap_or(0) == 0 {
        return None;
    }
    t.has(6).then(|| {
        let tokens = json!({
            "uncachedInput": input, "cachedInput": cached, "output": output, "reasoning": reasoning,
        });
        TranslatedEvent::new("usage").owned("tokens", tokens)
    })
}

/// The first count with this key, in this value or in any below.
fn find(value: &Value, key: &str) -> Option<u64> {
    match value {
        Value::Object(members) => {
            if let Some(count) = members.get(key).and_then(Value::as_u64) {
                return Some(count);
            }
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(key, _)| *key);
            members.into_iter().find_map(|(_, value)| find(value, key))
        }
        Value::Array(items) => items.iter().find_map(|item| find(item, key)),
        _ => None,
    }
}
