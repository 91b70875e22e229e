//! Markdown with everything that could do harm.

use super::*;

fn events(number: u64) -> Option<String> {
    (number < 10).then(|| format!("#e-{number}"))
}

fn sizes(address: &str) -> Option<ImageSize> {
    (address == "court.png").then_some(ImageSize {
        width: 160,
        height: 90,
    })
}

fn html(text: &str) -> String {
    render(
        text,
        MarkdownContext {
            scope: "w",
            shift: 2,
            origin: MarkdownOrigin::Run(&events),
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
        "<p>a &lt;img src=x onerror=alert(1)> b</p>"
    );
    assert!(!html("<script>alert(1)</script>\n\n<div>x").contains("<script"));
}

#[test]
fn void_elements_end_as_in_html_and_texts_keep_what_looks_like_their_end() {
    for (text, shown) in [
        ("a  \nb", "<p>a<br>\nb</p>"),
        ("a\n\n---", "<p>a</p>\n<hr>"),
        ("<br />", "<p>&lt;br /></p>"),
        ("a -> b &gt; c &amp;gt;", "<p>a -> b > c &amp;gt;</p>"),
        ("`<br />`", "<p><code>&lt;br /></code></p>"),
        ("    <a />", "<pre><code>&lt;a /></code></pre>"),
        // A hidden character makes the text one of another writer.
        ("a /> \u{202e}b", "<p>a /> <i class=cc>U+202E</i>b</p>"),
        (
            "[a /> b](https://example.org/?a=>)",
            "<p><a rel=\"nofollow noopener ugc\" href=\"https://example.org/?a=&gt;\">a /> b</a></p>",
        ),
        ("]]> --> </script>", "<p>]]> --> &lt;/script></p>"),
    ] {
        assert_eq!(html(text), shown, "{text}");
    }
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
        MarkdownContext {
            scope: "",
            shift: 0,
            origin: MarkdownOrigin::Site(&sizes),
        },
    );
    assert!(own.as_str().contains("id=\"a-b\"") && own.as_str().contains("id=\"a-b-2\""));
}

#[test]
fn ids_of_headings_have_letters_of_every_script_and_do_not_depend_on_their_order() {
    let ids = |text: &str| {
        let context = MarkdownContext {
            scope: "",
            shift: 0,
            origin: MarkdownOrigin::Site(&sizes),
        };
        let headings = super::headings(text, context);
        headings.into_iter().map(|(id, _)| id).collect::<Vec<_>>()
    };
    assert_eq!(
        ids("# Größe\n\n# 概述\n\n# 使用方法\n\n# Обзор 2\n\n# What's `new`?"),
        ["größe", "概述", "使用方法", "обзор-2", "what-s-new"]
    );
    let texts = ["A", "A", "A 2", "C", "C#", "C++", "!", "?", "", "Main"];
    let page = |order: &[&str]| {
        let text: Vec<String> = order.iter().map(|text| format!("# {text}")).collect();
        let found = ids(&text.join("\n\n"));
        assert_eq!(found.len(), order.len());
        let mut pairs: Vec<(String, String)> = order
            .iter()
            .map(|text| (*text).to_owned())
            .zip(found)
            .collect();
        pairs.sort();
        pairs
    };
    let there = page(&texts);
    let reversed: Vec<&str> = texts.into_iter().rev().collect();
    assert_eq!(page(&reversed), there);
    let distinct: BTreeSet<&String> = there.iter().map(|(_, id)| id).collect();
    assert_eq!(distinct.len(), texts.len(), "{there:?}");
    let id_of = |text: &str| &there.iter().find(|(other, _)| other == text).expect("it").1;
    assert_eq!(
        (id_of("A 2"), id_of("C")),
        (&"a-2".to_owned(), &"c".to_owned())
    );
    assert_eq!(id_of("Main"), "main-2");
    let more = page(&["Before", "!", "?", "A", "概述"]);
    for text in ["!", "?", "A"] {
        let id = &more.iter().find(|(other, _)| other == text).expect("it").1;
        assert_eq!(id, id_of(text));
    }
}

#[test]
fn a_footnote_is_found_by_its_name_in_any_case_and_only_the_first_of_a_name_counts() {
    let notes = html("a[^N]\n\n[^n]: one\n\n[^n]: two");
    assert!(notes.contains("href=\"#fn_w_n\"") && notes.contains("one") && notes.contains("two"));
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
        MarkdownContext {
            scope: "",
            shift: 0,
            origin: MarkdownOrigin::Site(&sizes),
        },
    );
    assert_eq!(
        page.as_str().trim(),
        "<p><img src=\"e.png\" alt=\"a b c d\"></p>"
    );
}

#[test]
fn an_image_of_known_size_says_so_and_is_otherwise_the_same() {
    let page = |text: &str| {
        let context = MarkdownContext {
            scope: "",
            shift: 0,
            origin: MarkdownOrigin::Site(&sizes),
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
        // The same image under an unknown name.
        let unknown = page(&text.replace("court.png", "Court.png"));
        assert_eq!(known.replace(sides, ""), unknown.replace("Court", "court"));
    }
    // The size must be that of the image shown.
    assert_eq!(
        page("![a ![b](court.png) c](other.png)"),
        "<p><img src=\"other.png\" alt=\"a b c\"></p>"
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
        table.contains("<th scope=col class=num>b</th>") && table.contains("<td class=num>2</td>")
    );
    assert!(!table.contains("style="));
    assert_eq!(
        table.matches("<tbody>").count(),
        table.matches("</tbody>").count()
    );
}
