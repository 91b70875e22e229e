//! Codes of the ledger of earlier builds, and of withdrawn runs.

family! { ALL:
    LEDGER_UNREADABLE = "ledger.unreadable" Error "the ledger of the previous site cannot be read"
        why "`feeds/changes.json` of the previous site records what each build changed and which runs were withdrawn. Building without it would lose that history, so nothing is published."
        bad "{\"schemaVersion\":1,\"builds\":[{\"build\":3,"
        good "{\"schemaVersion\":1,\"builds\":[],\"withdrawn\":[],\"runs\":[]}";
    LEDGER_NO_SITE = "ledger.no-site" Error "the previous site does not exist"
        why "`--previous` names the folder of an earlier site, with its ledger `feeds/changes.json`. Building without it would forget which runs were withdrawn. Without the option, a build compares itself with the site in the output folder, if there is one."
        bad "runpress build --previous published   (there is no folder `published`)"
        good "runpress build";
    LEDGER_RUN_FOLDERS = "ledger.run-folders" Error "`run_folders` differs from that of the previous site"
        why "`run_folders` in `[publish]` decides the addresses of all runs: `runs/<slug>/` or `runs/<prefix>/<slug>/`. The first build records it in `feeds/changes.json`, and it stays, so that links to published runs keep working."
        bad "[publish]\nrun_folders = \"prefixed\"    # and the previous site was built without it"
        good "[publish]\nrun_folders = \"flat\"";
    WITHDRAWN_INVALID = "withdrawn.invalid" Error "the list of withdrawn runs cannot be read"
        why "`withdrawn.toml` in a content root has one `[[run]]` table per withdrawn run, with its `id` (or slug) and a `reason` in plain text."
        bad "[[run]]\nid = \"4f1c2d3e\"\nwhy = \"a wrong model\""
        good "[[run]]\nid = \"4f1c2d3e\"\nreason = \"It was started with a wrong model.\"";
    WITHDRAWN_STILL_PUBLISHED = "withdrawn.still-published" Warning "a withdrawn run is still published"
        why "A run is withdrawn by removing its folder; `withdrawn.toml` only gives the reason. Remove the folder, or remove the entry."
        bad "withdrawn.toml: id = \"4f1c2d3e\"\nruns/first/run-record.json: {\"id\":\"4f1c2d3e\"}"
        good "withdrawn.toml: id = \"4f1c2d3e\"   (the folder is gone)";
    WITHDRAWN_UNKNOWN_RUN = "withdrawn.unknown-run" Note "a withdrawn run was never published"
        why "The reason is shown at the former address of the run, but no build in the ledger has published this run."
        bad "withdrawn.toml: id = \"4f1c2d3f\"   (the run was 4f1c2d3e)"
        good "withdrawn.toml: id = \"4f1c2d3e\"";
}
