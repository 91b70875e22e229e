//! Runs `new`, `annotate`, `decide`, `redact`, `raw` and `reveal-proof`: passes the request on and reports the result.

use std::borrow::Cow;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use runpress::api::author::{
    self, AuthorKind, DecisionKind, Metadata, NamedAuthor, NewAnnotation, NewDecision,
    RedactionReason, RedactionRequest, RedactionTarget, Refusal, RehashOutcome, Span,
};
use runpress::api::diagnostics::text::visible;
use runpress::api::diagnostics::{self, Diagnostic};
use runpress::api::site::{Overrides, Site};

use super::console::{
    answer, print, print_unless_quiet, refuse, say, say_problems, say_unless_quiet,
};
use super::{CONTENT_ERRORS, COULD_NOT_RUN, Cli, build};

#[derive(Debug, Args)]
#[command(group(
    clap::ArgGroup::new("verb")
        .required(true)
        .args(["void", "disqualify", "restore", "include", "rescore"])
))]
pub(crate) struct Decide {
    /// Run: path of its folder, id, or slug
    #[arg(value_name = "RUN")]
    run: String,
    /// The run does not count, because something outside of it went wrong
    #[arg(long)]
    void: bool,
    /// The run does not count, because it broke a rule
    #[arg(long)]
    disqualify: bool,
    /// Take back an earlier `void` or `disqualify`
    #[arg(long)]
    restore: bool,
    /// The run counts
    #[arg(long)]
    include: bool,
    /// Correct an outcome: its name and the value that counts
    #[arg(long, value_name = "NAME=VALUE", value_parser = name_and_value)]
    rescore: Option<(String, String)>,
    /// Why, in plain text
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// Number of the event that shows it
    #[arg(long, value_name = "N")]
    event: Option<u64>,
    /// Id of the rule that it is about
    #[arg(long, value_name = "ID")]
    rule: Option<String>,
    /// Name or handle of the author, published with the decision [default: `[site] author`]
    #[arg(long, value_name = "ID", value_parser = author_id)]
    author: Option<String>,
    /// Kind of author
    #[arg(long, value_name = "KIND", default_value = "human", value_parser = ["human", "agent", "system"])]
    author_kind: String,
}

fn name_and_value(text: &str) -> Result<(String, String), String> {
    let parts = text
        .split_once('=')
        .filter(|(name, _)| !name.trim().is_empty());
    let (name, value) = parts.ok_or("write it as `name=value`")?;
    Ok((name.to_owned(), value.to_owned()))
}

#[derive(Debug, Args)]
pub(crate) struct Annotate {
    /// Run: path of its folder, id, or slug
    #[arg(value_name = "RUN")]
    run: String,
    /// Tape, such as `events.jsonl`; required if the run has several
    #[arg(long, value_name = "FILE")]
    tape: Option<String>,
    /// Event number
    #[arg(
        long,
        value_name = "N",
        required_unless_present_any = ["from", "rehash", "validate"],
        allow_negative_numbers = true
    )]
    event: Option<u64>,
    /// `correct`, `incorrect`, `alternative`, `note`, `marker`, `mute`, `hypothesis`, `friction` or `crystallize_here`
    #[arg(long, value_name = "KIND", required_unless_present_any = ["from", "rehash", "validate"])]
    kind: Option<String>,
    /// What you observed, in Markdown
    #[arg(long, value_name = "TEXT")]
    evidence: Option<String>,
    /// Exact words of the event, to detect when the tape changes
    #[arg(long, value_name = "TEXT")]
    quote: Option<String>,
    /// Last event of the span
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    span_end: Option<u64>,
    /// Status of a hypothesis: `active`, `verifying`, `confirmed`, `disproven` or `stale`
    #[arg(long, value_name = "STATUS")]
    hypothesis_status: Option<String>,
    /// Kind of friction; `runpress explain annotation.friction-kind-unknown` lists them
    #[arg(long, value_name = "KIND")]
    friction_kind: Option<String>,
    /// Name or handle of the author, published with the annotation [default: no author]
    #[arg(long, value_name = "ID", value_parser = author_id)]
    author: Option<String>,
    /// Kind of author
    #[arg(
        long,
        value_name = "KIND",
        requires = "author",
        default_value = "human",
        value_parser = ["human", "agent", "system"]
    )]
    author_kind: String,
    /// Findings of a scanner, as JSON Lines; `-` reads standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["rehash", "validate", "event", "kind", "evidence", "quote", "span_end", "hypothesis_status", "friction_kind", "author"])]
    from: Option<PathBuf>,
    /// Review the annotations of a changed tape, and update the hash in the sidecar
    #[arg(long, conflicts_with_all = ["event", "kind", "evidence", "quote", "span_end", "hypothesis_status", "friction_kind", "author"])]
    rehash: bool,
    /// With `--rehash`: the tape before the change, for comparison
    #[arg(long, value_name = "FILE", requires = "rehash", conflicts_with_all = ["event", "kind"])]
    before: Option<PathBuf>,
    /// Print Harn's validation report of the sidecar as JSON; write nothing
    #[arg(long, conflicts_with_all = ["rehash", "event", "kind", "evidence", "quote", "span_end", "hypothesis_status", "friction_kind", "author"])]
    validate: bool,
}

