//! The addresses of the site and how one page names another: relative, with `index.html`.

/// Paths are relative to the site's root and use `/`.
pub fn run(slug: &str) -> String {
    format!("runs/{slug}/index.html")
}

/// The story of a run.
pub fn story(slug: &str) -> String {
    format!("runs/{slug}/story/index.html")
}

/// The card beside a page.
pub fn card(page: &str) -> String {
    format!("{}og.png", directory(page))
}

/// A file beside a run's page.
pub fn run_file(slug: &str, name: &str) -> String {
    format!("runs/{slug}/{name}")
}

/// Page `number` (from 1) of the events of a tape; the first is on the run page itself.
pub fn events(slug: &str, prefix: &str, number: usize) -> String {
    if number == 1 {
        return run(slug);
    }
    let folder = prefix
        .strip_suffix('.')
        .map_or_else(String::new, |prefix| format!("{prefix}/"));
    format!("runs/{slug}/events/{folder}{number}/index.html")
}

/// Page `number` (from 1) of a list.
pub fn list(folder: &str, number: usize) -> String {
    if number == 1 {
        format!("{folder}/index.html")
    } else {
        format!("{folder}/page/{number}/index.html")
    }
}

/// Page of a case, model or harness: `folder` is `cases`, `models` or `harnesses`.
pub fn group(folder: &str, slug: &str) -> String {
    format!("{folder}/{slug}/index.html")
}

/// The page where runs are compared.
pub const COMPARE: &str = "compare/index.html";

/// A prose page; `index` is the home page.
pub fn prose(slug: &str) -> String {
    format!("{slug}/index.html")
}

/// The way from a page to the site's root: `../` as often as the page is deep, or nothing.
pub fn root(page: &str) -> String {
    "../".repeat(page.matches('/').count())
}

/// The directory form of a page's path, for canonical addresses: `runs/x/` for `runs/x/index.html`.
pub fn directory(page: &str) -> &str {
    page.strip_suffix("index.html").unwrap_or(page)
}
