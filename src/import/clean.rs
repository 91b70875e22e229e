//! Replaces absolute paths, names of people and hosts, addresses and credentials everywhere in a run.
//!
//! Every copied string is checked in decoded form, including keys and arguments of tools. Equal texts in a run get equal
//! replacements. Replacements are counted, and `--keep` turns them off.

mod cut;
mod json;
mod replace;

use serde_json::value::RawValue;

use super::asset::Asset;
use super::draft::{Draft, What};
use super::{Keep, Options};

use replace::Replacer;

/// Replaces and cuts the texts of a draft, and replaces in the names of its source files.
pub(super) fn clean(draft: &mut Draft, sources: &mut [String], options: &Options) {
    let keeps_paths = options.keeps(Keep::Paths);
    let keeps_names = options.keeps(Keep::Identity);
    if !keeps_paths || !keeps_names {
        let mut replacer = Replacer::new(&draft.identity, !keeps_paths, !keeps_names);
        if !keeps_names {
            each(draft, sources, &mut |text| {
                replacer.learn(text);
                None
            });
        }
        replacer.learned();
        each(draft, sources, &mut |text| replacer.replace(text));
        draft.withhold("absolutePaths", replacer.paths);
        draft.withhold("names", replacer.names);
    }
    cut::cut(draft, sources);
}

/// Returns the replacement of a string; `None` keeps it.
type Change<'f> = dyn FnMut(&str) -> Option<String> + 'f;

/// Calls `f` with every copied string.
fn each(draft: &mut Draft, sources: &mut [String], f: &mut Change<'_>) {
    let record = &mut draft.record;
    let sources = sources.iter_mut();
    let ids = record.ids.values_mut();
    let strings = sources.chain(ids).chain(&mut record.unused);
    let strings = strings.chain(&mut record.case).chain(&mut record.detail);
    for text in strings {
        string(text, f);
    }
    for outcome in &mut record.outcomes {
        option(&mut outcome.reason, f);
        value(&mut outcome.value, f);
    }
    for agent in &mut draft.agents {
        option(&mut agent.name, f);
    }
    for problem in &mut draft.warnings {
        string(&mut problem.message, f);
    }
    for asset in &mut draft.assets {
        if let Asset::Text(text) = asset {
            string(text, f);
        }
    }
    for event in &mut draft.events {
        what(&mut event.what, f);
    }
}

fn what(what: &mut What, f: &mut Change<'_>) {
    match what {
        What::Message { text, .. } | What::Reasoning { text, .. } => string(text, f),
        What::ToolCall(call) => {
            string(&mut call.name, f);
            option(&mut call.arguments_text, f);
            if let Some(arguments) = &mut call.arguments {
                value(arguments, f);
            }
        }
        What::ToolResult(result) => option(&mut result.text, f),
        What::Edit { path, to, diff, .. } => {
            string(path, f);
            option(to, f);
            option(diff, f);
        }
        What::Subagent { name, .. } => option(name, f),
        What::Compaction { trigger, .. } => option(trigger, f),
        What::Score { value: score, .. } => value(score, f),
        What::Error { message, code } => {
            string(message, f);
            option(code, f);
        }
        What::Note { text, .. } => option(text, f),
        What::Usage { .. } => {}
    }
}

fn string(text: &mut String, f: &mut Change<'_>) {
    if let Some(changed) = f(text) {
        *text = changed;
    }
}

fn option(text: &mut Option<String>, f: &mut Change<'_>) {
    if let Some(text) = text {
        string(text, f);
    }
}

fn value(value: &mut Box<RawValue>, f: &mut Change<'_>) {
    if let Some(changed) = json::strings(value.get(), f)
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
    use crate::import::draft::{Call, Draft, Identity, Origin, What};
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
