//! The site's own templates, and Tera's errors about them: one sentence, and a place.

use std::ops::Range;

use tera::ErrorKind;

use base::diagnostics::{Place, Source};

/// A template of the site.
#[derive(Debug, Clone)]
pub struct UserTemplate {
    /// Path below `templates/`, with `/`.
    pub name: String,
    /// Its path in diagnostics.
    pub shown: String,
    pub text: String,
}

/// An error in a template of the site.
pub(super) struct TemplateError {
    /// One line.
    pub(super) message: String,
    /// `None` if no template of the site is at fault, or Tera does not report which.
    pub(super) place: Option<Place>,
}

impl TemplateError {
    /// Converts an error in the built-in or the site's templates.
    pub(super) fn of(error: &tera::Error, user: &[UserTemplate]) -> Self {
        let find = |name: &str| user.iter().find(|template| template.name == name);
        match error.kind() {
            ErrorKind::SyntaxError(report) | ErrorKind::RenderingError(report) => Self {
                message: report.message().to_owned(),
                place: find(report.filename())
                    .map(|template| place(template, report.span().range.clone())),
            },
            ErrorKind::Msg(text) => match PrintedError::read(text) {
                Some(printed) => printed.template_error(find(printed.template)),
                None => Self {
                    message: text.clone(),
                    place: None,
                },
            },
            ErrorKind::MissingParent { current, parent } => Self {
                message: format!("`{current}` extends `{parent}`, which does not exist"),
                place: find(current).map(|template| mention(template, "extends")),
            },
            ErrorKind::CircularExtend {
                tpl,
                inheritance_chain,
            } => circle("extends", tpl, inheritance_chain, find),
            ErrorKind::CircularInclude { tpl, include_chain } => {
                circle("includes", tpl, include_chain, find)
            }
            _ => Self {
                message: error.to_string(),
                place: None,
            },
        }
    }
}

/// The first report that Tera prints for undefined names in templates: `error: What`, then ` --> file:line:column`, then the line
/// with the name underlined.
struct PrintedError<'a> {
    message: &'a str,
    template: &'a str,
    line: usize,
    column: usize,
    width: usize,
}

impl<'a> PrintedError<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let (message, rest) = text.strip_prefix("error: ")?.split_once("--> ")?;
        let mut lines = rest.lines();
        let mut place = lines.next()?.rsplitn(3, ':');
        let column = place.next()?.parse().ok()?;
        let line = place.next()?.parse().ok()?;
        Some(Self {
            message: message.trim_end(),
            template: place.next()?,
            line,
            column,
            width: lines.nth(2)?.matches('^').count(),
        })
    }

    fn template_error(&self, template: Option<&UserTemplate>) -> TemplateError {
        let found = template.map(|template| {
            let mut lines = template.text.split_inclusive('\n');
            let before: usize = lines.by_ref().take(self.line - 1).map(str::len).sum();
            let line = lines.next().unwrap_or_default();
            // Tera counts characters, not bytes.
            let byte = |column| {
                line.char_indices()
                    .nth(column)
                    .map_or(line.len(), |(at, _)| at)
            };
            let start = self.column.saturating_sub(1);
            place(
                template,
                before + byte(start)..before + byte(start + self.width),
            )
        });
        let message = match found {
            Some(_) => self.message.to_owned(),
            None => format!("{} (in `{}`)", self.message, self.template),
        };
        TemplateError {
            message,
            place: found,
        }
    }
}

/// The error for templates that form a cycle. Tera begins anywhere in it; the message begins with the alphabetically first name.
fn circle<'a>(
    verb: &str,
    start: &str,
    chain: &[String],
    find: impl Fn(&str) -> Option<&'a UserTemplate>,
) -> TemplateError {
    let last = chain.last().map_or(start, String::as_str);
    let names = std::iter::once(start).chain(chain.iter().map(String::as_str));
    let mut names: Vec<&str> = names.skip_while(|name| *name != last).collect();
    // The first name is repeated at the end, and in a chain of includes also at the beginning.
    names.dedup();
    if names.len() > 1 {
        names.pop();
    }
    let first = (0..names.len()).min_by_key(|at| names[*at]);
    names.rotate_left(first.unwrap_or_default());
    let first = names[0];
    let through: Vec<_> = names[1..].iter().map(|name| format!("`{name}`")).collect();
    let message = if through.is_empty() {
        format!("`{first}` {verb} itself")
    } else {
        format!(
            "`{first}` {verb} itself by way of {}",
            through.join(" and ")
        )
    };
    TemplateError {
        message,
        place: find(first).map(|template| mention(template, verb.trim_end_matches('s'))),
    }
}

/// The first place of a word, which is the tag's name unless a comment has it, too.
fn mention(template: &UserTemplate, word: &str) -> Place {
    match template.text.find(word) {
        Some(at) => place(template, at..at + word.len()),
        None => Place::file(&template.shown),
    }
}

fn place(template: &UserTemplate, range: Range<usize>) -> Place {
    Source::file(&template.shown, template.text.as_bytes()).place(range.start, range.end)
}
