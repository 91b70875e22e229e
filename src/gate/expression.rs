//! Expressions in CEL: parsed by the crate `cel`, then checked for names and types, so that a mistake is found in the file of the rule
//! and not in a run.
//!
//! An expression has those functions of CEL's standard library that read values. It has none that makes texts or lists longer than those of
//! the run, so its memory is bounded by what was recorded.

use std::ops::Range;

use base::diagnostics::text::{nearest, quoted, reason};
use cel::common::ast::{CallExpr, ComprehensionExpr, Expr, IdedExpr, LiteralValue, SourceInfo};
use cel::common::ast::{SelectExpr, operators};
use cel::parser::Parser;
use regex::bytes::{Regex, RegexBuilder};

use crate::variables::{EVENT, Field, RUN, SITE, Type};

/// Maximum length of an expression in bytes.
const LENGTH: usize = 2_000;
/// Maximum nesting of the parts of an expression.
const DEPTH: usize = 60;
/// Maximum memory of a compiled regular expression in bytes.
const REGEX: usize = 1 << 20;

/// A checked expression that is true or false.
#[derive(Debug)]
pub struct Expression {
    pub(crate) root: Node,
    /// Whether it reads all that an event says.
    pub(crate) reads_text: bool,
}

/// A mistake in an expression.
#[derive(Debug)]
pub struct Mistake {
    /// Its bytes in the expression.
    pub span: Range<usize>,
    pub message: String,
    pub help: String,
}

