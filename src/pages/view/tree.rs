//! A part of a record without a defined shape, for display: names and values, lists, small tables. Templates get HTML, with all
//! text escaped and long parts collapsed.

use serde::{Serialize, Serializer};

use formats::model::value::{JsonExcerpt, TextExcerpt};
use markup::Html;
use markup::escape::push_text;

use super::format;

/// A value for display.
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

pub fn tree(value: &JsonExcerpt) -> Tree {
    match value {
        JsonExcerpt::Null => Tree::Unknown,
        JsonExcerpt::Bool(yes) => Tree::Words(if *yes { "yes" } else { "no" }.to_owned()),
        JsonExcerpt::Number(digits) => Tree::Number(digits.clone()),
        JsonExcerpt::Text(text) => words(text),
        JsonExcerpt::Cut => Tree::Cut,
        JsonExcerpt::Map(members, more) if members.is_empty() => left_out(*more, "key"),
        JsonExcerpt::List(items, more) if items.is_empty() => left_out(*more, "item"),
        JsonExcerpt::Map(members, more) => {
            let facts = members
                .iter()
                .map(|(key, value)| (key.clone(), tree(value)));
            Tree::Facts(facts.collect(), rest(*more, "key"))
        }
        JsonExcerpt::List(items, more) => list(items, rest(*more, "item")),
    }
}

/// A text: inline or collapsed.
pub fn words(text: &TextExcerpt) -> Tree {
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

fn list(items: &[JsonExcerpt], more: Option<String>) -> Tree {
    if let Some(line) = items.iter().map(short).collect::<Option<Vec<_>>>() {
        return Tree::Line(line, more);
    }
    if let Some((heads, rows)) = table(items) {
        return Tree::Table(heads, rows, more);
    }
    Tree::List(items.iter().map(tree).collect(), more)
}

/// A value that is short enough for a line with others.
fn short(value: &JsonExcerpt) -> Option<String> {
    match value {
        JsonExcerpt::Number(digits) => Some(digits.clone()),
        JsonExcerpt::Bool(yes) => Some(if *yes { "yes" } else { "no" }.to_owned()),
        JsonExcerpt::Text(text) if text.of.is_none() && text.text.chars().count() <= 40 => {
            Some(text.text.clone())
        }
        _ => None,
    }
}

/// Objects with few keys become rows; the columns are all their keys, in order of first appearance.
fn table(items: &[JsonExcerpt]) -> Option<(Vec<String>, Vec<Vec<Tree>>)> {
    let objects = items.iter().map(|item| match item {
        JsonExcerpt::Map(members, 0) => Some(members.as_slice()),
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
    let row = |members: &&[(String, JsonExcerpt)]| {
        let cell = |head: &&str| {
            let found = members.iter().find(|(key, _)| key == head);
            found.map_or(Tree::Unknown, |(_, value)| tree(value))
        };
        heads.iter().map(cell).collect()
    };
    let rows = objects.iter().map(row).collect();
    Some((heads.into_iter().map(str::to_owned).collect(), rows))
}

/// Serializes as HTML, wherever a template prints it.
impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = String::new();
        push(&mut out, self);
        Html::finished(out).serialize(serializer)
    }
}

fn push(out: &mut String, tree: &Tree) {
    match tree {
        Tree::Unknown => {
            out.push_str("<abbr class=\"unknown\" title=\"not recorded\">—</abbr>");
        }
        Tree::Empty => out.push_str("<span class=\"fact\">none</span>"),
        Tree::Words(words) => {
            out.push_str("<span class=\"plain\">");
            push_text(out, words);
            out.push_str("</span>");
        }
        Tree::Number(digits) => push_text(out, digits),
        Tree::Long(fold, text) => {
            out.push_str("<details><summary>");
            push_text(out, fold);
            out.push_str("</summary><pre>");
            push_text(out, text);
            out.push_str("</pre></details>");
        }
        Tree::Line(words, more) => {
            for (index, word) in words.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                push_text(out, word);
            }
            push_more(out, more.as_deref());
        }
        Tree::Facts(facts, more) => {
            out.push_str("<dl class=\"tree\">");
            for (name, value) in facts {
                out.push_str("<div><dt>");
                push_text(out, name);
                out.push_str("</dt><dd>");
                push(out, value);
                out.push_str("</dd></div>");
            }
            out.push_str("</dl>");
            push_more(out, more.as_deref());
        }
        Tree::Table(heads, rows, more) => push_table(out, heads, rows, more.as_deref()),
        Tree::List(items, more) => {
            out.push_str("<ol class=\"tree\">");
            for item in items {
                out.push_str("<li>");
                push(out, item);
                out.push_str("</li>");
            }
            out.push_str("</ol>");
            push_more(out, more.as_deref());
        }
        Tree::Cut => out.push_str("<span class=\"fact\">more in run.json</span>"),
    }
}

