//! Runs `new`, `annotate`, `redact` and `reveal-proof`: passes the request on and reports the result.

use std::borrow::Cow;
use std::io::{IsTerminal, Read};
use std::path::Path;

use runpress::api::author::{
    self, AnnotationAuthor, AuthorKind, Metadata, NamedAuthor, NewAnnotation, NewDecision, Outcome,
    Reason, Refusal, Span, Target, Verb,
};
use runpress::api::diagnostics::text::visible;
use runpress::api::diagnostics::{self, Diagnostic, human};
use runpress::api::site::{Overrides, Site};

use super::console::{answer, print, refuse, say, say_raw, styled};
use super::{Annotate, CONTENT_ERRORS, COULD_NOT_RUN, Cli, Decide, Redact, build};

/// Creates a new site.
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

/// A path quoted for a shell.
fn shell_word(path: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:=@%".contains(c);
    if path.chars().all(is_plain) {
        Cow::Borrowed(path)
    } else {
        Cow::Owned(format!("'{}'", path.replace('\'', r"'\''")))
    }
}

/// Adds an annotation, or updates the sidecar of a changed tape.
pub(crate) fn annotate(cli: &Cli, asked: &Annotate) -> u8 {
    let Some(root) = build::root(cli) else {
        return COULD_NOT_RUN;
    };
    let site = Site::open(&root, &Overrides::default()).map_err(Refusal::Site);
    let status = site.and_then(|site| match asked {
        Annotate { validate: true, .. } => validate(cli, &site, asked),
        Annotate {
            from: Some(from), ..
        } => add_from(cli, &site, asked, from),
        Annotate {
            event: Some(event),
            kind: Some(kind),
            ..
        } => add(cli, &site, asked, *event, kind),
        _ => rehash(cli, &site, asked),
    });
    status.unwrap_or_else(|refusal| refused(cli, refusal))
}

fn add(cli: &Cli, site: &Site, asked: &Annotate, event: u64, kind: &str) -> Result<u8, Refusal> {
    let new = NewAnnotation {
        event_id: event,
        kind: kind.to_owned(),
        evidence: asked.evidence.clone(),
        author: asked.author.clone().map(|id| AnnotationAuthor {
            id,
            kind: asked.author_kind.clone(),
            surface: "cli",
        }),
        span: asked.span_end.map(|end_event_id| Span {
            start_event_id: event,
            end_event_id,
        }),
        hypothesis_status: asked.hypothesis_status.clone(),
        friction_kind: asked.friction_kind.clone(),
        metadata: Metadata {
            quote: asked.quote.clone(),
        },
        ..NewAnnotation::default()
    };
    let tape = asked.tape.as_deref();
    let written = author::annotate(site, &asked.run, tape, &new, &|words| waiting(cli, words))?;
    let text = written.text();
    show(cli, written.notes);
    if !cli.quiet {
        print(&text);
    }
    Ok(0)
}

fn add_from(cli: &Cli, site: &Site, asked: &Annotate, from: &Path) -> Result<u8, Refusal> {
    let tape = asked.tape.as_deref();
    let waiting = |words: &str| waiting(cli, words);
    let written = author::annotate_from(site, &asked.run, tape, from, &waiting)?;
    let text = written.text();
    show(cli, written.annotations.notes);
    if !cli.quiet {
        print(&text);
    }
    Ok(0)
}

/// Writes down a decision about a run.
pub(crate) fn decide(cli: &Cli, asked: &Decide) -> u8 {
    let written = opened(cli).and_then(|site| {
        let mut kinds = AuthorKind::ALL.into_iter();
        let kind = kinds.find(|kind| kind.word() == asked.author_kind);
        let author = asked
            .author
            .clone()
            .or_else(|| site.config.site.author.clone());
        let new = NewDecision {
            verb: match asked {
                Decide { void: true, .. } => Verb::Void,
                Decide {
                    disqualify: true, ..
                } => Verb::Disqualify,
                Decide { restore: true, .. } => Verb::Restore,
                Decide { include: true, .. } => Verb::Include,
                _ => Verb::Rescore,
            },
            reason: asked.reason.clone(),
            author: NamedAuthor {
                id: author.unwrap_or_else(|| "publisher".to_owned()),
                kind: kind.unwrap_or(AuthorKind::Human),
            },
            event: asked.event,
            rule: asked.rule.clone(),
            outcome: asked.rescore.clone(),
        };
        author::decide(&site, &asked.run, &new, &|words| waiting(cli, words))
    });
    match written {
        Ok(text) => {
            if !cli.quiet {
                print(&text);
            }
            0
        }
        Err(refusal) => refused(cli, refusal),
    }
}

