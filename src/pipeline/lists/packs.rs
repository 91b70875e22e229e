//! Writes the packs: ZIP archives of the event logs, tapes and sidecars of many runs. The feed of downloads lists their members.
//!
//! Members were compressed when their runs were read; a pack is assembled here with one member in memory at a time. The id of a
//! run selects its pack, so a new run changes one pack. The same members give the same bytes.

mod zip;

use std::collections::BTreeMap;
use std::io::{self, Write};

use rayon::prelude::*;

use crate::config::{self, Downloads};
use crate::diagnostics::{Diagnostic, Place, codes};
use crate::feeds::downloads::DownloadDocument;
use crate::feeds::write_document;
use crate::model::archive::Entry;
use crate::model::findings::{Member, Slice};
use crate::pipeline::run::member;
use crate::spool::Texts;

use super::Lists;

use self::zip::Layout;

/// A file in a pack.
struct Packed<'a> {
    /// Its path in the pack.
    path: String,
    member: Member,
    /// `None` for a file that every pack contains.
    run: Option<&'a Entry>,
}

/// The files of each pack, by the path of the pack.
type Packs<'a> = BTreeMap<String, Vec<Packed<'a>>>;

pub(super) fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    if lists.config().publish.downloads != Downloads::Packed {
        return Ok(());
    }
    let (packs, own) = packs(lists)?;
    packs
        .par_iter()
        .try_for_each(|(path, files)| pack(lists, path, (files, &own)))
}

/// Writes an entry for each file to the feed of downloads, by pack and path.
pub(super) fn write_index(lists: &Lists<'_>, out: &mut dyn Write) -> io::Result<()> {
    let config = lists.config();
    let (packs, _) = packs(lists).map_err(|problem| io::Error::other(problem.message))?;
    for (path, files) in &packs {
        let heads = layout(files).unwrap_or_default().heads;
        let address = config
            .publish
            .address(lists.base().unwrap_or_default(), path);
        for (file, (_, offset)) in files.iter().zip(heads) {
            if let Some(run) = file.run {
                let place = (address.as_str(), file.path.as_str(), offset);
                write_document(out, &DownloadDocument::of(run, &file.member, place))?;
            }
        }
    }
    Ok(())
}

/// The packs, and the content of files that every pack contains.
fn packs<'a>(lists: &'a Lists<'_>) -> Result<(Packs<'a>, Texts), Diagnostic> {
    let (mut packs, mut own) = (Packs::new(), Texts::default());
    let publish = &lists.config().publish;
    for (entry, findings) in lists.runs() {
        for member in &findings.spooled.members {
            let download = publish.download(&entry.slug, &entry.run.id, &member.file);
            let Some((path, Some(member_path))) = download.map(|it| (it.path, it.member)) else {
                continue;
            };
            packs.entry(path).or_default().push(Packed {
                path: member_path,
                member: member.clone(),
                run: Some(entry),
            });
        }
    }
    let canary = lists.config().policy.canary.as_ref();
    let canary =
        canary.map(|canary| member("canary.txt", format!("{canary}\n").as_bytes(), &mut own));
    let canary = canary.transpose()?;
    for files in packs.values_mut() {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.extend(canary.iter().map(|member| Packed {
            path: member.file.clone(),
            member: member.clone(),
            run: None,
        }));
    }
    Ok((packs, own))
}

fn layout(files: &[Packed<'_>]) -> Option<Layout> {
    Layout::of(files.iter().map(|file| zip::Entry {
        path: &file.path,
        crc32: file.member.crc32,
        packed: file.member.at.bytes as u64,
        bytes: file.member.bytes,
    }))
}

fn pack(
    lists: &Lists<'_>,
    path: &str,
    (files, own): (&[Packed<'_>], &Texts),
) -> Result<(), Diagnostic> {
    let layout = layout(files).ok_or_else(|| too_large(path))?;
    let mut key = blake3::Hasher::new();
    for file in files {
        key.update(&(file.path.len() as u64).to_le_bytes());
        key.update(file.path.as_bytes());
        key.update(&file.member.blake3);
    }
    let read = |file: &Packed<'_>| {
        let at: Slice = file.member.at;
        match file.run {
            Some(_) => lists.stage.spool.get(at),
            None => Ok(own.get(at).to_vec()),
        }
    };
    let key = Some(key.finalize().into());
    let made = lists.unless_made_of((path, key), |lists| {
        lists.stage.stream(path, |out| {
            for (file, (head, _)) in files.iter().zip(&layout.heads) {
                out.write_all(head)?;
                out.write_all(&read(file)?)?;
            }
            out.write_all(&layout.end)
        })
    });
    made.map(drop)
}

fn too_large(path: &str) -> Diagnostic {
    codes::PUBLISH_OVER_BUDGET.at(
        Place::file(config::FILE_NAME).pointing("/publish/packs"),
        format!("The pack `{path}` would be larger than 4 GiB or hold more than 65,535 files, which a ZIP archive cannot"),
        "Raise `packs` in `[publish]`.",
    )
}
