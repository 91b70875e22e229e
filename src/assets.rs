//! Knows the static files: built-in ones under names that change with their content, those of the site beside them.

use crate::render::minify;
use crate::view::chrome::{AssetLinks, Script};

/// What a built-in file is for.
#[derive(Debug, Clone, Copy)]
enum Use {
    /// A style sheet of every page.
    Style,
    /// A script of the pages that ask for it.
    Script(Script),
    /// The icon.
    Icon,
}

/// Built-in files by their path below `static/`. A file of the site with the same path wins.
const BUILT_IN: [(&str, Use, &[u8]); 7] = [
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
    for (name, used, built_in) in BUILT_IN {
        let own = user
            .iter()
            .find(|(path, _)| path == name)
            .map(|(_, bytes)| bytes.as_slice());
        let bytes = content(name, own.unwrap_or(built_in), minified);
        let path = hashed(name, &bytes);
        match used {
            Use::Style => assets.links.styles.push(path.clone()),
            Use::Script(script) => {
                assets.links.scripts.insert(script, path.clone());
            }
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

fn content(name: &str, bytes: &[u8], minified: bool) -> Vec<u8> {
    match std::str::from_utf8(bytes) {
        Ok(css)
            if minified
                && BUILT_IN
                    .iter()
                    .any(|(own, used, _)| *own == name && matches!(used, Use::Style)) =>
        {
            minify::style_sheet(css).into_bytes()
        }
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
