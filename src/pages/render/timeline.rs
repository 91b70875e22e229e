//! The HTML of a tape. Written by hand, because it is the hot path and most of every run page.

use crate::view::timeline::{
    AGENT, AnnotationView, EventView, Fold, FoldLine, SpanPiece, SubagentWork, TextView,
    TimelinePage,
};
use formats::json::{Member, Node};
use formats::model::amounts::{count, milliseconds, push_clock, tokens};
use formats::model::tape::{EventOutcome, TextKind};
use formats::model::time::{push_iso_ms, utc};
use markup::{Html, MarkdownOrigin, event_text};

use markup::code::{push_json, push_patch, push_shell};
use markup::escape::{push_attribute, push_text};
use markup::markdown::{self, MarkdownContext};

/// The fact with the reason of a failed command, and the fact with the event's place in a log.
const EXIT: &str = "exit code";
const SOURCE: &str = "source";

/// Renders the events of one page as a list; `None` if it exceeds `limit` bytes.
pub fn render(page: &TimelinePage<'_>, limit: usize) -> Option<Html> {
    let size: usize = page
        .events
        .iter()
        .flat_map(|e| &e.texts)
        .map(|text| text.text.len())
        .sum();
    let expected = size + size / 8 + page.events.len() * 320;
    let mut out = String::with_capacity(expected.min(limit));
    let mut times = page.start.map(|start| (start, page.events.as_slice()));
    let mut folds = page.folds.iter().peekable();
    // Each number is the index after the last event of an open fold.
    let mut open: Vec<usize> = Vec::new();
    let mut shown = ShownFacts::default();
    for (at, event) in page.events.iter().enumerate() {
        while let Some(fold) = folds.next_if(|fold| fold.start == at) {
            push_fold(&mut out, fold, &page.events);
            open.push(fold.end);
        }
        push_event(&mut out, event, &mut times, &mut shown);
        if !event.annotations.is_empty() {
            out.push_str("</div><div class=ans>");
            for annotation in &event.annotations {
                push_annotation(&mut out, page, annotation);
                if out.len() > limit {
                    return None;
                }
            }
            out.push_str("</div>");
        }
        out.push('\n');
        while open.pop_if(|end| *end == at + 1).is_some() {
            out.push_str("</ol></details>\n");
        }
        if out.len() > limit {
            return None;
        }
    }
    Some(Html::finished(out))
}

/// Facts that are the same for many events: each is shown where it changes.
#[derive(Debug, Default)]
struct ShownFacts<'e> {
    values: [Option<&'e str>; CHANGING.len()],
}

/// Names of the facts that are shown where they change.
const CHANGING: [&str; 3] = [AGENT, "turn", "model"];

impl<'e> ShownFacts<'e> {
    /// Whether the reader knows a fact from an event above. Without the fact of the agent, it is the main one.
    fn repeats(&mut self, name: &str, value: &'e str) -> bool {
        let Some(place) = CHANGING.iter().position(|changing| *changing == name) else {
            return false;
        };
        self.values[place].replace(value) == Some(value)
    }

    fn begin(&mut self, event: &EventView<'e>) {
        if !event.facts.iter().any(|(name, _)| *name == AGENT) {
            self.values[0] = None;
        }
    }
}

