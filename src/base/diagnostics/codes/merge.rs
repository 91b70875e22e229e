//! Codes of merging parts.

family! { ALL:
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
