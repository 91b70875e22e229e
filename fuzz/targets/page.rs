//! Prose pages: the Markdown comes out as written, front matter or not.

use runpress::api::diagnostics::Source;
use runpress::api::formats::page::parse;

use super::places;

const NAME: &str = "page.md";

/// Reads `bytes` as a page of prose.
pub fn run(bytes: &[u8]) {
    let source = Source::file(NAME, bytes);
    let (prose, problems) = parse(source);
    places::check(bytes, &problems);
    if let Some(marked) = super::with_byte_order_mark(bytes) {
        assert_eq!(
            places::shown(&parse(Source::file(NAME, &marked)).1),
            places::shown(&problems)
        );
    }
    if let Ok(text) = std::str::from_utf8(source.text) {
        assert!(text.ends_with(&prose.body), "{prose:?}");
        assert!(
            prose.body.len() == text.len() || text.starts_with("+++"),
            "{prose:?}"
        );
        if !places::has_errors(&problems) {
            let begins = prose
                .body
                .lines()
                .next()
                .is_some_and(|line| line.trim_end() == "+++");
            assert!(!begins || prose.body.len() < text.len());
        }
    }
    super::markdown::site(&prose.body);
}
