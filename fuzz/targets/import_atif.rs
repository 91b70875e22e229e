//! Trajectories of ATIF.

/// Reads `bytes` as such a log.
pub fn run(bytes: &[u8]) {
    super::import::check("atif", "trajectory.json", bytes);
}
