//! Codes of Harn transcripts.
use super::family;

family! { ALL:
    TRANSCRIPT_SYNTAX = "transcript.syntax" Error "the transcript is not valid JSON"
        why "`transcript.json` is one JSON document in UTF-8. No message about a transcript quotes what it holds: parts of it are private."
        bad "{\"_type\": \"transcript\", \"messages\": ["
        good "{\"_type\": \"transcript\", \"version\": 2, \"messages\": []}";
    TRANSCRIPT_WRONG_DOCUMENT = "transcript.wrong-document" Error "the file is not a Harn transcript"
        why "A transcript is recognized by `_type`; anything else under this name could be published by mistake."
        bad "{\"_type\": \"run_record\"}"
        good "{\"_type\": \"transcript\", \"version\": 2, \"messages\": []}";
    TRANSCRIPT_OTHER_VERSION = "transcript.other-version" Warning "the transcript is of another version"
        why "Version 2 is read. In another version a key may mean something else; what is not plainly public is withheld."
        bad "{\"_type\": \"transcript\", \"version\": 3}"
        good "{\"_type\": \"transcript\", \"version\": 2}";
    TRANSCRIPT_WRONG_TYPE = "transcript.wrong-type" Error "a part of the transcript is of the wrong JSON type"
        why "`messages` and `assets` are arrays, `id` and `state` strings. Absent arrays are empty."
        bad "{\"_type\": \"transcript\", \"messages\": {}}"
        good "{\"_type\": \"transcript\", \"messages\": []}";
    TRANSCRIPT_DUPLICATE_KEY = "transcript.duplicate-key" Warning "duplicate key in an object"
        why "JSON readers differ in which of the two they keep; runpress keeps the last, as most do."
        bad "{\"_type\": \"transcript\", \"id\": \"a\", \"id\": \"b\"}"
        good "{\"_type\": \"transcript\", \"id\": \"b\"}";
    TRANSCRIPT_MISSING_ASSET = "transcript.missing-asset" Warning "a public asset of the transcript is missing"
        why "A public asset or block names a file of the run directory that does not exist, or an asset that is not described. The conversation shows its name only."
        bad "{\"assets\": [{\"id\": \"a\", \"visibility\": \"public\", \"storage\": {\"path\": \"assets/gone.png\"}}]}"
        good "{\"assets\": [{\"id\": \"a\", \"visibility\": \"public\", \"storage\": {\"path\": \"assets/shot.png\"}}]}";
    TRANSCRIPT_ASSET_OUTSIDE = "transcript.asset-outside" Error "an asset of the transcript may not be published"
        why "`storage.path` is relative to the run directory. A path with `..`, an absolute path or a link out of the folder could publish any file of the machine that builds. Hidden files such as `.env`, files of another run and files that the run publishes under their own names, or not at all, are never assets."
        bad "{\"storage\": {\"path\": \"../../secrets.txt\"}}"
        good "{\"storage\": {\"path\": \"assets/shot.png\"}}";
    TRANSCRIPT_ASSET_WITHHELD = "transcript.asset-withheld" Note "a public asset of the transcript is not published"
        why "A public asset is published when it names a file, or when its `data` is a string. Other `data` could hold anything, and an asset that is a transcript itself holds more than its public part."
        bad "{\"assets\": [{\"id\": \"a\", \"visibility\": \"public\", \"data\": {\"rows\": []}}]}"
        good "{\"assets\": [{\"id\": \"a\", \"visibility\": \"public\", \"mime_type\": \"text/csv\", \"data\": \"a,b\"}]}";
    TRANSCRIPT_UNPORTABLE_VALUE = "transcript.unportable-value" Warning "some JSON readers refuse a value of the transcript"
        why "JSON allows half of a surrogate pair, numbers of any size and any nesting; many readers do not. The format allows such a value, so the run is published, and its feeds contain U+FFFD instead of half a pair, null instead of a number that no 64-bit float holds, and an empty object or array below 96 levels."
        bad "{\"type\": \"text\", \"text\": \"\\ud83d\"}"
        good "{\"type\": \"text\", \"text\": \"\\ud83d\\ude00\"}";
}
