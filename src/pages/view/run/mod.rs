//! The run page, and further pages of its tapes.

mod agreement;
mod evidence;
mod head;
pub mod markdown;
mod metrics;
mod moments;
mod provenance;
mod review;
mod showcase;
pub mod story;
mod tapes;
mod validation;

use std::sync::Arc;

use serde::Serialize;

use base::diagnostics::Diagnostic;
use content::inspect::Inspection;
use content::load::RunFiles;
use formats::config::{Config, Downloads};
use formats::model::annotation::Sidecar;
use formats::model::archive::ArchiveEntry;
use formats::model::archive_context::{ArchiveContext, Neighbor};
use formats::model::fields::RunSource;
use formats::model::review::Rating;
use formats::model::rule_result::RuleResult;
use formats::model::tape::Tape;
use formats::model::{FileDigest, WithheldPart};
use formats::run_record::RunRecord;
use gate::Rules;
use markup::Html;

use super::discussion::{self, ConversationView, ThreadsView};
use super::outcomes::{self, OutcomesView};
use super::rules::{self, RunRulesView};
use super::task::{self, VerdictFact};
use super::timeline::Layout;
use super::{Badge, Cell, DisplayTime, Link, format};
use base::links;
use base::url;

use head::HeadView;
pub use head::picture;
use metrics::MetricsView;
use moments::MomentsView;
pub use moments::{MomentEvent, events_around};
pub use provenance::IMPLEMENTATION_ARCHIVE;
use provenance::ProvenanceView;
use review::{BuildView, ReviewView};
pub use showcase::PictureView;
use showcase::{GameJamView, ShowcaseView};
use tapes::TimelineView;
pub use tapes::{EventsPage, StripView};
use validation::ValidationView;

#[derive(Debug, Serialize)]
pub struct RunPage {
    /// Its task.
    pub title: String,
    /// The run's id.
    pub id: String,
    pub case: Link,
    pub model: Link,
    pub harness: Link,
    pub harness_version: Option<Arc<str>>,
    /// Version of the case.
    pub version: Option<Cell>,
    /// Variant of the case.
    pub variant: Cell,
    /// When it was published, or else finished, if known.
    pub date: Option<DisplayTime>,
    /// How it ended, and why.
    pub head: HeadView,
    /// Its rating in the review.
    pub rating: Badge,
    /// The generated source.
    pub source: Option<String>,
    /// The run's own files.
    pub downloads: Vec<Link>,
    /// The page that compares it with other runs.
    pub compare: String,
    pub story: Option<String>,
    pub review: Option<ReviewView>,
    /// The playable build.
    pub build: Option<BuildView>,
    /// The run's own presentation.
    pub showcase: Option<ShowcaseView>,
    /// Its entry in a game jam.
    pub game_jam: Option<GameJamView>,
    /// One strip per tape.
    pub strips: Vec<StripView>,
    /// Annotations of events.
    pub moments: MomentsView,
    pub metrics: MetricsView,
    /// The validation, if anything of it is recorded.
    pub validation: Option<ValidationView>,
    pub outcomes: Option<OutcomesView>,
    /// What the rules of the site say of it.
    pub rules: Option<RunRulesView>,
    /// The tapes.
    pub timelines: Vec<TimelineView>,
    /// The public part of the transcript.
    pub conversation: Option<ConversationView>,
    pub threads: Option<ThreadsView>,
    /// The sources of all values.
    pub provenance: ProvenanceView,
    /// The next newer run of the case.
    pub newer: Option<Link>,
    /// The next older run of the case.
    pub older: Option<Link>,
}

pub struct RenderedParts<'a> {
    pub writeup: Html,
    /// One strip per tape.
    pub strips: Vec<StripView>,
    /// The first page of each tape.
    pub timelines: Vec<Html>,
    /// Renders the Markdown entries of the review threads.
    pub markdown: discussion::RenderMarkdown<'a>,
    /// The description of the showcase.
    pub showcase: Option<Html>,
}

