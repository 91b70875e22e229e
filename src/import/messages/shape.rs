//! What lists of messages look like.

use super::super::row::Row;

/// Keys with the messages of a conversation, of which a document has one.
pub(super) const LISTS: [&str; 2] = ["messages", "records"];
/// Keys of a request and its response, which together are a conversation.
pub(super) const ITEMS: [&str; 2] = ["input", "output"];

/// Whether a value is a conversation: a list of messages, or an object with one.
pub fn is_conversation(row: &Row<'_>) -> bool {
    let is_message = |row: &Row<'_>| is_message(row);
    if row.is_array() {
        return row.items().any(|row| is_message(&row)) && row.items().all(|row| row.is_object());
    }
    let mut lists = LISTS.iter().chain(&ITEMS);
    lists.any(|key| row.rows(key).any(|row| is_message(&row)))
}

/// Whether a row is a message, or an item of a response.
pub fn is_message(row: &Row<'_>) -> bool {
    const TYPES: [&str; 3] = ["function_call", "function_call_output", "reasoning"];
    row.word("role").is_some() || TYPES.contains(&&*row.text("type"))
}

/// Whether a row begins a session trace of Hugging Face.
pub fn is_session(row: &Row<'_>) -> bool {
    row.text("type") == "session" && row.word("harness").is_some()
}

/// Whether the first lines of a file are messages, conversations, or those of a session trace.
pub fn is_jsonl(rows: &[Row<'_>]) -> bool {
    let first = rows.first();
    first.is_some_and(is_session) || rows.iter().all(is_message) || rows.iter().all(is_conversation)
}
