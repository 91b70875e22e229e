//! Replaces absolute paths, names of people and hosts, addresses and credentials everywhere in a run.
//!
//! Every copied string is checked in decoded form, including keys and arguments of tools. Equal texts in a run get equal
//! replacements. Replacements are counted, and `--keep` turns them off.

mod address;
mod cut;
mod homes;
mod paths;
mod replace;
mod terminal;

use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::value::RawValue;

use super::assets::Asset;
use super::draft::{
    AdapterOutcome, Draft, DraftEvent, EventContent, Origin, RecordDraft, RunIdSource, ToolCall,
    ToolResult, TraceAgent,
};
use super::row::end_of_string;
use super::{ImportOptions, Keep, Problem};

use replace::Replacer;

/// Replaces and cuts the texts of a draft, and replaces in the names of its source files.
pub(super) fn clean(draft: &mut Draft, sources: &mut [String], options: &ImportOptions) {
    let keeps_paths = options.keeps(Keep::Paths);
    let keeps_names = options.keeps(Keep::Identity);
    if !keeps_paths || !keeps_names {
        let mut replacer = Replacer::new(&draft.identity, !keeps_paths, !keeps_names);
        if !keeps_names {
            each(draft, sources, &mut |_, text| {
                replacer.collect_names(text);
                None
            });
        }
        replacer.use_names();
        let mut ids = Ids::default();
        each(draft, sources, &mut |kind, text| {
            let new = replacer.replace(text);
            if kind == StringKind::Id {
                ids.note(text, new.as_deref());
            }
            new.filter(|_| kind == StringKind::Value)
        });
        if !ids.changed.is_empty() {
            let changed = ids.distinct();
            each(draft, sources, &mut |kind, text| {
                (kind == StringKind::Id).then(|| changed.get(text).cloned())?
            });
        }
        draft.withhold("absolutePaths", replacer.paths);
        draft.withhold("names", replacer.names);
    }
    cut::cut(draft, sources);
}

/// Ids of calls, agents and branches. Replaced ones stay different where they were.
#[derive(Default)]
struct Ids {
    /// New ids, by the old ones.
    changed: BTreeMap<String, String>,
    unchanged: BTreeSet<String>,
}

impl Ids {
    fn note(&mut self, id: &str, new: Option<&str>) {
        match new {
            Some(new) if !self.changed.contains_key(id) => {
                self.changed.insert(id.to_owned(), new.to_owned());
            }
            None if !self.unchanged.contains(id) => {
                self.unchanged.insert(id.to_owned());
            }
            _ => {}
        }
    }

    /// The new ids, with a number where one of them is taken.
    fn distinct(self) -> BTreeMap<String, String> {
        let mut taken = self.unchanged;
        let mut numbers: BTreeMap<String, u64> = BTreeMap::new();
        let changed = self.changed.into_iter().map(|(old, base)| {
            let mut new = base.clone();
            let number = numbers.entry(base.clone()).or_insert(1);
            while !taken.insert(new.clone()) {
                *number += 1;
                new = format!("{base}-{number}");
            }
            (old, new)
        });
        changed.collect()
    }
}

/// Whether a string is an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StringKind {
    /// An id that several events share.
    Id,
    /// Any other string.
    Value,
}

/// Returns the replacement of a string; `None` keeps it.
type ReplaceString<'f> = dyn FnMut(StringKind, &str) -> Option<String> + 'f;

/// Calls a function for each field of a struct, in this order. A new field does not compile until it is named.
macro_rules! fields {
    ($f:ident, $value:ident => $type:path { $($field:ident: $call:path),* $(,)? }) => {{
        let $type { $($field: _),* } = &*$value;
        $($call(&mut $value.$field, $f);)*
    }};
}

/// Calls `f` with every copied string.
fn each(draft: &mut Draft, sources: &mut [String], f: &mut ReplaceString<'_>) {
    for name in sources {
        string(name, f);
    }
    fields! { f, draft => Draft {
        record: record, agents: agents, warnings: warnings, unknown_rows: unknown_rows, assets: assets, events: events,
        sources: skip, withheld: skip, unparsable: skip, identity: skip,
    } }
}

