//! Discussions of a run: the public part of its transcript, and the review threads about its files.

use std::collections::BTreeMap;

use serde::Serialize;

use formats::config::Config;
use formats::model::threads::{LineRange, Thread, Threads};
use formats::model::transcript::{
    AssetFile, Conversation, PartContent, PublicAsset, TranscriptEvent, Turn, TurnPart,
    WithheldReasons,
};
use markup::Html;

use super::section_budget::SectionBudget;
use super::{Badge, Link, format};

/// The public part of a transcript.
#[derive(Debug, Serialize)]
pub struct ConversationView {
    /// `9 turns`
    pub count: String,
    pub turns: Vec<TurnView>,
    /// Number of further turns, which are only in run.json.
    pub more: Option<String>,
    /// Public events that are not turns.
    pub asides: Vec<TranscriptEventView>,
    /// Number of further events, which are only in run.json.
    pub more_asides: Option<String>,
    /// Its public assets.
    pub assets: Vec<AssetRow>,
    /// Number of further assets, which are only in run.json.
    pub more_assets: Option<String>,
    /// Counts of withheld parts, in words.
    pub withheld: Vec<String>,
}

#[derive(Debug, Serialize)]
pub struct TurnView {
    /// Its id on the page.
    pub anchor: String,
    /// The speaker.
    pub role: String,
    /// Its content.
    pub parts: Vec<TurnPartView>,
    /// Whether it is truncated; run.json has all of it.
    pub cut: bool,
}

/// A public event that is not a turn.
#[derive(Debug, Serialize)]
pub struct TranscriptEventView {
    /// `plan, assistant`
    pub label: String,
    pub text: String,
    /// Whether the text is truncated; run.json has all of it.
    pub cut: bool,
}

/// A public asset.
#[derive(Debug, Serialize)]
pub struct AssetRow {
    /// Its name, with the address of its file if that is published.
    pub file: Link,
    /// Its kind, as written.
    pub kind: String,
    /// `PNG`, `text`, or `not published`
    pub format: String,
    pub size: String,
    /// The turns that show it.
    pub turns: Vec<Link>,
}

/// A block, or consecutive text blocks: exactly one of the first three fields is set.
#[derive(Debug, Default, Serialize)]
pub struct TurnPartView {
    /// Plain text.
    pub text: Option<String>,
    /// A short form such as `<tool_call:search>`, or the name of something unpublished.
    pub label: Option<String>,
    /// An image or a file.
    pub file: Option<Link>,
    pub image: bool,
    /// Maximum display width of the image in CSS pixels, if its size is known; never 0.
    pub width: Option<u16>,
    /// The display height at that width.
    pub height: Option<u16>,
    /// Whether the text is truncated; run.json has all of it.
    pub cut: bool,
}

/// The review threads.
#[derive(Debug, Serialize)]
pub struct ThreadsView {
    /// `5 threads, 2 open, 3 resolved, 12 entries`
    pub summary: String,
    /// Threads by file, in path order.
    pub files: Vec<ThreadFile>,
    /// Number of further threads, which are only in run.json.
    pub more: Option<String>,
}

#[derive(Debug, Serialize)]
pub struct ThreadFile {
    /// Its path below `implementation/`, or the resource as written if it is elsewhere.
    pub path: String,
    /// Whether the file exists.
    pub present: bool,
    /// Its threads, by line.
    pub threads: Vec<ThreadView>,
}

#[derive(Debug, Serialize)]
pub struct ThreadView {
    /// Its id on the page.
    pub anchor: String,
    /// `resolved` or `open`.
    pub state: Badge,
    /// `lines 10 to 12`, `line 3` or `whole file`
    pub place: String,
    /// The turn that produced the file.
    pub turn: Option<String>,
    /// The lines of the thread: number and text.
    pub lines: Vec<(u64, String)>,
    /// Whether a turn after that of the thread may have changed the lines: only the final file is recorded.
    pub is_earlier_turn: bool,
    /// Number of further lines.
    pub more: Option<String>,
    pub entries: Vec<ThreadEntryView>,
    /// Number of further entries, which are only in run.json.
    pub more_entries: Option<String>,
}

