//! Joins consecutive events of one kind, and neighboring blocks of a message: a key may begin in the text of one and end in the next.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::strings::{JsonStrings, line};
use super::views::TextView;

/// Bytes scanned on each side of a seam.
const SIDE: usize = 256;
/// Bytes scanned where a private key begins.
const KEY: usize = 8 << 10;

/// Maximum bytes of joined texts scanned together.
const LONGEST: usize = 2 * KEY;

/// The joined ends of texts that follow each other.
struct JoinedText<'a, F: FnMut(&TextView)> {
    text: &'a [u8],
    view: TextView,
    each: F,
}

impl<F: FnMut(&TextView)> JoinedText<'_, F> {
    /// Joins a text with the one before it, or begins again if they do not belong together.
    fn add(&mut self, before: &Range<usize>, this: &Range<usize>) {
        let text = self.text;
        let Some(side) = side(&text[before.clone()], &text[this.clone()]) else {
            self.flush();
            return;
        };
        if self.view.parts() == 0 {
            let start = before.end.saturating_sub(side).max(before.start);
            self.view.push(text, start..before.end);
        }
        self.view
            .push(text, this.start..this.end.min(this.start + side));
        if this.len() > side || self.view.text.len() > LONGEST {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if self.view.parts() > 1 {
            (self.each)(&self.view);
        }
        self.view = TextView::default();
    }
}

/// Calls `each` with the joined ends of the texts of consecutive events.
pub fn join_events(text: &[u8], each: impl FnMut(&TextView)) {
    let mut joined = JoinedText {
        text,
        view: TextView::default(),
        each,
    };
    let mut last: Option<(Range<usize>, EventType<'_>, Option<Range<usize>>)> = None;
    let mut start = 0;
    while start < text.len() {
        let end = memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |found| start + found);
        let line = start..end;
        start = end + 1;
        let Some(event_type) = event_type(&text[line.clone()]) else {
            last = None;
            joined.flush();
            continue;
        };
        let mut longest_of_this = None;
        if let Some((line_before, type_before, longest_before)) = last.take()
            && type_before == event_type
        {
            let before = longest_before.or_else(|| longest(text, &line_before));
            longest_of_this = longest(text, &line);
            match (before, &longest_of_this) {
                (Some(before), Some(this)) => joined.add(&before, this),
                _ => joined.flush(),
            }
        } else {
            joined.flush();
        }
        last = Some((line, event_type, longest_of_this));
    }
    joined.flush();
}

/// Calls `each` with the joined ends of the texts of neighboring values of an array, such as the blocks of a message: pages show
/// them without anything between them.
pub fn join_items(text: &[u8], bounds: Range<usize>, each: impl FnMut(&TextView)) {
    let mut arrays: BTreeMap<usize, Vec<ItemText>> = BTreeMap::new();
    let mut strings = JsonStrings::of(&text[..bounds.end], bounds.start);
    let mut is_text = true;
    let mut is_named = false;
    while let Some((range, is_key)) = strings.next() {
        if is_key {
            is_text = !NO_TEXT.contains(&&text[range.clone()]);
            is_named = TEXT.contains(&&text[range]);
            continue;
        }
        let Some(item) = strings.item().filter(|_| is_text && !range.is_empty()) else {
            continue;
        };
        let this = ItemText {
            index: item.index,
            is_named,
            range,
        };
        let texts = arrays.entry(item.array).or_default();
        match texts.last_mut().filter(|last| last.index == this.index) {
            Some(last) if (last.is_named, last.range.len()) >= (is_named, this.range.len()) => {}
            Some(last) => *last = this,
            None => texts.push(this),
        }
    }
    let mut joined = JoinedText {
        text,
        view: TextView::default(),
        each,
    };
    for texts in arrays.values() {
        for pair in texts.windows(2) {
            if pair[0].index + 1 == pair[1].index {
                joined.add(&pair[0].range, &pair[1].range);
            } else {
                joined.flush();
            }
        }
        joined.flush();
    }
}

/// The text of a value of an array.
struct ItemText {
    index: usize,
    /// Whether its key says that it is a text.
    is_named: bool,
    range: Range<usize>,
}

/// As [`join_items`], in the lines of a file that have an array of objects.
pub fn join_items_of_lines(text: &[u8], mut each: impl FnMut(&TextView)) {
    let blank = |byte: &&u8| byte.is_ascii_whitespace();
    let mut seen = 0;
    for at in memchr::memchr_iter(b'{', text) {
        if at < seen {
            continue;
        }
        let mut before = text[seen..at].iter().rev().skip_while(blank);
        let follows =
            before.next() == Some(&b',') && before.find(|byte| !blank(byte)) == Some(&b'}');
        if follows {
            let line = line(text, at);
            seen = line.end;
            join_items(text, line, &mut each);
        }
    }
}

type EventType<'a> = &'a [u8];

static TYPE_KEYS: LazyLock<[Finder<'static>; 4]> = LazyLock::new(|| {
    ["\"type\":\"", "\"type\": \"", "\"kind\":\"", "\"role\":\""].map(Finder::new)
});

/// The type of an event, as written.
fn event_type(line: &[u8]) -> Option<EventType<'_>> {
    let seen = &line[..line.len().min(512)];
    let after = TYPE_KEYS
        .iter()
        .find_map(|word| Some(word.find(seen)? + word.needle().len()))?;
    let end = memchr::memchr(b'"', &seen[after..])?;
    Some(&seen[after..after + end])
}

/// Keys whose values are the text of a block.
const TEXT: [&[u8]; 5] = [b"text", b"content", b"message", b"value", b"output_text"];

/// Keys whose values are not text of an event or a block.
const NO_TEXT: [&[u8]; 10] = [
    b"timestamp",
    b"time",
    b"ts",
    b"type",
    b"kind",
    b"role",
    b"id",
    b"uuid",
    b"sessionId",
    b"visibility",
];

fn longest(text: &[u8], line: &Range<usize>) -> Option<Range<usize>> {
    let mut strings = JsonStrings::of(&text[..line.end], line.start);
    let mut longest: Option<Range<usize>> = None;
    let mut is_text = true;
    while let Some((range, is_key)) = strings.next() {
        if is_key {
            is_text = !NO_TEXT.contains(&&text[range]);
            continue;
        }
        let is_longer = longest
            .as_ref()
            .is_none_or(|longest| longest.len() < range.len());
        if is_text && is_longer && !range.is_empty() {
            longest = Some(range);
        }
    }
    longest
}

/// How many bytes of two texts may belong together. `None` if white space or the end of a sentence separates them.
fn side(before: &[u8], after: &[u8]) -> Option<usize> {
    let tail = &before[before.len().saturating_sub(KEY / 2)..];
    if memchr::memmem::find(tail, b"PRIVATE KEY").is_some() || tail.ends_with(b"-----BEGIN") {
        return Some(KEY);
    }
    let (last, first) = (*before.last()?, *after.first()?);
    let is_escape = before.len() > 1 && before[before.len() - 2] == b'\\';
    let is_sentence = last == b'.' && first.is_ascii_uppercase();
    (!is_escape && !is_sentence && is_value(last) && is_value(first)).then_some(SIDE)
}

const fn is_value(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'_' | b'-' | b'.' | b'=' | b'+' | b'/' | b'~' | b':' | b'@'
        )
}
