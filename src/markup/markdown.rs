//! How Markdown of reviewers and annotators becomes HTML that cannot do harm.
//!
//! An event filter: raw HTML becomes text, links and images pass an allowlist, ids get a prefix,
//! headings move below the page's own, nesting is capped.

mod anchors;
mod plain;

use std::collections::BTreeSet;

use pulldown_cmark::{
    Alignment, BlockQuoteKind, CodeBlockKind, CowStr, Event, HeadingLevel, Tag, TagEnd, html,
};

use super::{Destination, Origin, destination, image_is_kept, parse};
use crate::characters::any_hidden;
use crate::model::slug::{slugify, with_hash};
use crate::pictures::Size;

use super::escape::{push_attribute, push_text};
use super::html::Html;
use anchors::anchor_headings;
pub use plain::plain;

/// Containers nested deeper than this are flattened.
const DEPTH: usize = 64;

/// How a text is placed on its page.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// Keeps the ids of this text apart from those of others on the page.
    pub scope: &'a str,
    /// Levels that headings move down.
    pub shift: usize,
    /// Where it comes from.
    pub origin: Origin<'a>,
}

/// Renders `text`.
#[must_use]
pub fn render(text: &str, context: Context<'_>) -> Html {
    let mut out = String::with_capacity(text.len() + text.len() / 2);
    html::push_html(&mut out, filtered(text, context).into_iter());
    Html::finished(out)
}

/// The ids and the words of the headings of the highest level, as they are on the page.
#[must_use]
pub fn headings(text: &str, context: Context<'_>) -> Vec<(String, String)> {
    let mut found: Vec<(HeadingLevel, String, String)> = Vec::new();
    let mut open = false;
    for event in filtered(text, context) {
        match event {
            Event::Start(Tag::Heading { level, id, .. }) => {
                open = true;
                found.push((
                    level,
                    id.map(|id| id.to_string()).unwrap_or_default(),
                    String::new(),
                ));
            }
            Event::End(TagEnd::Heading(_)) => open = false,
            Event::Text(words) | Event::Code(words) if open => {
                if let Some((_, _, text)) = found.last_mut() {
                    text.push_str(&words);
                }
            }
            _ => {}
        }
    }
    let highest = found.iter().map(|(level, ..)| *level).min();
    let of_highest = found
        .into_iter()
        .filter(|(level, ..)| Some(*level) == highest);
    of_highest.map(|(_, id, text)| (id, text)).collect()
}

fn filtered<'t>(text: &'t str, context: Context<'_>) -> Vec<Event<'t>> {
    let mut filter = Filter {
        context,
        depth: 0,
        dropped: Vec::new(),
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
        // A note that is nested too deeply has no place on the page to lead to.
        if matches!(event, Event::FootnoteReference(name) if !filter.notes.contains(name.as_ref()))
        {
            *event = Event::Text(CowStr::Borrowed("*"));
        }
    }
    if let Origin::Site(_) = context.origin {
        anchor_headings(&mut events, context.scope);
    }
    events
}

struct Filter<'a> {
    context: Context<'a>,
    depth: usize,
    /// For each open container: how its end is written.
    dropped: Vec<Close>,
    table: Vec<Alignment>,
    cell: usize,
    head: bool,
    /// Images that are open.
    images: usize,
    /// Where the events of the outermost of them begin, and its size, when that is known.
    sized: Option<(usize, Size)>,
    /// Links that are open: HTML knows no link in a link, though Markdown can be made to hold one.
    links: usize,
    /// Ids of the footnotes so far.
    notes: BTreeSet<String>,
}

