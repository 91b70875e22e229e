//! Page metadata for search engines and reference managers, in schema.org terms: a script element that is not executable,
//! allowed by its hash.

use serde::Serialize;

use crate::view::chrome::source_hash;
use crate::view::task;
use base::links;
use formats::config::Config;
use formats::model::archive::ArchiveEntry;
use formats::model::time;
use markup::Html;

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct StructuredData<'a> {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@type")]
    kind: &'static str,
    name: &'a str,
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    identifier: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temporal_coverage: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    keywords: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    license: Option<NamedEntity<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    included_in_data_catalog: Option<NamedEntity<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    distribution: Vec<Download>,
}

#[derive(Debug, Serialize)]
struct NamedEntity<'a> {
    #[serde(rename = "@type")]
    kind: &'static str,
    name: &'a str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Download {
    #[serde(rename = "@type")]
    kind: &'static str,
    encoding_format: &'static str,
    content_url: String,
}

fn licence(config: &Config) -> Option<NamedEntity<'_>> {
    let name = config.policy.licence.as_deref()?;
    Some(NamedEntity {
        kind: "CreativeWork",
        name,
    })
}

/// The home page: a `DataCatalog`.
pub fn home(config: &Config) -> serde_json::Result<String> {
    serde_json::to_string(&StructuredData {
        context: "https://schema.org",
        kind: "DataCatalog",
        name: &config.site.title,
        description: &config.site.description,
        url: config.site.address(""),
        license: licence(config),
        ..StructuredData::default()
    })
}

/// A run page: a `Dataset` with its download.
pub fn run(
    config: &Config,
    entry: &ArchiveEntry,
    task: &str,
    description: &str,
) -> serde_json::Result<String> {
    let run = &entry.run;
    let name = task::title(run, task);
    let path = links::run(&entry.slug);
    let document = config
        .site
        .address(&links::run_file(&entry.slug, "run.json"));
    serde_json::to_string(&StructuredData {
        context: "https://schema.org",
        kind: "Dataset",
        name: &name,
        description,
        url: config.site.address(links::directory(&path)),
        identifier: Some(&run.id),
        temporal_coverage: run
            .started
            .as_ref()
            .zip(run.finished.as_ref())
            .map(|(from, to)| format!("{}/{}", time::iso(from.ms()), time::iso(to.ms()))),
        keywords: vec![&run.subject.case, run.subject.model(), &run.subject.harness],
        license: licence(config),
        included_in_data_catalog: Some(NamedEntity {
            kind: "DataCatalog",
            name: &config.site.title,
        }),
        distribution: document
            .map(|content_url| Download {
                kind: "DataDownload",
                encoding_format: "application/json",
                content_url,
            })
            .into_iter()
            .collect(),
    })
}

/// The element, and its source expression for the Content-Security-Policy.
pub fn element(json: &str) -> (Html, String) {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        // Everything that could end the element, open a comment or reorder text is escaped; JSON has it only inside strings.
        if c.is_ascii() && !matches!(c, '<' | '>' | '&' | '\u{7f}') {
            text.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                text.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    let source = source_hash(&text);
    (Html::finished(text), source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_cannot_close_its_element_and_the_hash_matches_it() {
        let (html, source) = element(r#"{"name":"</script><!--"}"#);
        assert_eq!(html.as_str(), r#"{"name":"\u003c/script\u003e\u003c!--"}"#);
        let (_, empty) = element("");
        assert_eq!(
            empty,
            "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
        );
        assert_ne!(source, empty);
        let (html, _) = element("\"\u{202e}é𝄞\"");
        assert_eq!(html.as_str(), r#""\u202e\u00e9\ud834\udd1e""#);
    }
}
