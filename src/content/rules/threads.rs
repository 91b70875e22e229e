//! The reducer of the annotations channel, and the rules for its result (formats.md F and H.5).

use std::collections::{BTreeMap, BTreeSet};

use base::diagnostics::text::quoted;
use base::diagnostics::{CheckResult, Code, Collector, Diagnostic, LazyPlace, codes};
use formats::model::threads::{LineRange, Thread};
use formats::threads::{
    ActionEnvelope, AnnotationsState, CHANNEL, RecordedEntry, RecordedThread, ThreadAction,
};

/// The result of applying an action log to a state.
#[derive(Debug)]
pub struct ThreadState<'a> {
    /// URI of the channel, if known.
    pub channel: Option<String>,
    /// The threads after all actions.
    pub annotations: Vec<RecordedThread<'a>>,
}

/// The channel of the threads: the snapshot's, else the first annotations channel in the log.
pub fn channel(state: &AnnotationsState<'_>, envelopes: &[ActionEnvelope<'_>]) -> Option<String> {
    let mut logged = envelopes
        .iter()
        .filter(|envelope| !envelope.rejected)
        .filter_map(|envelope| envelope.channel.as_deref());
    let own = || logged.find(|channel| channel.ends_with(CHANNEL));
    state.channel.as_deref().or_else(own).map(str::to_owned)
}

/// Applies the action log at `path` to the state. Envelopes that were rejected, belong to another channel or are already in the
/// state have no effect. An action without an envelope belongs to the channel.
pub fn replay<'a>(
    path: &str,
    state: AnnotationsState<'a>,
    envelopes: Vec<ActionEnvelope<'a>>,
) -> CheckResult<ThreadState<'a>> {
    let mut diagnostics = duplicates(&state.annotations);
    let channel = channel(&state, &envelopes);
    let mut foreign: BTreeMap<String, (LazyPlace<'a>, usize)> = BTreeMap::new();
    let mut threads = IdList::new(state.annotations.into_iter().map(ThreadBuilder::new));
    for envelope in envelopes {
        let known = state
            .from_seq
            .zip(envelope.server_seq)
            .is_some_and(|(from, seq)| seq <= from);
        if envelope.rejected {
            continue;
        }
        match envelope.channel {
            Some(other) if channel.as_deref() != Some(&*other) => {
                let (_, count) = foreign
                    .entry(other.into_owned())
                    .or_insert((envelope.location, 0));
                *count += 1;
                continue;
            }
            _ if known => continue,
            _ => {}
        }
        if let ThreadAction::Set(annotation) = &envelope.action {
            duplicate_entries(annotation, &mut diagnostics);
            if threads.get(&annotation.id).is_none() && is_resolved(annotation) {
                diagnostics.add(&codes::THREADS_NEW_RESOLVED, || new_resolved(annotation));
            }
        }
        let location = envelope.location;
        if let Err(problem) = reduce(&mut threads, envelope.action) {
            diagnostics.add(problem.code, || {
                let place = location.place();
                problem.code.at(place, problem.message, problem.help)
            });
        }
    }
    for (other, (location, count)) in foreign {
        diagnostics.add(&codes::THREADS_FOREIGN_CHANNEL, || {
            other_channel(channel.as_deref(), &other, &location, count)
        });
    }
    let annotations: Vec<_> = threads.items().map(ThreadBuilder::finish).collect();
    for annotation in annotations
        .iter()
        .filter(|annotation| annotation.entries.is_empty())
    {
        diagnostics.add(&codes::THREADS_NO_ENTRIES, || {
            codes::THREADS_NO_ENTRIES.at(
                annotation.location.place(),
                format!("The thread {} has no entry", quoted(&annotation.id)),
                "Add an entry, or remove the thread.",
            )
        });
    }
    CheckResult {
        value: ThreadState {
            channel,
            annotations,
        },
        diagnostics: diagnostics.finish(path),
    }
}

/// The note about actions of another channel.
fn other_channel(
    own: Option<&str>,
    other: &str,
    location: &LazyPlace<'_>,
    count: usize,
) -> Diagnostic {
    let actions = if count == 1 {
        "1 action belongs".to_owned()
    } else {
        format!("{count} actions belong")
    };
    let help = own.map_or_else(
        || "Only channels that end in `/annotations` contain threads.".to_owned(),
        |own| {
            format!(
                "No action needed; the threads of {} are published.",
                quoted(own)
            )
        },
    );
    codes::THREADS_FOREIGN_CHANNEL.at(
        location
            .place()
            .pointing(format!("{}/channel", location.pointer)),
        format!(
            "{actions} to another channel, {}, and {} skipped",
            quoted(other),
            if count == 1 { "is" } else { "are" }
        ),
        help,
    )
}