/// Appends the summary line of a fold, and opens the list below it.
fn push_fold(out: &mut String, fold: &Fold, events: &[EventView<'_>]) {
    let Some(events) = events.get(fold.start..fold.end) else {
        return;
    };
    let [first, ..] = events else {
        return;
    };
    let family = match &fold.line {
        FoldLine::Subagent(_) => "delegation sub",
        FoldLine::Setup => "other",
        _ => first.family,
    };
    out.push_str("<li class=\"fold f-");
    out.push_str(family);
    let is_open = matches!(&fold.line, FoldLine::Subagent(work) if work.is_open);
    out.push_str(if is_open {
        "\"><details open><summary>"
    } else {
        "\"><details><summary>"
    });
    match &fold.line {
        FoldLine::Muted(reason) => {
            out.push_str("⊘ ");
            out.push_str(&count(events.len(), "muted event"));
            if !reason.is_empty() {
                out.push_str(": ");
                push_text(out, reason);
            }
        }
        FoldLine::Repeated {
            says,
            times,
            all_ok,
        } => {
            out.push_str(first.word);
            out.push_str(" <code>");
            if first.is_command {
                push_shell(out, says);
            } else {
                push_text(out, says);
            }
            out.push_str("</code> ×");
            out.push_str(itoa::Buffer::new().format(*times));
            out.push_str(if *all_ok { ", all ok" } else { "" });
        }
        FoldLine::Reads(names) => {
            let steps = events.iter().filter(|event| !event.is_tied).count();
            out.push_str(&count(steps, "read"));
            out.push_str(" <code>");
            push_text(out, names);
            out.push_str("</code>");
        }
        FoldLine::Setup => {
            out.push_str("setup, ");
            out.push_str(&count(events.len(), "event"));
        }
        FoldLine::Subagent(work) => push_work(out, work, events.len()),
    }
    let seqs = events.iter().map(|event| event.seq);
    let (from, to) = (seqs.clone().min(), seqs.max());
    out.push_str(" <small>");
    out.push_str(itoa::Buffer::new().format(from.unwrap_or_default()));
    out.push('–');
    out.push_str(itoa::Buffer::new().format(to.unwrap_or_default()));
    out.push_str("</small></summary><ol>\n");
}

/// Appends what a subagent did: its name, how it ended, and how much it took.
fn push_work(out: &mut String, work: &SubagentWork, events: usize) {
    out.push_str("<b>subagent");
    if !work.name.is_empty() {
        out.push(' ');
        push_text(out, &work.name);
    }
    out.push_str("</b>");
    match work.outcome {
        EventOutcome::Failed => out.push_str(" <strong class=bad>failed</strong>"),
        EventOutcome::Succeeded => out.push_str(", completed"),
        EventOutcome::Unstated => {}
    }
    out.push_str(", ");
    out.push_str(&count(events, "event"));
    if work.failures > 0 {
        out.push_str(", ");
        out.push_str(&count(work.failures, "failure"));
    }
    if let Some(duration) = work.milliseconds {
        out.push_str(", ");
        push_text(out, &milliseconds(duration));
    }
    if let Some(count) = work.tokens {
        out.push_str(", ");
        out.push_str(&tokens(count));
        out.push_str(" tokens");
    }
}

/// Appends an event without its annotations. Optional end tags are omitted: with `</li>` and `</p>`, a short event would be a
/// tenth longer.
fn push_event<'e>(
    out: &mut String,
    event: &EventView<'e>,
    times: &mut Option<Times<'_>>,
    shown: &mut ShownFacts<'e>,
) {
    if let Some(gap) = &event.gap {
        out.push_str("<li class=gap>");
        push_text(out, gap);
        out.push_str(" without an event");
        if let Some((at, _)) = event.at {
            out.push_str(", until ");
            out.push_str(&utc(at));
        }
        out.push('\n');
    }
    out.push_str("<li class=\"e f-");
    out.push_str(event.family);
    if event.family == "reasoning" {
        out.push_str(" f-speech");
    }
    if event.word == "user" {
        out.push_str(" user");
    }
    if event.failed {
        out.push_str(if event.is_failure {
            " fail"
        } else {
            " fail uncounted"
        });
    }
    if event.is_tied {
        out.push_str(" tied");
    }
    if event.is_usage {
        out.push_str(" u");
    }
    if !event.aside.is_empty() {
        out.push(' ');
        out.push_str(event.aside);
    }
    // A span that neither starts nor ends here is only a class: most events of a long span have no piece of their own.
    let passes = |piece: &SpanPiece| !piece.starts && !piece.ends;
    for piece in event.spans.iter().filter(passes) {
        out.push_str(" l");
        out.push_str(itoa::Buffer::new().format(piece.lane));
    }
    out.push_str("\" id=");
    event.anchor.push_to(out);
    // With annotations, the event and they are two columns of a wide page.
    out.push_str(if event.annotations.is_empty() {
        "><p><a href=#"
    } else {
        "><div class=was><p><a href=#"
    });
    event.anchor.push_to(out);
    if let Some(line) = event.raw_line {
        out.push_str(" title=\"from raw line ");
        out.push_str(itoa::Buffer::new().format(line));
        out.push('"');
    }
    out.push('>');
    out.push_str(itoa::Buffer::new().format(event.seq));
    out.push_str("</a> ");
    if let Some((_, since_start)) = event.at {
        out.push_str("<i");
        if let Some(times) = times.take() {
            push_times(out, times);
        }
        out.push('>');
        push_clock(out, since_start);
        out.push_str("</i> ");
    }
    push_amounts(out, event);
    if let Some(earlier) = &event.earlier {
        out.push_str("<i class=back>");
        push_text(out, earlier);
        out.push_str(" earlier than the event before</i> ");
    } else if event.is_parallel {
        out.push_str("<i class=back>in parallel</i> ");
    }
    // If a log has one file per event, file names would fill a line each.
    out.push_str("<b");
    if let Some((_, source)) = event.facts.iter().find(|(name, _)| *name == SOURCE) {
        out.push_str(" title=\"");
        push_attribute(out, source);
        out.push('"');
    }
    out.push('>');
    out.push_str(event.word);
    out.push_str("</b>");
    if !event.headline.is_empty() {
        out.push_str(" <code>");
        if event.is_command {
            push_shell(out, event.headline);
        } else {
            push_text(out, event.headline);
        }
        out.push_str("</code>");
    }
    // Success is the default: only exceptions are shown.
    if event.is_marked {
        out.push_str(" <strong class=bad>failed</strong>");
    }
    if event.differs {
        out.push_str(" <strong class=bad>differs from the raw log</strong>");
    }
    if event.follows_missing {
        out.push_str(" <strong class=bad>an event is missing before it</strong>");
    }
    for (what, seq, href) in &event.ties {
        out.push_str(" <i>");
        out.push_str(what);
        out.push_str(" <a href=\"");
        push_attribute(out, href);
        out.push_str("\">");
        out.push_str(itoa::Buffer::new().format(*seq));
        out.push_str("</a></i>");
    }
    let mut texts = event.texts.as_slice();
    if let [first, rest @ ..] = texts
        && let Some(arguments) = first.inline()
    {
        push_arguments(out, arguments, event.headline);
        texts = rest;
    }
    shown.begin(event);
    push_facts(out, event, shown);
    for piece in event.spans.iter().filter(|piece| !passes(piece)) {
        push_span(out, piece);
    }
    for text in texts {
        push_content(out, event, text);
    }
    for (label, about, size) in &event.missing {
        out.push_str("<p class=missing>Payload not found: ");
        out.push_str(label);
        push_about(out, about);
        out.push_str(" (");
        out.push_str(size);
        out.push_str(").</p>");
    }
}

