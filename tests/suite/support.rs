//! Creates small sites in temporary folders, runs runpress on them and reads the output.

mod inputs;
mod page;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use runpress::api::pipeline::{NoProgress, Outcome};
use runpress::api::site::{Overrides, Site};
use serde_json::Value;
use serde_json::value::RawValue;
use tempfile::TempDir;

pub(crate) use inputs::*;
pub(crate) use page::*;

/// The folder of the base run in a site of [`TestSite::base`].
pub(crate) const FIRST: &str = "content/runs/first";
/// The address of the base run.
pub(crate) const FIRST_SLUG: &str = "pong-codex-sample-lark-1-4f1c2d3e";
/// The id of the base run.
pub(crate) const FIRST_ID: &str = "4f1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b11";
/// The header of a sidecar.
pub(crate) const HEADER: &str = r#"{"type":"header","schema_version":1}"#;
/// The header of a tape of Harn.
pub(crate) const TAPE_HEADER: &str = r#"{"type":"header","version":1,"harn_version":"0.8.26"}"#;
/// The sidecar of an event log.
pub(crate) const SIDECAR: &str = "events.jsonl.annotations.jsonl";

/// A file or folder of tests/fixtures.
pub(crate) fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(path)
}

/// The text of a fixture.
pub(crate) fn fixture_text(path: &str) -> String {
    fs::read_to_string(fixture(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A site in a temporary folder.
pub(crate) struct TestSite {
    folder: TempDir,
}

/// The result of running the binary.
#[derive(Debug)]
pub(crate) struct Ran {
    /// The arguments, which failed assertions show.
    line: String,
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn new(line: &str, output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Self {
            line: line.to_owned(),
            status: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// Expects success.
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        self.exits(0)
    }

    /// Expects success, and nothing on standard error.
    #[track_caller]
    pub(crate) fn quiet(self) -> Self {
        let found = (self.status, self.stderr.as_str());
        assert_eq!(found, (Some(0), ""), "{}", self.line);
        self
    }

    #[track_caller]
    pub(crate) fn exits(self, status: i32) -> Self {
        let (line, said) = (&self.line, &self.stderr);
        assert_eq!(self.status, Some(status), "{line}: {said}");
        self
    }

    /// Expects words on standard error.
    #[track_caller]
    pub(crate) fn says(&self, words: impl AsRef<str>) -> &Self {
        let words = words.as_ref();
        let (line, said) = (&self.line, &self.stderr);
        assert!(said.contains(words), "{line}: no {words:?} in: {said}");
        self
    }

    /// Expects words on standard output.
    #[track_caller]
    pub(crate) fn prints(&self, words: impl AsRef<str>) -> &Self {
        contains(&self.stdout, words);
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }
}

/// Arguments of a command line: a list, or a line as it is typed.
pub(crate) trait Arguments {
    fn list(self) -> Vec<String>;
}

impl Arguments for &str {
    fn list(self) -> Vec<String> {
        shlex::split(self).expect("closed quotes")
    }
}

impl Arguments for &String {
    fn list(self) -> Vec<String> {
        self.as_str().list()
    }
}

impl Arguments for &[&str] {
    fn list(self) -> Vec<String> {
        self.iter().map(ToString::to_string).collect()
    }
}

impl<const N: usize> Arguments for &[&str; N] {
    fn list(self) -> Vec<String> {
        self.as_slice().list()
    }
}

impl Arguments for &Vec<&str> {
    fn list(self) -> Vec<String> {
        self.as_slice().list()
    }
}

impl TestSite {
    /// A site with only an address and no content root.
    pub(crate) fn bare() -> Self {
        let site = Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
        };
        site.write("site.toml", fixture_text("base/site.toml"));
        site
    }

    /// A site with an address and an empty content root.
    pub(crate) fn empty() -> Self {
        let site = Self::bare();
        fs::create_dir(site.path("content")).expect("a folder");
        site
    }

    /// A site with one valid run without any problem.
    pub(crate) fn base() -> Self {
        Self::bare().overlay(&fixture("base"))
    }

    /// A site with the content of this repository.
    pub(crate) fn demo() -> Self {
        let site = Self::empty();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        copy(&root.join("content"), &site.path("content"));
        copy(&root.join("rules"), &site.path("rules"));
        fs::copy(root.join("site.toml"), site.path("site.toml")).expect("a file");
        site
    }

    /// Copies a folder over the site, replacing what is there.
    pub(crate) fn overlay(self, folder: &Path) -> Self {
        copy(folder, self.root());
        self
    }

    /// The site's root.
    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    /// A path below the root.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    /// Writes a file, and creates its folders.
    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> &Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, bytes).expect("a file");
        self
    }

    /// Removes a file, or a folder with all that it holds.
    pub(crate) fn remove(&self, path: &str) -> &Self {
        let target = self.path(path);
        let removed = if target.is_dir() && !target.is_symlink() {
            fs::remove_dir_all(target)
        } else {
            fs::remove_file(target)
        };
        removed.unwrap_or_else(|error| panic!("{path}: {error}"));
        self
    }

    /// Adds text at the end of a file.
    pub(crate) fn append(&self, path: &str, text: &str) -> &Self {
        self.write(path, self.text(path) + text)
    }

    /// Adds lines at the end of site.toml.
    pub(crate) fn settings(&self, lines: &str) -> &Self {
        self.write(
            "site.toml",
            format!("{}\n{lines}\n", self.text("site.toml")),
        )
    }

    /// Changes a JSON document.
    pub(crate) fn edit(&self, path: &str, change: impl FnOnce(&mut Value)) -> &Self {
        let mut value = parse(&self.text(path));
        change(&mut value);
        self.write(path, value.to_string())
    }

    /// Changes the record of the base run.
    pub(crate) fn edit_first(&self, change: impl FnOnce(&mut Value)) -> &Self {
        self.edit(&format!("{FIRST}/run-record.json"), change)
    }

    /// Writes a file of the base run.
    pub(crate) fn write_first(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        self.write(&format!("{FIRST}/{name}"), bytes)
    }

    /// Replaces a text that must occur exactly once in a file of the base run.
    pub(crate) fn replace_first(&self, name: &str, from: &str, to: &str) -> &Self {
        self.replace(&first(name), from, to)
    }

    /// Removes a file of the base run.
    pub(crate) fn remove_first(&self, name: &str) -> &Self {
        self.remove(&first(name))
    }

    /// Replaces the event log of the base run. Its annotations are removed.
    pub(crate) fn log(&self, text: impl AsRef<[u8]>) -> &Self {
        self.unannotated().write_first("events.jsonl", text)
    }

    /// Removes the annotations of the base run.
    pub(crate) fn unannotated(&self) -> &Self {
        let path = format!("{FIRST}/{SIDECAR}");
        if self.path(&path).exists() {
            self.remove(&path);
        }
        self
    }

    /// Replaces the annotations of the base run.
    pub(crate) fn annotate(&self, annotations: &[impl AsRef<str>]) -> &Self {
        self.write_first(SIDECAR, sidecar(annotations))
    }

    /// Replaces a text that must occur exactly once in a file.
    pub(crate) fn replace(&self, path: &str, from: &str, to: &str) -> &Self {
        let text = self.text(path);
        assert_eq!(text.matches(from).count(), 1, "{from} in {path}");
        self.write(path, text.replace(from, to))
    }

    /// Adds a run in its own folder below content/runs.
    pub(crate) fn run(&self, folder: &str, run: &Run) -> &Self {
        self.write(
            &format!("content/runs/{folder}/run-record.json"),
            run.record(),
        )
    }

    /// Adds a run whose record is changed.
    pub(crate) fn run_with(
        &self,
        folder: &str,
        run: &Run,
        change: impl FnOnce(&mut Value),
    ) -> &Self {
        let path = format!("content/runs/{folder}/run-record.json");
        self.run(folder, run).edit(&path, change)
    }

    /// Runs the binary with `--root` set to this site.
    pub(crate) fn runpress(&self, arguments: impl Arguments) -> Ran {
        let root = self.root().to_str().expect("a UTF-8 path");
        let arguments = arguments.list();
        let all = ["--root", root, "--color", "never"].into_iter();
        let all: Vec<&str> = all.chain(arguments.iter().map(String::as_str)).collect();
        runpress_in(self.root(), &all)
    }

    /// Opens the site through the library.
    pub(crate) fn open(&self, overrides: &Overrides) -> Site {
        Site::open(self.root(), overrides).expect("a site")
    }

    /// Checks through the library.
    pub(crate) fn check(&self) -> Outcome {
        self.check_with(&Overrides::default())
    }

    /// Checks through the library, with options.
    pub(crate) fn check_with(&self, overrides: &Overrides) -> Outcome {
        runpress::check(&self.open(overrides), &NoProgress).expect("a check")
    }

    /// Builds through the library.
    pub(crate) fn build(&self) -> Outcome {
        self.build_with(&Overrides::default())
    }

    /// Builds through the library, with options.
    pub(crate) fn build_with(&self, overrides: &Overrides) -> Outcome {
        let built = runpress::build(&self.open(overrides), &NoProgress);
        built.expect("a build").0
    }

    /// Builds and expects the site to be published.
    pub(crate) fn publish(&self) -> Outcome {
        let outcome = self.build();
        assert!(
            outcome.published,
            "not published: {:#?}",
            described(&outcome)
        );
        outcome
    }

    /// Builds with `--keep-going` and expects the site to be published.
    pub(crate) fn keep_going(&self) -> Outcome {
        let outcome = self.build_with(&Overrides {
            keep_going: true,
            ..Overrides::default()
        });
        assert!(outcome.published, "{:#?}", described(&outcome));
        outcome
    }

    /// Text of a file below the root.
    pub(crate) fn text(&self, path: &str) -> String {
        String::from_utf8(self.bytes(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Bytes of a file below the root.
    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// A page below public/.
    pub(crate) fn page(&self, path: &str) -> Page {
        Page::parse(&self.text(&format!("public/{path}")))
    }

    /// The page of the base run.
    pub(crate) fn first_page(&self) -> Page {
        self.page(&format!("runs/{FIRST_SLUG}/index.html"))
    }

    /// A JSON document below public/.
    pub(crate) fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.text(&format!("public/{path}")))
            .unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// The lines of a JSON Lines file below public/.
    pub(crate) fn json_lines(&self, path: &str) -> Vec<Value> {
        self.text(&format!("public/{path}"))
            .lines()
            .map(parse)
            .collect()
    }

    /// Whether there is a file or folder below public/.
    pub(crate) fn is_published(&self, path: &str) -> bool {
        self.path("public").join(path).exists()
    }

    /// The run.json of the base run, as text.
    pub(crate) fn first_document(&self) -> String {
        self.text(&format!("public/runs/{FIRST_SLUG}/run.json"))
    }

    /// The run.json of the base run.
    pub(crate) fn first_run(&self) -> Value {
        self.json(&format!("runs/{FIRST_SLUG}/run.json"))
    }

    /// Text of a published file of the base run.
    pub(crate) fn first_text(&self, name: &str) -> String {
        self.text(&format!("public/runs/{FIRST_SLUG}/{name}"))
    }

    /// The published files that contain a word; none if nothing is published.
    pub(crate) fn published_with(&self, word: &str) -> Vec<String> {
        if !self.path("public").exists() {
            return Vec::new();
        }
        let has_word = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains(word);
        let files = self.published().into_iter();
        let found = files.filter(|(path, bytes)| path.contains(word) || has_word(bytes));
        found.map(|(path, _)| path).collect()
    }

    /// Every file below public/ with its bytes.
    pub(crate) fn published(&self) -> BTreeMap<String, Vec<u8>> {
        tree(&self.path("public"))
    }

    /// Builds with this number of threads into a separate folder, and returns all its files.
    pub(crate) fn published_by(&self, jobs: usize) -> BTreeMap<String, Vec<u8>> {
        let out = self.path(&format!("out-{jobs}"));
        let overrides = Overrides {
            jobs,
            out: Some(out.clone()),
            ..Overrides::default()
        };
        assert!(self.build_with(&overrides).published);
        tree(&out)
    }
}

/// The path of a file of the base run.
pub(crate) fn first(name: &str) -> String {
    format!("{FIRST}/{name}")
}

/// Runs the binary in a folder.
pub(crate) fn runpress_in(folder: &Path, arguments: impl Arguments) -> Ran {
    let arguments = arguments.list();
    let mut command = command();
    let output = command.current_dir(folder).args(&arguments).output();
    Ran::new(&arguments.join(" "), output.expect("the binary runs"))
}

/// The binary in a neutral environment.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_runpress"));
    command
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("RUST_BACKTRACE")
        .env("COLUMNS", "100");
    command
}

/// Copies a folder over another.
pub(crate) fn copy(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry.expect("a readable folder");
        let target = to.join(entry.path().strip_prefix(from).expect("below the folder"));
        if entry.file_type().is_dir() {
            fs::create_dir_all(&target).expect("a folder");
        } else {
            fs::copy(entry.path(), &target).expect("a copy");
        }
    }
}

/// Every file below a folder with its bytes, by path.
pub(crate) fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in walkdir::WalkDir::new(folder) {
        let entry = entry.expect("a readable folder");
        if entry.file_type().is_file() {
            let path = entry.path().strip_prefix(folder).expect("below the folder");
            files.insert(
                path.to_string_lossy().replace('\\', "/"),
                fs::read(entry.path()).expect("a file"),
            );
        }
    }
    files
}

