//! The modules of src/ use each other as stated in the table in lib.rs, without cycles.

mod source;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::Path as FilePath;

use source::Path;

/// The name of the crate root in the table.
const ROOT: &str = "lib";

/// Each module with a file, and its text.
struct Source(BTreeMap<Path, String>);

impl Source {
    fn read() -> Self {
        let src = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut modules = BTreeMap::new();
        for entry in walkdir::WalkDir::new(&src) {
            let path = entry.expect("an entry").into_path();
            let below = path.strip_prefix(&src).expect("below src");
            let mut name: Path = below
                .with_extension("")
                .iter()
                .map(|part| part.to_string_lossy().into_owned())
                .collect();
            if path.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let text = fs::read_to_string(&path).expect("UTF-8");
            // The binary is a crate of its own that uses the table of the library.
            let text = text
                .replace("runpress::", "crate::")
                .replace("\nuse cli", "\nuse crate::cli");
            if name
                .last()
                .is_some_and(|last| last == "mod" || last == "lib")
            {
                name.pop();
            }
            modules.insert(name, text);
        }
        assert!(modules.len() > 150, "{} modules", modules.len());
        Self(modules)
    }

    fn named(&self) -> Vec<source::Named> {
        let is_module = |path: &[String]| self.0.contains_key(path);
        let named = |(module, text): (&Path, &String)| source::named(text, module, &is_module);
        self.0.iter().flat_map(named).collect()
    }

    /// The module that a path refers to.
    fn module<'a>(&self, path: &'a [String]) -> &'a [String] {
        let mut lengths = (0..=path.len()).rev();
        let length = lengths.find(|&length| self.0.contains_key(&path[..length]));
        &path[..length.unwrap_or(0)]
    }

    /// The rows of the table in lib.rs: a module and its uses.
    fn table(&self) -> Vec<(String, BTreeSet<String>)> {
        let rows = self.0[&Vec::new()]
            .lines()
            .filter_map(|line| line.strip_prefix("//! | `"));
        let row = |row: &str| {
            let cells: Vec<&str> = row.split('|').collect();
            let used = cells[2].split('`').skip(1).step_by(2).map(str::to_owned);
            (
                cells[0].trim().trim_end_matches('`').to_owned(),
                used.collect(),
            )
        };
        rows.map(row).collect()
    }
}

fn top(path: &[String]) -> String {
    path.first().map_or(ROOT, String::as_str).to_owned()
}

/// The uses between top-level modules, with an example of each.
fn uses(source: &Source) -> BTreeMap<(String, String), String> {
    let mut uses = BTreeMap::new();
    for named in source.named() {
        let (from, to) = (top(&named.within), top(source.module(&named.path)));
        if from != to {
            let example = format!(
                "{} names {}",
                named.within.join("::"),
                named.path.join("::")
            );
            uses.entry((from, to)).or_insert(example);
        }
    }
    uses
}

#[test]
fn modules_use_what_the_table_in_lib_rs_says_and_nothing_else() {
    let source = Source::read();
    let table: BTreeMap<_, _> = source.table().into_iter().collect();
    let uses = uses(&source);
    let mut found = Vec::new();
    for ((from, to), example) in &uses {
        if !table.get(from).is_some_and(|used| used.contains(to)) {
            found.push(format!("`{from}` must not use `{to}`: {example}"));
        }
    }
    for (from, used) in &table {
        let unused = used
            .iter()
            .filter(|to| !uses.contains_key(&(from.clone(), (*to).clone())));
        found.extend(
            unused.map(|to| format!("the table lets `{from}` use `{to}`, which it does not")),
        );
    }
    assert!(
        found.is_empty(),
        "see the table in src/lib.rs:\n{}",
        found.join("\n")
    );
}

#[test]
fn each_module_has_a_row_below_the_rows_of_what_it_uses() {
    let source = Source::read();
    let mut above = BTreeSet::new();
    for (module, used) in source.table() {
        let below: Vec<_> = used.difference(&above).collect();
        assert!(
            below.is_empty(),
            "`{module}` uses {below:?}, which have no row above it"
        );
        above.insert(module);
    }
    let modules: BTreeSet<String> = source.0.keys().map(|path| top(path)).collect();
    assert_eq!(above, modules, "rows of the table, and modules");
}

#[test]
fn inspect_knows_nothing_of_an_edge_but_what_load_hands_to_it() {
    let source = Source::read();
    let named = source.named().into_iter();
    let of_load: BTreeSet<String> = named
        .filter(|named| top(&named.within) == "inspect" && top(&named.path) == "load")
        .map(|named| named.path[1..].join("::"))
        .collect();
    let handed = ["Beside", "Loaded", "RunFiles"].map(str::to_owned);
    assert_eq!(of_load, BTreeSet::from(handed));
}

