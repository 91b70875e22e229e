//! Transcripts: public content is shown and passed on, and nothing else leaves the file.

mod cases;
mod disguised;
mod messages;
mod secrets;
mod shown;
mod withheld;

use serde_json::{Value, json};

use crate::support::{FIRST_SLUG, TestSite};

/// Marks content that must not be published.
const SENTINEL: &str = "SENTINEL";

fn with(transcript: impl AsRef<[u8]>) -> TestSite {
    let site = TestSite::base();
    site.write_first("transcript.json", transcript);
    site
}

fn transcript(messages: &Value, assets: &Value) -> String {
    let document = json!({
        "_type": "transcript", "version": 2, "id": "tr-1", "state": "archived",
        "messages": messages, "assets": assets,
    });
    format!("{document:#}\n")
}

/// The base site with a transcript of these messages.
fn conversation(messages: &Value) -> TestSite {
    with(transcript(messages, &json!([])))
}

fn asset(id: &str, visibility: &str, path: &str) -> Value {
    json!({
        "_type": "transcript_asset", "id": id, "kind": "image", "visibility": visibility,
        "name": format!("name of {id}"), "storage": { "path": path },
    })
}

/// The conversation of the base run in run.json.
fn document(site: &TestSite) -> Value {
    site.first_run()["transcript"].clone()
}

/// Names of the published assets of the base run with their bytes.
fn assets(site: &TestSite) -> Vec<(String, Vec<u8>)> {
    let folder = format!("runs/{FIRST_SLUG}/assets/");
    site.published()
        .into_iter()
        .filter_map(|(path, bytes)| Some((path.strip_prefix(&folder)?.to_owned(), bytes)))
        .collect()
}
