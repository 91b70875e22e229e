//! Finds absolute paths, names, addresses and credentials in a text.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use aho_corasick::AhoCorasick;

use crate::import::draft::Identity;

use super::address;
use super::paths::{self, Above, Slash};

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

/// What the words of a text can be part of.
#[derive(Debug, Clone)]
enum Pattern {
    /// The first folder of a path that is replaced as a whole.
    Path(Fixed),
    /// The working folder as the name of a project folder: `-Users-ana-code-app`.
    Slug,
    /// The parent of home folders.
    Homes,
    /// The name of a person as the name of a project folder: `-home-ana`.
    HomeSlug,
    /// The home folder of another account: `~ana/x`.
    Tilde,
    /// Parents of temporary folders, followed by two names and `T`.
    Folders,
    User(String),
    Host,
    /// An `@`.
    At,
    /// The beginning of an address.
    Address,
}

/// A path that is replaced as a whole.
#[derive(Debug, Clone)]
struct Fixed {
    folders: Vec<String>,
    by: &'static str,
    above: Above,
    /// Whether a backslash separates its folders.
    has_backslash: bool,
}

/// Maximum home folders whose names are replaced everywhere. The folders themselves are always replaced.
const PEOPLE: usize = 1_000;

/// The patterns of one run.
pub(super) struct Replacer {
    patterns: Vec<(String, Pattern)>,
    search: Option<AhoCorasick>,
    users: BTreeSet<String>,
    /// Names of people that contain a space.
    spaced: Vec<String>,
    replaces_paths: bool,
    replaces_names: bool,
    /// Number of replaced paths.
    pub(super) paths: u64,
    /// Number of replaced names, addresses and credentials.
    pub(super) names: u64,
}

/// A replacement in a text.
struct Edit {
    range: Range<usize>,
    by: Cow<'static, str>,
    is_path: bool,
}

impl Replacer {
    /// A replacer that can only collect names until `learned` is called.
    pub(super) fn new(identity: &Identity, replaces_paths: bool, replaces_names: bool) -> Self {
        let mut new = Self {
            patterns: Vec::new(),
            search: None,
            users: identity.users.iter().cloned().collect(),
            spaced: Vec::new(),
            replaces_paths,
            replaces_names,
            paths: 0,
            names: 0,
        };
        for home in paths::HOMES {
            new.find(home, Pattern::Homes);
        }
        new.search = new.searcher();
        for workspace in &identity.workspaces {
            new.owner(workspace);
        }
        if replaces_paths {
            for workspace in &identity.workspaces {
                new.workspace(workspace);
            }
            let fixed = |folders: &[&str], by| {
                Pattern::Path(Fixed {
                    folders: folders.iter().map(|folder| (*folder).to_owned()).collect(),
                    by,
                    above: Above::Nothing,
                    has_backslash: false,
                })
            };
            new.find("root", fixed(&["root"], "~"));
            new.find("tmp", fixed(&["tmp"], "tmp"));
            new.find("var", fixed(&["var", "tmp"], "tmp"));
            new.find("folders", Pattern::Folders);
            new.find("~", Pattern::Tilde);
        }
        if replaces_names {
            for host in identity.hosts.iter().filter(|host| host.len() > 2) {
                new.find(host, Pattern::Host);
            }
            for at in ["@", "%40", "\\u0040"] {
                new.find(at, Pattern::At);
            }
            for colon in [
                "://",
                ":\\/",
                ":\\\\/",
                ":\\\\\\/",
                ":\\u002f",
                ":\\\\u002f",
                "%3a%2f%2f",
            ] {
                new.find(colon, Pattern::Address);
            }
        }
        new
    }

    fn find(&mut self, text: &str, pattern: Pattern) {
        self.patterns.push((text.to_owned(), pattern));
    }

    fn searcher(&self) -> Option<AhoCorasick> {
        let patterns = self.patterns.iter().map(|(text, _)| text);
        AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(patterns)
            .ok()
    }

    fn workspace(&mut self, workspace: &str) {
        let workspace = workspace.trim_end_matches(['/', '\\']);
        let Some(folders) = paths::components(workspace) else {
            return;
        };
        // The root of a disk is not a workspace.
        let Some(first) = folders.first().cloned() else {
            return;
        };
        let is_home = paths::HOMES
            .iter()
            .any(|home| home.eq_ignore_ascii_case(&first));
        let has_backslash = workspace.contains('\\') || workspace.contains(':');
        let above = match () {
            () if is_home => Above::Homes,
            () if has_backslash => Above::Disk,
            () => Above::Nothing,
        };
        let fixed = Fixed {
            folders,
            by: ".",
            above,
            has_backslash: has_backslash || is_home,
        };
        self.find(&first, Pattern::Path(fixed));
        let slug = slug(workspace);
        if slug.matches('-').count() > 1 {
            self.find(&slug, Pattern::Slug);
        }
    }

    /// Collects the name of the owner of a working folder, which may contain spaces.
    fn owner(&mut self, workspace: &str) {
        let mut folders = workspace.split(['/', '\\']).skip_while(|folder| {
            !paths::HOMES
                .iter()
                .any(|home| home.eq_ignore_ascii_case(folder))
        });
        if let Some(name) = folders.nth(1).filter(|name| !name.is_empty()) {
            if name.contains(' ') {
                self.spaced.push(name.to_owned());
            }
            self.users.insert(name.to_owned());
        }
    }

    /// Collects the names of home folders.
    pub(super) fn learn(&mut self, text: &str) {
        let Some(search) = &self.search else { return };
        for found in search.find_overlapping_iter(text) {
            let home = paths::home(text, found.start(), found.end(), &self.spaced);
            if let Some(home) = home.filter(|home| home.is_certain)
                && let name = &text[home.name..home.end]
                && self.users.len() < PEOPLE
                && !self.users.contains(name)
            {
                self.users.insert(name.to_owned());
            }
        }
    }

