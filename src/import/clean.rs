//! Replaces absolute paths, names of people and hosts, addresses and credentials everywhere in a run.
//!
//! Every copied string is checked in decoded form, including keys and arguments of tools. Equal texts in a run get equal
//! replacements. Replacements are counted, and `--keep` turns them off.

mod address;
mod cut;
mod json;
mod paths;
mod replace;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::value::RawValue;

use super::asset::Asset;
use super::draft::{Agent, Call, Draft, Event, Id, Origin, Outcome, Record, ToolResult, What};
use super::{Keep, Options};

use replace::Replacer;

/// Replaces and cuts the texts of a draft, and replaces in the names of its source files.
pub(super) fn clean(draft: &mut Draft, sources: &mut [String], options: &Options) {
    let keeps_paths = options.keeps(Keep::Paths);
    let keeps_names = options.keeps(Keep::Identity);
    if !keeps_paths || !keeps_names {
        let mut replacer = Replacer::new(&draft.identity, !keeps_paths, !keeps_names);
        if !keeps_names {
            each(draft, sources, &mut |_, text| {
                replacer.learn(text);
                None
            });
        }
        replacer.learned();
        let mut ids = Ids::default();
        each(draft, sources, &mut |kind, text| {
            let new = replacer.replace(text);
            if kind == Text::Id {
                ids.note(text, new.as_deref());
            }
            new.filter(|_| kind == Text::Value)
        });
        if !ids.changed.is_empty() {
            let changed = ids.distinct();
            each(draft, sources, &mut |kind, text| {
                (kind == Text::Id).then(|| changed.get(text).cloned())?
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

/// What a string is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Text {
    /// An id that several events share.
    Id,
    /// Any other string.
    Value,
}

/// Returns the replacement of a string; `None` keeps it.
type Change<'f> = dyn FnMut(Text, &str) -> Option<String> + 'f;

/// Calls `f` with every copied string. A new field of a draft does not compile until it is added to its list here.
fn each(draft: &mut Draft, sources: &mut [String], f: &mut Change<'_>) {
    let Draft {
        record: of,
        sources: _,
        agents,
        events,
        withheld: _,
        warnings,
        unparsable: _,
        unknown_rows,
        assets,
        identity: _,
    } = draft;
    for name in sources {
        string(name, f);
    }
    record(of, f);
    for one in agents {
        agent(one, f);
    }
    for problem in warnings {
        string(&mut problem.message, f);
        string(&mut problem.help, f);
        option(&mut problem.place.pointer, f);
    }
    keys(unknown_rows, &mut |sum: &mut u64, count| *sum += count, f);
    for asset in assets {
        match asset {
            Asset::Text(text) => string(text, f),
            Asset::Image(..) => {}
        }
    }
    for one in events {
        event(one, f);
    }
}

fn record(record: &mut Record, f: &mut Change<'_>) {
    let Record {
        id: run,
        ids,
        format_version,
        case,
        case_version,
        harness,
        harness_version,
        models,
        started,
        finished,
        local_finished,
        run_time_seconds: _,
        tokens: _,
        cost: _,
        cost_estimated: _,
        lower_bounds: _,
        given: _,
        state: _,
        detail,
        outcomes,
        includes: _,
        unused,
    } = record;
    // A replaced id could be that of another run, so it is derived instead.
    if let Id::Own(own) = run
        && f(Text::Value, own).is_some()
    {
        *run = Id::Derived {
            names: vec![std::mem::take(own)],
            with_digests: false,
        };
    }
    keys(ids, &mut |_, _| (), f);
    for text in ids.values_mut().chain(models).chain(unused) {
        string(text, f);
    }
    for text in [
        format_version,
        case,
        case_version,
        harness,
        harness_version,
        started,
        finished,
        local_finished,
        detail,
    ] {
        option(text, f);
    }
    for outcome in outcomes {
        let Outcome {
            name,
            value,
            scorer,
            kind: _,
            valid: _,
            reason,
        } = outcome;
        string(name, f);
        json(value, f);
        option(scorer, f);
        option(reason, f);
    }
}

fn agent(agent: &mut Agent, f: &mut Change<'_>) {
    let Agent {
        id,
        name,
        parent,
        call,
        model,
    } = agent;
    change(Text::Id, id, f);
    option(name, f);
    id_option(parent, f);
    id_option(call, f);
    option(model, f);
}

fn event(event: &mut Event, f: &mut Change<'_>) {
    let Event {
        time,
        local_time,
        agent,
        branch,
        turn: _,
        assets: _,
        lower_bounds: _,
        what: content,
        source,
    } = event;
    option(time, f);
    option(local_time, f);
    id_option(agent, f);
    id_option(branch, f);
    what(content, f);
    let Origin {
        file: _,
        member,
        line: _,
        pointer,
        id,
    } = source;
    option(member, f);
    option(pointer, f);
    id_option(id, f);
}

fn what(what: &mut What, f: &mut Change<'_>) {
    match what {
        What::Message {
            role: _,
            text,
            model,
            phase: _,
            steering: _,
            images: _,
        } => {
            string(text, f);
            option(model, f);
        }
        What::Reasoning { text, summary: _ } => string(text, f),
        What::ToolCall(made) => call(made, f),
        What::ToolResult(made) => result(made, f),
        What::Edit {
            call,
            path,
            change: _,
            to,
            diff,
        } => {
            id_option(call, f);
            string(path, f);
            option(to, f);
            option(diff, f);
        }
        What::Subagent {
            action: _,
            id,
            name,
            call,
        } => {
            change(Text::Id, id, f);
            option(name, f);
            id_option(call, f);
        }
        What::Compaction {
            trigger,
            tokens_before: _,
            forgotten: _,
        } => option(trigger, f),
        What::Score {
            name,
            value,
            scorer,
        } => {
            string(name, f);
            json(value, f);
            option(scorer, f);
        }
        What::Error { message, code } => {
            string(message, f);
            option(code, f);
        }
        What::Note { kind, text } => {
            string(kind, f);
            option(text, f);
        }
        What::Usage {
            tokens: _,
            model,
            cost: _,
            calls,
        } => {
            option(model, f);
            for call in calls {
                change(Text::Id, call, f);
            }
        }
    }
}

fn call(made: &mut Call, f: &mut Change<'_>) {
    let Call {
        name,
        call,
        arguments,
        arguments_text,
        hosted: _,
        status,
    } = made;
    string(name, f);
    id_option(call, f);
    if let Some(arguments) = arguments {
        json(arguments, f);
    }
    option(arguments_text, f);
    option(status, f);
}

fn result(made: &mut ToolResult, f: &mut Change<'_>) {
    let ToolResult {
        call,
        ok: _,
        exit_code: _,
        exit_code_from: _,
        status,
        text,
        images: _,
        truncated: _,
    } = made;
    id_option(call, f);
    option(status, f);
    option(text, f);
}

/// Replaces the keys of a map, and merges the values of keys that become equal.
fn keys<V>(map: &mut BTreeMap<String, V>, merge: &mut dyn FnMut(&mut V, V), f: &mut Change<'_>) {
    let names: Vec<String> = map.keys().cloned().collect();
    for name in names {
        if let Some(new) = f(Text::Value, &name)
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

fn change(kind: Text, text: &mut String, f: &mut Change<'_>) {
    if let Some(changed) = f(kind, text) {
        *text = changed;
    }
}

fn string(text: &mut String, f: &mut Change<'_>) {
    change(Text::Value, text, f);
}

fn option(text: &mut Option<String>, f: &mut Change<'_>) {
    if let Some(text) = text {
        string(text, f);
    }
}

fn id_option(id: &mut Option<String>, f: &mut Change<'_>) {
    if let Some(id) = id {
        change(Text::Id, id, f);
    }
}

fn json(value: &mut Box<RawValue>, f: &mut Change<'_>) {
    if let Some(changed) = json::strings(value.get(), &mut |text| f(Text::Value, text))
        && let Ok(changed) = RawValue::from_string(changed)
    {
        *value = changed;
    }
}
