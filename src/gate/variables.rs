//! The variables of expressions: every field with its type, its description and its value. The page about rules lists them.

use std::borrow::Cow;

use formats::config::Config;
use formats::decimal;
use formats::model::outcome::Outcome as Score;
use formats::model::run::{Metric, Run, VisualCheck};
use formats::model::steps::{Step, Steps};
use formats::model::tape::{ContentBlock, Event, EventOutcome, Family, Tape, TapeFormat};
use formats::model::time::Moment;
use formats::model::workspace;

use crate::value::{ExprList, ExprObject, ExprValue};

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExprType {
    Bool,
    Int,
    Double,
    String,
    List(&'static ExprType),
    Object(&'static ObjectType),
}

impl std::fmt::Display for ExprType {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bool => to.write_str("bool"),
            Self::Int => to.write_str("int"),
            Self::Double => to.write_str("double"),
            Self::String => to.write_str("string"),
            Self::List(item) => write!(to, "list({item})"),
            Self::Object(object) => to.write_str(object.name),
        }
    }
}

/// A value with fields.
#[derive(Debug)]
pub struct ObjectType {
    /// The name of the variable, or of an item of a list.
    pub name: &'static str,
    pub fields: &'static [ExprField],
}

impl PartialEq for ObjectType {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for ObjectType {}

/// A field of a variable.
#[derive(Debug)]
pub struct ExprField {
    pub name: &'static str,
    /// Its name with that of its object, by which a missing value is reported.
    pub path: &'static str,
    pub kind: ExprType,
    pub description: &'static str,
    pub(crate) get: Getter,
}

/// Reads a field of an object. The value is `None` if it was not recorded.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Getter {
    Event(for<'a> fn(&'a EventFacts<'a>) -> Option<ExprValue<'a>>),
    Run(for<'a> fn(&'a RunFacts<'a>) -> Option<ExprValue<'a>>),
    Site(for<'a> fn(&'a Config) -> Option<ExprValue<'a>>),
    Step(for<'a> fn(&'a Step) -> Option<ExprValue<'a>>),
    Score(for<'a> fn(&'a Score) -> Option<ExprValue<'a>>),
    Check(for<'a> fn(&'a VisualCheck) -> Option<ExprValue<'a>>),
}

/// An event with its step and its run.
#[derive(Debug)]
pub struct EventFacts<'a> {
    pub(crate) event: &'a Event<'a>,
    pub(crate) step: Option<(usize, &'a Step)>,
    /// Whether it is the first event of its step.
    pub(crate) is_first: bool,
    pub(crate) run: &'a RunFacts<'a>,
    /// Everything that the event says; empty unless a rule reads it.
    pub(crate) text: Cow<'a, str>,
}

/// A run, and what is computed from it for its rules.
#[derive(Debug)]
pub struct RunFacts<'a> {
    run: &'a Run,
    config: &'a Config,
    /// Its first tape: the event log, where it has one.
    pub(crate) tape: Option<&'a Tape<'a>>,
    pub(crate) steps: Steps,
    first_event_at: Option<i64>,
    rating: Option<&'static str>,
    audit: Option<&'static str>,
    annotations: usize,
    files: Vec<String>,
}

/// Facts of a run that are in neither its record nor its tape.
#[derive(Debug, Default)]
pub struct RunExtras {
    pub rating: Option<&'static str>,
    /// The verdict of the audit of its raw log.
    pub audit: Option<&'static str>,
    pub annotations: usize,
    /// Names of the files of its folder.
    pub files: Vec<String>,
}

impl<'a> RunFacts<'a> {
    pub fn new(
        config: &'a Config,
        run: &'a Run,
        tape: Option<&'a Tape<'a>>,
        extras: RunExtras,
    ) -> Self {
        Self {
            run,
            config,
            tape,
            steps: tape.map(Steps::of).unwrap_or_default(),
            first_event_at: tape.and_then(|tape| Some(tape.time_range()?.0)),
            rating: extras.rating,
            audit: extras.audit,
            annotations: extras.annotations,
            files: extras.files,
        }
    }

    /// Whether its folder has a file of this name.
    pub fn has_file(&self, name: &str) -> bool {
        self.files.iter().any(|file| file == name)
    }

