//! Codes of the site: what it publishes, and how it is built.

codes! {
    // Codes of the working tree that a run produced, where the site publishes it.
    IMPLEMENTATION_LEFT_OUT = "implementation.left-out" Note "part of `implementation/` is not published"
        why "With `publish_implementation = true`, the files that the agent left are published as one archive. The archive excludes files and folders whose names begin with a dot, such as `.git` and `.env`; links, which could lead out of the folder; names that are not UTF-8 or contain a backslash or a control character; and anything that is not a regular file. An excluded folder counts as one. The run page lists the same counts."
        bad "implementation/.env\nimplementation/data -> /srv/data"
        good "implementation/src/main.ts\nimplementation/data/levels.json";
    IMPLEMENTATION_TOO_LARGE = "implementation.too-large" Warning "`implementation/` exceeds the size limit"
        why "The limit `file` in `[limits]` also applies to the total size of `implementation/`. The run is published without the archive. Often most of the size is reproducible: installed packages, caches and builds."
        bad "implementation/node_modules/   (2 GiB, with the default limit of 1 GiB)"
        good "implementation/package.json\nimplementation/package-lock.json";

    // Codes of redactions.jsonl.
    REDACTION_INVALID_LINE = "redaction.invalid-line" Error "a line of redactions.jsonl cannot be read"
        why "Each line of `redactions.jsonl` withholds one span, or one whole file, of the run. A line that is not understood would withhold nothing, so the run is not published. `runpress redact` writes valid lines; `runpress schema redactions` prints their schema."
        bad "{\"id\":\"r1\",\"file\":\"events.jsonl\",\"reason\":\"secret\"}"
        good "{\"id\":\"r1\",\"file\":\"events.jsonl\",\"event\":41,\"pointer\":\"/command\",\"start\":17,\"end\":65,\"length\":48,\"reason\":\"secret\"}";
    REDACTION_DUPLICATE_ID = "redaction.duplicate-id" Error "duplicate redaction id"
        why "The id of a redaction is unique in its file: `--undo` and `reveal-proof` name a redaction by it, and its commitment is made with it."
        bad "{\"id\":\"r1\",…}\n{\"id\":\"r1\",…}"
        good "{\"id\":\"r1\",…}\n{\"id\":\"r2\",…}";
    REDACTION_UNKNOWN_FILE = "redaction.unknown-file" Error "a redaction names a file that is not in the run"
        why "`file` is the path of a file from the run directory. A redaction of a file that does not exist withholds nothing: the file was probably renamed, and is published under its new name."
        bad "{\"id\":\"r1\",\"file\":\"event.jsonl\",…}"
        good "{\"id\":\"r1\",\"file\":\"events.jsonl\",…}";
    REDACTION_STALE = "redaction.stale" Error "a redaction no longer matches its file"
        why "The span, its length, the text around it or its commitment does not match the recorded file: the file changed after the redaction was written. Nothing of the run is published, since the text to withhold may now be elsewhere. Remove the redaction with `runpress redact RUN --undo ID`, then withhold the text again."
        bad "{\"id\":\"r1\",\"file\":\"writeup.md\",\"start\":17,\"end\":65,\"length\":48,…}   (writeup.md has 40 bytes)"
        good "{\"id\":\"r1\",\"file\":\"writeup.md\",\"start\":5,\"end\":30,\"length\":25,…}";
    REDACTION_OVERLAP = "redaction.overlap" Error "two redactions overlap"
        why "Each byte is withheld by one redaction, so that every marker has one reason and one length. Remove one of the two with `runpress redact RUN --undo ID`."
        bad "{\"id\":\"r1\",…,\"start\":0,\"end\":20,…}\n{\"id\":\"r2\",…,\"start\":10,\"end\":30,…}"
        good "{\"id\":\"r1\",…,\"start\":0,\"end\":30,…}";
    REDACTION_REMAINS = "redaction.remains" Error "a withheld value occurs elsewhere in the run"
        why "A value that is withheld as a secret is still in another file, event or key that would be published, as it is or escaped. `runpress redact` withholds every occurrence; this one was added later, or the redaction was written by hand. Values under 8 bytes are not searched for."
        bad "{\"id\":\"r1\",\"file\":\"events.jsonl\",\"event\":41,…}   (event 52 has the same key)"
        good "{\"id\":\"r1\",\"file\":\"events.jsonl\",\"event\":41,…}\n{\"id\":\"r2\",\"file\":\"events.jsonl\",\"event\":52,…}";
    REDACTION_INVALID_KEY = "redaction.invalid-key" Error "redaction.key is not a key"
        why "`redaction.key` beside site.toml holds the 32 random bytes, as 64 hexadecimal digits, with which the commitments of all redactions are made. `runpress redact` creates it. It is never published and belongs into no repository; keep a copy where you keep other keys. On machines without the file, such as those of CI jobs, commitments are not compared."
        bad "redaction.key: ********"
        good "redaction.key: the 64 hexadecimal digits of your backup";
    REDACTION_PUBLISHED_KEY = "redaction.published-key" Error "redaction.key is among the files that are published"
        why "With the key of the redactions, anyone can test guesses of every short text that is withheld. It belongs beside site.toml, from where nothing is published, and into no repository."
        bad "static/redaction.key"
        good "redaction.key";

    // Codes of the site's own pages.
    PAGE_NOT_UTF8 = "page.not-utf8" Error "a page is not UTF-8"
        why "The first invalid byte is marked."
        bad "caf\\xe9   (one Latin-1 byte)"
        good "café";
    PAGE_TOO_LARGE = "page.too-large" Error "a page is larger than the limit"
        why "Pages are read into memory. Raise `writeup` in `[limits]` if the page is meant to be this large."
        bad "a page of 300 KiB with the default limit"
        good "[limits]\nwriteup = \"512 KiB\"";
    PAGE_FRONT_MATTER = "page.front-matter" Error "invalid front matter"
        why "Front matter is TOML between two `+++` lines, with the keys `title`, `description`, `order` and `draft`."
        bad "+++\ntitel = \"Guide\"\n+++"
        good "+++\ntitle = \"Guide\"\n+++";
    PAGE_RESERVED_NAME = "page.reserved-name" Error "a page uses a reserved name"
        why "The page would replace a page that runpress generates. Rename the file."
        bad "content/pages/runs.md"
        good "content/pages/about-the-runs.md";
    PAGE_DUPLICATE = "page.duplicate" Error "two pages have the same address"
        why "Addresses are the file names in lower case, with hyphens for other characters. Two content roots may also contain the same name."
        bad "content/pages/Guide.md\ncontent/pages/guide.md"
        good "content/pages/guide.md\ncontent/pages/guide-2.md";
    PAGE_UNMATCHED = "page.unmatched" Warning "an introduction without runs"
        why "A file in `cases/`, `models/` or `harnesses/` is shown on the page of that name. No run has this case, model or harness, so there is no such page; the name may be misspelled."
        bad "content/cases/pnog.md   (the case is `pong`)"
        good "content/cases/pong.md";
    PAGE_DEAD_LINK = "page.dead-link" Warning "dead link in a page of the site"
        why "Relative links are resolved from the page they are on: `content/pages/guide.md` becomes `guide/index.html`, the home page `index.html`. The link matches no page of this site and no file of `static/`, or points outside the site. A link to a section names its heading: `#first-steps`. It is published as written."
        bad "[the guide](../giude/index.html)"
        good "[the guide](../guide/index.html)";

    // Codes across runs.
    ARCHIVE_DUPLICATE_RUN_ID = "archive.duplicate-run-id" Error "two runs have the same id"
        why "Run ids are unique. One of the folders is a copy, or the recorder used the same id twice."
        bad "runs/a/run-record.json: {\"id\":\"4f1c\"}\nruns/b/run-record.json: {\"id\":\"4f1c\"}"
        good "runs/a/run-record.json: {\"id\":\"4f1c\"}\nruns/b/run-record.json: {\"id\":\"9b02\"}";
    ARCHIVE_SLUG_COLLISION = "archive.slug-collision" Note "two pages would have the same address"
        why "The address of a run consists of its case, harness, model and a short form of its id. A published address stays with its run, also after the run was withdrawn, so a new run with the same short form gets its full id or a digest. Of two new runs, the one that started first gets the short form. Cases, models and harnesses whose names differ only in punctuation get a short hash."
        bad "ids 4f1c2d3e-1111-… and 4f1c2d3e-2222-… of the same case, harness and model"
        good "ids 4f1c2d3e-1111-… and 9b02c4aa-2222-…";

    // Codes of the ledger of earlier builds, and of withdrawn runs.
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

    // Codes of decisions.jsonl.
    DECISIONS_INVALID_LINE = "decisions.invalid-line" Error "a decision cannot be read"
        why "Each line of `decisions.jsonl` in a content root is one decision about a run: `date`, `author` with `id` and `kind`, `run`, `decision`, `reason`, and where they apply `rule`, `event` and `outcome`. A line that is not understood would decide nothing, so the site is not built."
        bad "{\"date\":\"2026-03-01\",\"run\":\"4f1c2d3e\",\"decision\":\"voided\"}"
        good "{\"date\":\"2026-03-01\",\"author\":{\"id\":\"mk\",\"kind\":\"human\"},\"run\":\"4f1c2d3e\",\"decision\":\"void\",\"reason\":\"The network was down.\"}";
    DECISIONS_ORDER = "decisions.order" Error "decisions are not in order of their dates"
        why "Decisions about a run apply one after the other: a `restore` takes back the exclusion above it, and a `rescore` begins with the value so far. So lines are in the order in which they were decided."
        bad "{\"date\":\"2026-03-02\",…}\n{\"date\":\"2026-03-01\",…}"
        good "{\"date\":\"2026-03-01\",…}\n{\"date\":\"2026-03-02\",…}";
    DECISIONS_UNKNOWN_RUN = "decisions.unknown-run" Error "a decision is about a run that does not exist"
        why "`run` is the id of a run of the site, or of one that an earlier build published or `withdrawn.toml` names. A decision about no run would change nothing."
        bad "{\"run\":\"4f1c2d3f\",…}   (the run is 4f1c2d3e)"
        good "{\"run\":\"4f1c2d3e\",…}";
    DECISIONS_UNKNOWN_RULE = "decisions.unknown-rule" Error "a decision names a rule that the site does not have"
        why "`rule` is the id of a rule in `rules/`, or of a built-in one that is switched on, so that readers can follow it."
        bad "{\"rule\":\"no-netwrok\",…}"
        good "{\"rule\":\"no-network\",…}";
    DECISIONS_UNKNOWN_EVENT = "decisions.unknown-event" Error "a decision names an event that does not exist"
        why "`event` is the number of an event of the run's first tape, as its page shows it."
        bad "{\"event\":410,…}   (the run has 42 events)"
        good "{\"event\":41,…}";
    DECISIONS_WRONG_VALUE = "decisions.wrong-value" Error "a corrected outcome never had the value that the decision corrects"
        why "`from` repeats the recorded value of the outcome, or the value of the last `rescore` of it, so that no correction is of another run or of a record that changed."
        bad "{\"outcome\":{\"name\":\"reward\",\"from\":0,\"to\":1},…}   (the record says 0.5)"
        good "{\"outcome\":{\"name\":\"reward\",\"from\":0.5,\"to\":1},…}";
    DECISIONS_NO_EFFECT = "decisions.no-effect" Error "a decision takes back what was never decided"
        why "`restore` takes back a `void` or `disqualify` of the same run that is in a line above it. Without one, it restores nothing."
        bad "{\"run\":\"4f1c2d3e\",\"decision\":\"restore\",…}"
        good "{\"run\":\"4f1c2d3e\",\"decision\":\"void\",…}\n{\"run\":\"4f1c2d3e\",\"decision\":\"restore\",…}";
    DECISIONS_REPEATED = "decisions.repeated" Warning "a decision says what is so already"
        why "The lines above it have the same result: the run is void or disqualified already, it was included last, or the outcome has this value. The line changes nothing, and readers wonder what it is about. It may be a copy, or name the wrong run."
        bad "{\"run\":\"4f1c2d3e\",\"decision\":\"void\",…}\n{\"run\":\"4f1c2d3e\",\"decision\":\"void\",…}"
        good "{\"run\":\"4f1c2d3e\",\"decision\":\"void\",…}";

    // Codes of the rules of a site.
    RULES_INVALID = "rules.invalid" Error "a file of rules cannot be used"
        why "A file in `rules/` has tables `[[rule]]`, each with an `id`, a `title` and one of `find` with `expect`, `require`, and `trials`. `use` switches on built-in rules by their ids. The message says what is wrong here."
        bad "[[rule]]\nid = \"no-network\"\ntitle = \"No network\"\nfind = \"event.tool == 'fetch'\""
        good "[[rule]]\nid = \"no-network\"\ntitle = \"No network\"\nfind = \"event.tool == 'fetch'\"\nexpect = \"none\"";
    RULES_EXPRESSION = "rules.expression" Error "an expression of a rule cannot be used"
        why "Expressions are written in CEL. They are checked before any run is read: they must parse, name only variables and fields that exist, and compare values of fitting types. The page about rules lists all of them."
        bad "find = \"event.exitcode != 0\""
        good "find = \"event.exit_code != 0\"";
    RULES_VIOLATED = "rules.violated" Error "a run violates a rule of the site"
        why "The rule is in `rules/`. Its severity decides what a violation does: `error` stops the build or quarantines the run, `flag` marks the run on its page, and `note` only says so; the last two are notes here. The place is that of the event, or of the record if the rule is about the whole run."
        bad "rules/tests.toml: find = \"event.path.startsWith('tests/')\", expect = \"none\"\nevents.jsonl: {\"type\":\"write\",\"path\":\"tests/a.py\"}"
        good "rules/tests.toml: find = \"event.path.startsWith('tests/')\", expect = \"none\"\nevents.jsonl: {\"type\":\"write\",\"path\":\"src/a.py\"}";
    RULES_UNKNOWN = "rules.unknown" Warning "it is not known whether a run keeps a rule"
        why "A value that the rule reads was not recorded, so the rule neither holds nor is violated. The message names the value. It is a warning for rules of severity `error`, and a note for others. Record the value, write `has(...)` where the rule can do without it, or leave the run out with `applies`."
        bad "require = \"run.cost < 1.0\"    # of a run without a cost"
        good "require = \"!has(run.cost) || run.cost < 1.0\"";
    RULES_CITATION = "rules.citation" Error "a writeup cites a rule that does not say so"
        why "`[words](rule:ID)` in a writeup says that the run keeps the rule, `rule:!ID` that it violates it; the link leads to what the rule found. A rule that says the opposite, or that does not apply to the run, is an error. It is a warning where it is not known whether the run keeps the rule."
        bad "[The tests never ran again](rule:tests-last)   (the run violates tests-last)"
        good "[The tests ran again](rule:!tests-last)";
    RULES_MISSING_TRIALS = "rules.missing-trials" Error "there are fewer runs than a rule asks for"
        why "A rule with `trials` asks for so many runs of each combination of case, variant, model and harness that the site has. A run counts if its folder has the files in `files`."
        bad "trials = 3    # and one run of the case by a model"
        good "trials = 3    # and three runs of the case by the model";
    RULES_UNKNOWN_FILE = "rules.unknown-file" Warning "a rule with `trials` asks for a file that no run has"
        why "A run counts for a rule with `trials` only if its folder has the files in `files`. No run of the site has a file of this name, so none counts; the name may be misspelled. Only files that runpress reads count, which the guide lists, since readers of the site could not check others."
        bad "trials = 3\nfiles = [\"event.jsonl\"]"
        good "trials = 3\nfiles = [\"events.jsonl\"]";

    // Codes of templates and static files.
    TEMPLATE_INVALID = "template.invalid" Error "a template cannot be read"
        why "Templates in `templates/` replace built-in templates of the same name. This one has a syntax error, or uses a template, component or filter that does not exist."
        bad "{% if run.title %}"
        good "{% if run.title %}{{ run.title }}{% endif %}";
    TEMPLATE_RENDER = "template.render" Error "a template cannot be rendered"
        why "The template uses a field that its page does not have. The message lists the available fields."
        bad "{{ run.titel }}"
        good "{{ run.title }}";
    TEMPLATE_MISSING_SLOT = "template.missing-slot" Error "the shell is missing a slot"
        why "`shell.html` is the frame of every page. It must print `{{ head }}` inside `<head>` and `{{ main }}` in the body, each once; the page is inserted after the frame is minified."
        bad "<body></body>"
        good "<body>{{ main }}</body>";
    TEMPLATE_UNREADABLE = "template.unreadable" Error "a template or static file cannot be read"
        why "A file in `templates/` or `static/` cannot be read, or a template is not UTF-8."
        bad "templates/run.html without read permission"
        good "templates/run.html, readable, UTF-8";

    // Codes of writing the site.
    PUBLISH_FOREIGN_FOLDER = "publish.foreign-folder" Error "the output folder contains other files"
        why "A build replaces the whole output folder. It only replaces an empty folder, or one with the marker file that runpress leaves. Even that one is refused if it contains a repository (such as `.git`) at any depth, or a `CNAME` that did not come from `static/`. A link in place of the staging folder beside it is refused, too."
        bad "runpress build --out ~/Documents"
        good "runpress build --out public";
    PUBLISH_INSIDE_CONTENT = "publish.inside-content" Error "the output folder overlaps with the input"
        why "The next build would read the output as content, or replacing the output folder would delete the content."
        bad "runpress build --out content/public"
        good "runpress build --out public";
    PUBLISH_LOCKED = "publish.locked" Error "another build is writing to the same output folder"
        why "Two builds would overwrite each other's files. Wait until the other build ends."
        bad "runpress build & runpress build"
        good "runpress build";
    PUBLISH_IO = "publish.io" Error "the output could not be written"
        why "The operating system refused a write: the disk is full, or the permissions are wrong. The previous output is unchanged."
        bad "no space left on device"
        good "enough space for the new site beside the old one";
    PUBLISH_PAGE_TOO_LARGE = "publish.page-too-large" Error "a page of a run is larger than the limit"
        why "Browsers struggle with such a page, and one run must not exhaust the memory of the build. Long texts are already truncated, so the page has very many parts, such as thousands of annotations of one event. Lower `page_size` in `[timeline]` or `inline` in `[limits]`, or raise `page` in `[limits]`."
        bad "an event with 5,000 long annotations"
        good "[timeline]\npage_size = 100";
    PUBLISH_RUN_TOO_LARGE = "publish.run-too-large" Error "the pages and files of a run are larger than the limit"
        why "One run must not fill the disk. Its event log, tapes, sidecars and public assets are published byte for byte, and so is `implementation/` if the site publishes it. Remove files that should not be published, or raise `run` in `[limits]`."
        bad "public assets of 5 GiB with the default limit"
        good "[limits]\nrun = \"8 GiB\"";
    PUBLISH_DUPLICATE_PATH = "publish.duplicate-path" Error "two outputs have the same path"
        why "A file in `static/` has the path of a page or feed that runpress generates. Rename the file."
        bad "static/index.html"
        good "static/welcome.html";
    PUBLISH_OVER_BUDGET = "publish.over-budget" Error "the site is larger than its host or its budget allows"
        why "`[publish] host` in site.toml names where the site is published, and `[budget]` what it may take. A host that refuses a site does so at the end of the upload, so a build refuses it first, and leaves the previous site unchanged. Withdraw runs, publish fewer or smaller files (`downloads` in `[publish]`, `publish_implementation`, `cards`, `stories`), or raise the key in `[budget]` if your plan allows more."
        bad "[publish]\nhost = \"cloudflare-pages\"    # and a site of 20,001 files"
        good "[publish]\nhost = \"cloudflare-pages\"\n\n[budget]\nfiles = 100000    # a paid plan";
    PUBLISH_FLAT_FOLDERS = "publish.flat-folders" Warning "the folder of all runs may become too full for the host"
        why "A host limits the files and folders in one folder, and each run is a folder in `runs/`. Before the site is published for the first time, runs can be spread over 256 folders; later they cannot, because addresses do not change once they are published. The warning appears until then, if runs take more than half of the limit. If the archive does not grow, no action is needed."
        bad "[publish]\nhost = \"huggingface\"    # and 6,000 runs"
        good "[publish]\nhost = \"huggingface\"\nrun_folders = \"prefixed\"";

    // Codes of the shards of a site.
    SHARD_NEEDS_CONTENT = "shard.needs-content" Error "the content of a run of the shard is missing"
        why "`--records` gives a machine the records of all runs, so that it knows their order and addresses. The runs of its own shard are made from their content, which must be there. A run belongs to a shard by its id, so it stays in its shard when other runs come and go."
        bad "runpress build --shard 2/4 --records records    # and none of the run directories of shard 2"
        good "runpress build --shard 2/4 --records records    # with the run directories of shard 2 in content/";

    // Codes of merging parts.
    MERGE_NOT_A_PART = "merge.not-a-part" Error "a folder is not a part"
        why "`runpress merge` takes the folders that `runpress build --shard K/N --out` wrote. Each has a file `part.runpress` and the folders of its runs."
        bad "runpress merge parts"
        good "runpress merge parts/1 parts/2";
    MERGE_OVERLAP = "merge.overlap" Error "a part overlaps with the output folder"
        why "The merge replaces the whole output folder, and reads the parts while it does."
        bad "runpress merge public/parts/1 public/parts/2 --out public"
        good "runpress merge parts/1 parts/2 --out public";
    MERGE_OTHER_VERSION = "merge.other-version" Error "a part was built by a different program"
        why "A different version may write different pages. Use the same program, for the same platform, for all shards and the merge."
        bad "shards with runpress 0.1.0, and the merge with 0.2.0"
        good "the same binary or container image in all jobs";
    MERGE_OTHER_SETTINGS = "merge.other-settings" Error "a part was built with different settings"
        why "The pages of runs depend on site.toml, `templates/`, `static/`, the pages in the navigation, `--base-url` and `--keep-going`; whether commitments match depends on `redaction.key`. They must be the same for all shards and the merge."
        bad "runpress build --shard 1/2 --base-url https://a.example/ --out parts/1; runpress merge parts/1 parts/2"
        good "the same checkout and options in all jobs";
    MERGE_OTHER_RECORDS = "merge.other-records" Error "a part was built from different records"
        why "The page of a run names its neighbors and shows ranges over comparable runs, so every shard reads the records of all runs. They must be the same for all shards and the merge: at the same paths, with the same content."
        bad "a run that is added to the content between the shards and the merge"
        good "the same commit of the content in all jobs";
    MERGE_OTHER_COUNT = "merge.other-count" Error "parts were built with a different N"
        why "All parts of a site have the same N in `--shard K/N`."
        bad "runpress merge part-1-of-2 part-2-of-3"
        good "runpress merge part-1-of-2 part-2-of-2";
    MERGE_MISSING_PART = "merge.missing-part" Error "a part is missing"
        why "A merge takes all N parts at once, in any order."
        bad "runpress merge parts/1 parts/3    # of 3"
        good "runpress merge parts/1 parts/2 parts/3";
    MERGE_DUPLICATE_PART = "merge.duplicate-part" Error "two folders are the same part"
        why "A part was named twice, or a shard was built twice into two folders."
        bad "runpress merge parts/1 parts/1"
        good "runpress merge parts/1 parts/2";
    MERGE_DAMAGED_PART = "merge.damaged-part" Error "a part is damaged"
        why "A part lists its files with their sizes and digests. A file is missing, cut, changed or unreadable: a copy was stopped, or something edited the folder. The previous site is unchanged."
        bad "parts/1/runs/first/index.html    # edited by hand"
        good "a part as `runpress build --shard` wrote it";
    MERGE_FOREIGN_FILE = "merge.foreign-file" Error "a part contains something else"
        why "A part holds the folders of its runs, `part.runpress` and a marker file. A link, or a file or folder that the part does not list, is never published."
        bad "parts/1/notes.txt"
        good "parts/1/part.runpress, parts/1/runs/";
    MERGE_STALE_PART = "merge.stale-part" Error "the content changed after a part was built"
        why "The files of a run on this machine differ from those on the machine that built the part: a file was added, removed or changed. Files that look different are compared by their digests; files that runpress does not read may change. The merged site would differ from one build of this content."
        bad "an annotation that is added between the shards and the merge"
        good "the same commit of the content in all jobs";
    MERGE_NEEDS_CONTENT = "merge.needs-content" Error "a merge needs the content of a run"
        why "Shards make pages as if all valid records were published. When runs turn out to have errors and are quarantined, the pages of other runs of their cases change: they name other neighbors and show other ranges. The merge makes those pages again, from the same content as the shard."
        bad "runpress merge parts/* --records records --keep-going    # with a quarantined run"
        good "runpress merge parts/* --keep-going    # where the content is";
}
