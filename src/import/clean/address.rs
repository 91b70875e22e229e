//! Finds the credentials of addresses, e-mail addresses, and users at hosts.

use std::ops::Range;

use super::paths::{is_mark, separator};

/// Maximum bytes of the name before an `@`, and of the host after it.
const LONGEST: usize = 256;

/// What can follow the `@` of a package, and is no host.
const TAGS: [&str; 24] = [
    "alpha",
    "beta",
    "canary",
    "catalog",
    "dev",
    "edge",
    "experimental",
    "file",
    "head",
    "latest",
    "link",
    "lts",
    "main",
    "master",
    "next",
    "nightly",
    "npm",
    "patch",
    "rc",
    "sha256",
    "sha512",
    "stable",
    "workspace",
    "github",
];

/// The user information of an address, whose colon is at a position: everything up to and with its `@`.
pub(super) fn user_information(text: &str, colon: usize) -> Option<Range<usize>> {
    let is_encoded = text[colon..].starts_with('%');
    let first = colon + if is_encoded { 3 } else { 1 };
    let (_, start) = separator(text, first)?;
    let slashes = text[first..start].replace("2F", "/").replace("2f", "/");
    let start = if slashes.matches('/').count() > 1 {
        start
    } else {
        separator(text, start)?.1
    };
    let scheme = text[..colon].ends_with(|c: char| c.is_ascii_alphanumeric());
    if !scheme {
        return None;
    }
    let rest = &text[start..];
    let length = if is_encoded {
        encoded(rest)
    } else {
        plain(rest)
    };
    length.map(|length| start..start + length)
}

/// The length of the user information of an address inside another one.
fn encoded(rest: &str) -> Option<usize> {
    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '&' | '<' | '>'));
    let rest = rest[..end.unwrap_or(rest.len())].to_ascii_lowercase();
    let authority = &rest[..rest.find("%2f").unwrap_or(rest.len())];
    let at = authority.rfind("%40").map(|at| at + 3);
    at.or_else(|| authority.rfind('@').map(|at| at + 1))
}

fn plain(rest: &str) -> Option<usize> {
    let is_end = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '/' | '?' | '#' | '"' | '\'' | '`' | '<' | '>' | '(' | ')' | ',' | '\\'
            )
    };
    let authority = &rest[..rest.find(is_end).unwrap_or(rest.len())];
    let name = authority.split([':', '@']).next().unwrap_or_default();
    let is_host = name.eq_ignore_ascii_case("localhost") || name.starts_with('[');
    if let Some(password) = authority[name.len()..].strip_prefix(':')
        && !is_host
    {
        let digits = password.trim_start_matches(|c: char| c.is_ascii_digit());
        if !digits.is_empty() || password.is_empty() {
            return password_end(rest, name.len() + 1, true);
        }
        // A port, or the beginning of a password of digits and a slash.
        if !name.contains('.') && !name.is_empty() && authority.len() < rest.len() {
            return password_end(rest, name.len() + 1, false);
        }
    }
    let at = authority.rfind('@')?;
    let is_kept = matches!(&authority[..at], "" | "git");
    (!is_kept).then_some(at + 1)
}

