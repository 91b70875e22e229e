//! Checks the size of a site against the limits of its host, before anything is published.

use crate::site::Site;
use base::diagnostics::text::quoted;
use base::diagnostics::{Diagnostic, Place, codes};
use formats::config::{self, Budget, Config, Host};
use pages::view::format;
use store::ledger::Ledger;
use store::publish::{SiteSize, Stage};

/// How many of the largest runs, files or folders a message lists.
const MAX_LISTED: usize = 10;

/// Help for too many runs in one folder.
const PREFIXED: &str = "A site that was not published before can spread its runs over 256 folders: set `run_folders = \"prefixed\"` in `[publish]`. ";

/// Measures everything staged from now on, if the site has limits.
pub(super) fn measure_size(site: &Site, stage: &mut Stage) {
    if has_limits(site) {
        let limits = site.config.site_limits();
        let elsewhere = site.config.publish.external_folder();
        stage.measure_size(limits.file.unwrap_or(u64::MAX), elsewhere);
    }
}

/// Whether the size of the site matters, so that a check counts what a build would write.
pub(super) fn has_limits(site: &Site) -> bool {
    site.config.site_limits() != Budget::default()
}

/// A key of `[budget]`, and its limit in those of a host or of a site.
struct BudgetKey {
    name: &'static str,
    limit: fn(&Budget) -> Option<u64>,
}

const FILES: BudgetKey = BudgetKey {
    name: "files",
    limit: |budget| budget.files,
};
const BYTES: BudgetKey = BudgetKey {
    name: "bytes",
    limit: |budget| budget.bytes,
};
const FILE: BudgetKey = BudgetKey {
    name: "file",
    limit: |budget| budget.file,
};
const ENTRIES: BudgetKey = BudgetKey {
    name: "entries",
    limit: |budget| budget.entries,
};

/// One problem for each limit that the site exceeds.
pub(super) fn problems(config: &Config, size: &SiteSize) -> Vec<Diagnostic> {
    let limits = config.site_limits();
    let over = |limit: Option<u64>, value: u64| limit.filter(|limit| value > *limit);
    let mut found = Vec::new();
    let mut report = |key: &BudgetKey, message: String, hint: &str| {
        found.push(problem(config, key, &message, hint, size));
    };
    if let Some(limit) = over(limits.files, size.files) {
        let (files, limit) = (format::grouped(size.files), format::grouped(limit));
        let message = format!("The site has {files} files; the limit is {limit}");
        report(&FILES, message, "");
    }
    if let Some(limit) = over(limits.bytes, size.bytes) {
        let (bytes, limit) = (format::bytes(size.bytes), format::bytes(limit));
        let message = format!("The site is {bytes}; the limit is {limit}");
        report(&BYTES, message, "");
    }
    if let Some(limit) = limits.file.filter(|_| !size.large.is_empty()) {
        let files = size.large.iter().map(|(path, bytes)| (&**path, *bytes));
        let (above, limit) = (
            format::count(size.large.len(), "file"),
            format::bytes(limit),
        );
        let are = if size.large.len() == 1 { "is" } else { "are" };
        let message = format!("{above} {are} too large; the limit of one file is {limit}");
        let largest = largest("The largest files", files, format::bytes);
        report(&FILE, message, &format!("{largest} "));
    }
    let full = size
        .entries
        .iter()
        .map(|(path, entries)| (&**path, *entries));
    let full: Vec<_> = full
        .filter(|(_, entries)| over(limits.entries, *entries).is_some())
        .collect();
    if let Some(limit) = limits.entries.filter(|_| !full.is_empty()) {
        let (folders, limit) = (format::count(full.len(), "folder"), format::grouped(limit));
        let have = if full.len() == 1 { "has" } else { "have" };
        let message = format!(
            "{folders} {have} too many files and folders; the limit of one folder is {limit}"
        );
        let is_flat = config.publish.run_folders.is_flat();
        let prefixed = if is_flat && full.iter().any(|(folder, _)| *folder == "runs") {
            PREFIXED
        } else {
            ""
        };
        let largest = largest("The fullest folders", full.into_iter(), format::grouped);
        report(&ENTRIES, message, &format!("{prefixed}{largest} "));
    }
    found
}

