//! Searches all published parts of a run for secrets.

use std::collections::BTreeMap;
use std::io::Read;

use crate::site::Site;
use ::secrets::{self, ScanReport, Scanner};
use base::diagnostics::Diagnostic;
use base::links::Slug;
use content::inspect::Inspection;
use content::load::{LoadedFile, RunFiles};
use formats::model::FileDigest;
use formats::model::implementation::FOLDER;
use formats::model::transcript::AssetContent;
use formats::redactions;
use pages::feeds::transcript::TranscriptDocument;

/// Searches the files of a run, assigns all its problems to it, and masks the values found in them.
pub(super) fn scan(
    site: &Site,
    id: &str,
    record: &LoadedFile,
    files: &RunFiles,
    inspection: &Inspection<'_>,
    problems: &mut Vec<Diagnostic>,
) -> ScanReport {
    let mut scanned = search(site, id, record, files, inspection);
    let folder = format!("{}/", files.directory.shown);
    problems.append(&mut scanned.problems);
    for problem in problems {
        problem.assign(id);
        scanned.mask.apply(problem, &folder);
    }
    scanned
}

fn search(
    site: &Site,
    id: &str,
    record: &LoadedFile,
    files: &RunFiles,
    inspection: &Inspection<'_>,
) -> ScanReport {
    let mut scanner = Scanner::new(&site.config.secrets, id);
    if !site.config.secrets.scan {
        return scanner.finish();
    }
    for file in files.events.iter().chain(&files.tapes) {
        tape(&mut scanner, file, inspection);
    }
    let own = [&files.writeup, &files.threads, &files.thread_actions];
    let own = own.into_iter().flatten();
    let own = own.chain([record]).chain(&inspection.raw_download);
    for file in own.chain(&files.sidecars) {
        scanner.file(&file.name, &file.shown, &file.bytes);
    }
    transcript(&mut scanner, files, inspection);
    listed(&mut scanner, files);
    let tree = inspection
        .implementation
        .files
        .iter()
        .map(|file| &file.digest);
    let named = inspection.referenced.iter().chain(tree);
    let named: BTreeMap<&str, &FileDigest> =
        named.map(|digest| (digest.path.as_str(), digest)).collect();
    for (name, digest) in named {
        let shown = format!("{}/{name}", files.directory.shown);
        match content(files, digest) {
            Some(bytes) => scanner.file(name, &shown, &bytes),
            None => scanner.name(name, &shown),
        }
    }
    scanner.finish()
}

/// Searches a log, a trace or a tape. If its reasoning is withheld, the file is not a download, and of an event with reasoning
/// only the part on the page is published.
fn tape(scanner: &mut Scanner<'_>, file: &LoadedFile, inspection: &Inspection<'_>) {
    let mut tapes = inspection.tapes.iter();
    let tape = tapes.find(|tape| tape.file == file.name && tape.withheld > 0);
    let events = tape.into_iter().flat_map(|tape| &tape.events);
    let withheld: BTreeMap<u32, Vec<u8>> = events
        .filter(|event| event.source.is_empty())
        .map(|event| {
            let facts = event.facts.iter().map(|(_, value)| &**value);
            let blocks = event.blocks.iter();
            let blocks = blocks.flat_map(|block| [&*block.about, &*block.text]);
            let shown = [&*event.headline].into_iter().chain(facts).chain(blocks);
            let shown: Vec<&str> = shown.collect();
            let texts = serde_json::to_vec(&shown).unwrap_or_default();
            (event.line, texts)
        })
        .collect();
    scanner.file_where(&file.name, &file.shown, &file.bytes, |finding, value| {
        let shown = withheld.get(&finding.line);
        shown.is_none_or(|shown| secrets::contains_value(shown, value))
    });
}

/// Searches the published part of a transcript, and its asset files.
fn transcript(scanner: &mut Scanner<'_>, files: &RunFiles, inspection: &Inspection<'_>) {
    let (Some(file), Some(conversation)) = (&files.transcript, &inspection.conversation) else {
        return;
    };
    let document = TranscriptDocument::of(&Slug::default(), conversation);
    let published = serde_json::to_vec(&document).unwrap_or_default();
    scanner.file_where(&file.name, &file.shown, &file.bytes, |_, value| {
        secrets::contains_value(&published, value)
    });
    for asset in &conversation.assets {
        if let Some(AssetContent::Bytes(bytes)) = asset.file.as_deref().map(|file| &file.content) {
            let name = format!("{}#{}", file.name, asset.pointer);
            scanner.file(&name, &file.shown, bytes);
        }
    }
}

/// Searches the published parts of `redactions.jsonl`.
fn listed(scanner: &mut Scanner<'_>, files: &RunFiles) {
    let list: Vec<_> = files.redactions.to_published();
    let texts = list.iter().map(|it| {
        let optional = [&it.pointer, &it.note, &it.at, &it.commitment];
        let optional = optional.into_iter().flatten();
        let texts = [&it.id, &it.file].into_iter().chain(optional);
        texts.map(String::as_str).collect::<Vec<_>>()
    });
    let published = serde_json::to_vec(&texts.collect::<Vec<_>>()).unwrap_or_default();
    let shown = format!("{}/{}", files.directory.shown, redactions::FILE_NAME);
    let bytes = &files.redactions.bytes;
    scanner.file_where(redactions::FILE_NAME, &shown, bytes, |_, value| {
        secrets::contains_value(&published, value)
    });
}

/// The beginning of a published file that is neither a log nor a document. A file that can no longer be read is reported when it is
/// published. Pictures and programs are searched, too: they may hold texts.
fn content(files: &RunFiles, digest: &FileDigest) -> Option<Vec<u8>> {
    let path = digest.path.as_str();
    if let Some((tape, hash)) = path.split_once(".cas/") {
        return Some(files.payload(tape, hash, 0).ok()??.bytes);
    }
    let is_of_tree = path
        .strip_prefix(FOLDER)
        .is_some_and(|below| below.starts_with('/'));
    let file = if is_of_tree {
        files.working_reader(digest).ok()?
    } else {
        files.asset_reader(digest).ok()?
    };
    let mut bytes = Vec::new();
    file.take(files.limits.document)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(bytes)
}
