//! Review threads as written: in `run.json`, and as lines of `threads.jsonl`.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::RawValue;

use base::shapes;
use formats::model::run::Run;
use formats::model::threads::{Thread, Threads};

use super::raw;

/// A thread as written.
#[derive(Debug, JsonSchema)]
#[schemars(rename = "Thread")]
pub struct ThreadDocument<'a> {
    #[schemars(skip)]
    members: Vec<(&'a str, Cow<'a, RawValue>)>,
    /// Its entries as written.
    #[schemars(with = "Vec<shapes::AsWritten>")]
    entries: Vec<Cow<'a, RawValue>>,
}

impl Serialize for ThreadDocument<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in &self.members {
            map.serialize_entry(key, value)?;
        }
        map.serialize_entry("entries", &self.entries)?;
        map.end()
    }
}

impl<'a> ThreadDocument<'a> {
    pub(super) fn new(thread: &'a Thread<'a>) -> serde_json::Result<Self> {
        let entries = thread
            .written
            .entries
            .iter()
            .map(|entry| raw(entry.raw))
            .collect::<serde_json::Result<_>>()?;
        let members = thread
            .written
            .members
            .iter()
            .filter(|(key, _)| key != "entries")
            .map(|(key, value)| Ok((key.as_str(), raw(value)?)))
            .collect::<serde_json::Result<_>>()?;
        Ok(Self { members, entries })
    }
}

/// A line of `threads.jsonl`: a thread as written, after all actions, with its run, channel and file.
#[derive(Debug, JsonSchema)]
#[schemars(rename = "ThreadLine", rename_all = "camelCase")]
pub struct ThreadLine<'a> {
    #[schemars(skip)]
    members: Vec<(&'a str, Cow<'a, RawValue>)>,
    /// Id of the run.
    run_id: &'a str,
    /// URI of the channel, if recorded.
    channel: Option<&'a str>,
    /// Path of the file below `implementation/`; null if it is not published.
    file: Option<&'a str>,
    /// Whether it is resolved, after all actions.
    resolved: bool,
    /// Its entries as written.
    #[schemars(with = "Vec<shapes::AsWritten>")]
    entries: Vec<Cow<'a, RawValue>>,
}

impl Serialize for ThreadLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in &self.members {
            map.serialize_entry(key, value)?;
        }
        map.serialize_entry("resolved", &self.resolved)?;
        map.serialize_entry("entries", &self.entries)?;
        map.serialize_entry("runId", self.run_id)?;
        map.serialize_entry("channel", &self.channel)?;
        map.serialize_entry("file", &self.file)?;
        map.end()
    }
}

/// The lines of a run, the newest thread first.
pub fn lines(run: &Run, threads: &Threads<'_>) -> serde_json::Result<String> {
    let mut lines = String::new();
    for thread in threads.threads.iter().rev() {
        let ThreadDocument { members, entries } = ThreadDocument::new(thread)?;
        let is_ours = |key: &str| matches!(key, "runId" | "channel" | "file" | "resolved");
        let line = ThreadLine {
            members: members
                .into_iter()
                .filter(|(key, _)| !is_ours(key))
                .collect(),
            run_id: &run.id,
            channel: threads.channel.as_deref(),
            file: thread.file.as_ref().map(|file| file.path.as_str()),
            resolved: thread.resolved,
            entries,
        };
        let mut line = serde_json::to_string(&line)?;
        // Values as written may have line breaks between their tokens, and nowhere else.
        line.retain(|character| !matches!(character, '\n' | '\r'));
        lines.push_str(&line);
        lines.push('\n');
    }
    Ok(lines)
}