/// Items in order, with lookup by id: the first one if the id is duplicated. Lookup time does not depend on their number.
struct IdList<T> {
    list: Vec<Option<T>>,
    index: BTreeMap<String, usize>,
}

/// An item with an id.
trait HasId {
    fn id(&self) -> &str;
}

impl<T: HasId> IdList<T> {
    fn new(items: impl IntoIterator<Item = T>) -> Self {
        let mut id_list = Self {
            list: Vec::new(),
            index: BTreeMap::new(),
        };
        for item in items {
            let at = id_list.list.len();
            id_list.index.entry(item.id().to_owned()).or_insert(at);
            id_list.list.push(Some(item));
        }
        id_list
    }

    fn get(&mut self, id: &str) -> Option<&mut T> {
        self.list[*self.index.get(id)?].as_mut()
    }

    fn set(&mut self, item: T) {
        if let Some(known) = self.get(item.id()) {
            *known = item;
        } else {
            self.index.insert(item.id().to_owned(), self.list.len());
            self.list.push(Some(item));
        }
    }

    fn remove(&mut self, id: &str) -> bool {
        self.index
            .remove(id)
            .is_some_and(|at| self.list[at].take().is_some())
    }

    fn items(self) -> impl Iterator<Item = T> {
        self.list.into_iter().flatten()
    }
}

/// A thread under construction.
struct ThreadBuilder<'a> {
    /// The thread as it was last set, without its entries.
    annotation: RecordedThread<'a>,
    entries: IdList<RecordedEntry<'a>>,
    /// The keys updated since.
    updated: BTreeMap<String, &'a str>,
}

impl HasId for RecordedEntry<'_> {
    fn id(&self) -> &str {
        &self.id
    }
}

impl HasId for ThreadBuilder<'_> {
    fn id(&self) -> &str {
        &self.annotation.id
    }
}

impl<'a> IdList<ThreadBuilder<'a>> {
    fn known(&mut self, id: &str) -> Result<&mut ThreadBuilder<'a>, ActionProblem> {
        self.get(id).ok_or_else(|| no_target("thread", id))
    }
}

impl<'a> ThreadBuilder<'a> {
    fn new(mut annotation: RecordedThread<'a>) -> Self {
        Self {
            entries: IdList::new(std::mem::take(&mut annotation.entries)),
            updated: BTreeMap::new(),
            annotation,
        }
    }

    fn finish(self) -> RecordedThread<'a> {
        let mut annotation = self.annotation;
        annotation.entries = self.entries.items().collect();
        for (key, value) in self.updated {
            let members = &mut annotation.members;
            match members.iter_mut().rfind(|(name, _)| *name == key) {
                Some(member) => member.1 = value,
                None => members.push((key, value)),
            }
        }
        annotation
    }
}

/// Why an action had no effect.
struct ActionProblem {
    code: &'static Code,
    message: String,
    help: &'static str,
}

/// The problem of an action whose thread or entry does not exist.
fn no_target(what: &str, id: &str) -> ActionProblem {
    let id = quoted(id);
    ActionProblem {
        code: &codes::THREADS_NO_TARGET,
        message: format!("The {what} {id} does not exist; the action is ignored"),
        help: "No action needed.",
    }
}

/// Applies one action.
fn reduce<'a>(
    threads: &mut IdList<ThreadBuilder<'a>>,
    action: ThreadAction<'a>,
) -> Result<(), ActionProblem> {
    match action {
        ThreadAction::Set(annotation) => threads.set(ThreadBuilder::new(annotation)),
        ThreadAction::Updated { id, members } => threads.known(&id)?.updated.extend(members),
        ThreadAction::Removed { id } => {
            if !threads.remove(&id) {
                return Err(no_target("thread", &id));
            }
        }
        ThreadAction::EntrySet { id, entry } => threads.known(&id)?.entries.set(entry),
        ThreadAction::EntryRemoved { id, entry } => {
            if !threads.known(&id)?.entries.remove(&entry) {
                return Err(no_target("entry", &entry));
            }
        }
        ThreadAction::Unknown(kind) => {
            return Err(ActionProblem {
                code: &codes::THREADS_UNKNOWN_ACTION,
                message: format!("Unknown action {}; it is ignored", quoted(&kind)),
                help: "No action needed; a newer client may have written it.",
            });
        }
    }
    Ok(())
}

