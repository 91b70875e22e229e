//! Knows the feeds over all runs: where each stands, what it holds and how to read it. The page of feeds and the index
//! of feeds are made from this one list.

use serde::Serialize;

use super::{format, links};

/// A feed over all runs, in the order of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "`path` says it")]
pub enum Feed {
    Runs,
    RunLines,
    RunTable,
    Cases,
    Models,
    Harnesses,
    Annotations,
    Friction,
    Hypotheses,
    Crystallize,
    Changes,
    Diagnostics,
    JsonFeed,
    Atom,
}

/// How a feed is written.
#[derive(Debug, Clone, Copy)]
enum Shape {
    /// One document; the list stands under this key.
    Json(&'static str),
    /// A document a line.
    Lines,
    Csv,
    Xml,
}

impl Feed {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Runs,
        Self::RunLines,
        Self::RunTable,
        Self::Cases,
        Self::Models,
        Self::Harnesses,
        Self::Annotations,
        Self::Friction,
        Self::Hypotheses,
        Self::Crystallize,
        Self::Changes,
        Self::Diagnostics,
        Self::JsonFeed,
        Self::Atom,
    ];

    /// Where it stands, relative to the site's root.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::Runs => "feeds/runs.json",
            Self::RunLines => "feeds/runs.jsonl",
            Self::RunTable => "feeds/runs.csv",
            Self::Cases => "feeds/cases.json",
            Self::Models => "feeds/models.json",
            Self::Harnesses => "feeds/harnesses.json",
            Self::Annotations => "feeds/annotations.jsonl",
            Self::Friction => "feeds/friction.json",
            Self::Hypotheses => "feeds/hypotheses.json",
            Self::Crystallize => "feeds/crystallize.json",
            Self::Changes => crate::ledger::PATH,
            Self::Diagnostics => "feeds/diagnostics.json",
            Self::JsonFeed => "feeds/feed.json",
            Self::Atom => "feeds/atom.xml",
        }
    }

    /// Whether it is made of absolute addresses, so that a site that does not know its own has none.
    #[must_use]
    pub const fn is_absolute(self) -> bool {
        matches!(self, Self::Atom)
    }

    const fn holds(self) -> &'static str {
        match self {
            Self::Runs => {
                "A card for each run, newest first: what was run, what it took, its checks, state and rating, and how much was said about it."
            }
            Self::RunLines => "The same cards, one a line.",
            Self::RunTable => {
                "The same runs as one flat table for spreadsheets. What was not recorded is an empty field; text that a spreadsheet would compute has an apostrophe before it."
            }
            Self::Cases => {
                "Every case: its versions and variants, and its runs by model, harness, state and rating."
            }
            Self::Models => "Every model: its runs by case, harness, state and rating.",
            Self::Harnesses => {
                "Every harness: its versions, and its runs by case, model, state and rating."
            }
            Self::Annotations => {
                "Every annotation of the archive, as it was written, with its run, its tape and the digest of its event."
            }
            Self::Friction => "What made the work harder, as Harn’s friction events.",
            Self::Hypotheses => "Every hypothesis, and how many have each status.",
            Self::Crystallize => "The places that are worth a tool or a skill of their own.",
            Self::Changes => {
                "What each build added, changed and withdrew, and what the next build compares itself with."
            }
            Self::Diagnostics => "Every error, warning and note of the build.",
            Self::JsonFeed => {
                "The newest runs with their writeups, as JSON Feed 1.1, for feed readers."
            }
            Self::Atom => "The newest runs with their writeups, as Atom, for feed readers.",
        }
    }

    const fn shape(self) -> Shape {
        match self {
            Self::Runs => Shape::Json("runs"),
            Self::RunLines | Self::Annotations => Shape::Lines,
            Self::RunTable => Shape::Csv,
            Self::Cases => Shape::Json("cases"),
            Self::Models => Shape::Json("models"),
            Self::Harnesses => Shape::Json("harnesses"),
            Self::Friction => Shape::Json("events"),
            Self::Hypotheses => Shape::Json("hypotheses"),
            Self::Crystallize => Shape::Json("anchors"),
            Self::Changes => Shape::Json("builds"),
            Self::Diagnostics => Shape::Json("diagnostics"),
            Self::JsonFeed => Shape::Json("items"),
            Self::Atom => Shape::Xml,
        }
    }

    /// What jq picks of it.
    const fn picked(self) -> &'static str {
        match self {
            Self::Runs => ".runs[] | [.slug, .state, .rating] | @tsv",
            Self::RunLines => "[.slug, .metrics.cost.comparable] | @tsv",
            Self::Cases => ".cases[] | [.name, .runs.count] | @tsv",
            Self::Models => ".models[] | [.name, .runs.count] | @tsv",
            Self::Harnesses => ".harnesses[] | [.name, .runs.count] | @tsv",
            Self::Annotations => {
                "select(.kind == \"incorrect\") | [.runId, .event_id, .evidence] | @tsv"
            }
            Self::Friction => ".events[] | [.kind, .run_id] | @tsv",
            Self::Hypotheses => ".counts",
            Self::Crystallize => ".anchors[] | [.runId, .event_id, .end_event_id] | @tsv",
            Self::Changes => {
                ".builds[] | [.build, .runs, (.added | length), (.withdrawn | length)] | @tsv"
            }
            Self::Diagnostics => ".summary",
            Self::JsonFeed => ".items[] | [.date_published, .title] | @tsv",
            Self::RunTable | Self::Atom => "",
        }
    }
}

