//! Codes of writing the site.
use super::family;

family! { ALL:
    PUBLISH_FOREIGN_FOLDER = "publish.foreign-folder" Error "the output folder holds something else"
        why "A build replaces the whole output folder. It only replaces a folder that runpress wrote (it leaves a marker file in it), an empty one, or none. A folder that runpress wrote is still refused if it contains a repository (such as `.git`) at any depth, or a `CNAME` that differs from what came from `static/`. So is a link with the name of the staging folder beside it."
        bad "runpress build --out ~/Documents"
        good "runpress build --out public";
    PUBLISH_INSIDE_CONTENT = "publish.inside-content" Error "the output folder overlaps with the input"
        why "The output would be read as content by the next build, or the swap would take the content with it."
        bad "runpress build --out content/public"
        good "runpress build --out public";
    PUBLISH_LOCKED = "publish.locked" Error "another build writes to the same output folder"
        why "Two builds into one folder would undo each other's work. Wait for the other to end."
        bad "runpress build & runpress build"
        good "runpress build";
    PUBLISH_IO = "publish.io" Error "the site could not be written"
        why "The system refused a write: the disk is full, or the permissions are wrong. The site that was there is untouched."
        bad "no space left on device"
        good "enough space for the new site beside the old one";
    PUBLISH_PAGE_TOO_LARGE = "publish.page-too-large" Error "a page of a run is larger than the limit"
        why "Browsers struggle with such a page, and one run must not fill the memory of the build. Long texts are already cut, so the page has very many parts, such as thousands of annotations of one event. Lower `page_size` in `[timeline]` or `inline` in `[limits]`, or raise `page` in `[limits]`."
        bad "an event with 5,000 long annotations"
        good "[timeline]\npage_size = 100";
    PUBLISH_RUN_TOO_LARGE = "publish.run-too-large" Error "the pages and files of a run are larger than the limit"
        why "One run must not fill the disk of the site. Its event log, tapes and sidecars are published byte for byte, and so are the public assets of its transcript and its `implementation/`, where the site publishes those. Leave out what is not meant to be published, or raise `run` in `[limits]`."
        bad "public assets of 5 GiB with the default limit"
        good "[limits]\nrun = \"8 GiB\"";
    PUBLISH_DUPLICATE_PATH = "publish.duplicate-path" Error "two things would be written to one file"
        why "A file in `static/` has the address of a page or feed that runpress makes. Rename it."
        bad "static/index.html"
        good "static/welcome.html";
}
