//! The header that Codex writes before the output of a command.

/// The fields of a header, and the output after it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct CommandHeader<'t> {
    /// Exit code; absent while the command runs.
    pub(super) exit_code: Option<i64>,
    /// Whether the command still runs.
    pub(super) running: bool,
    pub(super) output: &'t str,
}

/// Reads the header at the start of a result; `None` if there is none.
pub(super) fn read(text: &str) -> Option<CommandHeader<'_>> {
    older(text).or_else(|| newer(text))
}

/// `Exit code: 0`, `Wall time: 0.1 seconds`, optionally `Total output lines: 3`, `Output:`.
fn older(text: &str) -> Option<CommandHeader<'_>> {
    let (code, rest) = line(text.strip_prefix("Exit code: ")?)?;
    let rest = wall_time(rest)?;
    let rest = optional(rest, "Total output lines: ", digits)?;
    Some(CommandHeader {
        exit_code: Some(code.parse().ok()?),
        running: false,
        output: rest.strip_prefix("Output:\n")?,
    })
}

/// Optionally `Chunk ID: 1a2b`, `Wall time: 0.1 seconds`, optionally `Process exited with code 0`, optionally
/// `Process running with session ID 7`, optionally `Original token count: 12`, `Output:`.
fn newer(text: &str) -> Option<CommandHeader<'_>> {
    let word = |value: &str| !value.is_empty() && !value.contains(char::is_whitespace);
    let rest = wall_time(optional(text, "Chunk ID: ", word)?)?;
    let (exit_code, rest) = match rest.strip_prefix("Process exited with code ") {
        Some(rest) => {
            let (code, rest) = line(rest)?;
            (Some(code.parse().ok()?), rest)
        }
        None => (None, rest),
    };
    let after = optional(rest, "Process running with session ID ", word)?;
    let running = after.len() < rest.len();
    let rest = optional(after, "Original token count: ", digits)?;
    Some(CommandHeader {
        exit_code: exit_code.filter(|_| !running),
        running,
        output: rest.strip_prefix("Output:\n")?,
    })
}

fn line(text: &str) -> Option<(&str, &str)> {
    text.split_once('\n')
}

fn digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn wall_time(text: &str) -> Option<&str> {
    let (time, rest) = line(text.strip_prefix("Wall time: ")?)?;
    let time = time.strip_suffix(" seconds")?;
    let is_number = time
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    (is_number && !time.is_empty()).then_some(rest)
}

/// The text after an optional line; `None` if the line has an invalid value.
fn optional<'t>(text: &'t str, prefix: &str, is_value: impl Fn(&str) -> bool) -> Option<&'t str> {
    let Some(rest) = text.strip_prefix(prefix) else {
        return Some(text);
    };
    let (value, rest) = line(rest)?;
    is_value(value).then_some(rest)
}
