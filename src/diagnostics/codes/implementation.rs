//! Codes of the working tree that a run produced, where the site publishes it.
use super::family;

family! { ALL:
    IMPLEMENTATION_LEFT_OUT = "implementation.left-out" Note "something in `implementation/` is not published"
        why "With `publish_implementation = true`, the files that the agent left are published as one archive. Not in it are files and folders whose names begin with a dot, such as `.git` and `.env`; links, which could lead out of the folder; names that are not UTF-8, or hold a backslash or a control character; and what is no regular file. A folder that is left out counts as one, whatever it holds. The page of the run tells the same."
        bad "implementation/.env\nimplementation/data -> /srv/data"
        good "implementation/src/main.ts\nimplementation/data/levels.json";
    IMPLEMENTATION_TOO_LARGE = "implementation.too-large" Warning "the files in `implementation/` are too large together"
        why "The limit `file` in `[limits]` is for the whole of a working tree, too. The run is published without the archive of it. Often the greater part is what can be made again: installed packages, caches and builds."
        bad "implementation/node_modules/   (2 GiB, with the default limit of 1 GiB)"
        good "implementation/package.json\nimplementation/package-lock.json";
}
