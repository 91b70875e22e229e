//! `OpenHands`: a conversation folder with one file per event, or an export of all events. There are two generations of events.

mod v0;
mod v1;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use base::diagnostics::codes::IMPORT_UNREADABLE_ENTRY;
use formats::trace::EditKind;

use super::chat::Chat;
use super::draft::{Draft, EventContent, Origin, RunIdSource};
use super::raw_json;
use super::row::Row;
use super::{EachRun, ImportOptions, LogSource, Problem};

pub fn runs(source: &LogSource, options: &ImportOptions, each: EachRun<'_>) {
    for conversation in conversations(source, 0..source.names().len()) {
        each(read(source, &conversation, options));
    }
}

/// A conversation in a source.
#[derive(Debug, Default)]
struct Conversation {
    /// Its folder, if that is in the source.
    folder: String,
    /// `base_state.json`.
    state: Option<usize>,
    /// Its events by number, or the file of an export.
    events: BTreeMap<(u64, usize), usize>,
    /// Files among its events whose names have no number.
    others: Vec<usize>,
}

/// Reads the first conversation whose folder is below another one; `None` if there is none.
pub fn read_below(
    source: &LogSource,
    files: Range<usize>,
    folder: &str,
    options: &ImportOptions,
) -> Option<Result<Draft, Problem>> {
    let conversation = conversations(source, files)
        .into_iter()
        .find(|conversation| conversation.folder.starts_with(folder))?;
    Some(read(source, &conversation, options))
}

/// Converts the events of one generation.
trait Generation {
    /// Reads an object. `Err` describes what it is not.
    fn event(&mut self, place: Origin, row: &Row<'_>) -> Result<(), &'static str>;
    /// The draft, to which problems are added.
    fn draft(&mut self) -> &mut Draft;
    /// Completes the draft after the last event.
    fn finish(self: Box<Self>) -> Draft;
}

/// The conversations of a source: folders with numbered events, or else every file.
fn conversations(source: &LogSource, files: Range<usize>) -> Vec<Conversation> {
    let mut found: BTreeMap<&str, Conversation> = BTreeMap::new();
    let mut others: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for position in files {
        let name = source.names()[position].as_str();
        let (path, file) = name.rsplit_once('/').unwrap_or(("", name));
        let folder = path.strip_suffix("events").unwrap_or("-");
        let end = &folder[folder.trim_end_matches('/').len()..];
        if folder == "-" || !matches!(end, "" | "/") {
            continue;
        }
        if let Some(number) = event_number(file) {
            let conversation = found.entry(folder).or_default();
            folder
                .trim_end_matches('/')
                .clone_into(&mut conversation.folder);
            conversation.events.insert((number, position), position);
        } else if file.strip_suffix(".json").is_some() {
            others.entry(folder).or_default().push(position);
        }
    }
    for (folder, conversation) in &mut found {
        conversation.state = source.position(&format!("{folder}base_state.json"));
        conversation.others = others.remove(folder).unwrap_or_default();
    }
    if !found.is_empty() {
        return found.into_values().collect();
    }
    super::shared::documents(source, ".json")
        .map(|position| Conversation {
            events: BTreeMap::from([((0, position), position)]),
            ..Conversation::default()
        })
        .collect()
}

/// The number in the name of an event file: `event-00017-….json`, or `17.json` before 1.0.
pub fn event_number(file: &str) -> Option<u64> {
    let stem = file.strip_suffix(".json")?;
    let digits = match stem.strip_prefix("event-") {
        Some(rest) => rest.split('-').next()?,
        None => stem,
    };
    digits.parse().ok()
}

fn read(
    source: &LogSource,
    conversation: &Conversation,
    options: &ImportOptions,
) -> Result<Draft, Problem> {
    let mut reader: Option<Box<dyn Generation + '_>> = None;
    let unnumbered = |position: &usize| {
        let message = "The file is no event: its name has no number";
        let help = "Everything else in the conversation is imported.";
        let name = &source.names()[*position];
        super::problem(&IMPORT_UNREADABLE_ENTRY, name, message, help)
    };
    let mut problems: Vec<_> = conversation.others.iter().map(unnumbered).collect();
    let mut sources = Vec::new();
    let mut any = false;
    let state = match conversation.state {
        Some(position) => {
            sources.push(position);
            let file = source.read(position)?;
            let text = raw_json::text(file.name, &file.bytes);
            let state = text.and_then(|text| {
                let row = Row::parse_object(file.name, &text)?;
                let mut draft = Draft::default();
                v1::check_numbers(&mut draft, row.row("stats"));
                for mut problem in draft.warnings {
                    file.name.clone_into(&mut problem.place.path);
                    problems.push(problem);
                }
                Ok(v1::ConversationState::of(&row))
            });
            state
                .map_err(|problem| problems.push(problem))
                .unwrap_or_default()
        }
        None => v1::ConversationState::default(),
    };
    let mut state = Some(state);
    let is_export = conversation.state.is_none()
        && conversation.folder.is_empty()
        && conversation.events.len() == 1;
    for position in conversation.events.values() {
        let index = sources.len();
        sources.push(*position);
        let file = source.read(*position)?;
        let text = raw_json::text(file.name, &file.bytes);
        let row = match &text {
            Ok(text) => Row::parse_file(file.name, text),
            Err(problem) => Err(problem.clone()),
        };
        let row = match row {
            Ok(row) => row,
            Err(problem) if is_export => return Err(problem),
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        let rows = rows(&row);
        if rows.is_empty() && !is_export {
            let message = "The file holds no event";
            let help = "Everything else in the conversation is imported.";
            let code = &IMPORT_UNREADABLE_ENTRY;
            problems.push(super::problem(code, file.name, message, help));
        }
        for (pointer, row) in rows {
            let place = Origin {
                file: index,
                pointer: pointer.clone(),
                ..Origin::default()
            };
            let reader = reader.get_or_insert_with(|| match state.take() {
                Some(state) if is_v1(&row) => Box::new(v1::EventReader::new(options, state)),
                _ => Box::new(v0::EventReader::new(options, &conversation.folder)),
            });
            let read = if row.is_object() {
                reader.event(place, &row)
            } else {
                Err("an event")
            };
            match read {
                Ok(()) => any = true,
                Err(wanted) => {
                    let pointer = pointer.unwrap_or_default();
                    problems.push(raw_json::unreadable(file.name, &pointer, wanted));
                }
            }
        }
    }
    let Some(mut reader) = reader.filter(|_| any) else {
        let first = conversation.events.values().next();
        let name = first.and_then(|position| source.names().get(*position));
        let name = name.map_or("", String::as_str);
        return Err(problems
            .pop()
            .unwrap_or_else(|| raw_json::unreadable(name, "", "a list of events")));
    };
    let draft = reader.draft();
    for problem in problems {
        draft.skip(problem);
    }
    draft.sources = sources;
    Ok(reader.finish())
}

/// The events of a file: a single one, or all of an export. Each has a pointer in an export.
fn rows<'a>(file: &Row<'a>) -> Vec<(Option<String>, Row<'a>)> {
    let (below, items): (_, Vec<Row<'_>>) = if file.is_array() {
        ("", file.items().collect())
    } else if file.is_list("items") {
        ("/items", file.rows("items").collect())
    } else {
        return vec![(None, file.clone())];
    };
    let items = items.into_iter().enumerate();
    items
        .map(|(number, row)| (Some(format!("{below}/{number}")), row))
        .collect()
}

fn is_v1(row: &Row<'_>) -> bool {
    let is_word = |key: &str| row.string(key).is_some();
    row.has("kind") || !(is_word("action") || is_word("observation"))
}

/// The id of a run whose source has a unique one: a UUID, with or without hyphens.
fn id(own: &str) -> RunIdSource {
    let digits: String = own.chars().filter(|c| *c != '-').collect();
    if digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return RunIdSource::Own(own.to_owned());
    }
    RunIdSource::in_files(Some(own.to_owned()))
}

