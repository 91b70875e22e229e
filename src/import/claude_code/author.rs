//! Finds out who wrote a message, where the log says so.

use super::super::row::Row;

/// Who wrote a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Author {
    /// The user, or the program that gave the task instead of one.
    User,
    /// Something else: the harness, a hook, another agent, a schedule.
    Harness,
    /// The log does not say it.
    Unstated,
}

/// The writer of a row. What one key excludes, no other key allows.
pub(super) fn of_row(row: &Row<'_>) -> Author {
    let flags = [
        "isMeta",
        "isVisibleInTranscriptOnly",
        "isVirtual",
        "isSynthetic",
        "turnCompanion",
        "verifiedSlackHumanTurn",
    ];
    let is_flagged = flags.iter().any(|flag| row.is_true(flag));
    if is_flagged || row.word("sourceToolUseID").is_some() {
        return Author::Harness;
    }
    strictest([
        by_origin(row),
        by_word(row.word("turnOrigin").as_deref()),
        match row.word("promptSource").as_deref() {
            Some("system") => Author::Harness,
            Some("typed" | "sdk") => Author::User,
            // Other words say how the text was entered.
            _ => Author::Unstated,
        },
    ])
}

/// The writer of a message that was queued while the agent worked.
pub(super) fn of_queued(queued: &Row<'_>) -> Author {
    let is_prompt = matches!(&*queued.text("commandMode"), "" | "prompt" | "bash");
    if queued.is_true("isMeta") || !is_prompt {
        return Author::Harness;
    }
    by_origin(queued)
}

fn strictest(writers: [Author; 3]) -> Author {
    let found = |wanted: Author| writers.contains(&wanted).then_some(wanted);
    let found = found(Author::Harness).or(found(Author::User));
    found.unwrap_or(Author::Unstated)
}

fn by_origin(row: &Row<'_>) -> Author {
    let origin = row.string("origin");
    by_word(origin.or_else(|| row.word("origin.kind")).as_deref())
}

/// The kinds of authors are an open list, so an unrecognized one is not the user.
fn by_word(word: Option<&str>) -> Author {
    match word {
        Some("human" | "sdk") => Author::User,
        // Such a turn of a person was copied, or came through another program.
        None | Some("unclassified") => Author::Unstated,
        Some(_) => Author::Harness,
    }
}
