//! The JSON Schema of every input format and every feed, by name: one table.
//!
//! A schema is generated from the type that reads or writes the document, so the two cannot diverge. `runpress check` reports
//! everything that an input schema rejects; a document that a schema accepts may still break rules it cannot express. Schemas use
//! draft 2020-12 and are self-contained.

#[allow(dead_code, reason = "only the schemas of the types are used")]
pub mod threads;
#[allow(dead_code, reason = "only the schemas of the types are used")]
pub mod transcript;

use schemars::generate::{Contract, SchemaSettings};
use schemars::transform::{RecursiveTransform, RestrictFormats, Transform};
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use crate::feeds::{self, annotations};
use base::diagnostics::json::DiagnosticReport;
use formats::config::Config;
use formats::decisions::{self, Decision, DecisionKind};
use formats::model::annotation::{AnnotationKind, FRICTION_KINDS};
use formats::rule_file::RuleFile;
use formats::scanner_findings::{self, ScannerFinding};
use formats::{
    adapter, events, raw, redactions, run_record, sidecar as sidecar_format, tape, trace, withdrawn,
};
use store::ledger;

/// The schema of a document, or of a line of one.
#[derive(Debug, Clone, Copy)]
pub struct SchemaEntry {
    /// Its name on the command line, and its file name.
    pub name: &'static str,
    /// A title for the documents.
    pub title: &'static str,

    pub subject: SchemaSubject,
    schema: fn() -> Schema,
    rules: fn(&mut Schema),
}

/// The files that a schema is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaSubject {
    /// An input file, by its name in a run directory or in the site's root.
    Input(&'static str),
    /// A published file, by its path from the site's root; `<slug>` stands for a run's slug.
    Feed(&'static str),
}

/// All schemas: inputs first, then feeds.
pub const ALL: &[SchemaEntry] = &[
    input::<run_record::RunRecord<'_>>("run-record", "A run record", run_record::FILE_NAME),
    input::<events::LogEventFields<'_>>("events", "A line of events.jsonl", events::FILE_NAME),
    input::<raw::RawLineFields<'_>>("raw", "A line of raw.jsonl", raw::FILE_NAME),
    input::<tape::TapeLine<'_>>("tape", "A line of a Harn tape", "*.tape"),
    input::<trace::TraceLine<'_>>("trace", "A line of a trace", "*.trace.jsonl"),
    input::<sidecar_format::SidecarLine<'_>>(
        "sidecar",
        "A line of an annotation sidecar",
        "*.annotations.jsonl",
    )
    .with(add_sidecar_rules),
    input::<transcript::Transcript>("transcript", "A Harn transcript", "transcript.json"),
    input::<threads::Threads>("threads", "Review threads", "annotations.json"),
    input::<threads::ActionLine>(
        "thread-actions",
        "A line of annotations.actions.jsonl",
        "annotations.actions.jsonl",
    ),
    input::<redactions::Redaction>(
        "redactions",
        "A line of redactions.jsonl",
        redactions::FILE_NAME,
    ),
    input::<withdrawn::Withdrawals>("withdrawn", "Why runs were withdrawn", withdrawn::FILE_NAME),
    input::<Decision>(
        "decisions",
        "A line of decisions.jsonl",
        decisions::FILE_NAME,
    )
    .with(add_decision_rules),
    input::<ScannerFinding>(
        "findings",
        "A finding of a scanner, to annotate with",
        scanner_findings::FILE_NAME,
    ),
    input::<adapter::AdapterLine<'_>>("adapter", "A line of an adapter", adapter::FILE_NAME),
    input::<Config>("site", "The settings of a site", "site.toml"),
    input::<RuleFile>("rules", "A file of rules", "rules/*.toml"),
    feed::<feeds::archive::FeedIndex<'_>>("index", "The list of feeds", "feeds/index.json"),
    feed::<feeds::archive::RunsDocument<'_>>("runs", "All runs", "feeds/runs.json"),
    feed::<feeds::archive::RunCard<'_>>("runs-line", "A line of runs.jsonl", "feeds/runs.jsonl"),
    feed::<feeds::groups::CasesDocument<'_>>("cases", "All cases", "feeds/cases.json"),
    feed::<feeds::groups::ModelsDocument<'_>>("models", "All models", "feeds/models.json"),
    feed::<feeds::groups::HarnessesDocument<'_>>(
        "harnesses",
        "All harnesses",
        "feeds/harnesses.json",
    ),
    feed::<annotations::AnnotationDocument<'_>>(
        "annotations-line",
        "A line of annotations.jsonl",
        "feeds/annotations.jsonl",
    )
    .with(annotations::name_their_run),
    feed::<annotations::FrictionDocument<'_>>(
        "friction",
        "Friction of all runs",
        "feeds/friction.json",
    ),
    feed::<annotations::HypothesesDocument<'_>>(
        "hypotheses",
        "Hypotheses of all runs",
        "feeds/hypotheses.json",
    )
    .with(annotations::name_their_run),
    feed::<annotations::CrystallizeDocument<'_>>(
        "crystallize",
        "Patterns for a tool or a skill",
        "feeds/crystallize.json",
    ),
    feed::<feeds::agreement::AgreementDocument<'_>>(
        "agreement",
        "How far annotators agree",
        "feeds/agreement.json",
    ),
    feed::<annotations::Label<'_>>(
        "labels-line",
        "A line of labels.jsonl",
        "feeds/labels.jsonl",
    ),
    feed::<feeds::threads::ThreadLine<'_>>(
        "threads-line",
        "A line of threads.jsonl",
        "feeds/threads.jsonl",
    ),
    feed::<feeds::run::RunDocument<'_>>("run", "All data of one run", "runs/<slug>/run.json"),
    feed::<feeds::rules::RulesDocument<'_>>(
        "rule-results",
        "The rules of the site and what they found",
        "feeds/rules.json",
    ),
    feed::<feeds::cells::CellsDocument<'_>>(
        "cells",
        "Trials of the same case, variant, model and harness",
        "feeds/cells.json",
    ),
    feed::<feeds::decisions::DecisionsDocument<'_>>(
        "run-decisions",
        "What was decided about runs",
        "feeds/decisions.json",
    ),
    feed::<ledger::LedgerDocument<'_>>("changes", "What each build changed", ledger::PATH),
    feed::<DiagnosticReport<'_>>(
        "diagnostics",
        "The problems of a build",
        "feeds/diagnostics.json",
    ),
];

