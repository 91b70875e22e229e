//! Reviews: no text is lost, and every problem has a place in it.

use runpress::api::config::Config;
use runpress::api::diagnostics::Source;
use runpress::api::formats::writeup::{FILE_NAME, FrontMatter, parse};
use runpress::api::model::review::Rating;
use runpress::api::rules;

use super::places;

/// Reads `bytes` as a review.
pub fn run(bytes: &[u8]) {
    let source = Source::file(FILE_NAME, bytes);
    let (writeup, problems) = parse(source);
    places::check(bytes, &problems);
    assert!(
        !places::has_errors(&problems)
            || writeup.front_matter != FrontMatter::Closed
            || writeup.text.contains('\u{fffd}')
    );
    assert_eq!(writeup.text, String::from_utf8_lossy(source.text));
    assert_eq!(writeup.body(), writeup.body().trim());
    assert!(writeup.text.contains(writeup.body()));
    for entry in writeup.entries() {
        assert!(
            writeup.text[entry.offset..].starts_with(entry.value),
            "{entry:?}"
        );
        assert!(
            !entry.key.contains(':') && !entry.value.contains('\n'),
            "{entry:?}"
        );
    }
    let mut config = Config::default();
    for require_review in [false, true] {
        config.policy.require_review = require_review;
        let checked = rules::review::check(&config, None, None, source, &writeup);
        places::check(bytes, &checked.diagnostics);
        let review = checked.value;
        assert_eq!(review.body, writeup.body());
        let worst = review
            .domains
            .iter()
            .filter_map(|(_, rating)| *rating)
            .max();
        assert!(
            review.rating.is_none() || review.rating >= worst,
            "{review:?}"
        );
        // Of several lines `rating` the first counts.
        let overall = writeup.entries().find(|entry| entry.key == "rating");
        let domains = writeup
            .entries()
            .filter(|entry| entry.key.starts_with("rating."));
        let all_known = overall
            .into_iter()
            .chain(domains)
            .all(|entry| Rating::tier(entry.value).is_some());
        let is_reported = checked
            .diagnostics
            .iter()
            .any(|d| d.code.name == "review.unknown-rating");
        assert!(all_known || is_reported, "{review:?}");
    }
    super::markdown::text(writeup.body());
}