/// The warning about a thread whose file is missing.
pub fn missing_resource(thread: &Thread<'_>) -> Diagnostic {
    codes::THREADS_MISSING_RESOURCE.at(
        thread.written.location.place(),
        format!(
            "The file {} is not in `implementation/`",
            quoted(&thread.resource)
        ),
        "Put the file there, or correct `resource` and `[files] workspace`.",
    )
}

/// The note about a thread whose file is hidden.
pub fn hidden_resource(thread: &Thread<'_>) -> Diagnostic {
    codes::THREADS_HIDDEN_RESOURCE.at(
        thread.written.location.place(),
        format!(
            "The lines of the hidden file {} are not published",
            quoted(&thread.resource)
        ),
        "No action needed; the thread is shown without its lines.",
    )
}

/// Warns of a range outside of a file of `lines` lines.
pub fn range_outside(thread: &Thread<'_>, lines: u64, problems: &mut Collector) {
    // A thread can refer to the one line of an empty file.
    let outside = |range: &LineRange| range.last < range.first || range.last > lines.max(1);
    let Some(range) = thread.range.filter(outside) else {
        return;
    };
    problems.add(&codes::THREADS_RANGE_OUTSIDE, || {
        let about = if range.first == range.last {
            format!("line {}", range.first)
        } else {
            format!("lines {} to {}", range.first, range.last)
        };
        codes::THREADS_RANGE_OUTSIDE.at(
            thread.written.location.place(),
            format!("The thread is about {about}, but the last line of the file is {lines}"),
            "Correct the range; lines count from 0 in this file.",
        )
    });
}

fn is_resolved(annotation: &RecordedThread<'_>) -> bool {
    let mut members = annotation.members.iter();
    members.any(|(key, raw)| key == "resolved" && *raw == "true")
}

/// The note about a new thread that is resolved.
fn new_resolved(annotation: &RecordedThread<'_>) -> Diagnostic {
    let place = annotation.location.place();
    let pointer = format!("{}/resolved", annotation.location.pointer);
    codes::THREADS_NEW_RESOLVED.at(
        place.pointing(pointer),
        format!(
            "The new thread {} is resolved from the start",
            quoted(&annotation.id)
        ),
        "Open a thread with `resolved: false`, and resolve it with `annotations/updated`.",
    )
}

