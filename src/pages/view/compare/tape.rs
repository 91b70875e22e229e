//! The data of a tape for comparisons: its events by kind, time and subject.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::view::Link;
use crate::view::timeline::Layout;
use base::links::{self, Slug};
use formats::config::Config;
use formats::model::tape::{Event, EventKind, Family, Tape};
use formats::model::workspace;

/// Maximum number of compared events per tape.
const EVENTS: usize = 10_000;
/// Maximum characters of a command or path. Longer ones are cut and end with a digest of the whole.
const KEY: usize = 96;
/// Maximum total bytes of commands and paths; events beyond that are omitted.
const KEYS: usize = 256 * 1024;

/// The data of a tape: its first 10,000 events at most.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TapeData<'a> {
    /// Prefix of its anchors; empty for the first tape.
    prefix: String,
    /// Events per page of the timeline.
    page_size: usize,
    kinds: Vec<KindData<'a>>,
    /// Commands and paths.
    keys: Vec<Cow<'a, str>>,
    /// Three numbers for each event: twice the index of its kind, plus one if it failed; tenths of a second since the previous
    /// event, null without a time; the index of its command or path, from 1, and 0 without one.
    events: Vec<Option<i64>>,
    /// Anchors that differ from the prefix, `e-` and the event's index, by index.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    anchors: Vec<(usize, String)>,
    /// Files of tool calls: the index of the event, and the path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    files: Vec<(usize, Cow<'a, str>)>,
}

/// A kind of event: its word, its family, and 1 if the subject of its events is a file path.
type KindData<'a> = (Cow<'a, str>, Cow<'a, str>, u8);

impl TapeData<'_> {
    /// The positions of its actions, each with the words by which actions of other tapes are compared with it.
    fn actions(&self) -> impl Iterator<Item = (usize, (&str, &str))> {
        let events = self.events.chunks_exact(3).enumerate();
        events.filter_map(|(position, event)| {
            let index = |number: Option<i64>| usize::try_from(number?).ok();
            let (kind, ..) = self.kinds.get(index(event[0])? / 2)?;
            let key = self.keys.get(index(event[2])?.checked_sub(1)?)?;
            Some((position, (&**kind, &**key)))
        })
    }

    /// The event at this position of a tape of a run: its number, and its address.
    fn link(&self, slug: &Slug, position: usize) -> Link {
        let mut anchors = self.anchors.iter();
        let anchor = anchors.find(|(at, _)| *at == position);
        let name = anchor.map_or_else(
            || format!("{}e-{position}", self.prefix),
            |(_, name)| name.clone(),
        );
        let page = links::events(slug, &self.prefix, 1 + position / self.page_size.max(1));
        let number = name.get(self.prefix.len() + 2..).unwrap_or_default();
        Link::new(format!("#{number}"), format!("{page}#{name}"))
    }
}

/// Where the actions of several tapes first differ.
#[derive(Debug)]
pub struct Divergence {
    /// How many actions all of them begin with.
    pub same: usize,
    /// The first other action, of the first tape that has one; `None` if all actions are the same.
    pub event: Option<Link>,
}

impl Divergence {
    /// Compares tapes of runs, each with the slug of its run. `None` for fewer than two.
    pub fn of(tapes: &[(&Slug, TapeData<'_>)]) -> Option<Self> {
        let ((_, first), others) = tapes.split_first().filter(|(_, rest)| !rest.is_empty())?;
        let first: Vec<_> = first.actions().map(|(_, words)| words).collect();
        let same = others.iter().map(|(_, tape)| {
            let pairs = first.iter().zip(tape.actions());
            pairs.take_while(|(a, (_, b))| *a == b).count()
        });
        let same = same.min()?;
        let event = tapes.iter().find_map(|(slug, tape)| {
            let (position, _) = tape.actions().nth(same)?;
            Some(tape.link(slug, position))
        });
        Some(Self { same, event })
    }
}

pub(super) fn tape_data<'a>(
    config: &Config,
    tape: &'a Tape<'_>,
    layout: &Layout<'_>,
) -> TapeData<'a> {
    let mut kinds: Vec<EventKind> = Vec::new();
    let mut keys: Vec<Cow<'_, str>> = Vec::new();
    let mut known: BTreeMap<Cow<'_, str>, usize> = BTreeMap::new();
    let (mut bytes, mut before) = (0, 0);
    let start = tape.first_time();
    let mut files = Vec::new();
    let mut anchors = Vec::new();
    let mut events = Vec::with_capacity(3 * tape.events.len().min(EVENTS));
    for (position, event) in tape.events.iter().take(EVENTS).enumerate() {
        let kind = kinds.iter().position(|kind| *kind == event.kind);
        let kind = kind.unwrap_or_else(|| {
            kinds.push(event.kind);
            kinds.len() - 1
        });
        let key = key(event, &config.files.workspace).map(|key| {
            *known.entry(key).or_insert_with_key(|key| {
                bytes += key.len();
                keys.push(key.clone());
                keys.len() - 1
            })
        });
        if bytes > KEYS {
            break;
        }
        for path in &event.files {
            let path = path_key(path, &config.files.workspace);
            bytes += path.len();
            if bytes > KEYS {
                break;
            }
            files.push((position, path));
        }
        let anchor = layout.anchor(event.seq, position);
        // Times are whole tenths since the start, so that the clock of the page shows the same second.
        let since = event.at.zip(start);
        let since = since.map(|(at, start)| at.saturating_sub(start).div_euclid(100));
        let after = since.map(|since| since - before);
        let kind = 2 * kind + usize::from(event.is_failure());
        let key = key.map_or(0, |key| key + 1);
        events.extend([number(kind), after, number(key)]);
        if !anchor.is_plain(position) {
            anchors.push((position, anchor.text()));
        }
        before = since.unwrap_or(before);
    }
    TapeData {
        prefix: layout.prefix.clone(),
        page_size: config.timeline.page_size,
        kinds: kinds
            .iter()
            .map(|kind| {
                let is_path = u8::from(names_a_path(*kind));
                (kind.word.into(), kind.family.word().into(), is_path)
            })
            .collect(),
        keys,
        events,
        anchors,
        files,
    }
}

