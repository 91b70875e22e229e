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
    /// A file that a script loads by its name, on first use: it is next to the data that it reads.
    Library(&'static str),
    /// The icon.
    Icon,
}

/// Files with their use and their bytes.
macro_rules! built_in {
    ($($name:literal => $used:expr,)+) => {
        &[$(($name, $used, include_bytes!(concat!("../static/", $name)))),+]
    };
}

/// Built-in files by their path below `static/`. A file of the site with the same path wins.
const BUILT_IN: &[(&str, Use, &[u8])] = built_in![
    "css/site.css" => Use::Style,
    "css/tables.css" => Use::Style,
    "css/find.css" => Use::Style,
    "js/core.js" => Use::Script(Script::Search),
    "js/search.js" => Use::Script(Script::Search),
    "js/runs.js" => Use::Script(Script::Runs),
    "js/annotations.js" => Use::Script(Script::Annotations),
    "js/vendor/minisearch.js" => Use::Library("search/minisearch.js"),
    "js/vendor/minisearch.LICENSE.txt" => Use::Library("search/minisearch.LICENSE.txt"),
    "js/compare-sides.js" => Use::Script(Script::Compare),
    "js/compare-tapes.js" => Use::Script(Script::Compare),
    "js/compare-align.js" => Use::Script(Script::Compare),
    "js/compare-pick.js" => Use::Script(Script::Compare),
    "js/compare.js" => Use::Script(Script::Compare),
    "js/play.js" => Use::Script(Script::Play),
    "js/tables.js" => Use::Script(Script::Tables),
    "js/timeline.js" => Use::Script(Script::Timeline),
    "js/reader.js" => Use::Script(Script::Reader),
    "js/contents.js" => Use::Script(Script::Contents),
    "icon.svg" => Use::Icon,
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
