//! The data that an auditor needs to check a commitment against the recorded file.

use std::fmt::Write;
use std::ops::Range;

use crate::Refusal;
use crate::open_run;
use base::diagnostics::text::quoted;
use content::load;
use formats::json::{JsonKind, Node};
use formats::redactions::{FileLayout, Redaction, proof};
use pipeline::site::Site;

use super::original_files::OriginalFiles;
use super::redaction_list::RedactionList;

/// Prints the salt of a redaction and the commands that check its commitment.
pub fn reveal_proof(site: &Site, run: &str, id: &str) -> Result<String, Refusal> {
    let directory = open_run::find(site, run)?;
    let mut list = RedactionList::read(&directory)?;
    let originals = OriginalFiles::read(&directory, &site.config)?;
    let run_id = super::run_id(&originals, &directory)?;
    let key = load::redaction_key(&site.root)?.ok_or_else(|| {
        Refusal::request(
            format!("The file `{}` does not exist", proof::KEY_FILE),
            "Copy it from the machine on which the redaction was written.",
        )
    })?;
    let at = list
        .position(id)
        .ok_or_else(|| super::no_redaction(&list, id))?;
    let values = list
        .update_published(&originals)
        .map_err(|fault| super::stale(&list, &fault))?;
    let redaction = &list.entries[at].redaction;
    let salt = proof::salt(&key, &run_id, redaction);
    let value = values.get(&at).ok_or_else(|| {
        Refusal::request(
            format!(
                "The file {} is not in the run directory",
                quoted(&redaction.file)
            ),
            "Restore the recorded file.",
        )
    })?;
    let commitment = proof::commitment(&salt, value);
    if redaction
        .commitment
        .as_ref()
        .is_some_and(|stated| *stated != commitment)
    {
        let message = format!(
            "The commitment of redaction {} is of another text, run or key",
            quoted(id)
        );
        let help = "Restore the recorded file and `redaction.key` as they were.";
        return Err(Refusal::request(message, help));
    }
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "Run:        {run_id}\nRedaction:  {id}\nPlace:      {}\nLength:     {}\nSalt:       {}\nCommitment: {}\n\n\
         With the recorded file and b3sum, this prints the commitment:\n  {} > withheld\n  printf {} | xxd -r -p | b3sum --keyed --no-names withheld\n\n\
         Give the salt only to who may check guesses of the text.\n",
        redaction.place(),
        length(redaction, value),
        proof::hex(salt),
        commitment.trim_start_matches("blake3:"),
        extraction(redaction, &originals),
        proof::hex(salt),
    );
    Ok(text)
}

fn length(redaction: &Redaction, value: &[u8]) -> String {
    let characters = redaction
        .length
        .map_or_else(String::new, |length| format!("{length} characters, "));
    format!("{characters}{} bytes", value.len())
}

/// The command that prints exactly the withheld bytes of the recorded file.
fn extraction(redaction: &Redaction, originals: &OriginalFiles) -> String {
    let file = format!("'{}'", redaction.file.replace('\'', r"'\''"));
    if redaction.whole {
        return format!("cat {file}");
    }
    let (start, end) = (redaction.start.unwrap_or(0), redaction.end.unwrap_or(0));
    let cut = format!("head -c {end} | tail -c {}", end.saturating_sub(start));
    let shape = FileLayout::of(&redaction.file);
    let bytes = originals.bytes(&redaction.file);
    let line = formats::redactions::line_of(&redaction.file, bytes, redaction);
    let lines = match line.as_ref().filter(|_| shape.has_lines()) {
        Some((number, _)) => format!("sed -n {number}p {file}"),
        None => format!("cat {file}"),
    };
    let Some(pointer) = &redaction.pointer else {
        return format!("{lines} | {cut}");
    };
    let text = line.map_or(bytes, |(_, range)| &bytes[range]);
    let text = std::str::from_utf8(base::diagnostics::without_mark(text)).unwrap_or_default();
    match value_at(text, pointer) {
        Some((path, None)) => format!("{lines} | jq -j 'getpath({path})' | {cut}"),
        // jq may format a number or an object differently.
        Some((_, Some(range))) => {
            format!("{lines} | head -c {} | tail -c {}", range.end, range.len())
        }
        None => format!("{lines} | {cut}"),
    }
}

/// The path of a value for jq, and its range if it is not a string.
fn value_at(text: &str, pointer: &str) -> Option<(String, Option<Range<usize>>)> {
    let before = text.len() - text.trim_start().len();
    let mut node = Node::parse(text.trim()).ok()?;
    let mut path = Vec::new();
    for part in pointer.split('/').skip(1) {
        let name = part.replace("~1", "/").replace("~0", "~");
        path.push(if node.kind() == JsonKind::Array {
            name.parse::<usize>().ok()?.to_string()
        } else {
            serde_json::to_string(&name).ok()?.replace('\'', "\\u0027")
        });
        node = node.find(&format!("/{part}"))?;
    }
    let start = before + node.offset;
    let range = (node.kind() != JsonKind::String).then(|| start..start + node.raw.len());
    Some((format!("[{}]", path.join(",")), range))
}
