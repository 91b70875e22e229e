//! Reads and checks the files of rules.

use std::ops::Range;

use base::diagnostics::text::{did_you_mean, quoted};
use base::diagnostics::{Diagnostic, Source, codes};
use formats::config::Pattern;
use formats::rule_file::{self, Applies, RuleEntry, RuleFile, RuleSeverity, SpannedText};
use serde::Serialize;

use crate::expression::{Expression, ExpressionError};
use crate::{Expectation, RequiredFile, Rule, RuleCheck, Rules, SourceExpression};

/// The built-in rules.
const BUILT_IN: &str = include_str!("builtin.toml");
const BUILT_IN_PATH: &str = "builtin.toml";

impl Rules {
    /// Reads the files of rules, each with its path in diagnostics.
    pub fn read(files: &[(String, Vec<u8>)]) -> (Self, Vec<Diagnostic>) {
        let mut reader = RuleReader::default();
        for (path, bytes) in files {
            let source = Source::file(path, bytes);
            match rule_file::parse(source) {
                Ok(file) => reader.file(source, &file),
                Err(problem) => reader.problems.push(problem),
            }
        }
        reader.finish()
    }

    /// All built-in rules, for the page about them.
    #[cfg(test)]
    pub(crate) fn built_in() -> Self {
        let mut reader = RuleReader::default();
        let source = Source::file(BUILT_IN_PATH, BUILT_IN.as_bytes());
        if let Ok(file) = rule_file::parse(source) {
            reader.file(source, &file);
        }
        reader.finish().0
    }
}

/// Everything that decides what a rule finds, and what readers see of it.
#[derive(Serialize)]
struct RuleDefinition<'a> {
    id: &'a str,
    title: &'a str,
    why: &'a str,
    blind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<&'a str>,
    version: Option<&'a str>,
    severity: RuleSeverity,
    applies: &'a Applies,
    find: Option<&'a str>,
    after: Option<&'a str>,
    expect: Option<&'a str>,
    require: Option<&'a str>,
    trials: Option<u32>,
    files: Vec<&'a str>,
}

/// Settings of a file that apply to all its rules.
#[derive(Clone, Copy)]
struct FileDefaults<'a> {
    version: Option<&'a str>,
    severity: RuleSeverity,
}

#[derive(Default)]
struct RuleReader {
    rules: Vec<Rule>,
    references: Vec<RuleReference>,
    problems: Vec<Diagnostic>,
}

/// An expectation that names another rule.
struct RuleReference {
    /// The index of the rule with the expectation.
    rule: usize,
    /// Whether the expectation is `last after`, and not `first before`.
    is_last: bool,
    /// The id of the other rule.
    id: String,
    /// The problem to report if there is no such rule.
    problem: Diagnostic,
}

impl RuleReader {
    fn file(&mut self, source: Source<'_>, file: &RuleFile) {
        for id in &file.built_in {
            self.use_built_in(source, file, id.get_ref(), id.span());
        }
        for entry in &file.rules {
            let rule = self.rule(
                source,
                FileDefaults {
                    version: file.version.as_deref(),
                    severity: file.severity,
                },
                entry.get_ref(),
                entry.span(),
            );
            self.add(source, rule, entry.get_ref().id.span());
        }
    }

    fn add(&mut self, source: Source<'_>, rule: Option<Rule>, id: Range<usize>) {
        let Some(rule) = rule else { return };
        if self.rules.iter().any(|known| known.id == rule.id) {
            self.references
                .retain(|reference| reference.rule != self.rules.len());
            let message = format!("Two rules have the id {}", quoted(&rule.id));
            self.invalid(source, id, &message, "Give each rule an id of its own.");
            return;
        }
        self.rules.push(rule);
    }

    fn use_built_in(&mut self, source: Source<'_>, file: &RuleFile, id: &str, span: Range<usize>) {
        let built_in = Source::file(BUILT_IN_PATH, BUILT_IN.as_bytes());
        let Ok(all) = rule_file::parse(built_in) else {
            return;
        };
        let Some(entry) = all.entries().find(|entry| entry.id.get_ref() == id) else {
            let ids: Vec<_> = all
                .entries()
                .map(|entry| entry.id.get_ref().as_str())
                .collect();
            let rules = format!("The built-in rules are {}.", ids.join(", "));
            let help = did_you_mean(id, ids.iter().copied(), &rules);
            let message = format!("No built-in rule has the id {}", quoted(id));
            self.invalid(source, span, &message, &help);
            return;
        };
        let rule = self.rule(
            built_in,
            FileDefaults {
                version: None,
                severity: file.severity,
            },
            entry,
            0..0,
        );
        let rule = rule.map(|rule| Rule {
            is_built_in: true,
            place: source.place(span.start, span.end),
            ..rule
        });
        self.add(source, rule, span);
    }

