//! Cheap checks of the text around a keyword, before an expression is tried: most keywords in ordinary text are not secrets.
//!
//! The text may be escaped, for example `\"` for a quote, so each check lets more through than its expression.

/// What the text around a keyword must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hint {
    /// Nothing.
    None,
    /// An operator such as `=` or `:`, and a value with this minimum number of characters; with a digit if the flag is set.
    Assigned(usize, bool),
    /// The keyword in this case, and this many characters of a key.
    Exact(&'static str, usize),
    /// This many characters of a key; in any case.
    Run(usize),
    /// One of these words within this many bytes after it.
    Before(&'static [&'static [u8]], usize),
    /// One of these words within this many bytes on either side.
    Near(&'static [&'static [u8]], usize),
    /// A digit before it.
    AfterDigit,
}

/// Rules whose keywords are frequent in ordinary text.
const HINTS: [(&str, Hint); 54] = [
    ("jwt", Hint::Run(17)),
    ("twilio-api-key", Hint::Exact("SK", 32)),
    ("vault-service-token", Hint::Run(20)),
    ("aws-access-token", Hint::Run(12)),
    ("azure-ad-client-secret", Hint::AfterDigit),
    ("authress-service-client-access-key", Hint::Run(12)),
    ("octopus-deploy-api-key", Hint::Exact("API-", 16)),
    ("huggingface-access-token", Hint::Run(20)),
    ("generic-api-key", Hint::Assigned(10, true)),
    (
        "curl-auth-header",
        Hint::Before(&[b"-H", b"--header"], 1024),
    ),
    ("curl-auth-user", Hint::Before(&[b"-u", b"--user"], 1024)),
    ("kubernetes-secret-yaml", Hint::Near(&[b"data:"], 512)),
    ("llm-api-key", Hint::Run(20)),
    ("database-url-password", Hint::Before(&[b"://"], 16)),
    ("url-password", Hint::Before(&[b"@"], 160)),
    ("netrc-password", Hint::Before(&[b"password"], 200)),
    ("git-credential-password", Hint::Near(&[b"username="], 300)),
    ("facebook-access-token", Hint::Near(&[b"|", b"%"], 512)),
    ("telnyx-key", Hint::Exact("KEY", 12)),
    ("salesforce-token", Hint::Exact("00D", 12)),
    ("infisical-token", Hint::Run(14)),
    ("trello-token", Hint::Exact("ATTA", 12)),
    ("crates-io-token", Hint::Run(14)),
    ("llm-chroma-key", Hint::Run(14)),
    ("facebook-long-token", Hint::Exact("EAA", 12)),
    ("dropbox-token", Hint::Run(14)),
    ("llm-cursor-key", Hint::Run(14)),
    ("llm-modal-token", Hint::Run(14)),
    ("llm-voyage-key", Hint::Run(14)),
    ("llm-mem0-key", Hint::Run(14)),
    ("llm-daytona-key", Hint::Run(14)),
    ("elevenlabs-key", Hint::Run(14)),
    ("statsig-key", Hint::Run(14)),
    ("notion-secret", Hint::Run(14)),
    ("kubernetes-rancher-token", Hint::Run(5)),
    ("kubernetes-k3s-token", Hint::Exact("K10", 12)),
    ("azure-marked-key", Hint::Run(6)),
    ("databricks-oauth-secret", Hint::Run(14)),
    ("aws-appsync-key", Hint::Run(14)),
    ("zoho-token", Hint::Run(14)),
    ("launchdarkly-sdk-key", Hint::Run(14)),
    ("depot-token", Hint::Run(14)),
    ("clickup-token", Hint::Run(14)),
    ("stripe-mollie-key", Hint::Run(14)),
    ("adafruit-io-key", Hint::Run(14)),
    ("confluent-cloud-secret", Hint::Run(14)),
    ("cloud-tencent-id", Hint::Exact("AKID", 12)),
    ("alibaba-volcengine-key", Hint::Exact("AKLT", 12)),
    ("nuget-api-key", Hint::Run(14)),
    ("foursquare-key", Hint::Run(14)),
    ("wireguard-private-key", Hint::Assigned(40, false)),
    ("connection-string-password", Hint::Run(6)),
    ("laravel-app-key", Hint::Run(14)),
    ("azure-entra-secret", Hint::AfterDigit),
];

