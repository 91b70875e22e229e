//! Strings within JSON text, replaced without touching anything else: numbers keep their digits and keys their order.

/// Gives every string of a valid JSON text, keys included, and returns the text without white space between its values when it
/// changed.
pub(super) fn strings(json: &str, f: &mut dyn FnMut(&mut String)) -> Option<String> {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find(['"', ' ', '\n', '\r', '\t']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if !rest.starts_with('"') {
            rest = rest.trim_start();
            continue;
        }
        let (string, after) = rest.split_at(end(rest));
        rest = after;
        let decoded = if string.contains('\\') {
            serde_json::from_str::<String>(string).ok()
        } else {
            string
                .get(1..string.len().saturating_sub(1))
                .map(str::to_owned)
        };
        // Half of a surrogate pair cannot be decoded, and stays as it is.
        let changed = decoded.and_then(|before| {
            let mut after = before.clone();
            f(&mut after);
            (after != before).then(|| serde_json::to_string(&after).ok())?
        });
        out.push_str(changed.as_deref().unwrap_or(string));
    }
    out.push_str(rest);
    (out != json).then_some(out)
}

/// Where a string ends that begins here.
fn end(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}
