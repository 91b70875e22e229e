//! Codes of site.toml.

family! { ALL:
    CONFIG_SYNTAX = "config.syntax" Error "invalid TOML in site.toml"
        why "The file cannot be parsed as TOML, so nothing can be built. The marked position is where the parser stopped; the mistake is there or just before."
        bad "[site\ntitle = \"Runs\""
        good "[site]\ntitle = \"Runs\"";
    CONFIG_UNKNOWN_KEY = "config.unknown-key" Error "unknown key in site.toml"
        why "An unknown key would be silently ignored, and a misspelled policy would have no effect. The message suggests the nearest known key."
        bad "[site]\ntitel = \"Runs\""
        good "[site]\ntitle = \"Runs\"";
    CONFIG_WRONG_TYPE = "config.wrong-type" Error "a value in site.toml has the wrong type"
        why "Each key takes one type: a string, a whole number, `true` or `false`, a list of strings, or a table."
        bad "[build]\nminify = \"yes\""
        good "[build]\nminify = true";
    CONFIG_INVALID_VALUE = "config.invalid-value" Error "a value in site.toml is not allowed"
        why "The type is right, but the value is not allowed: for example an unknown policy, a URL that is not http or https, a size of zero, or a host with a path."
        bad "[policy]\non_invalid = \"ignore\""
        good "[policy]\non_invalid = \"quarantine\"";
    CONFIG_NO_BASE_URL = "config.no-base-url" Note "no base URL is set"
        why "Without `base_url` the site works at any address, but feeds have no absolute URLs and pages have no canonical URL."
        bad "[site]\ntitle = \"Runs\""
        good "[site]\ntitle = \"Runs\"\nbase_url = \"https://example.org/runs/\"";
}