#[derive(Clone, Copy)]
enum Close {
    AsIs,
    Nothing,
    Raw(&'static str),
}

impl Filter<'_> {
    fn event<'t>(&mut self, event: Event<'t>, out: &mut Vec<Event<'t>>) {
        match event {
            Event::Start(tag) => self.start(tag, out),
            Event::End(tag) => self.end(tag, out),
            // The words of an image become an attribute.
            Event::Html(text) | Event::InlineHtml(text) | Event::Text(text) | Event::Code(text)
                if self.images > 0 =>
            {
                out.push(Event::Text(crate::diagnostics::text::visible(&text).into()));
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
        // The words of an image become an attribute, which holds no markup.
        let is_word = self.images > 0 && !matches!(tag, Tag::Image { .. });
        if self.depth + levels_within(&tag) > DEPTH || is_word {
            self.dropped.push(Close::Nothing);
            return;
        }
        let close = match tag {
            Tag::Heading { level, .. } => {
                let level = deeper(level, self.context.shift);
                out.push(Event::Start(Tag::Heading {
                    level,
                    id: None,
                    classes: Vec::new(),
                    attrs: Vec::new(),
                }));
                Close::AsIs
            }
            Tag::Link { .. } if self.links > 0 => Close::Nothing,
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
                    Close::Raw("</a>")
                }
                Destination::Internal(address) => {
                    self.links += 1;
                    out.push(Event::Start(Tag::Link {
                        link_type,
                        dest_url: address.into(),
                        title: CowStr::Borrowed(""),
                        id,
                    }));
                    Close::AsIs
                }
                Destination::Dropped => Close::Nothing,
            },
            Tag::Image {
                dest_url,
                link_type,
                id,
                ..
            } => {
                if image_is_kept(&dest_url, self.context.origin) {
                    if let (0, Origin::Site(size_of)) = (self.images, self.context.origin) {
                        self.sized = size_of(&dest_url).map(|size| (out.len(), size));
                    }
                    self.images += 1;
                    out.push(Event::Start(Tag::Image {
                        link_type,
                        dest_url,
                        title: CowStr::Borrowed(""),
                        id,
                    }));
                    Close::AsIs
                } else if self.images > 0 {
                    Close::Nothing
                } else {
                    out.push(Event::InlineHtml(CowStr::Borrowed(
                        "<span class=noimg>Image not shown: ",
                    )));
                    Close::Raw("</span>")
                }
            }
            Tag::HtmlBlock => {
                out.push(Event::Start(Tag::Paragraph));
                Close::Raw("</p>\n")
            }
            Tag::FootnoteDefinition(name) => {
                let id = self.prefixed(&name);
                if self.notes.insert(id.to_string()) {
                    out.push(Event::Start(Tag::FootnoteDefinition(id)));
                    Close::AsIs
                } else {
                    // References lead to the first note of a name.
                    out.push(Event::Html(CowStr::Borrowed(
                        "<div class=\"footnote-definition\">",
                    )));
                    Close::Raw("</div>\n")
                }
            }
            Tag::Table(alignments) => {
                self.table = alignments;
                out.push(Event::Html(CowStr::Borrowed(
                    "<div class=scroll tabindex=0 role=group aria-label=Table><table>",
                )));
                Close::Raw("</tbody></table></div>\n")
            }
            Tag::TableHead => {
                (self.head, self.cell) = (true, 0);
                out.push(Event::Html(CowStr::Borrowed("<thead><tr>")));
                Close::Raw("</tr></thead><tbody>\n")
            }
            Tag::TableRow => {
                self.cell = 0;
                out.push(Event::Html(CowStr::Borrowed("<tr>")));
                Close::Raw("</tr>\n")
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
                Close::Raw(close)
            }
            Tag::BlockQuote(kind) => {
                if let Some(kind) = kind {
                    out.push(Event::Html(CowStr::Borrowed(alert(kind))));
                    Close::Raw("</div>\n")
                } else {
                    out.push(Event::Start(Tag::BlockQuote(None)));
                    Close::AsIs
                }
            }
            Tag::CodeBlock(kind) => {
                out.push(Event::Start(Tag::CodeBlock(language(&kind))));
                Close::AsIs
            }
            Tag::MetadataBlock(_) => Close::Nothing,
            other => {
                out.push(Event::Start(other));
                Close::AsIs
            }
        };
        self.dropped.push(close);
    }

    fn end(&mut self, tag: TagEnd, out: &mut Vec<Event<'_>>) {
        self.depth = self.depth.saturating_sub(1);
        let close = self.dropped.pop();
        if matches!(tag, TagEnd::Link) && !matches!(close, Some(Close::Nothing) | None) {
            self.links = self.links.saturating_sub(1);
        }
        match close {
            Some(Close::Raw(html)) => {
                if matches!(tag, TagEnd::TableHead) {
                    self.head = false;
                }
                out.push(Event::InlineHtml(CowStr::Borrowed(html)));
            }
            Some(Close::AsIs) if tag == TagEnd::Image => {
                out.push(Event::End(tag));
                self.images = self.images.saturating_sub(1);
                if self.images == 0
                    && let Some((start, size)) = self.sized.take()
                {
                    let image = sized(out.drain(start..), size);
                    out.push(Event::InlineHtml(image.into()));
                }
            }
            Some(Close::AsIs) => out.push(Event::End(match tag {
                TagEnd::Heading(level) => TagEnd::Heading(deeper(level, self.context.shift)),
                other => other,
            })),
            Some(Close::Nothing) | None => {}
        }
    }

    fn prefixed<'t>(&self, name: &str) -> CowStr<'t> {
        // Markdown finds the note of a reference whatever the case of its letters.
        let name = name.to_lowercase();
        let mut slug = slugify(&name);
        if slug != name {
            slug = with_hash(&slug, &name);
        }
        // No slug holds an underscore, so the parts cannot be mistaken for one another.
        format!("fn_{}_{slug}", self.context.scope).into()
    }
}

