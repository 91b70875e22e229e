//! Limits how much input is in memory at once, and confines a panic to its run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, PoisonError};

use base::diagnostics::{Diagnostic, Place, codes};
use content::discover::RunDirectory;

/// The memory budget of runs in progress, in bytes.
///
/// A run that has its reservation never waits for another run, so there is no deadlock.
#[derive(Debug)]
pub(super) struct MemoryBudget {
    /// Maximum bytes of files in memory at the same time. A larger run is processed alone.
    limit: u64,
    reserved: Mutex<u64>,
    freed: Condvar,
}

/// The reserved memory of one run, released on drop.
#[derive(Debug)]
pub(super) struct MemoryReservation<'a> {
    budget: &'a MemoryBudget,
    bytes: u64,
}

impl MemoryBudget {
    pub(super) fn new(limit: u64) -> Self {
        Self {
            limit,
            reserved: Mutex::default(),
            freed: Condvar::new(),
        }
    }

    /// Waits until a run with `bytes` of files fits.
    pub(super) fn reserve(&self, bytes: u64) -> MemoryReservation<'_> {
        let bytes = bytes.min(self.limit);
        let reserved = self.reserved.lock().unwrap_or_else(PoisonError::into_inner);
        let mut reserved = self
            .freed
            .wait_while(reserved, |reserved| *reserved + bytes > self.limit)
            .unwrap_or_else(PoisonError::into_inner);
        *reserved += bytes;
        MemoryReservation {
            budget: self,
            bytes,
        }
    }
}

impl Drop for MemoryReservation<'_> {
    fn drop(&mut self) {
        *self
            .budget
            .reserved
            .lock()
            .unwrap_or_else(PoisonError::into_inner) -= self.bytes;
        self.budget.freed.notify_all();
    }
}

/// Processes a run. A panic is always a bug in runpress; it becomes an error of this run only.
pub(super) fn catch_panic<T>(
    directory: &RunDirectory,
    work: impl FnOnce() -> T,
) -> Result<T, Diagnostic> {
    // Unwind safe: shared state is behind locks, and none is held while a run is processed.
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        codes::CONTENT_INTERNAL_ERROR.at(
            Place::file(&directory.shown),
            "Internal error while processing this run; its location in the code is printed above",
            "Please report this as a bug, with the files of the run if possible.",
        )
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn large_runs_are_never_in_memory_at_the_same_time_and_every_run_gets_its_turn() {
        const LIMIT: u64 = 256;
        let budget = MemoryBudget::new(LIMIT);
        let (now, most) = (AtomicU64::new(0), AtomicU64::new(0));
        thread::scope(|scope| {
            for bytes in [
                LIMIT / 2,
                LIMIT * 3,
                LIMIT / 2,
                0,
                LIMIT,
                LIMIT / 3,
                1,
                LIMIT - 1,
            ] {
                let (budget, now, most) = (&budget, &now, &most);
                scope.spawn(move || {
                    let reservation = budget.reserve(bytes);
                    let bytes = reservation.bytes;
                    let reserved = now.fetch_add(bytes, Ordering::SeqCst) + bytes;
                    most.fetch_max(reserved, Ordering::SeqCst);
                    thread::yield_now();
                    now.fetch_sub(bytes, Ordering::SeqCst);
                });
            }
        });
        assert!(most.load(Ordering::SeqCst) <= LIMIT);
        assert_eq!(*budget.reserved.lock().expect("unpoisoned"), 0);
    }

    #[test]
    fn a_panic_in_a_run_is_an_error_of_that_run_alone() {
        let root = std::path::Path::new("content");
        let shown = "content/runs/first".to_owned();
        let directory = RunDirectory::new(root.into(), "runs/first".as_ref(), shown);
        assert_eq!(catch_panic(&directory, || 1).expect("no panic"), 1);
        let problem =
            catch_panic(&directory, || panic!("an index out of bounds")).expect_err("a panic");
        assert_eq!(problem.code.name, "content.internal-error");
        assert!(problem.is_error());
        assert_eq!(problem.place.path, "content/runs/first");
        assert!(
            !problem.message.contains("bounds"),
            "a panic may quote what was recorded"
        );
    }
}
