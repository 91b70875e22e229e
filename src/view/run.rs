//! Knows the page of a run, and the further pages of its tapes.

use serde::Serialize;

use crate::config::Config;
use crate::model::FileDigest;
use crate::model::annotation::{Problem, Sidecar};
use crate::model::archive::{Archive, Entry, Range};
use crate::model::reconciliation::Reconciliation;
use crate::model::review::Review;
use crate::model::run::{Number, Proof, Run, Step};
use crate::model::tape::{Format, Tape};
use crate::model::threads::Threads;
use crate::model::transcript::Conversation;
use crate::render::Html;

use super::discussion::{self, ConversationView, ThreadsView};
use super::reconciliation::{self, ComparedView};
use super::timeline::Layout;
use super::{Badge, Cell, Fact, Link, When, format, links};

/// The page of a run.
#[derive(Debug, Serialize)]
pub struct RunPage {
    /// Way to the site's root.
    pub root: String,
    /// Case, variant and version.
    pub title: String,
    /// The run's id.
    pub id: String,
    /// Its case.
    pub case: Link,
    /// Its model.
    pub model: Link,
    /// Its harness.
    pub harness: Link,
    /// Version of the harness.
    pub harness_version: Cell,
    /// Version of the case.
    pub version: String,
    /// Variant of the case.
    pub variant: Cell,
    /// How it ended.
    pub state: Badge,
    /// Why.
    pub state_detail: Option<String>,
    /// What reviewers said.
    pub rating: Badge,
    /// When it began.
    pub started: When,
    /// When it ended.
    pub finished: When,
    /// The generated source.
    pub source: Option<String>,
    /// The run's own files.
    pub downloads: Vec<Link>,
    /// The review.
    pub review: Option<ReviewView>,
    /// The playable build.
    pub build: Option<BuildView>,
    /// One strip per tape.
    pub strips: Vec<StripView>,
    /// The figures.
    pub metrics: MetricsView,
    /// What was found afterwards.
    pub validation: ValidationView,
    /// The tapes.
    pub timelines: Vec<TimelineView>,
    /// The public part of the transcript.
    pub conversation: Option<ConversationView>,
    /// The review threads.
    pub threads: Option<ThreadsView>,
    /// Where everything comes from.
    pub provenance: ProvenanceView,
    /// The next newer run of the case.
    pub newer: Option<Link>,
    /// The next older run of the case.
    pub older: Option<Link>,
}

/// A review.
#[derive(Debug, Serialize)]
pub struct ReviewView {
    /// Ratings per domain.
    pub domains: Vec<(String, Badge)>,
    /// The checklist.
    pub checklist: Vec<ItemView>,
    /// The prose.
    pub html: Html,
}

/// One item of the checklist.
#[derive(Debug, Serialize)]
pub struct ItemView {
    /// Its id.
    pub id: String,
    /// Its status.
    pub status: String,
    /// What was said about it.
    pub note: Option<String>,
}

/// A playable build.
#[derive(Debug, Serialize)]
pub struct BuildView {
    /// Its address.
    pub url: String,
    /// Its host.
    pub host: String,
    /// Whether the site may frame it, on demand.
    pub embed: bool,
}

