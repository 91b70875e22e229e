//! The two lines that say what a run is, wherever it is listed: its task, and its verdict.

use serde::Serialize;

use formats::audit::AuditVerdict;
use formats::model::amounts;
use formats::model::outcome::grade;
use formats::model::review::Rating;
use formats::model::run::{Metric, Run};
use formats::model::tape::Tape;
use formats::model::words;
use markup::markdown;

use super::{Cell, format};

/// Maximum characters of a task.
const TASK: usize = 140;
/// Maximum characters of a task that names a run.
pub const NAME: usize = 64;
/// Minimum characters of a sentence that can stand for a task.
const SENTENCE: usize = 16;
/// Maximum outcomes in a verdict; a run page lists all of them.
const OUTCOMES: usize = 2;
/// Maximum characters of the value of an outcome in a verdict.
const VALUE: usize = 24;

/// What was asked: of an imported run the first message of its user, else the title of its case, else the name of the case.
pub fn task(run: &Run, title: Option<&str>, tape: Option<&Tape<'_>>) -> String {
    let prompt = tape.filter(|_| run.is_imported).and_then(prompt);
    let case = || title.unwrap_or(&run.subject.case).to_owned();
    prompt.unwrap_or_else(case)
}

/// The name of a run in links and feeds: its task, of a run that was not imported with variant and version of the case.
pub fn name(run: &Run, task: &str) -> String {
    if run.is_imported {
        return words::excerpt(task, NAME);
    }
    let subject = &run.subject;
    let parts = [subject.variant.as_deref(), subject.version.as_deref()];
    let parts = std::iter::once(task).chain(parts.into_iter().flatten());
    parts.collect::<Vec<_>>().join(" · ")
}

/// The name of a run, with its model.
pub fn title(run: &Run, task: &str) -> String {
    format!("{} by {}", name(run, task), run.subject.model())
}

/// The first message of the user on a tape, as a line of plain text cut at a sentence.
fn prompt(tape: &Tape<'_>) -> Option<String> {
    let mut messages = tape
        .events
        .iter()
        .filter(|event| event.kind.word == "user" && event.relations.side_track.is_none());
    messages.find_map(|event| line(&event.blocks.first()?.text))
}

/// The first line of a message that says something, as plain text cut at a sentence.
fn line(message: &str) -> Option<String> {
    let mut paragraphs = message.split("\n\n").map(|text| {
        let lines = text
            .lines()
            .filter(|line| !is_tag(line) && !is_placeholder(line));
        lines.collect::<Vec<_>>().join("\n")
    });
    let mut first = None;
    let says = paragraphs.find_map(|text| {
        let words = markdown::plain(&text, TASK * 4);
        let is_sentence = words.chars().count() >= SENTENCE && words.contains(' ');
        if first.is_none() && !words.is_empty() {
            first = Some(words.clone());
        }
        is_sentence.then_some(words)
    });
    says.or(first).map(|words| cut(&words))
}

/// Whether a line is only a tag, as prompts have around files.
fn is_tag(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('<') && line.ends_with('>') && line.matches('<').count() == 1
}

/// Whether a line only stands for something else, as `[Image #1]` and `[REDACTED]` do.
fn is_placeholder(line: &str) -> bool {
    let inner = line.trim().strip_prefix('[');
    let inner = inner.and_then(|line| line.strip_suffix(']'));
    inner.is_some_and(|inner| !inner.contains(['[', ']']))
}

/// Cuts a text after its last sentence that fits, or else after a word.
fn cut(text: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(TASK) else {
        return text.to_owned();
    };
    let start = &text[..end];
    let ends_at = |marks: &[char]| {
        let ends = start.match_indices(marks).map(|(at, mark)| at + mark.len());
        ends.filter(|at| start[*at..].starts_with(' '))
            .rfind(|at| start[..*at].chars().count() >= SENTENCE)
    };
    if let Some(sentence) = ends_at(&['.', '?', '!']).or_else(|| ends_at(&[':'])) {
        return start[..sentence].trim_end_matches(':').to_owned();
    }
    let word = start.rfind(' ').unwrap_or(end);
    format!("{}…", start[..word].trim_end_matches([',', ';', ' ']))
}

