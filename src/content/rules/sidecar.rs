//! Harn's validator: the eleven problems of a sidecar with their exact conditions and order (formats.md D).

use std::borrow::Cow;
use std::collections::BTreeSet;

use base::diagnostics::text::{did_you_mean, nearest, quoted};
use base::diagnostics::{CheckResult, Code, Collector, Diagnostic, Source, codes};
use base::url::is_allowed_link;
use formats::config::Config;
use formats::json::{Node, Str};
use formats::model::Verbatim;
use formats::model::annotation::{
    Annotation, AnnotationKind, FRICTION_KINDS, HarnProblem, HarnReport, Sidecar,
};
use formats::model::tape::Tape;
use formats::sidecar::{self as format, AnnotationLine, HypothesisStatus};
use markup::MarkdownOrigin;

use super::{evidence, markdown};

/// Checks a sidecar against its tape. `path` is the file for diagnostics, `file` its name in the run directory.
pub fn check<'a>(
    config: &Config,
    path: &str,
    file: &str,
    sidecar: format::Sidecar<'a>,
    tape: &Tape<'_>,
) -> CheckResult<Sidecar<'a>> {
    let mut validator = Validator::new(path, Some(tape));
    for line in &sidecar.annotations {
        validator.annotation(line);
    }
    validator.digest(config, &sidecar, tape);
    let Validator {
        report,
        mut diagnostics,
        ..
    } = validator;
    if let Some(problem) = other_tape(path, &sidecar, tape) {
        diagnostics.push(problem);
    }
    let mut diagnostics = diagnostics.finish(path);
    let is_stale =
        |problem: &HarnProblem| matches!(problem, HarnProblem::TapeDigestMismatch { .. });
    let stale = report.problems.iter().any(is_stale);
    diagnostics.extend(evidence::check(path, &sidecar, tape, stale));
    let header = verbatim(&sidecar.header_line.text);
    let mut labels = BTreeSet::new();
    let annotations = sidecar
        .annotations
        .into_iter()
        .map(|line| annotation(line, &mut labels))
        .collect();
    let value = Sidecar {
        file: file.to_owned(),
        header,
        stated_tape: sidecar.header.tape_path,
        stated_hash: sidecar.header.tape_content_hash,
        report,
        annotations,
    };
    CheckResult { value, diagnostics }
}

/// Checks a sidecar whose tape is missing or fails to load: everything that does not need the tape's events.
#[must_use]
pub fn check_alone(path: &str, sidecar: &format::Sidecar<'_>) -> Vec<Diagnostic> {
    let mut validator = Validator::new(path, None);
    for line in &sidecar.annotations {
        validator.annotation(line);
    }
    validator.diagnostics.finish(path)
}

struct Validator<'t> {
    path: &'t str,
    tape: Option<&'t Tape<'t>>,
    ids: BTreeSet<String>,
    report: HarnReport,
    diagnostics: Collector,
}

impl<'t> Validator<'t> {
    fn new(path: &'t str, tape: Option<&'t Tape<'t>>) -> Self {
        Self {
            path,
            tape,
            ids: BTreeSet::new(),
            report: HarnReport::default(),
            diagnostics: Collector::default(),
        }
    }

    fn annotation(&mut self, line: &AnnotationLine<'_>) {
        let a = &line.annotation;
        let kind = AnnotationKind::parse(&a.kind);
        self.report.annotations_checked += 1;
        self.report.kind_counts.add(&kind);
        if !a.id.is_empty() && !self.ids.insert(a.id.to_string()) {
            self.report_problem(
                line,
                &codes::ANNOTATION_DUPLICATE_ID,
                "/id",
                format!("Duplicate annotation id {}", quoted(&a.id)),
                "Give each annotation a unique id.",
                |annotation_id| HarnProblem::DuplicateId { annotation_id },
            );
        }
        if let Some(tape) = self.tape
            && tape.position(a.event_id).is_none()
        {
            let help = tape.last_seq().map_or_else(
                || "The tape has no events.".to_owned(),
                |last| format!("The last event of the tape is `{last}`."),
            );
            self.report_problem(
                line,
                &codes::ANNOTATION_UNKNOWN_EVENT_ID,
                "/event_id",
                format!("The tape has no event `{}`", a.event_id),
                help,
                |annotation_id| HarnProblem::UnknownEventId {
                    annotation_id,
                    event_id: a.event_id,
                },
            );
        }
        self.kind_rules(line, &kind);
        self.span(line);
        self.links(line);
        self.evidence(line);
    }