/// Warns of metrics of a use of models that are not numbers.
fn check_numbers(draft: &mut Draft, metrics: &Row<'_>) {
    let counts = [
        "accumulated_token_usage.prompt_tokens",
        "accumulated_token_usage.cache_read_tokens",
        "accumulated_token_usage.cache_write_tokens",
        "accumulated_token_usage.completion_tokens",
        "accumulated_token_usage.reasoning_tokens",
    ];
    draft.check_numbers(metrics, &["accumulated_cost"], &counts);
}

/// Adds the summary that replaces earlier events in the context of the model.
fn condensation(
    chat: &mut Chat<'_>,
    place: &Origin,
    summary: Option<String>,
    forgotten: Option<u64>,
) {
    if let Some(summary) = summary {
        chat.prompt(place.clone(), "compactionSummaries", summary);
    }
    let compaction = EventContent::Compaction {
        trigger: None,
        tokens_before: None,
        forgotten,
    };
    chat.draft.push(place.clone(), compaction);
}

/// A file changed by a result, in either generation.
struct FileEdit<'a> {
    path: Option<String>,
    is_new: bool,
    old: Option<Cow<'a, str>>,
    new: Option<Cow<'a, str>>,
}

impl<'a> FileEdit<'a> {
    fn of(row: &Row<'a>) -> Self {
        Self {
            path: row.name("path"),
            is_new: row.flag("prev_exist") == Some(false),
            old: row.string("old_content"),
            new: row.string("new_content"),
        }
    }

    /// Adds the edit, if there is one.
    fn push(self, draft: &mut Draft, place: Origin, call: Option<String>) {
        let (Some(path), Some(new)) = (self.path, self.new) else {
            return;
        };
        draft.withhold("fileContents", 1 + u64::from(self.old.is_some()));
        let old = self.old.or_else(|| self.is_new.then(Cow::default));
        let edit = EventContent::Edit {
            call,
            path,
            change: if self.is_new {
                EditKind::Create
            } else {
                EditKind::Modify
            },
            to: None,
            diff: old.and_then(|old| super::diff::unified(&old, &new)),
        };
        draft.push(place, edit);
    }
}
