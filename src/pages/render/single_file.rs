//! Packs the page of a run into one HTML file that needs no other: styles, scripts and images are inside, and so are the files
//! of the run.

use std::collections::BTreeSet;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use base::diagnostics::{Diagnostic, Place, codes};
use formats::single_file::{EmbeddedFile, GENERATOR, push_file};
use markup::escape;

use super::UserTemplate;
use super::minify;
use crate::view::chrome::source_hash;

/// The templates that differ from those of a site.
const TEMPLATES: [(&str, &str); 3] = [
    ("shell.html", include_str!("single_file/shell.html")),
    ("head.html", include_str!("single_file/head.html")),
    ("run.html", include_str!("single_file/run.html")),
];

/// Marks the place in `head.html` of the policy, the styles and the scripts, which are known only after the page is packed.
const HEAD_SLOT: &str = "<meta name=\"runpress-single-file\">\n";

const STYLES: [&str; 2] = [
    include_str!("../../../static/css/site.css"),
    include_str!("../../../static/css/tables.css"),
];
const SCRIPTS: [&str; 4] = [
    include_str!("../../../static/js/core.js"),
    include_str!("../../../static/js/contents.js"),
    include_str!("../../../static/js/timeline.js"),
    include_str!("../../../static/js/reader.js"),
];
const ICON: &str = include_str!("../../../static/icon.svg");

/// Pages of a site whose links are left out with their words. The words of all other links stay.
const OMITTED_LINKS: [&str; 4] = ["compare", "rules/index.html", "story", "threads/index.html"];
/// The last words of a link to a file with a whole text. An earlier event shows that text in full.
const REST: &str = "; read all of it as plain text";

/// The templates of a single file, which replace those of a site.
pub fn templates() -> Vec<UserTemplate> {
    let template = |(name, text): (&str, &str)| UserTemplate {
        name: name.to_owned(),
        shown: format!("{name} (built in)"),
        text: text.to_owned(),
    };
    TEMPLATES.into_iter().map(template).collect()
}

/// The page of a run, and the files that go into it.
pub struct SingleFileContents<'a> {
    /// The page that the templates of this module made.
    pub page: &'a str,
    /// The content of a file next to the page, by its path.
    pub file: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    /// The files of the run to embed.
    pub files: Vec<EmbeddedFile>,
    /// Descriptions of what is not in the file.
    pub left_out: Vec<String>,
}

pub fn pack(contents: &SingleFileContents<'_>) -> Result<Vec<u8>, Diagnostic> {
    let parts = PageParts::of(contents.page).ok_or_else(|| {
        codes::PUBLISH_IO.at(
            Place::file("index.html"),
            "The page cannot be packed: it has no head or no end",
            "Please report this as a bug.",
        )
    })?;
    let mut packed = PackedContent::default();
    packed.inline(parts.main, contents.file);
    let style: String = STYLES.map(minify::style_sheet).concat();
    let scripts = SCRIPTS.map(minify::script);
    let mut out = String::with_capacity(packed.html.len() + style.len() + (64 << 10));
    out.push_str(parts.before);
    push_head(&mut out, &style, &scripts);
    out.push_str(parts.head);
    out.push_str(&packed.html);
    out.push_str(parts.after);
    let names = contents.files.iter().map(|file| file.name.as_str());
    let PackedContent {
        images,
        mut left_out,
        ..
    } = packed;
    left_out.retain(|path| !images.contains(path) && !names.clone().any(|name| name == path));
    push_note(&mut out, contents, &left_out);
    out.push_str("</footer>\n");
    let mut out = out.into_bytes();
    for file in &contents.files {
        push_file(&mut out, &file.name, &file.bytes);
    }
    for script in &scripts {
        out.extend_from_slice(format!("<script>{script}</script>\n").as_bytes());
    }
    out.extend_from_slice(parts.end.as_bytes());
    Ok(out)
}

/// A page, cut where something is inserted.
struct PageParts<'p> {
    /// Up to the slot in the head.
    before: &'p str,
    /// Up to the content.
    head: &'p str,
    main: &'p str,
    /// Up to the end of the footer.
    after: &'p str,
    end: &'p str,
}

impl<'p> PageParts<'p> {
    fn of(page: &'p str) -> Option<Self> {
        let (before, rest) = page.split_once(HEAD_SLOT)?;
        let (head, rest) = rest.split_at(rest.find("<main")?);
        let (main, rest) = rest.split_at(rest.rfind("</main>")?);
        let (after, end) = rest.split_at(rest.rfind("</footer>")?);
        let end = end.strip_prefix("</footer>")?;
        Some(Self {
            before,
            head,
            main,
            after,
            end,
        })
    }
}