/// Appends short arguments of a call, without those that its headline ends with: `description: "Run the tests"`.
fn push_arguments(out: &mut String, arguments: &str, headline: &str) {
    // Without a line of its own, the text is all that is known of an event, and stays as recorded.
    let members = Node::parse(arguments).ok().filter(|_| !headline.is_empty());
    let members = members.and_then(|arguments| arguments.strict_members());
    let is_in_headline = |value: &Node<'_>| {
        let text = value.strict_str().filter(|text| !text.is_empty());
        let before = text.and_then(|text| headline.strip_suffix(&*text));
        before.is_some_and(|before| before.is_empty() || before.ends_with(' '))
    };
    let before = out.len();
    out.push_str(" <code class=args>");
    let start = out.len();
    match members {
        Some(members) => {
            for Member { key, value } in members
                .iter()
                .filter(|member| !is_in_headline(&member.value))
            {
                if out.len() > start {
                    out.push_str(", ");
                }
                push_text(out, key);
                out.push_str(": ");
                push_text(out, value.raw);
            }
        }
        // Empty JSON says that there are no arguments.
        None if matches!(arguments, "{}" | "[]") => {}
        None => push_text(out, arguments),
    }
    if out.len() == start {
        out.truncate(before);
    } else {
        out.push_str("</code>");
    }
}

