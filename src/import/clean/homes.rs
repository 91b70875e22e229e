//! Home folders in a text: whose name comes after `Users`, `home` and the like, also in the name of a project folder.

use std::collections::BTreeSet;

use super::paths::{
    PARENTS, Parents, Slash, component, ends, is_boundary, is_escape, is_mark, is_name, name, root,
    separator, separator_before,
};

/// Names of the folders that hold home folders.
pub(super) const HOMES: [&str; 6] = [
    "Users",
    "home",
    "Documents and Settings",
    "Documents%20and%20Settings",
    r"Documents\ and\ Settings",
    "DOCUME~1",
];

/// Names of other folders with a folder or a file for each user, and of the folders that they are in.
pub(super) const OWNED: [(&str, &[&str]); 3] = [
    ("media", &["run"]),
    ("mail", &["var", "spool"]),
    ("crontabs", &["cron"]),
];

/// The names that a log says are those of people.
#[derive(Default)]
pub(super) struct People {
    pub(super) names: BTreeSet<String>,
    /// The names that contain a space.
    spaced: Vec<String>,
    /// The names that contain a hyphen in the name of a project folder.
    hyphenated: BTreeSet<String>,
}

/// Maximum names with a space that are tried at each home folder.
const SPACED: usize = 100;

impl People {
    pub(super) fn add(&mut self, name: &str) {
        if name.contains(' ') && self.spaced.len() < SPACED {
            self.spaced.push(name.to_owned());
        }
        let slug = project(name);
        if slug.contains('-') {
            self.hyphenated.insert(slug);
        }
        self.names.insert(name.to_owned());
    }
}

/// The name of the project folder of a path: `-home-ana-x`.
pub(super) fn project(path: &str) -> String {
    path.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect()
}

/// A home folder in a text.
pub(super) struct Home {
    pub(super) start: usize,
    /// The start of the name of its owner.
    pub(super) name: usize,
    pub(super) end: usize,
    /// Whether it can be nothing else, such as an address of a web server.
    pub(super) is_certain: bool,
}

/// The home folder whose parent is at a range of the text.
pub(super) fn home(text: &str, start: usize, end: usize, people: &People) -> Option<Home> {
    let parent = &text[start..end];
    let is_home = parent.eq_ignore_ascii_case("home");
    let Some((slash, at)) = separator_before(text, start) else {
        return project_folder(text, start, end, people);
    };
    let Some((inner, name_at)) = separator(text, end) else {
        return project_folder(text, start, end, people);
    };
    if is_home && slash != inner {
        return None;
    }
    let root = root(text, at, Parents::Homes)?;
    let mut to = name(text, name_at);
    if to == name_at {
        return None;
    }
    let is_route = parent == "users" && slash == Slash::Forward && root == at;
    if is_route && is_web(text, name_at, to, people) {
        return None;
    }
    let known = people
        .spaced
        .iter()
        .filter_map(|name| component(text, name_at, name))
        .filter(|to| ends(text, *to));
    to = known
        .max()
        .unwrap_or_else(|| words(text, root, to, slash))
        .max(to);
    Some(Home {
        start: root,
        name: name_at,
        end: to,
        is_certain: !is_route,
    })
}

/// Whether what follows `/users/` is an address of a web server: an id, or a page instead of a folder.
fn is_web(text: &str, start: usize, end: usize, people: &People) -> bool {
    let name = &text[start..end];
    let is_id = name.starts_with(|c: char| c.is_ascii_digit());
    let is_page = name == "me" || separator(text, end).is_none();
    (is_id || is_page) && !people.names.contains(name)
}

/// The folder or file of a user whose parent is at a range of the text, if that is in one of some folders.
pub(super) fn owned(text: &str, start: usize, end: usize, inside: &[&str]) -> Option<Home> {
    let (_, at) = separator_before(text, start)?;
    let (_, name_at) = separator(text, end)?;
    let mut root = at;
    let mut is_inside = false;
    for _ in 0..3 {
        let outer = text[..root].trim_end_matches(is_name).len();
        let folder = &text[outer..root];
        is_inside |= inside.contains(&folder);
        let is_system = ["run", "var", "spool", "cron", "private"].contains(&folder);
        let Some((_, next)) = separator_before(text, outer).filter(|_| is_system) else {
            break;
        };
        root = next;
    }
    let to = name(text, name_at);
    let is_one = is_inside && to > name_at && is_boundary(&text[..root]);
    is_one.then_some(Home {
        start: root,
        name: name_at,
        end: to,
        is_certain: false,
    })
}

