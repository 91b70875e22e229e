//! The structure of a Markdown text without formatting: blocks of plain text, which need escaping like any other text.

use pulldown_cmark::{Event, Tag, TagEnd};

use super::parse;

/// A block: its kind, `h` (a heading), `p`, `li` or `pre`, and its text.
pub type Block = (&'static str, String);

/// The blocks at the beginning of a text, at most `limit` characters, and whether there is more.
pub fn blocks(text: &str, limit: usize) -> (Vec<Block>, bool) {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Option<Block> = None;
    let mut items = 0_usize;
    let mut left = limit;
    for event in parse(text) {
        match event {
            Event::Start(tag) => {
                let name = match tag {
                    Tag::Heading { .. } => "h",
                    Tag::CodeBlock(_) => "pre",
                    Tag::Item => {
                        items += 1;
                        "li"
                    }
                    Tag::Paragraph | Tag::TableRow | Tag::TableHead if items > 0 => "li",
                    Tag::Paragraph | Tag::TableRow | Tag::TableHead => "p",
                    _ => continue,
                };
                close(&mut blocks, &mut open);
                open = Some((name, String::new()));
            }
            Event::End(TagEnd::Item) => {
                items = items.saturating_sub(1);
                close(&mut blocks, &mut open);
            }
            Event::End(
                TagEnd::Heading(_)
                | TagEnd::CodeBlock
                | TagEnd::Paragraph
                | TagEnd::TableRow
                | TagEnd::TableHead,
            ) => close(&mut blocks, &mut open),
            Event::Text(words) | Event::Code(words) => {
                let Some((_, text)) = &mut open else { continue };
                if let Some((end, _)) = words.char_indices().nth(left) {
                    text.push_str(&words[..end]);
                    text.push('…');
                    close(&mut blocks, &mut open);
                    return (blocks, true);
                }
                left -= words.chars().count();
                text.push_str(&words);
            }
            Event::SoftBreak | Event::HardBreak | Event::End(TagEnd::TableCell) => {
                if let Some((_, text)) = &mut open {
                    text.push(' ');
                }
            }
            _ => {}
        }
    }
    close(&mut blocks, &mut open);
    (blocks, false)
}

fn close(blocks: &mut Vec<Block>, open: &mut Option<Block>) {
    if let Some((name, text)) = open.take()
        && !text.trim().is_empty()
    {
        blocks.push((name, text.trim().to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<(&'static str, String)> {
        blocks(text, 1_000).0
    }

    #[test]
    fn a_text_is_its_headings_paragraphs_items_and_code() {
        let text = "# One *two*\n\nA [link](https://example.org/) and\n`code`.\n\n- first\n- second\n\n  more\n\n```\nx\n```\n";
        let expected = [
            ("h", "One two"),
            ("p", "A link and code."),
            ("li", "first"),
            ("li", "second"),
            ("li", "more"),
            ("pre", "x"),
        ];
        assert_eq!(
            of(text),
            expected.map(|(name, text)| (name, text.to_owned()))
        );
    }

    #[test]
    fn markup_is_left_out_and_tables_are_rows() {
        let text = "a <b>b</b> &lt;\n\n<script>x</script>\n\n| h | i |\n|---|---|\n| 1 | 2 |\n";
        let expected = [("p", "a b <"), ("p", "h i"), ("p", "1 2")];
        assert_eq!(
            of(text),
            expected.map(|(name, text)| (name, text.to_owned()))
        );
    }

    #[test]
    fn a_long_text_is_cut_with_a_mark() {
        let (blocks, more) = blocks("aaa bbb\n\nccc", 8);
        assert!(more);
        assert_eq!(blocks[1], ("p", "c…".to_owned()));
        assert!(!super::blocks("aaa bbb", 7).1);
    }
}