fn number(of: usize) -> Option<i64> {
    i64::try_from(of).ok()
}

/// A text that identifies the action of an event in other runs: its command, path or query; `None` if it is not an action. One
/// agent names a file by its path in the working tree, another by its full path.
fn key<'a>(event: &'a Event<'_>, workspace: &[String]) -> Option<Cow<'a, str>> {
    let acts = matches!(
        event.kind.family,
        Family::Command | Family::Read | Family::Write | Family::Delegation
    );
    if !acts {
        return None;
    }
    let names_paths = matches!(event.kind.family, Family::Read | Family::Write);
    let key = if !names_paths {
        cut_key(on_one_line(&event.headline))
    } else if !event.files.is_empty() {
        // The headline of a tool call has the tool, then paths.
        let words = event.headline.split_whitespace();
        let words: Vec<_> = words.map(|word| path(word, workspace)).collect();
        cut_key(Cow::Owned(words.join(" ")))
    } else if names_a_path(event.kind) {
        path_key(&event.headline, workspace)
    } else {
        // A query is not a path: only the folder of the working tree is removed.
        let below = workspace::below(&event.headline, workspace);
        cut_key(on_one_line(below.unwrap_or(&event.headline)))
    };
    (!key.is_empty()).then_some(key)
}

/// Whether the subject of events of this kind is a file path.
fn names_a_path(kind: EventKind) -> bool {
    matches!(kind.word, "read" | "write" | "list" | "edit") || kind.word.starts_with("file_")
}

fn path_key<'a>(text: &'a str, workspace: &[String]) -> Cow<'a, str> {
    cut_key(match path(text, workspace) {
        Cow::Borrowed(text) => on_one_line(text),
        Cow::Owned(text) => Cow::Owned(on_one_line(&text).into_owned()),
    })
}

/// A normalized path: below the working tree, without `./`, doubled slashes and a trailing slash.
fn path<'a>(text: &'a str, workspace: &[String]) -> Cow<'a, str> {
    let mut path = workspace::below(text, workspace).unwrap_or(text);
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.trim_start_matches('/');
    }
    if path.len() > 1 {
        path = path.trim_end_matches('/');
    }
    if path.is_empty() {
        return Cow::Borrowed(".");
    }
    let is_plain = !path.contains("//") && !path.contains("/./") && !path.ends_with("/.");
    if is_plain {
        return Cow::Borrowed(path);
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    let parts = path.split('/').filter(|part| !matches!(*part, "" | "."));
    Cow::Owned(format!("{root}{}", parts.collect::<Vec<_>>().join("/")))
}

/// Names that are too long are distinguished by a digest.
fn cut_key(words: Cow<'_, str>) -> Cow<'_, str> {
    if words.len() <= KEY {
        return words;
    }
    let Some((end, _)) = words.char_indices().nth(KEY) else {
        return words;
    };
    let digest = blake3::hash(words.as_bytes()).to_hex();
    Cow::Owned(format!("{}…{}", &words[..end], &digest[..6]))
}

/// The text with single spaces between words.
fn on_one_line(text: &str) -> Cow<'_, str> {
    let is_plain = !text.starts_with(' ')
        && !text.ends_with(' ')
        && text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        && memchr::memmem::find(text.as_bytes(), b"  ").is_none();
    if is_plain {
        return Cow::Borrowed(text);
    }
    let words: Vec<_> = text.split_whitespace().collect();
    Cow::Owned(words.join(" "))
}
