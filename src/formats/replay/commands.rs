//! What a command does: commands that only read, search or list become such events (replay.md 4.4).

use super::TranslatedEvent;

/// Tokens that end a command.
const ENDS: [&str; 5] = ["&&", "||", ";", "|", "&"];

/// The event of a command, without its success.
pub(super) fn command(text: &str) -> TranslatedEvent<'static> {
    recognized(text).unwrap_or_else(|| TranslatedEvent::new("command").text("command", text))
}

fn recognized(text: &str) -> Option<TranslatedEvent<'static>> {
    let tokens = first_command(text);
    let (program, arguments) = tokens.split_first()?;
    match last_segment(program) {
        "cat" => Some(TranslatedEvent::new("read").text("path", operand(arguments)?)),
        "sed" => {
            let is_quiet = arguments.iter().any(|token| token == "-n");
            let (start, end) = arguments.iter().find_map(|token| range(token))?;
            let path = operand(arguments).filter(|_| is_quiet)?;
            let read = TranslatedEvent::new("read").text("path", path);
            Some(read.maybe("startLine", start).maybe("endLine", end))
        }
        "rg" | "grep" | "find" => {
            let query = arguments.iter().find(|token| !token.starts_with('-'))?;
            Some(TranslatedEvent::new("search").text("query", query))
        }
        "ls" => Some(TranslatedEvent::new("list").maybe("path", operand(arguments))),
        _ => None,
    }
}

/// The words of the first command of a command line.
pub fn first_command(text: &str) -> Vec<String> {
    let inner = shell_command(text);
    let words = words(inner.as_deref().unwrap_or(text));
    words.take_while(|word| !ENDS.contains(&&**word)).collect()
}

/// The command that a shell is asked to run; `None` if this is no call of a shell.
fn shell_command(text: &str) -> Option<String> {
    let mut words = words(text);
    let program = words.next()?;
    if !matches!(last_segment(&program), "bash" | "sh") {
        return None;
    }
    words.find(|word| word == "-lc" || word == "-c")?;
    words.next()
}

pub fn last_segment(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The words of a command. Quotes group; a backslash is a character like any other.
fn words(mut rest: &str) -> impl Iterator<Item = String> {
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        let mut word = String::new();
        loop {
            let ends = |it: char| it.is_whitespace() || matches!(it, '\'' | '"');
            let (plain, after) = rest.split_at(rest.find(ends).unwrap_or(rest.len()));
            word.push_str(plain);
            rest = after;
            let Some(quote @ ('\'' | '"')) = rest.chars().next() else {
                return Some(word);
            };
            let (quoted, after) = rest[1..].split_once(quote).unwrap_or((&rest[1..], ""));
            word.push_str(quoted);
            rest = after;
        }
    })
}

/// The last token that is neither an option nor a range of lines.
fn operand(arguments: &[String]) -> Option<&str> {
    let mut operands = arguments
        .iter()
        .filter(|token| !token.starts_with('-') && range(token).is_none());
    operands.next_back().map(String::as_str)
}

/// First and last line of a range as `sed` prints it: `10,20p`, `5p`.
fn range(token: &str) -> Option<(Option<u32>, Option<u32>)> {
    let lines = token.strip_suffix('p')?;
    if let Some((start, end)) = lines.split_once(',') {
        return Some((start.parse().ok(), end.parse().ok()));
    }
    let line = lines.parse().ok()?;
    Some((Some(line), Some(line)))
}

#[cfg(test)]
mod tests {
    use super::command;

    #[test]
    fn a_command_is_recognized_by_its_first_program() {
        for (text, kind, key, expected) in [
            ("cat a.js", "read", "path", "a.js"),
            ("bash -lc 'cat \"a b.js\"'", "read", "path", "a b.js"),
            ("cat > f <<'EOF'", "read", "path", "<<EOF"),
            ("cat a; ls", "read", "path", "ls"),
            ("cat a;ls", "read", "path", "a;ls"),
            ("cat a > b", "read", "path", "b"),
            ("grep -c . f", "search", "query", "."),
            ("/usr/bin/find . -name x", "search", "query", "."),
            ("ls -la src | head", "list", "path", "src"),
            ("sed -n '10,20p' a.js", "read", "path", "a.js"),
            (
                "sed 's/a/b/' a.js",
                "command",
                "command",
                "sed 's/a/b/' a.js",
            ),
            ("cd x && cat y", "command", "command", "cd x && cat y"),
            ("zsh -lc 'cat y'", "command", "command", "zsh -lc 'cat y'"),
            ("bash script", "command", "command", "bash script"),
            ("cat 'a b'\"c\"d", "read", "path", "a bcd"),
            ("cat ''", "read", "path", ""),
            ("cat 'a b", "read", "path", "a b"),
            ("bash -lc", "command", "command", "bash -lc"),
            ("", "command", "command", ""),
        ] {
            let event = command(text);
            assert_eq!(event.kind, kind, "{text}");
            let value = event.fields.iter().find(|(name, _)| *name == key);
            assert_eq!(value.and_then(|(_, value)| value.as_str()), Some(expected));
        }
    }
}
