//! Codes of writeup.md.

family! { ALL:
    REVIEW_MISSING = "review.missing" Error "a completed run has no review"
        why "`[policy] require_review = true` requires a writeup with a rating or a checklist for every completed run, as Test Cabinet does before publishing. Other runs need none."
        bad "run-record.json with state `completed`, no writeup.md"
        good "---\nrating: great\n---\n\nIt plays well.";
    REVIEW_NOT_UTF8 = "review.not-utf8" Error "the review is not UTF-8"
        why "Invalid bytes would be replaced, so the text shown would differ from the text written."
        bad "caf\\xe9   (one Latin-1 byte)"
        good "café";
    REVIEW_UNCLOSED_FENCE = "review.unclosed-fence" Error "the front matter of the review is not closed"
        why "Front matter is between two lines that contain only `---`. Without the second line, rating and text cannot be separated."
        bad "---\nrating: great\n\nIt plays well."
        good "---\nrating: great\n---\n\nIt plays well.";
    REVIEW_EMPTY = "review.empty" Warning "the review has no text"
        why "A rating without a reason is of little use. With `require_review` this is an error."
        bad "---\nrating: great\n---"
        good "---\nrating: great\n---\n\nIt plays well.";
    REVIEW_UNKNOWN_RATING = "review.unknown-rating" Warning "missing or unknown rating"
        why "Ratings are `flawless`, `great`, `passable`, `scuffed` and `broken`, without quotes, as `rating: great` or per domain as `rating.gameplay: great`. Without a valid rating the run is shown as unrated; with `require_review` this is an error. A review with a checklist of `review.` lines needs no rating: its badge is the grade of the item `overall`, as in a game jam."
        bad "---\nrating: \"great\"\n---\n\nIt plays well."
        good "---\nrating: great\n---\n\nIt plays well.";
    REVIEW_UNKNOWN_STATUS = "review.unknown-status" Warning "unknown status of a checklist item"
        why "An item is `pass`, `fail` or `na`, or graded `broken`, `poor`, `neutral`, `great` or `incredible`; a note may follow after a space. For the item `overall` this is an error with `require_review`."
        bad "review.controls: passed"
        good "review.controls: pass the paddle follows the keys";
    REVIEW_TOO_LARGE = "review.too-large" Error "the review is larger than the limit"
        why "A review is a text for people. If it is meant to be this long, raise `writeup` in `[limits]`."
        bad "a writeup.md of 300 KiB with the default limit"
        good "[limits]\nwriteup = \"512 KiB\"";
    REVIEW_UNSAFE_LINK = "review.unsafe-link" Warning "a link or image is removed from a text"
        why "Links in the Markdown of a run may be `http`, `https` or `mailto`, or point at an event of the run such as `#e-17`; relative addresses and images would not work on the site. Pages of the site may also use relative addresses and images. The text of a removed link remains."
        bad "[play](javascript:alert(1))"
        good "[play](https://example.org/play)";
}
