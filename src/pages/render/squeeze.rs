//! Removes parts of built-in templates that browsers do not need: quotes around plain values, and end tags that the next tag
//! implies. The template sources keep both for readability.

/// End tags that are always optional. End tags of rows stay: a line break after one would become part of its last cell.
const IMPLIED: [&str; 5] = ["</td>", "</th>", "</dt>", "</dd>", "</li>"];

/// Shortens a template without changing the page.
pub(super) fn squeezed(template: &str) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    let mut is_tag = false;
    while let Some(at) = rest.find(['<', '>', '{', '=']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = if let Some(length) = of_tera(rest) {
            length
        } else if let Some(implied) = IMPLIED.iter().find(|tag| rest.starts_with(**tag)) {
            rest = &rest[implied.len()..];
            continue;
        } else if let Some(value) = plain_value(rest).filter(|_| is_tag) {
            out.push('=');
            out.push_str(value);
            rest = &rest["=\"\"".len() + value.len()..];
            continue;
        } else {
            match rest.as_bytes()[0] {
                b'<' => is_tag = true,
                b'>' => is_tag = false,
                _ => {}
            }
            1
        };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// The length of a Tera tag.
fn of_tera(text: &str) -> Option<usize> {
    let ends = [("{{", "}}"), ("{%", "%}"), ("{#", "#}")];
    let (_, end) = ends.iter().find(|(start, _)| text.starts_with(start))?;
    Some(text.find(end)? + end.len())
}

/// The value of `="value"`, if it needs no quotes. Before a slash it would not end.
fn plain_value(text: &str) -> Option<&str> {
    let (value, after) = text.strip_prefix("=\"")?.split_once('"')?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.:#,+".contains(c);
    (!value.is_empty() && value.chars().all(is_plain) && !after.starts_with('/')).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::squeezed;

    #[test]
    fn quotes_and_implied_end_tags_are_left_out_and_what_tera_reads_is_not() {
        for (template, small) in [
            (
                "<ul class=\"links\">\n<li>a</li>\n<li class=\"a b\">b</li></ul>",
                "<ul class=links>\n<li>a\n<li class=\"a b\">b</ul>",
            ),
            (
                "<tr><th scope=\"row\">a</th><td>{{ x }}</td></tr>",
                "<tr><th scope=row>a<td>{{ x }}</tr>",
            ),
            (
                "<a href=\"{{ a }}\"{% if b == \"c\" %} rel=\"d\"{% endif %}>",
                "<a href=\"{{ a }}\"{% if b == \"c\" %} rel=d{% endif %}>",
            ),
            ("<rect x=\"1\" y=\"2\"/>", "<rect x=1 y=\"2\"/>"),
            ("<p title=\"\">a=\"b\"</p>", "<p title=\"\">a=\"b\"</p>"),
            (
                "{{ <when when={a} as=\"b\"/> }} {# </li> #} <b",
                "{{ <when when={a} as=\"b\"/> }} {# </li> #} <b",
            ),
        ] {
            assert_eq!(squeezed(template), small);
        }
    }
}
