//! Codes of Harn transcripts.

family! { ALL:
    TRANSCRIPT_SYNTAX = "transcript.syntax" Error "the transcript is not valid JSON"
        why "`transcript.json` is one JSON document in UTF-8. Messages about a transcript never quote it, because parts of it are private."
        bad "{\"_type\": \"transcript\", \"messages\": ["
        good "{\"_type\": \"transcript\", \"version\": 2, \"messages\": []}";
    TRANSCRIPT_WRONG_DOCUMENT = "transcript.wrong-document" Error "the file is not a Harn transcript"
        why "A transcript is recognized by `_type`; any other file of this name might be published by mistake."
        bad "{\"_type\": \"run_record\"}"
        good "{\"_type\": \"transcript\", \"version\": 2, \"messages\": []}";
    TRANSCRIPT_OTHER_VERSION = "transcript.other-version" Warning "unsupported version of the transcript"
        why "Only version 2 is supported. The same keys may have another meaning in other versions; everything not clearly public is withheld."
        bad "{\"_type\": \"transcript\", \"version\": 3}"
        good "{\"_type\": \"transcript\", \"version\": 2}";
    TRANSCRIPT_WRONG_TYPE = "transcript.wrong-type" Error "a value of the transcript has the wrong JSON type"
        why "`messages` and `assets` are arrays, `id` and `state` strings. Absent arrays are empty."
        bad "{\"_type\": \"transcript\", \"messages\": {}}"
        good "{\"_type\": \"transcript\", \"messages\": []}";
    TRANSCRIPT_DUPLICATE_KEY = "transcript.duplicate-key" Warning "duplicate key in an object"
        why "JSON readers disagree on which of the two to keep; runpress keeps the last, as most do."
        bad "{\"_type\": \"transcript\", \"id\": \"a\", \"id\": \"b\"}"
        good "{\"_type\": \"transcript\", \"id\": \"b\"}";
    TRANSCRIPT_MISSING_ASSET = "transcript.missing-asset" Warning "a public asset of the transcript is missing"
        why "A public asset names a file that does not exist in the run directory, or a public block names an asset that is not in `assets`. The conversation shows its name only."
        bad "{\"assets\": [{\"id\": \"a\", \"visibility\": \"public\", \"storage\": {\"path\": \"assets/gone.png\"}}]}"
        good "{\"assets\": [{\"id\": \"a\", \"visibility\": \"public\", \"storage\": {\"path\": \"assets/shot.png\"}}]}";
    TRANSCRIPT_ASSET_OUTSIDE = "transcript.asset-outside" Error "an asset of the transcript has a forbidden path"
        why "`storage.path` is relative to the run directory. A path with `..`, an absolute path or a link out of the folder could publish any file of the build machine. Hidden files such as `.env`, files of other runs, and files with another role in the run, such as its record, cannot be assets."
        bad "{\"storage\": {\"path\": \"../../secrets.txt\"}}"
        good "{\"storage\": {\"path\": \"assets/shot.png\"}}";
    TRANSCRIPT_ASSET_WITHHELD = "transcript.asset-withheld" Note "a public asset of the transcript is not published"
        why "A public asset is published when it names a file, or when its `data` is a string. Other `data` could contain anything, and an asset that is itself a transcript contains more than its public part."
        bad "{\"assets\": [{\"id\": \"a\", \"visibility\": \"public\", \"data\": {\"rows\": []}}]}"
        good "{\"assets\": [{\"id\": \"a\", \"visibility\": \"public\", \"mime_type\": \"text/csv\", \"data\": \"a,b\"}]}";
    TRANSCRIPT_EVENT_DISAGREES = "transcript.event-disagrees" Note "an event of the transcript contradicts its turns"
        why "Harn derives an event of kind `message` or `tool_result` from each message. The page shows the messages, so an event with another text or role, or without a message, is not on the page. White space does not count."
        bad "{\"messages\": [{\"role\": \"user\", \"content\": \"a\"}], \"events\": [{\"kind\": \"message\", \"role\": \"user\", \"text\": \"b\"}]}"
        good "{\"messages\": [{\"role\": \"user\", \"content\": \"a\"}], \"events\": [{\"kind\": \"message\", \"role\": \"user\", \"text\": \"a\"}]}";
    TRANSCRIPT_INLINE_CONTENT = "transcript.inline-content" Note "a public block contains its file as base64"
        why "Base64 in a block is not published; the conversation shows the label of the block. A file of the run directory, described in `assets` and named by `asset_id`, is published, and keeps the transcript small."
        bad "{\"type\": \"image\", \"media_type\": \"image/png\", \"base64\": \"iVBORw0KGgo=\"}"
        good "{\"type\": \"image\", \"asset_id\": \"shot\"}";
    TRANSCRIPT_UNPORTABLE_VALUE = "transcript.unportable-value" Warning "some JSON readers refuse a value of the transcript"
        why "JSON allows half of a surrogate pair, numbers of any size and any nesting; many readers do not. The format allows such a value, so the run is published, and its feeds contain U+FFFD instead of half a pair, null instead of a number beyond 64-bit floats, and an empty object or array below 96 levels."
        bad "{\"type\": \"text\", \"text\": \"\\ud83d\"}"
        good "{\"type\": \"text\", \"text\": \"\\ud83d\\ude00\"}";
}
