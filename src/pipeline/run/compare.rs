//! Spools the data that the comparison page loads: of the run, and of each further tape.

use base::diagnostics::Diagnostic;
use formats::model::findings::Slice;
use markup::outline;
use pages::render::script;
use pages::view::compare::{self, key};
use store::spool::Texts;

use super::{CheckedRun, unwritten};

pub(super) fn spool(
    s: &CheckedRun<'_>,
    is_dry_run: bool,
    texts: &mut Texts,
) -> Result<Vec<Slice>, Diagnostic> {
    if is_dry_run {
        return Ok(Vec::new());
    }
    let slug = &s.entry.slug;
    let review = s.inspection.review.as_ref();
    let writeup = review.map(|review| outline::blocks(&review.body, compare::WRITEUP));
    let of_run = script::item(&(slug, compare::data(s, writeup)));
    let further = (1..s.inspection.tapes.len())
        .map(|tape| script::item(&(key(slug, tape), compare::tape(s, tape))));
    std::iter::once(of_run)
        .chain(further)
        .map(|item| {
            let item = item.map_err(|error| unwritten("compare", &error.into()))?;
            Ok(texts.put(&item))
        })
        .collect()
}
