//! Trajectories of SWE-agent.

/// Reads `bytes` as such a log.
pub fn run(bytes: &[u8]) {
    super::import::check("swe-agent", "run.traj", bytes);
}
