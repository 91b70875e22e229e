//! The scan for secrets: what it finds, what it leaves alone, and that no report or page repeats what it found.

mod carriers;
mod keys;
mod precision;
mod recall;
#[cfg(unix)]
mod sentinel;

use runpress::api::secrets::{self, Finding, Settings};

/// What the scan finds in a file of a run.
fn scan(name: &str, bytes: &[u8]) -> Vec<Finding> {
    secrets::scan(name, bytes, &Settings::default())
}
