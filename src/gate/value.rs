//! Values of expressions. They borrow from the run, so none is larger than what was recorded.

use std::borrow::Cow;
use std::cmp::Ordering;

use formats::config::Config;
use formats::model::outcome::Outcome as Score;
use formats::model::run::VisualCheck;
use formats::model::steps::Step;

use crate::variables::{EventFacts, RunFacts};

/// A value.
#[derive(Debug, Clone)]
pub enum ExprValue<'a> {
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(Cow<'a, str>),
    List(ExprList<'a>),
    Object(ExprObject<'a>),
}

/// A value with fields.
#[derive(Debug, Clone, Copy)]
pub enum ExprObject<'a> {
    Event(&'a EventFacts<'a>),
    Run(&'a RunFacts<'a>),
    Site(&'a Config),
    Step(&'a Step),
    Score(&'a Score),
    Check(&'a VisualCheck),
}

/// A list. Most are those of the run.
#[derive(Debug, Clone)]
pub enum ExprList<'a> {
    Values(Vec<ExprValue<'a>>),
    Texts(&'a [String]),
    Steps(&'a [Step]),
    Scores(&'a [Score]),
    Checks(&'a [VisualCheck]),
}

impl<'a> ExprValue<'a> {
    pub(crate) fn text(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }

    pub(crate) fn count(count: usize) -> Self {
        Self::number(count as u64)
    }

    pub(crate) fn number(number: u64) -> Self {
        Self::Int(i64::try_from(number).unwrap_or(i64::MAX))
    }

    /// Whether two values are equal; numbers of both types are compared by their value.
    pub(crate) fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::List(a), Self::List(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.equals(&b))
            }
            _ => self.compare(other) == Some(Ordering::Equal),
        }
    }

    /// The order of two numbers or two texts; `None` of anything else.
    pub(crate) fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Some(a.cmp(b)),
            (Self::Double(a), Self::Double(b)) => a.partial_cmp(b),
            (Self::Int(a), Self::Double(b)) => mixed(*a, *b),
            (Self::Double(a), Self::Int(b)) => mixed(*b, *a).map(Ordering::reverse),
            (Self::Text(a), Self::Text(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }

    /// The cost of reading the value, in steps of the budget.
    pub(crate) fn weight(&self) -> u64 {
        match self {
            Self::Text(text) => text.len() as u64 / 64,
            Self::List(list) => list.len() as u64,
            _ => 0,
        }
    }
}

/// The order of an int and a double, exact as in CEL: a large int is not rounded to a double first.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "the int is rounded only to see which is larger, and equal ones are compared without a fraction"
)]
fn mixed(a: i64, b: f64) -> Option<Ordering> {
    let rounded = (a as f64).partial_cmp(&b)?;
    Some(match rounded {
        // Here `b` is a whole number, and larger than every int only if it is 2^63.
        Ordering::Equal => i128::from(a).cmp(&(b as i128)),
        different => different,
    })
}

impl<'a> ExprList<'a> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Values(list) => list.len(),
            Self::Texts(list) => list.len(),
            Self::Steps(list) => list.len(),
            Self::Scores(list) => list.len(),
            Self::Checks(list) => list.len(),
        }
    }

    pub(crate) fn get(&self, index: usize) -> Option<ExprValue<'a>> {
        Some(match self {
            Self::Values(list) => list.get(index)?.clone(),
            Self::Texts(list) => ExprValue::text(list.get(index)?),
            Self::Steps(list) => ExprValue::Object(ExprObject::Step(list.get(index)?)),
            Self::Scores(list) => ExprValue::Object(ExprObject::Score(list.get(index)?)),
            Self::Checks(list) => ExprValue::Object(ExprObject::Check(list.get(index)?)),
        })
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = ExprValue<'a>> {
        (0..self.len()).filter_map(|index| self.get(index))
    }
}
