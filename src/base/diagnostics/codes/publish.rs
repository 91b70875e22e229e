//! Codes of writing the site.

family! { ALL:
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
}
