//! Checks the names and types of a parsed expression, and makes nodes of it that read the model.

use base::diagnostics::text::{did_you_mean, nearest, quoted, reason};
use cel::common::ast::{CallExpr, ComprehensionExpr, Expr, IdedExpr, LiteralValue, SourceInfo};
use cel::common::ast::{SelectExpr, operators};
use regex::bytes::{Regex, RegexBuilder};

use super::{Arithmetic, Comparison, DEPTH, ExprNode, ExpressionError, ListMacro, TextSearch};
use crate::variables::{EVENT, ExprType, RUN, SITE};

/// Maximum memory of a compiled regular expression in bytes.
const REGEX: usize = 1 << 20;

/// Compiles a parsed expression.
pub(super) struct Compiler<'a> {
    pub(super) text: &'a str,
    pub(super) places: &'a SourceInfo,
    pub(super) has_event: bool,
    /// The variables of macros around the node, outermost first.
    pub(super) locals: Vec<(String, ExprType)>,
    pub(super) reads_text: bool,
    pub(super) depth: usize,
}

type CompileResult = Result<(ExprNode, ExprType), ExpressionError>;

impl Compiler<'_> {
    pub(super) fn error(
        &self,
        at: &IdedExpr,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> ExpressionError {
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
        ExpressionError {
            span: start..end,
            message: message.into(),
            help: help.into(),
        }
    }

    pub(super) fn node(&mut self, at: &IdedExpr) -> CompileResult {
        self.depth += 1;
        if self.depth > DEPTH * 4 {
            return Err(self.error(
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
            Expr::Comprehension(each) => self.list_macro(at, each),
            Expr::Map(_) | Expr::Struct(_) | Expr::Unspecified => Err(self.error(
                at,
                "Expressions of rules have no maps and no messages",
                "Compare fields one by one.",
            )),
        };
        self.depth -= 1;
        made
    }

    fn literal(&self, at: &IdedExpr, literal: &LiteralValue) -> CompileResult {
        Ok(match literal {
            LiteralValue::Boolean(value) => (ExprNode::Bool(*value.inner()), ExprType::Bool),
            LiteralValue::Int(value) => (ExprNode::Int(*value.inner()), ExprType::Int),
            LiteralValue::Double(value) => (ExprNode::Double(*value.inner()), ExprType::Double),
            LiteralValue::String(value) => {
                (ExprNode::Text(value.inner().to_owned()), ExprType::String)
            }
            LiteralValue::Bytes(_) | LiteralValue::UInt(_) | LiteralValue::Null => {
                return Err(self.error(
                    at,
                    "Values of rules are never null, unsigned or bytes",
                    "Write `has(event.path)` to ask whether a value was recorded.",
                ));
            }
        })
    }

    fn variable(&self, at: &IdedExpr, name: &str) -> CompileResult {
        let locals = self.locals.iter().enumerate().rev();
        let local = locals.into_iter().find(|(_, (local, _))| local == name);
        if let Some((depth, (_, kind))) = local {
            return Ok((ExprNode::Local(depth), *kind));
        }
        match name {
            "event" if !self.has_event => Err(self.error(
                at,
                "An expression of `require` has no `event`",
                "Write a rule with `find` and `expect`, or use a count of `run`, such as `run.failures`.",
            )),
            "event" => Ok((ExprNode::Event, ExprType::Object(&EVENT))),
            "run" => Ok((ExprNode::Run, ExprType::Object(&RUN))),
            "site" => Ok((ExprNode::Site, ExprType::Object(&SITE))),
            _ => {
                let names: &[&str] = if self.has_event {
                    &["event", "run", "site"]
                } else {
                    &["run", "site"]
                };
                let variables = format!("The variables here are {}.", names.join(", "));
                let help = did_you_mean(name, names.iter().copied(), &variables);
                Err(self.error(at, format!("Unknown variable {}", quoted(name)), help))
            }
        }
    }

    fn field(&mut self, at: &IdedExpr, select: &SelectExpr) -> CompileResult {
        let (operand, kind) = self.node(&select.operand)?;
        let ExprType::Object(object) = kind else {
            return Err(self.error(
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
            let fields = names.clone().collect::<Vec<_>>().join(", ");
            let help = did_you_mean(&select.field, names, &format!("Its fields are {fields}."));
            let message = format!("`{}` has no field {}", object.name, quoted(&select.field));
            return Err(self.error(at, message, help));
        };
        self.reads_text |= field.path == "event.text";
        let operand = Box::new(operand);
        Ok(if select.test {
            (ExprNode::Has(operand, field), ExprType::Bool)
        } else {
            (ExprNode::Field(operand, field), field.kind)
        })
    }

    fn list(&mut self, at: &IdedExpr, items: &[IdedExpr]) -> CompileResult {
        let mut nodes = Vec::new();
        let mut common = None;
        for item in items {
            let (node, kind) = self.node(item)?;
            if *common.get_or_insert(kind) != kind {
                return Err(self.error(
                    item,
                    "The items of a list have different types",
                    "Write items of one type.",
                ));
            }
            nodes.push(node);
        }
        let kind = match common {
            Some(ExprType::Bool) => ExprType::List(&ExprType::Bool),
            Some(ExprType::Int) => ExprType::List(&ExprType::Int),
            Some(ExprType::Double) => ExprType::List(&ExprType::Double),
            Some(ExprType::String) => ExprType::List(&ExprType::String),
            Some(ExprType::List(_) | ExprType::Object(_)) | None => {
                return Err(self.error(
                    at,
                    "A list has texts or numbers",
                    "Write at least one text or number between the brackets.",
                ));
            }
        };
        Ok((ExprNode::List(nodes), kind))
    }

    fn operands(
        &mut self,
        first: &IdedExpr,
        second: &IdedExpr,
    ) -> Result<(Box<[ExprNode; 2]>, [ExprType; 2]), ExpressionError> {
        let (a, first) = self.node(first)?;
        let (b, second) = self.node(second)?;
        Ok((Box::new([a, b]), [first, second]))
    }

    /// A node that must have the type `expected`.
    fn of_type(&mut self, at: &IdedExpr, expected: ExprType) -> Result<ExprNode, ExpressionError> {
        let (node, kind) = self.node(at)?;
        if kind == expected {
            return Ok(node);
        }
        let message = format!("This is of type `{kind}`, but `{expected}` is needed");
        Err(self.error(at, message, "Correct the expression here."))
    }

    /// A call of a function or an operator.
    fn call(&mut self, at: &IdedExpr, call: &CallExpr) -> CompileResult {
        let of = call.target.as_deref().into_iter();
        let all: Vec<&IdedExpr> = of.chain(&call.args).collect();
        let name = call.func_name.as_str();
        match (name, all.as_slice()) {
            (operators::LOGICAL_NOT, [a]) => Ok((
                ExprNode::Not(Box::new(self.of_type(a, ExprType::Bool)?)),
                ExprType::Bool,
            )),
            (operators::LOGICAL_AND, [a, b]) => {
                let both = [
                    self.of_type(a, ExprType::Bool)?,
                    self.of_type(b, ExprType::Bool)?,
                ];
                Ok((ExprNode::And(Box::new(both)), ExprType::Bool))
            }
            (operators::LOGICAL_OR, [a, b]) => {
                let both = [
                    self.of_type(a, ExprType::Bool)?,
                    self.of_type(b, ExprType::Bool)?,
                ];
                Ok((ExprNode::Or(Box::new(both)), ExprType::Bool))
            }
            (operators::CONDITIONAL, [condition, a, b]) => {
                let condition = self.of_type(condition, ExprType::Bool)?;
                let (a, kind) = self.node(a)?;
                let b = self.of_type(b, kind)?;
                Ok((ExprNode::If(Box::new([condition, a, b])), kind))
            }
            (operators::EQUALS | operators::NOT_EQUALS, [a, b]) => {
                let (both, kinds) = self.operands(a, b)?;
                let is_scalar = !matches!(kinds[0], ExprType::Object(_));
                if !is_scalar || !(kinds[0] == kinds[1] || kinds.iter().all(is_number)) {
                    return Err(self.no_overload(at, name, &kinds));
                }
                let equal = ExprNode::Equal(both);
                let equal = match name {
                    operators::EQUALS => equal,
                    _ => ExprNode::Not(Box::new(equal)),
                };
                Ok((equal, ExprType::Bool))
            }
            (
                operators::LESS
                | operators::LESS_EQUALS
                | operators::GREATER
                | operators::GREATER_EQUALS,
                [a, b],
            ) => {
                let (both, kinds) = self.operands(a, b)?;
                let order = match name {
                    operators::LESS => Comparison::Less,
                    operators::LESS_EQUALS => Comparison::LessOrEqual,
                    operators::GREATER => Comparison::Greater,
                    _ => Comparison::GreaterOrEqual,
                };
                if !kinds.iter().all(is_number) && kinds != [ExprType::String; 2] {
                    return Err(self.no_overload(at, name, &kinds));
                }
                Ok((ExprNode::Compare(order, both), ExprType::Bool))
            }
            (operators::IN, [item, list]) => {
                let (both, kinds) = self.operands(item, list)?;
                match kinds {
                    [kind, ExprType::List(of)]
                        if kind == *of || is_number(&kind) && is_number(of) =>
                    {
                        Ok((ExprNode::In(both), ExprType::Bool))
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
                let (both, kinds) = self.operands(a, b)?;
                let (how, of_doubles) = match name {
                    operators::ADD => (Arithmetic::Add, true),
                    operators::SUBSTRACT => (Arithmetic::Subtract, true),
                    operators::MULTIPLY => (Arithmetic::Multiply, true),
                    operators::DIVIDE => (Arithmetic::Divide, true),
                    _ => (Arithmetic::Modulo, false),
                };
                if kinds != [ExprType::Int; 2] && !(of_doubles && kinds == [ExprType::Double; 2]) {
                    return Err(self.no_overload(at, name, &kinds));
                }
                Ok((ExprNode::Arithmetic(how, both), kinds[0]))
            }
            (operators::NEGATE, [a]) => {
                let (a, kind) = self.node(a)?;
                if !is_number(&kind) {
                    return Err(self.no_overload(at, name, &[kind]));
                }
                Ok((ExprNode::Negative(Box::new(a)), kind))
            }
            (operators::INDEX, [list, index]) => {
                let (both, kinds) = self.operands(list, index)?;
                match kinds {
                    [ExprType::List(of), ExprType::Int] => Ok((ExprNode::Index(both), *of)),
                    _ => Err(self.no_overload(at, name, &kinds)),
                }
            }
            _ => self.function(at, name, &all),
        }
    }

    /// A call of a function by its name.
    fn function(&mut self, at: &IdedExpr, name: &str, all: &[&IdedExpr]) -> CompileResult {
        match (name, all) {
            ("size", [a]) => {
                let (a, kind) = self.node(a)?;
                match kind {
                    ExprType::String | ExprType::List(_) => {
                        Ok((ExprNode::Size(Box::new(a)), ExprType::Int))
                    }
                    _ => Err(self.no_overload(at, name, &[kind])),
                }
            }
            ("contains" | "startsWith" | "endsWith", [a, b]) => {
                let both = [
                    self.of_type(a, ExprType::String)?,
                    self.of_type(b, ExprType::String)?,
                ];
                let search = match name {
                    "contains" => TextSearch::Contains,
                    "startsWith" => TextSearch::StartsWith,
                    _ => TextSearch::EndsWith,
                };
                Ok((ExprNode::Search(search, Box::new(both)), ExprType::Bool))
            }
            ("matches", [a, pattern]) => {
                let a = self.of_type(a, ExprType::String)?;
                let Expr::Literal(LiteralValue::String(text)) = &pattern.expr else {
                    return Err(self.error(
                        pattern,
                        "The regular expression is not written out",
                        "Write it in quotes: it is compiled once, before any run is read.",
                    ));
                };
                let regex = self.regex(pattern, text.inner())?;
                Ok((
                    ExprNode::Matches(Box::new(a), Box::new(regex)),
                    ExprType::Bool,
                ))
            }
            ("double" | "int", [a]) => {
                let (a, kind) = self.node(a)?;
                if !is_number(&kind) {
                    return Err(self.no_overload(at, name, &[kind]));
                }
                Ok(match name {
                    "double" => (ExprNode::ToDouble(Box::new(a)), ExprType::Double),
                    _ => (ExprNode::ToInt(Box::new(a)), ExprType::Int),
                })
            }
            _ => Err(self.unknown_function(at, name, all.len())),
        }
    }

    fn regex(&self, at: &IdedExpr, text: &str) -> Result<Regex, ExpressionError> {
        // In a text that is not raw, `\b` is a backspace.
        if text.chars().any(char::is_control) {
            return Err(self.error(
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
            self.error(at, message, "Correct the regular expression.")
        })
    }

    fn no_overload(&self, at: &IdedExpr, name: &str, kinds: &[ExprType]) -> ExpressionError {
        let name = name.trim_matches(['_', '@', '[', ']']);
        let name = name.replace("]_", "").replace("_[", "");
        let kinds: Vec<_> = kinds.iter().map(|kind| format!("`{kind}`")).collect();
        let name = if name.is_empty() { "index" } else { &name };
        self.error(
            at,
            format!("{} does not apply to {}", quoted(name), kinds.join(" and ")),
            "Both sides must have fitting types; `double(x)` makes a double of an int.",
        )
    }

    fn unknown_function(&self, at: &IdedExpr, name: &str, arguments: usize) -> ExpressionError {
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
        self.error(at, message, help)
    }

    /// A macro, which the parser has expanded to a loop. The step of the loop shows which macro it is.
    fn list_macro(&mut self, at: &IdedExpr, each: &ComprehensionExpr) -> CompileResult {
        let (list, kind) = self.node(&each.iter_range)?;
        let ExprType::List(of) = kind else {
            return Err(self.no_overload(at, "a macro", &[kind]));
        };
        let Expr::Call(step) = &each.loop_step.expr else {
            return Err(self.no_map(at));
        };
        let is_list = matches!(each.accu_init.expr, Expr::List(_));
        let (what, predicate) = match (step.func_name.as_str(), step.args.as_slice()) {
            (operators::LOGICAL_AND, [_, predicate]) => (ListMacro::All, predicate),
            (operators::LOGICAL_OR, [_, predicate]) => (ListMacro::Exists, predicate),
            (operators::CONDITIONAL, [predicate, added, _]) if is_list => {
                if !adds(added, &each.iter_var) {
                    return Err(self.no_map(at));
                }
                (ListMacro::Filter, predicate)
            }
            (operators::CONDITIONAL, [predicate, ..]) => (ListMacro::ExistsOne, predicate),
            _ => return Err(self.no_map(at)),
        };
        self.locals.push((each.iter_var.clone(), *of));
        let predicate = self.of_type(predicate, ExprType::Bool);
        self.locals.pop();
        let result = match what {
            ListMacro::Filter => kind,
            _ => ExprType::Bool,
        };
        Ok((ExprNode::Macro(what, Box::new([list, predicate?])), result))
    }

    fn no_map(&self, at: &IdedExpr) -> ExpressionError {
        self.error(
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

fn is_number(kind: &ExprType) -> bool {
    matches!(kind, ExprType::Int | ExprType::Double)
}