    fn events(&self) -> Option<&'a [Event<'a>]> {
        self.tape.map(|tape| tape.events.as_slice())
    }

    fn count(&self, is: impl Fn(&Event<'_>) -> bool) -> Option<ExprValue<'_>> {
        let events = self.events()?.iter();
        Some(ExprValue::count(events.filter(|event| is(event)).count()))
    }

    fn metric(&self, metric: Metric) -> Option<f64> {
        let number = self.run.metrics.exact(metric)?;
        Some(number.value())
    }

    /// A number of tokens.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "a count of tokens beyond 2^53 is cut to the largest integer"
    )]
    fn tokens(&self, metric: Metric) -> Option<i64> {
        self.metric(metric).map(|number| number as i64)
    }

    fn all_tokens(&self) -> Option<i64> {
        let reported = |metric: &Metric| self.run.metrics.get(*metric).is_some();
        let classes = || Metric::TOKENS.into_iter().filter(reported);
        classes().next()?;
        classes().try_fold(0_i64, |sum, class| sum.checked_add(self.tokens(class)?))
    }

    /// Whether all outcomes of these kinds passed; `None` if there are none, or if the value of one says neither.
    fn passed(&self, kinds: &[&str]) -> Option<bool> {
        let outcomes = self.run.outcomes.iter();
        let mut outcomes = outcomes
            .filter(|outcome| kinds.contains(&outcome.kind.as_deref().unwrap_or_default()))
            .peekable();
        outcomes.peek()?;
        outcomes.try_fold(true, |all, outcome| Some(all && passed(outcome)?))
    }
}

/// Whether the value of an outcome says that it passed.
fn passed(outcome: &Score) -> Option<bool> {
    let word = outcome.words()?;
    match word.to_ascii_lowercase().as_str() {
        "true" | "pass" | "passed" | "success" | "yes" => Some(true),
        "false" | "fail" | "failed" | "failure" | "no" => Some(false),
        number => {
            let number: f64 = number.parse().ok()?;
            [(0.0, false), (1.0, true)]
                .into_iter()
                .find_map(|(value, passed)| (number.total_cmp(&value).is_eq()).then_some(passed))
        }
    }
}

impl<'a> EventFacts<'a> {
    fn fact(&self, name: &str) -> Option<&'a str> {
        let facts = self.event.facts.iter();
        let mut found = facts.filter(|(known, _)| *known == name);
        found.next().map(|(_, value)| value.as_ref())
    }

    fn block(&self, label: &str) -> Option<&'a ContentBlock<'a>> {
        let mut blocks = self.event.blocks.iter();
        blocks.find(|block| block.label == Some(label))
    }

    /// Its headline, also where that is too long for a page.
    fn headline(&self) -> &'a str {
        match self.block("in full") {
            Some(block) => &block.text,
            None => &self.event.headline,
        }
    }

    fn tool(&self) -> Option<&'a str> {
        let is_unknown = self.event.kind.word == "tool_call";
        let first = || self.event.headline.split(' ').next();
        self.fact("tool")
            .or_else(|| is_unknown.then(first).flatten())
            .filter(|tool| !tool.is_empty())
    }

    fn command(&self) -> Option<&'a str> {
        let event = self.event;
        let is_call = event.kind.family == Family::Command && event.kind.word != "result";
        let line = is_call.then(|| self.headline())?;
        if event.kind.word != "tool_call" {
            return Some(line);
        }
        line.split_once(' ').map(|(_, command)| command)
    }

    fn paths(&self) -> impl Iterator<Item = &'a str> {
        let event = self.event;
        let named = match event.kind.word {
            "search" => self.fact("in"),
            "result" => None,
            _ if event.files.is_empty()
                && matches!(event.kind.family, Family::Read | Family::Write) =>
            {
                Some(self.headline())
            }
            _ => None,
        };
        let files = event.files.iter().map(String::as_str);
        files.chain(named).filter(|path| !path.is_empty())
    }

    /// Whether a path is outside the working tree; `None` without a path.
    fn is_outside(&self) -> Option<bool> {
        let folders = &self.run.config.files.workspace;
        let mut paths = self.paths().peekable();
        paths.peek()?;
        Some(paths.any(|path| {
            let is_absolute = path.starts_with(['/', '~', '\\']) || path.get(1..2) == Some(":");
            if is_absolute {
                workspace::below(path, folders).is_none_or(leaves_folder)
            } else {
                leaves_folder(path)
            }
        }))
    }

    /// Whether a call has its result; `None` of other events, and where the format does not say.
    fn is_answered(&self) -> Option<bool> {
        let event = self.event;
        let is_traced = self.run.tape?.format == TapeFormat::Trace;
        if !is_call(event) || self.fact("run by").is_some() {
            return None;
        }
        let has_outcome =
            event.outcome != EventOutcome::Unstated || event.relations.result.is_some();
        (is_traced || has_outcome).then_some(has_outcome)
    }

    fn cost(&self) -> Option<f64> {
        let block = || {
            let cost: serde_json::Value =
                serde_json::from_str(&self.block("cost of the turn")?.text).ok()?;
            cost.get("comparable")?.as_f64()
        };
        let fact = || self.fact("cost")?.strip_suffix(" USD")?.parse().ok();
        fact().or_else(block)
    }
}

