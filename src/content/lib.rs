//! What is read: finds run folders, reads their files, checks what was parsed, and puts together all that is known of a run.

pub mod discover;
pub mod inspect;
pub mod load;
pub mod rules;