pub fn find(name: &str) -> Option<&'static SchemaEntry> {
    ALL.iter().find(|entry| entry.name == name)
}

/// The path of a feed's schema from the site's root; `None` if the feed follows an external standard.
pub fn path_of_feed(feed: &str) -> Option<String> {
    ALL.iter()
        .find(|entry| matches!(entry.subject, SchemaSubject::Feed(path) if path == feed))
        .map(SchemaEntry::path)
}

impl SchemaEntry {
    /// The path of the schema from the site's root.
    pub fn path(&self) -> String {
        format!("schema/{}.schema.json", self.name)
    }

    /// Adds rules that the type cannot express.
    const fn with(mut self, rules: fn(&mut Schema)) -> Self {
        self.rules = rules;
        self
    }

    /// The schema as an indented document, with a final newline.
    pub fn document(&self) -> String {
        let mut schema = (self.schema)();
        (self.rules)(&mut schema);
        schema.insert("title".to_owned(), Value::from(self.title));
        format!("{:#}\n", schema.as_value())
    }
}

const fn input<T: JsonSchema + ?Sized>(
    name: &'static str,
    title: &'static str,
    file: &'static str,
) -> SchemaEntry {
    SchemaEntry {
        name,
        title,
        subject: SchemaSubject::Input(file),
        schema: || root::<T>(Contract::Deserialize),
        rules: |_| {},
    }
}

const fn feed<T: JsonSchema + ?Sized>(
    name: &'static str,
    title: &'static str,
    path: &'static str,
) -> SchemaEntry {
    SchemaEntry {
        name,
        title,
        subject: SchemaSubject::Feed(path),
        schema: || root::<T>(Contract::Serialize),
        rules: |_| {},
    }
}

fn root<T: JsonSchema + ?Sized>(contract: Contract) -> Schema {
    let mut settings = SchemaSettings::draft2020_12();
    settings.contract = contract;
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    RecursiveTransform(tidy).transform(&mut schema);
    RestrictFormats::default().transform(&mut schema);
    schema
}

/// Rewrites what is specific to Rust: integer formats, defaults of null, and line breaks in comments.
fn tidy(schema: &mut Schema) {
    if let Some(format) = schema.get("format").and_then(Value::as_str) {
        let limits = match format {
            "int32" => Some((Value::from(i32::MIN), Value::from(i32::MAX))),
            "uint32" => Some((Value::from(0), Value::from(u32::MAX))),
            _ => None,
        };
        if let Some((least, most)) = limits {
            for (key, limit) in [("minimum", least), ("maximum", most)] {
                if schema.get(key).is_none() {
                    schema.insert(key.to_owned(), limit);
                }
            }
        }
    }
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
    if let Some(text) = schema.get("description").and_then(Value::as_str) {
        let paragraphs: Vec<_> = text
            .split("\n\n")
            .map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        schema.insert(
            "description".to_owned(),
            Value::from(paragraphs.join("\n\n")),
        );
    }
}

/// Adds the rules of Harn's validator beyond the shape of an annotation: which keys each kind takes. Unrecognized kinds accept all
/// keys.
fn add_sidecar_rules(schema: &mut Schema) {
    let Some(Value::Object(annotation)) = schema.pointer_mut("/$defs/Annotation") else {
        return;
    };
    let others: Vec<_> = AnnotationKind::KNOWN
        .iter()
        .filter(|kind| !matches!(kind, AnnotationKind::Hypothesis | AnnotationKind::Friction))
        .map(AnnotationKind::word)
        .collect();
    let null = json!({ "type": "null" });
    let status = json!({ "not": { "type": "null" } });
    let friction = json!({ "enum": FRICTION_KINDS });
    annotation.insert(
        "allOf".to_owned(),
        json!([
            when(&["hypothesis"], &["hypothesis_status"], &status, &null),
            when(&["friction"], &["friction_kind"], &null, &friction),
            when(&others, &[], &null, &null),
        ]),
    );
}

/// A `rescore` has an outcome, and no other decision has one.
fn add_decision_rules(schema: &mut Schema) {
    let outcome = |schema: Value| json!({ "properties": { "outcome": schema } });
    let mut rescore = outcome(json!({ "not": { "type": "null" } }));
    rescore["required"] = json!(["outcome"]);
    let is_rescore = json!({ "properties": { "decision": { "const": DecisionKind::Rescore } } });
    schema.insert("if".to_owned(), is_rescore);
    schema.insert("then".to_owned(), rescore);
    schema.insert("else".to_owned(), outcome(json!({ "type": "null" })));
}

/// The rule for some kinds: required keys, and the schemas of `hypothesis_status` and `friction_kind`.
fn when(kinds: &[&str], required: &[&str], status: &Value, friction: &Value) -> Value {
    let mut then = json!({
        "properties": { "hypothesis_status": status, "friction_kind": friction },
    });
    if !required.is_empty() {
        then["required"] = json!(required);
    }
    json!({ "if": { "properties": { "kind": { "enum": kinds } } }, "then": then })
}