/// The differences between two trees in words; empty if they are equal.
pub(crate) fn differences(
    left: &BTreeMap<String, Vec<u8>>,
    right: &BTreeMap<String, Vec<u8>>,
) -> Vec<String> {
    let mut found = Vec::new();
    for path in left
        .keys()
        .chain(right.keys())
        .collect::<std::collections::BTreeSet<_>>()
    {
        match (left.get(path), right.get(path)) {
            (Some(_), None) => found.push(format!("only left: {path}")),
            (None, Some(_)) => found.push(format!("only right: {path}")),
            (a, b) if a != b => found.push(format!("differs: {path}")),
            _ => {}
        }
    }
    found
}

/// The codes of an outcome, in order. Leaves out the missing address of the site: most tests set only what they test in
/// site.toml.
pub(crate) fn codes(outcome: &Outcome) -> Vec<&'static str> {
    outcome
        .diagnostics
        .iter()
        .map(|problem| problem.code.name)
        .filter(|code| *code != "config.no-base-url")
        .collect()
}

/// The problems of an outcome, one per line.
pub(crate) fn described(outcome: &Outcome) -> Vec<String> {
    outcome
        .diagnostics
        .iter()
        .map(|d| {
            let place = &d.place;
            let at = place.line.map_or_else(String::new, |line| {
                format!(":{line}:{}", place.column.unwrap_or(0))
            });
            format!(
                "{}[{}] {}{at} {}",
                d.severity.word(),
                d.code.name,
                place.path,
                d.message
            )
        })
        .collect()
}