/// The length of user information with a password, which begins at a position. Without an escape, everything on a line may
/// belong to the password, and the `@` before something like a host ends it.
fn password_end(rest: &str, start: usize, is_password: bool) -> Option<usize> {
    let bytes = rest.as_bytes();
    let mut spaced = false;
    let mut last = None;
    // A variable, not a password.
    let is_template = rest[start..].starts_with(['$', '{', '<']);
    for (at, byte) in bytes.iter().enumerate().skip(start) {
        match byte {
            b'\n' | b'\r' | b'"' | b'`' => break,
            b'\\' if matches!(bytes.get(at + 1), Some(b'n' | b'r' | b'"')) => break,
            b':' if bytes[at..].starts_with(b"://") => break,
            b'?' if !is_password => break,
            b' ' | b'\t' => {
                if last.is_some() || is_template || !is_password {
                    break;
                }
                spaced = true;
            }
            b'@' => {
                let host = &rest[at + 1..];
                if is_server(host) {
                    // The last one in what is then read as the server.
                    let end = host.find(|c: char| {
                        c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'')
                    });
                    let host = &host[..end.unwrap_or(host.len())];
                    return Some(at + 1 + host.rfind('@').map_or(0, |more| more + 1));
                }
                let follows = host.starts_with(|c: char| c.is_alphanumeric() || c == '[');
                if follows && is_password && bytes[at - 1] != b'/' {
                    last = Some(at + 1);
                    if spaced {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    last
}

/// Whether a text begins with a host that is none but a host: with a dot, a port, or brackets.
fn is_server(text: &str) -> bool {
    let host = host(text);
    let after = &text[host.len()..];
    let is_port = after
        .strip_prefix(':')
        .is_some_and(|port| port.starts_with(|c: char| c.is_ascii_digit()));
    let is_dotted = is_domain(host) || is_ip(host);
    !host.is_empty() && (is_port || is_dotted || host == "localhost") || text.starts_with('[')
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || is_mark(c)
}

/// The host that begins here.
fn host(text: &str) -> &str {
    let text = &text[..text.floor_char_boundary(LONGEST)];
    let end = text.find(|c: char| !is_word(c) && !matches!(c, '.' | '-'));
    text[..end.unwrap_or(text.len())].trim_end_matches(['.', '-'])
}

fn is_domain(host: &str) -> bool {
    let top = host.rsplit_once('.').map_or("", |(_, top)| top);
    let is_letters = top.chars().all(|c| is_word(c) && !c.is_ascii_digit());
    top.chars().count() > 1 && (is_letters || top.starts_with("xn--"))
}

fn is_ip(host: &str) -> bool {
    host.parse::<std::net::Ipv4Addr>().is_ok()
}

/// An e-mail address, or a user at a host, whose `@` is at a range.
pub(super) fn user_at_host(text: &str, at: usize, end: usize) -> Option<Range<usize>> {
    let start = local(text, at)?;
    let name = &text[start..at];
    let before = &text[..start];
    if before.ends_with("://") || name == "git" {
        return None;
    }
    let host = host(&text[end..]);
    let to = end + host.len();
    if is_domain(host) || is_ip(host) {
        return Some(start..to);
    }
    let is_at_host = is_prompt(text, start, to) || is_host(before, name, host, &text[to..]);
    (!host.is_empty() && is_at_host).then_some(start..to)
}

/// The start of the name before an `@`.
fn local(text: &str, at: usize) -> Option<usize> {
    let near = text.ceil_char_boundary(at.saturating_sub(LONGEST));
    let before = &text[near..at];
    if let Some(quoted) = before.strip_suffix('"')
        && let Some(start) = quoted.rfind(['"', '\n', '@'])
        && quoted[start..].starts_with('"')
    {
        return Some(near + start);
    }
    let mut start = before.len();
    while let Some(c) = before[..start].chars().next_back() {
        let next = start - c.len_utf8();
        let is_part = is_word(c)
            || matches!(c, '.' | '_' | '%' | '+' | '-')
            || matches!(c, '\'' | '&' | '*')
                && before[..next].ends_with(char::is_alphanumeric)
                && before[start..].starts_with(char::is_alphanumeric)
            // An escaped letter outside ASCII.
            || c == '\\'
                && before[start..].starts_with('u')
                && before.get(start + 1..start + 5).is_some_and(|code| {
                    u32::from_str_radix(code, 16).is_ok_and(|code| code >= 0x80)
                });
        if !is_part {
            break;
        }
        start = next;
    }
    // The letter of an escape is no part of the name.
    if before[..start].ends_with('\\') && before[start..].starts_with(['n', 't', 'r']) {
        start += 1;
    }
    (start < before.len()).then_some(near + start)
}

/// Whether a shell waits for a command after this user and host: `ana@laptop:~/x$`, `[ana@laptop x]$`, `ana@laptop x %`.
fn is_prompt(text: &str, start: usize, end: usize) -> bool {
    let after = &text[end..];
    let line = &after[..after.floor_char_boundary(LONGEST)];
    let line = &line[..line.find('\n').unwrap_or(line.len())];
    let is_asking = ["$", "%", "#", ">"].iter().any(|sign| {
        line.ends_with(sign)
            || line.contains(&format!("{sign} "))
            || line.contains(&format!("]{sign}"))
    });
    let is_start = start == 0 || text[..start].ends_with(['\n', '[', '(']);
    let is_version =
        text[end..].starts_with('.') || after.starts_with(|c: char| c.is_ascii_digit());
    after.starts_with(":~")
        || after.starts_with(":/")
        || is_start
            && is_asking
            && !is_version
            && line.starts_with([' ', ':', '$', '%', '#', '>', ']'])
}

/// Whether a name without a dot after an `@` can be a host, and not the version of a package.
fn is_host(before: &str, name: &str, host: &str, after: &str) -> bool {
    let tag = host
        .split('-')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let is_version = tag
        .strip_prefix('v')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let is_tag = is_version || TAGS.contains(&&*tag);
    let is_inside = before.ends_with(['/', '@', '$', '\\']);
    let is_address = after.starts_with(['/', '+', '(', '=', '{', '[']) || after.starts_with("://");
    let is_name = |text: &str| text.len() > 1 && text.starts_with(char::is_alphabetic);
    is_name(name) && is_name(host) && !host.contains('.') && !is_tag && !is_inside && !is_address
}
