//! One run as one HTML file: checked and rendered like a run of a site, then packed.

use std::io::ErrorKind;
use std::path::Path;

use memchr::memmem;
use serde_json::Value;

use ::secrets::Mask;
use base::diagnostics::{self, Diagnostic, Failure, Place, Severity, codes};
use base::files;
use base::links;
use content::discover::RunDirectory;
use content::inspect;
use content::load;
use formats::single_file::{EmbeddedFile, RUN};
use formats::trace;
use pages::render::single_file::{self, SingleFileContents};
use pages::view::{format, task};
use store::publish::Stage;

use super::SiteContent;
use super::memory::catch_panic;
use super::run::{self, SiteOutput};
use crate::site::Site;

/// What marks a result that was cut in the middle, in a line of a trace. Quotes in texts are escaped.
const TRUNCATED: &[u8] = b",\"truncated\":";

/// A run to share.
#[derive(Debug, Default)]
pub struct SharedRun {
    /// The problems of the run. With an error there is no page.
    pub diagnostics: Vec<Diagnostic>,
    /// The file.
    pub page: Option<Vec<u8>>,
    /// Slug of the run, for the name of the file.
    pub slug: String,
    /// Number of events.
    pub events: u64,
}

/// Checks one run like a build of the site, and makes its file unless it has errors. The site is one
/// [for a single file](Site::for_single_file).
pub fn share(site: &Site, directory: &RunDirectory) -> Result<SharedRun, Failure> {
    let gathered = SiteContent::read(site)?;
    let mut directories = gathered.directories.iter();
    let Some(found) = directories.find(|it| it.place.path() == directory.path()) else {
        return Ok(SharedRun::default());
    };
    let directory = &found.place;
    let folder = format!("{}/", directory.shown);
    let known = gathered.problems().chain(&gathered.archive_problems);
    // Texts of the site, such as its title and decisions, are on the page, too.
    let is_secret = |it: &Diagnostic| it.is_error() && it.code.name.starts_with("secret.");
    let known = known.filter(|it| it.place.path.starts_with(&folder) || is_secret(it));
    let mut shared = SharedRun {
        diagnostics: known.cloned().collect(),
        ..SharedRun::default()
    };
    let mut runs = gathered.archive.runs.iter();
    let index = runs.position(|entry| gathered.directory(entry).place.shown == directory.shown);
    let Some(index) = index else {
        // What a build only notes is the reason that there is nothing to share.
        let problems = shared.diagnostics.iter_mut();
        let reasons = problems.filter(|it| it.code == &codes::RECORD_NEVER_PUBLISHED);
        reasons.for_each(|it| it.severity = Severity::Error);
        return Ok(shared);
    };
    let one = |problem| vec![problem];
    let renderer = site.renderer(&[]).map_err(one)?;
    let mut stage = Stage::open(&site.out, &site.shown(&site.out), &site.inputs()).map_err(one)?;
    let output = SiteOutput {
        stage: &stage,
        renderer: &renderer,
        cache: None,
    };
    let has_errors = shared.diagnostics.iter().any(Diagnostic::is_error);
    let output = (!has_errors).then_some(output);
    let summary = gathered
        .pool
        .install(|| catch_panic(directory, || run::process(site, &gathered, index, output)));
    let summary = summary.map_err(one)?.map_err(one)?;
    let is_published = !has_errors && !summary.has_errors();
    shared.diagnostics.extend(summary.problems);
    gathered.mask.apply_all(&mut shared.diagnostics, "");
    diagnostics::sort(&mut shared.diagnostics);
    if is_published {
        stage.commit(RUN).map_err(one)?;
        let slug = &gathered.archive.runs[index].slug;
        shared.slug = slug.to_string();
        let folder = site.out.join(links::directory(&links::run(slug)));
        let data = read(&folder, RUN).map_err(one)?.unwrap_or_default();
        let data: Value = serde_json::from_slice(&data).unwrap_or_default();
        shared.events = tapes(&data)
            .filter_map(|tape| tape["events"].as_u64())
            .sum();
        shared.page = Some(pack(&folder, &data).map_err(one)?);
    }
    Ok(shared)
}

