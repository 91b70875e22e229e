//! Checks that an annotation still matches its event: by its quote, by the kind of event it names, and by its current target if
//! the tape changed since (formats.md G and H.2).

use base::diagnostics::text::quoted;
use base::diagnostics::{Collector, Diagnostic, codes};
use formats::json::{JsonKind, Node};
use formats::model::tape::{Event, Tape};
use formats::model::words::{plain, summary};
use formats::redactions::has_marker;
use formats::sidecar::{AnnotationLine, Sidecar};

use super::phrases;

/// Checks the annotations against the events. `stale` means that the digest in the header is not the tape's.
#[must_use]
pub fn check(path: &str, sidecar: &Sidecar<'_>, tape: &Tape<'_>, stale: bool) -> Vec<Diagnostic> {
    let mut problems = Collector::default();
    let lines = &sidecar.annotations;
    for MisplacedQuote {
        line,
        quote,
        elsewhere,
        may_be_withheld,
    } in misplaced(lines, tape)
    {
        if elsewhere.is_none() && may_be_withheld {
            problems.add(&codes::ANNOTATION_QUOTE_WITHHELD, || {
                // The quote may contain withheld text.
                let mut place = line.line.place(path, "/metadata/quote");
                place.excerpt = None;
                codes::ANNOTATION_QUOTE_WITHHELD.at(
                    place,
                    format!("Parts of event `{}` are withheld, and it does not contain the quote any more", line.annotation.event_id),
                    "If the quote contains withheld words, withhold them there too; otherwise correct it.",
                )
            });
            continue;
        }
        problems.add(&codes::ANNOTATION_QUOTE_NOT_FOUND, || {
            let event = line.annotation.event_id;
            let help = elsewhere.map_or_else(
                || "No event of the tape contains this text; quote the event exactly.".to_owned(),
                |seq| format!("Event `{seq}` contains it; if that one is meant, set `event_id` to its number."),
            );
            codes::ANNOTATION_QUOTE_NOT_FOUND.at(
                line.line.place(path, "/metadata/quote"),
                format!("Event `{event}` does not contain the quote {}", quoted(&quote)),
                help,
            )
        });
    }
    let is_named = |event: &Event<'_>| KINDS.iter().any(|phrases| phrases.kind == event.kind.word);
    let names_kinds = tape.events.iter().any(is_named);
    for line in lines {
        if has_invalid_quote(line) {
            problems.add(&codes::ANNOTATION_QUOTE_NOT_TEXT, || {
                codes::ANNOTATION_QUOTE_NOT_TEXT.at(
                    line.line.place(path, "/metadata/quote"),
                    "The `quote` in `metadata` is not a string, so it is not compared with the event",
                    "No action needed if the producer uses this key for something else.",
                )
            });
        }
        let Some(position) = tape.position(line.annotation.event_id) else {
            continue;
        };
        let event = &tape.events[position];
        if stale {
            problems.add(&codes::ANNOTATION_STALE_TARGET, || {
                stale_target(path, line, event)
            });
        }
        if names_kinds && let Some(kind) = other_kind(line, tape, position) {
            problems.add(&codes::ANNOTATION_OTHER_KIND, || {
                mentions_other_kind(path, line, tape, position, kind)
            });
        }
    }
    problems.finish(path)
}

/// An annotation whose quote is not in its event.
struct MisplacedQuote<'l, 'a> {
    line: &'l AnnotationLine<'a>,
    quote: String,
    /// The number of the first event that contains it.
    elsewhere: Option<u64>,
    /// Whether parts of its event are withheld.
    may_be_withheld: bool,
}