/// A strip with its words.
#[derive(Debug, Serialize)]
pub struct StripView {
    /// The tape's file.
    pub file: String,
    /// The drawing.
    pub svg: Html,
    /// What it shows.
    pub caption: String,
    /// The families on it, and how many events of each.
    pub legend: Vec<(&'static str, usize)>,
}

/// The figures of a run.
#[derive(Debug, Serialize)]
pub struct MetricsView {
    /// The four token classes.
    pub tokens: Vec<MetricView>,
    /// Parts of the token bar, in thousandths; empty when nothing is reported.
    pub bar: Vec<BarPart>,
    /// All classes together, or why not.
    pub total: Cell,
    /// Whether a class is unreported.
    pub partial: bool,
    /// Comparable and actual cost.
    pub costs: Vec<MetricView>,
    /// Wall clock.
    pub run_time: MetricView,
    /// How many runs the ranges are over, this one included; 0 when there is none to compare with.
    pub peers: usize,
}

/// A figure and the range of comparable runs.
#[derive(Debug, Serialize)]
pub struct MetricView {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: Cell,
    /// `1,204 to 88,310`
    pub range: Option<String>,
}

/// A part of the token bar.
#[derive(Debug, Serialize)]
pub struct BarPart {
    /// Class of the part.
    pub class: &'static str,
    /// Where it begins, of 1000.
    pub x: u32,
    /// How wide it is, of 1000.
    pub width: u32,
}

/// What was found after the run.
#[derive(Debug, Serialize)]
pub struct ValidationView {
    /// Whether the implementation loaded.
    pub loaded: bool,
    /// Why not.
    pub detail: Option<String>,
    /// Install and build.
    pub steps: Vec<StepView>,
    /// The checks.
    pub checks: Vec<CheckView>,
    /// The proofs.
    pub proofs: Vec<ProofView>,
}

/// A step.
#[derive(Debug, Serialize)]
pub struct StepView {
    /// `Install` or `Build`.
    pub name: &'static str,
    /// `succeeded`, `failed`, `never attempted`, `never reached`.
    pub outcome: Badge,
    /// The command.
    pub command: Option<String>,
    /// What it said.
    pub detail: Option<String>,
}

/// A check.
#[derive(Debug, Serialize)]
pub struct CheckView {
    /// Its name.
    pub name: String,
    /// Its view.
    pub view: String,
    /// How similar it was.
    pub similarity: Cell,
    /// Why it was not reached.
    pub detail: Option<String>,
}

/// A proof.
#[derive(Debug, Serialize)]
pub struct ProofView {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// `present`, `missing` or `not said`.
    pub present: &'static str,
    /// More about it.
    pub detail: Option<String>,
}

/// A tape on the run page.
#[derive(Debug, Serialize)]
pub struct TimelineView {
    /// The tape's file.
    pub file: String,
    /// Id of the section.
    pub anchor: String,
    /// `200 events`
    pub count: String,
    /// The events of the first page.
    pub html: Html,
    /// Its pages, when there are several.
    pub pages: Vec<PageLink>,
}

/// A page of a tape.
#[derive(Debug, Serialize)]
pub struct PageLink {
    /// `events 501 to 1,000`
    pub text: String,
    /// Its address.
    pub href: String,
    /// Whether it is this page.
    pub current: bool,
}

/// A further page of a tape.
#[derive(Debug, Serialize)]
pub struct EventsPage {
    /// Way to the site's root.
    pub root: String,
    /// Title of the run.
    pub title: String,
    /// The run's page.
    pub run: Link,
    /// The tape's file.
    pub file: String,
    /// Which events stand here.
    pub summary: String,
    /// The events.
    pub html: Html,
    /// All pages of the tape.
    pub pages: Vec<PageLink>,
    /// The page before.
    pub previous: Option<String>,
    /// The page after.
    pub next: Option<String>,
}

/// Where everything comes from.
#[derive(Debug, Serialize)]
pub struct ProvenanceView {
    /// Identity, environment and tooling.
    pub facts: Vec<Fact>,
    /// The input files.
    pub files: Vec<FileView>,
    /// The tapes.
    pub tapes: Vec<TapeView>,
    /// How far the logs agree with the record.
    pub reconciliation: Vec<ComparedView>,
    /// The record as written.
    pub record: String,
    /// How to cite the run.
    pub citation: String,
    /// Licence of the data.
    pub licence: Option<String>,
}

/// An input file.
#[derive(Debug, Serialize)]
pub struct FileView {
    /// Its path.
    pub path: String,
    /// Its size.
    pub size: String,
    /// Its digest.
    pub blake3: String,
}

/// A tape's identity, and what its sidecar's validation said.
#[derive(Debug, Serialize)]
pub struct TapeView {
    /// Its file.
    pub file: String,
    /// `event log` or `Harn tape`.
    pub format: &'static str,
    /// Its content hash.
    pub content_hash: String,
    /// Facts of its header.
    pub header: Vec<(&'static str, String)>,
    /// Its sidecar.
    pub sidecar: Option<SidecarView>,
}

/// A sidecar.
#[derive(Debug, Serialize)]
pub struct SidecarView {
    /// Its file.
    pub file: String,
    /// How the digest in its header relates to the tape.
    pub digest: Badge,
    /// `8 annotations checked, no problems`
    pub report: String,
    /// How many of each kind.
    pub kinds: Vec<(String, usize)>,
}

/// What the renderer adds to the page.
#[derive(Debug)]
pub struct Parts {
    /// The writeup.
    pub writeup: Html,
    /// One strip per tape.
    pub strips: Vec<StripView>,
    /// The first page of each tape.
    pub timelines: Vec<Html>,
    /// The Markdown entries of the review threads, thread by thread; `None` for plain text.
    pub entries: Vec<Vec<Option<Html>>>,
}

/// What the page is made of.
#[derive(Debug)]
pub struct Sources<'a> {
    /// Settings.
    pub config: &'a Config,
    /// The archive.
    pub archive: &'a Archive,
    /// The run.
    pub entry: &'a Entry,
    /// Its review.
    pub review: Option<&'a Review>,
    /// How far its logs agree with its record.
    pub reconciliation: Option<&'a Reconciliation>,
    /// Its tapes.
    pub tapes: &'a [Tape<'a>],
    /// Their sidecars.
    pub sidecars: &'a [Option<Sidecar<'a>>],
    /// Their layouts.
    pub layouts: &'a [Layout<'a>],
    /// The public part of its transcript.
    pub conversation: Option<&'a Conversation<'a>>,
    /// Its review threads.
    pub threads: Option<&'a Threads<'a>>,
    /// Its files.
    pub files: &'a [FileDigest],
    /// Its record as written.
    pub record: &'a str,
    /// Names of the files that can be downloaded beside the page.
    pub downloads: &'a [String],
}

