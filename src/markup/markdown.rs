//! Converts Markdown of reviewers and annotators to safe HTML.
//!
//! An event filter: raw HTML becomes text, links and images must pass an allowlist, ids get a prefix, headings move below the
//! page's own, and nesting is limited.

mod anchors;
mod plain;

use std::collections::BTreeSet;

use pulldown_cmark::{
    Alignment, BlockQuoteKind, CodeBlockKind, CowStr, Event, HeadingLevel, Tag, TagEnd, html,
};

use super::{Destination, MarkdownOrigin, destination, image_path, is_image_allowed, parse};
use base::characters::any_hidden;
use base::pictures::ImageSize;
use formats::model::slug::{slugify, with_hash};

use super::escape::{push_attribute, push_text};
use super::html::Html;
use anchors::anchor_headings;
pub use plain::plain;

/// Containers nested deeper than this are flattened.
const DEPTH: usize = 64;

/// The context of a text on its page.
#[derive(Debug, Clone, Copy)]
pub struct MarkdownContext<'a> {
    /// Prefix of ids, to avoid collisions with other texts on the page.
    pub scope: &'a str,
    /// Number of levels to move headings down.
    pub shift: usize,
    /// The source of the text.
    pub origin: MarkdownOrigin<'a>,
}

pub fn render(text: &str, context: MarkdownContext<'_>) -> Html {
    let mut out = String::with_capacity(text.len() + text.len() / 2);
    html::push_html(&mut out, filter(text, context).into_iter());
    Html::finished(shorten(&out))
}

/// Shortens the HTML of the parser's writer: it ends void elements as in XHTML, and escapes `>` in texts, which
/// [`push_text`] does not.
fn shorten(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(start) = memchr::memchr(b'<', rest.as_bytes()) {
        let (text, tag) = rest.split_at(start);
        push_unescaped(&mut out, text);
        // In attributes, `>` is escaped.
        let end = memchr::memchr(b'>', tag.as_bytes()).map_or(tag.len(), |end| end + 1);
        let (tag, after) = tag.split_at(end);
        match tag.strip_suffix(" />") {
            Some(open) => {
                out.push_str(open);
                out.push('>');
            }
            None => out.push_str(tag),
        }
        rest = after;
    }
    push_unescaped(&mut out, rest);
    out
}

/// Appends a text of a page with `>` as it is.
fn push_unescaped(out: &mut String, text: &str) {
    let mut done = 0;
    for at in memchr::memmem::find_iter(text.as_bytes(), "&gt;") {
        out.push_str(&text[done..at]);
        out.push('>');
        done = at + "&gt;".len();
    }
    out.push_str(&text[done..]);
}

/// The paths of the images that a text shows from files next to it. Only the beginning of a very long text is read.
pub fn images(text: &str) -> Vec<String> {
    let text = &text[..text.floor_char_boundary(MAX_SEARCHED.min(text.len()))];
    parse(text)
        .filter_map(|event| match event {
            Event::Start(Tag::Image { dest_url, .. }) => image_path(&dest_url),
            _ => None,
        })
        .collect()
}

/// Maximum bytes of a text of which [`images()`] are found.
const MAX_SEARCHED: usize = 64 * 1024;

/// The ids and texts of top-level headings, as on the page.
pub fn headings(text: &str, context: MarkdownContext<'_>) -> Vec<(String, String)> {
    anchors::headings(&filter(text, context))
}

/// Every id of a text, as on the page.
pub fn ids(text: &str, context: MarkdownContext<'_>) -> BTreeSet<String> {
    anchors::ids_of(&filter(text, context))
}

fn filter<'t>(text: &'t str, context: MarkdownContext<'_>) -> Vec<Event<'t>> {
    let mut filter = Filter {
        context,
        depth: 0,
        closings: Vec::new(),
        table: Vec::new(),
        cell: 0,
        head: false,
        images: 0,
        sized: None,
        links: 0,
        notes: BTreeSet::new(),
    };
    let mut events = Vec::new();
    for event in parse(text) {
        filter.event(event, &mut events);
    }
    for event in &mut events {
        // A note that is nested too deeply is not on the page, so its references cannot link to it.
        if matches!(event, Event::FootnoteReference(name) if !filter.notes.contains(name.as_ref()))
        {
            *event = Event::Text(CowStr::Borrowed("*"));
        }
    }
    if let MarkdownOrigin::Site(_) = context.origin {
        anchor_headings(&mut events, context.scope);
    }
    events
}

