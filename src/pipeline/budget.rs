//! Bounds the input held in memory at once, and confines a panic to its run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, PoisonError};

use base::diagnostics::{Diagnostic, Place, codes};
use content::discover::RunDirectory;

/// The memory budget of runs in progress, in bytes.
///
/// A run that has its share never waits for another run, so there is no deadlock.
#[derive(Debug)]
pub(super) struct Budget {
    /// Maximum bytes of files held at the same time. A larger run is processed alone.
    most: u64,
    held: Mutex<u64>,
    freed: Condvar,
}

/// The share of one run, released on drop.
#[derive(Debug)]
pub(super) struct Reservation<'a> {
    budget: &'a Budget,
    bytes: u64,
}

impl Budget {
    pub(super) fn new(most: u64) -> Self {
        Self {
            most,
            held: Mutex::default(),
            freed: Condvar::new(),
        }
    }

    /// Waits until there is room for a run with `bytes` of files.
    pub(super) fn take(&self, bytes: u64) -> Reservation<'_> {
        let bytes = bytes.min(self.most);
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let mut held = self
            .freed
            .wait_while(held, |held| *held + bytes > self.most)
            .unwrap_or_else(PoisonError::into_inner);
        *held += bytes;
        Reservation {
            budget: self,
            bytes,
        }
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        *self
            .budget
            .held
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
    fn large_runs_are_never_held_at_the_same_time_and_every_run_gets_its_turn() {
        const MOST: u64 = 256;
        let budget = Budget::new(MOST);
        let (now, most) = (AtomicU64::new(0), AtomicU64::new(0));
        thread::scope(|scope| {
            for bytes in [MOST / 2, MOST * 3, MOST / 2, 0, MOST, MOST / 3, 1, MOST - 1] {
                let (budget, now, most) = (&budget, &now, &most);
                scope.spawn(move || {
                    let share = budget.take(bytes);
                    let held = now.fetch_add(share.bytes, Ordering::SeqCst) + share.bytes;
                    most.fetch_max(held, Ordering::SeqCst);
                    thread::yield_now();
                    now.fetch_sub(share.bytes, Ordering::SeqCst);
                });
            }
        });
        assert!(most.load(Ordering::SeqCst) <= MOST);
        assert_eq!(*budget.held.lock().expect("unpoisoned"), 0);
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
