//! Whatever a document says, and in whichever way it is written, it is read back as it was meant.

mod events;
mod raw;
mod records;
mod sidecars;
mod tapes;
mod threads;
mod transcripts;
mod writeups;
