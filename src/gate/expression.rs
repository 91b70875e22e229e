//! Expressions in CEL: parsed by the crate `cel`, then checked for names and types, so that an error is found in the file of the rule
//! and not in a run.
//!
//! An expression has those functions of CEL's standard library that read values. None of them makes texts or lists longer than those
//! of the run, so the memory of an evaluation is bounded by what was recorded.

use std::ops::Range;

use base::diagnostics::text::{quoted, reason};
use cel::parser::Parser;
use regex::bytes::Regex;

use crate::variables::{ExprField, ExprType};

mod compile;

use compile::Compiler;

/// Maximum length of an expression in bytes.
const LENGTH: usize = 2_000;
/// Maximum nesting of the parts of an expression.
const DEPTH: usize = 60;

/// A checked expression that is true or false.
#[derive(Debug)]
pub struct Expression {
    pub(crate) root: ExprNode,
    /// Whether it reads all that an event says.
    pub(crate) reads_text: bool,
}

/// A syntax or type error in an expression.
#[derive(Debug)]
pub struct ExpressionError {
    /// Its bytes in the expression.
    pub span: Range<usize>,
    pub message: String,
    pub help: String,
}

/// A part of an expression.
#[derive(Debug)]
pub(crate) enum ExprNode {
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(String),
    List(Vec<ExprNode>),
    Event,
    Run,
    Site,
    /// The variable of a macro, by its depth.
    Local(usize),
    Field(Box<ExprNode>, &'static ExprField),
    /// Whether a field was recorded.
    Has(Box<ExprNode>, &'static ExprField),
    Not(Box<ExprNode>),
    And(Box<[ExprNode; 2]>),
    Or(Box<[ExprNode; 2]>),
    If(Box<[ExprNode; 3]>),
    Equal(Box<[ExprNode; 2]>),
    Compare(Comparison, Box<[ExprNode; 2]>),
    In(Box<[ExprNode; 2]>),
    Arithmetic(Arithmetic, Box<[ExprNode; 2]>),
    Negative(Box<ExprNode>),
    Index(Box<[ExprNode; 2]>),
    Size(Box<ExprNode>),
    Search(TextSearch, Box<[ExprNode; 2]>),
    Matches(Box<ExprNode>, Box<Regex>),
    ToDouble(Box<ExprNode>),
    ToInt(Box<ExprNode>),
    Macro(ListMacro, Box<[ExprNode; 2]>),
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Comparison {
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
pub(crate) enum TextSearch {
    Contains,
    StartsWith,
    EndsWith,
}

/// A macro over a list.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ListMacro {
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

/// The message of the parser, without the list of everything that could follow.
fn syntax_message(message: &str) -> String {
    let message = message.trim_start_matches("Syntax error: ");
    let found = message.split(" expecting ").next().unwrap_or(message);
    match found.split_once(" input '") {
        Some((_, "<EOF>'")) => "it ends too early".to_owned(),
        Some((_, token)) => format!("unexpected {}", quoted(token.trim_end_matches('\''))),
        None => reason(found),
    }
}

impl Expression {
    /// Reads an expression, which may read `event` if `has_event`.
    pub fn parse(text: &str, has_event: bool) -> Result<Self, ExpressionError> {
        let whole = |message: String, help: &str| ExpressionError {
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
            ExpressionError {
                span: at..text.len().min(at + 1),
                message: format!(
                    "The expression is not valid CEL: {}",
                    syntax_message(&message)
                ),
                help: if text.contains('\\') {
                    "Write a regular expression as `r'…'`, where a backslash is a backslash."
                        .to_owned()
                } else {
                    "Correct the expression here.".to_owned()
                },
            }
        })?;
        let mut compiler = Compiler {
            text,
            places: &places,
            has_event,
            locals: Vec::new(),
            reads_text: false,
            depth: 0,
        };
        let (root, kind) = compiler.node(&tree)?;
        if kind != ExprType::Bool {
            return Err(compiler.error(
                &tree,
                format!("The expression is of type `{kind}`, but must be true or false"),
                "Compare it with a value.",
            ));
        }
        Ok(Self {
            root,
            reads_text: compiler.reads_text,
        })
    }
}

/// An upper limit of how deep a text is nested: its brackets and its operators, since `a + b + c` is nested, too.
fn depth(text: &str) -> usize {
    let mut open_quote = None;
    let mut count = 0;
    let mut before = ' ';
    for character in text.chars() {
        match open_quote {
            Some(quote) if character == quote && before != '\\' => open_quote = None,
            Some(_) => {}
            None if matches!(character, '"' | '\'') => open_quote = Some(character),
            None => {
                let is_nested = matches!(
                    character,
                    '(' | '[' | '{' | '+' | '-' | '*' | '/' | '%' | '!' | '.' | '?' | '<' | '>'
                );
                count += usize::from(is_nested);
            }
        }
        before = character;
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
    fn an_error_has_its_place_also_after_other_letters() {
        for (text, marked) in [
            ("run.id == 'äöü😀' && run.costs < 1.0", "costs"),
            ("'äöü😀' == evnt.ok", "evnt"),
            ("run.id.matches('[')", "'['"),
            ("'ä' == run.id && && true", "&"),
        ] {
            let error = Expression::parse(text, true).expect_err("an error");
            assert_eq!(text.get(error.span.clone()), Some(marked), "{error:?}");
        }
    }
}
