//! The agent's path of its working tree, which recorded paths begin with.

/// The part of `path` below one of `folders`, the deepest that contains it; empty for the folder itself.
pub fn below<'a>(path: &'a str, folders: &[String]) -> Option<&'a str> {
    let below = |folder: &String| {
        let folder = folder.trim_end_matches('/');
        let rest = path.strip_prefix(folder)?;
        let inside = !folder.is_empty() && (rest.is_empty() || rest.starts_with('/'));
        inside.then(|| rest.trim_start_matches('/'))
    };
    folders
        .iter()
        .filter_map(below)
        .min_by_key(|rest| rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_taken_off_the_deepest_folder_that_holds_it() {
        let folders = ["/app", "/app/web/", ""].map(str::to_owned);
        for (path, expected) in [
            ("/app/a.ts", Some("a.ts")),
            ("/app//a.ts", Some("a.ts")),
            ("/app/web/a.ts", Some("a.ts")),
            ("/app", Some("")),
            ("/app/", Some("")),
            ("/apple/a.ts", None),
            ("/etc/passwd", None),
            ("a.ts", None),
        ] {
            assert_eq!(below(path, &folders), expected, "{path}");
        }
    }
}
