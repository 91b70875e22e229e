//! Finds out who wrote a message, where the log says so.

use super::super::loose::{Content, Maybe};
use super::rows::{Attachment, Author, Row};

/// Who wrote a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writer {
    /// The user, or the program that gave the task instead of one.
    User,
    /// Something else: the harness, a hook, another agent, a schedule.
    Harness,
    /// The log does not say it.
    Unstated,
}

/// The writer of a row. What one key excludes, no other key allows.
pub(super) fn of_row(row: &Row<'_>) -> Writer {
    let flags = [
        row.is_meta,
        row.is_visible_in_transcript_only,
        row.is_virtual,
        row.is_synthetic,
        row.turn_companion,
        row.verified_slack_human_turn,
    ];
    let is_flagged = flags.into_iter().any(Maybe::is_set);
    if is_flagged || row.source_tool_use_id.get().is_some() {
        return Writer::Harness;
    }
    strictest([
        by_word(origin(&row.origin)),
        by_word(row.turn_origin.get()),
        match row.prompt_source.get() {
            Some("system") => Writer::Harness,
            Some("typed" | "sdk") => Writer::User,
            // Other words say how the text was entered.
            _ => Writer::Unstated,
        },
    ])
}

/// The writer of a message that was queued while the agent worked.
pub(super) fn of_queued(queued: &Attachment<'_>) -> Writer {
    let is_prompt = matches!(queued.command_mode.text(), "" | "prompt" | "bash");
    if queued.is_meta.is_set() || !is_prompt {
        return Writer::Harness;
    }
    by_word(origin(&queued.origin))
}

fn strictest(writers: [Writer; 3]) -> Writer {
    let found = |wanted: Writer| writers.contains(&wanted).then_some(wanted);
    let found = found(Writer::Harness).or(found(Writer::User));
    found.unwrap_or(Writer::Unstated)
}

fn origin<'r>(origin: &'r Content<'_, Author<'_>>) -> Option<&'r str> {
    match origin {
        Content::Text(word) => Some(word),
        Content::Object(author) => author.kind.get(),
        _ => None,
    }
}

/// The kinds of authors are an open list, so an unrecognized one is not the user.
fn by_word(word: Option<&str>) -> Writer {
    match word {
        Some("human" | "sdk") => Writer::User,
        // A turn of a person that was copied, or came through another program.
        None | Some("unclassified") => Writer::Unstated,
        Some(_) => Writer::Harness,
    }
}
