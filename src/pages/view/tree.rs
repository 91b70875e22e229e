//! The display form of a record's part without a defined shape: names and values, lists, small tables.

use formats::model::value::{Excerpt, Value};

use super::format;

/// A value for display. `render` converts it to HTML for templates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tree {
    /// Null: not recorded.
    Unknown,
    /// An empty value: `none`.
    Empty,
    /// A short text.
    Words(String),
    /// A number, with the digits of the record.
    Number(String),
    /// A long text, initially collapsed: its summary, and the text.
    Long(String, String),
    /// Short values on one line.
    Line(Vec<String>, Option<String>),
    /// Names and values, and a note about omitted ones.
    Facts(Vec<(String, Tree)>, Option<String>),
    /// Objects of one shape: the column heads, the rows, and a note about omitted ones.
    Table(Vec<String>, Vec<Vec<Tree>>, Option<String>),
    /// Items, and a note about omitted ones.
    List(Vec<Tree>, Option<String>),
    /// Too large for a page.
    Cut,
}

impl Tree {
    /// Nothing, without a word for it.
    pub const NOTHING: Self = Self::Line(Vec::new(), None);
}

/// Maximum characters of a text shown inline; a longer one is collapsed.
const SHORT: usize = 160;
/// Maximum columns of a table; objects with more are lists of facts.
const COLUMNS: usize = 7;

pub fn tree(value: &Value) -> Tree {
    match value {
        Value::Null => Tree::Unknown,
        Value::Bool(yes) => Tree::Words(if *yes { "yes" } else { "no" }.to_owned()),
        Value::Number(digits) => Tree::Number(digits.clone()),
        Value::Text(text) => words(text),
        Value::Cut => Tree::Cut,
        Value::Map(members, more) if members.is_empty() => left_out(*more, "key"),
        Value::List(items, more) if items.is_empty() => left_out(*more, "item"),
        Value::Map(members, more) => {
            let facts = members
                .iter()
                .map(|(key, value)| (key.clone(), tree(value)));
            Tree::Facts(facts.collect(), rest(*more, "key"))
        }
        Value::List(items, more) => list(items, rest(*more, "item")),
    }
}

/// A text: inline or collapsed.
pub fn words(text: &Excerpt) -> Tree {
    // A document inside a document is not readable inline.
    let document = text.text.starts_with(['{', '[']);
    let long = document
        || text.of.is_some()
        || text.text.contains('\n')
        || text.text.chars().nth(SHORT).is_some();
    if text.text.is_empty() {
        return Tree::Empty;
    }
    if !long {
        return Tree::Words(text.text.clone());
    }
    let count = text.text.chars().count();
    let fold = match text.of {
        Some(all) => format!(
            "the first {} of {}; run.json has the full text",
            format::grouped(count),
            format::count(all, "character")
        ),
        None => format::count(count, "character"),
    };
    Tree::Long(fold, text.text.clone())
}

fn left_out(more: usize, noun: &str) -> Tree {
    if more == 0 {
        Tree::Empty
    } else {
        Tree::Words(format!("{}, in run.json", format::count(more, noun)))
    }
}

fn rest(more: usize, noun: &str) -> Option<String> {
    (more > 0).then(|| format!("{} more in run.json", format::count(more, noun)))
}

fn list(items: &[Value], more: Option<String>) -> Tree {
    if let Some(line) = items.iter().map(short).collect::<Option<Vec<_>>>() {
        return Tree::Line(line, more);
    }
    if let Some((heads, rows)) = table(items) {
        return Tree::Table(heads, rows, more);
    }
    Tree::List(items.iter().map(tree).collect(), more)
}

/// A value that is short enough for a line with others.
fn short(value: &Value) -> Option<String> {
    match value {
        Value::Number(digits) => Some(digits.clone()),
        Value::Bool(yes) => Some(if *yes { "yes" } else { "no" }.to_owned()),
        Value::Text(text) if text.of.is_none() && text.text.chars().count() <= 40 => {
            Some(text.text.clone())
        }
        _ => None,
    }
}

/// Objects with few keys become rows; the columns are all their keys, in order of first appearance.
fn table(items: &[Value]) -> Option<(Vec<String>, Vec<Vec<Tree>>)> {
    let objects = items.iter().map(|item| match item {
        Value::Map(members, 0) => Some(members.as_slice()),
        _ => None,
    });
    let objects: Vec<_> = objects.collect::<Option<_>>()?;
    let mut heads: Vec<&str> = Vec::new();
    for members in &objects {
        for (key, _) in *members {
            if !heads.contains(&key.as_str()) {
                heads.push(key);
            }
        }
    }
    if items.len() < 2 || heads.is_empty() || heads.len() > COLUMNS {
        return None;
    }
    let row = |members: &&[(String, Value)]| {
        let cell = |head: &&str| {
            let found = members.iter().find(|(key, _)| key == head);
            found.map_or(Tree::Unknown, |(_, value)| tree(value))
        };
        heads.iter().map(cell).collect()
    };
    let rows = objects.iter().map(row).collect();
    Some((heads.into_iter().map(str::to_owned).collect(), rows))
}