/// What was asked of a run, in a line without secrets; `None` if its files cannot be read.
pub fn task_of(site: &Site, directory: &RunDirectory) -> Option<String> {
    let limits = &site.config.limits;
    let record = load::record(directory, limits).ok()?;
    let run = inspect::record(&record).run?;
    let (files, _) = load::run(directory, &record, limits);
    let found = inspect::annotated(&site.config, &files).value;
    let task = task::task(&run, None, found.tapes.first());
    let mask = Mask::of_site("task", task.as_bytes());
    Some(mask.masked(&task).unwrap_or(task))
}

fn tapes(data: &Value) -> impl Iterator<Item = &Value> {
    data["tapes"].as_array().into_iter().flatten()
}

/// Packs the published files of a run.
fn pack(folder: &Path, data: &Value) -> Result<Vec<u8>, Diagnostic> {
    let page = read(folder, "index.html")?.unwrap_or_default();
    let page = String::from_utf8_lossy(&page);
    let (mut files, mut left_out) = (Vec::new(), left_out(data));
    let sidecars = tapes(data).map(|tape| &tape["sidecar"]["file"]);
    let names = tapes(data).map(|tape| &tape["file"]).chain(sidecars);
    for name in names.filter_map(Value::as_str).chain([RUN]) {
        let Some(bytes) = read(folder, name)? else {
            left_out.push(format!("{name}, which the site does not publish"));
            continue;
        };
        let cut = memmem::find_iter(&bytes, TRUNCATED).count();
        if trace::is_trace(name) && cut > 0 {
            left_out.push(format!("the middle of {}", format::count(cut, "result")));
        }
        let name = name.to_owned();
        files.push(EmbeddedFile { name, bytes });
    }
    single_file::pack(&SingleFileContents {
        page: &page,
        file: &|path| read(folder, path).ok().flatten(),
        files,
        left_out,
    })
}

/// A staged file; `None` if there is none.
fn read(folder: &Path, name: &str) -> Result<Option<Vec<u8>>, Diagnostic> {
    match files::read(&folder.join(name)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(codes::PUBLISH_IO.at(
            Place::file(name),
            format!("The file cannot be read: {error}"),
            "Check the permissions of the folder for temporary files.",
        )),
    }
}

/// What of the run was withheld before, by count.
fn left_out(data: &Value) -> Vec<String> {
    let counts = |value: &Value| -> Vec<(String, usize)> {
        let counts = value.as_object().into_iter().flatten();
        let counts = counts.filter_map(|(what, count)| {
            let count = usize::try_from(count.as_u64()?).ok()?;
            Some((words(what), count))
        });
        counts.filter(|(_, count)| *count > 0).collect()
    };
    let mut left_out = Vec::new();
    let import = counts(&data["record"]["import"]["withheld"]);
    let import: Vec<_> = import
        .iter()
        .map(|(what, count)| format!("{what} {count}"))
        .collect();
    if !import.is_empty() {
        left_out.push(format!("{} by the import", import.join(", ")));
    }
    let redacted = data["withheld"].as_array().map_or(0, Vec::len);
    if redacted > 0 {
        left_out.push(format::count(redacted, "redacted part"));
    }
    let mut private = Vec::new();
    for (key, what) in [
        ("withheld", "block"),
        ("withheldEvents", "event"),
        ("withheldAssets", "asset"),
    ] {
        let all = counts(&data["transcript"][key]);
        let count: usize = all.iter().map(|(_, count)| count).sum();
        if count > 0 {
            private.push(format::count(count, what));
        }
    }
    if !private.is_empty() {
        left_out.push(format!(
            "not public in the transcript {}",
            private.join(", ")
        ));
    }
    left_out
}

/// `systemPrompts` as `system prompts`.
fn words(key: &str) -> String {
    let mut words = String::new();
    for c in key.chars() {
        if c.is_ascii_uppercase() {
            words.push(' ');
        }
        words.push(c.to_ascii_lowercase());
    }
    words
}
