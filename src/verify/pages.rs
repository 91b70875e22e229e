//! Follows the links of all pages.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use html5gum::emitters::default::Token;
use percent_encoding::percent_decode_str;
use rayon::prelude::*;
use serde_json::Value;

use base::diagnostics::text::{quoted, visible};
use base::diagnostics::{Diagnostic, Place, codes};

use super::copy::SiteCopy;
use super::feeds::INDEX;
use super::html;

/// Maximum dead links that are reported for one page.
const MOST: usize = 10;
/// Attributes with the address of another file.
const ADDRESSES: [&[u8]; 5] = [b"href", b"src", b"poster", b"data", b"xlink:href"];

/// A page: its anchors as hashes, since an archive has millions of them, and its links.
#[derive(Debug, Default)]
struct Page {
    anchors: Vec<u64>,
    links: Vec<String>,
}

/// A link to a place on another page.
#[derive(Debug)]
struct AnchorLink {
    from: String,
    target: String,
    anchor: u64,
    link: String,
}

/// Reports links that lead to no file of the copy, or to no place on a page.
pub(crate) fn check(copy: &SiteCopy, problems: &mut Vec<Diagnostic>) {
    let pages: Vec<&String> = copy.files.keys().filter(|path| is_page(path)).collect();
    let read = pages.par_iter().map(|path| {
        let mut found = Vec::new();
        let bytes = copy.read_some(path, &mut found);
        let page = bytes.map(|bytes| Page::of(&bytes)).unwrap_or_default();
        let mut anchor_links = Vec::new();
        for link in &page.links {
            follow(copy, path, link, &mut anchor_links, &mut found);
        }
        // Most links stay on the page, whose anchors are known here.
        anchor_links.retain(|link| {
            let is_own = link.target == **path;
            if is_own && page.anchors.binary_search(&link.anchor).is_err() {
                found.push(dead(link));
            }
            !is_own
        });
        found.truncate(MOST);
        ((*path).clone(), page.anchors, anchor_links, found)
    });
    let mut anchors = BTreeMap::new();
    let mut links = Vec::new();
    for (path, of_page, anchor_links, found) in read.collect::<Vec<_>>() {
        anchors.insert(path, of_page);
        links.extend(anchor_links);
        problems.extend(found);
    }
    let dead_links = links.iter().filter(|link| {
        let on_page = anchors.get(&link.target);
        on_page.is_some_and(|anchors| anchors.binary_search(&link.anchor).is_err())
    });
    problems.extend(dead_links.map(dead));
}

/// The paths of the files that a page or a feed names.
pub(crate) fn linked_paths(path: &str, bytes: &[u8]) -> Vec<String> {
    if is_page(path) {
        let links = Page::of(bytes).links.into_iter();
        let links = links.filter(|link| !is_elsewhere(link));
        let address = |link: String| {
            let end = link.find(['?', '#']).unwrap_or(link.len());
            target(path, &link[..end])
        };
        return links.filter_map(address).collect();
    }
    let Ok(document) = serde_json::from_slice::<Value>(bytes) else {
        return Vec::new();
    };
    let paths = |list: &Value, key: &str| -> Vec<String> {
        let items = list.as_array().into_iter().flatten();
        items
            .filter_map(|item| item[key].as_str().map(str::to_owned))
            .collect()
    };
    match path {
        INDEX => [
            paths(&document["feeds"], "path"),
            paths(&document["feeds"], "schema"),
        ]
        .concat(),
        store::ledger::PATH => paths(&document["parts"], "path"),
        _ => Vec::new(),
    }
}

pub(crate) fn is_page(path: &str) -> bool {
    path.rsplit('.').next() == Some("html")
}

