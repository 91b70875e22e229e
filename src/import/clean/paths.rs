//! Finds where a path begins and ends, in every spelling of its separators: plain, escaped for JSON, percent-encoded, as an HTML
//! entity, and in a JSON pointer.

/// A kind of separator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slash {
    Forward,
    Back,
}

/// Encoded separators. An encoding of a longer one comes first.
const ENCODED: [(&str, Slash); 11] = [
    ("%25252f", Slash::Forward),
    ("%25255c", Slash::Back),
    ("%252f", Slash::Forward),
    ("%255c", Slash::Back),
    ("%2f", Slash::Forward),
    ("%5c", Slash::Back),
    ("&#x2f;", Slash::Forward),
    ("&#47;", Slash::Forward),
    ("&#x5c;", Slash::Back),
    ("&#92;", Slash::Back),
    ("~1", Slash::Forward),
];

/// Separators as escapes of JSON and of programming languages, after their backslashes.
const ESCAPED: [(&str, Slash); 6] = [
    ("u0000002f", Slash::Forward),
    ("u0000005c", Slash::Back),
    ("u002f", Slash::Forward),
    ("u005c", Slash::Back),
    ("x2f", Slash::Forward),
    ("x5c", Slash::Back),
];

/// The parents of home folders on servers, in containers, and on disks of another system.
pub(super) const PARENTS: [&str; 25] = [
    "afs",
    "backup",
    "backups",
    "cluster",
    "data",
    "export",
    "file",
    "gpfs",
    "host",
    "host_mnt",
    "hostfs",
    "lustre",
    "mnt",
    "nas",
    "net",
    "nfs",
    "old",
    "private",
    "rootfs",
    "scratch",
    "storage",
    "system",
    "usr",
    "var",
    "windows.old",
];

/// Folders whose entries are disks.
const DISKS: [&str; 6] = [
    "media",
    "mnt",
    "volumes",
    "cygdrive",
    "wsl$",
    "wsl.localhost",
];

/// Maximum bytes that are searched backwards for the start of an address or a disk.
const NEAR: usize = 256;

/// Maximum folders above a home folder. What is above them is kept.
const FOLDERS: usize = 8;

/// The kind and the end of the separator that begins at a position. Several equal ones are one.
pub(super) fn separator(text: &str, at: usize) -> Option<(Slash, usize)> {
    let (kind, mut end) = one_separator(text, at)?;
    while let Some((_, next)) = one_separator(text, end).filter(|(next, _)| *next == kind) {
        end = next;
    }
    Some((kind, end))
}

fn one_separator(text: &str, at: usize) -> Option<(Slash, usize)> {
    let rest = text.as_bytes().get(at..)?;
    let escapes = run(rest, b'\\');
    let after = &rest[escapes..];
    let slashes = run(after, b'/');
    if slashes > 0 {
        return Some((Slash::Forward, at + escapes + slashes));
    }
    let codes: &[(&str, Slash)] = if escapes > 0 { &ESCAPED } else { &ENCODED };
    let code = codes.iter().find(|(code, _)| {
        let start = after.get(..code.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(code.as_bytes()))
    });
    match code {
        Some((code, slash)) => Some((*slash, at + escapes + code.len())),
        None => (escapes > 0).then_some((Slash::Back, at + escapes)),
    }
}

/// The end of two forward slashes that begin at a position, as in an address.
pub(super) fn double_separator(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    if bytes.get(at..at + 2)? == b"//" {
        return Some(at + 2);
    }
    let (slash, end) = separator(text, at)?;
    // These are the last characters of `\/`, `%2f` and `\u002f`.
    let slashes = bytes[at..end].iter();
    let slashes = slashes.filter(|byte| matches!(byte, b'/' | b'f' | b'F'));
    (slash == Slash::Forward && slashes.count() > 1).then_some(end)
}

fn run(bytes: &[u8], of: u8) -> usize {
    bytes.iter().take_while(|byte| **byte == of).count()
}

