//! The output of adapters: every line is read or reported at its place, and the same lines give the same runs.

use runpress::api::import::{ImportOptions, adapter_runs};

use super::places;

/// Reads `bytes` as the output of a command.
pub fn run(bytes: &[u8]) {
    let mut lines = 0;
    let path = "log (output)";
    let (header, problems) = runpress::api::formats::adapter::read(path, bytes, |line, _| {
        assert!(line.number > lines, "lines are read in order");
        lines = line.number;
    });
    places::check(bytes, &problems);
    let read = || {
        let mut runs = Vec::new();
        let result = adapter_runs(
            "log",
            0,
            bytes,
            &ImportOptions::default(),
            &mut |_, draft| {
                super::import::lines(&draft);
                runs.push(format!("{draft:?}"));
            },
        );
        (runs, result)
    };
    let (runs, result) = read();
    let again = read();
    assert_eq!((&runs, &result), (&again.0, &again.1));
    if header.is_none() || !problems.is_empty() {
        assert!(
            result.is_err() && runs.is_empty(),
            "a fault stops the import"
        );
    }
}