/// Annotations whose quote is not in their event, in file order. Every event is read a bounded number of times, for any number of
/// annotations.
fn misplaced<'l, 'a>(
    lines: &'l [AnnotationLine<'a>],
    tape: &Tape<'_>,
) -> Vec<MisplacedQuote<'l, 'a>> {
    let mut quotes: Vec<_> = lines
        .iter()
        .enumerate()
        .filter_map(|(index, line)| {
            let position = tape.position(line.annotation.event_id)?;
            let quote = plain(&quote(line)?.as_str()?);
            (!quote.is_empty()).then_some((position, quote, index))
        })
        .collect();
    quotes.sort_unstable();
    let mut missing = Vec::new();
    for of_event in quotes.chunk_by(|a, b| a.0 == b.0) {
        let mut distinct: Vec<&str> = of_event
            .iter()
            .map(|(_, quote, _)| quote.as_str())
            .collect();
        distinct.dedup();
        let text = searchable(&tape.events[of_event[0].0]);
        let contained = phrases::contained(&text, &distinct);
        let may_be_withheld = has_marker(&text);
        let same = of_event.chunk_by(|a, b| a.1 == b.1);
        for (same, _) in same.zip(contained).filter(|(_, contained)| !contained) {
            missing.extend(
                same.iter()
                    .map(|(_, quote, index)| (*index, quote, may_be_withheld)),
            );
        }
    }
    missing.sort_unstable();
    // Only the first ones are listed, so search for no more.
    let listed = missing.iter().take(base::diagnostics::PER_FILE);
    let listed: Vec<&str> = listed.map(|(_, quote, _)| quote.as_str()).collect();
    let events = || {
        let events = tape.events.iter();
        events.map(|event| (event.seq, searchable(event)))
    };
    let elsewhere = phrases::first_containing(&listed, events);
    let elsewhere = elsewhere.into_iter().chain(std::iter::repeat(None));
    missing
        .into_iter()
        .zip(elsewhere)
        .map(
            |((index, quote, may_be_withheld), elsewhere)| MisplacedQuote {
                line: &lines[index],
                quote: quote.clone(),
                elsewhere,
                may_be_withheld,
            },
        )
        .collect()
}

/// The `quote` of an annotation, of any type.
fn quote<'a>(line: &AnnotationLine<'a>) -> Option<Node<'a>> {
    let raw = line.annotation.metadata.0?.get();
    Node { raw, offset: 0 }.get("quote")
}

fn has_invalid_quote(line: &AnnotationLine<'_>) -> bool {
    quote(line).is_some_and(|node| node.kind() != JsonKind::Null && node.as_str().is_none())
}

/// The text of an event as a reader copies it: without terminal colors, and with white space collapsed.
fn searchable(event: &Event<'_>) -> String {
    let facts = event.facts.iter().map(|(_, value)| value.as_ref());
    let blocks = event.blocks.iter();
    let blocks = blocks.flat_map(|block| [block.about.as_ref(), &*block.text]);
    let mut text = String::new();
    for part in [event.headline.as_ref()]
        .into_iter()
        .chain(facts)
        .chain(blocks)
    {
        text.push_str(&plain(part));
        text.push('\n');
    }
    // JSON content is shown as recorded, but its decoded strings may be quoted, too.
    for block in &event.blocks {
        if let Ok(root) = Node::parse(&block.text) {
            push_strings(root, &mut text, 0);
        }
    }
    text
}

/// Deeper than any quotable JSON.
const DEPTH: usize = 64;

fn push_strings(node: Node<'_>, text: &mut String, depth: usize) {
    match node.kind() {
        JsonKind::String => {
            if let Some(string) = node.as_str() {
                text.push_str(&plain(&string));
                text.push('\n');
            }
        }
        JsonKind::Array if depth < DEPTH => {
            for item in node.items() {
                push_strings(item, text, depth + 1);
            }
        }
        JsonKind::Object if depth < DEPTH => {
            for member in node.members() {
                push_strings(member.value, text, depth + 1);
            }
        }
        _ => {}
    }
}

fn stale_target(path: &str, line: &AnnotationLine<'_>, event: &Event<'_>) -> Diagnostic {
    let summary = Some(summary(event, 80)).filter(|summary| !summary.is_empty());
    let now = summary.map_or_else(String::new, |summary| format!(": {}", quoted(&summary)));
    codes::ANNOTATION_STALE_TARGET.at(
        line.line.place(path, "/event_id"),
        format!(
            "The annotation {} now points at event `{}`, {}{now}",
            quoted(&line.annotation.label()),
            event.seq,
            quoted(event.kind.word),
        ),
        "The tape changed after it was annotated: compare, and correct `event_id` where the event has moved.",
    )
}

/// How evidence names a kind of event.
struct KindPhrases {
    kind: &'static str,
    /// Phrases that mean only this kind.
    clear: &'static [&'static str],
    /// Phrases that may also mean another kind.
    ambiguous: &'static [&'static str],
}

