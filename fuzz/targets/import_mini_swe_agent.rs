//! Trajectories of mini-swe-agent.

/// Reads `bytes` as such a log.
pub fn run(bytes: &[u8]) {
    super::import::check("mini-swe-agent", "run.traj.json", bytes);
}