/// `pong · base · v1.0.0`
#[must_use]
pub fn title(run: &Run) -> String {
    let variant = run
        .subject
        .variant
        .as_deref()
        .map_or_else(String::new, |variant| format!(" · {variant}"));
    format!("{}{variant} · {}", run.subject.case, run.subject.version)
}

/// Makes the page.
#[must_use]
pub fn page(s: &Sources<'_>, parts: Parts) -> RunPage {
    let (run, archive) = (&s.entry.run, s.archive);
    let path = links::run(&s.entry.slug);
    let root = links::root(&path);
    let link = |text: &str, path: String| Link {
        text: text.to_owned(),
        href: format!("{root}{path}"),
    };
    let neighbour = |index: Option<usize>| {
        index.map(|index| {
            let entry = &archive.runs[index];
            let run = &entry.run;
            let words = format!(
                "{}, {} ({})",
                run.subject.model,
                run.subject.harness,
                format::when(run.recency()).date
            );
            link(&words, links::run(&entry.slug))
        })
    };
    let mut downloads = vec![Link {
        text: "run.json".to_owned(),
        href: "run.json".to_owned(),
    }];
    downloads.extend(s.downloads.iter().map(|name| Link {
        text: name.clone(),
        href: links::encode(name),
    }));
    RunPage {
        title: title(run),
        id: run.id.clone(),
        case: link(
            &run.subject.case,
            links::group("cases", &archive.cases[s.entry.case].slug),
        ),
        model: link(
            &run.subject.model,
            links::group("models", &archive.models[s.entry.model].slug),
        ),
        harness: link(
            &run.subject.harness,
            links::group("harnesses", &archive.harnesses[s.entry.harness].slug),
        ),
        harness_version: format::text(run.subject.harness_version.as_ref()),
        version: run.subject.version.clone(),
        variant: format::text(run.subject.variant.as_ref()),
        state: format::state(&run.state),
        state_detail: run.state.detail.clone(),
        rating: format::rating(s.review.and_then(|review| review.rating)),
        started: format::when(&run.started),
        finished: format::when(&run.finished),
        source: run.source_repo.as_ref().map(|url| url.as_str().to_owned()),
        downloads,
        review: s.review.map(|review| review_view(review, parts.writeup)),
        build: build(s.config, run),
        strips: parts.strips,
        metrics: metrics(archive, run),
        validation: validation(run),
        timelines: s
            .tapes
            .iter()
            .zip(s.layouts)
            .zip(parts.timelines)
            .map(|((tape, layout), html)| TimelineView {
                file: tape.file.clone(),
                anchor: format!("{}timeline", layout.prefix),
                count: format::count(tape.events.len(), "event"),
                html,
                pages: pages(tape, layout, 1),
            })
            .collect(),
        conversation: s
            .conversation
            .map(|conversation| discussion::conversation(s.config, conversation)),
        threads: s
            .threads
            .filter(|t| !t.threads.is_empty())
            .map(|threads| discussion::threads(threads, parts.entries)),
        provenance: provenance(s),
        newer: neighbour(s.entry.newer),
        older: neighbour(s.entry.older),
        root,
    }
}