/// Kinds whose names are not everyday words: `read` or `command` in a sentence proves little.
// A model requests tool calls, so words about a call may refer to the model's event.
#[rustfmt::skip]
const KINDS: [KindPhrases; 15] = [
    KindPhrases { kind: "llm_call", clear: &["llm call", "llm", "model call"], ambiguous: &["model", "tool", "call", "tool call", "prompt"] },
    KindPhrases { kind: "tool_call", clear: &["tool call"], ambiguous: &["tool", "call", "command", "file", "edit"] },
    KindPhrases { kind: "cache_lookup", clear: &["cache lookup"], ambiguous: &["cache"] },
    KindPhrases { kind: "prompt_render", clear: &["prompt render"], ambiguous: &["prompt", "template"] },
    KindPhrases { kind: "payload_redaction", clear: &["payload redaction"], ambiguous: &["redacted", "redaction", "secret"] },
    KindPhrases { kind: "session_control", clear: &["session control"], ambiguous: &["session"] },
    KindPhrases { kind: "clock_read", clear: &["clock read"], ambiguous: &["clock", "time"] },
    KindPhrases { kind: "clock_sleep", clear: &["clock sleep"], ambiguous: &["clock", "sleep", "wait"] },
    KindPhrases { kind: "file_read", clear: &["file read"], ambiguous: &["read", "reads", "file"] },
    KindPhrases { kind: "file_write", clear: &["file write"], ambiguous: &["write", "writes", "file"] },
    KindPhrases { kind: "file_delete", clear: &["file delete", "file deletion"], ambiguous: &["delete", "deletes", "file"] },
    KindPhrases { kind: "process_spawn", clear: &["process spawn"], ambiguous: &["process", "command", "runs"] },
    KindPhrases { kind: "decision_evaluation", clear: &["decision evaluation"], ambiguous: &["decision"] },
    KindPhrases { kind: "mcp_json_rpc", clear: &["mcp call", "mcp request"], ambiguous: &["mcp", "tool", "tool call"] },
    KindPhrases { kind: "model_job", clear: &["model job"], ambiguous: &["model", "job"] },
];

/// The kind of event that the evidence names, if neither the event nor the span has that kind, but a nearby event does.
fn other_kind(line: &AnnotationLine<'_>, tape: &Tape<'_>, position: usize) -> Option<&'static str> {
    let evidence = line.annotation.evidence.as_deref()?;
    // The beginning is enough to find the subject.
    let evidence: String = evidence
        .chars()
        .take(1_000)
        .collect::<String>()
        .to_lowercase();
    let own = tape.events[position].kind.word;
    let has = |phrase: &&str| has_phrase(&evidence, phrase);
    let mentions = |phrases: &&KindPhrases| has(&phrases.kind) || phrases.clear.iter().any(has);
    let own = KINDS.iter().find(|phrases| phrases.kind == own);
    if own.is_some_and(|own| mentions(&own) || own.ambiguous.iter().any(has)) {
        return None;
    }
    let end = line
        .annotation
        .span
        .and_then(|span| tape.position_up_to(span.end_event_id))
        .map_or(position, |end| end.max(position));
    let covered = |kind: &str| {
        let events = &tape.events[position..=end];
        events
            .iter()
            .take(COVERED)
            .any(|event| event.kind.word == kind)
            || events.len() > COVERED
    };
    let mentioned = KINDS.iter().filter(mentions);
    let mut mentioned = mentioned.map(|phrases| phrases.kind);
    let kind = mentioned.next()?;
    if mentioned.any(covered) || covered(kind) {
        return None;
    }
    nearest_of(tape, position, kind).map(|_| kind)
}

/// Maximum events of a span that are checked; a longer one covers many subjects.
const COVERED: usize = 200;

/// Whether `phrase` is in `text` as whole words.
fn has_phrase(text: &str, phrase: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    memchr::memmem::find_iter(text.as_bytes(), phrase).any(|at| {
        !text[..at].chars().next_back().is_some_and(word)
            && !text[at + phrase.len()..].chars().next().is_some_and(word)
    })
}

/// Maximum distance of a misplaced annotation from its event.
const REACH: usize = 1_000;

/// The event of `kind` nearest to a position; on a tie, the later one.
fn nearest_of<'t>(tape: &'t Tape<'_>, position: usize, kind: &str) -> Option<&'t Event<'t>> {
    (1..=REACH).find_map(|distance| {
        let after = tape.events.get(position + distance);
        let before = position
            .checked_sub(distance)
            .and_then(|at| tape.events.get(at));
        [after, before]
            .into_iter()
            .flatten()
            .find(|event| event.kind.word == kind)
    })
}

fn mentions_other_kind(
    path: &str,
    line: &AnnotationLine<'_>,
    tape: &Tape<'_>,
    position: usize,
    kind: &str,
) -> Diagnostic {
    let event = &tape.events[position];
    let nearest = nearest_of(tape, position, kind).map_or(event.seq, |event| event.seq);
    codes::ANNOTATION_OTHER_KIND.at(
        line.line.place(path, "/event_id"),
        format!(
            "The annotation {} mentions {}, but points at event `{}`, which is {}",
            quoted(&line.annotation.label()),
            quoted(kind),
            event.seq,
            quoted(event.kind.word),
        ),
        format!(
            "The nearest {} is event `{nearest}`; if that one is meant, set `event_id` to its number.",
            quoted(kind)
        ),
    )
}