struct Filter<'a> {
    context: MarkdownContext<'a>,
    depth: usize,
    /// How each open container will be closed.
    closings: Vec<Closing>,
    table: Vec<Alignment>,
    cell: usize,
    head: bool,
    /// Number of open images.
    images: usize,
    /// Start of the outermost image's events, and its size if known.
    sized: Option<(usize, ImageSize)>,
    /// Number of open links: HTML does not allow nested links, but Markdown can produce them.
    links: usize,
    /// Ids of the footnotes so far.
    notes: BTreeSet<String>,
}

#[derive(Clone, Copy)]
enum Closing {
    AsIs,
    Nothing,
    Raw(&'static str),
}

impl Filter<'_> {
    fn event<'t>(&mut self, event: Event<'t>, out: &mut Vec<Event<'t>>) {
        match event {
            Event::Start(tag) => self.start(tag, out),
            Event::End(tag) => self.end(tag, out),
            // The text of an image becomes an attribute.
            Event::Html(text) | Event::InlineHtml(text) | Event::Text(text) | Event::Code(text)
                if self.images > 0 =>
            {
                out.push(Event::Text(base::diagnostics::text::visible(&text).into()));
            }
            Event::Html(text) | Event::InlineHtml(text) | Event::Text(text) => {
                out.push(visible(text));
            }
            Event::Code(text) if any_hidden(&text) => {
                out.push(Event::InlineHtml(CowStr::Borrowed("<code>")));
                out.push(visible(text));
                out.push(Event::InlineHtml(CowStr::Borrowed("</code>")));
            }
            Event::FootnoteReference(_) if self.links > 0 => {
                out.push(Event::Text(CowStr::Borrowed("*")));
            }
            Event::FootnoteReference(name) => {
                out.push(Event::FootnoteReference(self.prefixed(&name)));
            }
            Event::TaskListMarker(done) => {
                let mark = if done {
                    "☑ <span class=sr>done:</span> "
                } else {
                    "☐ <span class=sr>to do:</span> "
                };
                out.push(Event::InlineHtml(CowStr::Borrowed(mark)));
            }
            other => out.push(other),
        }
    }

    fn start<'t>(&mut self, tag: Tag<'t>, out: &mut Vec<Event<'t>>) {
        self.depth += 1;
        // The text of an image becomes an attribute, which cannot have markup.
        let is_word = self.images > 0 && !matches!(tag, Tag::Image { .. });
        if self.depth + levels_within(&tag) > DEPTH || is_word {
            self.closings.push(Closing::Nothing);
            return;
        }
        let close = match tag {
            Tag::Heading { .. } if matches!(self.context.origin, MarkdownOrigin::Message) => {
                out.push(Event::Html(CowStr::Borrowed("<p><strong>")));
                Closing::Raw("</strong></p>\n")
            }
            Tag::Heading { level, .. } => {
                let level = shift_level(level, self.context.shift);
                out.push(Event::Start(Tag::Heading {
                    level,
                    id: None,
                    classes: Vec::new(),
                    attrs: Vec::new(),
                }));
                Closing::AsIs
            }
            Tag::Link { .. } if self.links > 0 => Closing::Nothing,
            Tag::Link {
                link_type,
                dest_url,
                id,
                ..
            } => match destination(&dest_url, self.context.origin) {
                Destination::External => {
                    let mut html = String::from("<a rel=\"nofollow noopener ugc\" href=\"");
                    push_attribute(&mut html, &dest_url);
                    html.push_str("\">");
                    self.links += 1;
                    out.push(Event::InlineHtml(html.into()));
                    Closing::Raw("</a>")
                }
                Destination::Internal(address) => {
                    self.links += 1;
                    out.push(Event::Start(Tag::Link {
                        link_type,
                        dest_url: address.into(),
                        title: CowStr::Borrowed(""),
                        id,
                    }));
                    Closing::AsIs
                }
                Destination::Dropped => Closing::Nothing,
            },
            Tag::Image {
                dest_url,
                link_type,
                id,
                ..
            } => {
                if is_image_allowed(&dest_url, self.context.origin) {
                    let mut dest_url = dest_url;
                    let mut size = None;
                    match self.context.origin {
                        MarkdownOrigin::Site(size_of) => size = size_of(&dest_url),
                        MarkdownOrigin::Showcase { image, .. } => {
                            let found = image_path(&dest_url).and_then(|path| image(&path));
                            if let Some((href, known)) = found {
                                dest_url = href.into();
                                size = Some(known);
                            }
                        }
                        MarkdownOrigin::Run(_)
                        | MarkdownOrigin::Writeup(_)
                        | MarkdownOrigin::Message => {}
                    }
                    if self.images == 0 {
                        self.sized = size.map(|size| (out.len(), size));
                    }
                    self.images += 1;
                    out.push(Event::Start(Tag::Image {
                        link_type,
                        dest_url,
                        title: CowStr::Borrowed(""),
                        id,
                    }));
                    Closing::AsIs
                } else if self.images > 0 {
                    Closing::Nothing
                } else {
                    out.push(Event::InlineHtml(CowStr::Borrowed(
                        "<span class=noimg>Image not shown: ",
                    )));
                    Closing::Raw("</span>")
                }
            }
            Tag::HtmlBlock => {
                out.push(Event::Start(Tag::Paragraph));
                Closing::Raw("</p>\n")
            }
            Tag::FootnoteDefinition(name) => {
                let id = self.prefixed(&name);
                if self.notes.insert(id.to_string()) {
                    out.push(Event::Start(Tag::FootnoteDefinition(id)));
                    Closing::AsIs
                } else {
                    // References link to the first note of a name.
                    out.push(Event::Html(CowStr::Borrowed(
                        "<div class=\"footnote-definition\">",
                    )));
                    Closing::Raw("</div>\n")
                }
            }
            Tag::Table(alignments) => {
                self.table = alignments;
                out.push(Event::Html(CowStr::Borrowed(
                    "<div class=scroll tabindex=0 role=group aria-label=Table><table>",
                )));
                Closing::Raw("</tbody></table></div>\n")
            }
            Tag::TableHead => {
                (self.head, self.cell) = (true, 0);
                out.push(Event::Html(CowStr::Borrowed("<thead><tr>")));
                Closing::Raw("</tr></thead><tbody>\n")
            }
            Tag::TableRow => {
                self.cell = 0;
                out.push(Event::Html(CowStr::Borrowed("<tr>")));
                Closing::Raw("</tr>\n")
            }
            Tag::TableCell => {
                let right = self.table.get(self.cell) == Some(&Alignment::Right);
                self.cell += 1;
                let (open, close) = match (self.head, right) {
                    (true, true) => ("<th scope=col class=num>", "</th>"),
                    (true, false) => ("<th scope=col>", "</th>"),
                    (false, true) => ("<td class=num>", "</td>"),
                    (false, false) => ("<td>", "</td>"),
                };
                out.push(Event::InlineHtml(CowStr::Borrowed(open)));
                Closing::Raw(close)
            }
            Tag::BlockQuote(kind) => {
                if let Some(kind) = kind {
                    out.push(Event::Html(CowStr::Borrowed(alert(kind))));
                    Closing::Raw("</div>\n")
                } else {
                    out.push(Event::Start(Tag::BlockQuote(None)));
                    Closing::AsIs
                }
            }
            Tag::CodeBlock(kind) => {
                out.push(Event::Start(Tag::CodeBlock(language(&kind))));
                Closing::AsIs
            }
            Tag::MetadataBlock(_) => Closing::Nothing,
            other => {
                out.push(Event::Start(other));
                Closing::AsIs
            }
        };
        self.closings.push(close);
    }

    fn end(&mut self, tag: TagEnd, out: &mut Vec<Event<'_>>) {
        self.depth = self.depth.saturating_sub(1);
        let close = self.closings.pop();
        if matches!(tag, TagEnd::Link) && !matches!(close, Some(Closing::Nothing) | None) {
            self.links = self.links.saturating_sub(1);
        }
        match close {
            Some(Closing::Raw(html)) => {
                if matches!(tag, TagEnd::TableHead) {
                    self.head = false;
                }
                out.push(Event::InlineHtml(CowStr::Borrowed(html)));
            }
            Some(Closing::AsIs) if tag == TagEnd::Image => {
                out.push(Event::End(tag));
                self.images = self.images.saturating_sub(1);
                if self.images == 0
                    && let Some((start, size)) = self.sized.take()
                {
                    let image = image_with_size(out.drain(start..), size);
                    out.push(Event::InlineHtml(image.into()));
                }
            }
            Some(Closing::AsIs) => out.push(Event::End(match tag {
                TagEnd::Heading(level) => TagEnd::Heading(shift_level(level, self.context.shift)),
                other => other,
            })),
            Some(Closing::Nothing) | None => {}
        }
    }

    fn prefixed<'t>(&self, name: &str) -> CowStr<'t> {
        // Footnote names are case-insensitive in Markdown.
        let name = name.to_lowercase();
        let mut slug = slugify(&name);
        if slug != name {
            slug = with_hash(&slug, &name);
        }
        // Slugs have no underscore, so the parts stay distinct.
        format!("fn_{}_{slug}", self.context.scope).into()
    }
}

