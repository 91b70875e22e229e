//! Compares the data of a run about its events with its published tapes.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use base::diagnostics::{Diagnostic, Place};
use base::links::{self, Slug};
use content::discover::RunDirectory;
use content::inspect::{self, Inspection};
use content::load::{self, LoadedFile};
use formats::audit::AuditVerdict;
use formats::config::{Config, Limits};
use formats::model::reconciliation::reconcile;
use formats::model::review::Rating;
use formats::model::rule_result::RuleResult;
use formats::model::run::Run;
use formats::model::tape::{Tape, TapeFormat};
use formats::raw::RawCounts;
use gate::RunExtras;
use markup::MarkdownOrigin;
use markup::markdown::{self, MarkdownContext};
use pages::feeds::annotations;
use pages::feeds::run::AllSteps;
use pages::view::run::story::StorySource;
use pages::view::task;
use pages::view::timeline::Layout;

use super::{PublishedRun, RunJson};
use crate::compare::{self, EVENTS};
use crate::copy::SiteCopy;
use crate::settings::{DECISIONS, SiteSettings};
use crate::{events, story};

/// Largest file that is read into memory.
const LARGEST: u64 = 4 << 30;

/// A run whose event logs are in the copy.
#[derive(Clone, Copy)]
pub(super) struct RunSource<'a> {
    pub(super) copy: &'a SiteCopy,
    pub(super) settings: &'a SiteSettings,
    /// The folder of the files.
    pub(super) folder: &'a str,
    pub(super) record: &'a LoadedFile,
    pub(super) document: &'a RunJson,
}