/// Makes page `number` (from 2) of a tape.
#[must_use]
pub fn events_page(
    s: &Sources<'_>,
    tape: &Tape<'_>,
    layout: &Layout<'_>,
    number: usize,
    html: Html,
) -> EventsPage {
    let path = layout.path(number);
    let root = links::root(&path);
    let href = |number: usize| format!("{root}{}", layout.path(number));
    let range = layout.range(number);
    EventsPage {
        title: title(&s.entry.run),
        run: Link {
            text: title(&s.entry.run),
            href: format!("{root}{}", links::run(&s.entry.slug)),
        },
        file: tape.file.clone(),
        summary: span(tape, &range),
        html,
        pages: pages(tape, layout, number),
        previous: Some(href(number - 1)),
        next: (number < layout.pages()).then(|| href(number + 1)),
        root,
    }
}

/// `events 500 to 999 of 3,000`: the numbers are those that stand beside the events.
fn span(tape: &Tape<'_>, range: &std::ops::Range<usize>) -> String {
    let number = |position: usize| tape.events.get(position).map_or(0, |event| event.seq);
    format!(
        "events {} to {} of {}",
        format::grouped(&number(range.start).to_string()),
        format::grouped(&number(range.end.saturating_sub(1)).to_string()),
        format::grouped(&tape.events.len().to_string())
    )
}

/// Links to pages of a tape that are shown on each of them: all, or those near this one with the first and the last.
const PAGE_LINKS: usize = 25;

fn pages(tape: &Tape<'_>, layout: &Layout<'_>, current: usize) -> Vec<PageLink> {
    let count = layout.pages();
    if count == 1 {
        return Vec::new();
    }
    let root = links::root(&layout.path(current));
    let near =
        |number: usize| count <= PAGE_LINKS || number.abs_diff(current) <= PAGE_LINKS / 2 - 2;
    (1..=count)
        .filter(|number| *number == 1 || *number == count || near(*number))
        .map(|number| PageLink {
            text: span(tape, &layout.range(number)),
            href: format!("{root}{}", layout.path(number)),
            current: number == current,
        })
        .collect()
}

fn review_view(review: &Review, html: Html) -> ReviewView {
    ReviewView {
        domains: review
            .domains
            .iter()
            .map(|(name, rating)| (name.clone(), format::rating(*rating)))
            .collect(),
        checklist: review
            .checklist
            .iter()
            .map(|item| ItemView {
                id: item.id.clone(),
                status: item.status.clone(),
                note: item.note.clone(),
            })
            .collect(),
        html,
    }
}

fn build(config: &Config, run: &Run) -> Option<BuildView> {
    let url = run.playable_build.as_ref()?;
    let host = url.host();
    // Mixed content would be refused by the browser, so only https is framed; the policy names hosts, not ports.
    let embed = url.is_https()
        && !url.has_port()
        && config
            .policy
            .embed_hosts
            .iter()
            .any(|allowed| allowed.eq_ignore_ascii_case(&host));
    Some(BuildView {
        url: url.as_str().to_owned(),
        host,
        embed,
    })
}

