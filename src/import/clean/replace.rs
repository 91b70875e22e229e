//! Finds absolute paths, names, addresses and credentials in a text.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use aho_corasick::AhoCorasick;
use memchr::memmem::Finder;
use memchr::{memchr2_iter, memchr3_iter};

use crate::import::draft::Identity;

/// Accounts and words that identify nobody. A home folder with such a name is replaced, but not the word elsewhere.
const GENERIC: &[&str] = &[
    "admin",
    "agent",
    "all",
    "app",
    "application",
    "art",
    "azureuser",
    "bin",
    "bob",
    "build",
    "builder",
    "chase",
    "claude",
    "code",
    "codespace",
    "codex",
    "container",
    "data",
    "default",
    "dev",
    "developer",
    "docker",
    "drew",
    "ec2-user",
    "example",
    "gitpod",
    "grant",
    "guest",
    "home",
    "jovyan",
    "linuxbrew",
    "local",
    "main",
    "mark",
    "max",
    "may",
    "model",
    "name",
    "node",
    "openhands",
    "pat",
    "project",
    "public",
    "rob",
    "root",
    "runner",
    "sandbox",
    "shared",
    "src",
    "swe",
    "test",
    "tester",
    "ubuntu",
    "user",
    "username",
    "users",
    "vagrant",
    "van",
    "vscode",
    "web",
    "will",
    "work",
    "workspace",
    "www",
    "you",
    "your",
];

/// What a match is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A folder that becomes `.`, also in slug form.
    Workspace,
    /// Parents of home folders, followed by a name.
    Homes,
    /// A home folder that becomes `~`, also in slug form.
    Home,
    /// A temporary folder that becomes `tmp`.
    Temp,
    /// Parents of temporary folders, followed by two names and `T`.
    Folders,
    User,
    Host,
    /// E-mail addresses and credentials.
    At,
}

/// Up to this many patterns are searched one by one, which is faster than all at once.
const FEW: usize = 48;

/// Maximum home folders whose names are replaced everywhere. The folders themselves are always replaced.
const PEOPLE: usize = 1_000;

