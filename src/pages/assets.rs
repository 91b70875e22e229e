//! The static files: built-in ones under names that change with their content, and those of the site.

use crate::render::minify;
use crate::view::chrome::{AssetLinks, Script};

/// The use of a built-in file.
#[derive(Debug, Clone, Copy)]
enum AssetUse {
    /// A style sheet of every page.
    Style,
    /// A script of the pages that ask for it; one that is long is several files, which load in this order.
    Script(Script),
    /// A file that a script loads by its name, on first use: it is next to the data that it reads.
    Library(&'static str),
    Icon,
}

/// Files with their use and their bytes.
macro_rules! built_in {
    ($($name:literal => $used:expr,)+) => {
        &[$(($name, $used, include_bytes!(concat!("../../static/", $name)))),+]
    };
}

/// Built-in files by their path below `static/`. A file of the site with the same path wins.
const BUILT_IN: &[(&str, AssetUse, &[u8])] = built_in![
    "css/site.css" => AssetUse::Style,
    "css/tables.css" => AssetUse::Style,
    "css/find.css" => AssetUse::Style,
    "js/core.js" => AssetUse::Script(Script::Search),
    "js/search.js" => AssetUse::Script(Script::Search),
    "js/runs.js" => AssetUse::Script(Script::Runs),
    "js/annotations.js" => AssetUse::Script(Script::Annotations),
    "js/rows.js" => AssetUse::Library("search/rows.js"),
    "js/find.js" => AssetUse::Library("search/find.js"),
    "js/compare-sides.js" => AssetUse::Script(Script::Compare),
    "js/compare-tapes.js" => AssetUse::Script(Script::Compare),
    "js/compare-align.js" => AssetUse::Script(Script::Compare),
    "js/compare-pick.js" => AssetUse::Script(Script::Compare),
    "js/compare.js" => AssetUse::Script(Script::Compare),
    "js/play.js" => AssetUse::Script(Script::Play),
    "js/tables.js" => AssetUse::Script(Script::Tables),
    "js/timeline.js" => AssetUse::Script(Script::Timeline),
    "js/reader.js" => AssetUse::Script(Script::Reader),
    "js/contents.js" => AssetUse::Script(Script::Contents),
    "icon.svg" => AssetUse::Icon,
];

/// A file to publish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asset {
    /// Path relative to the site's root.
    pub path: String,
    pub bytes: Vec<u8>,
}

/// The files to publish, and the addresses that the shell needs.
#[derive(Debug, Default)]
pub struct Assets {
    pub files: Vec<Asset>,
    /// Addresses relative to the site's root.
    pub links: AssetLinks,
}

/// Joins the built-in files with those of the site (`user`: pairs of path below `static/` and content).
pub fn collect(user: &[(String, Vec<u8>)], minified: bool) -> Assets {
    let mut assets = Assets::default();
    for &(name, used, built_in) in BUILT_IN {
        let own = user.iter().find(|(path, _)| path == name);
        let bytes = own.map_or(built_in, |(_, bytes)| bytes);
        let bytes = match (used, std::str::from_utf8(bytes)) {
            (AssetUse::Style, Ok(css)) if minified => minify::style_sheet(css).into_bytes(),
            // A script of the site stays as it was written.
            (AssetUse::Script(_) | AssetUse::Library(_), Ok(js))
                if minified && bytes == built_in =>
            {
                minify::script(js).into_bytes()
            }
            _ => bytes.to_vec(),
        };
        let path = match used {
            AssetUse::Library(path) => path.to_owned(),
            _ => hashed_path(name, &bytes),
        };
        match used {
            AssetUse::Style => assets.links.styles.push(path.clone()),
            AssetUse::Script(script) => {
                let files = assets.links.scripts.entry(script).or_default();
                files.push(path.clone());
            }
            AssetUse::Library(_) => {}
            AssetUse::Icon => assets.links.icon.clone_from(&path),
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

/// `css/site.css` as `assets/site.1a2b3c4d5e.css`.
fn hashed_path(name: &str, bytes: &[u8]) -> String {
    let file = name.rsplit('/').next().unwrap_or(name);
    let (stem, extension) = file.rsplit_once('.').unwrap_or((file, ""));
    let digest = blake3::hash(bytes).to_hex();
    format!("assets/{stem}.{}.{extension}", &digest[..10])
}
