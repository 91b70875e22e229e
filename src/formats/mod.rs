//! The input formats as written: bytes in, typed values and problems out, no I/O.

pub(crate) mod decimal;
pub(crate) mod event_line;
pub mod events;
pub mod json;
pub(crate) mod jsonl;
pub mod page;
pub(crate) mod portable;
pub(crate) mod private;
pub mod raw;
pub mod reader;
pub(crate) mod reason;
pub mod redactions;
pub mod run_record;
pub mod sidecar;
mod tagged;
pub mod tape;
pub mod threads;
pub(crate) mod time;
pub mod trace;
pub mod transcript;
pub mod withdrawn;
pub mod writeup;