    fn kind_rules(&mut self, line: &AnnotationLine<'_>, kind: &AnnotationKind) {
        let a = &line.annotation;
        if let AnnotationKind::Unknown(word) = kind {
            let known = || {
                let known = AnnotationKind::KNOWN.iter().map(|kind| quoted(kind.word()));
                format!(
                    "The recognized kinds are {}. A newer producer may use others, which are shown as written.",
                    known.collect::<Vec<_>>().join(", ")
                )
            };
            return self.report_problem(
                line,
                &codes::ANNOTATION_UNKNOWN_KIND,
                "/kind",
                format!("Unknown annotation kind {}", quoted(word)),
                nearest(word, AnnotationKind::KNOWN.iter().map(AnnotationKind::word))
                    .map_or_else(known, |near| format!("Did you mean {}?", quoted(near))),
                |annotation_id| HarnProblem::UnknownKind { annotation_id },
            );
        }
        let of_kind =
            |key: &str| format!("An annotation of kind {} has a `{key}`", quoted(&a.kind));
        match (kind, a.hypothesis_status) {
            (AnnotationKind::Hypothesis, None) => self.report_problem(
                line,
                &codes::ANNOTATION_HYPOTHESIS_STATUS_MISSING,
                "",
                "The hypothesis is missing its `hypothesis_status`",
                "Add `active`, `verifying`, `confirmed`, `disproven` or `stale`.",
                |annotation_id| HarnProblem::HypothesisStatusMissing { annotation_id },
            ),
            (AnnotationKind::Hypothesis, Some(_)) | (_, None) => {}
            (_, Some(_)) => self.report_problem(
                line,
                &codes::ANNOTATION_HYPOTHESIS_STATUS_UNEXPECTED,
                "/hypothesis_status",
                of_kind("hypothesis_status"),
                "Remove it, or change the kind to `hypothesis`.",
                |annotation_id| HarnProblem::HypothesisStatusUnexpected { annotation_id },
            ),
        }
        match (kind, a.friction_kind.as_deref()) {
            (AnnotationKind::Friction, None) => self.report_problem(
                line,
                &codes::ANNOTATION_FRICTION_KIND_MISSING,
                "",
                "The friction annotation is missing its `friction_kind`",
                "Add one; `runpress explain annotation.friction-kind-unknown` lists them.",
                |annotation_id| HarnProblem::FrictionKindMissing { annotation_id },
            ),
            (AnnotationKind::Friction, Some(word)) if !FRICTION_KINDS.contains(&word) => self
                .report_problem(
                    line,
                    &codes::ANNOTATION_FRICTION_KIND_UNKNOWN,
                    "/friction_kind",
                    format!("Unknown friction kind {}", quoted(word)),
                    did_you_mean(
                        word,
                        FRICTION_KINDS,
                        "`runpress explain annotation.friction-kind-unknown` lists the kinds.",
                    ),
                    |annotation_id| HarnProblem::FrictionKindUnknown {
                        annotation_id,
                        friction_kind: word.to_owned(),
                    },
                ),
            (AnnotationKind::Friction, Some(_)) | (_, None) => {}
            (_, Some(_)) => self.report_problem(
                line,
                &codes::ANNOTATION_FRICTION_KIND_UNEXPECTED,
                "/friction_kind",
                of_kind("friction_kind"),
                "Remove it, or change the kind to `friction`.",
                |annotation_id| HarnProblem::FrictionKindUnexpected { annotation_id },
            ),
        }
    }

    fn span(&mut self, line: &AnnotationLine<'_>) {
        let Some(span) = line.annotation.span else {
            return;
        };
        let (start, end, event) = (
            span.start_event_id,
            span.end_event_id,
            line.annotation.event_id,
        );
        let last = self.tape.and_then(Tape::last_seq);
        let mut wrong = |key: &str, message: String, sentence: String| {
            self.report_problem(
                line,
                &codes::ANNOTATION_INVALID_SPAN,
                key,
                sentence,
                "Start the span at the event of the annotation, and end it at the same or a later event of the tape.",
                |annotation_id| HarnProblem::InvalidSpan { annotation_id, message },
            );
        };
        if start != event {
            wrong(
                "/span/start_event_id",
                format!("span.start_event_id ({start}) must equal event_id ({event})"),
                format!(
                    "The span starts at event `{start}`, but the annotation is about event `{event}`"
                ),
            );
        }
        if end < start {
            wrong(
                "/span/end_event_id",
                format!("span.end_event_id ({end}) is before start_event_id ({start})"),
                format!("The span ends at event `{end}`, before it starts at `{start}`"),
            );
        }
        if let Some(last) = last.filter(|last| end > *last) {
            wrong(
                "/span/end_event_id",
                format!("span.end_event_id ({end}) is past the last tape event (seq={last})"),
                format!(
                    "The span ends at event `{end}`, but the last event of the tape is `{last}`"
                ),
            );
        }
    }

    /// Harn does not restrict links: a blocked link is shown as text, and its problem is not in Harn's report.
    fn links(&mut self, line: &AnnotationLine<'_>) {
        for (index, link) in line.annotation.links.iter().enumerate() {
            let Some(url) = link.url.as_deref().filter(|url| !is_allowed_link(url)) else {
                continue;
            };
            let path = self.path;
            self.diagnostics.add(&codes::ANNOTATION_SCHEMA, || {
                let pointer = format!("/links/{index}/url");
                codes::ANNOTATION_SCHEMA.at(
                    line.line.place(path, &pointer),
                    format!(
                        "The link {} is not an absolute http, https or mailto address; it is shown as text",
                        quoted(url)
                    ),
                    "Write an absolute address, or put the reference under `reference`.",
                )
            });
        }
    }

