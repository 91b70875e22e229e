//! Runs `serve`: builds, reports the result, and rebuilds after each change until it is stopped.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Instant;

use runpress::api::diagnostics::text::visible;
use runpress::api::serve::{Change, PORT, ServeError, Server, Watcher};
use runpress::api::site::Overrides;
use runpress::api::view::format;

use super::console::{Bar, refuse, say, say_raw, say_unless_quiet};
use super::{COULD_NOT_RUN, Cli, InputOptions, build};

/// Maximum changed files that are listed.
const NAMED: usize = 3;

/// Serves the site until the process ends. Returns only on failure.
pub(crate) fn run(cli: &Cli, input: &InputOptions, port: Option<u16>) -> u8 {
    let Some(root) = build::root(cli) else {
        return COULD_NOT_RUN;
    };
    let overrides = build::overrides(input, Overrides::default());
    let mut server = match Server::start(port) {
        Ok(server) => server,
        Err(error) => {
            refuse_start(port, &error);
            return COULD_NOT_RUN;
        }
    };
    // The watcher starts before the first build, so that no change is missed.
    let mut watcher = match Watcher::new(&root, &input.content) {
        Ok(watcher) => watcher,
        Err(error) => {
            refuse(
                &format!("cannot watch the folders of the site: {error}"),
                "Raise the system limits for file watches and open files.",
            );
            return COULD_NOT_RUN;
        }
    };
    let mut shown_url = String::new();
    let mut polls = false;
    loop {
        let start = Instant::now();
        let bar = Bar::on_terminals(cli);
        // Watches the files named in the settings, even if the build fails or files change during it.
        let result = server.build(&root, &overrides, &bar, |site| watcher.follow(site));
        bar.finish();
        build::report_served(cli, input, &root, &result);
        if input.timings {
            say_raw(&bar.timings());
        }
        let line = build::result_line(&result, server.has_build(), start.elapsed());
        say_unless_quiet(cli, &line);
        if watcher.polls() && !polls {
            polls = true;
            say("Too many folders for the system to watch; polling once a second instead.");
        }
        let url = server.url();
        if shown_url != url {
            say(&format!("Serving at {url} until Ctrl-C."));
            shown_url = url;
        }
        let change = watcher.wait();
        say_unless_quiet(cli, &changed_line(&root, &change));
    }
}

fn refuse_start(port: Option<u16>, why: &ServeError) {
    match (why, port) {
        (ServeError::Port(error), Some(port)) if error.kind() == ErrorKind::AddrInUse => refuse(
            &format!("port `{port}` is in use"),
            "Choose another `--port`, or omit it to use the next free one.",
        ),
        (ServeError::Port(error), _) => refuse(
            &format!("cannot serve the site: {error}"),
            &format!(
                "Choose a free `--port` above 1023; the default is {PORT} or the next free one."
            ),
        ),
        (ServeError::Folder(error), _) => refuse(
            &format!("cannot use the folder for temporary files: {error}"),
            "Set `TMPDIR` to a writable folder; the served site is built there.",
        ),
        (ServeError::System(error), _) => refuse(
            &format!("cannot serve the site: {error}"),
            "Raise the system limits for threads and open files.",
        ),
    }
}

/// `Changed: content/runs/a/events.jsonl and 2 more files`
fn changed_line(root: &Path, change: &Change) -> String {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    if change.paths.is_empty() {
        return "Changed: the folders of the site".to_owned();
    }
    let shown = |path: &PathBuf| {
        let below = path.strip_prefix(&root).unwrap_or(path);
        visible(&below.to_string_lossy())
    };
    let named: Vec<String> = change.paths.iter().take(NAMED).map(shown).collect();
    let more = match change.paths.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {}", format::count(more, "more path")),
    };
    format!("Changed: {}{more}", named.join(", "))
}