/// An image whose place is kept free while it loads. The parser's own writer knows no size.
fn sized<'t>(image: impl Iterator<Item = Event<'t>>, size: Size) -> String {
    const OPEN: &str = "<img";
    let Size { width, height } = size;
    let mut written = String::new();
    html::push_html(&mut written, image);
    if written.starts_with(OPEN) {
        let sides = format!(" width=\"{width}\" height=\"{height}\"");
        written.insert_str(OPEN.len(), &sides);
    }
    written
}

/// Text with controls shown; text without any stays an event of its own.
fn visible(text: CowStr<'_>) -> Event<'_> {
    if any_hidden(&text) {
        let mut html = String::with_capacity(text.len() + 32);
        push_text(&mut html, &text);
        Event::InlineHtml(html.into())
    } else {
        Event::Text(text)
    }
}

/// The longest name of a language, in bytes.
const LANGUAGE: usize = 32;

/// A block of code with the name of its language, if that is one: it becomes a class, and a text with white space in it would
/// become classes of the site.
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

/// Levels that an element needs below its own to be whole: a table without its rows is none.
const fn levels_within(tag: &Tag<'_>) -> usize {
    match tag {
        Tag::Table(_) => 2,
        Tag::TableHead | Tag::TableRow | Tag::List(_) => 1,
        _ => 0,
    }
}

fn deeper(level: HeadingLevel, shift: usize) -> HeadingLevel {
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
mod tests {
    use super::*;

    fn events(number: u64) -> Option<String> {
        (number < 10).then(|| format!("#e-{number}"))
    }

    fn sizes(address: &str) -> Option<Size> {
        (address == "court.png").then_some(Size {
            width: 160,
            height: 90,
        })
    }

    fn html(text: &str) -> String {
        render(
            text,
            Context {
                scope: "w",
                shift: 2,
                origin: Origin::Run(&events),
            },
        )
        .as_str()
        .trim()
        .to_owned()
    }

    #[test]
    fn raw_html_becomes_text() {
        assert_eq!(
            html("a <img src=x onerror=alert(1)> b"),
            "<p>a &lt;img src=x onerror=alert(1)&gt; b</p>"
        );
        assert!(!html("<script>alert(1)</script>\n\n<div>x").contains("<script"));
    }

    #[test]
    fn links_pass_an_allowlist() {
        assert_eq!(html("[a](javascript:alert(1))"), "<p>a</p>");
        assert!(
            html("[a](https://example.org)")
                .contains("rel=\"nofollow noopener ugc\" href=\"https://example.org\"")
        );
        assert_eq!(html("[a](#e-3)"), "<p><a href=\"#e-3\">a</a></p>");
        assert_eq!(html("[a](#e-3..5)"), "<p><a href=\"#e-3..5\">a</a></p>");
        assert_eq!(html("[a](#e-30) [b](#metrics)"), "<p>a b</p>");
        assert_eq!(
            html("![alt](https://example.org/x.png)"),
            "<p><span class=noimg>Image not shown: alt</span></p>"
        );
    }

    #[test]
    fn the_language_of_a_block_is_one_class_and_no_class_of_the_site() {
        assert_eq!(
            html("```C++ title=x\na\n```"),
            "<pre><code class=\"language-c++\">a\n</code></pre>"
        );
        for info in [
            "x\ttape selection",
            "x&#9;tape",
            "x&#32;tape",
            "x\u{a0}tape",
            "x\u{2003}tape",
            "x\"onclick",
            "\u{202e}x",
            "x_y",
        ] {
            let code = html(&format!("```{info}\na\n```"));
            let class = code.split('"').nth(1).unwrap_or_default();
            assert!(
                class.is_empty() || class == "language-x",
                "{info:?}: {code}"
            );
            assert!(code.ends_with("a\n</code></pre>"), "{info:?}: {code}");
        }
    }

    #[test]
    fn deep_nesting_is_flattened() {
        let deep = html(&format!("{}x", "> ".repeat(4000)));
        assert!(deep.matches("<blockquote>").count() <= DEPTH);
        assert!(deep.contains('x'));
    }

    #[test]
    fn headings_move_below_the_pages_own() {
        assert_eq!(html("# A"), "<h3>A</h3>");
        let own = render(
            "# A b\n\n# A b",
            Context {
                scope: "",
                shift: 0,
                origin: Origin::Site(&sizes),
            },
        );
        assert!(own.as_str().contains("id=\"a-b\"") && own.as_str().contains("id=\"a-b-2\""));
    }

    #[test]
    fn a_footnote_is_found_by_its_name_in_any_case_and_only_the_first_of_a_name_counts() {
        let notes = html("a[^N]\n\n[^n]: one\n\n[^n]: two");
        assert!(
            notes.contains("href=\"#fn_w_n\"") && notes.contains("one") && notes.contains("two")
        );
        assert_eq!(notes.matches("id=\"fn_w_n\"").count(), 1, "{notes}");
    }

    #[test]
    fn a_link_holds_no_link() {
        let nested = html("[**<https://example.org>**](https://example.com)");
        assert_eq!(nested.matches("<a ").count(), 1, "{nested}");
        assert_eq!(
            html("[a](https://example.com) [b](https://example.org)")
                .matches("<a ")
                .count(),
            2
        );
    }

    #[test]
    fn the_words_of_an_image_hold_no_markup() {
        let page = render(
            "![a [b](https://example.org) ![c](https://example.org/c.png) `d`](e.png)",
            Context {
                scope: "",
                shift: 0,
                origin: Origin::Site(&sizes),
            },
        );
        assert_eq!(
            page.as_str().trim(),
            "<p><img src=\"e.png\" alt=\"a b c d\" /></p>"
        );
    }

    #[test]
    fn an_image_of_known_size_says_so_and_is_otherwise_the_same() {
        let page = |text: &str| {
            let context = Context {
                scope: "",
                shift: 0,
                origin: Origin::Site(&sizes),
            };
            render(text, context).as_str().trim().to_owned()
        };
        for text in [
            "![a *court* \"x\" <b>](court.png) and ![b](other.png)",
            "[![c\nd](court.png)](court.html)",
            "![a ![b](other.png) c](court.png)![](court.png)",
            "| ![a](court.png) |\n| --- |\n| ![b](court.png) |",
        ] {
            let known = page(text);
            let sides = " width=\"160\" height=\"90\"";
            assert_eq!(
                known.matches(sides).count(),
                known.matches("src=\"court.png\"").count(),
                "{known}"
            );
            // The same image under a name that is not known.
            let unknown = page(&text.replace("court.png", "Court.png"));
            assert_eq!(known.replace(sides, ""), unknown.replace("Court", "court"));
        }
        // The size is that of the image that is shown.
        assert_eq!(
            page("![a ![b](court.png) c](other.png)"),
            "<p><img src=\"other.png\" alt=\"a b c\" /></p>"
        );
    }

    #[test]
    fn what_is_too_deep_to_be_a_table_is_no_half_of_one() {
        for depth in 55..70 {
            let quote = "> ".repeat(depth);
            let deep = html(&format!("{quote}| a |\n{quote}| - |\n{quote}| 1 |"));
            assert_eq!(
                deep.contains("<table>"),
                deep.contains("<td>1</td>"),
                "{depth}"
            );
        }
    }

    #[test]
    fn tables_have_scopes_and_no_inline_style() {
        let table = html("| a | b |\n| --- | --: |\n| 1 | 2 |");
        assert!(
            table.contains("<th scope=col class=num>b</th>")
                && table.contains("<td class=num>2</td>")
        );
        assert!(!table.contains("style="));
        assert_eq!(
            table.matches("<tbody>").count(),
            table.matches("</tbody>").count()
        );
    }
}