/// The module that defines a name: a parent may only reexport it.
fn defined<'a>(passed: &'a BTreeMap<Path, Path>, mut path: &'a Path) -> &'a Path {
    // No chain of `use` is longer than this.
    for _ in 0..8 {
        match passed.get(path) {
            Some(next) if next != path => path = next,
            _ => break,
        }
    }
    path
}

#[test]
fn no_modules_beside_each_other_use_each_other_in_a_circle() {
    let source = Source::read();
    let named = source.named();
    let passed: BTreeMap<Path, Path> = named
        .iter()
        .filter_map(|named| {
            let name = [named.within.clone(), vec![named.alias.clone()?]].concat();
            (!source.0.contains_key(&name)).then(|| (name, named.path.clone()))
        })
        .collect();
    // By parent: the uses between its children, with an example.
    let mut uses: BTreeMap<Path, BTreeMap<Path, BTreeMap<Path, String>>> = BTreeMap::new();
    for named in &named {
        let target = source.module(defined(&passed, &named.path));
        let within = source.module(&named.within);
        let common = within
            .iter()
            .zip(target)
            .take_while(|(a, b)| a == b)
            .count();
        if common < within.len() && common < target.len() {
            let example = format!("{} names {}", within.join("::"), named.path.join("::"));
            let parent = uses.entry(within[..common].to_vec()).or_default();
            let children = parent.entry(within[..=common].to_vec()).or_default();
            children
                .entry(target[..=common].to_vec())
                .or_insert(example);
        }
    }
    let circles: BTreeSet<String> = uses
        .values()
        .flat_map(|children| children.keys().filter_map(|start| circle(children, start)))
        .collect();
    let circles: Vec<_> = circles.into_iter().collect();
    assert!(circles.is_empty(), "circles:\n{}", circles.join("\n"));
}

/// The shortest cycle through a module.
fn circle(uses: &BTreeMap<Path, BTreeMap<Path, String>>, start: &Path) -> Option<String> {
    let mut ways = VecDeque::from([(start, Vec::new())]);
    let mut seen = BTreeSet::new();
    while let Some((from, way)) = ways.pop_front() {
        for (to, example) in uses.get(from).into_iter().flatten() {
            let way = [way.as_slice(), &[example.as_str()]].concat();
            if to == start {
                return Some(way.join(", "));
            }
            if seen.insert(to) {
                ways.push_back((to, way));
            }
        }
    }
    None
}

#[test]
fn the_model_knows_nothing_of_serde() {
    let serde = [
        "serde",
        "serde_json",
        "schemars",
        "Serialize",
        "Deserialize",
    ];
    let source = Source::read();
    for (module, text) in source.0.iter().filter(|(module, _)| top(module) == "model") {
        let words = source::words(text);
        let found = words.iter().find(|word| serde.contains(&word.as_str()));
        assert_eq!(found, None, "in {}", module.join("::"));
    }
}

#[test]
fn only_markup_render_and_view_say_that_html_is_finished() {
    let source = Source::read();
    let finished = ["Html", "::", "finished"];
    let makers: BTreeSet<String> = source
        .0
        .iter()
        .filter(|(_, text)| {
            source::words(text)
                .windows(3)
                .any(|words| words == finished)
        })
        .map(|(module, _)| top(module))
        .collect();
    assert_eq!(
        makers,
        BTreeSet::from(["markup", "render", "view"].map(str::to_owned))
    );
}

#[test]
fn paths_are_read_from_use_trees_and_from_code_but_not_from_texts_or_tests() {
    let text = r##"
        //! crate::comment
        use crate::a::{self, b::{C, D as E}, *};
        use super::beside;
        use child::Thing;
        use serde::Serialize;
        fn f<'a>(x: &'a str) -> char {
            let _ = (r#"crate::raw"#, "crate::text \" crate::quoted", '"', '\'', b"crate::bytes");
            crate::inline::call(x); super::super::up::call(); self::own::call();
            'x'
        }
        mod inner { fn g() { super::from_inner::call() } }
        #[cfg(test)]
        mod tests { use crate::tested; }
    "##;
    let within = ["m".to_owned(), "n".to_owned()];
    let child = ["m".to_owned(), "n".to_owned(), "child".to_owned()];
    let found = source::named(text, &within, &|path| path == child);
    let found: Vec<String> = found.iter().map(|named| named.path.join("::")).collect();
    let expected = [
        "a",
        "a::b::C",
        "a::b::D",
        "a",
        "m::beside",
        "m::n::child::Thing",
        "inline::call",
        "up::call",
        "m::n::own::call",
        "m::n::from_inner::call",
    ];
    assert_eq!(found, expected);
}
