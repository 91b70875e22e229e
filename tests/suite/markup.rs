//! Untrusted Markdown: whatever the nesting, the output is safe, complete, and loses no word.

use proptest::prelude::*;

use crate::fuzz_targets::markdown::{site, text};
use crate::generate::holds;

/// Pieces of Markdown and HTML, harmless and not.
const PIECES: [&str; 60] = [
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt&colon;alert(1))",
    "[a](java\tscript:x)",
    "[a](data:text/html,x)",
    "[a](vbscript:x)",
    "[a](//evil.example/x)",
    "[a](\\\\evil.example)",
    "[a](https:evil.example)",
    "[a](http:/evil)",
    "[a](https://example.org/?q=\"onx)",
    "<https://example.org>",
    "<javascript:alert(1)>",
    "<a@example.org>",
    "[a](mailto:a@example.org)",
    "[a](#e-3)",
    "[a](#e-3..5)",
    "[a](#e-99)",
    "[a](?x)",
    "[a](a/b.html)",
    "[a](<a b>)",
    "[a](x \"title\")",
    "![a](x.png)",
    "![a *b* `c` [d](https://x.example)](x.png)",
    "![a](https://evil.example/x.png)",
    "![![a](https://x.example)](x.png)",
    "[![a](x.png)](https://x.example)",
    "[a][r]",
    "\n\n[r]: javascript:x\n\n",
    "[^n]",
    "[a [^n] b](https://x.example)",
    "\n\n[^n]: a note\n\n",
    "\n\n[^N]: another note\n\n",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=x>",
    "<!-- x -->",
    "<![CDATA[x]]>",
    "<?x?>",
    "</p></div>",
    "<a href=\"javascript:x\">",
    "&lt;script&gt;",
    "&#106;avascript:",
    "&colon;",
    "\n| a | b |\n| --- | --: |\n| 1 | [x](y) |\n",
    "\n- [x] a\n- [ ] b\n",
    "\n1. a\n2. b\n",
    "\n> [!NOTE]\n> a\n",
    "\n> a\n",
    "\n# a\n",
    "\na\n===\n",
    "\n```js\"onx=1\nlet a;\n```\n",
    "\n    code\n",
    "`a`",
    "`` a`b ``",
    "**a**",
    "*a*",
    "~~a~~",
    "~a~",
    "\n***\n",
    "\\\n",
];

fn markup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => prop::sample::select(PIECES.to_vec()).prop_map(str::to_owned),
        2 => "[a-z \\n]{0,6}",
        2 => prop::sample::select("[]()<>!*_`~#>|\\&:\"'-+=^\t\n\r\0\u{202e}\u{85}é".chars().collect::<Vec<_>>()).prop_map(String::from),
    ];
    // Each level wraps its content in another structure.
    let flat = prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat());
    flat.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            inner
                .clone()
                .prop_map(|text| format!("> {}", text.replace('\n', "\n> "))),
            inner
                .clone()
                .prop_map(|text| format!("- {}", text.replace('\n', "\n  "))),
            inner
                .clone()
                .prop_map(|text| format!("[{text}](https://x.example/)")),
            inner.clone().prop_map(|text| format!("![{text}](x.png)")),
            inner.clone().prop_map(|text| format!("**{text}**")),
            inner.clone().prop_map(|text| format!("<div>{text}</div>")),
            (inner.clone(), inner).prop_map(|(one, other)| format!("{one}\n\n{other}")),
        ]
    })
}

#[test]
fn no_markdown_makes_a_page_unsafe_or_unbalanced() {
    holds(1_500, &markup(), |markdown| {
        text(&markdown);
        site(&markdown);
    });
}

#[test]
fn very_deep_markdown_is_as_safe_and_balanced_as_any() {
    let inner = "| a | b |\n| - | - |\n| 1 | 2 |\n\n- x\n  1. y\n\n![a **b**](x.png)\n";
    for depth in (55..70).chain([200]) {
        for wrap in ["> ", "- "] {
            let markdown = (0..depth).fold(inner.to_owned(), |text, _| {
                let rest = if wrap == "> " { "\n> " } else { "\n  " };
                format!("{wrap}{}", text.trim_end().replace('\n', rest))
            });
            text(&markdown);
            site(&markdown);
        }
    }
}
