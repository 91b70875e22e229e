//! Tests of behaviour that src does not have yet. Not part of the suite: `mod pending;` in main.rs runs them.

use crate::publishing::{Moment, killed_builds, moments};

#[test]
fn a_build_killed_while_it_removes_the_old_site_does_not_block_the_next() {
    killed_builds(&[moments(), vec![Moment::Unmarked; 4]].concat(), false);
}