    fn rule(
        &mut self,
        source: Source<'_>,
        defaults: FileDefaults<'_>,
        entry: &RuleEntry,
        span: Range<usize>,
    ) -> Option<Rule> {
        let before = self.problems.len();
        let id = entry.id.get_ref();
        let check = self.check(source, entry, span.clone());
        let applies = &entry.applies;
        let patterns = [
            &applies.case,
            &applies.variant,
            &applies.model,
            &applies.harness,
        ];
        let patterns = patterns.map(|list| {
            let patterns = list.iter().map(|pattern| Pattern::parse(pattern));
            patterns.collect::<Option<Vec<_>>>()
        });
        if patterns.iter().any(Option::is_none) {
            let help = "Write shorter patterns.";
            self.invalid(
                source,
                span.clone(),
                "A pattern of `applies` is too long",
                help,
            );
        }
        if self.problems.len() > before {
            return None;
        }
        let severity = entry.severity.unwrap_or(defaults.severity);
        // The texts are trimmed as in feeds, so that a reader can compute the digest again.
        let text =
            |value: &Option<SpannedText>| value.as_ref().map(|it| it.get_ref().trim().to_owned());
        let title = entry.title.get_ref().trim();
        let fix = entry.fix.as_deref().map(on_one_line);
        let fix = fix.filter(|fix| !fix.is_empty());
        let expect = entry.expect.as_ref().map(|it| on_one_line(it.get_ref()));
        let [find, after, require] = [&entry.find, &entry.after, &entry.require].map(text);
        let definition = RuleDefinition {
            id,
            title,
            why: entry.why.as_deref().unwrap_or_default(),
            blind: entry.blind.as_deref().unwrap_or_default(),
            fix: fix.as_deref(),
            version: defaults.version,
            severity,
            applies,
            find: find.as_deref(),
            after: after.as_deref(),
            expect: expect.as_deref(),
            require: require.as_deref(),
            trials: entry.trials.as_ref().map(|trials| *trials.get_ref()),
            files: entry.files.iter().map(|it| it.get_ref().as_str()).collect(),
        };
        // Plain values can always be written.
        let bytes = serde_json::to_vec(&definition).unwrap_or_default();
        Some(Rule {
            id: id.clone(),
            title: title.to_owned(),
            why: entry.why.clone().unwrap_or_default(),
            blind: entry.blind.clone().unwrap_or_default(),
            fix: fix.unwrap_or_default(),
            version: defaults.version.map(str::to_owned),
            severity,
            applies: applies.clone(),
            patterns: patterns.map(Option::unwrap_or_default),
            check: check?,
            digest: blake3::hash(&bytes).to_hex().to_string(),
            place: source.place(entry.id.span().start, entry.id.span().end),
            is_built_in: false,
        })
    }

    fn check(
        &mut self,
        source: Source<'_>,
        entry: &RuleEntry,
        span: Range<usize>,
    ) -> Option<RuleCheck> {
        let kinds = [
            entry.find.is_some(),
            entry.require.is_some(),
            entry.trials.is_some(),
        ];
        if kinds.iter().filter(|is| **is).count() != 1 {
            let help = "Write one of `find` with `expect`, `require`, and `trials`.";
            self.invalid(source, span, "It is not clear what the rule examines", help);
            return None;
        }
        if entry.find.is_none() && (entry.after.is_some() || entry.expect.is_some()) {
            let help = "Write `find` too, or remove `after` and `expect`.";
            let message = "`after` and `expect` belong to `find`";
            self.invalid(source, span.clone(), message, help);
        }
        if entry.trials.is_none() && !entry.files.is_empty() {
            let help = "Write `require = \"'events.jsonl' in run.files\"` for a file of each run.";
            self.invalid(source, span.clone(), "`files` belongs to `trials`", help);
        }
        if let Some(trials) = &entry.trials {
            let files = entry.files.iter().map(|file| RequiredFile {
                name: file.get_ref().clone(),
                place: source.place(file.span().start, file.span().end),
            });
            return Some(RuleCheck::Trials {
                runs: *trials.get_ref(),
                files: files.collect(),
            });
        }
        if let Some(require) = &entry.require {
            return Some(RuleCheck::Require(self.expression(source, require, false)?));
        }
        let find = self.expression(source, entry.find.as_ref()?, true);
        let after = match &entry.after {
            Some(after) => Some(self.expression(source, after, true)?),
            None => None,
        };
        let Some(expect) = &entry.expect else {
            let help = "Write `expect = \"none\"`, or another expectation.";
            self.invalid(source, span, "A rule with `find` needs `expect`", help);
            return None;
        };
        let expect = self.expectation(source, expect)?;
        Some(RuleCheck::Find {
            find: find?,
            after,
            expect,
        })
    }

