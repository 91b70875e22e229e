#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| runpress_fuzz::import_openhands::run(data));