#[derive(Debug, Clone, Serialize)]
pub struct VerdictFact {
    /// `completed`, `3/5 tests`, `$1.27 comparable`
    pub value: Cell,
    /// `g-good`, `g-bad` or `g-poor` for a state, `bad` for what did not work, else empty.
    pub tone: &'static str,
    /// The section with details.
    pub href: &'static str,
    /// What its words mean; empty if they say all.
    #[serde(skip)]
    pub means: String,
}

impl VerdictFact {
    fn new(value: Cell, href: &'static str, means: impl Into<String>) -> Self {
        Self {
            value,
            tone: "",
            href,
            means: means.into(),
        }
    }

    fn bad(self, is_bad: bool) -> Self {
        let tone = if is_bad { "bad" } else { self.tone };
        Self { tone, ..self }
    }
}

/// What is known of how a run ended and what it took, in the order of the questions of a reader: did it work, how well, and at
/// what cost?
pub fn verdict(run: &Run, rating: Option<Rating>, audit: Option<AuditVerdict>) -> Vec<VerdictFact> {
    let mut facts = Vec::new();
    if run.state.is_known() {
        let state = format::state(&run.state);
        let tone = match state.tone {
            "good" => "g-good",
            "bad" => "g-bad",
            "poor" => "g-poor",
            _ => "",
        };
        let means = if run.state.is_completed() {
            "how the run ended, not whether its result is right"
        } else {
            ""
        };
        let value = Cell::titled(state.word, &*run.state.word);
        facts.push(VerdictFact {
            tone,
            ..VerdictFact::new(value, "", means)
        });
    } else if run.outcomes.is_empty() {
        facts.push(VerdictFact::new(Cell::known("no outcome recorded"), "", ""));
    }
    facts.extend(results(run));
    if audit == Some(AuditVerdict::Differs) {
        let means = "some events do not follow from the raw output";
        let value = Cell::known("log differs");
        facts.push(VerdictFact::new(value, "#audit", means).bad(true));
    }
    if rating.is_some() {
        let value = Cell::known(format::rating(rating).word);
        facts.push(VerdictFact::new(
            value,
            "#writeup",
            "the rating of the review",
        ));
    }
    facts.extend(cost(run).or_else(|| tokens(run)));
    if run.metrics.get(Metric::RunTime).is_some() {
        let value = format::run_time(run.metrics.get(Metric::RunTime));
        facts.push(VerdictFact::new(value, "#metrics", ""));
    }
    facts
}

/// The comparable cost of a run, or else what was charged.
fn cost(run: &Run) -> Option<VerdictFact> {
    let costs = [
        (
            Metric::ComparableCost,
            "comparable",
            "its tokens at list prices, so that runs can be compared",
        ),
        (Metric::ActualCost, "actual", "what was charged"),
    ];
    let metrics = &run.metrics;
    let mut costs = costs.into_iter();
    let (metric, which, means) = costs.find(|(metric, ..)| metrics.get(*metric).is_some())?;
    let short = format::short_cost(metrics.get(metric));
    let is_bound = metrics.is_lower_bound(metric);
    let text = at_least(format!("{} {which}", short.text()), is_bound);
    let why = if is_bound {
        "; the log lacks a part"
    } else {
        ""
    };
    let means = format!("{means}{why}");
    Some(VerdictFact::new(Cell::known(text), "#metrics", means))
}

/// All tokens of a run in short, which stand for its cost if that is not known.
fn tokens(run: &Run) -> Option<VerdictFact> {
    let [.., (_, total)] = run.metrics.totals();
    let digits = total.digits.as_deref()?;
    let short = amounts::tokens(digits.parse().ok()?);
    let why = total.why();
    let value = Cell::titled(
        at_least(format!("{short} tokens"), why.is_some()),
        format!("{} tokens", format::grouped(digits)),
    );
    Some(VerdictFact::new(value, "#metrics", why.unwrap_or_default()))
}

fn at_least(amount: String, is_lower_bound: bool) -> String {
    if is_lower_bound {
        format!("at least {amount}")
    } else {
        amount
    }
}