fn rehash(cli: &Cli, site: &Site, asked: &Annotate) -> Result<u8, Refusal> {
    let (tape, before) = (asked.tape.as_deref(), asked.before.as_deref());
    let done = author::rehash(site, &asked.run, tape, before, &|words| waiting(cli, words))?;
    if !cli.quiet {
        print(&done.text());
    }
    if done.outcome == Outcome::Refused {
        return Err(Refusal::Content(done.problems));
    }
    show(cli, done.problems);
    Ok(0)
}

/// Prints Harn's report. The exit status tells whether it has problems.
fn validate(cli: &Cli, site: &Site, asked: &Annotate) -> Result<u8, Refusal> {
    match author::validate(site, &asked.run, asked.tape.as_deref()) {
        Ok(validated) => {
            print(&validated.json);
            Ok(if validated.has_problems {
                CONTENT_ERRORS
            } else {
                0
            })
        }
        // Harn's validation writes nothing anyway.
        Err(Refusal::Content(problems)) => {
            show(cli, problems);
            Ok(CONTENT_ERRORS)
        }
        Err(refusal) => Err(refusal),
    }
}

/// Withholds parts of a run, or removes a redaction.
pub(crate) fn redact(cli: &Cli, asked: &Redact) -> u8 {
    let done = opened(cli).and_then(|site| {
        let waiting = |words: &str| waiting(cli, words);
        if let Some(id) = &asked.undo {
            return author::undo(&site, &asked.run, id, asked.dry_run, &waiting);
        }
        let reason = |word: &String| Reason::ALL.into_iter().find(|it| it.word() == word);
        let redact = author::Redact {
            target: target(asked)?,
            reason: asked.reason.as_ref().and_then(reason),
            note: asked.note.clone(),
            by: asked.by.clone(),
            at: asked.at.clone(),
            dry_run: asked.dry_run,
        };
        author::redact(&site, &asked.run, &redact, &waiting)
    });
    match done {
        Ok(done) => {
            if !cli.quiet {
                print(&done.text());
            }
            0
        }
        Err(refusal) => refused(cli, refusal),
    }
}

/// The target of a redaction.
fn target(asked: &Redact) -> Result<Target, Refusal> {
    if let Some(fingerprint) = &asked.finding {
        return Ok(Target::Finding(fingerprint.clone()));
    }
    let Some(quote) = &asked.quote else {
        let whole = asked.file.clone().filter(|_| asked.whole);
        return Ok(whole.map_or(Target::All, Target::Whole));
    };
    let quote = if quote == "-" {
        // A secret on the command line would stay in the shell history.
        let mut text = String::new();
        let read = std::io::stdin().read_to_string(&mut text);
        read.map_err(|error| Refusal::Request {
            message: format!("Standard input cannot be read: {error}"),
            help: "Write the exact text to it, as UTF-8.".to_owned(),
        })?;
        let text = text.strip_suffix('\n').unwrap_or(&text);
        text.strip_suffix('\r').unwrap_or(text).to_owned()
    } else {
        quote.clone()
    };
    Ok(Target::Quote {
        quote,
        event: asked.event,
        file: asked.tape.clone().or_else(|| asked.file.clone()),
        pointer: asked.pointer.clone(),
    })
}

/// Prints the data for an auditor to check a redaction.
pub(crate) fn reveal_proof(cli: &Cli, run: &str, id: &str) -> u8 {
    match opened(cli).and_then(|site| author::reveal_proof(&site, run, id)) {
        Ok(text) => answer(&text),
        Err(refusal) => refused(cli, refusal),
    }
}

/// Prints rows of a raw log with what they translate to.
pub(crate) fn raw(cli: &Cli, run: &str, event: Option<u64>) -> u8 {
    let mut status = 0;
    let printed = opened(cli).and_then(|site| {
        author::raw(&site, run, event, &mut |text| {
            if status == 0 {
                status = answer(text);
            }
        })
    });
    printed.map_or_else(|refusal| refused(cli, refusal), |()| status)
}

fn opened(cli: &Cli) -> Result<Site, Refusal> {
    let root = build::root(cli).ok_or_else(|| Refusal::Site(Vec::new()))?;
    Site::open(&root, &Overrides::default()).map_err(Refusal::Site)
}

pub(super) fn waiting(cli: &Cli, words: &str) {
    if !cli.quiet {
        say(words);
    }
}

pub(super) fn refused(cli: &Cli, refusal: Refusal) -> u8 {
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
