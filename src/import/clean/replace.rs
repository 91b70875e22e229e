//! Finds absolute paths, names, addresses and credentials in a text.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use aho_corasick::AhoCorasick;

use crate::draft::PrivateNames;

use super::address::{self, UserAtHost};
use super::homes::{self, People};
use super::paths::{self, Parents, Slash};
use super::terminal::PlainLine;

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

/// Spellings of the `@` between a user and a host. The last one is that of a prompt.
const AT: [&str; 9] = [
    "@", "%40", "%2540", "%252540", "\\u0040", "\\x40", "&#64;", "＠", "㉿",
];

/// Spellings of what follows the scheme of an address.
const ADDRESSES: [&str; 10] = [
    "://",
    ":\\/",
    ":\\\\/",
    ":\\\\\\/",
    ":\\u002f",
    ":\\\\u002f",
    ":\\x2f",
    "%3a%2f%2f",
    "%253a%252f%252f",
    "%25253a%25252f%25252f",
];

/// Parts of the names that systems give to computers.
const COMPUTERS: [&str; 6] = [
    "-MacBook",
    "-iMac",
    "-Mac-mini",
    "-Mac-Studio",
    "DESKTOP-",
    "LAPTOP-",
];

/// What the words of a text can be part of.
#[derive(Debug, Clone)]
enum Pattern {
    /// The first folder of a path that is replaced as a whole.
    Path(FixedPath),
    /// The working folder as the name of a project folder: `-Users-ana-code-app`.
    Slug,
    /// The parent of home folders.
    Homes,
    /// The parent of other folders of users, in one of some folders.
    Owned(&'static [&'static str]),
    /// The home folder of another account: `~ana/x`.
    Tilde,
    /// Parents of temporary folders, followed by two names and `T`.
    Folders,
    User(String),
    Host,
    /// A part of the name that a system gives to a computer.
    Computer,
    At,
    /// The beginning of an address.
    Address,
}

/// A path that is replaced as a whole.
#[derive(Debug, Clone)]
struct FixedPath {
    folders: Vec<String>,
    by: &'static str,
    above: Parents,
    /// Whether a backslash separates its folders.
    has_backslash: bool,
}

/// Maximum home folders whose names are replaced everywhere. The folders themselves are always replaced.
const PEOPLE: usize = 1_000;

/// Maximum bytes of a name that is replaced everywhere, which bounds the names that are found at one place of a text.
const NAME: usize = 64;