/// An entry: finished Markdown, or plain text.
#[derive(Debug, Serialize)]
pub struct ThreadEntryView {
    /// Markdown, rendered.
    pub html: Option<Html>,
    /// Plain text.
    pub text: Option<String>,
    /// Whether it is truncated; run.json has all of it.
    pub cut: bool,
}

pub fn conversation(config: &Config, conversation: &Conversation<'_>) -> ConversationView {
    let (blocks, events) = (conversation.withheld, conversation.withheld_events);
    let assets = conversation.withheld_assets;
    let counts = [
        (blocks.internal, "internal block"),
        (blocks.private, "private block"),
        (events.internal, "internal event"),
        (events.private, "private event"),
        (assets.internal, "internal asset"),
        (assets.private, "private asset"),
    ];
    let mut withheld: Vec<_> = counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format::count(count, what))
        .collect();
    withheld.extend(because_of_messages("block", blocks.reasons));
    withheld.extend(because_of_messages("event", events.reasons));
    match conversation.unrecognized {
        0 => {}
        1 => withheld.push("all but the type of 1 block of an unrecognized type".to_owned()),
        n => withheld.push(format!(
            "all but the type of {n} blocks of unrecognized types"
        )),
    }
    if conversation.summary_withheld {
        let why = "the summary of earlier turns, because it may repeat private parts";
        withheld.push(why.to_owned());
    }
    let files = conversation
        .assets
        .iter()
        .filter_map(|asset| Some((asset.id.as_str(), asset.file.as_deref()?)));
    let files: BTreeMap<&str, _> = files.collect();
    let shown = config.timeline.page_size;
    let mut budget = SectionBudget::of(config);
    let shown_turns = conversation.turns.iter().take(shown).enumerate();
    let turns = budget.each(shown_turns, |budget, (index, turn)| {
        turn_view(format!("turn-{}", index + 1), &files, turn, budget)
    });
    let shown_asides = conversation.other_events.iter().take(shown);
    let asides = budget.each(shown_asides, |budget, aside| aside_view(aside, budget));
    let shown_assets = conversation.assets.iter().take(shown);
    let assets = budget.each(shown_assets, |budget, asset| {
        asset_row(asset, &conversation.turns[..turns.len()], budget)
    });
    let mut count = format::count(conversation.turns.len(), "turn");
    if conversation.state != "active" {
        // Most transcripts are active.
        count = format!("{count}, {}", budget.label(&conversation.state));
    }
    ConversationView {
        count,
        more_assets: format::rest(conversation.assets.len(), assets.len(), "more asset"),
        assets,
        more: format::rest(conversation.turns.len(), turns.len(), "more turn"),
        turns,
        more_asides: format::rest(conversation.other_events.len(), asides.len(), "more event"),
        asides,
        withheld,
    }
}

/// Says how many of the internal blocks or events are internal because of their whole message.
fn because_of_messages(what: &str, reasons: WithheldReasons) -> Option<String> {
    let counts = [
        (reasons.tool_results, "in tool results sent as messages"),
        (reasons.directives, "in directives"),
        (reasons.unpublished, "in unpublished drafts"),
        (reasons.next_to_tool_results, "next to tool results"),
    ];
    let counts: Vec<String> = counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, place)| format!("{count} {place}"))
        .collect();
    (!counts.is_empty()).then(|| format!("of the internal {what}s, {}", counts.join(", ")))
}

fn aside_view(aside: &TranscriptEvent<'_>, budget: &mut SectionBudget) -> TranscriptEventView {
    let words = [&*aside.kind, &*aside.role];
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let text = budget.text(&aside.text);
    TranscriptEventView {
        label: budget.label(&words.join(", ")),
        text: text.to_owned(),
        cut: text.len() < aside.text.len(),
    }
}

