//! Knows what must hold. One file per thing that is looked at; each rule reports by one code.

pub mod archive;
pub mod evidence;
pub mod implementation;
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
pub mod withdrawn;