fn duplicates(annotations: &[RecordedThread<'_>]) -> Collector {
    let mut problems = Collector::default();
    let mut ids = BTreeSet::new();
    for annotation in annotations {
        if !ids.insert(annotation.id.as_str()) {
            problems.add(&codes::THREADS_DUPLICATE_ID, || {
                codes::THREADS_DUPLICATE_ID.at(
                    annotation.location.place(),
                    format!("Duplicate thread id {}", quoted(&annotation.id)),
                    "Give each thread a unique id.",
                )
            });
        }
        duplicate_entries(annotation, &mut problems);
    }
    problems
}

/// Reports entries of a thread with duplicate ids.
fn duplicate_entries(annotation: &RecordedThread<'_>, problems: &mut Collector) {
    let mut entries = BTreeSet::new();
    for entry in &annotation.entries {
        if !entries.insert(entry.id.as_str()) {
            problems.add(&codes::THREADS_DUPLICATE_ID, || {
                codes::THREADS_DUPLICATE_ID.at(
                    annotation.location.place(),
                    format!(
                        "Duplicate entry id {1} in the thread {0}",
                        quoted(&annotation.id),
                        quoted(&entry.id)
                    ),
                    "Give each entry of a thread a unique id.",
                )
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::diagnostics::Source;
    use formats::threads::{parse_actions, parse_state};

    /// A state with the threads `a` (entries `1` and `2`) and `b` (entry `1`).
    const STATE: &str = r#"{"annotations":[
        {"id":"a","turnId":"t1","resource":"a.ts","resolved":false,"entries":[{"id":"1","text":"x"},{"id":"2","text":"y"}]},
        {"id":"b","turnId":"t1","resource":"b.ts","resolved":false,"entries":[{"id":"1","text":"z"}]}]}"#;

    /// Each thread as `id:turn:resource:resolved[entry=text,…]`, and the codes of all problems.
    fn after(actions: &str) -> (Vec<String>, Vec<&'static str>) {
        let (state, problems) = parse_state(Source::file("state", STATE.as_bytes()));
        assert!(problems.is_empty());
        let (envelopes, mut problems) = parse_actions("actions", actions.as_bytes(), None);
        problems.retain(|problem| problem.code != &codes::THREADS_NO_ACTION);
        assert!(problems.is_empty(), "{problems:?}");
        let checked = replay("actions", state, envelopes);
        let shown = checked.value.annotations.into_iter().map(|annotation| {
            let thread = formats::model::threads::from_annotation(annotation);
            let entries: Vec<_> = thread
                .entries
                .iter()
                .map(|e| format!("{}={}", e.id, e.text))
                .collect();
            format!(
                "{}:{}:{}:{}[{}]",
                thread.id,
                thread.turn.unwrap_or_default(),
                thread.resource,
                thread.resolved,
                entries.join(",")
            )
        });
        (
            shown.collect(),
            checked.diagnostics.iter().map(|d| d.code.name).collect(),
        )
    }

    const A: &str = "a:t1:a.ts:false[1=x,2=y]";
    const B: &str = "b:t1:b.ts:false[1=z]";

    fn check(actions: &str, threads: &[&str], codes: &[&str]) {
        assert_eq!(
            after(actions),
            (
                threads.iter().map(ToString::to_string).collect(),
                codes.to_vec()
            )
        );
    }

    #[test]
    fn set_appends_a_new_thread() {
        check(
            r#"{"type":"annotations/set","annotation":{"id":"c","turnId":"t2","resource":"c.ts","resolved":false,"entries":[{"id":"1","text":{"markdown":"m"}}]}}"#,
            &[A, B, "c:t2:c.ts:false[1=m]"],
            &[],
        );
    }

    #[test]
    fn set_replaces_a_known_thread_in_its_place() {
        check(
            r#"{"type":"annotations/set","annotation":{"id":"a","turnId":"t2","resource":"n.ts","resolved":true,"entries":[{"id":"9","text":"n"}]}}"#,
            &["a:t2:n.ts:true[9=n]", B],
            &[],
        );
    }

    #[test]
    fn removed_drops_a_thread_and_ignores_an_unknown_one() {
        check(
            "{\"type\":\"annotations/removed\",\"annotationId\":\"a\"}\n{\"type\":\"annotations/removed\",\"annotationId\":\"a\"}",
            &[B],
            &["threads.no-target"],
        );
    }

    #[test]
    fn entry_set_appends_and_replaces() {
        check(
            "{\"type\":\"annotations/entrySet\",\"annotationId\":\"a\",\"entry\":{\"id\":\"3\",\"text\":\"new\"}}\n{\"type\":\"annotations/entrySet\",\"annotationId\":\"a\",\"entry\":{\"id\":\"1\",\"text\":\"X\"}}",
            &["a:t1:a.ts:false[1=X,2=y,3=new]", B],
            &[],
        );
    }

    #[test]
    fn entry_set_on_an_unknown_thread_changes_nothing() {
        check(
            r#"{"type":"annotations/entrySet","annotationId":"gone","entry":{"id":"3","text":"new"}}"#,
            &[A, B],
            &["threads.no-target"],
        );
    }

    #[test]
    fn entry_removed_drops_an_entry_and_may_leave_none() {
        check(
            "{\"type\":\"annotations/entryRemoved\",\"annotationId\":\"a\",\"entryId\":\"1\"}\n{\"type\":\"annotations/entryRemoved\",\"annotationId\":\"b\",\"entryId\":\"1\"}\n{\"type\":\"annotations/entryRemoved\",\"annotationId\":\"b\",\"entryId\":\"1\"}",
            &["a:t1:a.ts:false[2=y]", "b:t1:b.ts:false[]"],
            &["threads.no-target", "threads.no-entries"],
        );
    }

    #[test]
    fn updated_resolves_and_keeps_the_entries() {
        check(
            r#"{"type":"annotations/updated","annotationId":"a","resolved":true}"#,
            &["a:t1:a.ts:true[1=x,2=y]", B],
            &[],
        );
    }

    #[test]
    fn an_unknown_action_changes_nothing() {
        check(
            r#"{"type":"annotations/starred","annotationId":"a"}"#,
            &[A, B],
            &["threads.unknown-action"],
        );
    }

    #[test]
    fn updated_moves_a_thread_to_another_turn_and_file() {
        check(
            r#"{"type":"annotations/updated","annotationId":"a","turnId":"t5","resource":"z.ts","resolved":null}"#,
            &["a:t5:z.ts:false[1=x,2=y]", B],
            &[],
        );
    }

    #[test]
    fn updated_on_an_unknown_thread_changes_nothing() {
        check(
            r#"{"type":"annotations/updated","annotationId":"gone","resolved":true}"#,
            &[A, B],
            &["threads.no-target"],
        );
    }

    #[test]
    fn the_turn_of_an_origin_counts_before_a_turn_id() {
        check(
            r#"{"type":"annotations/updated","annotationId":"b","origin":{"session":"ahp-session:/1","turnId":"t9"}}"#,
            &[A, "b:t9:b.ts:false[1=z]"],
            &[],
        );
    }

    #[test]
    fn rejected_and_foreign_actions_change_nothing() {
        check(
            "{\"channel\":\"ahp-session:/1/annotations\",\"serverSeq\":1,\"rejectionReason\":\"no\",\"action\":{\"type\":\"annotations/removed\",\"annotationId\":\"a\"}}\n{\"channel\":\"ahp-session:/1/other\",\"serverSeq\":2,\"action\":{\"type\":\"annotations/removed\",\"annotationId\":\"a\"}}",
            &[A, B],
            &["threads.foreign-channel"],
        );
    }

    #[test]
    fn a_json_rpc_notification_is_its_envelope_and_other_messages_are_counted() {
        check(
            concat!(
                r#"{"jsonrpc":"2.0","method":"action","params":{"channel":"s:/1/annotations","serverSeq":1,"action":{"type":"annotations/removed","annotationId":"a"}}}"#,
                "\n",
                r#"{"jsonrpc":"2.0","method":"action","params":{"channel":"s:/1/annotations","serverSeq":2,"rejectionReason":"no","action":{"type":"annotations/removed","annotationId":"b"}}}"#,
                "\n",
                r#"{"jsonrpc":"2.0","id":1,"result":{"snapshot":null}}"#,
                "\n",
                r#"{"jsonrpc":"2.0","method":"dispatchAction","params":{"action":{"type":"annotations/removed","annotationId":"b"}}}"#,
            ),
            &[B],
            &[],
        );
    }

    #[test]
    fn a_new_thread_that_is_resolved_is_noted_and_a_known_one_is_not() {
        let set = |id: &str| {
            format!(
                r#"{{"type":"annotations/set","annotation":{{"id":"{id}","turnId":"t2","resource":"c.ts","resolved":true,"entries":[{{"id":"1","text":"m"}}]}}}}"#
            )
        };
        check(
            &[set("c"), set("c"), set("b")].join("\n"),
            &[A, "b:t2:c.ts:true[1=m]", "c:t2:c.ts:true[1=m]"],
            &["threads.new-resolved"],
        );
    }

    #[test]
    fn actions_that_a_snapshot_holds_already_are_skipped() {
        let text = format!(
            "{{\"resource\":\"ahp-session:/1/annotations\",\"fromSeq\":5,\"state\":{STATE}}}"
        );
        let (state, problems) = parse_state(Source::file("state", text.as_bytes()));
        assert!(problems.is_empty());
        let log = "{\"serverSeq\":5,\"action\":{\"type\":\"annotations/removed\",\"annotationId\":\"a\"}}\n{\"serverSeq\":6,\"action\":{\"type\":\"annotations/removed\",\"annotationId\":\"b\"}}";
        let (envelopes, _) = parse_actions("actions", log.as_bytes(), state.channel.as_deref());
        let left: Vec<_> = replay("actions", state, envelopes)
            .value
            .annotations
            .into_iter()
            .map(|a| a.id)
            .collect();
        assert_eq!(left, ["a"]);
    }

    #[test]
    fn two_threads_of_one_id_are_an_error() {
        let text = STATE.replace("\"id\":\"b\"", "\"id\":\"a\"");
        let (state, _) = parse_state(Source::file("state", text.as_bytes()));
        let codes: Vec<_> = replay("actions", state, Vec::new())
            .diagnostics
            .iter()
            .map(|d| d.code.name)
            .collect();
        assert_eq!(codes, ["threads.duplicate-id"]);
    }
}
