//! The outcome of a shard: only its own runs. The merge reports problems of the whole site, once.

use crate::directories::Directory;
use crate::gather::Gathered;
use crate::outcome::Outcome;
use crate::site::Site;
use crate::summary::RunSummaries;
use base::diagnostics;
use content::discover::Shard;
use store::publish::Stage;

use super::Share;

/// The outcome of a build that writes a part.
pub fn outcome(
    site: &Site,
    gathered: &Gathered,
    shard: Shard,
    summaries: RunSummaries,
    stage: &Stage,
) -> Outcome {
    let share = Share::Shard(shard);
    let directories = gathered.directories.iter();
    let own: Vec<&Directory> = directories.filter(|run| share.has(run)).collect();
    let problems = own.iter().flat_map(|run| &run.record.diagnostics).cloned();
    let mut diagnostics: Vec<_> = problems.collect();
    diagnostics.extend(summaries.invalid.into_iter().flat_map(|run| run.problems));
    let (mut cached, mut read, mut broken) = (Vec::new(), 0, 0);
    for run in summaries.valid {
        read += run.read;
        broken += usize::from(run.has_errors());
        diagnostics.extend(run.problems);
        cached.push(run.cached);
    }
    for problem in &mut diagnostics {
        gathered.mask.apply(problem, "");
    }
    diagnostics::sort(&mut diagnostics);
    let is_quarantined = site.config.policy.quarantine;
    let count = |is: fn(&Directory) -> bool| own.iter().filter(|run| is(run)).count();
    let left_out = broken + count(Directory::is_left_out);
    let errors = diagnostics.iter().filter(|problem| problem.is_error());
    let (files, bytes) = stage.written();
    Outcome {
        blocking: if is_quarantined { 0 } else { errors.count() },
        runs: count(|run| run.run().is_some()) - broken,
        quarantined: if is_quarantined { left_out } else { 0 },
        not_published: count(Directory::is_never_published),
        cases: own.iter().map(|run| run.case(&gathered.mask)).collect(),
        diagnostics,
        files,
        bytes,
        written: stage.written_by_kind(),
        read,
        cached,
        ..Outcome::default()
    }
}
