#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| runpress_fuzz::redactions::run(data));