    fn evidence(&mut self, line: &AnnotationLine<'_>) {
        let Some(evidence) = line.annotation.evidence.as_deref() else {
            return;
        };
        // If the events are unknown, a link to one may be valid.
        let is_there = |number| self.tape.is_none_or(|tape| tape.position(number).is_some());
        let events = |number| is_there(number).then(String::new);
        let dropped = markdown::dropped_links(evidence, MarkdownOrigin::Run(&events));
        if dropped.is_empty() {
            return;
        }
        let at = line.line.place(self.path, "/evidence");
        for destination in dropped {
            self.diagnostics.add(&codes::REVIEW_UNSAFE_LINK, || {
                markdown::dropped_link(at.clone(), &destination)
            });
        }
    }

    fn digest(&mut self, config: &Config, sidecar: &format::Sidecar<'_>, tape: &Tape<'_>) {
        let Some(expected) = &sidecar.header.tape_content_hash else {
            return;
        };
        if tape.has_hash(expected) {
            return;
        }
        let line = &sidecar.header_line;
        let run = self.path.rsplit_once('/').map_or(".", |(folder, _)| folder);
        self.diagnostics.push(
            codes::ANNOTATION_TAPE_DIGEST_MISMATCH
                .at(
                    line.place(self.path, "/tape_content_hash"),
                    format!("The tape {} changed after it was annotated", quoted(&tape.file)),
                    format!(
                        "Check that each annotation still points at the right event, then run `runpress annotate --rehash {run}`, which sets `tape_content_hash` to `{}`.",
                        tape.content_hash
                    ),
                )
                .with_severity(config.policy.stale_annotations),
        );
        self.report.problems.push(HarnProblem::TapeDigestMismatch {
            expected: expected.clone(),
            actual: tape.content_hash.clone(),
        });
    }

    fn report_problem(
        &mut self,
        line: &AnnotationLine<'_>,
        code: &'static Code,
        pointer: &str,
        message: impl Into<String>,
        help: impl Into<String>,
        problem: impl FnOnce(String) -> HarnProblem,
    ) {
        let place = || line.line.place(self.path, pointer);
        let add = || code.at(place(), message, help);
        self.diagnostics.add(code, add);
        self.report.problems.push(problem(line.annotation.label()));
    }
}

fn other_tape(path: &str, sidecar: &format::Sidecar<'_>, tape: &Tape<'_>) -> Option<Diagnostic> {
    let named = sidecar.header.tape_path.as_deref()?;
    // Harn writes the path as the recorder saw it, so only the file name is compared.
    let name = named.rsplit(['/', '\\']).next().unwrap_or(named);
    if name == tape.file {
        return None;
    }
    let line = &sidecar.header_line;
    Some(codes::SIDECAR_OTHER_TAPE.at(
        line.place(path, "/tape_path"),
        format!(
            "The header names the tape {}, but the sidecar belongs to {}",
            quoted(named),
            quoted(&tape.file)
        ),
        "Correct `tape_path`, or move the sidecar next to its tape.",
    ))
}

fn verbatim<'a>(text: &Cow<'a, str>) -> Verbatim<'a> {
    // A line that was parsed is valid UTF-8, and therefore borrowed.
    match text {
        Cow::Borrowed(text) => Verbatim(text),
        Cow::Owned(_) => Verbatim("null"),
    }
}

fn annotation<'a>(line: AnnotationLine<'a>, labels: &mut BTreeSet<String>) -> Annotation<'a> {
    let a = line.annotation;
    let plain = a.label();
    let mut label = plain.clone();
    let mut count = labels.len();
    while !labels.insert(label.clone()) {
        label = format!("{plain}@{count}");
        count += 1;
    }
    let metadata = a.metadata.0.map(serde_json::value::RawValue::get);
    Annotation {
        id: (!a.id.is_empty()).then(|| a.id.into_inner()),
        label,
        event: a.event_id,
        kind: AnnotationKind::parse(&a.kind),
        evidence: a.evidence.map(Str::into_inner),
        suggested_fix: a.suggested_fix.map(serde_json::value::RawValue::get),
        author: a.author,
        timestamp: a.timestamp.map(Str::into_inner),
        span: a
            .span
            .map(|s| (s.start_event_id, s.end_event_id))
            .filter(|(start, end)| end > start),
        hypothesis_status: a.hypothesis_status.map(HypothesisStatus::word),
        friction_kind: a.friction_kind.map(Str::into_inner),
        links: a
            .links
            .into_iter()
            .filter(|link| link.label.is_some() || link.url.is_some() || link.reference.is_some())
            .collect(),
        metadata: metadata.filter(|raw| Node { raw, offset: 0 }.members().iter().any(|_| true)),
        verbatim: verbatim(&line.line.text),
    }
}

/// The problem of a sidecar without its tape.
pub fn without_tape(path: &str, bytes: &[u8], expected: &str) -> Diagnostic {
    codes::SIDECAR_WITHOUT_TAPE.at(
        Source::file(path, bytes).place(0, 0),
        format!("The tape {} of this sidecar is missing", quoted(expected)),
        "Put the tape next to the sidecar, or remove the sidecar.",
    )
}
