//! Finds the credentials of addresses, e-mail addresses, and users at hosts.

use std::ops::Range;

use base::characters::is_hidden;

use super::paths::{double_separator, is_mark};
use super::terminal::TITLE;

/// Maximum bytes of the name before an `@`, of the host after it, and of the prompt around them.
const LONGEST: usize = 256;

/// Spaces that a password may contain. More of them are a sentence.
const SPACES: usize = 3;

/// What can follow the `@` of a package or of an image, and is no host.
const TAGS: [&str; 24] = [
    "alpha",
    "beta",
    "canary",
    "catalog",
    "dev",
    "edge",
    "experimental",
    "file",
    "github",
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
];

/// Endings of files that are no top-level domains: `icon@large.png`.
const EXTENSIONS: [&str; 32] = [
    "bak", "bmp", "css", "csv", "dart", "dll", "exe", "gif", "htm", "html", "ico", "java", "jpeg",
    "jpg", "js", "json", "jsx", "lock", "log", "map", "mjs", "php", "png", "scss", "sql", "svg",
    "swift", "toml", "ts", "tsx", "webp", "xml",
];

/// Top-level domains of most mail addresses. Any other is the method of an object where a call follows.
const DOMAINS: [&str; 12] = [
    "com", "org", "net", "edu", "gov", "io", "dev", "local", "de", "uk", "fr", "eu",
];

/// Words in front of an `@` in Kotlin, where a label follows.
const LABELS: [&str; 5] = ["break", "continue", "return", "super", "this"];

/// What people and systems call computers.
const COMPUTERS: [&str; 8] = [
    "localhost",
    "macbook",
    "imac",
    "laptop",
    "desktop",
    "thinkpad",
    "workstation",
    "devbox",
];

/// Words after which a user at a host is named.
const INTRODUCTIONS: [&str; 12] = [
    "ssh",
    "scp",
    "sftp",
    "rsync",
    "mosh",
    "autossh",
    "ssh-copy-id",
    "mailto:",
    "as",
    "by",
    "user",
    "login",
];

