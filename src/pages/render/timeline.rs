//! The HTML of a tape. Written by hand, because it is the hot path and most of every run page.

use crate::view::timeline::{
    AnnotationView, EventView, Fold, FoldLine, SpanPiece, TextView, TimelinePage,
};
use formats::model::amounts::{count, push_clock};
use formats::model::time::{push_iso_ms, utc};
use markup::{Html, Origin, recorded};

use markup::code::{push_json, push_patch, push_shell};
use markup::escape::{push_attribute, push_text};
use markup::markdown::{self, Context};

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
    for (at, event) in page.events.iter().enumerate() {
        if let Some(fold) = folds.peek().filter(|fold| fold.start == at) {
            push_fold(&mut out, fold, &page.events);
        }
        push_event(&mut out, event, &mut times);
        for annotation in &event.annotations {
            push_annotation(&mut out, page, annotation);
            if out.len() > limit {
                return None;
            }
        }
        out.push('\n');
        if folds.next_if(|fold| fold.end == at + 1).is_some() {
            out.push_str("</ol></details>\n");
        }
        if out.len() > limit {
            return None;
        }
    }
    Some(Html::finished(out))
}

/// Appends the summary line of a fold, and opens the list below it.
fn push_fold(out: &mut String, fold: &Fold, events: &[EventView<'_>]) {
    let Some(events) = events.get(fold.start..fold.end) else {
        return;
    };
    let [first, .., last] = events else {
        return;
    };
    out.push_str("<li class=\"fold f-");
    out.push_str(first.family);
    out.push_str("\"><details><summary>");
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
    }
    out.push_str(" <small>");
    out.push_str(itoa::Buffer::new().format(first.seq));
    out.push('–');
    out.push_str(itoa::Buffer::new().format(last.seq));
    out.push_str("</small></summary><ol>\n");
}

/// Appends an event without its annotations. Optional end tags are omitted: with `</li>` and `</p>`, a short event would be a
/// tenth longer.
fn push_event(out: &mut String, event: &EventView<'_>, times: &mut Option<Times<'_>>) {
    if let Some(gap) = &event.gap {
        out.push_str("<li class=gap>");
        out.push_str(gap);
        out.push_str(" without an event");
        if let Some((at, _)) = event.at {
            out.push_str(", until ");
            out.push_str(&utc(at));
        }
        out.push('\n');
    }
    // Reasoning is rendered like speech, in a different color.
    let is_spoken = matches!(event.family, "speech" | "reasoning");
    out.push_str("<li class=\"e f-");
    out.push_str(event.family);
    if event.family == "reasoning" {
        out.push_str(" f-speech");
    }
    if event.failed {
        out.push_str(" fail");
    }
    if event.is_tied {
        out.push_str(" tied");
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
    out.push_str("><p><a href=#");
    event.anchor.push_to(out);
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
    if let Some(earlier) = &event.earlier {
        out.push_str("<i class=back>");
        out.push_str(earlier);
        out.push_str(" earlier than the event before</i> ");
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
    for (what, seq, href) in &event.ties {
        out.push_str(" <i>");
        out.push_str(what);
        out.push_str(" <a href=\"");
        push_attribute(out, href);
        out.push_str("\">");
        out.push_str(itoa::Buffer::new().format(*seq));
        out.push_str("</a></i>");
    }
    // Facts about speech follow the text.
    let is_speech = event.headline.is_empty() && is_spoken;
    if !is_speech {
        push_facts(out, event);
    }
    for piece in event.spans.iter().filter(|piece| !passes(piece)) {
        push_span(out, piece);
    }
    for text in &event.texts {
        push_content(out, text);
    }
    if is_speech && !event.facts.is_empty() {
        out.push_str("<p class=lab>");
        push_facts(out, event);
        out.push_str("</p>");
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
fn push_facts(out: &mut String, event: &EventView<'_>) {
    // The reason comes right after “failed”.
    let facts = |why: bool| {
        event
            .facts
            .iter()
            .filter(move |(name, _)| (*name == EXIT) == why)
    };
    for (name, value) in facts(true).chain(facts(false)) {
        if *name == SOURCE || *name == EXIT && !event.failed && value.starts_with('0') {
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

fn push_content(out: &mut String, text: &TextView<'_>) {
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
        push_text(out, first_line(text.text));
        out.push_str(" <small>");
        out.push_str(size);
        out.push_str("</small></summary>");
    }
    out.push_str("<pre>");
    // A line break right after the tag would be dropped by the browser.
    if text.text.starts_with('\n') {
        out.push('\n');
    }
    recorded::push(out, text.text, text.kind);
    out.push_str("</pre>");
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

/// The start of a text, as its summary while collapsed.
fn first_line(text: &str) -> &str {
    let line = text
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    line.char_indices()
        .nth(120)
        .map_or(line, |(end, _)| &line[..end])
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
        let context = Context {
            scope: &a.anchor,
            shift: 3,
            origin: Origin::Run(&events),
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
