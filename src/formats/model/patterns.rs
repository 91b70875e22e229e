//! What an event does, without its particulars: events of several runs that do the same have the same pattern.

use super::tape::{Event, Family};
use super::words;
use crate::replay;

/// Only so many bytes of a command line or a path are read.
const MAX_TEXT_BYTES: usize = 4096;
/// Most characters of a pattern.
const MAX_PATTERN_CHARS: usize = 80;

/// The tool with the beginning of its command or the kind of its file: `command npm run build`, `read spec/*.md`. `None` for what names
/// neither a command nor a path.
pub fn of(event: &Event<'_>) -> Option<String> {
    let text = &event.headline[..event.headline.floor_char_boundary(MAX_TEXT_BYTES)];
    let subject = match event.kind.family {
        Family::Command => command(text)?,
        Family::Read | Family::Write if event.kind.word != "search" => path(text)?,
        _ => return None,
    };
    Some(words::excerpt(
        &format!("{} {subject}", event.kind.word.replace('_', " ")),
        MAX_PATTERN_CHARS,
    ))
}

/// The program with up to two words that follow it, such as its subcommand: `git diff`, without options, paths and values.
fn command(text: &str) -> Option<String> {
    let tokens = replay::first_command(text);
    let (program, arguments) = tokens.split_first()?;
    let is_word = |token: &&String| {
        let is_letter = |letter: char| letter.is_ascii_lowercase() || ":-".contains(letter);
        !token.starts_with('-') && token.chars().all(is_letter)
    };
    let subcommands = arguments.iter().take(2).take_while(is_word);
    let mut words = vec![replay::last_segment(program)];
    words.extend(subcommands.map(String::as_str));
    Some(words.join(" "))
}

/// The folder and the extension: `src/*.ts` of `/work/src/game.ts`. `None` if it has neither.
fn path(text: &str) -> Option<String> {
    let mut segments = text.rsplit('/');
    let file = segments.next().filter(|file| !file.is_empty())?;
    let folder = segments.next().filter(|folder| !folder.is_empty());
    let extension = file.rsplit_once('.').map(|(_, extension)| extension);
    match (folder, extension) {
        (Some(folder), Some(extension)) => Some(format!("{folder}/*.{extension}")),
        (Some(folder), None) => Some(format!("{folder}/*")),
        (None, Some(extension)) => Some(format!("*.{extension}")),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{command, path};

    #[test]
    fn a_pattern_has_the_command_or_the_kind_of_file_and_no_particulars() {
        for (text, pattern) in [
            ("bash -lc 'npm run build -- --watch'", "npm run build"),
            ("git diff -- src/main.ts", "git diff"),
            ("/usr/bin/cargo test parser && ls", "cargo test parser"),
            ("ls -la .", "ls"),
            ("npx prettier --check src/main.ts", "npx prettier"),
        ] {
            assert_eq!(command(text).as_deref(), Some(pattern));
        }
        assert_eq!(command("  "), None);
        for (text, pattern) in [
            ("/work/src/game.ts", "src/*.ts"),
            ("README.md", "*.md"),
            ("src/Makefile", "src/*"),
        ] {
            assert_eq!(path(text).as_deref(), Some(pattern));
        }
        assert_eq!((path("src/"), path("serve")), (None, None));
    }
}