/// The kind and the start of the separator that ends at a position.
pub(super) fn separator_before(text: &str, end: usize) -> Option<(Slash, usize)> {
    let before = &text.as_bytes()[..end];
    let ends = |code: &str| {
        let start = end.checked_sub(code.len())?;
        before[start..]
            .eq_ignore_ascii_case(code.as_bytes())
            .then_some(start)
    };
    let unescaped = |start: usize| {
        let escapes = before[..start].iter().rev();
        start - escapes.take_while(|byte| **byte == b'\\').count()
    };
    for (code, slash) in ENCODED {
        if let Some(start) = ends(code) {
            return Some((slash, start));
        }
    }
    for (code, slash) in ESCAPED {
        if let Some(start) = ends(code).filter(|start| unescaped(*start) < *start) {
            return Some((slash, unescaped(start)));
        }
    }
    match before.last()? {
        b'/' => Some((Slash::Forward, unescaped(end - 1))),
        b'\\' => Some((Slash::Back, unescaped(end))),
        _ => None,
    }
}

/// Which folders may be above a path, as part of the same path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parents {
    /// None but `/private` of macOS.
    Nothing,
    /// A disk of Windows, also as `/c` and `/mnt/c`.
    Disk,
    /// Disks, shares, and the parents of home folders.
    Homes,
}

/// The start of the absolute path whose separator begins at a position; `None` inside a longer path.
pub(super) fn root(text: &str, at: usize, above: Parents) -> Option<usize> {
    absolute(text, at, above, 0)
}

/// `depth` is the number of folders that are already known to be above.
fn absolute(text: &str, at: usize, above: Parents, depth: usize) -> Option<usize> {
    let before = &text[..at];
    if let Some(disk) = disk(before) {
        return Some(disk);
    }
    // A server for development serves the whole disk below this name.
    if is_boundary(before) || before.ends_with("/@fs") {
        return Some(at);
    }
    let is_part = |c: char| is_name(c) || matches!(c, '.' | '$');
    let start = before.trim_end_matches(is_part).len();
    let parent = before[start..].to_ascii_lowercase();
    if above == Parents::Homes
        && let Some(start) = volume(before).or_else(|| in_address(before))
    {
        return Some(start);
    }
    let (_, outer) = separator_before(text, start)?;
    let up = &text[..outer];
    if parent == "private" && is_boundary(up) {
        return Some(outer);
    }
    if above == Parents::Nothing || parent.is_empty() {
        return None;
    }
    let grand = up[up.trim_end_matches(is_part).len()..].to_ascii_lowercase();
    let is_letter = parent.len() == 1 && parent.starts_with(|c: char| c.is_ascii_alphabetic());
    if DISKS.contains(&&*grand) && (is_letter || above == Parents::Homes) {
        let (_, start) = separator_before(text, outer - grand.len())?;
        let is_share = text[start..].starts_with(r"\\");
        return if is_share || is_boundary(&text[..start]) || depth >= FOLDERS {
            Some(start)
        } else {
            absolute(text, start, above, depth + 1)
        };
    }
    if is_letter {
        return is_boundary(up).then_some(outer);
    }
    if above == Parents::Disk {
        return None;
    }
    if let Some(share) = share(text, at, outer) {
        return Some(share);
    }
    if PARENTS.contains(&&*parent) {
        return if depth >= FOLDERS {
            Some(outer)
        } else {
            absolute(text, outer, above, depth + 1)
        };
    }
    None
}

/// The start of the share of a server, `\\\\server` or `//server/share`. `at` is the separator after its last folder, `outer` the
/// one before it.
fn share(text: &str, at: usize, outer: usize) -> Option<usize> {
    let length = |at: usize| separator(text, at).map_or(0, |(_, end)| end - at);
    let inner = length(at);
    // Each escape doubles both.
    let is_share = |outer: usize| {
        let outer = text[..outer].trim_end_matches(['/', '\\']).len();
        let is_free = text[..outer]
            .chars()
            .next_back()
            .is_none_or(|c| c != ':' && !is_name(c));
        (length(outer) > inner && is_free).then_some(outer)
    };
    if let Some(outer) = is_share(outer) {
        return Some(outer);
    }
    let is_part = |c: char| is_name(c) || matches!(c, '.' | '$');
    let server = text[..outer].trim_end_matches(is_part).len();
    let (_, start) = separator_before(text, server).filter(|_| server < outer)?;
    is_share(start)
}

/// The start of `/Volumes/Some Disk`.
fn volume(before: &str) -> Option<usize> {
    let near = before.ceil_char_boundary(before.len().saturating_sub(NEAR));
    let start = near + before[near..].rfind("/Volumes/")?;
    let disk = &before[start + "/Volumes/".len()..];
    let is_disk = !disk.is_empty() && !disk.contains(['/', '\n', '"']);
    (is_disk && is_boundary(&before[..start])).then_some(start)
}