/// Most turns that are listed with an asset.
const TURNS: usize = 8;
/// Maximum height of an image in a conversation, in CSS pixels: `30rem` in the style sheet, at the default text size.
const HIGHEST: u16 = 480;

fn turn_view(
    anchor: String,
    files: &BTreeMap<&str, &AssetFile>,
    turn: &Turn<'_>,
    budget: &mut SectionBudget,
) -> TurnView {
    let role = budget.label(&turn.role);
    let mut blocks = turn.parts.iter().peekable();
    let mut parts = Vec::new();
    while let Some(part) = blocks.next_if(|_| !budget.is_full()) {
        parts.push(match &part.content {
            PartContent::Text(text) => {
                let rest = std::iter::from_fn(|| blocks.next_if(|part| part.continues));
                text_view(text, rest, budget)
            }
            PartContent::Label(label) => TurnPartView {
                label: Some(budget.label(label)),
                ..TurnPartView::default()
            },
            PartContent::Asset { id, label } => {
                asset_view(files.get(id.as_str()).copied(), budget.label(label))
            }
        });
    }
    let cut = blocks.peek().is_some();
    TurnView {
        anchor,
        role,
        parts,
        cut,
    }
}

/// The text of consecutive blocks, within the budget.
fn text_view<'p>(
    text: &str,
    rest: impl Iterator<Item = &'p TurnPart<'p>>,
    budget: &mut SectionBudget,
) -> TurnPartView {
    let mut whole = text.len();
    let mut text = budget.beginning(text).to_owned();
    for part in rest {
        if let PartContent::Text(more) = &part.content {
            // Truncated text cannot continue.
            if text.len() == whole && budget.beginning(&text).len() == whole {
                text.push_str(budget.beginning(more));
            }
            whole += more.len();
        }
    }
    let shown = budget.text(&text).to_owned();
    TurnPartView {
        cut: shown.len() < whole,
        text: Some(shown),
        ..TurnPartView::default()
    }
}

/// Shows an asset if both it and the block are public; otherwise only its name.
fn asset_view(file: Option<&AssetFile>, label: String) -> TurnPartView {
    let Some(file) = file else {
        return TurnPartView {
            label: Some(format!("{label} (not published)")),
            ..TurnPartView::default()
        };
    };
    let size = file.size.map(|size| size.no_higher_than(HIGHEST));
    TurnPartView {
        file: Some(Link::new(label, format!("assets/{}", file.name))),
        image: file.image,
        width: size.map(|size| size.width),
        height: size.map(|size| size.height),
        ..TurnPartView::default()
    }
}

/// An asset, with the turns that show it.
fn asset_row(asset: &PublicAsset<'_>, turns: &[Turn<'_>], budget: &mut SectionBudget) -> AssetRow {
    let shows = |part: &TurnPart<'_>| matches!(&part.content, PartContent::Asset { id, .. } if *id == asset.id);
    let turns = (1..).zip(turns);
    let turns = turns.filter(|(_, turn)| turn.parts.iter().any(shows));
    let link = |number: usize| Link::new(format!("turn {number}"), format!("#turn-{number}"));
    let turns: Vec<Link> = turns.map(|(number, _)| link(number)).take(TURNS).collect();
    budget.take(turns.len() * 48);
    let file = asset.file.as_deref();
    let name = budget.label(&asset.name);
    AssetRow {
        file: Link::new(
            name,
            file.map_or_else(String::new, |file| format!("assets/{}", file.name)),
        ),
        kind: budget.label(&asset.kind),
        format: match file.map(|file| file.name.rsplit('.').next().unwrap_or_default()) {
            Some("txt") => "text".to_owned(),
            Some("bin") => "binary".to_owned(),
            Some(ending) => ending.to_uppercase(),
            None => "not published".to_owned(),
        },
        size: file.map_or_else(String::new, |file| format::bytes(file.bytes())),
        turns,
    }
}

