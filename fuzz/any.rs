//! Runs the target that the variable `FUZZ_TARGET` names, so that a new target needs no binary of its own.

#![no_main]

use std::env;
use std::sync::LazyLock;

use runpress_fuzz::{Target, find};

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = env::var("FUZZ_TARGET").expect("set FUZZ_TARGET to the name of a fuzz target");
    find(&name).expect("FUZZ_TARGET names no fuzz target")
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| (TARGET.1)(data));