impl RunSource<'_> {
    /// Reads the tapes and sidecars, and compares them with `run.json` and with the pages of the run.
    pub(super) fn compare_events(self, of_run: &mut PublishedRun, problems: &mut Vec<Diagnostic>) {
        let directory = RunDirectory::new(
            Arc::from(self.copy.root.as_path()),
            Path::new(self.folder),
            self.folder.to_owned(),
        );
        let mut config = Config::default();
        config.policy.raw_audit = None;
        // The site was built within its own limits, which are not published.
        config.limits = Limits {
            line: LARGEST,
            lines: usize::MAX,
            file: LARGEST,
            document: LARGEST,
            memory: LARGEST,
            ..config.limits
        };
        let (files, _) = load::run(&directory, self.record, &config.limits);
        // What a build reported about them is in the feed of diagnostics.
        let mut inspection = inspect::annotated(&config, &files).value;
        let findings = self.document.audit.iter().flat_map(|it| &it.findings);
        if let Some(log) = inspection.tapes.first_mut() {
            for finding in findings {
                log.mark_finding(finding.seq, finding.before);
            }
        }
        let inspection = inspection;
        problems.extend(self.different_tapes(&inspection.tapes));
        let slug = Slug::new(
            &self.document.slug,
            self.settings.config.publish.run_folders,
        );
        let layouts = Layout::of(&self.settings.config, &slug, &inspection.tapes);
        problems.extend(self.different_steps(&inspection.tapes, &layouts));
        problems.extend(self.different_reconciliation(&of_run.run, &inspection.tapes));
        problems.extend(self.different_writeup(&slug, &layouts));
        problems.extend(self.different_rules(of_run, &inspection));
        problems.extend(self.decisions_without_event(&of_run.run.id, inspection.tapes.first()));
        events::check(self.copy, self.settings, &inspection, &layouts, problems);
        if !self.settings.has_own_templates {
            let source = StorySource {
                config: &self.settings.config,
                run: &of_run.run,
                task: "",
                inspection: &inspection,
                layouts: &layouts,
            };
            story::check(self.copy, source, &slug, problems);
        }
        of_run.findings.task = task::task(&of_run.run, None, inspection.tapes.first());
        of_run.has_task = of_run.findings.task != *of_run.run.subject.case;
        let lines = annotations::lines(&of_run.run, &inspection.tapes, &inspection.sidecars);
        let Ok(lines) = lines else { return };
        let derived = compare::json_lines(lines.all.as_bytes()).map(compare::without_run_id);
        problems.extend(compare::problems(
            &self.place("/annotations"),
            &Value::Array(of_run.annotations.clone()),
            &Value::Array(derived.collect()),
            "the published event logs and sidecars",
        ));
        of_run.lines = Some(lines);
    }

    /// A value in `run.json`.
    fn place(self, pointer: &str) -> Place {
        Place::file(&self.record.shown).pointing(pointer)
    }

    fn different_tapes(self, tapes: &[Tape<'_>]) -> Vec<Diagnostic> {
        let withheld = &self.document.withheld;
        let mut pointers = Vec::new();
        for (index, tape) in self.document.tapes.iter().enumerate() {
            let Some(found) = tapes.iter().find(|it| it.file == tape.file) else {
                pointers.push(format!("/tapes/{index}/file"));
                continue;
            };
            if found.events.len() != tape.events {
                pointers.push(format!("/tapes/{index}/events"));
            }
            // A partly withheld tape has the hash of the recorded one.
            let is_withheld = withheld.iter().any(|it| it.file == tape.file);
            if found.content_hash != tape.content_hash && !is_withheld {
                pointers.push(format!("/tapes/{index}/contentHash"));
            }
        }
        let problems = pointers.iter();
        let problems = problems.map(|pointer| compare::differs(self.place(pointer), EVENTS));
        problems.collect()
    }

    fn different_steps(self, tapes: &[Tape<'_>], layouts: &[Layout<'_>]) -> Vec<Diagnostic> {
        let steps = serde_json::to_value(AllSteps { tapes, layouts }).unwrap_or_default();
        compare::problems(&self.place("/steps"), &self.document.steps, &steps, EVENTS)
    }

    /// Compares the sums of the event log with those of the record. Of the raw log, which is usually not published, compares only the
    /// sums of events.
    fn different_reconciliation(self, run: &Run, tapes: &[Tape<'_>]) -> Vec<Diagnostic> {
        let published = &self.document.reconciliation;
        let log = tapes
            .first()
            .filter(|tape| tape.format == TapeFormat::Events);
        let raw = (!published["raw"].is_null()).then(RawCounts::default);
        let derived = reconcile(run, log, raw, None);
        let mut derived = serde_json::to_value(derived).unwrap_or_default();
        if let (Some(Value::Object(derived)), Value::Object(published)) =
            (derived.get_mut("raw"), &published["raw"])
        {
            for (key, value) in published {
                if !matches!(key.as_str(), "events" | "warnings") {
                    derived.insert(key.clone(), value.clone());
                }
            }
        }
        compare::problems(
            &self.place("/reconciliation"),
            published,
            &derived,
            "the published record and events",
        )
    }

    /// Renders the writeup again.
    fn different_writeup(self, slug: &Slug, layouts: &[Layout<'_>]) -> Option<Diagnostic> {
        let review = self.document.review.as_ref()?;
        let page = links::run(slug);
        let events = |number| layouts.first()?.numbered_href(&page, number);
        let context = MarkdownContext {
            scope: "w",
            shift: 2,
            origin: MarkdownOrigin::Writeup(&events),
        };
        let html = markdown::render(&review.markdown, context);
        (html.as_str() != review.html)
            .then(|| compare::differs(self.place("/review/html"), "its Markdown and the events"))
    }

    /// Evaluates the rules again.
    fn different_rules(
        self,
        of_run: &PublishedRun,
        inspection: &Inspection<'_>,
    ) -> Vec<Diagnostic> {
        let tape = inspection.tapes.first();
        let audit = self.document.audit.as_ref().and_then(|it| it.verdict);
        let extras = RunExtras {
            rating: of_run.findings.rating.map(Rating::word),
            audit: audit.map(AuditVerdict::word),
            annotations: of_run.findings.annotations.total(),
            files: of_run.files.iter().map(|(path, _)| path.clone()).collect(),
        };
        let derived = self.settings.evaluate(&of_run.run, tape, extras, false);
        let published = &self.document.rules;
        let ids = |results: &[RuleResult]| -> Vec<String> {
            results.iter().map(|result| result.rule.clone()).collect()
        };
        let mut problems = Vec::new();
        if ids(published) != ids(&derived) {
            problems.push(compare::differs(
                self.place("/rules"),
                "the rules in `feeds/rules.json`",
            ));
        }
        let is_whole = tape.is_none_or(|tape| tape.events.iter().all(|it| it.external.is_empty()));
        for (index, result) in published.iter().enumerate() {
            let is_there = |seq: &u64| tape.is_some_and(|tape| tape.position(*seq).is_some());
            let again = derived.iter().find(|it| it.rule == result.rule);
            let again = again.filter(|_| is_whole && self.settings.can_evaluate(&result.rule));
            if !result.events.iter().all(is_there) || again.is_some_and(|again| again != result) {
                let place = self.place(&format!("/rules/{index}"));
                let of = "the published events and the rule";
                problems.push(compare::differs(place, of));
            }
        }
        problems
    }

    /// The problem of a decision about an event that does not exist.
    fn decisions_without_event(self, run: &str, tape: Option<&Tape<'_>>) -> Option<Diagnostic> {
        let decisions = &self.settings.decisions;
        let mut of_run = decisions.iter().filter(|it| it.run == run);
        let is_wrong = of_run.any(|it| content::rules::decisions::check_event(it, tape).is_some());
        is_wrong.then(|| compare::differs(Place::file(DECISIONS).pointing("/decisions"), EVENTS))
    }
}
