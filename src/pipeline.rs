//! The steps of a build, one file each: `gather` reads what is small, `runs` takes every run through `run`, `outcome` sums
//! up, and `lists` writes what is made of all runs. `memory` lets the next build reuse pages.

mod budget;
mod directories;
#[cfg(feature = "parquet")]
mod export;
mod gather;
mod hosting;
mod kept;
mod ledger;
mod lists;
mod memory;
mod outcome;
mod previous;
mod prose;
mod public;
mod run;
mod runs;
mod secrets;
mod shard;

#[cfg(feature = "parquet")]
pub(crate) use export::{examine_export, export};
pub use gather::Gathered;
pub use hosting::weigh;
pub use kept::KnownRecords;
pub use lists::publish as publish_lists;
pub use memory::{Memory, Notes};
pub use outcome::Outcome;
pub use run::Output;
pub(crate) use run::with_redactions;
pub use runs::stage as stage_runs;
pub use shard::{Parts, Share, outcome as part_outcome, write as write_part};

/// Receives the progress of a build.
pub trait Progress: Sync {
    /// A step begins; it will take so many ticks, or cannot be counted.
    fn begin(&self, step: &'static str, ticks: Option<usize>);
    /// One tick of the step is done.
    fn tick(&self);
}

/// Shows no progress.
#[derive(Debug, Clone, Copy)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn begin(&self, _step: &'static str, _ticks: Option<usize>) {}

    fn tick(&self) {}
}