fn push_table(out: &mut String, heads: &[String], rows: &[Vec<Tree>], more: Option<&str>) {
    out.push_str("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\">");
    out.push_str("<table class=\"tree\"><thead><tr>");
    for head in heads {
        out.push_str("<th scope=\"col\">");
        push_text(out, head);
        out.push_str("</th>");
    }
    out.push_str("</tr></thead><tbody>");
    for row in rows {
        out.push_str("<tr>");
        for cell in row {
            out.push_str("<td>");
            push(out, cell);
            out.push_str("</td>");
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table></div>");
    push_more(out, more);
}

fn push_more(out: &mut String, more: Option<&str>) {
    if let Some(more) = more {
        out.push_str(" <span class=\"fact\">");
        push_text(out, more);
        out.push_str("</span>");
    }
}

#[cfg(test)]
mod tests {
    use formats::json::Node;

    use super::*;

    fn html(json: &str) -> String {
        let mut out = String::new();
        push(
            &mut out,
            &tree(&JsonExcerpt::of(Node::parse(json).expect("valid"))),
        );
        out
    }

    #[test]
    fn values_of_every_kind_are_shown_and_null_is_not_zero() {
        let html = html(r#"{"a":null,"b":0,"c":true,"d":"x","e":[1,2],"f":[],"g":{"h":1.50}}"#);
        for part in [
            "<dt>a</dt><dd><abbr class=\"unknown\" title=\"not recorded\">—</abbr></dd>",
            "<dt>b</dt><dd>0</dd>",
            "<dt>c</dt><dd><span class=\"plain\">yes</span></dd>",
            "<dt>d</dt><dd><span class=\"plain\">x</span></dd>",
            "<dt>e</dt><dd>1, 2</dd>",
            "<dt>f</dt><dd><span class=\"fact\">none</span></dd>",
            "<dt>h</dt><dd>1.50</dd>",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
    }

    #[test]
    fn only_a_text_that_is_short_and_on_one_line_is_not_folded() {
        for text in ["two\\nlines", "{ a document", &"long ".repeat(40)] {
            let html = html(&format!("{{\"a\":\"{text}\"}}"));
            assert!(html.contains("<dt>a</dt><dd><details><summary>"), "{html}");
        }
    }

    #[test]
    fn keys_and_texts_are_escaped() {
        let html = html(r#"{"<script>":"<img src=x onerror=alert(1)>","l":["</dd>","b"]}"#);
        assert!(
            !html.contains("<script") && !html.contains("<img"),
            "{html}"
        );
        assert!(html.contains("&lt;/dd>"), "{html}");
    }

    #[test]
    fn objects_of_one_shape_are_rows_of_a_table() {
        let html = html(r#"[{"n":1,"ok":true},{"n":2}]"#);
        assert!(
            html.contains("<th scope=\"col\">n</th><th scope=\"col\">ok</th>"),
            "{html}"
        );
        assert!(html.contains("<td>2</td><td><abbr"), "{html}");
    }
}