impl Hint {
    /// The hint of a rule.
    pub fn of(id: &str, pattern: &str) -> Self {
        if let Some((_, hint)) = HINTS.iter().find(|(known, _)| *known == id) {
            return *hint;
        }
        let start = &pattern[..pattern.len().min(40)];
        if start.contains(r"[\w.-]{0,50}?(") {
            Self::Assigned(8, false)
        } else {
            Self::None
        }
    }

    /// Whether the text after `end` and before `start` may match the rule.
    pub fn fits(self, text: &[u8], start: usize, end: usize) -> bool {
        match self {
            Self::None => true,
            Self::Assigned(least, digit) => is_assigned(&text[end..], least, digit),
            Self::Exact(word, least) => {
                text.get(start..end) == Some(word.as_bytes()) && has_run(&text[end..], least)
            }
            Self::Run(least) => has_run(&text[end..], least),
            Self::Before(words, bytes) => has_any(&text[end..text.len().min(end + bytes)], words),
            Self::Near(words, bytes) => {
                let around = start.saturating_sub(bytes)..text.len().min(end + bytes);
                has_any(&text[around], words)
            }
            Self::AfterDigit => start > 0 && text[start - 1].is_ascii_digit(),
        }
    }
}

/// Maximum bytes after a keyword in which a match of a rule ends.
pub fn reach(id: &str) -> usize {
    match id {
        "private-key" | "putty-private-key" | "private-key-cut" | "jwt" => 16 << 10,
        "curl-auth-header"
        | "curl-auth-user"
        | "facebook-page-access-token"
        | "pypi-upload-token"
        | "session-cookie"
        | "aws-session-token"
        | "1password-service-account-token" => 4 << 10,
        _ => 1 << 10,
    }
}

fn has_any(text: &[u8], words: &[&[u8]]) -> bool {
    words
        .iter()
        .any(|word| memchr::memmem::find(text, word).is_some())
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

const fn is_value(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'=' | b'+' | b'/' | b'\\' | b'~' | b'%')
}

const fn is_operator(byte: u8) -> bool {
    matches!(byte, b'=' | b'>' | b':' | b'|' | b'?' | b',')
}

const fn is_blank_or_quote(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'\'' | b'"' | b'\\')
}

fn has_run(text: &[u8], least: usize) -> bool {
    text.get(..least)
        .is_some_and(|run| run.iter().all(|byte| is_value(*byte)))
}

/// Matches `…_name" : "value`: the rest of a name, an operator, a value.
fn is_assigned(text: &[u8], least: usize, digit: bool) -> bool {
    let name = &text[..text.len().min(48)];
    let is_name = |byte: u8| is_word(byte) || is_blank_or_quote(byte);
    let Some(operator) = name.iter().position(|byte| !is_name(*byte)) else {
        return false;
    };
    if !is_operator(text[operator]) {
        return false;
    }
    let after = &text[operator..text.len().min(operator + 32)];
    let is_skipped = |byte: u8| is_operator(byte) || is_blank_or_quote(byte) || byte == b'`';
    let Some(skipped) = after.iter().position(|byte| !is_skipped(*byte)) else {
        return false;
    };
    let value = &text[operator + skipped..];
    let run = value
        .iter()
        .take(160)
        .take_while(|byte| is_value(**byte))
        .count();
    run >= least
        && (!digit
            || value[..run]
                .iter()
                .any(|byte| byte.is_ascii_digit() || matches!(byte, b'=' | b'+' | b'/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assignment_has_an_operator_and_a_value_however_it_is_escaped() {
        let is = |text: &str| is_assigned(text.as_bytes(), 10, true);
        assert!(is("=abcdefghi1"));
        assert!(is("_prod\": \"abcdefghi1"));
        assert!(is("\\\": \\\"abcdefghi1"));
        assert!(is("\\\\\\\" => \\\\\\\"abcdefghi1"));
        assert!(!is("s\":1234,\"other\":12"));
        assert!(!is("board events are listed: here and there"));
        assert!(!is(": abcdefghij"), "no digit");
        assert!(!is(""));
    }
}