/// Whether a relative path leaves the folder that it begins in.
fn leaves_folder(path: &str) -> bool {
    let mut depth = 0_i32;
    path.split(['/', '\\']).any(|name| {
        depth += match name {
            "" | "." => 0,
            ".." => -1,
            _ => 1,
        };
        depth < 0
    })
}

/// Everything that an event says: its headline and the texts of its blocks, a line break between them.
pub(crate) fn text<'a>(event: &'a Event<'a>) -> Cow<'a, str> {
    let headline = Some(event.headline.as_ref()).filter(|headline| !headline.is_empty());
    let blocks = event.blocks.iter().map(|block| &*block.text);
    let mut pieces = headline.into_iter().chain(blocks);
    match (pieces.next(), pieces.next()) {
        (None, _) => Cow::Borrowed(""),
        (Some(only), None) => Cow::Borrowed(only),
        (Some(first), Some(second)) => {
            let mut all = format!("{first}\n{second}");
            for piece in pieces {
                all.push('\n');
                all.push_str(piece);
            }
            Cow::Owned(all)
        }
    }
}

#[allow(
    clippy::cast_precision_loss,
    reason = "a time of 2^53 milliseconds is no time of a run"
)]
fn seconds(milliseconds: i64) -> ExprValue<'static> {
    ExprValue::Double(milliseconds as f64 / 1_000.0)
}

fn ok(outcome: EventOutcome) -> Option<ExprValue<'static>> {
    match outcome {
        EventOutcome::Unstated => None,
        EventOutcome::Succeeded => Some(ExprValue::Bool(true)),
        EventOutcome::Failed => Some(ExprValue::Bool(false)),
    }
}

fn words(text: Option<&str>) -> Option<ExprValue<'_>> {
    text.map(ExprValue::text)
}

