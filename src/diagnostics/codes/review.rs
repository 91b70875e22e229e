//! Codes of writeup.md.
use super::family;

family! { ALL:
    REVIEW_MISSING = "review.missing" Error "a completed run has no review"
        why "`[policy] require_review = true` asks for a writeup with a rating or a checklist of every completed run, as Test Cabinet does before it publishes. Runs that did not complete need none."
        bad "run-record.json with state `completed`, no writeup.md"
        good "---\nrating: great\n---\n\nIt plays well.";
    REVIEW_NOT_UTF8 = "review.not-utf8" Error "the review is not UTF-8"
        why "The bytes that do not fit would be replaced, and the review would not say what was written."
        bad "caf\\xe9   (one Latin-1 byte)"
        good "café";
    REVIEW_UNCLOSED_FENCE = "review.unclosed-fence" Error "the front matter of the review is not closed"
        why "The front matter stands between two lines that hold exactly `---`. Without the second one the rating cannot be told from the text."
        bad "---\nrating: great\n\nIt plays well."
        good "---\nrating: great\n---\n\nIt plays well.";
    REVIEW_EMPTY = "review.empty" Warning "the review has no text"
        why "A rating without a reason helps nobody. With `require_review` it is an error."
        bad "---\nrating: great\n---"
        good "---\nrating: great\n---\n\nIt plays well.";
    REVIEW_UNKNOWN_RATING = "review.unknown-rating" Warning "the rating is missing or not known"
        why "Ratings are `flawless`, `great`, `passable`, `scuffed` and `broken`, without quotes, as `rating: great` or per domain as `rating.gameplay: great`. Otherwise the run is shown as unrated; with `require_review` it is an error. A review with a checklist of `review.` lines needs no rating: its badge is the grade of the item `overall`, as in a game jam."
        bad "---\nrating: \"great\"\n---\n\nIt plays well."
        good "---\nrating: great\n---\n\nIt plays well.";
    REVIEW_UNKNOWN_STATUS = "review.unknown-status" Warning "the status of a checklist item is not known"
        why "An item is `pass`, `fail` or `na`, or graded `broken`, `poor`, `neutral`, `great` or `incredible`; a note may follow after a space. For the item `overall` it is an error with `require_review`."
        bad "review.controls: passed"
        good "review.controls: pass the paddle follows the keys";
    REVIEW_TOO_LARGE = "review.too-large" Error "the review is larger than the limit"
        why "A review is prose for people. Raise `writeup` in `[limits]` if it is right."
        bad "a writeup.md of 300 KiB with the default limit"
        good "[limits]\nwriteup = \"512 KiB\"";
    REVIEW_UNSAFE_LINK = "review.unsafe-link" Warning "a link or image of a text is not shown"
        why "Links in the Markdown of a run may be `http`, `https` or `mailto`, or lead to an event of the run such as `#e-17`; relative addresses and images would lead nowhere on the site. In the site's own prose relative addresses and images of the site are kept. What is dropped keeps its words."
        bad "[play](javascript:alert(1))"
        good "[play](https://example.org/play)";
}
