//! Any document in any equivalent spelling is read as intended.

mod events;
mod raw;
mod records;
mod sidecars;
mod tapes;
mod threads;
mod transcripts;
mod writeups;
