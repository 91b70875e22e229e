//! Public content of a conversation is shown as plain text and passed on verbatim.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::{SENTINEL, asset, assets, conversation, document, transcript, with};
use crate::crawl::problems;
use crate::pictures::png;
use crate::support::{FIRST_SLUG, TestSite, codes};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR and the rest of the picture";

#[test]
fn the_public_part_of_a_conversation_is_shown_as_plain_text() {
    let site = with(transcript(
        &json!([
            { "role": "user", "content": "Write *pong* for <b>two</b>." },
            { "role": "assistant", "content": [
                { "type": "text", "text": "I will." },
                { "type": "text", "visibility": "internal", "text": SENTINEL },
                { "type": "tool_call", "name": "search", "visibility": "public", "arguments": { "q": "pong" } },
                { "type": "image", "asset_id": "shot", "title": "the field", "visibility": "public" },
                { "type": "image", "asset_id": "hidden", "title": "the plan", "visibility": "public" },
            ] },
            { "role": "tool_result", "content": SENTINEL },
            { "role": "assistant", "content": [{ "type": "reasoning", "visibility": "public", "text": SENTINEL }] },
            { "role": "user", "content": { "content": "Thanks." } },
        ]),
        &json!([
            asset("shot", "public", "assets/shot.png"),
            asset("hidden", "internal", "assets/plan.png")
        ]),
    ));
    site.write_first("assets/shot.png", PNG);
    site.write_first("assets/plan.png", [PNG, SENTINEL.as_bytes()].concat());
    assert_eq!(codes(&site.publish()), [""; 0]);
    assert_eq!(problems(&site.published()), [""; 0]);

    let page = site.first_page();
    assert_eq!(
        page.texts("ol.turns > li"),
        [
            "user Write *pong* for <b>two</b>.",
            "assistant I will. <tool_call:search> the field the plan (not published)",
            "user Thanks."
        ]
    );
    assert!(page.all("ol.turns b, ol.turns em").is_empty());
    page.says("3 turns, archived.");
    page.says("Withheld: 2 internal blocks; 1 private block; 1 internal asset.");

    assert_eq!(page.texts("#conversation ~ .scroll tbody tr").len(), 1);
    // The image is published once, named after its content.
    let name = format!("{}.png", &blake3_of(&site, "shot.png")[..16]);
    assert_eq!(assets(&site), [(name.clone(), PNG.to_vec())]);
    let image = page.one("ol.turns img");
    let source = image.attr("src").unwrap_or_default();
    assert!(source.ends_with(&format!("assets/{name}")), "{source}");
    assert_eq!(image.attr("alt"), Some("the field"));
}

#[test]
fn a_picture_of_a_conversation_says_how_large_it_is_shown() {
    let pictures = [
        ("flat", png(160, 90)),
        ("high", png(1080, 2400)),
        ("thin", png(1, 65_535)),
        ("none", png(0, 5)),
        ("vast", png(65_536, 5)),
        ("cut", png(160, 90)[..20].to_vec()),
    ];
    let blocks = pictures.each_ref().map(
        |(id, _)| json!({ "type": "image", "asset_id": id, "title": id, "visibility": "public" }),
    );
    let described = pictures
        .each_ref()
        .map(|(id, _)| asset(id, "public", &format!("assets/{id}.png")));
    let site = with(transcript(
        &json!([{ "role": "assistant", "content": blocks }]),
        &json!(described),
    ));
    for (id, bytes) in &pictures {
        site.write_first(&format!("assets/{id}.png"), bytes);
    }
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.first_page();
    let shown: Vec<_> = page
        .all("ol.turns img")
        .into_iter()
        .map(|image| ["alt", "width", "height", "loading"].map(|name| image.attr(name)))
        .collect();
    let lazy = Some("lazy");
    assert_eq!(
        shown,
        [
            [Some("flat"), Some("160"), Some("90"), lazy],
            [Some("high"), Some("216"), Some("480"), lazy],
            [Some("thin"), Some("1"), Some("480"), lazy],
            [Some("none"), None, None, lazy],
            [Some("vast"), None, None, lazy],
            [Some("cut"), None, None, lazy],
        ]
    );
}

/// The digest of an asset in run.json.
fn blake3_of(site: &TestSite, name: &str) -> String {
    let run = site.first_run();
    let files = run["files"].as_array().expect("an array").clone();
    files
        .iter()
        .find(|file| file["path"] == format!("assets/{name}"))
        .and_then(|file| file["blake3"].as_str())
        .unwrap_or_else(|| panic!("{name} is not among the files: {files:?}"))
        .to_owned()
}