/// The policy, the version, the icon and the styles. The policy allows what is in the file and nothing else.
fn push_head(out: &mut String, style: &str, scripts: &[String]) {
    let scripts: Vec<String> = scripts.iter().map(|script| source_hash(script)).collect();
    let policy = format!(
        "default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        scripts.join(" "),
        source_hash(style)
    );
    let policy = escape::in_double_quotes(&policy);
    out.push_str(&format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n",
        policy.as_str()
    ));
    out.push_str(&format!("{GENERATOR}{}\">\n", env!("CARGO_PKG_VERSION")));
    out.push_str(&format!(
        "<link rel=\"icon\" href=\"{}\">\n<style>{style}</style>\n",
        data_url("icon.svg", ICON.as_bytes())
    ));
}

/// The last lines of the page: what is in the file, what is not, and how to get the log back.
fn push_note(out: &mut String, contents: &SingleFileContents<'_>, others: &BTreeSet<String>) {
    let names = contents.files.iter().map(|file| file.name.as_str());
    let names: Vec<String> = names.map(code).collect();
    out.push_str(&format!(
        "<p>One run in one file, made with runpress {}. It contains {}: <code>runpress import FILE.html</code> writes the run directory again.</p>\n",
        env!("CARGO_PKG_VERSION"),
        names.join(", ")
    ));
    let mut left_out: Vec<String> = contents.left_out.iter().map(|it| escaped(it)).collect();
    if !others.is_empty() {
        let paths: Vec<String> = others.iter().map(|path| code(path)).collect();
        let files = if others.len() == 1 { "file" } else { "files" };
        left_out.push(format!("{} {files} ({})", others.len(), paths.join(", ")));
    }
    let words = if left_out.is_empty() {
        "nothing".to_owned()
    } else {
        left_out.join("; ")
    };
    out.push_str(&format!(
        "<p id=\"left-out\">Left out or replaced: {words}.</p>\n"
    ));
}

fn escaped(text: &str) -> String {
    escape::text(text).as_str().to_owned()
}

fn code(text: &str) -> String {
    format!("<code>{}</code>", escaped(text))
}

/// The content of a page with its images inside, and without links to other files.
#[derive(Default)]
struct PackedContent {
    html: String,
    /// Paths of the images on it.
    images: BTreeSet<String>,
    /// Paths of other files next to the page that it refers to.
    left_out: BTreeSet<String>,
}

impl PackedContent {
    /// Appends HTML of the templates, in which `<` is only in tags, and `>` in no attribute.
    fn inline(&mut self, html: &str, file: &dyn Fn(&str) -> Option<Vec<u8>>) {
        let mut rest = html;
        // This replaces the end of the open link.
        let mut link_end = None;
        while let Some(at) = rest.find('<') {
            self.html.push_str(&rest[..at]);
            let length = rest[at..].find('>').map_or(rest.len() - at, |end| end + 1);
            let tag = &rest[at..at + length];
            rest = &rest[at + length..];
            if let Some(source) = tag.strip_prefix("<img ").and(attribute(tag, "src")) {
                self.push_image(tag, source, file);
            } else if tag.starts_with("<a ") {
                let words = &rest[..rest.find("</a>").unwrap_or(rest.len())];
                match self.link(tag, words) {
                    LinkAction::Keep => self.html.push_str(tag),
                    LinkAction::Words(class) => {
                        self.html.push_str(&class);
                        link_end = Some(if class.is_empty() { "" } else { "</span>" });
                        if let Some(words) = words.strip_suffix(REST) {
                            self.html.push_str(words);
                            self.html.push_str(", as an earlier event shows it");
                            rest = &rest[words.len() + REST.len()..];
                        }
                    }
                    LinkAction::Drop => {
                        link_end = Some("");
                        rest = &rest[words.len()..];
                    }
                }
            } else if tag == "</a>"
                && let Some(end) = link_end.take()
            {
                self.html.push_str(end);
            } else if let Some(play) = attribute(tag, "data-play") {
                // The script that loads a build into a frame is not in the file.
                self.html
                    .push_str(&tag.replace(&format!(" data-play=\"{play}\""), ""));
            } else {
                self.html.push_str(tag);
            }
        }
        self.html.push_str(rest);
    }

    fn link(&mut self, tag: &str, words: &str) -> LinkAction {
        let Some(href) = attribute(tag, "href") else {
            return LinkAction::Keep;
        };
        if href.starts_with('#') || href.contains("://") || href.starts_with("mailto:") {
            return LinkAction::Keep;
        }
        let below = href.trim_start_matches("../");
        let is_omitted = OMITTED_LINKS
            .iter()
            .any(|path| below == *path || below.starts_with(&format!("{path}/")));
        if is_omitted {
            return LinkAction::Drop;
        }
        let is_next_to_page = below.len() == href.len();
        let is_image = words.starts_with("<img ");
        if is_next_to_page && !is_image && !words.ends_with(REST) {
            self.left_out.insert(href.to_owned());
        }
        let class = attribute(tag, "class");
        LinkAction::Words(
            class.map_or_else(String::new, |class| format!("<span class=\"{class}\">")),
        )
    }