/// A run without errors, with all that its published files are made of.
pub struct CheckedRun<'a> {
    pub config: &'a Config,
    /// The part of the archive that the page depends on.
    pub archive_context: &'a ArchiveContext,
    pub entry: &'a ArchiveEntry,
    /// What was asked.
    pub task: &'a str,
    /// The parts of the record that only its page shows.
    pub details: &'a RunRecord<'a>,
    /// What the site expects of its runs.
    pub site_rules: &'a Rules,
    /// What its rules say of the run.
    pub rules: &'a [RuleResult],
    /// The record as written.
    pub record: &'a str,
    /// The record as shown on a page.
    pub displayed_record: &'a str,
    pub files: &'a RunFiles,
    /// The contents of the files.
    pub inspection: &'a Inspection<'a>,
    pub layouts: &'a [Layout<'a>],
    /// The writeup as HTML.
    pub writeup: &'a Html,
    /// Problems of all files, sorted.
    pub problems: &'a [Diagnostic],
    pub digests: &'a [FileDigest],
    /// Withheld parts of the files.
    pub withheld: &'a [WithheldPart],
    /// Names of files that can be downloaded next to the page.
    pub downloads: &'a [String],
    /// Size in bytes of the archive of the files that the agent left, if published.
    pub archive: Option<u64>,
}

impl<'a> CheckedRun<'a> {
    /// The source of the values that its page and comparisons show.
    pub fn run_source(&self) -> RunSource<'_> {
        RunSource {
            run: &self.entry.run,
            slug: &self.entry.slug,
            url: "",
            rating: self.rating(),
            audit: self.inspection.audited(),
            findings: None,
            decisions: &self.entry.decisions,
            details: Some(self.details),
        }
    }

    pub fn has_story(&self) -> bool {
        let mut tapes = self.inspection.tapes.iter();
        self.config.site.stories.includes(self.is_annotated())
            && tapes.any(|tape| !tape.events.is_empty())
    }

    pub fn has_markdown(&self) -> bool {
        self.config
            .publish
            .has_markdown(self.archive_context.is_small)
    }

    pub fn has_card(&self) -> bool {
        self.config.site.cards.includes(self.is_annotated())
    }

    /// Each tape with its sidecar and its layout.
    pub fn tapes(
        &self,
    ) -> impl Iterator<Item = (&'a Tape<'a>, Option<&'a Sidecar<'a>>, &'a Layout<'a>)> {
        let sidecars = &self.inspection.sidecars;
        let tapes = self.inspection.tapes.iter().zip(sidecars);
        let tapes = tapes.zip(self.layouts);
        tapes.map(|((tape, sidecar), layout)| (tape, sidecar.as_ref(), layout))
    }

    pub fn rating(&self) -> Option<Rating> {
        self.inspection.rating()
    }

    /// What is known of how it ended.
    pub fn verdict(&self) -> Vec<VerdictFact> {
        task::verdict(&self.entry.run, self.rating(), self.inspection.audited())
    }

    /// The address of an event of the first tape on the run page, if the tape has it.
    pub fn event_href(&self, seq: u64) -> Option<String> {
        let page = links::run(&self.entry.slug);
        self.layouts.first()?.numbered_href(&page, seq)
    }

    /// A link to an event of the first tape, by its number.
    pub(super) fn event_link(&self, seq: u64) -> Option<Link> {
        Some(Link::new(seq.to_string(), self.event_href(seq)?))
    }

    /// Path of a download that belongs to this run only.
    pub fn own_file(&self, name: &str) -> String {
        self.config.publish.own_file(&self.entry.slug, name)
    }

    /// The address of a download that belongs to this run only.
    fn own_href(&self, name: &str) -> String {
        let publish = &self.config.publish;
        if publish.files_base_url.is_none() {
            return url::encode(name);
        }
        publish.address("", &self.own_file(name))
    }

    fn is_annotated(&self) -> bool {
        let mut sidecars = self.inspection.sidecars.iter().flatten();
        sidecars.any(|sidecar| sidecar.report.kind_counts.total() > 0)
    }
}