/// What scorers and visual checks found, in short.
pub fn results(run: &Run) -> Vec<VerdictFact> {
    let mut facts = outcomes(run);
    let checks = &run.validation.checks;
    if !checks.is_empty() {
        let opened = checks.iter().filter(|check| check.compared().is_some());
        let opened = opened.count();
        let value = Cell::known(format!("{opened}/{} screens", checks.len()));
        let means = format!("{opened} of {} expected screens opened", checks.len());
        let fact = VerdictFact::new(value, "#validation", means);
        facts.push(fact.bad(opened < checks.len()));
    }
    facts
}

/// A verdict for narrow places: its lines end between facts, not between a number and its unit.
pub fn non_breaking(verdict: &str) -> String {
    let facts = verdict.split(" · ").map(|fact| fact.replace(' ', "\u{a0}"));
    facts.collect::<Vec<_>>().join("\u{a0}· ")
}

/// The verdict as a line of text.
pub fn verdict_line(verdict: &[VerdictFact]) -> String {
    let facts: Vec<&str> = verdict.iter().map(|fact| fact.value.text()).collect();
    facts.join(" · ")
}

/// The outcomes of a run in short.
fn outcomes(run: &Run) -> Vec<VerdictFact> {
    let named = |name: &str| {
        let outcome = run.outcomes.iter().find(|outcome| &*outcome.name == name)?;
        outcome.words()?.parse::<u64>().ok()
    };
    let tests = named("tests_passed").zip(named("tests_total"));
    let mut facts = Vec::new();
    if let Some((passed, total)) = tests {
        let value = Cell::known(format!("{passed}/{total} tests"));
        let means = format!("{passed} of {total} tests passed, as recorded");
        facts.push(VerdictFact::new(value, "#outcomes", means).bad(passed < total));
    }
    let others = run.outcomes.iter().filter(|outcome| {
        tests.is_none() || !matches!(&*outcome.name, "tests_passed" | "tests_total")
    });
    for outcome in others.take(OUTCOMES.saturating_sub(facts.len())) {
        let Some(words) = outcome.words() else {
            continue;
        };
        let (name, value) = (&outcome.name, short(&words));
        let grade = grade(&words);
        let scorer = outcome.scorer.as_deref().map(short);
        let means = match (grade, &scorer) {
            (Some(grade), _) => format!(
                "the scorer {} gave {value}, its grade for “{grade}”",
                scorer.as_deref().unwrap_or(name)
            ),
            (None, Some(scorer)) => format!("what the scorer {scorer} recorded, on its own scale"),
            (None, None) => "what a scorer recorded, on its own scale".to_owned(),
        };
        let text = grade.map_or_else(
            || format!("{name} {value}"),
            |grade| format!("scored {grade} ({value}) by {name}"),
        );
        let fact = VerdictFact::new(Cell::titled(text, words), "#outcomes", means);
        facts.push(fact.bad(grade == Some("incorrect")));
    }
    facts
}

fn short(words: &str) -> String {
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(VALUE) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_the_first_line_that_says_something() {
        for (message, task) in [
            ("Fix the parser.", Some("Fix the parser.")),
            ("  ", None),
            (
                "# Plan\n\nMake the *tests* pass again, please.",
                Some("Make the tests pass again, please."),
            ),
            (
                "<uploaded_files>\n/testbed\n</uploaded_files>\n\nI uploaded a repository.",
                Some("I uploaded a repository."),
            ),
            ("ls", Some("ls")),
            ("[REDACTED_MESSAGE len=98]", None),
            (
                "[Image #1]\nWhat is on [this picture]?",
                Some("What is on [this picture]?"),
            ),
        ] {
            assert_eq!(line(message).as_deref(), task, "{message:?}");
        }
    }

    #[test]
    fn a_long_task_is_cut_at_a_sentence_or_a_word() {
        let words = "word ".repeat(50);
        let sentences = format!("First, read the notes. {words}");
        assert_eq!(line(&sentences).as_deref(), Some("First, read the notes."));
        let cut = cut(&words);
        assert!(
            cut.ends_with("word…") && cut.chars().count() <= TASK + 1,
            "{cut}"
        );
    }
}
