//! Runs `new` and `annotate`: hands over what was asked for, and says what was written.

use std::borrow::Cow;
use std::io::IsTerminal;
use std::path::Path;

use runpress::api::author::{self, AnnotationAuthor, Outcome, Refusal, RehashRequest, Request};
use runpress::api::diagnostics::text::visible;
use runpress::api::diagnostics::{self, Diagnostic, human};
use runpress::api::site::{Overrides, Site};

use super::console::{print, refuse, say, say_raw, styled};
use super::{Annotate, AuthorKind, CONTENT_ERRORS, COULD_NOT_RUN, Cli, build};

/// Makes a new site.
pub(crate) fn new(cli: &Cli, folder: &Path) -> u8 {
    if let Err(refusal) = author::starter::create(folder) {
        return refused(cli, refusal);
    }
    if !cli.quiet {
        let folder = visible(&folder.to_string_lossy());
        let word = shell_word(&folder);
        print(&format!(
            "Created a site with one sample run in {folder}\n\nNext:\n  cd {word}\n  runpress build\nand open public/index.html in a browser.\n"
        ));
    }
    0
}

/// A path as one word of a shell's line.
fn shell_word(path: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:=@%".contains(c);
    if path.chars().all(is_plain) {
        Cow::Borrowed(path)
    } else {
        Cow::Owned(format!("'{}'", path.replace('\'', r"'\''")))
    }
}

/// Adds an annotation, or brings a sidecar to its changed tape.
pub(crate) fn annotate(cli: &Cli, asked: &Annotate) -> u8 {
    let Some(root) = build::root(cli) else {
        return COULD_NOT_RUN;
    };
    let site = match Site::open(&root, &Overrides::default()) {
        Ok(site) => site,
        Err(problems) => return refused(cli, Refusal::Site(problems)),
    };
    if asked.validate {
        return validate(cli, &site, asked);
    }
    match (asked.event, &asked.kind) {
        (Some(event), Some(kind)) => add(cli, &site, asked, event, kind),
        _ => rehash(cli, &site, asked),
    }
}

fn add(cli: &Cli, site: &Site, asked: &Annotate, event: u64, kind: &str) -> u8 {
    let request = Request {
        run: asked.run.clone(),
        tape: asked.tape.clone(),
        event,
        kind: kind.to_owned(),
        evidence: asked.evidence.clone(),
        quote: asked.quote.clone(),
        span_end: asked.span_end,
        hypothesis_status: asked.hypothesis_status.clone(),
        friction_kind: asked.friction_kind.clone(),
        author: asked.author.as_ref().map(|id| AnnotationAuthor {
            id: id.clone(),
            kind: match asked.author_kind {
                AuthorKind::Human => "human",
                AuthorKind::Agent => "agent",
                AuthorKind::System => "system",
            },
            surface: "cli",
        }),
    };
    match author::annotate(site, &request, &|words| waiting(cli, words)) {
        Ok(written) => {
            show(cli, written.notes.clone());
            if !cli.quiet {
                print(&written.text());
            }
            0
        }
        Err(refusal) => refused(cli, refusal),
    }
}

fn rehash(cli: &Cli, site: &Site, asked: &Annotate) -> u8 {
    let request = RehashRequest {
        run: asked.run.clone(),
        tape: asked.tape.clone(),
        before: asked.before.clone(),
    };
    match author::rehash(site, &request, &|words| waiting(cli, words)) {
        Ok(done) => {
            if !cli.quiet {
                print(&done.text());
            }
            if done.outcome == Outcome::Refused {
                return refused(cli, Refusal::Content(done.problems));
            }
            show(cli, done.problems);
            0
        }
        Err(refusal) => refused(cli, refusal),
    }
}

/// Prints Harn's report. Whether it has problems is in the exit status.
fn validate(cli: &Cli, site: &Site, asked: &Annotate) -> u8 {
    match author::validate(site, &asked.run, asked.tape.as_deref()) {
        Ok(validated) => {
            print(&validated.json);
            if validated.has_problems {
                CONTENT_ERRORS
            } else {
                0
            }
        }
        Err(Refusal::Content(problems)) => {
            show(cli, problems);
            CONTENT_ERRORS
        }
        Err(refusal) => refused(cli, refusal),
    }
}

fn waiting(cli: &Cli, words: &str) {
    if !cli.quiet {
        say(words);
    }
}

fn refused(cli: &Cli, refusal: Refusal) -> u8 {
    match refusal {
        Refusal::Content(problems) => {
            show(cli, problems);
            say("Nothing was written.");
            CONTENT_ERRORS
        }
        Refusal::Site(problems) => {
            show(cli, problems);
            COULD_NOT_RUN
        }
        Refusal::Request { message, help } => {
            refuse(&message, &help);
            COULD_NOT_RUN
        }
    }
}

fn show(cli: &Cli, mut problems: Vec<Diagnostic>) {
    diagnostics::sort(&mut problems);
    let styled = styled(cli, std::io::stderr().is_terminal());
    say_raw(&human::render(&problems, styled));
}
