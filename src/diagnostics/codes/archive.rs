//! Codes across runs.
use super::family;

family! { ALL:
    ARCHIVE_DUPLICATE_RUN_ID = "archive.duplicate-run-id" Error "two runs have the same id"
        why "An id names one run. One of the folders is a copy, or a recorder gave an id twice."
        bad "runs/a/run-record.json: {\"id\":\"4f1c\"}\nruns/b/run-record.json: {\"id\":\"4f1c\"}"
        good "runs/a/run-record.json: {\"id\":\"4f1c\"}\nruns/b/run-record.json: {\"id\":\"9b02\"}";
    ARCHIVE_SLUG_COLLISION = "archive.slug-collision" Note "two things would have the same address"
        why "Addresses of runs are made of case, harness, model and short id. The run that started first keeps the short form, the other takes its whole id. Cases, models and harnesses whose names differ only in punctuation are told apart by a short hash."
        bad "ids 4f1c2d3e-1111-… and 4f1c2d3e-2222-… of the same case, harness and model"
        good "ids 4f1c2d3e-1111-… and 9b02c4aa-2222-…";
}