#[derive(Args)]
#[command(group = clap::ArgGroup::new("what").required(true).args(["quote", "whole", "finding", "all", "undo"]))]
pub(crate) struct Redact {
    /// Run: path of its folder, id, or slug
    #[arg(value_name = "RUN")]
    run: String,
    /// Event number
    #[arg(long, value_name = "N", requires = "quote")]
    event: Option<u64>,
    /// Tape, such as `events.jsonl`; required if the run has several
    #[arg(long, value_name = "FILE", requires = "event", conflicts_with = "file")]
    tape: Option<String>,
    /// File, as a path from the folder of the run
    #[arg(long, value_name = "FILE", conflicts_with_all = ["event", "finding", "all", "undo"])]
    file: Option<String>,
    /// JSON pointer of the value, such as `/command`
    #[arg(long, value_name = "P", requires = "quote")]
    pointer: Option<String>,
    /// Exact words to withhold; `-` reads standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    quote: Option<String>,
    /// Withhold the whole file
    #[arg(long, requires = "file")]
    whole: bool,
    /// Withhold what a check reported, by its fingerprint
    #[arg(long, value_name = "FINGERPRINT")]
    finding: Option<String>,
    /// Withhold every secret that a check reports
    #[arg(long)]
    all: bool,
    /// Remove a redaction, by its id
    #[arg(long, value_name = "ID", conflicts_with_all = ["reason", "note", "by", "at"])]
    undo: Option<String>,
    /// Why it is withheld [default: by the rule of a finding]
    #[arg(
        long,
        value_name = "REASON",
        required_unless_present_any = ["finding", "all", "undo"],
        value_parser = ["secret", "personal", "copyright", "contamination", "other"]
    )]
    reason: Option<String>,
    /// The reason in words, published; required for `other`
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// Who withholds it; not published
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// Time, RFC 3339 [default: now]
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
    /// Show what would be withheld; write nothing
    #[arg(long)]
    dry_run: bool,
}

/// Leaves out the text to withhold.
impl std::fmt::Debug for Redact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Redact")
            .field("run", &self.run)
            .finish_non_exhaustive()
    }
}

fn author_id(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("write a name or handle, or omit `--author`".to_owned());
    }
    Ok(text.to_owned())
}

