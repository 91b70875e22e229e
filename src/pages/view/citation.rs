//! How a run and the site are cited: in words, as BibTeX, and as `CITATION.cff`. Authors are only those that site.toml names.

use base::diagnostics::text::visible;
use base::links;
use formats::config::Config;
use formats::model::archive::Archive;
use formats::model::time::Moment;

use super::run::CheckedRun;
use super::{format, task};

/// The name of the file at the root of the site.
pub const FILE_NAME: &str = "CITATION.cff";

/// Licenses by their SPDX identifiers, each with the identifier of the Hugging Face Hub.
const LICENSES: [(&str, &str); 29] = [
    ("AGPL-3.0-only", "agpl-3.0"),
    ("AGPL-3.0-or-later", "agpl-3.0"),
    ("Apache-2.0", "apache-2.0"),
    ("BSD-2-Clause", "bsd-2-clause"),
    ("BSD-3-Clause", "bsd-3-clause"),
    ("CC-BY-3.0", "cc-by-3.0"),
    ("CC-BY-4.0", "cc-by-4.0"),
    ("CC-BY-NC-3.0", "cc-by-nc-3.0"),
    ("CC-BY-NC-4.0", "cc-by-nc-4.0"),
    ("CC-BY-NC-ND-4.0", "cc-by-nc-nd-4.0"),
    ("CC-BY-NC-SA-4.0", "cc-by-nc-sa-4.0"),
    ("CC-BY-ND-4.0", "cc-by-nd-4.0"),
    ("CC-BY-SA-3.0", "cc-by-sa-3.0"),
    ("CC-BY-SA-4.0", "cc-by-sa-4.0"),
    ("CC0-1.0", "cc0-1.0"),
    ("CDLA-Permissive-1.0", "cdla-permissive-1.0"),
    ("CDLA-Sharing-1.0", "cdla-sharing-1.0"),
    ("EUPL-1.2", "eupl-1.2"),
    ("GPL-2.0-only", "gpl-2.0"),
    ("GPL-3.0-only", "gpl-3.0"),
    ("GPL-3.0-or-later", "gpl-3.0"),
    ("ISC", "isc"),
    ("LGPL-3.0-only", "lgpl-3.0"),
    ("MIT", "mit"),
    ("MPL-2.0", "mpl-2.0"),
    ("ODC-By-1.0", "odc-by"),
    ("ODbL-1.0", "odbl"),
    ("PDDL-1.0", "pddl"),
    ("Unlicense", "unlicense"),
];

/// The licenses to choose from in `A OR B`, as SPDX and as the Hub write them; `None` if one of them is not known.
pub fn licenses(expression: &str) -> Option<Vec<(&'static str, &'static str)>> {
    let find = |name: &str| {
        let mut known = LICENSES.iter().copied();
        known.find(|(spdx, _)| spdx.eq_ignore_ascii_case(name.trim()))
    };
    expression.split(" OR ").map(find).collect()
}

/// A name of a citation.
enum Author<'a> {
    Person { family: &'a str, given: &'a str },
    Organization(&'a str),
}

impl<'a> Author<'a> {
    fn of(name: &'a str) -> Self {
        match name.split_once(',') {
            Some((family, given)) if !family.trim().is_empty() && !given.trim().is_empty() => {
                Self::Person {
                    family: family.trim(),
                    given: given.trim(),
                }
            }
            _ => Self::Organization(name),
        }
    }
}

/// The address of a run, if that of the site is known.
fn address(s: &CheckedRun<'_>) -> Option<String> {
    let page = links::run(&s.entry.slug);
    s.config.site.address(links::directory(&page))
}

/// How to cite a run, in words.
pub(super) fn sentence(s: &CheckedRun<'_>) -> String {
    let run = &s.entry.run;
    let authors = s.config.authors().join("; ");
    let authors = if authors.is_empty() {
        authors
    } else {
        format!("{authors}. ")
    };
    let address = address(s).map_or_else(String::new, |address| format!(" {address}"));
    format!(
        "{authors}Run {} ({}, {}, {}), {}. {}.{address}",
        run.id,
        task::name(run, s.task),
        run.subject.model(),
        run.subject.harness,
        format::when(run.finished.as_ref()).date,
        s.config.site.title
    )
}

