//! Codes of what an earlier build left, and of runs that were withdrawn.
use super::family;

family! { ALL:
    LEDGER_UNREADABLE = "ledger.unreadable" Error "the ledger of the site that is replaced cannot be read"
        why "`feeds/changes.json` of the previous site keeps what every build changed, and which runs were withdrawn. A build that went on without it would lose that, so nothing is published."
        bad "{\"schemaVersion\":1,\"builds\":[{\"build\":3,"
        good "{\"schemaVersion\":1,\"builds\":[],\"withdrawn\":[],\"runs\":[]}";
    LEDGER_NO_SITE = "ledger.no-site" Error "the previous site is not there"
        why "`--previous` names the folder of a site that an earlier build made, with its ledger `feeds/changes.json`. Going on without it would forget which runs were withdrawn. Without the option a build compares itself with the site in the output folder, and with nothing when there is none."
        bad "runpress build --previous published   (there is no folder `published`)"
        good "runpress build";
    WITHDRAWN_INVALID = "withdrawn.invalid" Error "the list of withdrawn runs cannot be read"
        why "`withdrawn.toml` in a content root holds a table `[[run]]` for each run that was withdrawn, with its `id` (or the slug of its address) and a `reason` in plain text."
        bad "[[run]]\nid = \"4f1c2d3e\"\nwhy = \"a wrong model\""
        good "[[run]]\nid = \"4f1c2d3e\"\nreason = \"It was started with a wrong model.\"";
    WITHDRAWN_STILL_PUBLISHED = "withdrawn.still-published" Warning "a run that is listed as withdrawn is published"
        why "A run is withdrawn by removing its folder; `withdrawn.toml` only says why. Either the folder was forgotten, or the entry was."
        bad "withdrawn.toml: id = \"4f1c2d3e\"\nruns/first/run-record.json: {\"id\":\"4f1c2d3e\"}"
        good "withdrawn.toml: id = \"4f1c2d3e\"   (the folder is gone)";
    WITHDRAWN_UNKNOWN_RUN = "withdrawn.unknown-run" Note "a run that is listed as withdrawn was never published"
        why "The page that says why a run was withdrawn stands at the address that the run had. No earlier build that the ledger knows of published this run."
        bad "withdrawn.toml: id = \"4f1c2d3f\"   (the run was 4f1c2d3e)"
        good "withdrawn.toml: id = \"4f1c2d3e\"";
}