fn record(record: &mut RecordDraft, f: &mut ReplaceString<'_>) {
    fields! { f, record => RecordDraft {
        id: run_id, ids: ids, models: strings, unused: strings,
        format_version: option, case: option, case_version: option, harness: option, harness_version: option,
        started: option, finished: option, local_finished: option, detail: option, outcomes: outcomes,
        run_time_seconds: skip, tokens: skip, cost: skip, cost_estimated: skip, lower_bounds: skip, incomplete: skip, given: skip,
        state: skip, includes: skip,
    } }
}

/// Derives a run id that contains a replaced text, since with the replacement it could be that of another run.
fn run_id(id: &mut RunIdSource, f: &mut ReplaceString<'_>) {
    if let RunIdSource::Own(own) = id
        && f(StringKind::Value, own).is_some()
    {
        *id = RunIdSource::Derived {
            names: vec![std::mem::take(own)],
            with_digests: false,
        };
    }
}

fn ids(ids: &mut BTreeMap<String, String>, f: &mut ReplaceString<'_>) {
    keys(ids, &mut |_, _| (), f);
    for id in ids.values_mut() {
        string(id, f);
    }
}

fn unknown_rows(rows: &mut BTreeMap<String, u64>, f: &mut ReplaceString<'_>) {
    keys(rows, &mut |sum: &mut u64, count| *sum += count, f);
}

fn outcomes(outcomes: &mut [AdapterOutcome], f: &mut ReplaceString<'_>) {
    for outcome in outcomes {
        fields! { f, outcome => AdapterOutcome {
            name: string, value: json, scorer: option, reason: option, kind: skip, valid: skip,
        } }
    }
}

fn agents(agents: &mut [TraceAgent], f: &mut ReplaceString<'_>) {
    for agent in agents {
        fields! { f, agent => TraceAgent { id: id_string, name: option, parent: optional_id, call: optional_id, model: option } }
    }
}

fn warnings(warnings: &mut [Problem], f: &mut ReplaceString<'_>) {
    for problem in warnings {
        string(&mut problem.message, f);
        string(&mut problem.help, f);
        option(&mut problem.place.pointer, f);
    }
}

fn assets(assets: &mut [Asset], f: &mut ReplaceString<'_>) {
    for asset in assets {
        match asset {
            Asset::Text(text) => string(text, f),
            Asset::Image(..) => {}
        }
    }
}

fn events(events: &mut [DraftEvent], f: &mut ReplaceString<'_>) {
    for event in events {
        fields! { f, event => DraftEvent {
            time: option, local_time: option, agent: optional_id, branch: optional_id, what: event_content, source: origin,
            turn: skip, assets: skip, lower_bounds: skip,
        } }
    }
}

fn origin(origin: &mut Origin, f: &mut ReplaceString<'_>) {
    fields! { f, origin => Origin { member: option, pointer: option, id: optional_id, file: skip, line: skip } }
}

fn event_content(what: &mut EventContent, f: &mut ReplaceString<'_>) {
    /// As `fields`, for the variants of the enum.
    macro_rules! variants {
        ($($name:ident { $($field:ident: $call:path),* })*) => {
            match what {
                EventContent::ToolCall(made) => call(made, f),
                EventContent::ToolResult(made) => result(made, f),
                $(EventContent::$name { $($field),* } => { $($call($field, f);)* })*
            }
        };
    }
    variants! {
        Message { text: string, model: option, role: skip, phase: skip, steering: skip, images: skip }
        Reasoning { text: string, summary: skip }
        Edit { call: optional_id, path: string, to: option, diff: option, change: skip }
        Subagent { id: id_string, name: option, call: optional_id, action: skip }
        Compaction { trigger: option, tokens_before: skip, forgotten: skip }
        Score { name: string, value: json, scorer: option }
        Error { message: string, code: option }
        Note { kind: string, text: option }
        Usage { model: option, calls: id_strings, tokens: skip, cost: skip }
    }
}

