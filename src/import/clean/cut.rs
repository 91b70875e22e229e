//! Shortens long texts: results, which have a low limit, and anything too long for a line of a trace.

use crate::draft::{Draft, DraftEvent, EventContent, ToolResult};
use crate::{Problem, problem};
use base::diagnostics::codes::IMPORT_CUT_TEXT;

/// Maximum bytes of a result that is copied whole.
const WHOLE: usize = 1 << 20;
/// Bytes copied from each end of a longer result.
const END: usize = 256 << 10;

/// Maximum bytes of any other text, and the length to which a longer one is cut. Fits a line of a trace even if escaping turns
/// every byte into six.
const LARGEST: usize = 8 << 20;

/// Cuts the texts of a draft. The names are those of its sources.
pub(super) fn cut(draft: &mut Draft, sources: &[String]) {
    let mut problems = Vec::new();
    for event in &mut draft.events {
        let mut left_out = 0;
        super::event_content(&mut event.what, &mut |_, text| {
            let (short, bytes) = ends(text, LARGEST, LARGEST / 2)?;
            left_out += bytes;
            Some(short)
        });
        match &mut event.what {
            EventContent::ToolResult(one) => result(one, std::mem::take(&mut left_out)),
            // A call may have many strings, each short enough.
            EventContent::ToolCall(call) => {
                if let Some(json) = call.arguments.take_if(|json| json.get().len() > LARGEST) {
                    let (short, bytes) = ends(json.get(), LARGEST, LARGEST / 2).unwrap_or_default();
                    left_out += bytes;
                    call.arguments_text = Some(short);
                }
            }
            _ => {}
        }
        if left_out > 0 {
            problems.push(report(event, sources, left_out));
        }
    }
    draft.withhold("longTexts", problems.len() as u64);
    for problem in problems {
        draft.warn(problem);
    }
}

fn result(result: &mut ToolResult, left_out: usize) {
    let text = result.text.as_mut();
    let cut = text.and_then(|text| {
        let (short, bytes) = ends(text, WHOLE, END)?;
        *text = short;
        Some(bytes)
    });
    let left_out = (cut.unwrap_or_default() + left_out) as u64;
    if left_out > 0 {
        result.truncated = Some(result.truncated.unwrap_or_default() + left_out);
    }
}

/// The first and last `end` bytes of a text over the limit, and how many bytes are left out.
fn ends(text: &str, limit: usize, end: usize) -> Option<(String, usize)> {
    if text.len() <= limit {
        return None;
    }
    let head = text.floor_char_boundary(end);
    let tail = text.ceil_char_boundary(text.len() - end);
    let short = format!("{}\n…\n{}", &text[..head], &text[tail..]);
    Some((short, tail - head))
}

fn report(event: &DraftEvent, sources: &[String], left_out: usize) -> Problem {
    let file = sources.get(event.source.file).map_or("", String::as_str);
    let message = format!("A text is too long: {left_out} bytes in its middle were left out");
    let help = "The event keeps both ends of it.";
    let mut problem = problem(&IMPORT_CUT_TEXT, file, message, help);
    problem.place.line = event.source.line.and_then(|line| u32::try_from(line).ok());
    problem.place.pointer.clone_from(&event.source.pointer);
    problem
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;
    use crate::ImportOptions;
    use crate::clean::clean;
    use crate::draft::{Origin, ToolCall};
    use formats::trace::Role;

    #[test]
    fn a_text_that_fits_no_line_of_a_trace_keeps_both_ends_with_a_warning() {
        let mut draft = Draft::default();
        let message = EventContent::Message {
            role: Role::User,
            text: "\u{1}".repeat(LARGEST + 10),
            model: None,
            phase: None,
            steering: false,
            images: 0,
        };
        let line = Origin {
            line: Some(7),
            ..Origin::default()
        };
        draft.push(line, message);
        let short = format!("\"{}\"", "x".repeat(LARGEST / 2));
        let arguments = format!("[{short},{short},{short}]");
        let call = ToolCall {
            arguments: RawValue::from_string(arguments).ok(),
            ..ToolCall::default()
        };
        draft.push(Origin::default(), EventContent::ToolCall(call));
        clean(
            &mut draft,
            &mut ["log.jsonl".to_owned()],
            &ImportOptions::default(),
        );
        for event in &draft.events {
            let line = serde_json::to_vec(&event.what).expect("JSON");
            assert!(line.len() < 64 << 20, "{}", line.len());
        }
        let EventContent::ToolCall(call) = &draft.events[1].what else {
            panic!("a call")
        };
        assert!(call.arguments.is_none() && call.arguments_text.is_some());
        assert_eq!(draft.withheld["longTexts"], 2);
        let first = &draft.warnings[0];
        assert_eq!(first.code.name, "import.cut-text");
        assert_eq!(first.place.line, Some(7));
        assert!(first.message.contains(": 10 bytes"), "{first:?}");
        assert_eq!(draft.unparsable, 0, "it could be read");
    }
}
