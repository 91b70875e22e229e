//! Evaluates expressions. A value that was not recorded makes a result unknown, unless the rest decides it: `false && unknown` is
//! false. This is how CEL treats errors.

use std::cmp::Ordering;

use formats::config::Config;

use crate::expression::{Arithmetic, Each, Expression, Node, Order, Search};
use crate::value::{List, Object, Value};
use crate::variables::{EventFacts, RunFacts};

/// Why a result is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// The value was not recorded; the path of its field.
    Missing(&'static str),
    /// A number that cannot be computed.
    Arithmetic,
    /// An index beyond the end of a list.
    Index,
    /// The budget of the rule for the run is used up.
    Budget,
}

impl Unknown {
    /// What is missing, for readers.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Missing(path) => path,
            Self::Arithmetic => "a number: division by zero, or too large",
            Self::Index => "an item of a list",
            Self::Budget => "an answer within the time that a rule may take",
        }
    }
}

/// What an evaluation reads.
pub(crate) struct Scope<'a> {
    pub(crate) event: Option<&'a EventFacts<'a>>,
    pub(crate) run: &'a RunFacts<'a>,
    pub(crate) site: &'a Config,
    locals: Vec<Value<'a>>,
    /// Steps that are left.
    pub(crate) budget: u64,
}