/// Renders the Markdown of an entry. The first argument is the prefix of its ids.
pub type RenderMarkdown<'a> = &'a dyn Fn(&str, &str) -> Html;

pub fn threads(
    config: &Config,
    threads: &Threads<'_>,
    markdown: RenderMarkdown<'_>,
) -> ThreadsView {
    let mut budget = SectionBudget::of(config);
    let all = &threads.threads;
    let open = threads.open_count();
    let last_turn = threads.last_turn();
    let shown = budget.each(all.iter().enumerate(), |budget, (index, thread)| {
        let mut view = thread_view(thread, index, budget, markdown);
        let is_earlier = thread.turn.is_some() && thread.turn.as_deref() != last_turn;
        view.is_earlier_turn = is_earlier && !view.lines.is_empty();
        (thread, view)
    });
    let more = format::more(all.len(), shown.len(), "thread");
    let mut files: BTreeMap<(bool, &str), Vec<(u64, ThreadView)>> = BTreeMap::new();
    for (thread, view) in shown {
        let path = thread
            .file
            .as_ref()
            .map_or(&thread.resource, |file| &file.path);
        let line = thread.range.map_or(0, |range| range.first);
        let threads = files.entry((thread.file.is_none(), path)).or_default();
        threads.push((line, view));
    }
    let file = |is_missing: bool, path: &str, mut threads: Vec<(u64, ThreadView)>| {
        threads.sort_by_key(|(line, _)| *line);
        ThreadFile {
            path: format::truncated(path, 4_096).to_owned(),
            present: !is_missing,
            threads: threads.into_iter().map(|(_, thread)| thread).collect(),
        }
    };
    ThreadsView {
        summary: format!(
            "{}, {open} open, {} resolved, {}",
            format::count(all.len(), "thread"),
            all.len() - open,
            format::count(threads.entry_count(), "entry")
        ),
        more,
        files: files
            .into_iter()
            .map(|((is_missing, path), threads)| file(is_missing, path, threads))
            .collect(),
    }
}

/// `lines 10 to 12`, `line 3` or `whole file`
pub fn place(range: Option<LineRange>) -> String {
    match range {
        None => "whole file".to_owned(),
        Some(LineRange { first, last }) if first == last => format!("line {first}"),
        Some(LineRange { first, last }) => format!("lines {first} to {last}"),
    }
}

/// `resolved` or `open`
pub fn state(is_resolved: bool) -> Badge {
    if is_resolved {
        Badge::new("resolved", "good")
    } else {
        Badge::new("open", "none")
    }
}

fn thread_view(
    thread: &Thread<'_>,
    index: usize,
    budget: &mut SectionBudget,
    markdown: RenderMarkdown<'_>,
) -> ThreadView {
    let lines = thread.file.iter().flat_map(|file| &file.lines);
    let lines: Vec<_> = lines
        .map(|(number, line)| (*number, budget.text(line).to_owned()))
        .collect();
    let left = thread
        .range
        .zip(lines.last())
        .map_or(0, |(range, (last, _))| range.last.saturating_sub(*last));
    let anchor = format!("thread-{}", index + 1);
    let all = thread.entries.iter().enumerate();
    let entries = budget.each(all, |budget, (number, entry)| {
        let text = budget.text(&entry.text);
        let scope = format!("{anchor}-{number}");
        let html = entry.markdown.then(|| markdown(&scope, text));
        budget.take(html.as_ref().map_or(0, |html| html.as_str().len()));
        ThreadEntryView {
            cut: text.len() < entry.text.len(),
            text: html.is_none().then(|| text.to_owned()),
            html,
        }
    });
    ThreadView {
        anchor,
        state: state(thread.resolved),
        place: place(thread.range),
        turn: thread.turn.as_ref().map(|turn| budget.label(turn)),
        more: (left > 0).then(|| format!("and {left} more lines")),
        lines,
        is_earlier_turn: false,
        more_entries: format::more(thread.entries.len(), entries.len(), "entry"),
        entries,
    }
}
