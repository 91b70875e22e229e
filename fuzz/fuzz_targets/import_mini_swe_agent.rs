#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| runpress_fuzz::import_mini_swe_agent::run(data));
