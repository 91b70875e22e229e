//! The tools of Cline, Goose, `OpenCode`, Kilo and Pi: what each becomes, by the keys of its input (replay.md 4.5).

use std::collections::BTreeSet;

use serde_json::Value;

use super::lookup::{filled, first, number};
use super::paths::resolved;
use super::{TranslatedEvent, TranslatorVersion, commands};

/// What a tool does.
#[derive(Debug, Clone, Copy)]
pub(super) enum Tool {
    Read,
    Write,
    Search,
    List,
    Shell,
    Skill,
    Patch,
    /// Its action depends on whether the call succeeded.
    Subagent(Option<bool>),
}

/// The keys of a path; version 4 added the last one.
const PATHS: [&str; 7] = [
    "path",
    "file_path",
    "filePath",
    "filepath",
    "abs_path",
    "absolutePath",
    "source",
];
const PATCHES: [&str; 6] = [
    "patch",
    "diff",
    "content",
    "input",
    "patchText",
    "patch_text",
];
/// Lines of a patch that name a file.
const FILES: [&str; 4] = [
    "*** Add File:",
    "*** Update File:",
    "*** Delete File:",
    "*** Move to:",
];

impl Tool {
    /// The events of a call, without its success; `None` if its input lacks what the tool needs.
    pub(super) fn events(
        self,
        input: &Value,
        version: TranslatorVersion,
    ) -> Option<Vec<TranslatedEvent<'static>>> {
        match self {
            Self::Patch => patch(input, version),
            _ => Some(vec![self.event(input, version)?]),
        }
    }

    fn event(self, input: &Value, version: TranslatorVersion) -> Option<TranslatedEvent<'static>> {
        Some(match self {
            Self::Read => read(input, version)?,
            Self::Write | Self::Patch => write(path(input, version)?),
            Self::Search => {
                let keys = [
                    "pattern",
                    "query",
                    "regex",
                    "glob",
                    "search",
                    "searchText",
                    "q",
                ];
                search(filled(input, &keys)?, input)
            }
            Self::List => {
                let path = filled(input, &["path", "dir", "directory"]);
                TranslatedEvent::new("list").maybe("path", path.map(|path| resolved(None, path)))
            }
            Self::Shell => commands::command(filled(input, &["command", "cmd", "script"])?),
            Self::Skill => skill(input)?,
            Self::Subagent(ok) => subagent(input, version, ok)?,
        })
    }
}

fn path(input: &Value, version: TranslatorVersion) -> Option<&str> {
    let known = if version >= 4 { 7 } else { 6 };
    filled(input, &PATHS[..known])
}

/// The event of a file that was written.
pub(super) fn write(path: &str) -> TranslatedEvent<'static> {
    TranslatedEvent::new("write").text("path", resolved(None, path))
}

/// The event of a search in the path of the input.
pub(super) fn search(query: &str, input: &Value) -> TranslatedEvent<'static> {
    let path = filled(input, &["path", "dir", "directory", "cwd", "scope"]);
    let search = TranslatedEvent::new("search").text("query", query);
    search.maybe("path", path.map(|path| resolved(None, path)))
}

fn read(input: &Value, version: TranslatorVersion) -> Option<TranslatedEvent<'static>> {
    let above_zero = |keys: &[&str]| number(input, keys).filter(|number| *number > 0);
    let counts = ["limit", "line_count", "lineCount", "num_lines", "numLines"];
    let start = above_zero(&["offset", "start_line", "startLine", "line"]);
    let end = above_zero(&["end_line", "endLine"]).or_else(|| {
        let count = number(input, &counts)?;
        Some(start?.saturating_add(count).saturating_sub(1))
    });
    let path = resolved(None, path(input, version)?);
    let read = TranslatedEvent::new("read").text("path", path);
    Some(read.maybe("startLine", start).maybe("endLine", end))
}

fn skill(input: &Value) -> Option<TranslatedEvent<'static>> {
    let name = filled(input, &["name", "skill", "skill_name", "skillName"]);
    let path = match filled(input, &["path", "file_path", "filePath", "skillPath"]) {
        Some(path) => path.to_owned(),
        None => match filled(input, &["dir", "directory"]) {
            Some(folder) => format!("{}/SKILL.md", folder.trim_end_matches('/')),
            None => format!("skills/{}/SKILL.md", name?),
        },
    };
    let skill = TranslatedEvent::new("skill").text("path", resolved(None, &path));
    Some(skill.maybe("skillName", name))
}

fn patch(input: &Value, version: TranslatorVersion) -> Option<Vec<TranslatedEvent<'static>>> {
    if let Some(path) = path(input, version) {
        return Some(vec![write(path)]);
    }
    let known = if version >= 6 { 6 } else { 4 };
    let mut paths: Vec<&str> = Vec::new();
    for line in first(input, &PATCHES[..known])?.lines() {
        let line = line.trim();
        let path = FILES.iter().find_map(|start| line.strip_prefix(start));
        let path = path.map(str::trim).filter(|path| !path.is_empty());
        paths.extend(path);
    }
    let mut seen = BTreeSet::new();
    paths.retain(|path| seen.insert(*path));
    (!paths.is_empty()).then(|| paths.into_iter().map(write).collect())
}

fn subagent(
    input: &Value,
    version: TranslatorVersion,
    ok: Option<bool>,
) -> Option<TranslatedEvent<'static>> {
    let found = |keys: &[&str], late: &[&str]| {
        let keys = keys
            .iter()
            .filter(|key| version >= 6 || !late.contains(key));
        let keys: Vec<&str> = keys.copied().collect();
        first(input, &keys).filter(|text| version < 6 || !text.is_empty())
    };
    let ids = [
        "sessionId",
        "session_id",
        "agentId",
        "agent_id",
        "task_id",
        "taskId",
        "id",
    ];
    let id = found(&ids, &["task_id", "taskId"]);
    let names = [
        "name",
        "agent",
        "subagent",
        "agentType",
        "subagent_type",
        "description",
    ];
    let name = found(&names, &["subagent_type"]);
    if id.is_none() && name.is_none() {
        return None;
    }
    let action = if ok == Some(false) {
        "subagent_failed"
    } else {
        "subagent_completed"
    };
    let event = TranslatedEvent::new("orchestration").text("action", action);
    Some(event.maybe("subagentId", id).maybe("subagentName", name))
}
