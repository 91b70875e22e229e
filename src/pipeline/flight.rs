//! Knows how much of the input is held at once, and keeps what goes wrong in one run from ending the others.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, PoisonError};

use crate::diagnostics::{Diagnostic, Place, codes};
use crate::discover::RunDirectory;

/// Bytes of the files of all runs that are held at the same time. A run with more is alone.
const HELD: u64 = 256 << 20;

/// The runs that are in work, each with what it holds.
///
/// A run in work never waits for another one, so one that waits for room always gets it.
#[derive(Debug, Default)]
pub(super) struct Flight {
    held: Mutex<u64>,
    landed: Condvar,
}

/// A run in work.
#[derive(Debug)]
pub(super) struct Flying<'a> {
    flight: &'a Flight,
    bytes: u64,
}

impl Flight {
    /// Waits until there is room for a run with files of so many bytes.
    pub(super) fn begin(&self, bytes: u64) -> Flying<'_> {
        let bytes = bytes.min(HELD);
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let mut held = self
            .landed
            .wait_while(held, |held| *held + bytes > HELD)
            .unwrap_or_else(PoisonError::into_inner);
        *held += bytes;
        Flying {
            flight: self,
            bytes,
        }
    }
}

impl Drop for Flying<'_> {
    fn drop(&mut self) {
        *self
            .flight
            .held
            .lock()
            .unwrap_or_else(PoisonError::into_inner) -= self.bytes;
        self.flight.landed.notify_all();
    }
}

/// Does something with a run. A panic, which is always a fault of runpress, is an error of the run alone.
pub(super) fn guarded<T>(
    directory: &RunDirectory,
    work: impl FnOnce() -> T,
) -> Result<T, Diagnostic> {
    // What the work shares with other runs is behind locks that nobody holds while a run is looked at.
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
        let flight = Flight::default();
        let (now, most) = (AtomicU64::new(0), AtomicU64::new(0));
        thread::scope(|scope| {
            for bytes in [HELD / 2, HELD * 3, HELD / 2, 0, HELD, HELD / 3, 1, HELD - 1] {
                let (flight, now, most) = (&flight, &now, &most);
                scope.spawn(move || {
                    let flying = flight.begin(bytes);
                    let held = now.fetch_add(flying.bytes, Ordering::SeqCst) + flying.bytes;
                    most.fetch_max(held, Ordering::SeqCst);
                    thread::yield_now();
                    now.fetch_sub(flying.bytes, Ordering::SeqCst);
                });
            }
        });
        assert!(most.load(Ordering::SeqCst) <= HELD);
        assert_eq!(*flight.held.lock().expect("unpoisoned"), 0);
    }

    #[test]
    fn a_panic_in_a_run_is_an_error_of_that_run_alone() {
        let directory = RunDirectory {
            path: "content/runs/first".into(),
            root: "content".into(),
            shown: "content/runs/first".to_owned(),
        };
        assert_eq!(guarded(&directory, || 1).expect("no panic"), 1);
        let problem =
            guarded(&directory, || panic!("an index out of bounds")).expect_err("a panic");
        assert_eq!(problem.code.name, "content.internal-error");
        assert!(problem.is_error());
        assert_eq!(problem.place.path, "content/runs/first");
        assert!(
            !problem.message.contains("bounds"),
            "a panic may quote what was recorded"
        );
    }
}
