//! Evaluates expressions. A value that was not recorded makes a result unknown, unless the rest decides it: `false && unknown` is
//! false. This is how CEL treats errors.

use std::cmp::Ordering;

use formats::config::Config;

use crate::expression::{Arithmetic, Comparison, ExprNode, Expression, ListMacro, TextSearch};
use crate::value::{ExprList, ExprObject, ExprValue};
use crate::variables::{EventFacts, RunFacts};

/// Why a result is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownReason {
    /// The value was not recorded; the path of its field.
    Missing(&'static str),
    /// A number that cannot be computed.
    Arithmetic,
    /// An index beyond the end of a list.
    Index,
    /// The budget of the rule for the run is used up.
    Budget,
}

impl UnknownReason {
    /// The missing value, in words for readers.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Missing(path) => path,
            Self::Arithmetic => "a number: division by zero, or too large",
            Self::Index => "an item of a list",
            Self::Budget => "an answer within the time that a rule may take",
        }
    }
}

/// The values that an evaluation reads, and its budget.
pub(crate) struct Scope<'a> {
    pub(crate) event: Option<&'a EventFacts<'a>>,
    pub(crate) run: &'a RunFacts<'a>,
    pub(crate) site: &'a Config,
    locals: Vec<ExprValue<'a>>,
    /// Steps that are left.
    pub(crate) budget: u64,
}

type Result<T> = std::result::Result<T, UnknownReason>;

impl<'a> Scope<'a> {
    pub(crate) fn new(
        event: Option<&'a EventFacts<'a>>,
        run: &'a RunFacts<'a>,
        site: &'a Config,
        budget: u64,
    ) -> Self {
        Self {
            event,
            run,
            site,
            locals: Vec::new(),
            budget,
        }
    }

    /// Whether the expression holds.
    pub(crate) fn holds(&mut self, expression: &'a Expression) -> Result<bool> {
        self.truth(&expression.root)
    }

    fn spend(&mut self, steps: u64) -> Result<()> {
        let left = self.budget.checked_sub(steps);
        self.budget = left.unwrap_or_default();
        left.map(|_| ()).ok_or(UnknownReason::Budget)
    }

    fn truth(&mut self, node: &'a ExprNode) -> Result<bool> {
        self.spend(1)?;
        match node {
            ExprNode::Bool(value) => Ok(*value),
            ExprNode::Not(a) => Ok(!self.truth(a)?),
            ExprNode::And(both) => self.joined(both, false),
            ExprNode::Or(both) => self.joined(both, true),
            ExprNode::Equal(both) => {
                let [a, b] = self.both(both)?;
                self.spend(a.weight())?;
                Ok(a.equals(&b))
            }
            ExprNode::Compare(order, both) => {
                let [a, b] = self.both(both)?;
                self.spend(a.weight())?;
                let found = a.compare(&b).ok_or(UnknownReason::Arithmetic)?;
                Ok(match order {
                    Comparison::Less => found == Ordering::Less,
                    Comparison::LessOrEqual => found != Ordering::Greater,
                    Comparison::Greater => found == Ordering::Greater,
                    Comparison::GreaterOrEqual => found != Ordering::Less,
                })
            }
            ExprNode::In(both) => self.is_in(both),
            ExprNode::Has(object, field) => {
                let object = self.object(object)?;
                Ok(field.get.of(object).is_some())
            }
            ExprNode::Search(search, both) => {
                let [a, b] = self.both(both)?;
                self.spend(a.weight() + b.weight())?;
                let (ExprValue::Text(a), ExprValue::Text(b)) = (&a, &b) else {
                    return Ok(false);
                };
                Ok(match search {
                    TextSearch::Contains => a.contains(&**b),
                    TextSearch::StartsWith => a.starts_with(&**b),
                    TextSearch::EndsWith => a.ends_with(&**b),
                })
            }
            ExprNode::Matches(a, regex) => {
                let text = self.value(a)?;
                self.spend(4 * text.weight())?;
                Ok(matches!(&text, ExprValue::Text(text) if regex.is_match(text.as_bytes())))
            }
            ExprNode::Macro(each, parts) => match each {
                ListMacro::All => self.any(parts, false).map(|found| !found),
                ListMacro::Exists => self.any(parts, true),
                ListMacro::ExistsOne | ListMacro::Filter => Ok(self.filter(parts)?.len() == 1),
            },
            other => Ok(matches!(self.value(other)?, ExprValue::Bool(true))),
        }
    }