type Result<T> = std::result::Result<T, Unknown>;

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
        left.map(|_| ()).ok_or(Unknown::Budget)
    }

    fn truth(&mut self, node: &'a Node) -> Result<bool> {
        self.spend(1)?;
        match node {
            Node::Bool(value) => Ok(*value),
            Node::Not(a) => Ok(!self.truth(a)?),
            Node::And(both) => self.joined(both, false),
            Node::Or(both) => self.joined(both, true),
            Node::Equal(both) => {
                let [a, b] = self.both(both)?;
                self.spend(a.weight())?;
                Ok(a.equals(&b))
            }
            Node::Order(order, both) => {
                let [a, b] = self.both(both)?;
                self.spend(a.weight())?;
                let found = a.compare(&b).ok_or(Unknown::Arithmetic)?;
                Ok(match order {
                    Order::Less => found == Ordering::Less,
                    Order::LessOrEqual => found != Ordering::Greater,
                    Order::Greater => found == Ordering::Greater,
                    Order::GreaterOrEqual => found != Ordering::Less,
                })
            }
            Node::In(both) => self.is_in(both),
            Node::Has(object, field) => {
                let object = self.object(object)?;
                Ok(field.get.of(object).is_some())
            }
            Node::Search(search, both) => {
                let [a, b] = self.both(both)?;
                self.spend(a.weight() + b.weight())?;
                let (Value::Text(a), Value::Text(b)) = (&a, &b) else {
                    return Ok(false);
                };
                Ok(match search {
                    Search::Contains => a.contains(&**b),
                    Search::StartsWith => a.starts_with(&**b),
                    Search::EndsWith => a.ends_with(&**b),
                })
            }
            Node::Matches(a, regex) => {
                let text = self.value(a)?;
                self.spend(4 * text.weight())?;
                Ok(matches!(&text, Value::Text(text) if regex.is_match(text.as_bytes())))
            }
            Node::Each(each, parts) => match each {
                Each::All => self.any(parts, false).map(|found| !found),
                Each::Exists => self.any(parts, true),
                Each::ExistsOne | Each::Filter => Ok(self.filter(parts)?.len() == 1),
            },
            other => Ok(matches!(self.value(other)?, Value::Bool(true))),
        }
    }

    /// A conjunction, which is decided by a false side, or a disjunction, which is decided by a true one.
    fn joined(&mut self, both: &'a [Node; 2], decides: bool) -> Result<bool> {
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
    fn any(&mut self, parts: &'a [Node; 2], wanted: bool) -> Result<bool> {
        let Value::List(list) = self.value(&parts[0])? else {
            return Ok(false);
        };
        let mut unknown = None;
        for item in list.iter() {
            match self.with(item, &parts[1]) {
                Ok(found) if found == wanted => return Ok(true),
                Ok(_) => {}
                Err(Unknown::Budget) => return Err(Unknown::Budget),
                Err(why) => unknown = unknown.or(Some(why)),
            }
        }
        unknown.map_or(Ok(false), Err)
    }

    fn filter(&mut self, parts: &'a [Node; 2]) -> Result<List<'a>> {
        let Value::List(list) = self.value(&parts[0])? else {
            return Ok(List::Values(Vec::new()));
        };
        let mut found = Vec::new();
        for item in list.iter() {
            if self.with(item.clone(), &parts[1])? {
                found.push(item);
            }
        }
        Ok(List::Values(found))
    }

    fn with(&mut self, item: Value<'a>, predicate: &'a Node) -> Result<bool> {
        self.locals.push(item);
        let result = self.truth(predicate);
        self.locals.pop();
        result
    }

    fn is_in(&mut self, both: &'a [Node; 2]) -> Result<bool> {
        let item = self.value(&both[0])?;
        if let Node::List(nodes) = &both[1] {
            let mut unknown = None;
            for node in nodes {
                match self.value(node) {
                    Ok(value) if item.equals(&value) => return Ok(true),
                    Ok(_) => {}
                    Err(why) => unknown = unknown.or(Some(why)),
                }
            }
            return unknown.map_or(Ok(false), Err);
        }
        let list = self.value(&both[1])?;
        self.spend(list.weight())?;
        let Value::List(list) = list else {
            return Ok(false);
        };
        Ok(list.iter().any(|value| item.equals(&value)))
    }

    fn both(&mut self, both: &'a [Node; 2]) -> Result<[Value<'a>; 2]> {
        Ok([self.value(&both[0])?, self.value(&both[1])?])
    }

    fn object(&mut self, node: &'a Node) -> Result<Object<'a>> {
        match self.value(node)? {
            Value::Object(object) => Ok(object),
            _ => Err(Unknown::Missing("event")),
        }
    }

    fn value(&mut self, node: &'a Node) -> Result<Value<'a>> {
        self.spend(1)?;
        Ok(match node {
            Node::Int(value) => Value::Int(*value),
            Node::Double(value) => Value::Double(*value),
            Node::Text(text) => Value::text(text),
            Node::List(nodes) => {
                let values = nodes.iter().map(|node| self.value(node));
                Value::List(List::Values(values.collect::<Result<_>>()?))
            }
            Node::Event => {
                Value::Object(Object::Event(self.event.ok_or(Unknown::Missing("event"))?))
            }
            Node::Run => Value::Object(Object::Run(self.run)),
            Node::Site => Value::Object(Object::Site(self.site)),
            Node::Local(depth) => {
                let local = self.locals.get(*depth).cloned();
                local.ok_or(Unknown::Index)?
            }
            Node::Field(object, field) => {
                let object = self.object(object)?;
                let value = field.get.of(object);
                let value = value.ok_or(Unknown::Missing(field.path))?;
                if let Value::List(List::Values(made)) = &value {
                    self.spend(made.len() as u64)?;
                }
                value
            }
            Node::If(parts) => {
                let [condition, a, b] = &**parts;
                let branch = if self.truth(condition)? { a } else { b };
                self.value(branch)?
            }
            Node::Arithmetic(how, both) => {
                let [a, b] = self.both(both)?;
                arithmetic(*how, &a, &b).ok_or(Unknown::Arithmetic)?
            }
            Node::Negative(a) => match self.value(a)? {
                Value::Int(a) => Value::Int(a.checked_neg().ok_or(Unknown::Arithmetic)?),
                Value::Double(a) => Value::Double(-a),
                other => other,
            },
            Node::Index(both) => match self.both(both)? {
                [Value::List(list), Value::Int(index)] => {
                    let index = usize::try_from(index).ok();
                    let item = index.and_then(|index| list.get(index));
                    item.ok_or(Unknown::Index)?
                }
                _ => return Err(Unknown::Index),
            },
            Node::Size(a) => {
                let a = self.value(a)?;
                self.spend(a.weight())?;
                match &a {
                    Value::Text(text) => Value::count(text.chars().count()),
                    Value::List(list) => Value::count(list.len()),
                    _ => Value::Int(0),
                }
            }
            Node::Double64(a) => match self.value(a)? {
                Value::Int(a) => Value::Double(double(a)),
                other => other,
            },
            Node::Int64(a) => match self.value(a)? {
                Value::Double(a) => Value::Int(int(a).ok_or(Unknown::Arithmetic)?),
                other => other,
            },
            Node::Each(Each::Filter, parts) => Value::List(self.filter(parts)?),
            Node::Bool(_)
            | Node::Has(..)
            | Node::Not(_)
            | Node::And(_)
            | Node::Or(_)
            | Node::Equal(_)
            | Node::Order(..)
            | Node::In(_)
            | Node::Search(..)
            | Node::Matches(..)
            | Node::Each(..) => Value::Bool(self.truth(node)?),
        })
    }
}

fn arithmetic<'a>(how: Arithmetic, a: &Value<'a>, b: &Value<'a>) -> Option<Value<'a>> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(Value::Int(match how {
            Arithmetic::Add => a.checked_add(*b)?,
            Arithmetic::Subtract => a.checked_sub(*b)?,
            Arithmetic::Multiply => a.checked_mul(*b)?,
            Arithmetic::Divide => a.checked_div(*b)?,
            Arithmetic::Modulo => a.checked_rem(*b)?,
        })),
        (Value::Double(a), Value::Double(b)) => {
            let value = match how {
                Arithmetic::Add => a + b,
                Arithmetic::Subtract => a - b,
                Arithmetic::Multiply => a * b,
                Arithmetic::Divide | Arithmetic::Modulo => a / b,
            };
            value.is_finite().then_some(Value::Double(value))
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