/// Creates a new site.
pub(crate) fn new(cli: &Cli, folder: &Path) -> u8 {
    if let Err(refusal) = author::starter::create(folder) {
        return refused(cli, refusal);
    }
    let folder = visible(&folder.to_string_lossy());
    let word = shell_word(&folder);
    let text = format!(
        "Created a site with one sample run in {folder}\n\nNext:\n  cd {word}\n  runpress build\nand open public/index.html in a browser.\n"
    );
    print_unless_quiet(cli, &text);
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
pub(crate) fn annotate(cli: &Cli, args: &Annotate) -> u8 {
    let status = open_site(cli).and_then(|site| match args {
        Annotate { validate: true, .. } => validate(cli, &site, args),
        Annotate {
            from: Some(from), ..
        } => add_from(cli, &site, args, from),
        Annotate {
            event: Some(event),
            kind: Some(kind),
            ..
        } => add(cli, &site, args, *event, kind),
        _ => rehash(cli, &site, args),
    });
    status.unwrap_or_else(|refusal| refused(cli, refusal))
}

fn add(cli: &Cli, site: &Site, args: &Annotate, event: u64, kind: &str) -> Result<u8, Refusal> {
    let new = NewAnnotation {
        event_id: event,
        kind: kind.to_owned(),
        evidence: args.evidence.clone(),
        author: args
            .author
            .clone()
            .map(|id| author::own_author(id, author_kind(&args.author_kind))),
        span: args.span_end.map(|end_event_id| Span {
            start_event_id: event,
            end_event_id,
        }),
        hypothesis_status: args.hypothesis_status.clone(),
        friction_kind: args.friction_kind.clone(),
        metadata: Metadata {
            quote: args.quote.clone(),
        },
        ..NewAnnotation::default()
    };
    let tape = args.tape.as_deref();
    let written = author::annotate(site, &args.run, tape, &new, &say_waiting(cli))?;
    let text = written.text();
    show(cli, written.notes);
    print_unless_quiet(cli, &text);
    Ok(0)
}

fn add_from(cli: &Cli, site: &Site, args: &Annotate, from: &Path) -> Result<u8, Refusal> {
    let tape = args.tape.as_deref();
    let written = author::annotate_from(site, &args.run, tape, from, &say_waiting(cli))?;
    let text = written.text();
    show(cli, written.annotations.notes);
    print_unless_quiet(cli, &text);
    Ok(0)
}

/// The kind of an author by its word, which the command line has checked.
fn author_kind(word: &str) -> AuthorKind {
    let mut kinds = AuthorKind::ALL.into_iter();
    let kind = kinds.find(|kind| kind.word() == word);
    kind.unwrap_or(AuthorKind::Human)
}

/// Writes down a decision about a run.
pub(crate) fn decide(cli: &Cli, args: &Decide) -> u8 {
    let written = open_site(cli).and_then(|site| {
        let author = args
            .author
            .clone()
            .or_else(|| site.config.site.author.clone());
        let new = NewDecision {
            verb: match args {
                Decide { void: true, .. } => DecisionKind::Void,
                Decide {
                    disqualify: true, ..
                } => DecisionKind::Disqualify,
                Decide { restore: true, .. } => DecisionKind::Restore,
                Decide { include: true, .. } => DecisionKind::Include,
                _ => DecisionKind::Rescore,
            },
            reason: args.reason.clone(),
            author: NamedAuthor {
                id: author.unwrap_or_else(|| "publisher".to_owned()),
                kind: author_kind(&args.author_kind),
            },
            event: args.event,
            rule: args.rule.clone(),
            outcome: args.rescore.clone(),
        };
        author::decide(&site, &args.run, &new, &say_waiting(cli))
    });
    finished(cli, written)
}

fn rehash(cli: &Cli, site: &Site, args: &Annotate) -> Result<u8, Refusal> {
    let (tape, before) = (args.tape.as_deref(), args.before.as_deref());
    let done = author::rehash(site, &args.run, tape, before, &say_waiting(cli))?;
    print_unless_quiet(cli, &done.text());
    if done.outcome == RehashOutcome::Refused {
        return Err(Refusal::Content(done.problems));
    }
    show(cli, done.problems);
    Ok(0)
}

/// Prints Harn's report. The exit status tells whether it has problems.
fn validate(cli: &Cli, site: &Site, args: &Annotate) -> Result<u8, Refusal> {
    match author::validate(site, &args.run, args.tape.as_deref()) {
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
pub(crate) fn redact(cli: &Cli, args: &Redact) -> u8 {
    let done = open_site(cli).and_then(|site| {
        let waiting = say_waiting(cli);
        if let Some(id) = &args.undo {
            return author::undo(&site, &args.run, id, args.dry_run, &waiting);
        }
        let reason = |word: &String| {
            RedactionReason::ALL
                .into_iter()
                .find(|it| it.word() == word)
        };
        let request = RedactionRequest {
            target: target(args)?,
            reason: args.reason.as_ref().and_then(reason),
            note: args.note.clone(),
            by: args.by.clone(),
            at: args.at.clone(),
            dry_run: args.dry_run,
        };
        author::redact(&site, &args.run, &request, &waiting)
    });
    finished(cli, done.map(|done| done.text()))
}

/// The target of a redaction.
fn target(args: &Redact) -> Result<RedactionTarget, Refusal> {
    if let Some(fingerprint) = &args.finding {
        return Ok(RedactionTarget::Finding(fingerprint.clone()));
    }
    let Some(quote) = &args.quote else {
        let whole = args.file.clone().filter(|_| args.whole);
        return Ok(whole.map_or(RedactionTarget::All, RedactionTarget::File));
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
    Ok(RedactionTarget::Quote {
        quote,
        event: args.event,
        file: args.tape.clone().or_else(|| args.file.clone()),
        pointer: args.pointer.clone(),
    })
}

/// Prints the data for an auditor to check a redaction.
pub(crate) fn reveal_proof(cli: &Cli, run: &str, id: &str) -> u8 {
    match open_site(cli).and_then(|site| author::reveal_proof(&site, run, id)) {
        Ok(text) => answer(&text),
        Err(refusal) => refused(cli, refusal),
    }
}

/// Prints rows of a raw log with what they translate to.
pub(crate) fn raw(cli: &Cli, run: &str, event: Option<u64>) -> u8 {
    let mut status = 0;
    let printed = open_site(cli).and_then(|site| {
        author::raw(&site, run, event, &mut |text| {
            if status == 0 {
                status = answer(text);
            }
        })
    });
    printed.map_or_else(|refusal| refused(cli, refusal), |()| status)
}

fn open_site(cli: &Cli) -> Result<Site, Refusal> {
    let root = build::root(cli).ok_or_else(|| Refusal::Site(Vec::new()))?;
    Site::open(&root, &Overrides::default()).map_err(Refusal::Site)
}

/// Prints what was done, or why nothing was, and returns the exit status.
fn finished(cli: &Cli, done: Result<String, Refusal>) -> u8 {
    match done {
        Ok(text) => {
            print_unless_quiet(cli, &text);
            0
        }
        Err(refusal) => refused(cli, refusal),
    }
}

/// Prints what a command waits for.
pub(super) fn say_waiting(cli: &Cli) -> impl Fn(&str) {
    move |words: &str| say_unless_quiet(cli, words)
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
    say_problems(cli, &problems);
}