    /// A conjunction, which is decided by a false side, or a disjunction, which is decided by a true one.
    fn joined(&mut self, both: &'a [ExprNode; 2], decides: bool) -> Result<bool> {
        let first = self.truth(&both[0]);
        if first == Ok(decides) {
            return first;
        }
        let second = self.truth(&both[1]);
        if second == Ok(decides) {
            return second;
        }
        first.and(second)
    }

    /// Whether the predicate has this result for an item.
    fn any(&mut self, parts: &'a [ExprNode; 2], wanted: bool) -> Result<bool> {
        let ExprValue::List(list) = self.value(&parts[0])? else {
            return Ok(false);
        };
        let mut unknown = None;
        for item in list.iter() {
            match self.with(item, &parts[1]) {
                Ok(found) if found == wanted => return Ok(true),
                Ok(_) => {}
                Err(UnknownReason::Budget) => return Err(UnknownReason::Budget),
                Err(reason) => unknown = unknown.or(Some(reason)),
            }
        }
        unknown.map_or(Ok(false), Err)
    }

    fn filter(&mut self, parts: &'a [ExprNode; 2]) -> Result<ExprList<'a>> {
        let ExprValue::List(list) = self.value(&parts[0])? else {
            return Ok(ExprList::Values(Vec::new()));
        };
        let mut found = Vec::new();
        for item in list.iter() {
            if self.with(item.clone(), &parts[1])? {
                found.push(item);
            }
        }
        Ok(ExprList::Values(found))
    }

    fn with(&mut self, item: ExprValue<'a>, predicate: &'a ExprNode) -> Result<bool> {
        self.locals.push(item);
        let result = self.truth(predicate);
        self.locals.pop();
        result
    }

    fn is_in(&mut self, both: &'a [ExprNode; 2]) -> Result<bool> {
        let item = self.value(&both[0])?;
        if let ExprNode::List(nodes) = &both[1] {
            let mut unknown = None;
            for node in nodes {
                match self.value(node) {
                    Ok(value) if item.equals(&value) => return Ok(true),
                    Ok(_) => {}
                    Err(reason) => unknown = unknown.or(Some(reason)),
                }
            }
            return unknown.map_or(Ok(false), Err);
        }
        let list = self.value(&both[1])?;
        self.spend(list.weight())?;
        let ExprValue::List(list) = list else {
            return Ok(false);
        };
        Ok(list.iter().any(|value| item.equals(&value)))
    }

    fn both(&mut self, both: &'a [ExprNode; 2]) -> Result<[ExprValue<'a>; 2]> {
        Ok([self.value(&both[0])?, self.value(&both[1])?])
    }

    fn object(&mut self, node: &'a ExprNode) -> Result<ExprObject<'a>> {
        match self.value(node)? {
            ExprValue::Object(object) => Ok(object),
            _ => Err(UnknownReason::Missing("event")),
        }
    }

    fn value(&mut self, node: &'a ExprNode) -> Result<ExprValue<'a>> {
        self.spend(1)?;
        Ok(match node {
            ExprNode::Int(value) => ExprValue::Int(*value),
            ExprNode::Double(value) => ExprValue::Double(*value),
            ExprNode::Text(text) => ExprValue::text(text),
            ExprNode::List(nodes) => {
                let values = nodes.iter().map(|node| self.value(node));
                ExprValue::List(ExprList::Values(values.collect::<Result<_>>()?))
            }
            ExprNode::Event => ExprValue::Object(ExprObject::Event(
                self.event.ok_or(UnknownReason::Missing("event"))?,
            )),
            ExprNode::Run => ExprValue::Object(ExprObject::Run(self.run)),
            ExprNode::Site => ExprValue::Object(ExprObject::Site(self.site)),
            ExprNode::Local(depth) => {
                let local = self.locals.get(*depth).cloned();
                local.ok_or(UnknownReason::Index)?
            }
            ExprNode::Field(object, field) => {
                let object = self.object(object)?;
                let value = field.get.of(object);
                let value = value.ok_or(UnknownReason::Missing(field.path))?;
                if let ExprValue::List(ExprList::Values(made)) = &value {
                    self.spend(made.len() as u64)?;
                }
                value
            }
            ExprNode::If(parts) => {
                let [condition, a, b] = &**parts;
                let branch = if self.truth(condition)? { a } else { b };
                self.value(branch)?
            }
            ExprNode::Arithmetic(how, both) => {
                let [a, b] = self.both(both)?;
                arithmetic(*how, &a, &b).ok_or(UnknownReason::Arithmetic)?
            }
            ExprNode::Negative(a) => match self.value(a)? {
                ExprValue::Int(a) => {
                    ExprValue::Int(a.checked_neg().ok_or(UnknownReason::Arithmetic)?)
                }
                ExprValue::Double(a) => ExprValue::Double(-a),
                other => other,
            },
            ExprNode::Index(both) => match self.both(both)? {
                [ExprValue::List(list), ExprValue::Int(index)] => {
                    let index = usize::try_from(index).ok();
                    let item = index.and_then(|index| list.get(index));
                    item.ok_or(UnknownReason::Index)?
                }
                _ => return Err(UnknownReason::Index),
            },
            ExprNode::Size(a) => {
                let a = self.value(a)?;
                self.spend(a.weight())?;
                match &a {
                    ExprValue::Text(text) => ExprValue::count(text.chars().count()),
                    ExprValue::List(list) => ExprValue::count(list.len()),
                    _ => ExprValue::Int(0),
                }
            }
            ExprNode::ToDouble(a) => match self.value(a)? {
                ExprValue::Int(a) => ExprValue::Double(double(a)),
                other => other,
            },
            ExprNode::ToInt(a) => match self.value(a)? {
                ExprValue::Double(a) => ExprValue::Int(int(a).ok_or(UnknownReason::Arithmetic)?),
                other => other,
            },
            ExprNode::Macro(ListMacro::Filter, parts) => ExprValue::List(self.filter(parts)?),
            ExprNode::Bool(_)
            | ExprNode::Has(..)
            | ExprNode::Not(_)
            | ExprNode::And(_)
            | ExprNode::Or(_)
            | ExprNode::Equal(_)
            | ExprNode::Compare(..)
            | ExprNode::In(_)
            | ExprNode::Search(..)
            | ExprNode::Matches(..)
            | ExprNode::Macro(..) => ExprValue::Bool(self.truth(node)?),
        })
    }
}

fn arithmetic<'a>(how: Arithmetic, a: &ExprValue<'a>, b: &ExprValue<'a>) -> Option<ExprValue<'a>> {
    match (a, b) {
        (ExprValue::Int(a), ExprValue::Int(b)) => Some(ExprValue::Int(match how {
            Arithmetic::Add => a.checked_add(*b)?,
            Arithmetic::Subtract => a.checked_sub(*b)?,
            Arithmetic::Multiply => a.checked_mul(*b)?,
            Arithmetic::Divide => a.checked_div(*b)?,
            Arithmetic::Modulo => a.checked_rem(*b)?,
        })),
        (ExprValue::Double(a), ExprValue::Double(b)) => {
            let value = match how {
                Arithmetic::Add => a + b,
                Arithmetic::Subtract => a - b,
                Arithmetic::Multiply => a * b,
                Arithmetic::Divide | Arithmetic::Modulo => a / b,
            };
            value.is_finite().then_some(ExprValue::Double(value))
        }
        _ => None,
    }
}

#[allow(clippy::cast_precision_loss, reason = "as CEL converts an int")]
const fn double(value: i64) -> f64 {
    value as f64
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "the range is checked first, and the fraction is to be cut"
)]
fn int(value: f64) -> Option<i64> {
    (value.abs() < i64::MAX as f64).then_some(value as i64)
}