pub fn page(s: &CheckedRun<'_>, parts: RenderedParts<'_>) -> RunPage {
    let (run, context) = (&s.entry.run, s.archive_context);
    let path = links::run(&s.entry.slug);
    let root = links::root(&path);
    let link = |text: &str, path: String| Link::new(text, format!("{root}{path}"));
    let neighbor = |run: &Option<Neighbor>| {
        run.as_ref().map(|run| {
            let date = format::when(run.at.as_ref()).date;
            let words = format!("{}, {} ({date})", run.model, run.harness);
            link(&words, links::run(&run.slug))
        })
    };
    let mut downloads = vec![Link::new("run.json", "run.json")];
    let archive = s.archive.map(|_| IMPLEMENTATION_ARCHIVE);
    let publish = &s.config.publish;
    let names = s.downloads.iter().map(String::as_str);
    let names = names.filter(|_| publish.downloads == Downloads::Files);
    downloads.extend(
        names
            .chain(archive)
            .map(|name| Link::new(name, s.own_href(name))),
    );
    RunPage {
        title: s.task.to_owned(),
        id: run.id.to_string(),
        case: link(&run.subject.case, links::group("cases", &context.case)),
        model: link(run.subject.model(), links::group("models", &context.model)),
        harness: link(
            &run.subject.harness,
            links::group("harnesses", &context.harness),
        ),
        harness_version: run.subject.harness_version.clone(),
        version: run.subject.version.as_deref().map(format::short_digest),
        variant: format::text(run.subject.variant.as_ref()),
        date: run.recency().map(|moment| format::when(Some(moment))),
        head: head::head(s),
        rating: format::rating(s.rating()),
        source: run.source_repo.as_ref().map(|url| url.as_str().to_owned()),
        downloads,
        compare: format!("{root}{}?runs={}", links::COMPARE, s.entry.slug),
        story: s.has_story().then(|| "story/index.html".to_owned()),
        review: s
            .inspection
            .review
            .as_ref()
            .map(|review| ReviewView::of(review, parts.writeup)),
        build: review::build(s.config, run),
        strips: parts.strips,
        moments: moments::moments(s),
        showcase: s.details.showcase.as_ref().map(|showcase| {
            showcase::showcase(&s.inspection.pictures.showcase, showcase, parts.showcase)
        }),
        game_jam: showcase::game_jam(context, &root, s.details, parts.markdown),
        metrics: metrics::metrics(context, run, s.details),
        validation: validation::validation(&s.inspection.pictures.proofs, run, s.details),
        outcomes: outcomes::outcomes(run),
        rules: rules::of_run(s),
        timelines: s
            .inspection
            .tapes
            .iter()
            .zip(s.layouts)
            .zip(parts.timelines)
            .map(|((tape, layout), html)| TimelineView {
                file: tape.file.clone(),
                anchor: format!("{}timeline", layout.prefix),
                count: tapes::count(tape),
                began: tape.first_time().map(format::at),
                backwards: tapes::backwards(tape),
                failures: tape.failures(),
                texts: tapes::texts(layout, 1),
                tools: layout.prefix.is_empty() && tapes::need_tools(&s.inspection.tapes),
                messages: tapes::has_messages(&tape.events[layout.range(1)]),
                usage: tapes::usage(&tape.events[layout.range(1)]),
                html,
                pages: tapes::pages(tape, layout, 1),
            })
            .collect(),
        conversation: s
            .inspection
            .conversation
            .as_ref()
            .map(|conversation| discussion::conversation(s.config, conversation)),
        threads: s
            .inspection
            .threads
            .as_ref()
            .filter(|t| !t.threads.is_empty())
            .map(|threads| discussion::threads(s.config, threads, parts.markdown)),
        provenance: ProvenanceView::of(s),
        newer: neighbor(&context.newer),
        older: neighbor(&context.older),
    }
}
