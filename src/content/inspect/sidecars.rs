//! Matches each sidecar with its tape, and checks it.

use crate::load::RunFiles;
use base::diagnostics::text::quoted;
use base::diagnostics::{Diagnostic, Place, codes};
use formats::config::Config;
use formats::model::steps::mark_repeated_failures;

use crate::rules;

use super::Inspection;

pub(super) fn sidecars<'a>(
    config: &Config,
    files: &'a RunFiles,
    found: &mut Inspection<'a>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    found.sidecars = found.tapes.iter().map(|_| None).collect();
    for file in &files.sidecars {
        let (sidecar, problems) = formats::sidecar::parse(&file.shown, &file.bytes);
        diagnostics.extend(problems);
        let Some(expected) = file.name.strip_suffix(formats::sidecar::SUFFIX) else {
            continue;
        };
        let named = sidecar
            .as_ref()
            .and_then(|sidecar| sidecar.header.tape_path.as_deref());
        let present = |name: &str| directory_has(files, name);
        let tape = if present(expected) {
            Some(expected.to_owned())
        } else {
            short_spelling(expected, named, present)
        };
        let loaded = |tape: &String| found.tapes.iter().position(|t| t.file == *tape);
        let Some(index) = tape.as_ref().and_then(loaded) else {
            // A tape that fails to load has its own error.
            if tape.is_none() {
                let problem = rules::sidecar::without_tape(&file.shown, &file.bytes, expected);
                diagnostics.push(problem);
            }
            if let Some(sidecar) = &sidecar {
                diagnostics.extend(rules::sidecar::check_alone(&file.shown, sidecar));
            }
            continue;
        };
        if found.sidecars[index].is_some() {
            let tape = &found.tapes[index].file;
            let name = format!("{tape}{}", formats::sidecar::SUFFIX);
            diagnostics.push(codes::SIDECAR_AMBIGUOUS.at(
                Place::file(&file.shown),
                format!("The tape {} has a second sidecar", quoted(tape)),
                format!("Keep one of them, named {}.", quoted(&name)),
            ));
            continue;
        }
        let Some(sidecar) = sidecar else { continue };
        let tape = &mut found.tapes[index];
        let checked = rules::sidecar::check(config, &file.shown, &file.name, sidecar, tape);
        let sidecar = checked.unpack(diagnostics);
        for annotation in &sidecar.annotations {
            if let Some(position) = tape.position(annotation.event) {
                tape.events[position].cache_digest();
            }
        }
        tape.mute(&sidecar.annotations);
        found.sidecars[index] = Some(sidecar);
    }
    // A muted event is no failure that another event could belong to.
    found.tapes.iter_mut().for_each(mark_repeated_failures);
}

fn directory_has(files: &RunFiles, name: &str) -> bool {
    files
        .events
        .iter()
        .chain(&files.tapes)
        .any(|file| file.name == name)
        || files.unreadable.iter().any(|unreadable| unreadable == name)
}

/// Harn's fixtures drop the tape's extension: accepted if the header names the tape (formats.md H.2).
fn short_spelling(
    stem: &str,
    named: Option<&str>,
    present: impl Fn(&str) -> bool,
) -> Option<String> {
    let named = named?.rsplit(['/', '\\']).next()?;
    formats::tape::EXTENSIONS
        .iter()
        .map(|extension| format!("{stem}{extension}"))
        .find(|candidate| candidate == named && present(candidate))
}
