//! Codes of the working tree that a run produced, where the site publishes it.

family! { ALL:
    IMPLEMENTATION_LEFT_OUT = "implementation.left-out" Note "part of `implementation/` is not published"
        why "With `publish_implementation = true`, the files that the agent left are published as one archive. The archive excludes files and folders whose names begin with a dot, such as `.git` and `.env`; links, which could lead out of the folder; names that are not UTF-8 or contain a backslash or a control character; and anything that is not a regular file. An excluded folder counts as one. The run page lists the same counts."
        bad "implementation/.env\nimplementation/data -> /srv/data"
        good "implementation/src/main.ts\nimplementation/data/levels.json";
    IMPLEMENTATION_TOO_LARGE = "implementation.too-large" Warning "`implementation/` exceeds the size limit"
        why "The limit `file` in `[limits]` also applies to the total size of `implementation/`. The run is published without the archive. Often most of the size is reproducible: installed packages, caches and builds."
        bad "implementation/node_modules/   (2 GiB, with the default limit of 1 GiB)"
        good "implementation/package.json\nimplementation/package-lock.json";
}
