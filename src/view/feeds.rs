//! The archive-wide feeds: their addresses, contents and examples.

use serde::Serialize;

use super::format;
use crate::links;
use crate::model::FileDigest;

/// An archive-wide feed.
#[derive(Debug, Clone, Copy)]
pub struct Feed {
    /// Path from the site's root.
    pub path: &'static str,
    /// Whether it needs absolute addresses, so that a site without `base_url` does not have it.
    pub is_absolute: bool,
    /// A description of its content.
    holds: &'static str,
    shape: Shape,
    /// The jq filter in its example.
    picked: &'static str,
}

/// The syntax of a feed.
#[derive(Debug, Clone, Copy)]
enum Shape {
    /// One document, with its list under this key.
    Json(&'static str),
    /// One document per line.
    Lines,
    Csv,
    Xml,
}

/// Lists the feeds: path, shape, jq filter of the example, and description.
macro_rules! feeds {
    ($($name:ident = $path:expr, $shape:expr, $picked:literal, $holds:literal;)+) => {
        $(
            #[doc = $holds]
            pub const $name: Feed = Feed {
                path: $path,
                is_absolute: matches!($shape, Shape::Xml),
                holds: $holds,
                shape: $shape,
                picked: $picked,
            };
        )+
    };
}

feeds! {
    RUNS = "feeds/runs.json", Shape::Json("runs"), ".runs[] | [.slug, .state, .rating] | @tsv",
        "A card for each run, newest first: subject, metrics, checks, state, rating, and the number of annotations and review threads.";
    RUN_LINES = "feeds/runs.jsonl", Shape::Lines, "[.slug, .metrics.cost.comparable] | @tsv",
        "The same cards, one per line.";
    RUN_TABLE = "feeds/runs.csv", Shape::Csv, "",
        "The same runs as one flat table for spreadsheets. A value that was not recorded is an empty field; text that a spreadsheet would evaluate starts with an apostrophe.";
    CASES = "feeds/cases.json", Shape::Json("cases"), ".cases[] | [.name, .runs.count] | @tsv",
        "Every case: its versions and variants, and its runs by model, harness, state and rating.";
    MODELS = "feeds/models.json", Shape::Json("models"), ".models[] | [.name, .runs.count] | @tsv",
        "Every model: its runs by case, harness, state and rating.";
    HARNESSES = "feeds/harnesses.json", Shape::Json("harnesses"), ".harnesses[] | [.name, .runs.count] | @tsv",
        "Every harness: its versions, and its runs by case, model, state and rating.";
    ANNOTATIONS = "feeds/annotations.jsonl", Shape::Lines, "select(.kind == \"incorrect\") | [.runId, .event_id, .evidence] | @tsv",
        "Every annotation of the archive, as written, with its run, its tape and the digest of its event.";
    FRICTION = "feeds/friction.json", Shape::Json("events"), ".events[] | [.kind, .run_id] | @tsv",
        "Friction annotations as Harn’s friction events.";
    HYPOTHESES = "feeds/hypotheses.json", Shape::Json("hypotheses"), ".counts",
        "Every hypothesis, and the number per status.";
    CRYSTALLIZE = "feeds/crystallize.json", Shape::Json("anchors"), ".anchors[] | [.runId, .event_id, .end_event_id] | @tsv",
        "The steps that should become a tool or a skill.";
    THREADS = "feeds/threads.jsonl", Shape::Lines, "select(.resolved | not) | [.runId, .file, .id] | @tsv",
        "Every review thread of the archive, as written, with its run and its file; newest run first, and within a run the newest thread first.";
    CHANGES = crate::ledger::PATH, Shape::Json("builds"), ".builds[] | [.build, .runs, (.added | length), (.withdrawn | length)] | @tsv",
        "What each build added, changed and withdrew, and the state that the next build is compared with.";
    DIAGNOSTICS = "feeds/diagnostics.json", Shape::Json("diagnostics"), ".summary",
        "Every error, warning and note of the build.";
    JSON_FEED = "feeds/feed.json", Shape::Json("items"), ".items[] | [.date_published, .title] | @tsv",
        "The newest runs with their writeups, as JSON Feed 1.1, for feed readers.";
    ATOM = "feeds/atom.xml", Shape::Xml, "",
        "The newest runs with their writeups, as Atom, for feed readers.";
}

#[derive(Debug, Serialize)]
pub struct FeedsPage {
    /// The site's address, or a placeholder in the examples.
    pub base: String,
    /// Whether the address is the site's own.
    pub is_known: bool,
    /// `25 runs`
    pub runs: String,
    pub index: FeedView,
    pub feeds: Vec<FeedView>,
}

/// A feed on the page of feeds.
#[derive(Debug, Serialize)]
pub struct FeedView {
    /// Its file name.
    pub name: String,
    /// Id of its section.
    pub anchor: String,
    /// Its address.
    pub href: String,
    /// A description of its content.
    pub holds: &'static str,
    /// The address of its schema; `None` if the feed follows an external standard.
    pub schema: Option<String>,
    /// `12.0 KiB`
    pub size: String,
    /// BLAKE3, hexadecimal.
    pub blake3: String,
    /// Examples of reading it, by tool.
    pub examples: Vec<Example>,
}

/// An example of reading a feed with one tool.
#[derive(Debug, Serialize)]
pub struct Example {
    pub tool: &'static str,
    /// The command or code.
    pub text: String,
}

/// The page of feeds. `base` is the site's address if known, and `schema_of` returns the address of a feed's schema.
pub fn feeds_page(
    base: Option<&str>,
    runs: usize,
    index: &FileDigest,
    feeds: &[(Feed, FileDigest)],
    schema_of: fn(&str) -> Option<String>,
) -> FeedsPage {
    let root = links::root("feeds/index.html");
    let address = base.unwrap_or("https://example.org/");
    FeedsPage {
        base: address.to_owned(),
        is_known: base.is_some(),
        runs: format::count(runs, "run"),
        index: view(
            &root,
            (index, schema_of(&index.path)),
            "The site, the number of runs, and every feed with its schema, size and digest. Programs start here.",
            vec![Example {
                tool: "curl and jq",
                text: format!(
                    "curl -s {address}feeds/index.json | jq -r '.feeds[] | [.path, .bytes] | @tsv'"
                ),
            }],
        ),
        feeds: feeds
            .iter()
            .map(|(feed, file)| {
                let schema = schema_of(&file.path);
                view(&root, (file, schema), feed.holds, examples(*feed, address))
            })
            .collect(),
    }
}

fn view(
    root: &str,
    (file, schema): (&FileDigest, Option<String>),
    holds: &'static str,
    examples: Vec<Example>,
) -> FeedView {
    let name = file.path.rsplit('/').next().unwrap_or_default().to_owned();
    FeedView {
        anchor: name.replace('.', "-"),
        href: format!("{root}{}", file.path),
        name,
        holds,
        schema: schema.map(|schema| format!("{root}{schema}")),
        size: format::bytes(file.bytes),
        blake3: file.blake3.clone(),
        examples,
    }
}

fn examples(feed: Feed, base: &str) -> Vec<Example> {
    let url = format!("{base}{}", feed.path);
    let picked = feed.picked;
    let open = |import: &str, read: &str| {
        format!(
            "{import}\nfrom urllib.request import urlopen\n\nwith urlopen(\"{url}\") as feed:\n    {read}"
        )
    };
    let (curl, python, duckdb) = match feed.shape {
        Shape::Json(key) => (
            format!("curl -s {url} | jq -r '{picked}'"),
            open(
                "import json",
                &format!("rows = json.load(feed)[\"{key}\"]\nprint(len(rows))"),
            ),
            Some(format!(
                "SELECT item.* FROM (SELECT unnest({key}) AS item FROM read_json('{url}'));"
            )),
        ),
        Shape::Lines => (
            format!("curl -s {url} | jq -r '{picked}'"),
            open(
                "import json",
                "rows = [json.loads(line) for line in feed]\nprint(len(rows))",
            ),
            Some(format!(
                "SELECT * FROM read_json('{url}', format = 'newline_delimited');"
            )),
        ),
        Shape::Csv => (
            format!("curl -s {url} | head -n 5"),
            open(
                "import csv, io",
                "rows = list(csv.DictReader(io.TextIOWrapper(feed, \"utf-8\", newline=\"\")))\nprint(len(rows))",
            ),
            Some(format!(
                "SELECT modelId, count(*) AS runs FROM read_csv('{url}') GROUP BY ALL ORDER BY ALL;"
            )),
        ),
        Shape::Xml => (
            format!("curl -s {url} | head -n 20"),
            open(
                "from xml.etree import ElementTree",
                "titles = ElementTree.parse(feed).iterfind(\".//{*}entry/{*}title\")\n    print([title.text for title in titles])",
            ),
            None,
        ),
    };
    let example = |tool, text| Example { tool, text };
    let mut examples = vec![
        example(
            if picked.is_empty() {
                "curl"
            } else {
                "curl and jq"
            },
            curl,
        ),
        example("Python", python),
    ];
    examples.extend(duckdb.map(|duckdb| example("DuckDB", duckdb)));
    examples
}
