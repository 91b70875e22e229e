//! All feeds, then the index of feeds and the page that describes them.

use std::io;

use rayon::prelude::*;
use serde::Serialize;

use crate::summary::{Facet, RunTexts};
use base::diagnostics::{Diagnostic, json};
use base::document;
use base::links;
use formats::model::FileDigest;
use formats::model::annotation::AnnotationKind;
use formats::model::cells;
use pages::feeds::annotations::write_collection;
use pages::feeds::archive::{write_run_lines, write_runs};
use pages::feeds::{self, agreement, groups, json_feed, table, write_document};
use pages::schema;
use pages::view::annotations::kinds::kind_index;
use pages::view::chrome::{HeaderEntry, PageInfo};
use pages::view::format;
use store::ledger;

use super::{Lists, Page, recurring, write_error};

pub(super) const PAGE: Page = Page {
    header: &[("feeds", HeaderEntry::Link(60, "Data"))],
    listed: |_| vec!["feeds/index.html".to_owned()],
    ..Page::new("feeds", &["feeds"], write)
};

/// An archive-wide feed.
struct Feed {
    /// Path from the site's root.
    path: &'static str,
    /// A description of its content.
    holds: &'static str,
    shape: FeedSyntax,
    /// The jq filter in its example.
    picked: &'static str,
    /// As for pages.
    made_of: Option<&'static [Facet]>,
    write: fn(&Lists<'_>, &str) -> Result<FileDigest, Diagnostic>,
}

/// The syntax of a feed.
#[derive(Debug, Clone, Copy)]
enum FeedSyntax {
    /// One document, with its list under this key.
    Json(&'static str),
    /// One document per line.
    Lines,
    Csv,
    Xml,
}

/// Only a site with a `base_url` has it.
const ATOM: &str = "feeds/atom.xml";

/// Only a site with rules has it.
const RULES: &str = "feeds/rules.json";
/// Only a site with decisions has it.
const DECISIONS: &str = "feeds/decisions.json";

/// The feeds that the site has.
fn of_site(lists: &Lists<'_>) -> Vec<&'static Feed> {
    let feeds = FEEDS.iter().filter(|feed| match feed.path {
        ATOM => lists.base().is_some(),
        RULES => !lists.site.rules.is_empty(),
        DECISIONS => !lists.gathered.decisions.is_empty(),
        _ => true,
    });
    feeds.collect()
}

/// The path and the description of each feed.
pub(super) fn described(lists: &Lists<'_>) -> Vec<(&'static str, &'static str)> {
    let index = ("feeds/index.json", INDEX);
    let feeds = of_site(lists)
        .into_iter()
        .map(|feed| (feed.path, feed.holds));
    std::iter::once(index).chain(feeds).collect()
}

/// What the index of feeds holds.
const INDEX: &str = "The site, the number of runs, and every feed with its schema, size and digest. Programs start here.";

/// All feeds, in the order of the index.
const FEEDS: [Feed; 20] = [
    Feed {
        path: "feeds/runs.json",
        holds: "A card for each run, newest first: subject, metrics, checks, state, rating, and the number of annotations and review threads.",
        shape: FeedSyntax::Json("runs"),
        picked: ".runs[] | [.slug, .state, .rating] | @tsv",
        made_of: Some(&[]),
        write: |lists, path| {
            lists.stage.stream(path, |out| {
                write_runs(out, lists.config(), lists.archive(), lists.findings())
            })
        },
    },
    Feed {
        path: "feeds/runs.jsonl",
        holds: "The same cards, one per line.",
        shape: FeedSyntax::Lines,
        picked: "[.slug, .metrics.cost.comparable] | @tsv",
        made_of: Some(&[]),
        write: |lists, path| {
            lists.stage.stream(path, |out| {
                write_run_lines(out, lists.config(), lists.archive(), lists.findings())
            })
        },
    },
    Feed {
        path: "feeds/runs.csv",
        holds: "The same runs as one flat table for spreadsheets. A value that was not recorded is an empty field; text that a spreadsheet would evaluate starts with an apostrophe.",
        shape: FeedSyntax::Csv,
        picked: "",
        made_of: Some(&[]),
        write: |lists, path| {
            lists.stage.stream(path, |out| {
                table::write_runs(out, lists.config(), lists.archive(), lists.findings())
            })
        },
    },
    Feed {
        path: "feeds/cases.json",
        holds: "Every case: its versions and variants, and its runs by model, harness, state and rating.",
        shape: FeedSyntax::Json("cases"),
        picked: ".cases[] | [.name, .runs.count] | @tsv",
        made_of: Some(&[]),
        write: |lists, path| {
            let cases = groups::cases(lists.config(), lists.archive(), lists.findings());
            lists.stage.stream(path, |out| write_document(out, &cases))
        },
    },
    Feed {
        path: "feeds/models.json",
        holds: "Every model: its runs by case, harness, state and rating.",
        shape: FeedSyntax::Json("models"),
        picked: ".models[] | [.name, .runs.count] | @tsv",
        made_of: Some(&[]),
        write: |lists, path| {
            let models = groups::models(lists.config(), lists.archive(), lists.findings());
            lists.stage.stream(path, |out| write_document(out, &models))
        },
    },
    Feed {
        path: "feeds/harnesses.json",
        holds: "Every harness: its versions, and its runs by case, model, state and rating.",
        shape: FeedSyntax::Json("harnesses"),
        picked: ".harnesses[] | [.name, .runs.count] | @tsv",
        made_of: Some(&[]),
        write: |lists, path| {
            let harnesses = groups::harnesses(lists.config(), lists.archive(), lists.findings());
            lists
                .stage
                .stream(path, |out| write_document(out, &harnesses))
        },
    },
    Feed {
        path: "feeds/cells.json",
        holds: "Trials: how many runs of the same case, variant, model and harness succeeded, with pass@k, pass^k and intervals, the medians of their numbers, and the differences of two models.",
        shape: FeedSyntax::Json("sets"),
        picked: ".sets[] | .case as $case | .cells[] | [$case, .model, .successes, .trials] | @tsv",
        made_of: Some(&[]),
        write: |lists, path| {
            let (rule, archive) = (&lists.config().cells, lists.archive());
            let cells = cells::of_archive(archive, rule);
            let document = feeds::cells::CellsDocument::of(rule, archive, &cells);
            lists
                .stage
                .stream(path, |out| write_document(out, &document))
        },
    },
    Feed {
        path: "feeds/annotations.jsonl",
        holds: "Every annotation of the archive, as written, with its run, its tape and the digest of its event.",
        shape: FeedSyntax::Lines,
        picked: "select(.kind == \"incorrect\") | [.runId, .event_id, .evidence] | @tsv",
        made_of: Some(&[Facet::Lines]),
        write: |lists, path| write_lines(lists, path, |run| run.lines.all),
    },
    Feed {
        path: "feeds/friction.json",
        holds: "Friction annotations as Harn’s friction events.",
        shape: FeedSyntax::Json("events"),
        picked: ".events[] | [.kind, .run_id] | @tsv",
        made_of: Some(&[Facet::Friction, Facet::Cards]),
        write: |lists, path| {
            let recurring = recurring::of_kind(lists, kind_index(&AnnotationKind::Friction));
            let events = lists.texts_of_all(|run| run.lines.friction);
            lists.stage.stream(path, |out| {
                write_collection(out, "recurring", &recurring, "events", events)
            })
        },
    },
    Feed {
        path: "feeds/hypotheses.json",
        holds: "Every hypothesis, and the number per status.",
        shape: FeedSyntax::Json("hypotheses"),
        picked: ".counts",
        made_of: Some(&[Facet::Hypotheses, Facet::Cards]),
        write: |lists, path| {
            let counts = lists.catalogue.hypothesis_counts();
            let hypotheses = lists.texts_of_all(|run| run.lines.hypotheses);
            lists.stage.stream(path, |out| {
                write_collection(out, "counts", &counts, "hypotheses", hypotheses)
            })
        },
    },
    Feed {
        path: "feeds/crystallize.json",
        holds: "The steps that should become a tool or a skill.",
        shape: FeedSyntax::Json("anchors"),
        picked: ".anchors[] | [.runId, .event_id, .end_event_id] | @tsv",
        made_of: Some(&[Facet::Anchors, Facet::Cards]),
        write: |lists, path| {
            let recurring = recurring::of_kind(lists, kind_index(&AnnotationKind::CrystallizeHere));
            let anchors = lists.texts_of_all(|run| run.lines.anchors);
            lists.stage.stream(path, |out| {
                write_collection(out, "recurring", &recurring, "anchors", anchors)
            })
        },
    },
    Feed {
        path: "feeds/labels.jsonl",
        holds: "Every judgment of a reviewer (correct, incorrect, alternative) with all that its events say and the suggested fix, for evaluations.",
        shape: FeedSyntax::Lines,
        picked: "select(.kind == \"alternative\") | [.runId, .event_id, .evidence] | @tsv",
        made_of: Some(&[Facet::Labels]),
        write: |lists, path| write_lines(lists, path, |run| run.lines.labels),
    },
    Feed {
        path: "feeds/agreement.json",
        holds: "Tapes with several annotators: how far each two agree, by event and by kind, with Cohen’s kappa, and the events on which they differ.",
        shape: FeedSyntax::Json("tapes"),
        picked: ".tapes[] | .runId as $run | .pairs[] | [$run, .both, .same, .kappa] | @tsv",
        made_of: Some(&[Facet::Agreement]),
        write: |lists, path| {
            let tapes = lists.texts_of_all(|run| run.agreement);
            lists.stage.stream(path, |out| {
                write_collection(out, "statistic", &agreement::STATISTIC, "tapes", tapes)
            })
        },
    },
    Feed {
        path: "feeds/threads.jsonl",
        holds: "Every review thread of the archive, as written, with its run and its file; newest run first, and within a run the newest thread first.",
        shape: FeedSyntax::Lines,
        picked: "select(.resolved | not) | [.runId, .file, .id] | @tsv",
        made_of: Some(&[Facet::Threads]),
        write: |lists, path| write_lines(lists, path, |run| run.threads),
    },
    Feed {
        path: RULES,
        holds: "The rules of the site with their text, version and digest, and every run that violates one, with the numbers of its events.",
        shape: FeedSyntax::Json("violations"),
        picked: ".violations[] | [.rule, .runId, (.events | length)] | @tsv",
        made_of: Some(&[]),
        write: |lists, path| {
            let rules = &lists.site.rules;
            let document =
                feeds::rules::document(lists.config(), rules, lists.archive(), lists.findings());
            lists
                .stage
                .stream(path, |out| write_document(out, &document))
        },
    },
    Feed {
        path: DECISIONS,
        holds: "What the publishers of the site decided about runs, with reasons: which do not count, and which outcomes were corrected.",
        shape: FeedSyntax::Json("decisions"),
        picked: ".decisions[] | [.date, .run, .decision] | @tsv",
        made_of: Some(&[]),
        write: |lists, path| {
            let decided = &lists.gathered.decisions;
            let document =
                feeds::decisions::DecisionsDocument::of(lists.config(), decided, lists.archive());
            lists
                .stage
                .stream(path, |out| write_document(out, &document))
        },
    },
    Feed {
        path: ledger::PATH,
        holds: "What each build added, changed and withdrew, and the state that the next build is compared with.",
        shape: FeedSyntax::Json("builds"),
        picked: ".builds[] | [.build, .runs, (.added | length), (.withdrawn | length)] | @tsv",
        made_of: None,
        write: |lists, path| {
            let ledger = &lists.outcome.ledger;
            let write =
                |part: &ledger::LedgerPart, bytes: &[u8]| lists.stage.write(&part.path, bytes);
            let first = ledger.files(write, write_error(ledger::PATH))?;
            lists.stage.stream(path, |out| write_document(out, &first))
        },
    },
    Feed {
        path: "feeds/diagnostics.json",
        holds: "Every error, warning and note of the build.",
        shape: FeedSyntax::Json("diagnostics"),
        picked: ".summary",
        made_of: None,
        write: |lists, path| {
            let (outcome, public) = (lists.outcome, lists.gathered.public(lists.outcome));
            let shown = public.diagnostics.iter().copied();
            let mut report = json::DiagnosticReport::new(shown, outcome.runs, outcome.quarantined);
            report.summary.withheld = public.withheld;
            lists
                .stage
                .stream(path, |out| out.write_all(&report.to_bytes()?))
        },
    },
    Feed {
        path: "feeds/feed.json",
        holds: "The newest runs with their writeups, as JSON Feed 1.1, for feed readers.",
        shape: FeedSyntax::Json("items"),
        picked: ".items[] | [.date_published, .title] | @tsv",
        made_of: Some(&[]),
        write: |lists, path| {
            let feed = json_feed::JsonFeed::of(lists.config(), lists.archive(), lists.findings());
            lists.stage.stream(path, |out| write_document(out, &feed))
        },
    },
    Feed {
        path: ATOM,
        holds: "The newest runs with their writeups, as Atom, for feed readers.",
        shape: FeedSyntax::Xml,
        picked: "",
        made_of: Some(&[]),
        write: |lists, path| {
            let base = lists.base().unwrap_or_default();
            let feed =
                pages::feeds::atom::atom(lists.config(), base, lists.archive(), lists.findings());
            let xml = lists.renderer.document("atom.xml", &feed)?;
            lists.stage.stream(path, |out| out.write_all(&xml))
        },
    },
];

#[derive(Debug, Serialize)]
struct FeedsPage {
    /// The site's address, or a placeholder in the examples.
    base: String,
    /// Whether the address is the site's own.
    is_known: bool,
    /// `25 runs`
    runs: String,
    index: FeedView,
    feeds: Vec<FeedView>,
}

document! {
    /// A feed on the page of feeds.
    struct FeedView(file: &FileDigest, holds: &'static str, examples: Vec<Example>)
        let root = links::root("feeds/index.html");
        let schema = schema::path_of_feed(&file.path);
        let name = file.path.rsplit('/').next().unwrap_or_default();
    {
        /// Its file name.
        name: String = name.to_owned(),
        /// Id of its section.
        anchor: String = name.replace('.', "-"),
        /// Its address.
        href: String = format!("{root}{}", file.path),
        /// A description of its content.
        holds: &'static str = holds,
        /// The address of its schema; `None` if the feed follows an external standard.
        schema: Option<String> = schema.map(|schema| format!("{root}{schema}")),
        /// `12.0 KiB`
        size: String = format::bytes(file.bytes),
        /// BLAKE3, hexadecimal.
        blake3: String = file.blake3.clone(),
        /// Examples of reading it, by tool.
        examples: Vec<Example> = examples,
    }
}

/// An example of reading a feed with one tool.
#[derive(Debug, Serialize)]
struct Example {
    tool: &'static str,
    /// The command or code.
    text: String,
}

fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let base = lists.base();
    let feeds: Vec<Result<_, Diagnostic>> = of_site(lists)
        .into_par_iter()
        .map(|feed| {
            let write = |lists: &Lists<'_>| (feed.write)(lists, feed.path);
            let made = lists.write_unless_cached(feed.path, feed.made_of, write)?;
            let digest = || lists.stage.digest(feed.path);
            Ok((feed, made.unwrap_or_else(digest)))
        })
        .collect();
    let feeds = feeds.into_iter().collect::<Result<Vec<_>, _>>()?;
    let runs = lists.archive().runs.len();
    let files = feeds.iter().map(|(_, file)| file);
    // This file is listed there, so it can name the path and not the digest.
    let checksums = lists.config().publish.checksums;
    let checksums = checksums.then_some(store::publish::checksums::PATH);
    let own_templates = lists.renderer.own_templates();
    let index = feeds::archive::index(
        lists.config(),
        own_templates,
        runs,
        checksums,
        files,
        schema::path_of_feed,
    );
    let index = lists
        .stage
        .stream("feeds/index.json", |out| write_document(out, &index))?;
    let what = "Every feed of the site, with its contents, schema and size, and how to read it.";
    let info = PageInfo::listed("feeds/index.html", "Feeds", what);
    let address = base.unwrap_or("https://example.org/");
    let view = FeedsPage {
        base: address.to_owned(),
        is_known: base.is_some(),
        runs: format::count(runs, "run"),
        index: FeedView::of(
            &index,
            INDEX,
            vec![Example {
                tool: "curl and jq",
                text: format!(
                    "curl -s {address}feeds/index.json | jq -r '.feeds[] | [.path, .bytes] | @tsv'"
                ),
            }],
        ),
        feeds: feeds
            .iter()
            .map(|(feed, file)| FeedView::of(file, feed.holds, examples(feed, address)))
            .collect(),
    };
    lists.page("feeds.html", &info, &view)
}

/// Writes lines of each run.
fn write_lines(
    lists: &Lists<'_>,
    path: &str,
    lines_of: fn(RunTexts) -> String,
) -> Result<FileDigest, Diagnostic> {
    lists.stage.stream(path, |out| {
        let mut lines = lists.texts_of_all(lines_of);
        lines.try_for_each(|lines| out.write_all(lines?.as_bytes()))
    })
}

impl Lists<'_> {
    /// A text of each run.
    fn texts_of_all(
        &self,
        text: impl Fn(RunTexts) -> String,
    ) -> impl Iterator<Item = io::Result<String>> {
        let runs = 0..self.outcome.findings.len();
        runs.map(move |run| self.texts(run).map(&text))
    }
}

fn examples(feed: &Feed, base: &str) -> Vec<Example> {
    let url = format!("{base}{}", feed.path);
    let picked = feed.picked;
    let open = |import: &str, read: &str| {
        format!(
            "{import}\nfrom urllib.request import urlopen\n\nwith urlopen(\"{url}\") as feed:\n    {read}"
        )
    };
    let (curl, python, duckdb) = match feed.shape {
        FeedSyntax::Json(key) => (
            format!("curl -s {url} | jq -r '{picked}'"),
            open(
                "import json",
                &format!("rows = json.load(feed)[\"{key}\"]\nprint(len(rows))"),
            ),
            Some(format!(
                "SELECT item.* FROM (SELECT unnest({key}) AS item FROM read_json('{url}'));"
            )),
        ),
        FeedSyntax::Lines => (
            format!("curl -s {url} | jq -r '{picked}'"),
            open(
                "import json",
                "rows = [json.loads(line) for line in feed]\nprint(len(rows))",
            ),
            Some(format!(
                "SELECT * FROM read_json('{url}', format = 'newline_delimited');"
            )),
        ),
        FeedSyntax::Csv => (
            format!("curl -s {url} | head -n 5"),
            open(
                "import csv, io",
                "rows = list(csv.DictReader(io.TextIOWrapper(feed, \"utf-8\", newline=\"\")))\nprint(len(rows))",
            ),
            Some(format!(
                "SELECT modelId, count(*) AS runs FROM read_csv('{url}') GROUP BY ALL ORDER BY ALL;"
            )),
        ),
        FeedSyntax::Xml => (
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