impl Page {
    fn of(bytes: &[u8]) -> Self {
        let mut page = Self::default();
        for token in html::tokens(bytes) {
            let Token::StartTag(tag) = token else {
                continue;
            };
            let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
            // Such a link identifies the page; nothing loads it.
            let is_canonical = tag.name.as_slice() == b"link"
                && html::attribute(&tag, "rel") == Some(b"canonical".as_slice());
            for (name, value) in &tag.attributes {
                match name.as_slice() {
                    b"id" => page.anchors.push(hash(&text(&value.value))),
                    name if ADDRESSES.contains(&name) && !is_canonical => {
                        page.links.push(text(&value.value));
                    }
                    _ => {}
                }
            }
        }
        page.anchors.sort_unstable();
        page.links.sort_unstable();
        page.links.dedup();
        page
    }
}

fn hash(anchor: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    anchor.hash(&mut hasher);
    hasher.finish()
}

/// Whether a link is an address on another host, of mail or of data, or a path from the root of a host, where the site may be in a
/// folder.
fn is_elsewhere(link: &str) -> bool {
    let scheme = link.split(['/', '?', '#']).next().unwrap_or_default();
    scheme.contains(':') || link.starts_with('/')
}

/// Reports a link to no file, and adds a link to a place on a page to `anchor_links`.
fn follow(
    copy: &SiteCopy,
    from: &str,
    link: &str,
    anchor_links: &mut Vec<AnchorLink>,
    problems: &mut Vec<Diagnostic>,
) {
    if is_elsewhere(link) {
        return;
    }
    let (address, fragment) = match link.split_once('#') {
        Some((address, fragment)) => (address, Some(fragment)),
        None => (link, None),
    };
    let address = address.split('?').next().unwrap_or_default();
    let target = target(from, address);
    if target
        .as_ref()
        .is_some_and(|target| copy.left_out.contains(target))
    {
        return;
    }
    let Some(target) = target.filter(|target| copy.files.contains_key(target)) else {
        problems.push(codes::VERIFY_DEAD_LINK.at(
            Place::file(from),
            format!("The link {} leads to no file", quoted(link)),
            "The page or the file that it names was changed or removed.",
        ));
        return;
    };
    // A range of events is shown by a script, which knows more than the page.
    let fragment = fragment.filter(|fragment| !fragment.is_empty() && !fragment.contains(".."));
    if let Some(fragment) = fragment.filter(|_| is_page(&target)) {
        anchor_links.push(AnchorLink {
            from: from.to_owned(),
            target,
            anchor: hash(&decoded(fragment)),
            link: link.to_owned(),
        });
    }
}

/// The path of the file that a link names; `None` if it leads out of the site.
fn target(from: &str, address: &str) -> Option<String> {
    if address.is_empty() {
        return Some(from.to_owned());
    }
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in address.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    let path = decoded(&parts.join("/"));
    Some(if path.is_empty() || path.ends_with('/') {
        format!("{path}index.html")
    } else {
        path
    })
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

fn dead(link: &AnchorLink) -> Diagnostic {
    codes::VERIFY_DEAD_LINK.at(
        Place::file(&link.from),
        format!(
            "The link {} leads to no place on `{}`",
            quoted(&link.link),
            visible(&link.target)
        ),
        "One of the two pages was changed.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_resolved_from_its_page() {
        let cases = [
            ("runs/a/index.html", "../../index.html", Some("index.html")),
            ("runs/a/index.html", "", Some("runs/a/index.html")),
            ("runs/a/index.html", "./x%20y.txt", Some("runs/a/x y.txt")),
            ("index.html", "runs/", Some("runs/index.html")),
            ("index.html", "../x", None),
        ];
        for (from, address, expected) in cases {
            assert_eq!(target(from, address).as_deref(), expected, "{address}");
        }
    }

    #[test]
    fn attributes_without_quotes_are_read_and_scripts_are_not() {
        let page = Page::of(b"<p id=a><a href=b.html#c>x</a><script src='d'>'<a href=\"e\">'</script><link rel=canonical href=https://f>");
        assert_eq!(page.links, ["b.html#c", "d"]);
        assert_eq!(page.anchors, [hash("a")]);
    }
}