/// A part of an expression.
#[derive(Debug)]
pub(crate) enum Node {
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(String),
    List(Vec<Node>),
    Event,
    Run,
    Site,
    /// A variable of a macro, by its depth.
    Local(usize),
    Field(Box<Node>, &'static Field),
    /// Whether a field was recorded.
    Has(Box<Node>, &'static Field),
    Not(Box<Node>),
    And(Box<[Node; 2]>),
    Or(Box<[Node; 2]>),
    If(Box<[Node; 3]>),
    Equal(Box<[Node; 2]>),
    Order(Order, Box<[Node; 2]>),
    In(Box<[Node; 2]>),
    Arithmetic(Arithmetic, Box<[Node; 2]>),
    Negative(Box<Node>),
    Index(Box<[Node; 2]>),
    Size(Box<Node>),
    Search(Search, Box<[Node; 2]>),
    Matches(Box<Node>, Box<Regex>),
    Double64(Box<Node>),
    Int64(Box<Node>),
    Each(Each, Box<[Node; 2]>),
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Order {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Search {
    Contains,
    StartsWith,
    EndsWith,
}

/// A macro over a list.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Each {
    All,
    Exists,
    ExistsOne,
    Filter,
}

/// The functions of expressions, with what they do; operators are those of CEL.
pub const FUNCTIONS: [(&str, &str); 13] = [
    (
        "has(event.path)",
        "Whether the value was recorded. It is never unknown itself.",
    ),
    ("x in list", "Whether a list has the value."),
    (
        "size(x)",
        "The number of items of a list, or of characters of a text.",
    ),
    ("text.contains(part)", "Whether the text has the part."),
    (
        "text.startsWith(part)",
        "Whether the text begins with the part.",
    ),
    (
        "text.endsWith(part)",
        "Whether the text ends with the part.",
    ),
    (
        "text.matches(regex)",
        "Whether a part of the text fits a regular expression, which is written in the rule. `\\w`, `\\d`, `\\b` and `(?i)` are about ASCII.",
    ),
    ("int(x)", "The number without its fraction."),
    (
        "double(x)",
        "The number as a double: `int` and `double` are not added or multiplied.",
    ),
    (
        "list.all(x, …)",
        "Whether the expression holds for all items.",
    ),
    ("list.exists(x, …)", "Whether it holds for an item."),
    (
        "list.exists_one(x, …)",
        "Whether it holds for exactly one item.",
    ),
    ("list.filter(x, …)", "The items for which it holds."),
];

impl Expression {
    /// Reads an expression, which may read `event` if `has_event`.
    pub fn parse(text: &str, has_event: bool) -> Result<Self, Mistake> {
        let whole = |message: String, help: &str| Mistake {
            span: 0..text.len(),
            message,
            help: help.to_owned(),
        };
        if text.len() > LENGTH {
            let message = format!("An expression has at most {LENGTH} bytes");
            return Err(whole(message, "Split the rule into several."));
        }
        if depth(text) > DEPTH {
            return Err(whole(
                "The expression is nested too deeply".to_owned(),
                "Split the rule into several.",
            ));
        }
        let parsed = Parser::new()
            .max_recursion_depth(32)
            .error_recovery_limit(4)
            .parse_with_source_info(text);
        let (tree, places) = parsed.map_err(|errors| {
            let first = errors.errors.into_iter().next();
            let (line, column) = first.as_ref().map_or((1, 1), |error| error.pos);
            let message = first.map_or_else(String::new, |error| error.msg);
            let at = offset(text, line, column);
            Mistake {
                span: at..text.len().min(at + 1),
                message: format!("The expression is not valid CEL: {}", reason(&message)),
                help: if text.contains('\\') {
                    "Write a regular expression as `r'…'`, where a backslash is a backslash."
                        .to_owned()
                } else {
                    "Correct the expression here.".to_owned()
                },
            }
        })?;
        let mut lowering = Lowering {
            text,
            places: &places,
            has_event,
            locals: Vec::new(),
            reads_text: false,
            depth: 0,
        };
        let (root, kind) = lowering.node(&tree)?;
        if kind != Type::Bool {
            return Err(lowering.mistake(
                &tree,
                format!("The expression is of type `{kind}`, but must be true or false"),
                "Compare it with a value.",
            ));
        }
        Ok(Self {
            root,
            reads_text: lowering.reads_text,
        })
    }
}

/// An upper limit of how deep a text is nested: its brackets and its operators, since `a + b + c` is nested, too.
fn depth(text: &str) -> usize {
    let mut is_quoted = None;
    let mut count = 0;
    let mut was = ' ';
    for character in text.chars() {
        match is_quoted {
            Some(quote) if character == quote && was != '\\' => is_quoted = None,
            Some(_) => {}
            None if matches!(character, '"' | '\'') => is_quoted = Some(character),
            None => {
                let is_nested = matches!(
                    character,
                    '(' | '[' | '{' | '+' | '-' | '*' | '/' | '%' | '!' | '.' | '?' | '<' | '>'
                );
                count += usize::from(is_nested);
            }
        }
        was = character;
    }
    // Conjunctions are balanced by the parser, and each has few of these.
    count / 4
}

/// The offset of a line and a column, both from 1.
fn offset(text: &str, line: isize, column: isize) -> usize {
    let line = usize::try_from(line).unwrap_or(1).max(1);
    let column = usize::try_from(column)
        .unwrap_or_default()
        .saturating_sub(1);
    let start: usize = text
        .split_inclusive('\n')
        .take(line - 1)
        .map(str::len)
        .sum();
    let rest = text.get(start..).unwrap_or_default();
    let skipped = rest.char_indices().nth(column);
    start + skipped.map_or(rest.len(), |(at, _)| at)
}

/// Checks names and types.
struct Lowering<'a> {
    text: &'a str,
    places: &'a SourceInfo,
    has_event: bool,
    /// The variables of macros around the node, outermost first.
    locals: Vec<(String, Type)>,
    reads_text: bool,
    depth: usize,
}

type Typed = Result<(Node, Type), Mistake>;

impl Lowering<'_> {
    fn mistake(
        &self,
        at: &IdedExpr,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Mistake {
        let (start, stop) = self.places.offset_for(at.id).unwrap_or_default();
        let index = |offset: u32| usize::try_from(offset).unwrap_or(usize::MAX);
        let (mut start, mut end) = (index(start), index(stop).saturating_add(1));
        // A field is marked by its name, and not by the dot before it.
        let rest = self.text.get(start..).unwrap_or_default();
        if let Some(name) = rest.strip_prefix('.') {
            let is_part = |character: char| character.is_alphanumeric() || character == '_';
            start += 1;
            end = start
                + name
                    .find(|character| !is_part(character))
                    .unwrap_or(name.len());
        }
        Mistake {
            span: start..end,
            message: message.into(),
            help: help.into(),
        }
    }

    fn node(&mut self, at: &IdedExpr) -> Typed {
        self.depth += 1;
        if self.depth > DEPTH * 4 {
            return Err(self.mistake(
                at,
                "The expression is nested too deeply",
                "Split the rule into several.",
            ));
        }
        let made = match &at.expr {
            Expr::Literal(literal) => self.literal(at, literal),
            Expr::Ident(name) => self.variable(at, name),
            Expr::Select(select) => self.field(at, select),
            Expr::List(list) => self.list(at, &list.elements),
            Expr::Call(call) => self.call(at, call),
            Expr::Comprehension(each) => self.each(at, each),
            Expr::Map(_) | Expr::Struct(_) | Expr::Unspecified => Err(self.mistake(
                at,
                "Expressions of rules have no maps and no messages",
                "Compare fields one by one.",
            )),
        };
        self.depth -= 1;
        made
    }

    fn literal(&self, at: &IdedExpr, literal: &LiteralValue) -> Typed {
        Ok(match literal {
            LiteralValue::Boolean(value) => (Node::Bool(*value.inner()), Type::Bool),
            LiteralValue::Int(value) => (Node::Int(*value.inner()), Type::Int),
            LiteralValue::Double(value) => (Node::Double(*value.inner()), Type::Double),
            LiteralValue::String(value) => (Node::Text(value.inner().to_owned()), Type::String),
            LiteralValue::Bytes(_) | LiteralValue::UInt(_) | LiteralValue::Null => {
                return Err(self.mistake(
                    at,
                    "Values of rules are never null, unsigned or bytes",
                    "Write `has(event.path)` to ask whether a value was recorded.",
                ));
            }
        })
    }

    fn variable(&self, at: &IdedExpr, name: &str) -> Typed {
        let locals = self.locals.iter().enumerate().rev();
        let local = locals.into_iter().find(|(_, (local, _))| local == name);
        if let Some((depth, (_, kind))) = local {
            return Ok((Node::Local(depth), *kind));
        }
        match name {
            "event" if !self.has_event => Err(self.mistake(
                at,
                "An expression of `require` has no `event`",
                "Write a rule with `find` and `expect`, or use a count of `run`, such as `run.failures`.",
            )),
            "event" => Ok((Node::Event, Type::Object(&EVENT))),
            "run" => Ok((Node::Run, Type::Object(&RUN))),
            "site" => Ok((Node::Site, Type::Object(&SITE))),
            _ => {
                let names: &[&str] = if self.has_event {
                    &["event", "run", "site"]
                } else {
                    &["run", "site"]
                };
                let help = match nearest(name, names.iter().copied()) {
                    Some(near) => format!("Did you mean {}?", quoted(near)),
                    None => format!("The variables here are {}.", names.join(", ")),
                };
                Err(self.mistake(at, format!("Unknown variable {}", quoted(name)), help))
            }
        }
    }

    fn field(&mut self, at: &IdedExpr, select: &SelectExpr) -> Typed {
        let (operand, kind) = self.node(&select.operand)?;
        let Type::Object(object) = kind else {
            return Err(self.mistake(
                at,
                format!(
                    "A value of type `{kind}` has no field {}",
                    quoted(&select.field)
                ),
                "Only `event`, `run`, `site` and the items of their lists have fields.",
            ));
        };
        let mut fields = object.fields.iter();
        let Some(field) = fields.find(|field| field.name == select.field) else {
            let names = object.fields.iter().map(|field| field.name);
            let help = match nearest(&select.field, names.clone()) {
                Some(near) => format!("Did you mean {}?", quoted(near)),
                None => format!("Its fields are {}.", names.collect::<Vec<_>>().join(", ")),
            };
            let message = format!("`{}` has no field {}", object.name, quoted(&select.field));
            return Err(self.mistake(at, message, help));
        };
        self.reads_text |= field.path == "event.text";
        let operand = Box::new(operand);
        Ok(if select.test {
            (Node::Has(operand, field), Type::Bool)
        } else {
            (Node::Field(operand, field), field.kind)
        })
    }

    fn list(&mut self, at: &IdedExpr, items: &[IdedExpr]) -> Typed {
        let mut nodes = Vec::new();
        let mut common = None;
        for item in items {
            let (node, kind) = self.node(item)?;
            if *common.get_or_insert(kind) != kind {
                return Err(self.mistake(
                    item,
                    "The items of a list have different types",
                    "Write items of one type.",
                ));
            }
            nodes.push(node);
        }
        let kind = match common {
            Some(Type::Bool) => Type::List(&Type::Bool),
            Some(Type::Int) => Type::List(&Type::Int),
            Some(Type::Double) => Type::List(&Type::Double),
            Some(Type::String) => Type::List(&Type::String),
            Some(Type::List(_) | Type::Object(_)) | None => {
                return Err(self.mistake(
                    at,
                    "A list has texts or numbers",
                    "Write at least one text or number between the brackets.",
                ));
            }
        };
        Ok((Node::List(nodes), kind))
    }

    fn two(
        &mut self,
        first: &IdedExpr,
        second: &IdedExpr,
    ) -> Result<(Box<[Node; 2]>, [Type; 2]), Mistake> {
        let (a, first) = self.node(first)?;
        let (b, second) = self.node(second)?;
        Ok((Box::new([a, b]), [first, second]))
    }

    /// A part of a given type.
    fn of(&mut self, at: &IdedExpr, expected: Type) -> Result<Node, Mistake> {
        let (node, kind) = self.node(at)?;
        if kind == expected {
            return Ok(node);
        }
        let message = format!("This is of type `{kind}`, but `{expected}` is needed");
        Err(self.mistake(at, message, "Correct the expression here."))
    }

    fn call(&mut self, at: &IdedExpr, call: &CallExpr) -> Typed {
        let of = call.target.as_deref().into_iter();
        let all: Vec<&IdedExpr> = of.chain(&call.args).collect();
        let name = call.func_name.as_str();
        match (name, all.as_slice()) {
            (operators::LOGICAL_NOT, [a]) => {
                Ok((Node::Not(Box::new(self.of(a, Type::Bool)?)), Type::Bool))
            }
            (operators::LOGICAL_AND, [a, b]) => {
                let both = [self.of(a, Type::Bool)?, self.of(b, Type::Bool)?];
                Ok((Node::And(Box::new(both)), Type::Bool))
            }
            (operators::LOGICAL_OR, [a, b]) => {
                let both = [self.of(a, Type::Bool)?, self.of(b, Type::Bool)?];
                Ok((Node::Or(Box::new(both)), Type::Bool))
            }
            (operators::CONDITIONAL, [condition, a, b]) => {
                let condition = self.of(condition, Type::Bool)?;
                let (a, kind) = self.node(a)?;
                let b = self.of(b, kind)?;
                Ok((Node::If(Box::new([condition, a, b])), kind))
            }
            (operators::EQUALS | operators::NOT_EQUALS, [a, b]) => {
                let (both, kinds) = self.two(a, b)?;
                let is_scalar = !matches!(kinds[0], Type::Object(_));
                if !is_scalar || !(kinds[0] == kinds[1] || kinds.iter().all(is_number)) {
                    return Err(self.no_overload(at, name, &kinds));
                }
                let equal = Node::Equal(both);
                let equal = match name {
                    operators::EQUALS => equal,
                    _ => Node::Not(Box::new(equal)),
                };
                Ok((equal, Type::Bool))
            }
            (
                operators::LESS
                | operators::LESS_EQUALS
                | operators::GREATER
                | operators::GREATER_EQUALS,
                [a, b],
            ) => {
                let (both, kinds) = self.two(a, b)?;
                let order = match name {
                    operators::LESS => Order::Less,
                    operators::LESS_EQUALS => Order::LessOrEqual,
                    operators::GREATER => Order::Greater,
                    _ => Order::GreaterOrEqual,
                };
                if !kinds.iter().all(is_number) && kinds != [Type::String; 2] {
                    return Err(self.no_overload(at, name, &kinds));
                }
                Ok((Node::Order(order, both), Type::Bool))
            }
            (operators::IN, [item, list]) => {
                let (both, kinds) = self.two(item, list)?;
                match kinds {
                    [kind, Type::List(of)] if kind == *of || is_number(&kind) && is_number(of) => {
                        Ok((Node::In(both), Type::Bool))
                    }
                    _ => Err(self.no_overload(at, name, &kinds)),
                }
            }
            (
                operators::ADD
                | operators::SUBSTRACT
                | operators::MULTIPLY
                | operators::DIVIDE
                | operators::MODULO,
                [a, b],
            ) => {
                let (both, kinds) = self.two(a, b)?;
                let (how, of_doubles) = match name {
                    operators::ADD => (Arithmetic::Add, true),
                    operators::SUBSTRACT => (Arithmetic::Subtract, true),
                    operators::MULTIPLY => (Arithmetic::Multiply, true),
                    operators::DIVIDE => (Arithmetic::Divide, true),
                    _ => (Arithmetic::Modulo, false),
                };
                if kinds != [Type::Int; 2] && !(of_doubles && kinds == [Type::Double; 2]) {
                    return Err(self.no_overload(at, name, &kinds));
                }
                Ok((Node::Arithmetic(how, both), kinds[0]))
            }
            (operators::NEGATE, [a]) => {
                let (a, kind) = self.node(a)?;
                if !is_number(&kind) {
                    return Err(self.no_overload(at, name, &[kind]));
                }
                Ok((Node::Negative(Box::new(a)), kind))
            }
            (operators::INDEX, [list, index]) => {
                let (both, kinds) = self.two(list, index)?;
                match kinds {
                    [Type::List(of), Type::Int] => Ok((Node::Index(both), *of)),
                    _ => Err(self.no_overload(at, name, &kinds)),
                }
            }
            ("size", [a]) => {
                let (a, kind) = self.node(a)?;
                match kind {
                    Type::String | Type::List(_) => Ok((Node::Size(Box::new(a)), Type::Int)),
                    _ => Err(self.no_overload(at, name, &[kind])),
                }
            }
            ("contains" | "startsWith" | "endsWith", [a, b]) => {
                let both = [self.of(a, Type::String)?, self.of(b, Type::String)?];
                let search = match name {
                    "contains" => Search::Contains,
                    "startsWith" => Search::StartsWith,
                    _ => Search::EndsWith,
                };
                Ok((Node::Search(search, Box::new(both)), Type::Bool))
            }
            ("matches", [a, pattern]) => {
                let a = self.of(a, Type::String)?;
                let Expr::Literal(LiteralValue::String(text)) = &pattern.expr else {
                    return Err(self.mistake(
                        pattern,
                        "The regular expression is not written out",
                        "Write it in quotes: it is compiled once, before any run is read.",
                    ));
                };
                let regex = self.regex(pattern, text.inner())?;
                Ok((Node::Matches(Box::new(a), Box::new(regex)), Type::Bool))
            }
            ("double" | "int", [a]) => {
                let (a, kind) = self.node(a)?;
                if !is_number(&kind) {
                    return Err(self.no_overload(at, name, &[kind]));
                }
                Ok(match name {
                    "double" => (Node::Double64(Box::new(a)), Type::Double),
                    _ => (Node::Int64(Box::new(a)), Type::Int),
                })
            }
            _ => Err(self.unknown_function(at, name, all.len())),
        }
    }

    fn regex(&self, at: &IdedExpr, text: &str) -> Result<Regex, Mistake> {
        // In a text that is not raw, `\b` is a backspace.
        if text.chars().any(char::is_control) {
            return Err(self.mistake(
                at,
                "The regular expression has a control character",
                "Write it as `r'…'`, where a backslash is a backslash.",
            ));
        }
        let built = RegexBuilder::new(text)
            .unicode(false)
            .size_limit(REGEX)
            .dfa_size_limit(REGEX)
            .nest_limit(50)
            .build();
        built.map_err(|error| {
            let text = error.to_string();
            let line = text.lines().last().unwrap_or_default();
            let why = line.trim_start_matches("error: ");
            let message = format!("The regular expression cannot be used: {}", reason(why));
            self.mistake(at, message, "Correct the regular expression.")
        })
    }

    fn no_overload(&self, at: &IdedExpr, name: &str, kinds: &[Type]) -> Mistake {
        let name = name.trim_matches(['_', '@', '[', ']']);
        let name = name.replace("]_", "").replace("_[", "");
        let kinds: Vec<_> = kinds.iter().map(|kind| format!("`{kind}`")).collect();
        let name = if name.is_empty() { "index" } else { &name };
        self.mistake(
            at,
            format!("{} does not apply to {}", quoted(name), kinds.join(" and ")),
            "Both sides must have fitting types; `double(x)` makes a double of an int.",
        )
    }

    fn unknown_function(&self, at: &IdedExpr, name: &str, arguments: usize) -> Mistake {
        let known = [
            "size",
            "contains",
            "startsWith",
            "endsWith",
            "matches",
            "int",
            "double",
            "has",
            "all",
            "exists",
            "exists_one",
            "filter",
        ];
        let message = if known.contains(&name) {
            format!("{} does not take {arguments} values", quoted(name))
        } else {
            format!("Unknown function {}", quoted(name))
        };
        let near = nearest(name, known.iter().copied()).filter(|near| *near != name);
        let help = match near {
            Some(near) => format!("Did you mean {}?", quoted(near)),
            None => format!("The functions are {}.", known.join(", ")),
        };
        self.mistake(at, message, help)
    }

    /// A macro, which the parser has expanded to a loop. Its kind follows from the loop.
    fn each(&mut self, at: &IdedExpr, each: &ComprehensionExpr) -> Typed {
        let (list, kind) = self.node(&each.iter_range)?;
        let Type::List(of) = kind else {
            return Err(self.no_overload(at, "a macro", &[kind]));
        };
        let Expr::Call(step) = &each.loop_step.expr else {
            return Err(self.no_map(at));
        };
        let is_list = matches!(each.accu_init.expr, Expr::List(_));
        let (what, predicate) = match (step.func_name.as_str(), step.args.as_slice()) {
            (operators::LOGICAL_AND, [_, predicate]) => (Each::All, predicate),
            (operators::LOGICAL_OR, [_, predicate]) => (Each::Exists, predicate),
            (operators::CONDITIONAL, [predicate, added, _]) if is_list => {
                if !adds(added, &each.iter_var) {
                    return Err(self.no_map(at));
                }
                (Each::Filter, predicate)
            }
            (operators::CONDITIONAL, [predicate, ..]) => (Each::ExistsOne, predicate),
            _ => return Err(self.no_map(at)),
        };
        self.locals.push((each.iter_var.clone(), *of));
        let predicate = self.of(predicate, Type::Bool);
        self.locals.pop();
        let result = match what {
            Each::Filter => kind,
            _ => Type::Bool,
        };
        Ok((Node::Each(what, Box::new([list, predicate?])), result))
    }

    fn no_map(&self, at: &IdedExpr) -> Mistake {
        self.mistake(
            at,
            "Rules have no `map`",
            "Write the condition in `all`, `exists` or `filter`.",
        )
    }
}

/// Whether a step of a loop adds its own variable to the list.
fn adds(added: &IdedExpr, variable: &str) -> bool {
    let Expr::Call(call) = &added.expr else {
        return false;
    };
    let Some(Expr::List(list)) = call.args.get(1).map(|list| &list.expr) else {
        return false;
    };
    matches!(list.elements.as_slice(), [IdedExpr { expr: Expr::Ident(name), .. }] if name == variable)
}

fn is_number(kind: &Type) -> bool {
    matches!(kind, Type::Int | Type::Double)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_that_is_too_long_or_too_deep_is_refused() {
        let many = |piece: &str, count: usize| piece.repeat(count);
        for text in [
            many("(", 1_000) + "true" + &many(")", 990),
            many("!", 1_900) + "true",
            "1".to_owned() + &many(" + 1", 490) + " == 1",
            "run.cost < ".to_owned() + &many("-", 1_900) + "1",
            many("true ? ", 200) + "true" + &many(" : false", 70),
            many("[", 900) + &many("]", 900),
            "run".to_owned() + &many(".id", 600),
            many("run.steps.all(x, ", 60) + "true" + &many(")", 60),
            many("a", 2_001),
            "'".to_owned() + &many("x", 1_000),
            many("{", 1_500),
            many("has(", 300),
        ] {
            let refused = Expression::parse(&text, true);
            assert!(refused.is_err(), "{text}");
        }
        let many = vec!["run.id == 'x'"; 100].join(" || ");
        assert!(Expression::parse(&many, false).is_ok());
    }

    #[test]
    fn a_mistake_has_its_place_also_after_other_letters() {
        for (text, marked) in [
            ("run.id == 'äöü😀' && run.costs < 1.0", "costs"),
            ("'äöü😀' == evnt.ok", "evnt"),
            ("run.id.matches('[')", "'['"),
            ("'ä' == run.id && && true", "&"),
        ] {
            let mistake = Expression::parse(text, true).expect_err("a mistake");
            assert_eq!(text.get(mistake.span.clone()), Some(marked), "{mistake:?}");
        }
    }
}
