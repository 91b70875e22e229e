//! The rules: one file per input, one code per rule.

pub(crate) mod archive;
pub(crate) mod evidence;
pub(crate) mod implementation;
pub(crate) mod keys;
pub(crate) mod links;
pub mod markdown;
pub(crate) mod pages;
mod phrases;
pub mod record;
pub mod review;
pub mod sidecar;
pub mod tape;
pub mod threads;
pub mod trace;
pub(crate) mod transcript;
pub mod withdrawn;
