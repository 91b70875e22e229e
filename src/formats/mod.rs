//! Knows the input formats exactly as they are written: bytes in, typed values and problems out, no I/O.

pub mod events;
pub mod json;
pub mod jsonl;
pub mod page;
pub mod portable;
pub(crate) mod private;
pub mod raw;
pub mod reader;
pub mod reason;
pub mod run_record;
pub mod sidecar;
pub mod tape;
pub mod threads;
pub mod transcript;
pub mod withdrawn;
pub mod writeup;
