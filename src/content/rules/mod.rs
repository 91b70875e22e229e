//! The rules: one file per input, one code per rule.

pub mod archive;
pub mod audit;
pub mod decisions;
pub mod evidence;
pub mod expected;
pub mod keys;
pub mod links;
pub mod markdown;
pub mod pages;
mod phrases;
pub mod record;
pub mod review;
pub mod sidecar;
pub mod tape;
pub mod threads;
pub mod trace;
pub mod transcript;
pub mod withdrawn;
