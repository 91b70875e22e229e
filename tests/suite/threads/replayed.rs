//! Action logs: their effects, and which actions are skipped.

use serde_json::{Value, json};

use super::{LINE_1, actions, plain, site, thread};
use crate::support::{TestSite, codes, lacks, messages_of};

#[test]
fn the_actions_are_replayed_over_the_state() {
    let site = site(&[
        thread("a", "src/main.ts", LINE_1, &["first"]),
        thread("b", "src/main.ts", None, &["to go"]),
    ]);
    let channel = "ahp-session:/1/annotations";
    let new = thread("c", "src/main.ts", None, &["new"]);
    let all = [
        json!({ "type": "annotations/removed", "annotationId": "b" }),
        json!({ "type": "annotations/entrySet", "annotationId": "a", "entry": plain("2", "second") }),
        json!({ "type": "annotations/set", "annotation": new }),
        json!({ "type": "annotations/updated", "annotationId": "a", "resolved": true }),
        json!({ "type": "annotations/removed", "annotationId": "a" }),
    ];
    let envelope = |(seq, action): (u32, Value)| json!({ "channel": channel, "serverSeq": seq, "action": action });
    let mut all: Vec<Value> = (1..).zip(all).map(envelope).collect();
    all[4]["rejectionReason"] = json!("no");
    actions(&site, &all);
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.first_page();
    page.says("2 threads, 1 open, 1 resolved, 3 entries");
    assert_eq!(
        page.texts("div.thread ol.entries > li"),
        ["new", "first", "second"]
    );
    assert_eq!(page.texts("div.thread .badge"), ["open", "resolved"]);
    lacks(&page.main(), "to go");
    let threads = &site.first_run()["threads"];
    assert_eq!(threads["resource"], channel);
    assert_eq!(threads["annotations"][0]["resolved"], true);
    assert_eq!(threads["annotations"][0]["entries"][1]["text"], "second");
}

#[test]
fn actions_of_another_channel_are_skipped_and_counted() {
    let start = [thread("a", "src/main.ts", None, &["kept"])];
    let remove = |channel: &str| {
        json!({ "channel": channel, "serverSeq": 9,
            "action": { "type": "annotations/removed", "annotationId": "a" } })
    };
    let (ours, other) = (
        "ahp-session:/1/annotations",
        "ahp-session:/other/annotations",
    );
    let reply = json!({ "channel": ours, "serverSeq": 8,
        "action": { "type": "annotations/entrySet", "annotationId": "a", "entry": plain("2", "ours") } });
    let noted = |outcome: &runpress::api::pipeline::Outcome| {
        assert_eq!(codes(outcome), ["threads.foreign-channel"]);
        messages_of(outcome)[0].to_owned()
    };

    // The channel is that of the snapshot, whatever the log begins with.
    let snapshot = site(&[]);
    snapshot.write_first(
        "annotations.json",
        json!({ "resource": ours, "fromSeq": 4, "state": { "annotations": start } }).to_string(),
    );
    actions(&snapshot, &[remove(other), remove(other), reply.clone()]);
    assert_eq!(
        noted(&snapshot.publish()),
        format!("2 actions belong to another channel, `{other}`, and are skipped")
    );
    assert_eq!(
        snapshot.first_page().texts("div.thread ol.entries > li"),
        ["kept", "ours"]
    );

    // Without a snapshot, it is that of the first annotations action that is not rejected.
    let state = site(&start);
    let mut rejected = remove(other);
    rejected["rejectionReason"] = json!("no");
    actions(&state, &[rejected, reply, remove(other)]);
    assert_eq!(
        noted(&state.publish()),
        format!("1 action belongs to another channel, `{other}`, and is skipped")
    );
    assert_eq!(
        state.first_page().texts("div.thread ol.entries > li"),
        ["kept", "ours"]
    );
    let threads = &state.first_run()["threads"];
    assert_eq!(threads["resource"], ours);
}

#[test]
fn an_action_log_alone_and_a_snapshot_are_enough() {
    let set = json!({ "type": "annotations/set", "annotation": thread("c", "src/main.ts", None, &["new"]) });
    let alone = site(&[]);
    alone.remove_first("annotations.json");
    actions(&alone, std::slice::from_ref(&set));
    assert_eq!(codes(&alone.publish()), [""; 0]);
    assert_eq!(
        alone.first_page().texts("div.thread ol.entries > li"),
        ["new"]
    );

    let snapshot = site(&[]);
    snapshot.write_first(
        "annotations.json",
        json!({ "resource": "ahp-session:/7/annotations", "fromSeq": 4,
            "state": { "annotations": [thread("s", "src/main.ts", None, &["kept"])] } })
        .to_string(),
    );
    actions(
        &snapshot,
        &[
            json!({ "serverSeq": 4, "action": { "type": "annotations/removed", "annotationId": "s" } }),
            json!({ "serverSeq": 5, "action": set }),
        ],
    );
    assert_eq!(codes(&snapshot.publish()), [""; 0]);
    assert_eq!(
        snapshot.first_page().texts("div.thread ol.entries > li"),
        ["kept", "new"]
    );
    let card = &snapshot.json("feeds/runs.json")["runs"][0]["threads"];
    assert_eq!(
        *card,
        json!({ "resource": "ahp-session:/7/annotations", "annotationCount": 2, "entryCount": 2, "openCount": 2, "resolvedCount": 0 })
    );
}

#[test]
fn two_entries_of_one_id_in_an_action_are_an_error_unless_the_action_is_skipped() {
    let set = |channel: &str, rejected: &str, second: &str| {
        format!(
            r#"{{"channel":"{channel}",{rejected}"action":{{"type":"annotations/set","annotation":{{"id":"t","turnId":"u","resource":"file:///workspace/a.js","resolved":false,"entries":[{{"id":"e","text":"one"}},{{"id":"{second}","text":"two"}}]}}}}}}"#
        )
    };
    let own = "ahp-session:/1/annotations";
    let first = set(own, "", "f");
    for (line, expected) in [
        (set(own, "", "e"), &["threads.duplicate-id"][..]),
        (set(own, r#""rejectionReason":"no","#, "e"), &[]),
        (
            set("ahp-session:/2/annotations", "", "e"),
            &["threads.foreign-channel"],
        ),
    ] {
        let site = TestSite::base();
        site.write_first("annotations.actions.jsonl", format!("{first}\n{line}\n"));
        site.write_first("implementation/a.js", "let a;\n");
        assert_eq!(codes(&site.check()), expected, "{line}");
    }
}

#[test]
fn what_another_channel_or_a_rejected_envelope_says_is_not_judged() {
    let site = TestSite::base();
    site.write(
        "content/runs/first/annotations.json",
        r#"{"resource":"ahp-session:/me/annotations","fromSeq":0,"state":{"annotations":[]}}"#,
    );
    site.write(
        "content/runs/first/annotations.actions.jsonl",
        concat!(
            r#"{"channel":"ahp-session:/other/annotations","serverSeq":1,"action":{"type":"annotations/set","annotation":{"id":"f","v2":"\ud83d"}}}"#,
            "\n",
            r#"{"channel":"ahp-session:/me/annotations","serverSeq":2,"rejectionReason":"invalid","action":{"type":"annotations/set","annotation":{"id":"f"}}}"#,
            "\n",
        ),
    );
    assert_eq!(codes(&site.check()), ["threads.foreign-channel"]);
}