/// Appends how long a step took, and how many tokens it used.
fn push_amounts(out: &mut String, event: &EventView<'_>) {
    if event.milliseconds.is_none() && event.tokens.is_none() {
        return;
    }
    out.push_str("<small>");
    if let Some(duration) = event.milliseconds {
        push_text(out, &milliseconds(duration));
    }
    if let Some(count) = event.tokens {
        if event.milliseconds.is_some() {
            out.push_str(" · ");
        }
        out.push_str(&tokens(count));
        out.push_str(" tokens");
    }
    out.push_str("</small> ");
}

/// The start of a tape, and the events of a page that have times.
type Times<'e> = (i64, &'e [EventView<'e>]);

/// Attributes of the first time on a page: the start of the tape, and the milliseconds of all times, three digits each. Together
/// with an event's clock, these give the exact time.
fn push_times(out: &mut String, (start, events): Times<'_>) {
    out.push_str(" data-start=");
    push_iso_ms(out, start);
    out.push_str(" data-ms=");
    for (_, since_start) in events.iter().filter_map(|event| event.at) {
        let ms = since_start.unsigned_abs() % 1000;
        out.extend([100, 10, 1].map(|unit| char::from(b'0' + (ms / unit % 10) as u8)));
    }
}

/// Appends short facts. Success is the default: only other exit codes are shown.
fn push_facts<'e>(out: &mut String, event: &EventView<'e>, shown: &mut ShownFacts<'e>) {
    // The reason comes right after “failed”.
    let facts = |why: bool| {
        event
            .facts
            .iter()
            .filter(move |(name, _)| (*name == EXIT) == why)
    };
    for (name, value) in facts(true).chain(facts(false)) {
        let is_default = *name == EXIT && !event.failed && value.starts_with('0');
        if *name == SOURCE || is_default || shown.repeats(name, value) {
            continue;
        }
        let is_bad = event.failed && *name == EXIT;
        out.push_str(if is_bad { " <i class=x>" } else { " <i>" });
        out.push_str(name);
        out.push(' ');
        push_text(out, value);
        out.push_str("</i>");
    }
}

fn push_span(out: &mut String, piece: SpanPiece) {
    out.push_str("<i class=\"sp l");
    out.push_str(itoa::Buffer::new().format(piece.lane));
    if piece.starts {
        out.push_str(" s");
    }
    if piece.ends {
        out.push_str(" t");
    }
    out.push_str("\"></i>");
}

fn push_content(out: &mut String, event: &EventView<'_>, text: &TextView<'_>) {
    if let Some(label) = text.label {
        out.push_str("<p class=lab>");
        out.push_str(label);
        push_about(out, text.about);
        out.push_str("</p>");
    }
    if text.text.is_empty() {
        return;
    }
    if let Some(size) = &text.folded {
        out.push_str("<details><summary>");
        if text.kind == TextKind::Json {
            push_first_member(out, text.text);
        } else {
            push_first_line(out, text.text);
        }
        out.push_str(" <small>");
        out.push_str(size);
        out.push_str("</small></summary>");
    }
    event_text::push(out, text.text, text.kind, &|| event.anchor.text());
    if let Some(rest) = &text.rest {
        out.push_str("<p class=rest><a href=\"");
        push_attribute(out, &rest.href);
        out.push_str("\">");
        push_text(out, &rest.text);
        out.push_str("</a></p>");
    }
    if text.folded.is_some() {
        out.push_str("</details>");
    }
}

fn push_about(out: &mut String, about: &str) {
    if !about.is_empty() {
        out.push_str(" <code>");
        push_text(out, about);
        out.push_str("</code>");
    }
}

/// Maximum characters of a summary.
const SUMMARY: usize = 120;