fn call(made: &mut ToolCall, f: &mut ReplaceString<'_>) {
    fields! { f, made => ToolCall {
        name: string, call: optional_id, arguments: arguments, arguments_text: option, status: option, hosted: skip,
    } }
}

fn arguments(arguments: &mut Option<Box<RawValue>>, f: &mut ReplaceString<'_>) {
    if let Some(arguments) = arguments {
        json(arguments, f);
    }
}

fn result(made: &mut ToolResult, f: &mut ReplaceString<'_>) {
    fields! { f, made => ToolResult {
        call: optional_id, status: option, text: option,
        ok: skip, exit_code: skip, exit_code_from: skip, images: skip, truncated: skip,
    } }
}

/// Replaces the keys of a map, and merges the values of keys that become equal.
fn keys<V>(
    map: &mut BTreeMap<String, V>,
    merge: &mut dyn FnMut(&mut V, V),
    f: &mut ReplaceString<'_>,
) {
    let names: Vec<String> = map.keys().cloned().collect();
    for name in names {
        if let Some(new) = f(StringKind::Value, &name)
            && let Some(value) = map.remove(&name)
        {
            match map.entry(new) {
                Entry::Occupied(mut known) => merge(known.get_mut(), value),
                Entry::Vacant(free) => {
                    free.insert(value);
                }
            }
        }
    }
}

fn change(kind: StringKind, text: &mut String, f: &mut ReplaceString<'_>) {
    if let Some(changed) = f(kind, text) {
        *text = changed;
    }
}

/// Leaves a value as it is, which is not a text.
fn skip<T>(_: &mut T, _: &mut ReplaceString<'_>) {}

fn string(text: &mut String, f: &mut ReplaceString<'_>) {
    change(StringKind::Value, text, f);
}

fn strings(texts: &mut [String], f: &mut ReplaceString<'_>) {
    for text in texts {
        string(text, f);
    }
}

fn id_string(id: &mut String, f: &mut ReplaceString<'_>) {
    change(StringKind::Id, id, f);
}

fn id_strings(ids: &mut [String], f: &mut ReplaceString<'_>) {
    for id in ids {
        id_string(id, f);
    }
}

fn option(text: &mut Option<String>, f: &mut ReplaceString<'_>) {
    if let Some(text) = text {
        string(text, f);
    }
}

fn optional_id(id: &mut Option<String>, f: &mut ReplaceString<'_>) {
    if let Some(text) = id {
        change(StringKind::Id, text, f);
    }
}

fn json(value: &mut Box<RawValue>, f: &mut ReplaceString<'_>) {
    if let Some(changed) = json_strings(value.get(), &mut |text| f(StringKind::Value, text))
        && let Ok(changed) = RawValue::from_string(changed)
    {
        *value = changed;
    }
}

/// Calls `f` with every string of a valid JSON text, including keys. Returns the text if one of them changed: numbers keep their
/// digits, and keys their order.
fn json_strings(json: &str, f: &mut dyn FnMut(&str) -> Option<String>) -> Option<String> {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('"') {
        out.push_str(&rest[..at]);
        let (string, after) = rest[at..].split_at(end_of_string(&rest.as_bytes()[at..]));
        rest = after;
        let decoded: Option<Cow<'_, str>> = if string.contains('\\') {
            // Half of a surrogate pair cannot be decoded, and is kept.
            serde_json::from_str(string).ok().map(Cow::Owned)
        } else {
            string
                .get(1..string.len().saturating_sub(1))
                .map(Cow::Borrowed)
        };
        let changed = decoded.and_then(|text| f(&text));
        let changed = changed.and_then(|text| serde_json::to_string(&text).ok());
        out.push_str(changed.as_deref().unwrap_or(string));
    }
    out.push_str(rest);
    (out != json).then_some(out)
}