    fn push_image(&mut self, tag: &str, source: &str, file: &dyn Fn(&str) -> Option<Vec<u8>>) {
        match file(source) {
            Some(bytes) => {
                let tag = tag.replacen(source, &data_url(source, &bytes), 1);
                self.html.push_str(&tag);
                self.images.insert(source.to_owned());
            }
            None => {
                self.left_out.insert(source.to_owned());
            }
        }
    }
}

/// How a single file shows a link.
enum LinkAction {
    /// The link stays: it leads to a place in the file, or to another site.
    Keep,
    /// Only the words stay, in this element.
    Words(String),
    /// The link is left out with its words.
    Drop,
}

/// The value of an attribute, with or without quotes.
fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let mut rest = tag;
    while let Some((_, after)) = rest.split_once(' ') {
        rest = after;
        let Some(value) = after
            .strip_prefix(name)
            .and_then(|after| after.strip_prefix('='))
        else {
            // A value in quotes may have spaces.
            if let Some((start, value)) = after.split_once("=\"")
                && !start.contains(' ')
            {
                rest = value.split_once('"').map_or("", |(_, rest)| rest);
            }
            continue;
        };
        return Some(match value.strip_prefix('"') {
            Some(value) => value.split_once('"')?.0,
            None => value.split([' ', '>']).next().unwrap_or_default(),
        });
    }
    None
}

/// A file as an address that contains it. Names have the extension of their detected type.
fn data_url(name: &str, bytes: &[u8]) -> String {
    let kind = match name.rsplit('.').next().unwrap_or_default() {
        "png" => "image/png",
        "jpg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "svg" => "image/svg+xml",
        _ => "application/octet-stream",
    };
    format!("data:{kind};base64,{}", BASE64_STANDARD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inlined(html: &str) -> (String, Vec<String>) {
        let mut packed = PackedContent::default();
        packed.inline(html, &|path| (path == "assets/a.png").then(|| vec![1]));
        (packed.html, packed.left_out.into_iter().collect())
    }

    #[test]
    fn links_to_other_files_become_words_and_images_are_inside() {
        for (html, packed) in [
            ("<a href=#e-1>1</a> <a class=x href=\"#e-2\">2</a>", ""),
            (
                "<a rel=\"nofollow\" href=\"https://example.org/\">x</a>",
                "",
            ),
            (
                "<a href=\"../../cases/a/index.html\">A <b>b</b></a>, c",
                "A <b>b</b>, c",
            ),
            (
                "<a class=\"ah\" href=\"../../models/m/index.html\">M</a>.",
                "<span class=\"ah\">M</span>.",
            ),
            (
                "<p><a class=\"button\" href=\"../../compare/index.html?runs=a\">Compare</a></p>",
                "<p></p>",
            ),
            ("<a href=\"../../rules/index.html#r-1\">R</a>", "R"),
            ("<a href=\"../../rules/index.html\">All rules</a>", ""),
            (
                "<a class=\"shot\" href=\"assets/a.png\"><img src=\"assets/a.png\" width=\"1\" alt=\"x\"></a>",
                "<span class=\"shot\"><img src=\"data:image/png;base64,AQ==\" width=\"1\" alt=\"x\"></span>",
            ),
            (
                "<p class=\"play\" data-play=\"https://x/\">y",
                "<p class=\"play\">y",
            ),
            (
                "<a href=\"text/e-1.txt\">The first 1 kB of 2 kB; read all of it as plain text</a>",
                "The first 1 kB of 2 kB, as an earlier event shows it",
            ),
        ] {
            let (found, left_out) = inlined(html);
            let kept = packed.is_empty() && !html.contains("All rules");
            assert_eq!(found, if kept { html } else { packed }, "{html}");
            assert!(left_out.is_empty(), "{html}: {left_out:?}");
        }
    }

    #[test]
    fn files_that_are_not_inside_are_listed() {
        let (html, left_out) =
            inlined("<a href=\"implementation.tar.gz\">all</a> <img src=\"assets/b.png\">");
        assert_eq!(html, "all ");
        assert_eq!(left_out, ["assets/b.png", "implementation.tar.gz"]);
    }

    #[test]
    fn an_attribute_is_not_found_in_the_value_of_another() {
        let tag = "<a title=\" href=x \" class=y href=z>";
        assert_eq!(attribute(tag, "href"), Some("z"));
        assert_eq!(attribute(tag, "class"), Some("y"));
        assert_eq!(attribute("<a>", "href"), None);
    }
}
