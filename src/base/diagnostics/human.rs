//! The terminal output of a problem: the source line with a caret, and a suggested fix.

use annotate_snippets::{
    AnnotationKind, Group, Level, Origin, Renderer, Snippet, renderer::DecorStyle,
};

use super::text::{counted, visible};
use super::{Diagnostic, Severity, SeverityCounts};

/// Renders all problems as text, styled for a terminal or plain.
pub fn render(diagnostics: &[Diagnostic], styled: bool) -> String {
    let renderer = if styled {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    // Excerpts are already cut; a second cut inside one would hide the marked part.
    let renderer = renderer.decor_style(DecorStyle::Ascii).term_width(4000);
    let mut out = String::new();
    for diagnostic in diagnostics {
        for line in renderer.render(&[group(diagnostic)]).lines() {
            // Below a place of our own, the renderer prints an excerpt as if it were from another file.
            if anstream::adapter::strip_str(line).to_string().trim() != ":::" {
                out.push_str(line);
                out.push('\n');
            }
        }
        out.push('\n');
    }
    out
}

/// `2 errors, 1 warning`; empty if there are none.
pub fn tally(tally: SeverityCounts) -> String {
    [
        (tally.errors, "error"),
        (tally.warnings, "warning"),
        (tally.notes, "note"),
    ]
    .iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, word)| counted(*count as u64, word))
    .collect::<Vec<_>>()
    .join(", ")
}

fn group(diagnostic: &Diagnostic) -> Group<'static> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let place = &diagnostic.place;
    let title = level
        .primary_title(visible(&diagnostic.message))
        .id(diagnostic.code.name);
    let path = visible(&place.path);
    let line = place.line.unwrap_or(1) as usize;
    let group = if let Some(excerpt) = &place.excerpt {
        let pointer = place
            .pointer
            .as_deref()
            .filter(|pointer| !pointer.is_empty());
        let mut mark = AnnotationKind::Primary.span(excerpt.start..excerpt.end);
        if let Some(pointer) = pointer {
            mark = mark.label(visible(pointer));
        }
        let snippet = Snippet::source(excerpt.text.clone())
            .line_start(line)
            .fold(false)
            .annotation(mark);
        if excerpt.text.starts_with('…') {
            // The line is cut on the left, so the renderer cannot compute the column.
            let origin = Origin::path(format!("{path}:{line}:{}", place.column.unwrap_or(1)));
            title.element(origin).element(snippet)
        } else {
            title.element(snippet.path(path))
        }
    } else {
        let mut origin = Origin::path(path);
        if place.line.is_some() {
            origin = origin.line(line);
        }
        if let Some(column) = place.column {
            origin = origin.char_column(column as usize);
        }
        title.element(origin)
    };
    group.element(Level::HELP.message(visible(&diagnostic.help)))
}
