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

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::clean;
    use crate::formats::trace::Role;
    use crate::import::draft::{Call, Draft, Id, Identity, Origin, ToolResult, What};
    use crate::import::{Keep, Options};

    fn message(text: &str) -> Draft {
        let mut draft = Draft::default();
        let message = What::Message {
            role: Role::User,
            text: text.to_owned(),
            model: None,
            phase: None,
            steering: false,
            images: 0,
        };
        draft.push(Origin::default(), message);
        draft.identity = Identity {
            workspaces: vec!["/Users/ana/code/app".to_owned(), "/repo".to_owned()],
            users: vec!["bodil.k".to_owned()],
            hosts: vec!["anas-mac.local".to_owned()],
        };
        draft
    }

    fn cleaned(text: &str, keep: &[Keep]) -> String {
        let mut draft = message(text);
        let options = Options {
            keep: keep.to_vec(),
            ..Options::default()
        };
        clean(&mut draft, &mut [], &options);
        let What::Message { text, .. } = draft.events.remove(0).what else {
            return String::new();
        };
        text
    }

    #[test]
    fn absolute_paths_and_names_are_replaced_at_their_boundaries() {
        for (text, expected) in [
            ("cat /Users/ana/code/app/src/a.rs", "cat ./src/a.rs"),
            ("cd /Users/ana/code/app.", "cd .."),
            ("/Users/ana/code/apple /Users/ana/x", "~/code/apple ~/x"),
            (
                "file:///home/bo/x and x/home/bo",
                "file://~/x and x/home/bo",
            ),
            (
                "/repo/a /repository/b /x/repo/c",
                "./a /repository/b /x/repo/c",
            ),
            ("/root/x /rooted", "~/x /rooted"),
            (
                "/private/tmp/a /tmp/b /tmpfs x/tmp",
                "tmp/a tmp/b /tmpfs x/tmp",
            ),
            ("/var/folders/ab/cd12/T/x", "tmp/x"),
            (r"C:\Users\ana\x, C:\\Users\\ana\\x", r"~\x, ~\\x"),
            (
                "~/.claude/projects/-Users-ana-code-app/x",
                "~/.claude/projects/./x",
            ),
            (
                "-Users-ana-other and --home-page",
                "~-other and --home-page",
            ),
            (
                "by /home/carla: carla, carlas, x_carla",
                "by ~: user, carlas, x_carla",
            ),
            ("-home-carla-x of /home/carla", "~-x of ~"),
            ("bodil.k@anas-mac.local", "user@host"),
            ("login bodil.k on anas-mac.local", "login user on host"),
            ("Ana <ana.b+c@mail.example.org>", "Ana <user@host>"),
            (
                "https://me:s3cret@git.example.org/x.git",
                "https://git.example.org/x.git",
            ),
            (
                "git@github.com:a/b.git react@18.2.0 @types/node",
                "git@github.com:a/b.git react@18.2.0 @types/node",
            ),
            ("/usr/bin/env /etc/passwd", "/usr/bin/env /etc/passwd"),
        ] {
            assert_eq!(cleaned(text, &[]), expected, "{text}");
            assert_eq!(cleaned(text, &[Keep::Paths, Keep::Identity]), text);
        }
        let text = "/home/carla and ana@example.org";
        assert_eq!(cleaned(text, &[Keep::Paths]), "/home/user and user@host");
        assert_eq!(cleaned(text, &[Keep::Identity]), "~ and ana@example.org");
    }

    #[test]
    fn keys_and_escaped_strings_of_arguments_are_replaced_and_everything_else_stays_as_written() {
        let mut draft = message("");
        let arguments = "{\n \"/Users/ana/x\": [1.10, \"\\u002fUsers\\u002fana\\/y\", \"\\u00e9\"],\n \"a\":1e400}";
        let call = Call {
            arguments: RawValue::from_string(arguments.to_owned()).ok(),
            ..Call::default()
        };
        draft.push(Origin::default(), What::ToolCall(call));
        clean(&mut draft, &mut [], &Options::default());
        let What::ToolCall(call) = &draft.events[1].what else {
            panic!("a call")
        };
        let arguments = call.arguments.as_ref().expect("arguments").get();
        assert_eq!(arguments, r#"{"~/x":[1.10,"~/y","\u00e9"],"a":1e400}"#);
        assert_eq!(draft.withheld["absolutePaths"], 2);
    }

    /// Spellings of home folders, users and hosts. The name in them must be in no text.
    const SPELLINGS: &str = include_str!("../../tests/fixtures/spellings.json");

    #[test]
    fn no_spelling_of_a_home_folder_or_a_user_passes() {
        let spellings: Vec<String> = serde_json::from_str(SPELLINGS).expect("a list");
        let texts = spellings.iter().map(|text| (text, cleaned(text, &[])));
        let passed: Vec<_> = texts.filter(|(_, text)| text.contains("zelda")).collect();
        assert!(passed.is_empty(), "{passed:#?}");
    }

    #[test]
    fn the_whole_user_information_of_an_address_is_removed_and_nothing_else() {
        let long = "p".repeat(400);
        for password in [
            "a/b", "a'b", "a(b", "a<b", "a b", "a=b", "a?b", "p@q", "a/b@c", "12/ab", &long,
        ] {
            let text = format!("see https://zelda:{password}@git.example.org/x.git?a=b ok");
            let expected = "see https://git.example.org/x.git?a=b ok";
            assert_eq!(cleaned(&text, &[]), expected, "{password}");
        }
        for (text, expected) in [
            ("postgres://u:p/w@db:5432/x", "postgres://db:5432/x"),
            (r"https:\/\/u:p@example.org\/x", r"https:\/\/example.org\/x"),
        ] {
            assert_eq!(cleaned(text, &[]), expected);
        }
        for text in [
            "https://example.org/@scope/pkg",
            "https://example.org:8080/@scope/pkg@1.2.3",
            "http://localhost:3000/@vite/client",
            "https://example.org/x and react@latest, actions/checkout@v4, @types/node",
            "import x from 'y@1.0.0' // https://example.org",
            "GET /users/17 and /users/:id",
            "src/home/page.tsx and components/Users/List.tsx, https://example.org/users/list",
        ] {
            assert_eq!(cleaned(text, &[]), text);
        }
    }

    #[test]
    fn ids_and_every_other_word_of_a_log_are_replaced_and_different_ids_stay_different() {
        let mut draft = message("");
        let id = |name: &str| Some(format!("/home/{name}/1"));
        for name in ["zelda", "yoshi"] {
            let call = Call {
                name: "/home/zelda/tool".to_owned(),
                call: id(name),
                ..Call::default()
            };
            draft.push(Origin::default(), What::ToolCall(call));
            let result = ToolResult {
                call: id(name),
                status: Some("by /home/zelda".to_owned()),
                ..ToolResult::default()
            };
            draft.push(Origin::default(), What::ToolResult(result));
        }
        let kind = "/home/zelda/kind".to_owned();
        draft.push(Origin::default(), What::Note { kind, text: None });
        draft.record.models = vec!["/home/zelda/models/a".to_owned()];
        draft.record.harness_version = Some("1 by zelda@laptop".to_owned());
        draft.record.id = Id::Own("/home/zelda/run".to_owned());
        clean(&mut draft, &mut [], &Options::default());
        let calls: Vec<&str> = draft
            .events
            .iter()
            .filter_map(|event| match &event.what {
                What::ToolCall(call) => call.call.as_deref(),
                What::ToolResult(result) => result.call.as_deref(),
                _ => None,
            })
            .collect();
        assert_eq!(calls, ["~/1-2", "~/1-2", "~/1", "~/1"]);
        let events = serde_json::to_string(&draft.events).expect("JSON");
        assert!(!events.contains("zelda"), "{events}");
        assert_eq!(draft.record.models, ["~/models/a"]);
        assert_eq!(
            draft.record.harness_version.as_deref(),
            Some("1 by user@host")
        );
        assert!(matches!(draft.record.id, Id::Derived { .. }));
    }

    #[test]
    fn a_hundred_names_are_found_as_one_is() {
        let homes: String = (0..100).map(|n| format!("/home/person{n}/x ")).collect();
        let names: String = (0..100).map(|n| format!("person{n}, ")).collect();
        let text = format!("{homes}{names}person1000 Ana");
        let expected = format!(
            "{}{}person1000 Ana",
            "~/x ".repeat(100),
            "user, ".repeat(100)
        );
        assert_eq!(cleaned(&text, &[]), expected);
    }
}