/// An image with width and height, so that the layout does not shift while it loads. The parser's own writer has no sizes.
fn image_with_size<'t>(image: impl Iterator<Item = Event<'t>>, size: ImageSize) -> String {
    const OPEN: &str = "<img";
    let ImageSize { width, height } = size;
    let mut written = String::new();
    html::push_html(&mut written, image);
    if written.starts_with(OPEN) {
        let sides = format!(" width=\"{width}\" height=\"{height}\"");
        written.insert_str(OPEN.len(), &sides);
    }
    written
}

/// Text with control characters made visible; other text stays a text event.
fn visible(text: CowStr<'_>) -> Event<'_> {
    if any_hidden(&text) {
        let mut html = String::with_capacity(text.len() + 32);
        push_text(&mut html, &text);
        Event::InlineHtml(html.into())
    } else {
        Event::Text(text)
    }
}

/// Maximum bytes of a language name.
const LANGUAGE: usize = 32;

/// A code block with its language, if that is a valid name. It becomes a class, so a text with white space could inject classes
/// of the site.
fn language(kind: &CodeBlockKind<'_>) -> CodeBlockKind<'static> {
    let CodeBlockKind::Fenced(info) = kind else {
        return CodeBlockKind::Indented;
    };
    let name = info.split_whitespace().next().unwrap_or_default();
    let name = name.to_ascii_lowercase();
    let is_name = name.len() <= LANGUAGE
        && name
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'+' | b'#' | b'-'));
    if is_name && !name.is_empty() {
        CodeBlockKind::Fenced(name.into())
    } else {
        CodeBlockKind::Indented
    }
}

/// Levels that an element needs below its own to be complete: a table without rows is invalid.
const fn levels_within(tag: &Tag<'_>) -> usize {
    match tag {
        Tag::Table(_) => 2,
        Tag::TableHead | Tag::TableRow | Tag::List(_) => 1,
        _ => 0,
    }
}

fn shift_level(level: HeadingLevel, shift: usize) -> HeadingLevel {
    HeadingLevel::try_from((level as usize + shift).min(6)).unwrap_or(HeadingLevel::H6)
}

const fn alert(kind: BlockQuoteKind) -> &'static str {
    match kind {
        BlockQuoteKind::Note => "<div class=\"alert note\"><p class=alert-title>Note</p>\n",
        BlockQuoteKind::Tip => "<div class=\"alert tip\"><p class=alert-title>Tip</p>\n",
        BlockQuoteKind::Important => {
            "<div class=\"alert important\"><p class=alert-title>Important</p>\n"
        }
        BlockQuoteKind::Warning => {
            "<div class=\"alert warning\"><p class=alert-title>Warning</p>\n"
        }
        BlockQuoteKind::Caution => {
            "<div class=\"alert caution\"><p class=alert-title>Caution</p>\n"
        }
    }
}

#[cfg(test)]
mod tests;