/// The page of feeds.
#[derive(Debug, Serialize)]
pub struct FeedsPage {
    /// Way to the site's root.
    pub root: String,
    /// The site's address, or what stands for it in the examples.
    pub base: String,
    /// Whether the address is the site's own.
    pub is_known: bool,
    /// `25 runs`
    pub runs: String,
    /// The index of feeds.
    pub index: FeedView,
    /// The feeds.
    pub feeds: Vec<FeedView>,
}

/// A feed on the page of feeds.
#[derive(Debug, Serialize)]
pub struct FeedView {
    /// Its file name.
    pub name: String,
    /// Id of its section.
    pub anchor: String,
    /// Where it stands.
    pub href: String,
    /// What it holds.
    pub holds: &'static str,
    /// Where its schema stands; `None` for a feed that follows a standard of its own.
    pub schema: Option<String>,
    /// `12.0 KiB`
    pub size: String,
    /// BLAKE3, hexadecimal.
    pub blake3: String,
    /// How to read it: name of the tool, language, text.
    pub examples: Vec<Example>,
}

/// How to read a feed with one tool.
#[derive(Debug, Serialize)]
pub struct Example {
    /// The tool.
    pub tool: &'static str,
    /// What to type.
    pub text: String,
}

/// A feed that was written: path relative to the site's root, size in bytes, BLAKE3, path of its schema.
pub type Written = (String, u64, String, Option<String>);

/// The page; `base` is the site's address where it is known, `written` the feeds and `index` the list of them.
#[must_use]
pub fn feeds_page(
    base: Option<&str>,
    runs: usize,
    index: Written,
    written: Vec<Written>,
) -> FeedsPage {
    let root = links::root("feeds/index.html");
    let address = base.unwrap_or("https://example.org/");
    let of = |path: &str| Feed::ALL.into_iter().find(|feed| feed.path() == path);
    FeedsPage {
        base: address.to_owned(),
        is_known: base.is_some(),
        runs: format::count(runs, "run"),
        index: view(
            &root,
            index,
            "The site, the number of runs, and every feed with its schema, size and digest. Programs begin here.",
            vec![Example {
                tool: "curl and jq",
                text: format!(
                    "curl -s {address}feeds/index.json | jq -r '.feeds[] | [.path, .bytes] | @tsv'"
                ),
            }],
        ),
        feeds: written
            .into_iter()
            .filter_map(|written| {
                let feed = of(&written.0)?;
                Some(view(&root, written, feed.holds(), examples(feed, address)))
            })
            .collect(),
        root,
    }
}

fn view(
    root: &str,
    (path, bytes, blake3, schema): Written,
    holds: &'static str,
    examples: Vec<Example>,
) -> FeedView {
    let name = path.rsplit('/').next().unwrap_or_default().to_owned();
    FeedView {
        anchor: name.replace('.', "-"),
        href: format!("{root}{path}"),
        name,
        holds,
        schema: schema.map(|schema| format!("{root}{schema}")),
        size: format::bytes(bytes),
        blake3,
        examples,
    }
}

fn examples(feed: Feed, base: &str) -> Vec<Example> {
    let url = format!("{base}{}", feed.path());
    let picked = feed.picked();
    let open = |import: &str, read: &str| {
        format!(
            "{import}\nfrom urllib.request import urlopen\n\nwith urlopen(\"{url}\") as feed:\n    {read}"
        )
    };
    let (curl, python, duckdb) = match feed.shape() {
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
