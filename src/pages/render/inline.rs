//! Inlines the smallest components into the built-in templates. In Tera, a call costs as much as thirty values, and a run page
//! would have a hundred calls.

use super::own_templates::UserTemplate;

/// Templates whose components have one parameter and call no other component.
const FILES: [&str; 4] = ["badge", "cell", "range", "when"];

#[derive(Debug)]
pub(super) struct SmallComponent<'a> {
    name: &'a str,
    parameter: &'a str,
    body: &'a str,
}

/// The small components of the built-in templates, except those that the site overrides.
pub(super) fn small_components<'a>(
    built_in: &[(&'a str, &'a str)],
    user: &[UserTemplate],
) -> Vec<SmallComponent<'a>> {
    let is_own = |name: &str| {
        let mut texts = user.iter().map(|template| template.text.as_str());
        texts.any(|text| text.contains("component") && text.contains(name))
    };
    let files = FILES.map(|file| format!("components/{file}.html"));
    let texts = built_in
        .iter()
        .filter(|(name, _)| files.iter().any(|file| file == name));
    let definitions = texts.flat_map(|(_, text)| text.split("{% component ").skip(1));
    let components = definitions.filter_map(|definition| {
        let (name, rest) = definition.split_once('(')?;
        let (parameter, rest) = rest.split_once(") -%}")?;
        let (body, _) = rest.split_once("{%- endcomponent")?;
        Some(SmallComponent {
            name,
            parameter,
            body: body.trim(),
        })
    });
    components
        .filter(|component| !is_own(component.name))
        .collect()
}

/// The text of a built-in template, with small components inlined.
pub(super) fn inlined(text: &str, components: &[SmallComponent<'_>]) -> String {
    let mut text = text.to_owned();
    for component in components {
        let call = format!("{{{{ <{} {}={{", component.name, component.parameter);
        let mut parts = text.split(&call);
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            match part.split_once("}/> }}") {
                Some((argument, rest)) => {
                    component.push_body(&mut out, argument);
                    out.push_str(rest);
                }
                None => out.extend([&call, part]),
            }
        }
        text = out;
    }
    text
}

impl SmallComponent<'_> {
    /// Appends the body, with the argument instead of the parameter.
    fn push_body(&self, out: &mut String, argument: &str) {
        let is_in_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        for part in self.body.split_inclusive(['}', '{']) {
            // Only text after a brace is template syntax; `{{` leaves an empty part between its braces.
            let is_tag = out.ends_with("{{") || part.starts_with('%') && out.ends_with('{');
            if !is_tag {
                out.push_str(part);
                continue;
            }
            let mut rest = part;
            while let Some(at) = rest.find(self.parameter) {
                let (before, after) = (&rest[..at], &rest[at + self.parameter.len()..]);
                let is_word = !before.ends_with(is_in_word)
                    && !after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
                out.push_str(before);
                out.push_str(if is_word { argument } else { self.parameter });
                rest = after;
            }
            out.push_str(rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHEN: (&str, &str) = (
        "components/when.html",
        "{% component when(when) -%}\n<time class=\"when\">{{ when.when }}{% if when is string %}{{ when }}{% endif %}</time>\n{%- endcomponent when %}\n",
    );

    #[test]
    fn a_call_becomes_the_text_of_the_component_with_its_argument() {
        let small = small_components(&[WHEN, ("page.html", "")], &[]);
        assert_eq!(
            inlined("<p>{{ <when when={run.at}/> }}, {{ when }}</p>", &small),
            "<p><time class=\"when\">{{ run.at.when }}{% if run.at is string %}{{ run.at }}{% endif %}</time>, {{ when }}</p>"
        );
    }

    #[test]
    fn a_component_that_the_site_defines_is_called() {
        let own = UserTemplate {
            name: "other.html".to_owned(),
            shown: "templates/other.html".to_owned(),
            text: "{%component  when( when )%}{% endcomponent when %}".to_owned(),
        };
        assert!(small_components(&[WHEN], &[own]).is_empty());
    }
}
