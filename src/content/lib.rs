//! Finds run directories, reads and checks their files, and combines all data of a run.

pub mod discover;
pub mod inspect;
pub mod load;
mod names;
pub mod rules;
