//! The rules for a review (formats.md A.v), and when one is required (A.vi, `[policy] require_review`).

use base::diagnostics::text::{nearest, quoted};
use base::diagnostics::{CheckResult, Collector, Diagnostic, Place, Severity, Source, codes};
use formats::config::Config;
use formats::model::details;
use formats::model::review::{ChecklistItem, Rating, Review};
use formats::model::run::Run;
use formats::model::tape::Tape;
use formats::run_record::RunRecord;
use formats::writeup::{FrontMatter, FrontMatterEntry, Writeup};
use markup::MarkdownOrigin;

use super::markdown;

/// Statuses that are not grades.
const STATUSES: [&str; 3] = ["pass", "fail", "na"];

/// Converts a writeup to a review, which may link to events of `tape`, the run's first. `run` is `None` if its record is invalid;
/// then no review is required.
pub fn check(
    config: &Config,
    run: Option<&Run>,
    tape: Option<&Tape<'_>>,
    source: Source<'_>,
    writeup: &Writeup<'_>,
) -> CheckResult<Review> {
    // Offsets of entries refer to the decoded text, which is longer than the file if invalid UTF-8 was replaced.
    let source = Source {
        text: writeup.text.as_bytes(),
        ..source
    };
    let events = |number| tape?.position(number).map(|_| String::new());
    let needed = config.policy.require_review && run.is_some_and(|run| run.state.is_completed());
    let weight = if needed {
        Severity::Error
    } else {
        Severity::Warning
    };
    let mut diagnostics = Collector::default();
    let (mut overall, mut domains, mut checklist) = (None, Vec::new(), Vec::new());
    let mut rated = false;
    for entry in writeup.entries() {
        if entry.key == "rating" && !rated {
            rated = true;
            overall = rating(&source, entry, weight, &mut diagnostics);
        } else if let Some(domain) = entry.key.strip_prefix("rating.") {
            domains.push((
                domain.to_owned(),
                rating(&source, entry, weight, &mut diagnostics),
            ));
        } else if let Some(id) = entry.key.strip_prefix("review.") {
            checklist.push(item(&source, id, entry, weight, &mut diagnostics));
        }
    }
    // The badge is the worst rating; an unrecognized rating leaves the run unrated (formats.md, contradiction 6). A game jam
    // review may have no rating: then the badge is the grade of the whole game.
    let given: Vec<Option<Rating>> = rated
        .then_some(overall)
        .into_iter()
        .chain(domains.iter().map(|(_, rating)| *rating))
        .collect();
    let overall = if given.is_empty() {
        checklist
            .iter()
            .find(|item| item.is_overall())
            .and_then(ChecklistItem::grade)
    } else {
        let all: Option<Vec<_>> = given.iter().copied().collect();
        all.and_then(|all| all.into_iter().max())
    };
    if given.is_empty() && checklist.is_empty() && writeup.front_matter != FrontMatter::Unclosed {
        diagnostics.push(
            codes::REVIEW_UNKNOWN_RATING
                .at(
                    source.place(0, 1),
                    "The review has no rating",
                    "Begin the file with `---`, `rating: great` and `---`, each on its own line.",
                )
                .with_severity(weight),
        );
    }
    if writeup.body().is_empty() {
        diagnostics.push(
            codes::REVIEW_EMPTY
                .at(
                    source.place(0, 1),
                    "The review has no text",
                    "Write the review below the front matter.",
                )
                .with_severity(weight),
        );
    }
    let offset = writeup.body().as_ptr().addr() - writeup.text.as_ptr().addr();
    let mut diagnostics = diagnostics.finish(source.path);
    diagnostics.extend(markdown::check(
        source,
        writeup.body(),
        offset,
        MarkdownOrigin::Writeup(&events),
    ));
    let value = Review {
        rating: overall,
        domains,
        checklist,
        body: writeup.body().to_owned(),
    };
    CheckResult { value, diagnostics }
}

/// Reports a run without a review if the policy requires one, unless its validation rates it.
#[must_use]
pub fn check_missing(
    config: &Config,
    run: &Run,
    details: &RunRecord<'_>,
    directory: &str,
) -> Option<Diagnostic> {
    let is_needed = config.policy.require_review
        && run.state.is_completed()
        && !details::is_rated_by_validation(details);
    is_needed.then(|| {
        codes::REVIEW_MISSING.at(
            Place::file(format!("{directory}/writeup.md")),
            "The run is completed, but has no review",
            "Add a `writeup.md` with a rating and a text, or set `require_review = false`.",
        )
    })
}

fn rating(
    source: &Source<'_>,
    entry: FrontMatterEntry<'_>,
    weight: Severity,
    diagnostics: &mut Collector,
) -> Option<Rating> {
    let rating = Rating::tier(entry.value);
    if rating.is_none() {
        diagnostics.add_as(&codes::REVIEW_UNKNOWN_RATING, weight, || {
            let unquoted = entry.value.trim_matches(['"', '\'']);
            let near = nearest(unquoted, Rating::TIERS.iter().map(|rating| rating.word()));
            let help = near.map_or_else(
                || "Write `flawless`, `great`, `passable`, `scuffed` or `broken`.".to_owned(),
                |near| format!("Did you mean {}, without quotes?", quoted(near)),
            );
            codes::REVIEW_UNKNOWN_RATING.at(
                source.place(entry.offset, entry.offset + entry.value.len()),
                format!("Unknown rating {}", quoted(entry.value)),
                help,
            )
        });
    }
    rating
}

fn item(
    source: &Source<'_>,
    id: &str,
    entry: FrontMatterEntry<'_>,
    weight: Severity,
    diagnostics: &mut Collector,
) -> ChecklistItem {
    let (status, note) = entry
        .value
        .split_once(char::is_whitespace)
        .unwrap_or((entry.value, ""));
    let note = note.trim();
    let item = ChecklistItem {
        id: id.to_owned(),
        status: status.to_owned(),
        note: (!note.is_empty()).then(|| note.to_owned()),
    };
    if item.grade().is_none()
        && !STATUSES
            .iter()
            .any(|known| status.eq_ignore_ascii_case(known))
    {
        // The grade of the whole game counts as a rating.
        let severity = if item.is_overall() {
            weight
        } else {
            codes::REVIEW_UNKNOWN_STATUS.severity
        };
        diagnostics.add_as(&codes::REVIEW_UNKNOWN_STATUS, severity, || {
            codes::REVIEW_UNKNOWN_STATUS.at(
                source.place(entry.offset, entry.offset + status.len()),
                format!("Unknown status {} of the item {}", quoted(status), quoted(id)),
                "Write `pass`, `fail` or `na`, or a grade: `broken`, `poor`, `neutral`, `great`, `incredible`.",
            )
        });
    }
    item
}
