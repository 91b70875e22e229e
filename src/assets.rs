//! Knows the static files: built-in ones under names that change with their content, those of the site beside them.

use crate::render::minify;
use crate::view::chrome::{AssetLinks, Script};

/// What a built-in file is for.
#[derive(Debug, Clone, Copy)]
enum Use {
    /// A style sheet of every page.
    Style,
    /// A script of the pages that ask for it; one that is long is several files, which load in this order.
    Script(Script),
    /// A file that a script loads by its name, on first use: it stands beside the data that it reads.
    Library(&'static str),
    /// The icon.
    Icon,
}

/// Built-in files by their path below `static/`. A file of the site with the same path wins.
const BUILT_IN: &[(&str, Use, &[u8])] = &[
    (
        "css/site.css",
        Use::Style,
        include_bytes!("../static/css/site.css"),
    ),
    (
        "css/tables.css",
        Use::Style,
        include_bytes!("../static/css/tables.css"),
    ),
    (
        "css/find.css",
        Use::Style,
        include_bytes!("../static/css/find.css"),
    ),
    (
        "js/core.js",
        Use::Script(Script::Search),
        include_bytes!("../static/js/core.js"),
    ),
    (
        "js/search.js",
        Use::Script(Script::Search),
        include_bytes!("../static/js/search.js"),
    ),
    (
        "js/runs.js",
        Use::Script(Script::Runs),
        include_bytes!("../static/js/runs.js"),
    ),
    (
        "js/annotations.js",
        Use::Script(Script::Annotations),
        include_bytes!("../static/js/annotations.js"),
    ),
    (
        "js/vendor/minisearch.js",
        Use::Library("search/minisearch.js"),
        include_bytes!("../static/js/vendor/minisearch.js"),
    ),
    (
        "js/vendor/minisearch.LICENSE.txt",
        Use::Library("search/minisearch.LICENSE.txt"),
        include_bytes!("../static/js/vendor/minisearch.LICENSE.txt"),
    ),
    (
        "js/compare-sides.js",
        Use::Script(Script::Compare),
        include_bytes!("../static/js/compare-sides.js"),
    ),
    (
        "js/compare-tapes.js",
        Use::Script(Script::Compare),
        include_bytes!("../static/js/compare-tapes.js"),
    ),
    (
        "js/compare-align.js",
        Use::Script(Script::Compare),
        include_bytes!("../static/js/compare-align.js"),
    ),
    (
        "js/compare-pick.js",
        Use::Script(Script::Compare),
        include_bytes!("../static/js/compare-pick.js"),
    ),
    (
        "js/compare.js",
        Use::Script(Script::Compare),
        include_bytes!("../static/js/compare.js"),
    ),
    (
        "js/play.js",
        Use::Script(Script::Play),
        include_bytes!("../static/js/play.js"),
    ),
    (
        "js/tables.js",
        Use::Script(Script::Tables),
        include_bytes!("../static/js/tables.js"),
    ),
    (
        "js/timeline.js",
        Use::Script(Script::Timeline),
        include_bytes!("../static/js/timeline.js"),
    ),
    (
        "js/reader.js",
        Use::Script(Script::Reader),
        include_bytes!("../static/js/reader.js"),
    ),
    (
        "js/contents.js",
        Use::Script(Script::Contents),
        include_bytes!("../static/js/contents.js"),
    ),
    ("icon.svg", Use::Icon, include_bytes!("../static/icon.svg")),
];

/// A file to publish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asset {
    /// Path relative to the site's root.
    pub path: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// The files to publish, and the addresses that the shell needs.
#[derive(Debug, Default)]
pub struct Assets {
    /// The files, in order.
    pub files: Vec<Asset>,
    /// Addresses relative to the site's root.
    pub links: AssetLinks,
}

/// Joins the built-in files with those of the site (`user`: pairs of path below `static/` and content).
#[must_use]
pub fn collect(user: &[(String, Vec<u8>)], minified: bool) -> Assets {
    let mut assets = Assets::default();
    for &(name, used, built_in) in BUILT_IN {
        let own = user
            .iter()
            .find(|(path, _)| path == name)
            .map(|(_, bytes)| bytes.as_slice());
        let bytes = own.unwrap_or(built_in);
        let bytes = if minified {
            small(used, bytes != built_in, bytes)
        } else {
            bytes.to_vec()
        };
        let path = match used {
            Use::Library(path) => path.to_owned(),
            _ => hashed(name, &bytes),
        };
        match used {
            Use::Style => assets.links.styles.push(path.clone()),
            Use::Script(script) => {
                let files = assets.links.scripts.entry(script).or_default();
                files.push(path.clone());
            }
            Use::Library(_) => {}
            Use::Icon => assets.links.icon.clone_from(&path),
        }
        assets.files.push(Asset { path, bytes });
    }
    let others = user
        .iter()
        .filter(|(path, _)| !BUILT_IN.iter().any(|(name, ..)| name == path));
    assets.files.extend(others.map(|(path, bytes)| Asset {
        path: path.clone(),
        bytes: bytes.clone(),
    }));
    assets
}

fn small(used: Use, is_own: bool, bytes: &[u8]) -> Vec<u8> {
    match (used, std::str::from_utf8(bytes)) {
        (Use::Style, Ok(css)) => minify::style_sheet(css).into_bytes(),
        // A script of the site stays as it was written.
        (Use::Script(_), Ok(js)) if !is_own => minify::script(js).into_bytes(),
        _ => bytes.to_vec(),
    }
}

/// `css/site.css` as `assets/site.1a2b3c4d5e.css`.
fn hashed(name: &str, bytes: &[u8]) -> String {
    let file = name.rsplit('/').next().unwrap_or(name);
    let (stem, extension) = file.rsplit_once('.').unwrap_or((file, ""));
    format!(
        "assets/{stem}.{}.{extension}",
        &blake3::hash(bytes).to_hex()[..10]
    )
}
