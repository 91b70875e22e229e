//! How the recorder cleans paths up (replay.md 4.3).

/// A path below the workspace, without empty, `.` and `..` segments. Without a workspace, a relative path stays as it is.
pub(super) fn resolved(workspace: Option<&str>, path: &str) -> String {
    match workspace {
        _ if path.starts_with('/') => cleaned(path),
        Some(workspace) => cleaned(&format!("{workspace}/{path}")),
        None => path.to_owned(),
    }
}

fn cleaned(path: &str) -> String {
    let mut kept = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                kept.pop();
            }
            _ => kept.push(segment),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", kept.join("/"))
}

#[cfg(test)]
mod tests {
    use super::resolved;

    #[test]
    fn a_path_is_cleaned_up_only_where_its_folder_is_known() {
        for (workspace, path, expected) in [
            (None, "/a//b/./../c/", "/a/c"),
            (None, "/../..", "/"),
            (None, "./a/../b", "./a/../b"),
            (Some("/work"), "./a/../b", "/work/b"),
            (Some("/work/"), "", "/work"),
            (Some("work"), "a/../../b", "b"),
        ] {
            assert_eq!(resolved(workspace, path), expected);
        }
    }
}
