//! The scan for secrets: what it finds, what it ignores, and that no report or page repeats a finding.

mod carriers;
mod keys;
mod precision;
mod recall;
#[cfg(unix)]
mod sentinel;

use runpress::api::secrets::{self, Finding, ScanSettings};

/// The findings in a file of a run.
fn scan(name: &str, bytes: &[u8]) -> Vec<Finding> {
    secrets::scan(name, bytes, &ScanSettings::default())
}

/// Made-up secrets in many kinds of files, for the fuzz target.
pub(crate) fn samples() -> Vec<(&'static str, String, Vec<u8>)> {
    let mut samples = Vec::new();
    for (index, family) in keys::families().iter().enumerate() {
        let (carrier, write) = carriers::ALL[index % carriers::ALL.len()];
        let mut numbers = keys::Numbers::of(family.name);
        let files = write(family, &family.secret(0), &mut numbers);
        samples.extend(files.into_iter().map(|(name, bytes)| {
            let shown = format!("{}/{carrier}/{name}", family.name);
            ("secrets", shown, bytes)
        }));
    }
    samples
}
