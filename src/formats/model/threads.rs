//! Review threads about files of the produced working tree, after all actions.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::json::{JsonKind, Node};
use crate::threads::RecordedThread;

use super::{is_plain_path, workspace};

/// A higher number at the end of a turn's name belongs to an id.
const MAX_TURN: u64 = 99_999;

/// The threads of a run.
#[derive(Debug, Default)]
pub struct Threads<'a> {
    /// URI of the channel, if known.
    pub channel: Option<String>,
    /// The threads, in the channel's order.
    pub threads: Vec<Thread<'a>>,
}

impl Threads<'_> {
    /// Number of threads that are not resolved.
    pub fn open_count(&self) -> usize {
        let threads = self.threads.iter();
        threads.filter(|thread| !thread.resolved).count()
    }

    /// The last turn that the threads name. The protocol does not say it: it is the one with the highest number if the names
    /// differ in their number only. `None` if there are several turns in an unknown order.
    pub fn last_turn(&self) -> Option<&str> {
        let turns = self.threads.iter().filter_map(|it| it.turn.as_deref());
        let turns: BTreeSet<&str> = turns.collect();
        if turns.len() < 2 {
            return turns.into_iter().next();
        }
        let numbers = turns.iter().map(|turn| numbered(turn));
        let numbers = numbers.collect::<Option<Vec<_>>>()?;
        let (name, _) = numbers.first()?;
        let is_series = numbers.iter().all(|(other, _)| other == name);
        let last = turns.into_iter().zip(numbers);
        let last = last.max_by_key(|(_, (_, number))| *number);
        last.filter(|_| is_series).map(|(turn, _)| turn)
    }

    /// Number of entries in all threads.
    pub fn entry_count(&self) -> usize {
        self.threads.iter().map(|thread| thread.entries.len()).sum()
    }
}

#[derive(Debug)]
pub struct Thread<'a> {
    pub id: String,
    /// The file of the thread, as written.
    pub resource: String,
    /// The turn that produced the file: `origin.turnId`, else `turnId`.
    pub turn: Option<String>,
    /// The lines that the thread is about; `None` for the whole file.
    pub range: Option<LineRange>,
    pub resolved: bool,
    /// The entries, oldest first.
    pub entries: Vec<ReviewEntry>,
    /// The file, once it is read.
    pub file: Option<FileExcerpt>,
    /// The state as written, except for `entries`.
    pub written: RecordedThread<'a>,
}

/// Lines of a file, from 1, inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRange {
    pub first: u64,
    pub last: u64,
}

#[derive(Debug)]
pub struct ReviewEntry {
    pub id: String,
    pub text: String,
    /// Whether the text is Markdown.
    pub markdown: bool,
}

/// A file below `implementation/`.
#[derive(Debug, Clone)]
pub struct FileExcerpt {
    /// Its path below `implementation/`.
    pub path: String,
    /// The lines that the thread is about, with their numbers; truncated in number and length.
    pub lines: Vec<(u64, Arc<str>)>,
}

/// A turn's name without the number at its end, and the number.
fn numbered(turn: &str) -> Option<(&str, u64)> {
    let name = turn.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let number = turn[name.len()..].parse().ok()?;
    // The number at the end of a UUID is no number of turns.
    (number <= MAX_TURN).then_some((name, number))
}