/// The messages of an outcome, in order.
pub(crate) fn messages_of(outcome: &Outcome) -> Vec<&str> {
    let problems = outcome.diagnostics.iter();
    problems.map(|problem| problem.message.as_str()).collect()
}

/// Expects words in a text.
#[track_caller]
pub(crate) fn contains(text: &str, words: impl AsRef<str>) {
    let words = words.as_ref();
    assert!(text.contains(words), "no {words:?} in: {text}");
}

/// Expects words not to be in a text.
#[track_caller]
pub(crate) fn lacks(text: &str, words: impl AsRef<str>) {
    let words = words.as_ref();
    assert!(!text.contains(words), "{words:?} in: {text}");
}

#[track_caller]
pub(crate) fn parse(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"))
}

/// The entries of a list.
#[track_caller]
pub(crate) fn entries(value: &Value) -> &[Value] {
    value
        .as_array()
        .unwrap_or_else(|| panic!("no list: {value}"))
}

/// The members with this key of all entries of a list.
#[track_caller]
pub(crate) fn each<'a>(value: &'a Value, key: &str) -> Vec<&'a Value> {
    entries(value).iter().map(|entry| &entry[key]).collect()
}

/// The verbatim JSON of the value at a pointer.
pub(crate) fn raw(document: &str, pointer: &str) -> String {
    pointer
        .split('/')
        .skip(1)
        .fold(document.trim().to_owned(), |text, part| {
            if text.starts_with('[') {
                let items: Vec<Box<RawValue>> = serde_json::from_str(&text).expect("an array");
                items[part.parse::<usize>().expect("an index")]
                    .get()
                    .to_owned()
            } else {
                let members: BTreeMap<String, Box<RawValue>> =
                    serde_json::from_str(&text).expect("an object");
                members
                    .get(part)
                    .unwrap_or_else(|| panic!("no {part} of {pointer}"))
                    .get()
                    .to_owned()
            }
        })
}

/// Text without the site's folder and the elapsed time.
pub(crate) fn redacted(site: &TestSite, text: &str) -> String {
    let text = text.replace(site.root().to_str().expect("UTF-8"), "[site]");
    let seconds = |line: &str| {
        let parts: Vec<String> = line
            .split(", ")
            .map(|part| {
                let is_time = part
                    .strip_suffix(" s")
                    .is_some_and(|n| n.parse::<f64>().is_ok());
                if is_time {
                    "[time]".to_owned()
                } else {
                    part.to_owned()
                }
            })
            .collect();
        parts.join(", ")
    };
    let line = |line: &str| match line.strip_prefix("Site-wide outputs: ") {
        // Each new page would change it.
        Some(_) => "Site-wide outputs: [number]\n".to_owned(),
        None => seconds(line) + "\n",
    };
    text.lines().map(line).collect()
}

/// Compares with the snapshot of this name in tests/snapshots/`folder`.
pub(crate) fn assert_snapshot(folder: &str, name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/snapshots")
            .join(folder),
    );
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}