fn metrics(archive: &Archive, run: &Run) -> MetricsView {
    let m = &run.metrics;
    let ranges = archive.ranges(run).cloned().unwrap_or_default();
    let peers = ranges.run_time.as_ref().map_or(0, |range| range.runs);
    let shown = |range: &Option<Range>, value: fn(Option<&Number>) -> Cell| {
        let range = range.as_ref().filter(|range| range.runs > 1)?;
        Some(format!(
            "{} to {}",
            value(Some(&range.min)).text(),
            value(Some(&range.max)).text()
        ))
    };
    let tokens = m.tokens();
    let reported: Vec<&Number> = tokens.iter().filter_map(|(_, number)| *number).collect();
    let sum: f64 = reported.iter().map(|number| number.value).sum();
    // Exact where the record holds plain whole numbers, as it does by its format.
    let total = reported.iter().try_fold(0_u128, |sum, number| {
        sum.checked_add(number.literal.parse().ok()?)
    });
    let total = total.map_or_else(|| format!("{sum:.0}"), |total| total.to_string());
    MetricsView {
        bar: bar(&tokens, sum),
        total: if reported.is_empty() {
            Cell::unknown("no token class is reported")
        } else {
            Cell::known(format::grouped(&total))
        },
        partial: !reported.is_empty() && reported.len() < tokens.len(),
        tokens: tokens
            .iter()
            .zip(&ranges.tokens)
            .map(|((name, number), range)| MetricView {
                name,
                value: format::tokens(*number),
                range: shown(range, format::tokens),
            })
            .collect(),
        costs: vec![
            MetricView {
                name: "comparable cost",
                value: format::cost(m.comparable_cost.as_ref()),
                range: shown(&ranges.comparable_cost, format::cost),
            },
            MetricView {
                name: "actual cost",
                value: format::cost(m.actual_cost.as_ref()),
                range: shown(&ranges.actual_cost, format::cost),
            },
        ],
        run_time: MetricView {
            name: "run time",
            value: format::run_time(&m.run_time_seconds),
            range: ranges
                .run_time
                .as_ref()
                .filter(|range| range.runs > 1)
                .map(|range| {
                    format!(
                        "{} to {}",
                        format::run_time(&range.min).text(),
                        format::run_time(&range.max).text()
                    )
                }),
        },
        peers: if peers > 1 { peers } else { 0 },
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "thousandths of a bar"
)]
fn bar(tokens: &[(&'static str, Option<&Number>); 4], sum: f64) -> Vec<BarPart> {
    const CLASSES: [&str; 4] = ["uncached", "cached", "output", "reasoning"];
    if sum <= 0.0 {
        return Vec::new();
    }
    let mut from = 0.0;
    tokens
        .iter()
        .zip(CLASSES)
        .filter_map(|((_, number), class)| {
            let start = from;
            from += number.as_ref()?.value;
            let (x, end) = (
                (start / sum * 1000.0).round() as u32,
                (from / sum * 1000.0).round() as u32,
            );
            (end > x).then_some(BarPart {
                class,
                x,
                width: end - x,
            })
        })
        .collect()
}

fn validation(run: &Run) -> ValidationView {
    let v = &run.validation;
    ValidationView {
        loaded: v.loaded,
        detail: v.detail.clone(),
        steps: vec![
            step("Install", v.install.as_ref(), "never attempted"),
            step("Build", v.build.as_ref(), "never reached"),
        ],
        checks: v
            .checks
            .iter()
            .map(|check| CheckView {
                name: check.name.clone(),
                view: check.view.clone(),
                similarity: format::similarity(check.similarity.as_ref(), None),
                detail: check.detail.clone(),
            })
            .collect(),
        proofs: v.proofs.iter().map(proof).collect(),
    }
}

fn step(name: &'static str, step: Option<&Step>, never: &str) -> StepView {
    let outcome = match step {
        Some(Step {
            succeeded: true, ..
        }) => Badge {
            word: "succeeded".to_owned(),
            tone: "good",
        },
        Some(_) => Badge {
            word: "failed".to_owned(),
            tone: "bad",
        },
        None => Badge {
            word: never.to_owned(),
            tone: "none",
        },
    };
    StepView {
        name,
        outcome,
        command: step
            .map(|step| step.command.clone())
            .filter(|command| !command.is_empty()),
        detail: step.and_then(|step| step.detail.clone()),
    }
}

fn proof(proof: &Proof) -> ProofView {
    ProofView {
        name: proof.name.clone(),
        kind: proof.kind.clone(),
        present: match proof.present {
            Some(true) => "present",
            Some(false) => "missing",
            None => "not said",
        },
        detail: proof.detail.clone(),
    }
}

fn provenance(s: &Sources<'_>) -> ProvenanceView {
    let run = &s.entry.run;
    let (subject, environment) = (&run.subject, &run.environment);
    let fact = |name: &str, value: Cell, code: bool| Fact {
        name: name.to_owned(),
        value,
        code,
    };
    let plain = |text: &str| Cell::known(text);
    let facts = vec![
        fact("Run id", plain(&run.id), true),
        fact("Test type", plain(&subject.test_type), false),
        fact("Orchestrator", plain(&subject.orchestrator), false),
        fact("Engine", plain(&subject.engine), false),
        fact(
            "Engine version",
            format::text(subject.engine_version.as_ref()),
            false,
        ),
        fact(
            "Harness version",
            format::text(subject.harness_version.as_ref()),
            false,
        ),
        fact(
            "Authentication",
            format::text(environment.auth_mode.as_ref()),
            false,
        ),
        fact(
            "Test Cabinet commit",
            format::text(environment.test_cabinet_commit.as_ref()),
            true,
        ),
        fact(
            "Operating system",
            format::text(environment.os.as_ref()),
            false,
        ),
        fact(
            "Container image",
            format::text(environment.container_image.as_ref()),
            true,
        ),
        fact(
            "Node.js",
            format::text(environment.node_version.as_ref()),
            true,
        ),
    ];
    ProvenanceView {
        facts,
        files: s
            .files
            .iter()
            .map(|file| FileView {
                path: file.path.clone(),
                size: format::bytes(file.bytes),
                blake3: file.blake3.clone(),
            })
            .collect(),
        tapes: s
            .tapes
            .iter()
            .zip(s.sidecars)
            .map(|(tape, sidecar)| tape_view(tape, sidecar.as_ref()))
            .collect(),
        reconciliation: s
            .reconciliation
            .map(reconciliation::rows)
            .unwrap_or_default(),
        record: s.record.to_owned(),
        citation: citation(s),
        licence: s.config.policy.licence.clone(),
    }
}

fn tape_view(tape: &Tape<'_>, sidecar: Option<&Sidecar<'_>>) -> TapeView {
    TapeView {
        file: tape.file.clone(),
        format: match tape.format {
            Format::Events => "event log",
            Format::Harn => "Harn tape",
        },
        content_hash: tape.content_hash.clone(),
        header: tape.header.clone(),
        sidecar: sidecar.map(|sidecar| {
            let stale = sidecar
                .report
                .problems
                .iter()
                .any(|p| matches!(p, Problem::TapeDigestMismatch { .. }));
            let digest = match (&sidecar.stated_hash, stale) {
                (None, _) => Badge {
                    word: "not stated".to_owned(),
                    tone: "none",
                },
                (Some(_), true) => Badge {
                    word: "differs from the tape".to_owned(),
                    tone: "bad",
                },
                (Some(_), false) => Badge {
                    word: "agrees with the tape".to_owned(),
                    tone: "good",
                },
            };
            let problems = sidecar.report.problems.len();
            let problems = if problems == 0 {
                "no problems".to_owned()
            } else {
                format::count(problems, "problem")
            };
            SidecarView {
                file: sidecar.file.clone(),
                digest,
                report: format!(
                    "{} checked, {problems}",
                    format::count(sidecar.report.checked, "annotation")
                ),
                kinds: sidecar
                    .report
                    .kind_counts
                    .0
                    .iter()
                    .map(|(kind, count)| (kind.clone(), *count))
                    .collect(),
            }
        }),
    }
}

fn citation(s: &Sources<'_>) -> String {
    let (run, site) = (&s.entry.run, &s.config.site);
    let author = site
        .author
        .as_ref()
        .map_or_else(String::new, |author| format!("{author}. "));
    let base = site.base_url.as_ref();
    let address = base.map_or_else(String::new, |base| {
        format!(" {}runs/{}/", base.as_str(), s.entry.slug)
    });
    format!(
        "{author}Run {} ({}, {}, {}), {}. {}.{address}",
        run.id,
        title(run),
        run.subject.model,
        run.subject.harness,
        format::when(&run.finished).date,
        site.title
    )
}