/// Converts a checked annotation to a thread.
pub fn from_annotation(written: RecordedThread<'_>) -> Thread<'_> {
    let member = |key: &str| {
        let (_, raw) = written.members.iter().rfind(|(name, _)| name == key)?;
        Some(Node { raw, offset: 0 })
    };
    let text = |node: Option<Node<'_>>| Some(node?.as_str()?.into_owned());
    let origin_turn = text(member("origin").and_then(|origin| origin.get("turnId")));
    Thread {
        id: written.id.clone(),
        resource: text(member("resource")).unwrap_or_default(),
        turn: origin_turn.or_else(|| text(member("turnId"))),
        range: member("range").and_then(lines),
        resolved: member("resolved")
            .and_then(|node| node.as_bool())
            .unwrap_or_default(),
        entries: written
            .entries
            .iter()
            .map(|entry| from_entry(&entry.id, entry.raw))
            .collect(),
        file: None,
        written,
    }
}

fn from_entry(id: &str, raw: &str) -> ReviewEntry {
    let text = Node { raw, offset: 0 }.get("text");
    let markdown = text.is_some_and(|text| text.kind() == JsonKind::Object);
    let words = text.and_then(|text| {
        if markdown {
            text.get("markdown")?.as_str()
        } else {
            text.as_str()
        }
    });
    ReviewEntry {
        id: id.to_owned(),
        text: words.unwrap_or_default().into_owned(),
        markdown,
    }
}

/// Converts zero-based positions with an exclusive end to lines from 1: an end at character 0 is on the previous line
/// (formats.md, contradiction 21).
fn lines(range: Node<'_>) -> Option<LineRange> {
    let position = |end: &str| {
        let position = range.get(end)?;
        Some((
            position.get("line")?.as_u64()?,
            position.get("character")?.as_u64()?,
        ))
    };
    let ((first, _), (last, character)) = (position("start")?, position("end")?);
    let last = if character == 0 && last > first {
        last - 1
    } else {
        last
    };
    Some(LineRange {
        first: first.saturating_add(1),
        last: last.saturating_add(1),
    })
}

/// The path of a resource below `implementation/`, without `file://` and the workspace folder. `None` if it is elsewhere.
pub fn resource_path(resource: &str, workspace: &[String]) -> Option<String> {
    let is_uri = resource.strip_prefix("file://");
    let path = match is_uri {
        // In a file URI, an authority, usually empty, precedes the path.
        Some(rest) => percent_decoded(&rest[rest.find('/')?..])?,
        None if resource.contains("://") => return None,
        None => resource.to_owned(),
    };
    let below = match workspace::below(&path, workspace) {
        Some(below) => below,
        None if path.starts_with('/') => return None,
        None => &path,
    };
    is_plain_path(below).then(|| below.to_owned())
}

fn percent_decoded(text: &str) -> Option<String> {
    let is_byte = |rest: &str| {
        let digits = rest.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    let is_valid = text.split('%').skip(1).all(is_byte);
    let decoded = percent_encoding::percent_decode_str(text).decode_utf8();
    decoded.ok().filter(|_| is_valid).map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_stays_below_the_implementation() {
        let folders = ["/app", "/workspace"].map(str::to_owned);
        let path = |resource| resource_path(resource, &folders);
        assert_eq!(
            path("file:///workspace/src/a%20b.ts").as_deref(),
            Some("src/a b.ts")
        );
        assert_eq!(path("file:///app/src/a.ts").as_deref(), Some("src/a.ts"));
        assert_eq!(path("src/a.ts").as_deref(), Some("src/a.ts"));
        for outside in [
            "file:///etc/passwd",
            "file:///workspace/../etc/passwd",
            "file:///workspace/%2e%2e/x",
            "/workspace2/x",
            "https://example.org/x",
            "file:///workspace/",
            "file:///workspace/a//b",
            "",
            "../x",
            "file:///workspace/%zz",
            "file:///workspace/%+1",
        ] {
            assert_eq!(path(outside), None, "{outside}");
        }
    }

    #[test]
    fn an_end_at_the_first_character_belongs_to_the_line_before() {
        let range = |text: &'static str| lines(Node::parse(text).expect("valid"));
        assert_eq!(
            range("{\"start\":{\"line\":4,\"character\":2},\"end\":{\"line\":6,\"character\":0}}"),
            Some(LineRange { first: 5, last: 6 })
        );
        assert_eq!(
            range("{\"start\":{\"line\":4,\"character\":0},\"end\":{\"line\":4,\"character\":0}}"),
            Some(LineRange { first: 5, last: 5 })
        );
    }
}
