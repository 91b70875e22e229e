//! The gate: reads what a site expects of its runs, its rules, and evaluates which of them hold for each run.

mod evaluate;
mod expression;
mod read;
#[cfg(test)]
mod reference;
mod run;
mod value;
mod variables;

use base::diagnostics::Place;
use formats::config::Pattern;
use formats::model::run::Subject;
use formats::rule_file::{Applies, RuleSeverity};

pub use expression::{Expression, ExpressionError, FUNCTIONS};
pub use run::EVIDENCE;
pub use variables::{ExprField, ExprType, OBJECTS, ObjectType, RunExtras, RunFacts};

/// The rules of a site.
#[derive(Debug, Default)]
pub struct Rules {
    /// The rules in the order of their files, and of each file.
    pub list: Vec<Rule>,
}

/// A rule.
#[derive(Debug)]
pub struct Rule {
    pub id: String,
    /// The expectation, in one line.
    pub title: String,
    /// Why, in Markdown; may be empty.
    pub why: String,
    /// The cases that it cannot detect, in Markdown; may be empty.
    pub blind: String,
    /// A fix for violations, in one line of plain text; may be empty.
    pub fix: String,
    /// The version of its file, if it gives one.
    pub version: Option<String>,
    pub severity: RuleSeverity,
    pub applies: Applies,
    patterns: [Vec<Pattern>; 4],
    pub check: RuleCheck,
    /// BLAKE3 of everything that decides what it finds and what readers see of it, hexadecimal.
    pub digest: String,
    /// Where it is written; for a built-in rule, where a file of the site uses it.
    pub place: Place,
    pub is_built_in: bool,
}

/// The kind of a rule, with its expressions.
#[derive(Debug)]
pub enum RuleCheck {
    Find {
        find: SourceExpression,
        after: Option<SourceExpression>,
        expect: Expectation,
    },
    Require(SourceExpression),
    Trials {
        runs: u32,
        files: Vec<RequiredFile>,
    },
}

/// A file that a run needs to count.
#[derive(Debug)]
pub struct RequiredFile {
    pub name: String,
    pub place: Place,
}

/// An expression with its source.
#[derive(Debug)]
pub struct SourceExpression {
    pub text: String,
    pub(crate) expression: Expression,
}

/// The expectation about the events that a rule finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expectation {
    None,
    Some,
    AtMost(u64),
    /// The first one is before the first one that the rule of this index finds.
    FirstBefore(usize),
    /// The last one is after the last one that the rule of this index finds.
    LastAfter(usize),
}

impl Rules {
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The rule with this id.
    pub fn find(&self, id: &str) -> Option<&Rule> {
        self.list.iter().find(|rule| rule.id == id)
    }

    /// Whether the rule with this id is about the number of runs, and not about each of them.
    pub fn is_about_trials(&self, id: &str) -> bool {
        let rule = self.find(id);
        rule.is_some_and(|rule| matches!(rule.check, RuleCheck::Trials { .. }))
    }

    /// A digest of the rules that apply to runs of this subject, and of those that they name.
    pub fn digest(&self, subject: &Subject) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        for rule in self.list.iter().filter(|rule| rule.applies_to(subject)) {
            hasher.update(rule.digest.as_bytes());
            if let Some(other) = rule.referenced() {
                hasher.update(self.list[other].digest.as_bytes());
            }
        }
        hasher.finalize().into()
    }

    /// How the expectation of a rule is written.
    pub fn expectation(&self, expectation: &Expectation) -> String {
        let id = |index: usize| self.list[index].id.as_str();
        match expectation {
            Expectation::None => "none".to_owned(),
            Expectation::Some => "some".to_owned(),
            Expectation::AtMost(most) => format!("at most {most}"),
            Expectation::FirstBefore(other) => format!("first before {}", id(*other)),
            Expectation::LastAfter(other) => format!("last after {}", id(*other)),
        }
    }
}

impl Rule {
    /// Whether it applies to runs of this subject.
    pub fn applies_to(&self, subject: &Subject) -> bool {
        let names = [
            Some(&subject.case),
            subject.variant.as_ref(),
            subject.model.as_ref(),
            Some(&subject.harness),
        ];
        let mut keys = self.patterns.iter().zip(names);
        keys.all(|(patterns, name)| {
            let fits = |pattern: &Pattern| name.is_some_and(|name| pattern.matches_end(name));
            patterns.is_empty() || patterns.iter().any(fits)
        })
    }

    /// The rule that it names.
    fn referenced(&self) -> Option<usize> {
        match &self.check {
            RuleCheck::Find {
                expect: Expectation::FirstBefore(other) | Expectation::LastAfter(other),
                ..
            } => Some(*other),
            _ => None,
        }
    }
}
