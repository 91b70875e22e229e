//! Parses `apply_patch` patches.

use formats::trace::EditKind;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct FileChange {
    pub(super) path: String,
    pub(super) change: EditKind,
    /// The new path of a renamed file.
    pub(super) to: Option<String>,
    /// The lines of its hunks.
    pub(super) diff: Option<String>,
}

/// The files that a patch changes, in order; empty if it is not a patch.
pub(super) fn read(patch: &str) -> Vec<FileChange> {
    let mut files: Vec<FileChange> = Vec::new();
    let Some(start) = patch.find("*** Begin Patch") else {
        return files;
    };
    let mut lines: Vec<&str> = Vec::new();
    for line in patch[start..].lines().skip(1) {
        let Some(marker) = line.strip_prefix("*** ") else {
            lines.push(line);
            continue;
        };
        if let Some(to) = marker.strip_prefix("Move to: ") {
            if let Some(file) = files.last_mut() {
                file.change = EditKind::Rename;
                file.to = Some(to.trim().to_owned());
            }
            continue;
        }
        let opened = [
            ("Add File: ", EditKind::Create),
            ("Update File: ", EditKind::Modify),
            ("Delete File: ", EditKind::Delete),
        ]
        .into_iter()
        .find_map(|(prefix, change)| Some((marker.strip_prefix(prefix)?, change)));
        let ends = marker.starts_with("End Patch");
        // `*** End of File` belongs to the hunk before it, and is not a line of the file.
        if opened.is_none() && !ends {
            continue;
        }
        close(&mut files, &mut lines);
        if ends {
            break;
        }
        files.extend(opened.map(|(path, change)| FileChange {
            path: path.trim().to_owned(),
            change,
            to: None,
            diff: None,
        }));
    }
    close(&mut files, &mut lines);
    files.retain(|file| !file.path.is_empty());
    files
}

fn close(files: &mut [FileChange], lines: &mut Vec<&str>) {
    if let Some(file) = files.last_mut().filter(|_| !lines.is_empty()) {
        file.diff = Some(lines.join("\n"));
    }
    lines.clear();
}