    fn expectation(&mut self, source: Source<'_>, written: &SpannedText) -> Option<Expectation> {
        let words: Vec<&str> = written.get_ref().split_whitespace().collect();
        let found = match words.as_slice() {
            ["none"] => Some(Expectation::None),
            ["some"] => Some(Expectation::Some),
            ["at", "most", most] => most.parse().ok().map(Expectation::AtMost),
            [
                first @ ("first" | "last"),
                second @ ("before" | "after"),
                id,
            ] if (*first == "first") == (*second == "before") => {
                let span = written.span();
                let message = format!("No rule with `find` has the id {}", quoted(id));
                let help = "Name another rule of the site that has `find`.";
                let place = source.place(span.start, span.end);
                let is_last = *first == "last";
                self.references.push(RuleReference {
                    rule: self.rules.len(),
                    is_last,
                    id: (*id).to_owned(),
                    problem: codes::RULES_INVALID.at(place, message, help),
                });
                // The index is known once all rules are read.
                Some(Expectation::None)
            }
            _ => None,
        };
        if found.is_none() {
            let message = format!("Unknown expectation {}", quoted(written.get_ref()));
            let help =
                "Write `none`, `some`, `at most 3`, `first before <id>` or `last after <id>`.";
            self.invalid(source, written.span(), &message, help);
        }
        found
    }

    fn expression(
        &mut self,
        source: Source<'_>,
        written: &SpannedText,
        has_event: bool,
    ) -> Option<SourceExpression> {
        let text = written.get_ref();
        match Expression::parse(text, has_event) {
            Ok(expression) => Some(SourceExpression {
                text: text.trim().to_owned(),
                expression,
            }),
            Err(error) => {
                let span = position(source, text, written.span(), &error);
                self.problems.push(codes::RULES_EXPRESSION.at(
                    source.place(span.start, span.end),
                    error.message,
                    error.help,
                ));
                None
            }
        }
    }

    fn invalid(&mut self, source: Source<'_>, span: Range<usize>, message: &str, help: &str) {
        let place = source.place(span.start, span.end);
        self.problems
            .push(codes::RULES_INVALID.at(place, message, help));
    }

    fn finish(mut self) -> (Rules, Vec<Diagnostic>) {
        for reference in self.references {
            let mut rules = self.rules.iter();
            let other = rules.position(|rule| {
                rule.id == reference.id && matches!(rule.check, RuleCheck::Find { .. })
            });
            let Some(other) = other else {
                self.problems.push(reference.problem);
                continue;
            };
            if let Some(Rule {
                check: RuleCheck::Find { expect, .. },
                ..
            }) = self.rules.get_mut(reference.rule)
            {
                *expect = if reference.is_last {
                    Expectation::LastAfter(other)
                } else {
                    Expectation::FirstBefore(other)
                };
            }
        }
        base::diagnostics::sort(&mut self.problems);
        (Rules { list: self.rules }, self.problems)
    }
}

/// The text without line breaks.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The place of an error in the file. If the file has the expression with escapes, the whole value is marked.
fn position(
    source: Source<'_>,
    text: &str,
    value: Range<usize>,
    error: &ExpressionError,
) -> Range<usize> {
    let file = source.text.get(value.clone()).unwrap_or_default();
    let file = String::from_utf8_lossy(file);
    match file.find(text) {
        Some(at) => value.start + at + error.span.start..value.start + at + error.span.end,
        None => value,
    }
}
