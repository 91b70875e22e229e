//! Equality of events (replay.md 2): without times, nulls and the order of keys, numbers by value, and without the secrets that the
//! recorder's publisher removes.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use memchr::memmem::Finder;
use serde_json::{Number, Value};

use super::recorded_keys::RecordedKeys;

use crate::replay::{self, Harness, UNPARSABLE};

/// 128 bits of BLAKE3.
pub(super) type Digest = u128;

/// How the events of a run are compared.
#[derive(Debug, Clone)]
pub(super) struct Equality {
    pub(super) harness: Harness,
    /// Whether session ids count. They do not if a row that may have set one cannot be read.
    pub(super) sessions: bool,
    /// The keys of gg's lines that digests cover, besides their time and type.
    pub(super) recorded_keys: Option<Arc<RecordedKeys>>,
}

impl Equality {
    pub(super) fn new(harness: Harness) -> Self {
        Self {
            harness,
            sessions: true,
            recorded_keys: None,
        }
    }

    /// The keys of an event that count.
    pub(super) fn keys<'e>(
        &self,
        keys: impl Iterator<Item = (&'e str, &'e Value)>,
    ) -> Vec<(&'e str, &'e Value)> {
        let counts = |key: &str| match key {
            "timestamp" => false,
            "sessionId" => self.sessions,
            _ => true,
        };
        let mut keys: Vec<_> = keys
            .filter(|(key, value)| counts(key) && !value.is_null())
            .collect();
        keys.sort_unstable_by_key(|(key, _)| *key);
        keys
    }

    /// The digest of an event, with `buffer` as room for its text.
    pub(super) fn digest(&self, keys: &[(&str, &Value)], buffer: &mut Vec<u8>) -> Digest {
        buffer.clear();
        for (key, value) in keys {
            put_text(key, buffer);
            match (self.harness, *key) {
                // Versions keep different keys of a line, so all of it is compared later.
                (Harness::Gg, "event") => {
                    for key in ["timestamp", "type"] {
                        put(value.get(key).unwrap_or(&Value::Null), buffer);
                    }
                    if let Some(keys) = &self.recorded_keys {
                        keys.put(value, buffer);
                    }
                }
                (Harness::Gg, "message") => put_text(&message(value), buffer),
                (_, "tokens") => put_members(value, Value::is_null, buffer),
                _ => put(value, buffer),
            }
        }
        let hash = blake3::hash(buffer);
        let (digest, _) = hash.as_bytes().split_at(16);
        digest
            .iter()
            .fold(0, |digest, byte| digest << 8 | u128::from(*byte))
    }

    /// The digest of the warning with which gg refuses a line.
    pub(super) fn refused(&self) -> Option<Digest> {
        let kind = Value::String("warning".to_owned());
        let message = Value::String(UNPARSABLE.to_owned());
        let keys = [("message", &message), ("type", &kind)];
        (self.harness == Harness::Gg).then(|| self.digest(&keys, &mut Vec::new()))
    }

    /// Whether the values of a key are the same.
    pub(super) fn same(&self, key: &str, derived: &Value, recorded: &Value) -> bool {
        match (self.harness, key) {
            (Harness::Gg, "event") => replay::is_recorded_form(derived, recorded, &same),
            (Harness::Gg, "message") => message(derived) == message(recorded),
            (_, "tokens") => {
                let counts = |value: &Value| {
                    let members = value.as_object().cloned().unwrap_or_default();
                    members
                        .into_iter()
                        .filter(|(_, count)| !count.is_null())
                        .collect()
                };
                derived.is_object() == recorded.is_object()
                    && same(
                        &Value::Object(counts(derived)),
                        &Value::Object(counts(recorded)),
                    )
            }
            _ => same(derived, recorded),
        }
    }
}

/// A message of gg, without the parser's own text.
fn message(value: &Value) -> Cow<'_, str> {
    match value.as_str() {
        Some(text) if text.starts_with(UNPARSABLE) => Cow::Borrowed(UNPARSABLE),
        Some(text) => published(text),
        None => Cow::Owned(value.to_string()),
    }
}

pub(super) fn put(value: &Value, into: &mut Vec<u8>) {
    match value {
        Value::Null => into.push(b'n'),
        Value::Bool(true) => into.push(b't'),
        Value::Bool(false) => into.push(b'f'),
        Value::Number(number) => put_number(number, into),
        Value::String(text) => put_text(&published(text), into),
        Value::Array(items) => {
            into.push(b'[');
            for item in items {
                put(item, into);
            }
            into.push(b']');
        }
        Value::Object(_) => put_members(value, |_| false, into),
    }
}

fn put_members(value: &Value, is_left_out: impl Fn(&Value) -> bool, into: &mut Vec<u8>) {
    let Some(members) = value.as_object() else {
        return put(value, into);
    };
    let members = members.iter().filter(|(_, value)| !is_left_out(value));
    let mut members: Vec<_> = members.collect();
    members.sort_unstable_by_key(|(key, _)| *key);
    into.push(b'{');
    for (key, value) in members {
        put_text(key, into);
        put(value, into);
    }
    into.push(b'}');
}

