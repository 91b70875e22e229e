//! Properties of rendered HTML: only known elements with known attributes, no harmful addresses, nothing that a parser has to
//! fix. Checked with two independent programs: the parser of a browser, and a sanitizer.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::OnceLock;

use ammonia::{Builder, Url, UrlRelative};
use scraper::{ElementRef, Html};

/// Who wrote the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// A reviewer or an annotator.
    Run,
    /// The site's own author.
    Site,
}

/// The ids and links of a piece of HTML.
#[derive(Debug, Default)]
pub struct HtmlReferences {
    pub ids: Vec<String>,
    /// The destinations of links.
    pub links: Vec<String>,
}

/// The elements of a rendered text, with their attributes.
const ELEMENTS: [(&str, &[&str]); 33] = [
    ("a", &["href", "rel"]),
    ("blockquote", &[]),
    ("br", &[]),
    ("code", &["class"]),
    ("del", &[]),
    ("div", &["aria-label", "class", "id", "role", "tabindex"]),
    ("em", &[]),
    ("h1", &["id"]),
    ("h2", &["id"]),
    ("h3", &["id"]),
    ("h4", &["id"]),
    ("h5", &["id"]),
    ("h6", &["id"]),
    ("hr", &[]),
    ("i", &["class"]),
    ("img", &["alt", "height", "src", "width"]),
    ("li", &[]),
    ("ol", &["start"]),
    ("p", &["class"]),
    ("pre", &[]),
    ("span", &["class"]),
    ("strong", &[]),
    ("sub", &[]),
    ("sup", &["class"]),
    ("table", &[]),
    ("tbody", &[]),
    ("td", &["class"]),
    ("th", &["class", "scope"]),
    ("thead", &[]),
    ("tr", &[]),
    ("ul", &[]),
    ("b", &[]),
    ("u", &[]),
];
const VOID: [&str; 3] = ["br", "hr", "img"];

/// Checks a piece of HTML, and returns its ids and links.
pub fn check(html: &str, author: Author) -> HtmlReferences {
    let parsed = Html::parse_fragment(html);
    let root = parsed.root_element();
    let mut found = HtmlReferences::default();
    let mut opened = 0;
    let mut closed = 0;
    for element in root.descendants().filter_map(ElementRef::wrap) {
        if element == root {
            continue;
        }
        opened += 1;
        closed += usize::from(!VOID.contains(&element.value().name()));
        self::element(element, author, &mut found);
    }
    // A parser that fixes something adds or drops an element.
    let tags = |begin: &str| {
        html.match_indices(begin)
            .filter(|(at, _)| {
                html[at + begin.len()..].starts_with(|c: char| c.is_ascii_alphabetic())
            })
            .count()
    };
    assert_eq!(
        (tags("<"), tags("</")),
        (opened, closed),
        "not balanced: {html}"
    );
    for link in found.links.iter().filter(|link| link.starts_with("#fn_")) {
        assert!(
            found.ids.contains(&link[1..].to_owned()),
            "{link} leads nowhere: {html}"
        );
    }
    let unique: BTreeSet<&String> = found.ids.iter().collect();
    assert_eq!(unique.len(), found.ids.len(), "duplicate id: {html}");
    let cleaned = Html::parse_fragment(&sanitizer().clean(html).to_string());
    assert_eq!(cleaned.html(), parsed.html(), "a sanitizer changes {html}");
    found
}

fn element(element: ElementRef<'_>, author: Author, found: &mut HtmlReferences) {
    let name = element.value().name();
    let (_, known) = ELEMENTS
        .iter()
        .find(|(known, _)| *known == name)
        .unwrap_or_else(|| panic!("<{name}>"));
    for (attribute, value) in element.value().attrs() {
        assert!(known.contains(&attribute), "<{name} {attribute}={value:?}>");
        match attribute {
            "href" => {
                address(value, author);
                found.links.push(value.to_owned());
                if value.contains(':') && !value.starts_with('#') {
                    let rel = element.value().attr("rel").unwrap_or_default();
                    assert!(
                        author == Author::Site || rel.contains("nofollow"),
                        "<{name} {attribute}={value:?}>"
                    );
                }
            }
            "src" => {
                assert_eq!(
                    author,
                    Author::Site,
                    "a picture in a text of a run: {value}"
                );
                assert!(is_of_the_site(value), "a picture from elsewhere: {value}");
            }
            "alt" => {
                // The text has no markup of the renderer.
                for markup in [
                    "<span class=noimg>",
                    "rel=\"nofollow noopener ugc\"",
                    "<i class=cc>",
                ] {
                    assert!(!value.contains(markup), "{value}");
                }
            }
            "id" => found.ids.push(value.to_owned()),
            _ => {}
        }
    }
}

fn base() -> Url {
    Url::parse("https://site.example/runs/one/index.html").expect("an address")
}

/// Whether an address is resolved to a place of the site, as browsers do it.
fn is_of_the_site(address: &str) -> bool {
    base()
        .join(address)
        .is_ok_and(|url| url.scheme() == "https" && url.host_str() == Some("site.example"))
}

fn address(address: &str, author: Author) {
    let Ok(url) = base().join(address) else {
        // Browsers follow no address that they cannot resolve.
        return;
    };
    assert!(
        ["http", "https", "mailto"].contains(&url.scheme()),
        "{address:?} is {url}"
    );
    // Without `//` a browser takes `https:a` for a place of a site with https.
    let absolute = Url::parse(address).is_ok_and(|alone| alone == url);
    assert!(absolute || is_of_the_site(address), "{address:?} is {url}");
    if author == Author::Run && !absolute {
        assert!(
            address.starts_with("#e-") || address.starts_with("#fn_w_"),
            "{address:?}"
        );
    }
}

fn sanitizer() -> &'static Builder<'static> {
    static SANITIZER: OnceLock<Builder<'static>> = OnceLock::new();
    SANITIZER.get_or_init(|| {
        let attributes: HashMap<&str, HashSet<&str>> = ELEMENTS
            .iter()
            .map(|(name, known)| (*name, known.iter().copied().collect()))
            .collect();
        let mut builder = Builder::empty();
        builder
            .tags(ELEMENTS.iter().map(|(name, _)| *name).collect())
            .tag_attributes(attributes)
            .url_schemes(HashSet::from(["http", "https", "mailto"]))
            .url_relative(UrlRelative::PassThrough)
            .link_rel(None);
        builder
    })
}