/// A warning before the first publication of runs in flat folders, if they take more than half of what one folder may have:
/// the setting cannot change later.
pub(super) fn flat_folders(
    config: &Config,
    runs: usize,
    previous: Option<&Ledger>,
) -> Option<Diagnostic> {
    let limit = config.site_limits().entries?;
    let is_published = previous.is_some_and(|ledger| ledger.run_names().next().is_some());
    let runs = runs as u64;
    let is_near = runs <= limit && runs > limit / 2;
    if is_published || !is_near || !config.publish.run_folders.is_flat() {
        return None;
    }
    let on = limiting_host(config, &ENTRIES)
        .map_or_else(String::new, |host| format!(" on {}", host.title));
    let (runs, limit) = (format::grouped(runs), format::grouped(limit));
    Some(codes::PUBLISH_FLAT_FOLDERS.at(
        Place::file(config::FILE_NAME).pointing("/publish/run_folders"),
        format!("{runs} runs are in one folder, which may have at most {limit} files and folders{on}"),
        "If the archive may grow beyond that, set `run_folders = \"prefixed\"` in `[publish]` now: it cannot change once the site is published.",
    ))
}

/// The host, unless `[budget]` replaces its limit.
fn limiting_host(config: &Config, key: &BudgetKey) -> Option<&'static Host> {
    let host = config.publish.host;
    host.filter(|_| (key.limit)(&config.budget).is_none())
}

fn problem(
    config: &Config,
    key: &BudgetKey,
    message: &str,
    hint: &str,
    size: &SiteSize,
) -> Diagnostic {
    let name = key.name;
    let host = limiting_host(config, key);
    let (pointer, by) = match host {
        Some(host) => {
            let by = format!(" on {} ({}, {})", host.title, host.source, host.read);
            ("/publish/host".to_owned(), by)
        }
        None => (format!("/budget/{name}"), String::new()),
    };
    let raise = match host.and_then(|host| (key.limit)(&host.paid)) {
        Some(paid) => format!("set `{name} = {paid}` in `[budget]` if you have a paid plan"),
        None => format!("raise `{name}` in `[budget]` if your plan allows it"),
    };
    let runs = size.runs.iter().map(|(run, bytes)| (&**run, *bytes));
    let largest = if size.runs.is_empty() {
        String::new()
    } else {
        largest("The largest runs", runs, format::bytes)
    };
    let help = format!("Withdraw runs, publish fewer files, or {raise}. {hint}{largest}");
    codes::PUBLISH_OVER_BUDGET.at(
        Place::file(config::FILE_NAME).pointing(pointer),
        format!("{message}{by}"),
        help.trim_end(),
    )
}

