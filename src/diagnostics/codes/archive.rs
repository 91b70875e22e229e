//! Codes across runs.

family! { ALL:
    ARCHIVE_DUPLICATE_RUN_ID = "archive.duplicate-run-id" Error "two runs have the same id"
        why "Run ids are unique. One of the folders is a copy, or the recorder used the same id twice."
        bad "runs/a/run-record.json: {\"id\":\"4f1c\"}\nruns/b/run-record.json: {\"id\":\"4f1c\"}"
        good "runs/a/run-record.json: {\"id\":\"4f1c\"}\nruns/b/run-record.json: {\"id\":\"9b02\"}";
    ARCHIVE_SLUG_COLLISION = "archive.slug-collision" Note "two pages would have the same address"
        why "The address of a run consists of its case, harness, model and short id. The run that started first keeps the short form; the other uses its full id. Cases, models and harnesses whose names differ only in punctuation get a short hash."
        bad "ids 4f1c2d3e-1111-… and 4f1c2d3e-2222-… of the same case, harness and model"
        good "ids 4f1c2d3e-1111-… and 9b02c4aa-2222-…";
}