/// The user information of an address, whose colon is at a position: everything up to and with its `@`.
pub(super) fn user_information(text: &str, colon: usize) -> Option<Range<usize>> {
    let code = percent_code(text.as_bytes(), colon);
    let is_encoded = code.is_some();
    let first = code.map_or(colon + 1, |(_, end)| end);
    let start = double_separator(text, first)?;
    if !text[..colon].ends_with(|c: char| c.is_ascii_alphanumeric()) {
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

/// The character of a percent code that begins here, and its end. In an address inside an address, the `%` is encoded, too.
fn percent_code(bytes: &[u8], start: usize) -> Option<(u8, usize)> {
    if bytes.get(start) != Some(&b'%') {
        return None;
    }
    let mut at = start + 1;
    loop {
        let code = str::from_utf8(bytes.get(at..at + 2)?).ok()?;
        if code != "25" {
            return Some((u8::from_str_radix(code, 16).ok()?, at + 2));
        }
        at += 2;
    }
}

/// The length of the user information of an address inside another one.
fn encoded(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let mut at = None;
    for (position, byte) in bytes.iter().enumerate() {
        match byte {
            b'"' | b'\'' | b'&' | b'<' | b'>' => break,
            _ if byte.is_ascii_whitespace() => break,
            b'@' => at = Some(position + 1),
            b'%' => match percent_code(bytes, position) {
                Some((b'@', end)) => at = Some(end),
                Some((b'/', _)) => break,
                _ => {}
            },
            _ => {}
        }
    }
    at
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
        let start = name.len() + 1;
        let is_sentence = rest[start..].chars().next().is_none_or(char::is_whitespace);
        let is_port = password.bytes().all(|byte| byte.is_ascii_digit());
        if !is_sentence && (!is_port || password.is_empty()) {
            return password_end(rest, start, true);
        }
        // The text is a port, or the beginning of a password of digits and a slash.
        if !name.contains('.') && !name.is_empty() && authority.len() < rest.len() && !is_sentence {
            return password_end(rest, start, false);
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
    let mut spaces = 0;
    let mut last = None;
    // Such a text is a variable, not a password.
    let is_template = rest[start..].starts_with(['$', '{', '<']);
    for (at, byte) in bytes.iter().enumerate().skip(start) {
        match byte {
            b'\n' | b'\r' | b'"' | b'`' => break,
            b'\\' if matches!(bytes.get(at + 1), Some(b'n' | b'r' | b'"')) => break,
            // The next address begins here.
            b':' if double_separator(rest, at + 1).is_some() => break,
            b'?' if !is_password => break,
            b' ' | b'\t' => {
                spaces += 1;
                if last.is_some() || is_template || !is_password || spaces > SPACES {
                    break;
                }
            }
            b'@' => {
                let host = &rest[at + 1..];
                let hidden = host.len() - host.trim_start_matches(is_hidden).len();
                if hidden > 0 && is_server(&host[hidden..]) {
                    return Some(at + 1);
                }
                if is_server(host) {
                    // The last `@` ends the password: what follows is then read as the server.
                    let end = host.find(|c: char| {
                        c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'' | '\\')
                    });
                    let host = &host[..end.unwrap_or(host.len())];
                    return Some(at + 1 + host.rfind('@').map_or(0, |more| more + 1));
                }
                let follows = host.starts_with(|c: char| c.is_alphanumeric() || c == '[');
                if follows && is_password && bytes[at - 1] != b'/' {
                    last = Some(at + 1);
                    if spaces > 0 {
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
    let is_whole = is_domain(host) || is_ip(host) || host == "localhost";
    !host.is_empty() && (is_port || is_whole) || text.starts_with('[')
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || is_mark(c)
}

/// The host that begins here.
fn host(text: &str) -> &str {
    let text = &text[..text.floor_char_boundary(LONGEST)];
    if text.starts_with('[') {
        let is_address = |text: &str| {
            let mut bytes = text.bytes();
            text.contains(':') && bytes.all(|byte| byte.is_ascii_hexdigit() || byte == b':')
        };
        let end = text.find(']').filter(|end| is_address(&text[1..*end]));
        return end.map_or("", |end| &text[..=end]);
    }
    let mut end = 0;
    while let Some(c) = text[end..].chars().next() {
        if is_word(c) || matches!(c, '.' | '-') {
            end += c.len_utf8();
        } else if let Some(length) = letter(&text[end..]) {
            end += length;
        } else {
            break;
        }
    }
    text[..end].trim_end_matches(['.', '-'])
}

/// The length of an escaped letter outside ASCII: `\u00e9`.
fn letter(text: &str) -> Option<usize> {
    let code = text.strip_prefix("\\u")?.get(..4)?;
    let code = u32::from_str_radix(code, 16).ok()?;
    (code >= 0x80).then_some("\\u0000".len())
}

fn is_domain(host: &str) -> bool {
    let Some((names, top)) = host.rsplit_once('.') else {
        return false;
    };
    let is_letter = |c: char| is_word(c) && !c.is_ascii_digit();
    let is_top = top.chars().all(is_letter) || top.starts_with("xn--") || top.contains('\\');
    let is_file = EXTENSIONS.contains(&&*top.to_ascii_lowercase());
    // Versions look like domains: `1.2.3-rc.alpha`, `v4.beta`, `2x.tiff`.
    let is_digit = |c: char| c.is_ascii_digit();
    let mut labels = names.split('.');
    let first = labels.next().unwrap_or_default();
    let number = first
        .trim_start_matches('v')
        .trim_start_matches(is_digit)
        .len();
    let is_numbered = first.len() > number && first.contains(is_digit);
    let is_version = is_numbered
        && (labels
            .next()
            .is_some_and(|label| label.starts_with(is_digit))
            || number == 0 && first.starts_with('v')
            || &first[first.len() - number..] == "x");
    top.chars().count() > 1 && is_top && !is_file && !is_version && !names.is_empty()
}

fn is_ip(host: &str) -> bool {
    let mut numbers = host.split('.');
    let is_address = numbers.clone().count() == 4 && numbers.all(|part| part.parse::<u8>().is_ok());
    host.starts_with('[') || is_address
}

/// A user at a host, or an e-mail address.
pub(super) struct UserAtHost {
    pub(super) range: Range<usize>,
    /// User and host, if it is the prompt of a shell.
    pub(super) prompt: Option<(String, String)>,
}

/// The user at a host whose `@` is at a range. `is_known` tells whether a name is that of a user or a host of the log.
pub(super) fn user_at_host(
    text: &str,
    at: usize,
    end: usize,
    is_known: &dyn Fn(&str) -> bool,
) -> Option<UserAtHost> {
    let start = local(text, at)?;
    let name = &text[start..at];
    let before = &text[..start];
    let host = host(&text[end..]);
    if before.ends_with("://") || name == "git" || host.is_empty() {
        return None;
    }
    let to = end + host.len();
    let after = &text[to..];
    let mut account = UserAtHost {
        range: start..to,
        prompt: None,
    };
    if is_ip(host) {
        return Some(account);
    }
    if is_domain(host) {
        let top = host.rsplit_once('.').map_or("", |(_, top)| top);
        let is_call = after.starts_with(['(', '[', '=']) && !DOMAINS.contains(&top);
        return (!is_call && !LABELS.contains(&name)).then_some(account);
    }
    let is_sign = &text[at..end] == "㉿";
    let is_path = (after.starts_with(":~") || after.starts_with(":/")) && !after.starts_with("://");
    let is_title = before.ends_with(TITLE) && after.starts_with(':');
    if is_sign || is_path || is_title || is_prompt(before, after) {
        account.prompt = Some((name.to_owned(), host.to_owned()));
        return Some(account);
    }
    is_host(before, name, host, after, is_known).then_some(account)
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
            || c == '\\' && letter(&before[next..]).is_some();
        if !is_part {
            break;
        }
        start = next;
    }
    // The scheme of an encoded address is no part of the name.
    let first = start;
    for at in memchr::memchr_iter(b'%', &before.as_bytes()[first..]).map(|at| first + at) {
        if let Some((b':', end)) = percent_code(before.as_bytes(), at)
            && let Some(end) = double_separator(before, end)
        {
            start = end;
        }
    }
    // The letter of an escape is no part of the name.
    if before[..start].ends_with('\\') && before[start..].starts_with(['n', 't', 'r']) {
        start += 1;
    }
    (start < before.len()).then_some(near + start)
}

/// Whether a shell waits for a command after a user and host: `ana@laptop:~/x$`, `[ana@laptop x]$`, `ana@laptop x %`.
fn is_prompt(before: &str, after: &str) -> bool {
    let is_start = before.is_empty() || before.ends_with(['\n', '\r', '[', '(', ')', ' ']);
    // A prompt may come after an environment: `(venv) ana@laptop`.
    let is_first = before.is_empty()
        || before.ends_with(['\n', '[', '('])
        || before.trim_end().ends_with([')', ']']);
    if !is_start || !is_first {
        return false;
    }
    let line = &after[..after.floor_char_boundary(LONGEST)];
    let line = &line[..line.find('\n').unwrap_or(line.len())];
    if [" MINGW", " MSYS", " UCRT", " CLANG"]
        .iter()
        .any(|system| line.starts_with(system))
    {
        return true;
    }
    let is_sign = |c: char| matches!(c, '$' | '#' | '%' | '>');
    let sign = line.char_indices().find(|(at, c)| {
        let next = line[at + c.len_utf8()..].chars().next();
        is_sign(*c) && next.is_none_or(|next| next == ' ')
    });
    let Some((end, sign)) = sign else {
        return false;
    };
    let folder = &line[..end];
    match folder.chars().next() {
        // A version may follow the sign of a comparison.
        None => before.is_empty() || before.ends_with('\n'),
        Some(':' | ']') => true,
        Some(' ') => {
            let is_one = |folder: &str| !folder.is_empty() && !folder.contains(' ');
            let folder = &folder[1..];
            let is_spaced = sign != '>' && folder.strip_suffix(' ').is_some_and(is_one);
            let is_path = folder.starts_with(['~', '/']) || folder.ends_with(']');
            is_spaced || is_one(folder) && is_path
        }
        Some(_) => false,
    }
}

/// Whether a name without a dot after an `@` is a host, and not the version of a package, a label or an operand.
fn is_host(
    before: &str,
    name: &str,
    host: &str,
    after: &str,
    is_known: &dyn Fn(&str) -> bool,
) -> bool {
    let host = host.to_ascii_lowercase();
    let tag = host.split(['-', '.']).next().unwrap_or_default();
    let is_digit = |c: char| c.is_ascii_digit();
    let is_version = tag.trim_start_matches('v').starts_with(is_digit);
    let is_inside = before.ends_with(['/', '@', '$', '\\']);
    let is_name = |text: &str| text.len() > 1 && text.starts_with(char::is_alphabetic);
    if is_version || TAGS.contains(&tag) || is_inside || !is_name(name) || !is_name(&host) {
        return false;
    }
    if is_known(name) || is_known(&host) {
        return true;
    }
    if after.starts_with(['(', '=', '{', '[', '+']) || LABELS.contains(&name) {
        return false;
    }
    let word = before.trim_end();
    let word = &word[word.rfind(char::is_whitespace).map_or(0, |at| at + 1)..];
    let is_introduced = INTRODUCTIONS
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known));
    // A public key ends with a comment such as `ana@laptop`.
    let is_key = word.starts_with("AAAA") && word.len() > 30;
    let is_mail = before.ends_with('<') && after.starts_with('>');
    let is_computer = COMPUTERS.iter().any(|known| host.contains(known)) || host.ends_with("-pc");
    is_introduced || is_key || is_mail || is_computer
}