/// The largest items in words, each with its size.
fn largest<'a>(
    what: &str,
    all: impl Iterator<Item = (&'a str, u64)>,
    shown: impl Fn(u64) -> String,
) -> String {
    let mut all: Vec<_> = all.collect();
    all.sort_by(|(a, more), (b, than)| than.cmp(more).then_with(|| a.cmp(b)));
    all.truncate(MAX_LISTED);
    let all = all.iter().map(|(path, size)| {
        let path = if path.is_empty() { "." } else { path };
        format!("{} ({})", quoted(path), shown(*size))
    });
    format!("{what}: {}.", all.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    use base::links::{self, RunFolders, Slug};
    use formats::config::HOSTS;

    /// A site at the limits of a host.
    fn full(limits: Budget) -> SiteSize {
        let folder = ("runs".to_owned(), limits.entries.unwrap_or(1_000_000));
        SiteSize {
            files: limits.files.unwrap_or(1_000_000),
            bytes: limits.bytes.unwrap_or(1 << 40),
            entries: [folder].into(),
            runs: [("runs/a".to_owned(), 7), ("runs/b".to_owned(), 8)].into(),
            large: Vec::new(),
        }
    }

    #[test]
    fn a_site_that_is_one_over_a_limit_of_a_host_is_refused_and_one_at_the_limit_is_not() {
        for host in &HOSTS {
            let mut config = Config::default();
            config.publish.host = Some(host);
            let limits = host.limits;
            assert_eq!(problems(&config, &full(limits)), [], "{}", host.name);
            let mut over = full(limits);
            over.files += u64::from(limits.files.is_some());
            over.bytes += u64::from(limits.bytes.is_some());
            over.entries.values_mut().for_each(|entries| *entries += 1);
            over.large
                .extend(limits.file.map(|file| ("a".to_owned(), file + 1)));
            let found = problems(&config, &over);
            let limited = [limits.files, limits.bytes, limits.file, limits.entries];
            assert_eq!(
                found.len(),
                limited.iter().flatten().count(),
                "{}",
                host.name
            );
            for problem in found {
                assert!(problem.message.contains(host.title), "{}", problem.message);
                assert_eq!(problem.place.pointer.as_deref(), Some("/publish/host"));
            }
        }
    }

    /// The size of a build that writes these files. Stages only paths and sizes, so a site of 100,000 files or many
    /// gigabytes needs no disk.
    fn staged(config: &Config, files: impl IntoIterator<Item = (String, u64)>) -> SiteSize {
        let out = Path::new("target/no-such-site");
        let mut stage = Stage::dry_run(out, "public", &[]).expect("a free path");
        let largest = config.site_limits().file.unwrap_or(u64::MAX);
        stage.measure_size(largest, config.publish.external_folder());
        for (path, bytes) in files {
            stage.plan(&path, bytes).expect("a free path");
        }
        stage.site_size().expect("a size")
    }

    #[test]
    fn a_staged_site_is_just_under_or_just_over_each_limit_of_each_host() {
        let file = |n: u64| format!("runs/{:04}/{:04}/{n}.txt", n / 5_000, n % 5_000 / 50);
        let mut limits = 0;
        for host in &HOSTS {
            let mut config = Config::default();
            config.publish.host = Some(host);
            let found = |files: Vec<(String, u64)>| problems(&config, &staged(&config, files));
            let mut try_both = |key: &str, site: &dyn Fn(u64) -> Vec<(String, u64)>| {
                limits += 1;
                assert_eq!(found(site(0)), [], "{} {key}", host.name);
                let [problem] = &found(site(1))[..] else {
                    panic!("{} {key}: {:?}", host.name, found(site(1)));
                };
                assert!(
                    problem.help.contains(&format!("`{key}")),
                    "{}",
                    problem.help
                );
            };
            let Budget {
                files,
                bytes,
                file: largest,
                entries,
            } = host.limits;
            if let Some(files) = files {
                try_both("files", &|more| {
                    (0..files + more).map(|n| (file(n), 1)).collect()
                });
            }
            if let Some(bytes) = bytes {
                let half = bytes / 2;
                try_both("bytes", &|more| {
                    vec![(file(0), half), (file(1), bytes - half + more)]
                });
            }
            if let Some(largest) = largest {
                try_both("file", &|more| {
                    vec![(file(0), largest + more), (file(1), largest)]
                });
            }
            if let Some(entries) = entries {
                let page = |n| (format!("runs/{n}/index.html"), 1);
                try_both("entries", &|more| (0..entries + more).map(page).collect());
            }
        }
        assert_eq!(limits, 7, "every limit of the table");
    }

    #[test]
    fn too_many_runs_in_one_folder_fit_with_prefixes() {
        let mut config = Config::default();
        config.publish.host = HOSTS.iter().find(|host| host.name == "huggingface");
        let pages = |folders| {
            (0..20_000).map(move |n| (links::run(&Slug::new(&format!("run-{n}"), folders)), 1))
        };
        let found = problems(&config, &staged(&config, pages(RunFolders::Flat)));
        let help: Vec<_> = found.iter().map(|problem| &*problem.help).collect();
        assert!(help.len() == 1 && help[0].contains(PREFIXED), "{help:?}");
        assert!(help[0].contains("The largest runs: `runs/"), "{help:?}");
        config.publish.run_folders = RunFolders::Prefixed;
        let found = problems(&config, &staged(&config, pages(RunFolders::Prefixed)));
        assert_eq!(found, []);
    }

    #[test]
    fn more_runs_than_half_of_what_one_folder_takes_are_a_warning() {
        let mut config = Config::default();
        assert_eq!(flat_folders(&config, 1_000_000, None), None);
        let message = |config: &Config| flat_folders(config, 5_000, None).map(|it| it.message);
        config.publish.host = HOSTS.iter().find(|host| host.name == "huggingface");
        for (runs, warns) in [
            (4_999, false),
            (5_000, true),
            (9_999, true),
            (10_000, false),
        ] {
            let warning = flat_folders(&config, runs, None);
            assert_eq!(warning.is_some(), warns, "{runs}");
        }
        assert!(flat_folders(&config, 5_000, Some(&Ledger::default())).is_some());
        let on_host = message(&config).is_some_and(|text| text.ends_with("on Hugging Face"));
        config.budget.entries = Some(8_000);
        let by_budget =
            message(&config).is_some_and(|text| text.ends_with("8,000 files and folders"));
        assert!(on_host && by_budget, "{:?}", message(&config));
        config.publish.run_folders = RunFolders::Prefixed;
        assert_eq!(message(&config), None);
    }

    /// What each host documents, written again, so that a slip in the table is noticed.
    #[test]
    fn the_limits_are_those_that_hosts_document() {
        let limits = HOSTS.iter().map(|host| {
            let Budget {
                files,
                bytes,
                file,
                entries,
            } = host.limits;
            (host.name, [files, bytes, file, entries], host.paid.files)
        });
        let gb = 1_000_000_000;
        let mib = 1 << 20;
        let expected = [
            ("github-pages", [None, Some(gb), None, None], None),
            (
                "cloudflare-pages",
                [Some(20_000), None, Some(25 * mib), None],
                Some(100_000),
            ),
            ("netlify", [None, None, None, Some(54_000)], None),
            ("huggingface", [Some(99_999), None, None, Some(9_999)], None),
            (
                "s3",
                [None, None, Some(10_000 * 5 * 1024 * mib), None],
                None,
            ),
        ];
        assert_eq!(limits.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn the_guide_to_ci_lists_every_host_with_its_limits() {
        let page = include_str!("../../content/pages/ci.md");
        for host in &HOSTS {
            let count = |limit: Option<u64>| {
                limit.map_or_else(String::new, |limit| format!("{} ", format::grouped(limit)))
            };
            let size = |limit: Option<u64>| {
                limit.map_or_else(String::new, |limit| format!("{} ", format::bytes(limit)))
            };
            let limits = host.limits;
            let row = format!(
                "| [`{}`]({}) | {}| {}| {}| {}| {} |\n",
                host.name,
                host.source,
                count(limits.files),
                size(limits.bytes),
                size(limits.file),
                count(limits.entries),
                host.read
            );
            assert!(page.contains(&row), "{row}");
        }
    }

    #[test]
    fn a_budget_replaces_the_limit_of_the_host() {
        let mut config = Config::default();
        config.publish.host = HOSTS.iter().find(|host| host.name == "cloudflare-pages");
        let mut size = full(config.site_limits());
        size.files = 99_999;
        let [problem] = &problems(&config, &size)[..] else {
            panic!("one problem");
        };
        let raise = "set `files = 100000` in `[budget]` if you have a paid plan";
        assert!(problem.help.contains(raise), "{}", problem.help);
        config.budget.files = Some(100_000);
        assert_eq!(problems(&config, &size), []);
        size.files = 100_001;
        let [problem] = &problems(&config, &size)[..] else {
            panic!("one problem");
        };
        assert!(problem.help.contains("raise `files`"), "{}", problem.help);
        assert_eq!(problem.place.pointer.as_deref(), Some("/budget/files"));
        assert!(
            problem
                .help
                .ends_with("The largest runs: `runs/b` (8 B), `runs/a` (7 B)."),
            "{}",
            problem.help
        );
    }
}