#[test]
fn run_json_holds_the_public_blocks_and_counts_the_rest() {
    let block = json!({ "type": "tool_call", "visibility": "public", "name": "search", "arguments": { "n": 1.50, "q": ["a", null] } });
    let site = with(transcript(
        &json!([
            { "role": "assistant", "content": [block, { "type": "text", "visibility": "private", "text": SENTINEL }] },
            { "role": "user", "content": "plain" },
        ]),
        &json!([
            asset("gone", "public", "assets/gone.png"),
            asset("note", "public", "assets/note.svg"),
            asset("hidden", "internal", "assets/hidden.png"),
        ]),
    ));
    site.write_first("assets/note.svg", "<svg onload='alert(1)'/>");
    assert_eq!(codes(&site.publish()), ["transcript.missing-asset"]);
    let name = format!("{}.txt", &blake3_of(&site, "note.svg")[..16]);
    assert_eq!(
        document(&site),
        json!({
            "id": "tr-1", "state": "archived",
            "messages": [
                { "role": "assistant", "content": [block] },
                { "role": "user", "content": ["plain"] },
            ],
            "events": [],
            "assets": [
                { "id": "gone", "name": "name of gone", "kind": "image", "bytes": null, "path": null },
                { "id": "note", "name": "name of note", "kind": "image", "bytes": 24, "path": format!("runs/{FIRST_SLUG}/assets/{name}") },
            ],
            "withheld": { "internal": 0, "private": 1 },
            "withheldEvents": { "internal": 0, "private": 0 },
            "withheldAssets": { "internal": 1, "private": 0 },
        })
    );
    assert_eq!(
        assets(&site).len(),
        1,
        "a picture that could run something is text"
    );
}

#[test]
fn consecutive_text_blocks_of_a_turn_are_one_text() {
    let text = |text: &str| json!({ "type": "output_text", "text": text });
    let site = conversation(&json!([
        { "role": "assistant", "content": [
            text("La"), text(" Paz sits above sea level, with El Al"), text(""), text("to above it."),
            { "type": "tool_call", "name": "look", "visibility": "public" },
            text("Then"), { "type": "text", "visibility": "private", "text": SENTINEL }, text("more"),
            "\u{2014}or", "\u{2014}less",
        ] },
        { "role": "assistant", "content": "Another turn." },
    ]));
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.first_page();
    assert_eq!(
        page.texts("ol.turns > li p.plain"),
        [
            "La Paz sits above sea level, with El Alto above it.",
            "Then",
            "more\u{2014}or\u{2014}less",
            "Another turn.",
        ]
    );
    let blocks = document(&site)["messages"][0]["content"].clone();
    assert_eq!(blocks.as_array().map(Vec::len), Some(9), "{blocks}");
}

#[test]
fn a_text_in_many_blocks_is_cut_as_one() {
    let blocks = vec![json!("words "); 50_000];
    let site = conversation(&json!([{ "role": "user", "content": blocks }]));
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.first_page();
    let texts = page.texts("ol.turns > li p.plain");
    assert_eq!(texts.len(), 1);
    assert!((65_000..=65_536).contains(&texts[0].len()));
    page.says("The text continues in run.json.");
}

#[test]
fn a_conversation_takes_only_its_share_of_a_page() {
    let call = json!({ "type": "tool_call", "visibility": "public", "name": "<look>" });
    let tags = json!("<".repeat(60_000));
    let site = conversation(&json!([
        { "role": "assistant", "content": vec![call; 1_500] },
        { "role": "user", "content": tags },
        { "role": "user", "content": "The end." },
    ]));
    site.write("site.toml", "[limits]\npage = \"1 MiB\"\n");
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.first_page();
    assert_eq!(page.all("ol.turns > li").len(), 2);
    page.says("The text continues in run.json.");
    page.says("1 more turn in run.json.");
    let messages = document(&site)["messages"].as_array().map(Vec::len);
    assert_eq!(messages, Some(3));

    site.write("site.toml", "[limits]\npage = \"256 KiB\"\n");
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.first_page();
    let shown = page.all("ol.turns > li code").len();
    assert!((100..1_000).contains(&shown), "{shown}");
    page.says("The turn continues in run.json.");
    page.says("2 more turns in run.json.");
}

#[test]
fn a_block_without_a_name_has_the_label_of_harn() {
    let public =
        |kind: &str| json!({ "type": kind, "visibility": "public", "tool_use_id": "call-1" });
    let kinds = [
        "tool_call",
        "tool_result",
        "image",
        "input_image",
        "document",
        "plan",
    ];
    let site = conversation(&json!([{ "role": "assistant", "content": kinds.map(public) }]));
    assert_eq!(codes(&site.publish()), [""; 0]);
    assert_eq!(
        site.first_page().texts("ol.turns > li code"),
        [
            "<tool_call:tool>",
            "<tool_result:tool>",
            "<image:image>",
            "<image:image>",
            "<document:document>",
            "<plan>",
        ]
    );
}