/// The end of the text, if it is an address of files, such as `sftp://server`.
fn in_address(before: &str) -> Option<usize> {
    let near = before.ceil_char_boundary(before.len().saturating_sub(NEAR));
    let token = &before[near..];
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '(' | '`');
    let token = &token[token.rfind(is_end).map_or(0, |at| at + 1)..];
    let (scheme, _) = token.rsplit_once("://")?;
    let start = scheme.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '+');
    let scheme = scheme[start.len()..].to_ascii_lowercase();
    let is_web = matches!(&*scheme, "http" | "https" | "ws" | "wss" | "");
    (!is_web).then_some(before.len())
}

/// The start of a disk letter with its colon.
fn disk(before: &str) -> Option<usize> {
    let colons = [":", "%3a", "%253a", "%25253a"];
    let disk = colons.iter().find_map(|colon| {
        let start = before.len().checked_sub(colon.len())?;
        let is_colon = before.get(start..)?.eq_ignore_ascii_case(colon);
        is_colon.then(|| &before[..start])
    })?;
    let outer = disk.strip_suffix(|c: char| c.is_ascii_alphabetic())?;
    let is_one = !outer.ends_with(char::is_alphanumeric) || is_escape(outer);
    is_one.then_some(outer.len())
}

/// Whether a path can begin after this text.
pub(super) fn is_boundary(before: &str) -> bool {
    let Some(last) = before.chars().next_back() else {
        return true;
    };
    match last {
        '/' => {
            let head = before.trim_end_matches(['/', '\\']);
            let is_file = || {
                let head = head.as_bytes();
                head.len() > 4 && head[head.len() - 5..].eq_ignore_ascii_case(b"file:")
            };
            is_file() || !head.ends_with(':') && is_boundary(head)
        }
        '~' | '.' => false,
        last if is_name(last) => is_escape(before) || is_option(before),
        _ => true,
    }
}

/// Whether a text ends with the escape of something that is no part of a name: `\n`, `\u001b`, `%3D`, or a color of a terminal.
pub(super) fn is_escape(before: &str) -> bool {
    let bytes = before.as_bytes();
    let code = |length: usize, prefix: &str| {
        let start = bytes.len().checked_sub(length)?;
        let code = before.get(start..)?;
        let value = u32::from_str_radix(code, 16)
            .ok()
            .and_then(char::from_u32)?;
        let is_one = before[..start].ends_with(prefix);
        (is_one && !is_name(value)).then_some(())
    };
    if let [.., b'\\', b'n' | b't' | b'r' | b'b' | b'f'] = bytes {
        return true;
    }
    let codes = [(2, "%"), (2, "%25"), (2, "\\x"), (4, "\\u"), (8, "\\U")];
    if codes
        .iter()
        .any(|(length, prefix)| code(*length, prefix).is_some())
    {
        return true;
    }
    let color = before.strip_suffix(['m', 'K']).unwrap_or_default();
    let color = color.trim_end_matches(|c: char| c.is_ascii_digit() || c == ';');
    let color = color.strip_suffix('[').unwrap_or_default();
    ["\u{1b}", "1b", "1B", "033", "\\e", "^["]
        .iter()
        .any(|escape| color.ends_with(escape))
}

/// The start of a word in a range whose first characters may be the end of an escape: of `nana` after a backslash, `ana`.
pub(super) fn after_escape(text: &str, start: usize, end: usize) -> usize {
    let longest = end.min(start + "U00000000".len());
    (start + 1..=longest)
        .filter(|at| text.is_char_boundary(*at))
        .find(|at| is_escape(&text[..*at]))
        .unwrap_or(start)
}

/// Whether a text ends with an option that needs no space, such as `-I`, or with a side of a diff.
fn is_option(before: &str) -> bool {
    let word = before.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let length = before.len() - word.len();
    let is_start = |text: &str| text.is_empty() || text.ends_with([' ', '\n', '"', '\'', '\t']);
    match word.strip_suffix('-') {
        Some(outer) => length < 12 && is_start(outer),
        None => matches!(&before[word.len()..], "a" | "b") && is_start(word),
    }
}