/// The patterns of one run.
pub(super) struct Replacer {
    patterns: Vec<(String, Pattern)>,
    search: Option<AhoCorasick>,
    people: People,
    hosts: BTreeSet<String>,
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
    /// A replacer that can only collect names until `use_names` is called.
    pub(super) fn new(identity: &PrivateNames, replaces_paths: bool, replaces_names: bool) -> Self {
        let hosts = identity.hosts.iter().filter(|host| host.len() > 2);
        let mut new = Self {
            patterns: Vec::new(),
            search: None,
            people: People::default(),
            hosts: hosts.cloned().collect(),
            replaces_paths,
            replaces_names,
            paths: 0,
            names: 0,
        };
        for user in &identity.users {
            new.people.add(user);
        }
        for workspace in &identity.workspaces {
            new.owner(workspace);
        }
        for home in homes::HOMES {
            new.find(home, Pattern::Homes);
        }
        if replaces_names {
            for at in AT {
                new.find(at, Pattern::At);
            }
        }
        new.search = new.searcher();
        for (parent, inside) in homes::OWNED {
            new.find(parent, Pattern::Owned(inside));
        }
        if replaces_paths {
            for workspace in &identity.workspaces {
                new.workspace(workspace);
            }
            let fixed = |folders: &[&str], by| {
                Pattern::Path(FixedPath {
                    folders: folders.iter().map(|folder| (*folder).to_owned()).collect(),
                    by,
                    above: Parents::Nothing,
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
            for computer in COMPUTERS {
                new.find(computer, Pattern::Computer);
            }
            for colon in ADDRESSES {
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
        let is_home = homes::HOMES
            .iter()
            .any(|home| home.eq_ignore_ascii_case(&first));
        let has_backslash = workspace.contains('\\') || workspace.contains(':');
        let above = match () {
            () if is_home => Parents::Homes,
            () if has_backslash => Parents::Disk,
            () => Parents::Nothing,
        };
        let fixed = FixedPath {
            folders,
            by: ".",
            above,
            has_backslash: has_backslash || is_home,
        };
        self.find(&first, Pattern::Path(fixed));
        let slug = homes::project(workspace);
        if slug.matches('-').count() > 1 {
            self.find(&slug, Pattern::Slug);
        }
    }

    /// Collects the name of the owner of a working folder, which may contain spaces.
    fn owner(&mut self, workspace: &str) {
        let mut folders = workspace.split(['/', '\\']).skip_while(|folder| {
            !homes::HOMES
                .iter()
                .any(|home| home.eq_ignore_ascii_case(folder))
        });
        if let Some(name) = folders.nth(1).filter(|name| !name.is_empty()) {
            self.people.add(name);
        }
    }

    /// Collects the names of home folders, and of users and hosts in prompts.
    pub(super) fn collect_names(&mut self, text: &str) {
        let Some(search) = &self.search else { return };
        for found in search.find_overlapping_iter(text) {
            let (_, pattern) = &self.patterns[found.pattern().as_usize()];
            if self.people.names.len() >= PEOPLE {
                return;
            }
            if matches!(pattern, Pattern::Homes) {
                let home = homes::home(text, found.start(), found.end(), &self.people);
                if let Some(home) = home.filter(|home| home.is_certain)
                    && let name = &text[home.name..home.end]
                    && !self.people.names.contains(name)
                {
                    self.people.add(name);
                }
            } else if let Some(account) = self.user_at_host(text, found.range())
                && let Some((name, host)) = account.prompt
            {
                if !self.people.names.contains(&name) {
                    self.people.add(&name);
                }
                // A host may be named by a word that means something else.
                if host.contains('-') && host.len() > 4 && self.hosts.len() < PEOPLE {
                    self.hosts.insert(host);
                }
            }
        }
    }

    fn user_at_host(&self, text: &str, at: Range<usize>) -> Option<UserAtHost> {
        let is_known = |name: &str| {
            let is_user = self.people.names.contains(name) && !is_generic(name);
            is_user || self.hosts.contains(name)
        };
        let Some(line) = PlainLine::around(text, at.clone()) else {
            return address::user_at_host(text, at.start, at.end, &is_known);
        };
        let account = address::user_at_host(&line.text, line.at.start, line.at.end, &is_known)?;
        Some(UserAtHost {
            range: line.recorded(account.range),
            ..account
        })
    }

    /// Adds the collected names to the patterns.
    pub(super) fn use_names(&mut self) {
        if self.replaces_names {
            let users = self.people.names.iter();
            let users = users.filter(|user| (3..=NAME).contains(&user.len()) && !is_generic(user));
            let users = users.map(|user| (user.clone(), Pattern::User(user.clone())));
            let hosts = self.hosts.iter().filter(|host| host.len() <= NAME);
            let hosts = hosts.map(|host| (host.clone(), Pattern::Host));
            self.patterns.extend(users.chain(hosts));
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
        // The longest of several edits at one place comes first, and of two equal ones the working folder.
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
                // The rest of a path that overlaps something earlier is private, too.
                if is_path {
                    done = done.max(range.end);
                }
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
        let Range { start, end } = found.clone();
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
            Pattern::Computer => name(computer(text, start, end)?, "host"),
            Pattern::At => {
                let account = self.user_at_host(text, found)?;
                name(account.range, "user@host")
            }
            Pattern::Address => name(address::user_information(text, start)?, ""),
            Pattern::Path(fixed) => path(fixed.range(text, start)?, fixed.by),
            Pattern::Slug => {
                let is_one = !text[..start].ends_with(paths::is_name) && paths::ends(text, end);
                is_one.then(|| path(start..end, "."))?
            }
            Pattern::Homes | Pattern::Owned(_) => {
                let home = match pattern {
                    Pattern::Owned(inside) => homes::owned(text, start, end, inside)?,
                    _ => homes::home(text, start, end, &self.people)?,
                };
                let owner = home.name..home.end;
                if self.replaces_paths {
                    path(home.start..home.end, "~")
                } else {
                    (!is_generic(&text[owner.clone()])).then(|| name(owner, "user"))?
                }
            }
            Pattern::Tilde => {
                let is_inside =
                    text[..start].ends_with(|c: char| paths::is_name(c) || matches!(c, '~' | '.'));
                let is_account = text[end..].starts_with(|c: char| c.is_alphabetic() || c == '_');
                if is_inside || !is_account {
                    return None;
                }
                let to = paths::name(text, end);
                let is_folder =
                    paths::separator(text, to).is_some_and(|(slash, _)| slash == Slash::Forward);
                is_folder.then(|| path(start..to, "~"))?
            }
            Pattern::Folders => path(folders(text, start, end)?, "tmp"),
        }
    }
}

impl FixedPath {
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
    let root = paths::root(text, outer, Parents::Nothing)?;
    let mut at = end;
    for _ in 0..2 {
        let (_, next) = paths::separator(text, at)?;
        at = paths::name(text, next);
    }
    let (_, temp) = paths::separator(text, at)?;
    let is_one = text[temp..].starts_with('T') && at - end < 80;
    (is_one && paths::ends(text, temp + 1)).then_some(root..temp + 1)
}

/// The range of the name of a computer that a system made up: `Anas-MacBook-Pro.local`, `DESKTOP-4F7K2QM`.
fn computer(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let head = text[..start].char_indices().rev().take(NAME);
    let head = head.take_while(|(_, c)| is_part(*c)).last();
    let from = head.map_or(start, |(at, _)| paths::after_escape(text, at, start));
    let tail = text[end..].char_indices().take(NAME);
    let tail = tail.take_while(|(_, c)| is_part(*c)).last();
    let to = tail.map_or(end, |(at, c)| end + at + c.len_utf8());
    let is_one = if text[start..end].starts_with('-') {
        from < start
            && text.as_bytes()[start..end] != text.as_bytes()[start..end].to_ascii_lowercase()
    } else {
        let rest = &text[end..to];
        let is_digit = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit();
        from == start && (7..=8).contains(&rest.len()) && rest.chars().all(is_digit)
    };
    let domain = [".local", ".lan", ".home"]
        .into_iter()
        .find(|domain| text[to..].starts_with(domain));
    let to = to + domain.map_or(0, str::len);
    (is_one && is_word(text, from, to)).then_some(from..to)
}

fn is_generic(name: &str) -> bool {
    GENERIC.contains(&&*name.to_ascii_lowercase())
}

fn is_word(text: &str, at: usize, end: usize) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let before = &text[..at];
    let begins = !before.ends_with(is_part) || paths::is_escape(before);
    begins && !text[end..].starts_with(is_part)
}