#[test]
fn the_data_of_a_public_asset_is_published_as_a_file_of_its_real_type() {
    let picture = png(16, 9);
    let encoded = BASE64_STANDARD.encode(&picture);
    let block =
        |id: &str| json!({ "type": "file", "asset_id": id, "title": id, "visibility": "public" });
    let inline = |id: &str, mime_type: Option<&str>, data: Value| json!({ "id": id, "visibility": "public", "mime_type": mime_type, "data": data });
    let ids = ["shot", "link", "note", "page", "rows", "session"];
    let site = with(transcript(
        &json!([{ "role": "assistant", "content": ids.map(block) }]),
        &json!([
            inline("shot", Some("image/png"), json!(encoded)),
            inline("link", None, json!(format!("data:image/png;base64,{encoded}"))),
            inline("note", None, json!("plain words")),
            inline("page", Some("text/html"), json!("<script>alert(1)</script>")),
            inline("rows", None, json!({ "rows": [SENTINEL] })),
            inline("session", None, json!(format!("{{\"_type\": \"transcript\", \"x\": \"{SENTINEL}\"}}"))),
            { "id": "hidden", "data": SENTINEL },
        ]),
    ));
    let outcome = site.publish();
    assert_eq!(
        codes(&outcome),
        ["transcript.asset-withheld", "transcript.asset-withheld"]
    );
    assert_eq!(problems(&site.published()), [""; 0]);
    let mut published = assets(&site);
    published
        .sort_by_key(|(name, bytes)| (name.rsplit('.').next().map(str::to_owned), bytes.clone()));
    let bytes: Vec<&[u8]> = published
        .iter()
        .map(|(_, bytes)| bytes.as_slice())
        .collect();
    assert_eq!(
        bytes,
        [
            picture.as_slice(),
            b"<script>alert(1)</script>",
            b"plain words"
        ],
        "the same bytes are one file"
    );
    let page = site.first_page();
    assert_eq!(page.all("ol.turns img").len(), 2);
    assert_eq!(
        page.texts("ol.turns > li code"),
        ["rows (not published)", "session (not published)"]
    );
}

#[test]
fn a_run_without_a_transcript_has_no_conversation() {
    let site = TestSite::base();
    site.publish();
    assert!(site.first_page().all("#conversation").is_empty());
    assert!(document(&site).is_null());
}

#[test]
fn a_long_conversation_and_a_long_text_go_on_in_run_json() {
    let turns: Vec<Value> = (0..501)
        .map(|n| json!({ "role": "user", "content": if n == 0 { "long ".repeat(100_000) } else { format!("turn {n}") } }))
        .collect();
    let site = conversation(&json!(turns));
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.first_page();
    assert_eq!(page.all("ol.turns > li").len(), 500);
    let first = page.texts("ol.turns > li").remove(0);
    assert!(first.len() < 100_000 && first.contains("The text continues in run.json."));
    page.says("1 more turn in run.json.");
    let messages = document(&site)["messages"].as_array().map(Vec::len);
    assert_eq!(messages, Some(501));
}

#[test]
fn public_events_that_are_not_turns_are_beside_the_turns() {
    let site = with(
        r#"{"_type":"transcript","version":2,"messages":[{"role":"user","content":"Go."}],"events":[
            {"kind":"message","role":"user","visibility":"public","text":"Go."},
            {"kind":"plan","role":"assistant","visibility":"public","text":"First look, then write."},
            {"kind":"suspension","role":"system","visibility":"public","text":""},
            {"kind":"compaction","role":"system","visibility":"internal","text":"was 40 turns"},
            {"kind":"worker_note","visibility":"private","text":"no"}]}"#,
    );
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.first_page();
    assert_eq!(
        page.texts("ul.turns > li"),
        [
            "plan, assistant First look, then write.",
            "suspension, system"
        ]
    );
    let held = page.texts("section[aria-labelledby=conversation] > p.quiet:last-child");
    assert_eq!(held, ["Withheld: 1 internal event; 1 private event."]);
    let transcript = &site.first_run()["transcript"];
    assert_eq!(
        transcript["events"],
        serde_json::json!([
            {"kind": "plan", "role": "assistant", "text": "First look, then write."},
            {"kind": "suspension", "role": "system", "text": ""},
        ])
    );
    assert_eq!(
        transcript["withheldEvents"],
        serde_json::json!({"internal": 1, "private": 1})
    );
}