/// The patterns of one run.
pub(super) struct Replacer {
    /// Patterns that begin with `/`, `\\` or `@`.
    marked: Vec<(String, Kind)>,
    /// Patterns that begin with another character.
    words: Vec<(Finder<'static>, Kind)>,
    /// All patterns, if there are many.
    all: Option<AhoCorasick>,
    users: BTreeSet<String>,
    replaces_paths: bool,
    replaces_names: bool,
    /// Number of replaced paths.
    pub(super) paths: u64,
    /// Number of replaced names, addresses and credentials.
    pub(super) names: u64,
}

const HOMES: [&str; 4] = ["/Users/", "/home/", r"\Users\", r"\\Users\\"];

impl Replacer {
    pub(super) fn new(identity: &Identity, replaces_paths: bool, replaces_names: bool) -> Self {
        let mut new = Self {
            marked: Vec::new(),
            words: Vec::new(),
            all: None,
            users: identity.users.iter().cloned().collect(),
            replaces_paths,
            replaces_names,
            paths: 0,
            names: 0,
        };
        for workspace in &identity.workspaces {
            new.learn(workspace);
        }
        if replaces_paths {
            for workspace in &identity.workspaces {
                let workspace = workspace.trim_end_matches(['/', '\\']);
                // The root of a disk is not a workspace.
                if workspace.len() < 2 || workspace.ends_with(':') {
                    continue;
                }
                new.find(workspace, Kind::Workspace);
                let slug: String = workspace
                    .chars()
                    .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
                    .collect();
                if slug.matches('-').count() > 1 {
                    new.find(&slug, Kind::Workspace);
                }
            }
            new.find("/root", Kind::Home);
            for temp in ["/private/tmp", "/private/var/tmp", "/var/tmp", "/tmp"] {
                new.find(temp, Kind::Temp);
            }
            new.find("/private/var/folders/", Kind::Folders);
            new.find("/var/folders/", Kind::Folders);
            for home in HOMES {
                new.find(home, Kind::Homes);
            }
        }
        if replaces_names {
            for host in identity.hosts.iter().filter(|host| host.len() > 2) {
                new.find(host, Kind::Host);
            }
            new.find("@", Kind::At);
        }
        new
    }

    fn find(&mut self, text: &str, kind: Kind) {
        if text.starts_with(['/', '\\', '@']) {
            self.marked.push((text.to_owned(), kind));
        } else {
            self.words.push((Finder::new(text).into_owned(), kind));
        }
    }

    /// Collects the names of home folders.
    pub(super) fn learn(&mut self, text: &str) {
        for at in memchr2_iter(b'/', b'\\', text.as_bytes()) {
            let rest = HOMES.iter().find_map(|home| text[at..].strip_prefix(home));
            let name = rest.map_or("", name);
            let is_new = !name.is_empty() && !self.users.contains(name);
            if is_new && self.users.len() < PEOPLE {
                self.users.insert(name.to_owned());
            }
        }
    }

    /// Adds the collected names to the patterns.
    pub(super) fn learned(&mut self) {
        for user in std::mem::take(&mut self.users) {
            if self.replaces_paths {
                self.find(&format!("-Users-{user}"), Kind::Home);
                self.find(&format!("-home-{user}"), Kind::Home);
            }
            let is_generic = GENERIC.contains(&user.to_ascii_lowercase().as_str());
            if self.replaces_names && user.len() > 2 && !is_generic {
                self.find(&user, Kind::User);
            }
        }
        if self.marked.len() + self.words.len() > FEW {
            let marked = self.marked.iter().map(|(text, _)| text.as_bytes());
            let words = self.words.iter().map(|(finder, _)| finder.needle());
            self.all = AhoCorasick::new(marked.chain(words)).ok();
        }
    }

    /// Calls `f` with every possible match: position, kind and length.
    fn each(&self, text: &str, mut f: impl FnMut(usize, Kind, usize)) {
        if let Some(all) = &self.all {
            for found in all.find_overlapping_iter(text) {
                let at = found.pattern().as_usize();
                let kind = match self.marked.get(at) {
                    Some((_, kind)) => *kind,
                    None => self.words[at - self.marked.len()].1,
                };
                f(found.start(), kind, found.len());
            }
            return;
        }
        let bytes = text.as_bytes();
        for at in memchr3_iter(b'/', b'\\', b'@', bytes) {
            for (marked, kind) in &self.marked {
                if bytes[at..].starts_with(marked.as_bytes()) {
                    f(at, *kind, marked.len());
                }
            }
        }
        for (finder, kind) in &self.words {
            for at in finder.find_iter(bytes) {
                f(at, *kind, finder.needle().len());
            }
        }
    }

    /// The text with all replacements; `None` if nothing matched.
    pub(super) fn replace(&mut self, text: &str) -> Option<String> {
        let mut edits: Vec<(Range<usize>, Cow<'static, str>, Kind)> = Vec::new();
        self.each(text, |at, kind, length| {
            if let Some((range, by)) = edit(text, at, length, kind) {
                edits.push((range, by, kind));
            }
        });
        if edits.is_empty() {
            return None;
        }
        edits.sort_by(|(a, ..), (b, ..)| a.start.cmp(&b.start).then(b.end.cmp(&a.end)));
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for (range, by, kind) in edits {
            if range.start < done {
                continue;
            }
            out.push_str(&text[done..range.start]);
            out.push_str(&by);
            done = range.end;
            if matches!(kind, Kind::User | Kind::Host | Kind::At) {
                self.names += 1;
            } else {
                self.paths += 1;
            }
        }
        out.push_str(&text[done..]);
        Some(out)
    }
}

/// The replacement of a match, if it is a real one.
fn edit(
    text: &str,
    at: usize,
    length: usize,
    kind: Kind,
) -> Option<(Range<usize>, Cow<'static, str>)> {
    let end = at + length;
    let found = |range, by: &'static str| Some((range, Cow::Borrowed(by)));
    match kind {
        Kind::User => is_word(text, at, end).then_some((at..end, Cow::Borrowed("user"))),
        Kind::Host => is_word(text, at, end).then_some((at..end, Cow::Borrowed("host"))),
        Kind::At => address(text, at),
        Kind::Workspace => {
            let start = start(text, at)?;
            ends(text, end).then(|| found(start..end, "."))?
        }
        Kind::Home => {
            let start = start(text, at)?;
            ends_slug(text, at, end).then(|| found(start..end, "~"))?
        }
        Kind::Temp => {
            let start = start(text, at)?;
            ends(text, end).then(|| found(start..end, "tmp"))?
        }
        Kind::Homes => {
            let start = start(text, at)?;
            let name = name(&text[end..]);
            (!name.is_empty()).then(|| found(start..end + name.len(), "~"))?
        }
        Kind::Folders => {
            let start = start(text, at)?;
            let mut parts = text[end..].splitn(4, '/');
            let (one, two, temp) = (parts.next()?, parts.next()?, parts.next()?);
            let end = end + one.len() + two.len() + 3;
            let is_one = temp.starts_with('T') && one.len() + two.len() < 64;
            (is_one && ends(text, end)).then(|| found(start..end, "tmp"))?
        }
    }
}

/// The start of a path, unless it is inside a longer one. Includes a drive letter.
fn start(text: &str, at: usize) -> Option<usize> {
    let before = &text[..at];
    if text[at..].starts_with(|c: char| c.is_alphabetic()) {
        return Some(at).filter(|_| !before.ends_with(is_name));
    }
    if let Some(disk) = before.strip_suffix(':')
        && disk.ends_with(|c: char| c.is_ascii_alphabetic())
        && !disk[..disk.len() - 1].ends_with(|c: char| c.is_alphanumeric())
    {
        return Some(at - 2);
    }
    let is_inside = before.ends_with(|c: char| is_name(c) || matches!(c, '/' | '\\' | '~' | '.'));
    let is_slug_of_a_path = text[at..].starts_with('-') && before.ends_with(['/', '\\']);
    (!is_inside || before.ends_with("file://") || is_slug_of_a_path).then_some(at)
}

/// Whether a path ends here, or continues with a subfolder.
fn ends(text: &str, end: usize) -> bool {
    let mut after = text[end..].chars();
    match after.next() {
        Some('.') => !after.next().is_some_and(is_name),
        after => !after.is_some_and(is_name),
    }
}

/// As `ends`, but a slug continues with `-`.
fn ends_slug(text: &str, at: usize, end: usize) -> bool {
    ends(text, end) || text[at..].starts_with('-') && text[end..].starts_with('-')
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

/// The folder name that begins here.
fn name(text: &str) -> &str {
    let end = text.find(|c: char| !is_name(c) && c != '.');
    let name = &text[..end.unwrap_or(text.len())];
    name.trim_end_matches('.')
}

fn is_word(text: &str, at: usize, end: usize) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    !text[..at].ends_with(is_part) && !text[end..].starts_with(is_part)
}

/// Maximum bytes of credentials, and of the name before an `@`.
const LOCAL: usize = 256;

/// Replaces an e-mail address, or removes credentials before a host.
fn address(text: &str, at: usize) -> Option<(Range<usize>, Cow<'static, str>)> {
    let before = &text[text.ceil_char_boundary(at.saturating_sub(LOCAL))..at];
    let is_url = |c: char| !c.is_whitespace() && !matches!(c, '/' | '"' | '\'' | '<' | '>' | '(');
    let user = &before[before.trim_end_matches(is_url).len()..];
    let start = at - user.len();
    if text[..start].ends_with("://") {
        let is_kept = user.is_empty() || user == "git";
        return (!is_kept).then_some((start..at + 1, Cow::Borrowed("")));
    }
    let is_local = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '%' | '+' | '-');
    let local = &before[before.trim_end_matches(is_local).len()..];
    let is_domain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    let after = &text[at + 1..];
    let domain = &after[..after.find(|c| !is_domain(c)).unwrap_or(after.len())];
    let domain = domain.trim_end_matches(['.', '-']);
    let (_, top) = domain.rsplit_once('.')?;
    let is_top = top.len() > 1 && top.chars().all(|c| c.is_ascii_alphabetic());
    let is_address = is_top && !local.is_empty() && local != "git";
    is_address.then_some((
        at - local.len()..at + 1 + domain.len(),
        Cow::Borrowed("user@host"),
    ))
}
