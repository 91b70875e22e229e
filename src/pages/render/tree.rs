//! Renders a tree of recorded values as HTML: all text escaped, and long parts collapsed.

use serde::{Serialize, Serializer};

use crate::view::tree::Tree;

use markup::Html;
use markup::escape::push_text;

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
    use crate::view::tree::tree;
    use formats::json::Node;
    use formats::model::value::Value;

    fn html(json: &str) -> String {
        let value = Value::of(Node::parse(json).expect("valid"));
        {
            let mut out = String::new();
            super::push(&mut out, &tree(&value));
            out
        }
    }

    #[test]
    fn values_of_every_kind_are_shown_and_null_is_not_zero() {
        let html = html(r#"{"a":null,"b":0,"c":true,"d":"x","e":[1,2],"f":[],"g":{"h":1.50}}"#);
        for part in [
            "<dt>a</dt><dd><abbr class=\"unknown\" title=\"not recorded\">—</abbr></dd>",
            "<dt>b</dt><dd>0</dd>",
            "<dt>c</dt><dd><span class=\"plain\">yes</span></dd>",
            "<dt>e</dt><dd>1, 2</dd>",
            "<dt>f</dt><dd><span class=\"fact\">none</span></dd>",
            "<dt>h</dt><dd>1.50</dd>",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
    }

    #[test]
    fn keys_and_texts_are_escaped() {
        let html = html(r#"{"<script>":"<img src=x onerror=alert(1)>","l":["</dd>","b"]}"#);
        assert!(
            !html.contains("<script") && !html.contains("<img"),
            "{html}"
        );
        assert!(html.contains("&lt;/dd&gt;"), "{html}");
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