pub(super) fn put_text(text: &str, into: &mut Vec<u8>) {
    into.push(b's');
    into.extend_from_slice(&text.len().to_le_bytes());
    into.extend_from_slice(text.as_bytes());
}

fn put_number(number: &Number, into: &mut Vec<u8>) {
    if let Some(whole) = whole(number) {
        into.push(b'i');
        into.extend_from_slice(&whole.to_le_bytes());
    } else if let Some(float) = number.as_f64() {
        // The last bits are left out: a number that was printed and read again may differ in them.
        into.push(b'd');
        into.extend_from_slice(&(float.to_bits().saturating_add(1 << 11) >> 12).to_le_bytes());
    }
}

/// An integer of 64 bits, however it is written.
fn whole(number: &Number) -> Option<i128> {
    const BEYOND: f64 = 18_446_744_073_709_551_616.0;
    let integer = number.as_i64().map(i128::from);
    let integer = integer.or_else(|| number.as_u64().map(i128::from));
    #[allow(
        clippy::cast_possible_truncation,
        reason = "the float is a whole number below 2^64"
    )]
    integer.or_else(|| {
        let float = number.as_f64()?;
        (float.fract() == 0.0 && float.abs() < BEYOND).then_some(float as i128)
    })
}

/// Whether two values are the same. Floats may differ in their last bits.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let close = |a: f64, b: f64| (a - b).abs() <= a.abs() * 4.0 * f64::EPSILON;
            let floats = a.as_f64().zip(b.as_f64());
            match (whole(a), whole(b)) {
                (Some(a), Some(b)) => a == b,
                _ => floats.is_some_and(|(a, b)| close(a, b)),
            }
        }
        (Value::String(a), Value::String(b)) => published(a) == published(b),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let mut members = a.iter();
            a.len() == b.len() && members.all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

/// What the publisher writes in place of a key.
const KEY_REPLACEMENT: &str = "[REDACTED]";
const KEY_PREFIX: &str = "sk-";
// Preparing a search costs more than most texts take to search.
static REPLACED_FINDER: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(KEY_REPLACEMENT));
static KEY_FINDER: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(KEY_PREFIX));
/// Minimum characters of a key after its beginning.
const MIN_KEY_CHARS: usize = 16;

/// Whether the text of a digest has a replaced key.
pub(super) fn has_replaced(buffer: &[u8]) -> bool {
    REPLACED_FINDER.find(buffer).is_some()
}

/// A text as Test Cabinet's publisher leaves it: each key that begins with `sk-` is replaced.
fn published(text: &str) -> Cow<'_, str> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let bytes = text.as_bytes();
    let mut published = String::new();
    let (mut copied, mut from) = (0, 0);
    while let Some(found) = KEY_FINDER.find(&bytes[from..]) {
        let start = from + found;
        let after = start + KEY_PREFIX.len();
        let length = bytes[after..]
            .iter()
            .take_while(|byte| is_part(byte))
            .count();
        let is_inside = start > 0 && is_part(&bytes[start - 1]);
        if is_inside || length < MIN_KEY_CHARS {
            from = after;
            continue;
        }
        published.push_str(&text[copied..start]);
        published.push_str(KEY_REPLACEMENT);
        copied = after + length;
        from = copied;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    published.push_str(&text[copied..]);
    Cow::Owned(published)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{published, put, same};

    fn bytes(value: &Value) -> Vec<u8> {
        let mut bytes = Vec::new();
        put(value, &mut bytes);
        bytes
    }

    #[test]
    fn numbers_are_compared_by_value() {
        for (a, b, equal) in [
            ("1000", "1e3", true),
            ("1000", "1000.0", true),
            ("-0", "0", true),
            ("18446744073709551615", "18446744073709551614", false),
            ("18446744073709551616", "1.8446744073709552e19", true),
            ("0.1", "0.10000000000000002", true),
            ("0.1", "0.1000001", false),
            ("1", "true", false),
        ] {
            let value = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
            let (a, b) = (value(a), value(b));
            assert_eq!(same(&a, &b), equal, "{a} and {b}");
            assert_eq!(bytes(&a) == bytes(&b), equal, "{a} and {b}");
        }
    }

    #[test]
    fn the_order_of_keys_does_not_matter_and_nulls_inside_do() {
        let (a, b) = (json!({"a": 1, "b": null}), json!({"b": null, "a": 1}));
        assert!(same(&a, &b) && bytes(&a) == bytes(&b));
        let c = json!({"a": 1});
        assert!(!same(&a, &c) && bytes(&a) != bytes(&c));
    }

    #[test]
    fn keys_are_removed_as_their_publisher_does() {
        let key = format!("sk-{}", "a_b-C".repeat(4));
        assert_eq!(
            published(&format!("key={key}, {key}")),
            "key=[REDACTED], [REDACTED]"
        );
        for kept in [
            "sk-short",
            &format!("task-{key}"),
            &format!("x{key}"),
            "é sk-",
        ] {
            assert_eq!(published(kept), kept);
        }
    }
}
