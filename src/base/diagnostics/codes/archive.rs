//! Codes across runs.

family! { ALL:
    ARCHIVE_DUPLICATE_RUN_ID = "archive.duplicate-run-id" Error "two runs have the same id"
        why "Run ids are unique. One of the folders is a copy, or the recorder used the same id twice."
        bad "runs/a/run-record.json: {\"id\":\"4f1c\"}\nruns/b/run-record.json: {\"id\":\"4f1c\"}"
        good "runs/a/run-record.json: {\"id\":\"4f1c\"}\nruns/b/run-record.json: {\"id\":\"9b02\"}";
    ARCHIVE_SLUG_COLLISION = "archive.slug-collision" Note "two pages would have the same address"
        why "The address of a run consists of its case, harness, model and a short form of its id. A published address stays with its run, also after the run was withdrawn, so a new run with the same short form gets its full id or a digest. Of two new runs, the one that started first gets the short form. Cases, models and harnesses whose names differ only in punctuation get a short hash."
        bad "ids 4f1c2d3e-1111-… and 4f1c2d3e-2222-… of the same case, harness and model"
        good "ids 4f1c2d3e-1111-… and 9b02c4aa-2222-…";
}