/// How to cite a run, as BibTeX. Its key is the slug.
pub(super) fn bibtex(s: &CheckedRun<'_>) -> String {
    let run = &s.entry.run;
    let authors = s.config.authors().into_iter();
    let authors = authors.map(|author| match Author::of(author) {
        Author::Person { family, given } => format!("{}, {}", tex(family), tex(given)),
        Author::Organization(name) => format!("{{{}}}", tex(name)),
    });
    let authors: Vec<String> = authors.collect();
    let date = date(run.recency()).unwrap_or_default();
    let mut date = date.splitn(3, '-');
    let address = address(s).unwrap_or_default();
    let fields = [
        ("author", authors.join(" and ")),
        ("title", format!("{{{}}}", tex(&task::title(run, s.task)))),
        ("year", date.next().unwrap_or_default().to_owned()),
        ("month", date.next().unwrap_or_default().to_owned()),
        ("howpublished", tex(&s.config.site.title)),
        (
            "note",
            format!("Run {}, {}", tex(&run.id), tex(&run.subject.harness)),
        ),
        ("url", address.replace('{', "%7B").replace('}', "%7D")),
    ];
    let mut out = format!("@misc{{{},\n", &*s.entry.slug);
    for (name, value) in fields {
        if !value.is_empty() {
            out.push_str(&format!("  {name} = {{{value}}},\n"));
        }
    }
    out.push('}');
    out
}

/// Escapes text for TeX.
fn tex(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out
}

/// `CITATION.cff` of the site, in version 1.2.0 of the format; `None` without an author, whom the format requires.
pub fn file(config: &Config, archive: &Archive) -> Option<String> {
    let site = &config.site;
    let authors = config.authors();
    if authors.is_empty() || site.title.trim().is_empty() {
        return None;
    }
    let mut out = format!(
        "cff-version: 1.2.0\nmessage: \"Please cite this data as follows.\"\ntype: dataset\ntitle: {}\n",
        yaml(&site.title)
    );
    let mut key = |name: &str, value: Option<String>| {
        let value = value.filter(|value| !value.is_empty());
        out.extend(value.map(|value| format!("{name}: {}\n", yaml(&value))));
    };
    key("abstract", Some(site.description.clone()));
    key(
        "url",
        site.base_url.as_ref().map(|url| url.as_str().to_owned()),
    );
    key("doi", config.citation.doi.clone());
    // A build does not use the clock, so the date is that of the newest run.
    let newest = archive.runs.iter().find_map(|entry| entry.run.recency());
    key("date-released", date(newest));
    let licenses = config.policy.licence.as_deref().and_then(licenses);
    match licenses.as_deref() {
        Some([(only, _)]) => out.push_str(&format!("license: {only}\n")),
        Some(several) => {
            out.push_str("license:\n");
            out.extend(several.iter().map(|(spdx, _)| format!("  - {spdx}\n")));
        }
        None => {}
    }
    out.push_str("authors:\n");
    for author in authors {
        match Author::of(author) {
            Author::Person { family, given } => out.push_str(&format!(
                "  - family-names: {}\n    given-names: {}\n",
                yaml(family),
                yaml(given)
            )),
            Author::Organization(name) => out.push_str(&format!("  - name: {}\n", yaml(name))),
        }
    }
    Some(out)
}

/// The day of a moment, if it is known and has a year of four digits.
fn date(moment: Option<&Moment>) -> Option<String> {
    let date = format::when(moment).date;
    let is_day = date.len() == 10 && date.starts_with(|c: char| c.is_ascii_digit());
    is_day.then_some(date)
}

/// A text as YAML: JSON is.
pub fn yaml(text: &str) -> String {
    serde_json::Value::from(visible(text)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_for_tex_and_yaml() {
        assert_eq!(
            tex("a_b {c} 100% \\~"),
            "a\\_b \\{c\\} 100\\% \\textbackslash{}\\textasciitilde{}"
        );
        assert_eq!(
            yaml("a: \"b\"\n# c\u{202e}"),
            "\"a: \\\"b\\\"␊# c\u{fffd}\""
        );
    }

    #[test]
    fn a_choice_of_licenses_is_known_if_each_is() {
        let both = Some(vec![("MIT", "mit"), ("Apache-2.0", "apache-2.0")]);
        assert_eq!(licenses("MIT OR Apache-2.0"), both);
        assert_eq!(licenses("MIT OR mine"), None);
        assert_eq!(licenses("odbl-1.0"), Some(vec![("ODbL-1.0", "odbl")]));
    }
}