/// Declares the fields of an object.
macro_rules! object {
    ($(#[$doc:meta])* $name:ident = $word:literal as $getter:ident {
        $($(#[doc = $text:literal])+ $field:literal: $kind:expr => $get:expr;)+
    }) => {
        $(#[$doc])*
        pub static $name: ObjectType = ObjectType {
            name: $word,
            fields: &[$(ExprField {
                name: $field,
                path: concat!($word, ".", $field),
                kind: $kind,
                description: concat!($($text),+),
                get: Getter::$getter($get),
            }),+],
        };
    };
}

object! {
    /// The event that an expression of `find` or `after` is about.
    EVENT = "event" as Event {
        /// Its number, as on the timeline.
        "number": ExprType::Int => |e| Some(ExprValue::number(e.event.seq));
        /// Its kind, as the timeline names it: `agent`, `command`, `read`, `write`, `edit`, `tool_call`, `result`, `usage` and others.
        "kind": ExprType::String => |e| Some(ExprValue::text(e.event.kind.word));
        /// Its family: `speech`, `reasoning`, `command`, `read`, `write`, `tool`, `delegation`, `error`, `warning` or `other`.
        "family": ExprType::String => |e| Some(ExprValue::text(e.event.kind.family.word()));
        /// Everything that it says, in lines: command, path, message, output.
        "text": ExprType::String => |e| Some(ExprValue::text(&e.text));
        /// The tool that a call names.
        "tool": ExprType::String => |e| words(e.tool());
        /// The command line of a command.
        "command": ExprType::String => |e| words(e.command());
        /// The path that is read or written, or the first of several.
        "path": ExprType::String => |e| words(e.paths().next());
        /// All paths that it names or changes.
        "paths": ExprType::List(&ExprType::String) => |e| Some(ExprValue::List(ExprList::Values(e.paths().map(ExprValue::text).collect())));
        /// Whether one of its paths is outside the folders in `[files] workspace`.
        "outside": ExprType::Bool => |e| e.is_outside().map(ExprValue::Bool);
        /// Whether it succeeded.
        "ok": ExprType::Bool => |e| ok(e.event.outcome);
        /// The exit code of a command.
        "exit_code": ExprType::Int => |e| e.fact("exit code")?.split(' ').next()?.parse().ok().map(ExprValue::Int);
        /// Whether it is a call of a tool, or a command.
        "is_call": ExprType::Bool => |e| Some(ExprValue::Bool(is_call(e.event)));
        /// Whether a call has its result: an event of its own in a trace, its success or exit code elsewhere.
        "answered": ExprType::Bool => |e| e.is_answered().map(ExprValue::Bool);
        /// The number of the event with its result; an event log has results in the calls.
        "result": ExprType::Int => |e| e.event.relations.result.map(ExprValue::number);
        /// The number of the call that it answers.
        "call": ExprType::Int => |e| e.event.relations.call.map(ExprValue::number);
        /// Seconds since the first event.
        "seconds": ExprType::Double => |e| Some(seconds(e.event.at?.saturating_sub(e.run.first_event_at?)));
        /// Seconds that its step took; only the first event of a step has them.
        "took": ExprType::Double => |e| e.step.filter(|_| e.is_first)?.1.milliseconds.map(seconds);
        /// Tokens that it reports, of all classes.
        "tokens": ExprType::Int => |e| e.event.tokens.map(ExprValue::number);
        /// Cost that it reports, in USD.
        "cost": ExprType::Double => |e| e.cost().map(ExprValue::Double);
        /// The subagent whose work it is.
        "agent": ExprType::String => |e| words(e.fact("agent").or_else(|| e.fact("subagent")));
        /// The number of its turn, from 1; 0 before the first.
        "turn": ExprType::Int => |e| Some(ExprValue::count(e.step?.1.turn));
        /// The number of its step, from 1.
        "step": ExprType::Int => |e| Some(ExprValue::count(e.step?.0 + 1));
    }
}

fn is_call(event: &Event<'_>) -> bool {
    let is_joined =
        event.relations.call.is_some() || matches!(event.kind.word, "result" | "edit" | "subagent");
    let family = event.kind.family;
    !is_joined
        && matches!(
            family,
            Family::Command | Family::Read | Family::Write | Family::Tool | Family::Delegation
        )
}

object! {
    /// The run.
    RUN = "run" as Run {
        /// Its id.
        "id": ExprType::String => |r| Some(ExprValue::text(&r.run.id));
        /// The case.
        "case": ExprType::String => |r| Some(ExprValue::text(&r.run.subject.case));
        /// The version of the case.
        "case_version": ExprType::String => |r| words(r.run.subject.version.as_deref());
        /// The variant of the case.
        "variant": ExprType::String => |r| words(r.run.subject.variant.as_deref());
        /// The model.
        "model": ExprType::String => |r| words(r.run.subject.model.as_deref());
        /// The harness.
        "harness": ExprType::String => |r| Some(ExprValue::text(&r.run.subject.harness));
        /// The version of the harness.
        "harness_version": ExprType::String => |r| words(r.run.subject.harness_version.as_deref());
        /// The engine.
        "engine": ExprType::String => |r| Some(ExprValue::text(&r.run.subject.engine));
        /// The state in which it ended, such as `completed`.
        "state": ExprType::String => |r| Some(ExprValue::text(&r.run.state.word)).filter(|_| r.run.state.is_known());
        /// Whether it was made from the log of another system.
        "imported": ExprType::Bool => |r| Some(ExprValue::Bool(r.run.is_imported));
        /// Seconds from start to end, as recorded.
        "seconds": ExprType::Double => |r| r.metric(Metric::RunTime).map(ExprValue::Double);
        /// When it started, in seconds since 1970.
        "started": ExprType::Double => |r| r.run.started.as_ref().map(|at| seconds(Moment::ms(at)));
        /// Tokens of all classes that the record reports.
        "tokens": ExprType::Int => |r| r.all_tokens().map(ExprValue::Int);
        /// Input tokens that came from no cache.
        "uncached_input": ExprType::Int => |r| r.tokens(Metric::UncachedInput).map(ExprValue::Int);
        /// Input tokens from a cache.
        "cached_input": ExprType::Int => |r| r.tokens(Metric::CachedInput).map(ExprValue::Int);
        /// Output tokens without reasoning.
        "output": ExprType::Int => |r| r.tokens(Metric::Output).map(ExprValue::Int);
        /// Reasoning tokens.
        "reasoning": ExprType::Int => |r| r.tokens(Metric::Reasoning).map(ExprValue::Int);
        /// Cost at list prices, in USD.
        "cost": ExprType::Double => |r| r.metric(Metric::ComparableCost).map(ExprValue::Double);
        /// Cost that was charged, in USD.
        "actual_cost": ExprType::Double => |r| r.metric(Metric::ActualCost).map(ExprValue::Double);
        /// Whether what it made could be loaded.
        "loaded": ExprType::Bool => |r| r.run.validation.loaded.map(ExprValue::Bool);
        /// Its visual checks.
        "checks": ExprType::List(&ExprType::Object(&CHECK)) => |r| Some(ExprValue::List(ExprList::Checks(&r.run.validation.checks)));
        /// Its outcomes.
        "outcomes": ExprType::List(&ExprType::Object(&OUTCOME)) => |r| Some(ExprValue::List(ExprList::Scores(&r.run.outcomes)));
        /// Whether all its outcomes of the kinds `reward` and `submission` passed.
        "outcomes_passed": ExprType::Bool => |r| r.passed(&["reward", "submission"]).map(ExprValue::Bool);
        /// Whether all its outcomes of the kind `check` passed.
        "checks_passed": ExprType::Bool => |r| r.passed(&["check"]).map(ExprValue::Bool);
        /// The badge of its review.
        "rating": ExprType::String => |r| words(r.rating);
        /// The verdict of the comparison of its events with its raw log.
        "audit": ExprType::String => |r| words(r.audit);
        /// The number of its annotations.
        "annotations": ExprType::Int => |r| Some(ExprValue::count(r.annotations));
        /// The names of the files in its folder that runpress reads.
        "files": ExprType::List(&ExprType::String) => |r| Some(ExprValue::List(ExprList::Texts(&r.files)));
        /// The number of its events.
        "events": ExprType::Int => |r| r.count(|_| true);
        /// The number of its failed events and errors. Pages count a call and its error as one failure; here both count.
        "failures": ExprType::Int => |r| r.events().map(|all| ExprValue::count(all.iter().filter(|event| event.has_failed()).count()));
        /// The number of its commands.
        "commands": ExprType::Int => |r| r.count(|event| is_call(event) && event.kind.family == Family::Command);
        /// The number of its turns.
        "turns": ExprType::Int => |r| r.tape.map(|_| ExprValue::count(r.steps.turns()));
        /// Its steps.
        "steps": ExprType::List(&ExprType::Object(&STEP)) => |r| r.tape.map(|_| ExprValue::List(ExprList::Steps(&r.steps.steps)));
        /// The sum of the tokens that its events report.
        "event_tokens": ExprType::Int => |r| {
            let counts = r.events()?.iter().filter_map(|event| event.tokens);
            counts.reduce(u64::saturating_add).map(ExprValue::number)
        };
        /// The sum of the cost that its events report, in USD.
        "event_cost": ExprType::Double => |r| {
            let costs: Vec<f64> = r.events()?.iter().filter_map(|event| r.without_step(event).cost()).collect();
            (!costs.is_empty()).then(|| ExprValue::Double(decimal::sum(costs.into_iter())))
        };
    }
}

impl<'a> RunFacts<'a> {
    /// An event without its step and its text.
    fn without_step(&'a self, event: &'a Event<'a>) -> EventFacts<'a> {
        EventFacts {
            event,
            step: None,
            is_first: false,
            run: self,
            text: Cow::Borrowed(""),
        }
    }

    /// The event at a position of the tape, with its text if that is read.
    pub(crate) fn event(
        &'a self,
        position: usize,
        event: &'a Event<'a>,
        has_text: bool,
    ) -> EventFacts<'a> {
        let index = self.steps.of_event.get(position).copied();
        let step = index.and_then(|index| Some((index, self.steps.steps.get(index)?)));
        let first = step.and_then(|(_, step)| step.events.first());
        EventFacts {
            step,
            is_first: first == Some(&position),
            text: if has_text {
                text(event)
            } else {
                Cow::Borrowed("")
            },
            ..self.without_step(event)
        }
    }
}

object! {
    /// The site.
    SITE = "site" as Site {
        /// The canary in `[policy]`.
        "canary": ExprType::String => |c| words(c.policy.canary.as_deref());
    }
}

object! {
    /// A step: an item of `run.steps`.
    STEP = "step" as Step {
        /// What it is: `message`, `reasoning`, `command`, `read`, `write`, `tool`, `subagent`, `error`, `warning` or `other`.
        "kind": ExprType::String => |s| Some(ExprValue::text(s.kind.word()));
        /// The number of its turn, from 1; 0 before the first.
        "turn": ExprType::Int => |s| Some(ExprValue::count(s.turn));
        /// Whether it succeeded.
        "ok": ExprType::Bool => |s| ok(s.outcome);
        /// The number of its events.
        "events": ExprType::Int => |s| Some(ExprValue::count(s.events.len()));
        /// Seconds that it took.
        "seconds": ExprType::Double => |s| s.milliseconds.map(seconds);
        /// Tokens of its calls of models.
        "tokens": ExprType::Int => |s| s.tokens.map(ExprValue::number);
    }
}

object! {
    /// An outcome: an item of `run.outcomes`.
    OUTCOME = "outcome" as Score {
        /// Its name.
        "name": ExprType::String => |o| Some(ExprValue::text(&o.name));
        /// Its value as text.
        "value": ExprType::String => |o| o.words().map(ExprValue::Text);
        /// Its value as a number.
        "number": ExprType::Double => |o| o.words()?.parse().ok().filter(|number: &f64| number.is_finite()).map(ExprValue::Double);
        /// Whether its value says that it passed: `true`, `1`, `pass` and the like against `false`, `0`, `fail`.
        "passed": ExprType::Bool => |o| passed(o).map(ExprValue::Bool);
        /// What computed it.
        "scorer": ExprType::String => |o| words(o.scorer.as_deref());
        /// Its kind, such as `reward`, `score`, `check` or `submission`.
        "kind": ExprType::String => |o| words(o.kind.as_deref());
        /// Whether it counts by the rules of its scorer.
        "valid": ExprType::Bool => |o| o.valid.map(ExprValue::Bool);
    }
}

object! {
    /// A visual check: an item of `run.checks`.
    CHECK = "check" as Check {
        /// The view.
        "view": ExprType::String => |c| Some(ExprValue::text(&c.view));
        /// Whether the view was reached.
        "reached": ExprType::Bool => |c| Some(ExprValue::Bool(c.reached));
        /// Its similarity to the baseline, from 0 to 1.
        "similarity": ExprType::Double => |c| c.compared().map(|number| ExprValue::Double(number.value()));
    }
}

/// The variables, and the objects in their lists.
pub static OBJECTS: [&ObjectType; 6] = [&EVENT, &RUN, &SITE, &STEP, &OUTCOME, &CHECK];

impl Getter {
    /// The value of the field; `None` if it was not recorded.
    pub(crate) fn of(self, object: ExprObject<'_>) -> Option<ExprValue<'_>> {
        match (self, object) {
            (Self::Event(get), ExprObject::Event(event)) => get(event),
            (Self::Run(get), ExprObject::Run(run)) => get(run),
            (Self::Site(get), ExprObject::Site(site)) => get(site),
            (Self::Step(get), ExprObject::Step(step)) => get(step),
            (Self::Score(get), ExprObject::Score(score)) => get(score),
            (Self::Check(get), ExprObject::Check(check)) => get(check),
            _ => None,
        }
    }
}
