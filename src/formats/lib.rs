//! The input formats as written: bytes in, typed values and problems out, no I/O.

pub mod config;
pub mod decimal;
pub mod event_line;
pub mod events;
pub mod json;
pub mod jsonl;
pub mod model;
pub mod page;
pub mod portable;
pub mod private;
pub mod raw;
pub mod reader;
pub mod reason;
pub mod redactions;
pub mod run_record;
pub mod sidecar;
mod tagged;
pub mod tape;
pub mod threads;
pub mod time;
pub mod trace;
pub mod transcript;
pub mod withdrawn;
pub mod writeup;