/// The end of a name that continues after a space: in quotes, before a backslash, or with a capital letter, if a separator or
/// the closing quote follows, and in a text that is nothing but a path.
fn words(text: &str, root: usize, end: usize, slash: Slash) -> usize {
    let quote = text[..root].chars().next_back();
    let quote = quote.filter(|c| matches!(c, '"' | '\'' | '`'));
    let mut at = end;
    for _ in 0..3 {
        let Some(word) = text[at..].strip_prefix(' ') else {
            break;
        };
        let is_capital = word.starts_with(char::is_uppercase);
        if !is_capital && quote.is_none() && slash == Slash::Forward && root > 0 {
            break;
        }
        let next = name(text, at + 1);
        if next == at + 1 {
            break;
        }
        at = next;
        let rest = text[at..].trim_start_matches('\\');
        let is_quoted = quote.is_some_and(|quote| rest.starts_with(quote));
        let is_whole = is_capital && root == 0 && at == text.len();
        let is_folder = separator(text, at)
            .is_some_and(|(_, after)| !text[at..after].starts_with('\\') || slash == Slash::Back);
        if is_quoted || is_whole || is_folder {
            return at;
        }
    }
    end
}

/// The home folder in the name of a project folder: `-Users-ana-x`, `C--Users-ana-x`, `-mnt-c-Users-ana`, `--home-ana-x--`.
fn project_folder(text: &str, start: usize, end: usize, people: &People) -> Option<Home> {
    text[end..].strip_prefix('-')?;
    let name = end + 1;
    let mut to = name;
    let mut known = None;
    for part in text[name..].split('-').take(PARTS) {
        let length = part.find(|c: char| !c.is_alphanumeric() && !is_mark(c));
        to += length.unwrap_or(part.len());
        let is_known = people.hyphenated.contains(&text[name..to])
            || !text[name..to].contains('-') && people.names.contains(&text[name..to]);
        if is_known {
            known = Some(to);
        }
        if length.is_some() || !text[to..].starts_with('-') {
            break;
        }
        to += 1;
    }
    let first = text[name..].find(|c: char| !c.is_alphanumeric() && !is_mark(c));
    let to = known.unwrap_or_else(|| first.map_or(text.len(), |first| name + first));
    let is_folder_before = |text: &str| text.is_empty() || text.ends_with(['/', '\\']);
    let Some(before) = text[..start].strip_suffix('-') else {
        // Some programs leave out the first hyphen.
        let is_project = ["projects/", "projects\\"]
            .iter()
            .any(|folder| text[..start].ends_with(folder));
        return (is_project && to > name).then_some(Home {
            start,
            name,
            end: to,
            is_certain: false,
        });
    };
    let is_end = |text: &str| !text.ends_with(is_name) || is_escape(text);
    let disk = |text: &str| -> Option<usize> {
        let outer = text.strip_suffix('-').unwrap_or(text);
        let letter = outer.strip_suffix(|c: char| c.is_ascii_alphabetic())?;
        [
            letter.strip_suffix("-mnt-"),
            letter.strip_suffix('-'),
            Some(letter),
        ]
        .into_iter()
        .flatten()
        .find(|outer| is_end(outer))
        .map(str::len)
    };
    let parent = || {
        let outer = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric());
        let is_parent = PARENTS.contains(&&*before[outer.len()..].to_ascii_lowercase());
        let outer = outer.strip_suffix('-').filter(|_| is_parent)?;
        is_end(outer).then_some(outer.len())
    };
    let double = || {
        let outer = before.strip_suffix('-')?;
        is_folder_before(outer).then_some(outer.len())
    };
    let (root, has_disk) = match disk(before).or_else(parent).or_else(double) {
        Some(root) => (root, true),
        None if is_end(before) => (before.len(), false),
        None => return None,
    };
    let is_users = &text[start..end] == "Users" || has_disk || known.is_some();
    let is_folder = text[to..].starts_with('-') || is_folder_before(before);
    (to > name && (is_users || is_folder)).then_some(Home {
        start: root,
        name,
        end: to,
        // A name may have hyphens of its own.
        is_certain: false,
    })
}

/// Maximum hyphens in the name of a person.
const PARTS: usize = 6;