    /// Adds the collected names to the patterns.
    pub(super) fn learned(&mut self) {
        for user in std::mem::take(&mut self.users) {
            if self.replaces_paths {
                for parent in ["-Users-", "-home-"] {
                    self.find(&format!("{parent}{}", slug(&user)), Pattern::HomeSlug);
                }
            }
            let is_generic = GENERIC.contains(&user.to_ascii_lowercase().as_str());
            if self.replaces_names && user.len() > 2 && !is_generic {
                self.find(&user, Pattern::User(user.clone()));
            }
        }
        self.search = self.searcher();
    }

    /// The text with all replacements; `None` if nothing matched.
    pub(super) fn replace(&mut self, text: &str) -> Option<String> {
        let search = self.search.as_ref()?;
        let mut edits: Vec<Edit> = Vec::new();
        for found in search.find_overlapping_iter(text) {
            let (_, pattern) = &self.patterns[found.pattern().as_usize()];
            edits.extend(self.edit(text, found.range(), pattern));
        }
        if edits.is_empty() {
            return None;
        }
        // The longest of several at one place, and of two equal ones the working folder.
        edits.sort_by(|a, b| {
            let key = |edit: &Edit| {
                (
                    edit.range.start,
                    usize::MAX - edit.range.end,
                    edit.by != ".",
                )
            };
            key(a).cmp(&key(b))
        });
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for Edit { range, by, is_path } in edits {
            if range.start < done {
                continue;
            }
            out.push_str(&text[done..range.start]);
            out.push_str(&by);
            done = range.end;
            if is_path {
                self.paths += 1;
            } else {
                self.names += 1;
            }
        }
        out.push_str(&text[done..]);
        Some(out)
    }

    /// The replacement of a match, if it is a real one.
    fn edit(&self, text: &str, found: Range<usize>, pattern: &Pattern) -> Option<Edit> {
        let Range { start, end } = found;
        let path = |range, by| {
            Some(Edit {
                range,
                by: Cow::Borrowed(by),
                is_path: true,
            })
        };
        let name = |range, by| {
            Some(Edit {
                range,
                by: Cow::Borrowed(by),
                is_path: false,
            })
        };
        match pattern {
            Pattern::User(user) if *user == text[start..end] && is_word(text, start, end) => {
                name(start..end, "user")
            }
            Pattern::User(_) => None,
            Pattern::Host => is_word(text, start, end).then(|| name(start..end, "host"))?,
            Pattern::At => name(address::user_at_host(text, start, end)?, "user@host"),
            Pattern::Address => name(address::user_information(text, start)?, ""),
            Pattern::Path(fixed) => path(fixed.range(text, start)?, fixed.by),
            Pattern::Slug => {
                let is_one = !text[..start].ends_with(paths::is_name) && paths::ends(text, end);
                is_one.then(|| path(start..end, "."))?
            }
            Pattern::HomeSlug => {
                let is_end = paths::ends(text, end) || text[end..].starts_with('-');
                let is_one = is_end && !text[..start].ends_with(paths::is_name);
                is_one.then(|| path(start..end, "~"))?
            }
            Pattern::Homes if self.replaces_paths => {
                let home = paths::home(text, start, end, &self.spaced)?;
                path(home.start..home.end, "~")
            }
            Pattern::Homes => None,
            Pattern::Tilde => {
                let is_inside =
                    text[..start].ends_with(|c: char| paths::is_name(c) || matches!(c, '~' | '.'));
                let is_account = text[end..].starts_with(|c: char| c.is_alphabetic() || c == '_');
                let to = paths::name(text, end);
                let is_folder =
                    paths::separator(text, to).is_some_and(|(slash, _)| slash == Slash::Forward);
                (!is_inside && is_account && is_folder).then(|| path(start..to, "~"))?
            }
            Pattern::Folders => path(folders(text, start, end)?, "tmp"),
        }
    }
}

impl Fixed {
    /// The range of this path, of which the first folder begins at a position.
    fn range(&self, text: &str, first: usize) -> Option<Range<usize>> {
        let is_allowed = |slash| slash == Slash::Forward || self.has_backslash;
        let (slash, at) = paths::separator_before(text, first)?;
        let start = paths::root(text, at, self.above).filter(|_| is_allowed(slash))?;
        let mut end = first;
        for (number, folder) in self.folders.iter().enumerate() {
            if number > 0 {
                let (slash, next) = paths::separator(text, end)?;
                end = next;
                if !is_allowed(slash) {
                    return None;
                }
            }
            end = paths::component(text, end, folder)?;
        }
        paths::ends(text, end).then_some(start..end)
    }
}

/// The range of `/var/folders/ab/cd/T`.
fn folders(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let (_, at) = paths::separator_before(text, start)?;
    let var = at.checked_sub("var".len())?;
    let is_var = text.get(var..at)? == "var";
    let (_, outer) = paths::separator_before(text, var).filter(|_| is_var)?;
    let root = paths::root(text, outer, Above::Nothing)?;
    let mut at = end;
    for _ in 0..2 {
        let (_, next) = paths::separator(text, at)?;
        at = paths::name(text, next);
    }
    let (_, temp) = paths::separator(text, at)?;
    let is_one = text[temp..].starts_with('T') && at - end < 80;
    (is_one && paths::ends(text, temp + 1)).then_some(root..temp + 1)
}

fn slug(path: &str) -> String {
    path.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect()
}

fn is_word(text: &str, at: usize, end: usize) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    !text[..at].ends_with(is_part) && !text[end..].starts_with(is_part)
}