/// Appends the first member of JSON with a value that is no object or array, and what leads to it, as its summary while collapsed.
fn push_first_member(out: &mut String, text: &str) {
    let inner = text.trim_start_matches(|c: char| matches!(c, '{' | '[') || c.is_whitespace());
    let inner = if inner.is_empty() { text } else { inner };
    let end = inner
        .char_indices()
        .nth(SUMMARY)
        .map_or(inner.len(), |(end, _)| end);
    for (index, word) in inner[..end].split_ascii_whitespace().enumerate() {
        if index > 0 {
            out.push(' ');
        }
        push_text(out, word);
    }
    if end < inner.len() {
        out.push('…');
    }
}

/// Appends the start of a text, as its summary while collapsed.
fn push_first_line(out: &mut String, text: &str) {
    let line = text
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    if let Some((end, _)) = line.char_indices().nth(SUMMARY) {
        push_text(out, &line[..end]);
        out.push('…');
    } else {
        push_text(out, line);
    }
}

fn push_annotation(out: &mut String, page: &TimelinePage<'_>, a: &AnnotationView<'_>) {
    out.push_str("<aside class=\"an an-");
    out.push_str(a.class);
    // A script reads the kind from this label.
    out.push_str("\" id=");
    out.push_str(&a.anchor);
    out.push_str(" role=note aria-label=\"Annotation: ");
    push_attribute(out, &a.name);
    out.push_str("\"><p class=ah><a href=#");
    out.push_str(&a.anchor);
    out.push_str("><span aria-hidden=true>");
    out.push_str(a.sign);
    out.push_str("</span> ");
    push_text(out, &a.name);
    out.push_str("</a>");
    if let Some(detail) = a.detail {
        out.push_str(" <span class=tag>");
        push_text(out, &detail.replace('_', " "));
        out.push_str("</span>");
    }
    if let Some(span) = &a.span {
        out.push_str(" <a class=span href=\"");
        push_attribute(out, &span.href);
        out.push_str("\" data-range=\"");
        out.push_str(&span.range);
        out.push_str("\">");
        out.push_str(&span.text);
        out.push_str("</a>");
    }
    if let Some(author) = &a.author {
        out.push_str(" <span class=by>");
        push_text(out, author);
        out.push_str("</span>");
    }
    if let Some(timestamp) = &a.timestamp {
        out.push_str(" <span class=by>");
        push_text(out, timestamp);
        out.push_str("</span>");
    }
    out.push_str("</p>");
    if let Some(evidence) = a.evidence {
        out.push_str("<div class=md>");
        let events = |number| page.layout.numbered_href(&page.path, number);
        let context = MarkdownContext {
            scope: &a.anchor,
            shift: 3,
            origin: MarkdownOrigin::Run(&events),
        };
        out.push_str(markdown::render(evidence, context).as_str());
        out.push_str("</div>");
    }
    if let Some(fix) = &a.fix {
        out.push_str("<p class=lab>Suggested fix</p><pre class=fix>");
        push_fix(out, fix);
        out.push_str("</pre>");
    }
    if !a.links.is_empty() {
        out.push_str("<ul class=links>");
        for (words, url) in &a.links {
            out.push_str("<li>");
            if let Some(url) = url {
                out.push_str("<a rel=\"nofollow noopener ugc\" href=\"");
                push_attribute(out, url);
                out.push_str("\">");
                push_text(out, words);
                out.push_str("</a>");
            } else {
                push_text(out, words);
            }
            out.push_str("</li>");
        }
        out.push_str("</ul>");
    }
    if let Some(metadata) = a.metadata {
        out.push_str("<details><summary>Metadata</summary><pre>");
        push_json(out, metadata);
        out.push_str("</pre></details>");
    }
    if let Some(rest) = &a.rest {
        out.push_str("<p class=rest>");
        push_text(out, rest);
        out.push_str("</p>");
    }
    out.push_str("</aside>");
}

/// A fix: JSON, or text with the lines of a diff marked.
fn push_fix(out: &mut String, fix: &str) {
    if fix.starts_with(['{', '[']) {
        return push_json(out, fix);
    }
    let is_diff = fix
        .lines()
        .any(|line| line.starts_with("@@") || line.starts_with("+++ ") || line.starts_with("--- "));
    if is_diff {
        push_patch(out, fix);
    } else {
        push_text(out, fix.strip_suffix('\n').unwrap_or(fix));
    }
}