/// Whether a path ends here, or continues with a subfolder.
pub(super) fn ends(text: &str, end: usize) -> bool {
    let mut after = text[end..].chars();
    match after.next() {
        Some('.') => !after.next().is_some_and(is_name),
        after => !after.is_some_and(is_name),
    }
}

/// A character of a name. Outside ASCII, everything but punctuation and spaces is.
pub(super) fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-') || is_mark(c)
}

/// A combining mark or another sign that belongs to a word.
pub(super) fn is_mark(c: char) -> bool {
    let is_punctuation = matches!(c,
        '\u{80}'..='\u{bf}' | '\u{2000}'..='\u{206f}' | '\u{2190}'..='\u{2bff}' | '\u{3000}'..='\u{303f}'
        | '\u{fe10}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}' | '\u{e000}'..='\u{f8ff}');
    !c.is_ascii() && !is_punctuation && !c.is_whitespace() && c != '\u{fffd}'
}

/// The end of a folder name that begins here. Spaces belong to it only if they are escaped.
pub(super) fn name(text: &str, start: usize) -> usize {
    let mut end = start;
    let mut solid = start;
    while let Some(c) = text[end..].chars().next() {
        let rest = &text[end..];
        let length = if is_name(c) || c == '+' {
            Some(c.len_utf8())
        } else {
            match c {
                '.' => {
                    end += 1;
                    continue;
                }
                '%' => percent(rest),
                '\\' => escape(rest),
                '@' => rest[1..].starts_with(is_name).then_some(1),
                // Windows has short names, such as `ANAMAR~1`.
                '~' => {
                    let is_short = text[..end].ends_with(|c: char| c.is_ascii_uppercase());
                    let digit = rest[1..].starts_with(|c: char| c.is_ascii_digit());
                    (is_short && digit).then_some(2)
                }
                _ => None,
            }
        };
        let Some(length) = length else { break };
        end += length;
        solid = end;
    }
    solid
}

/// The length of a percent-encoded character of a name.
fn percent(rest: &str) -> Option<usize> {
    let byte = u8::from_str_radix(rest.get(1..3)?, 16).ok()?;
    let is_one = byte >= 0x80 || byte == b' ' || is_name(char::from(byte));
    is_one.then_some(3)
}

/// The length of an escaped space, or of an escaped character outside ASCII.
fn escape(rest: &str) -> Option<usize> {
    let escapes = run(rest.as_bytes(), b'\\');
    let after = &rest[escapes..];
    if after.starts_with(' ') {
        return Some(escapes + 1);
    }
    let code = u32::from_str_radix(after.strip_prefix('u')?.get(..4)?, 16).ok()?;
    (code >= 0x80).then_some(escapes + 5)
}

/// The end of a folder of this name that begins here. Case does not matter, and spaces may be encoded.
pub(super) fn component(text: &str, start: usize, name: &str) -> Option<usize> {
    let mut at = start;
    for c in name.chars() {
        let rest = text.get(at..)?;
        let next = rest.chars().next()?;
        at += if next.eq_ignore_ascii_case(&c) {
            next.len_utf8()
        } else if c == ' ' {
            let escapes = run(rest.as_bytes(), b'\\');
            match () {
                () if rest.starts_with("%20") => 3,
                () if rest[escapes..].starts_with(' ') => escapes + 1,
                () => return None,
            }
        } else {
            return None;
        };
    }
    Some(at)
}

/// The folders of an absolute path, without a disk; `None` for a relative one.
pub(super) fn components(path: &str) -> Option<Vec<String>> {
    let path = match path.as_bytes() {
        [letter, b':', ..] if letter.is_ascii_alphabetic() => &path[2..],
        [b'/' | b'\\', ..] => path,
        _ => return None,
    };
    let mut names: Vec<String> = path
        .split(['/', '\\'])
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    let is = |at: usize, other: &[&str]| {
        let name: Option<&String> = names.get(at);
        name.is_some_and(|name| other.iter().any(|other| name.eq_ignore_ascii_case(other)))
    };
    let is_letter = |at: usize| {
        let name = names.get(at).map_or("", String::as_str);
        name.len() == 1 && name.starts_with(|c: char| c.is_ascii_alphabetic())
    };
    if is(0, &["mnt", "cygdrive"]) && is_letter(1) {
        names.drain(..2);
    } else if is_letter(0) && is(1, &super::homes::HOMES) {
        names.drain(..1);
    }
    Some(names)
}
