//! Codes of site.toml.
use super::family;

family! { ALL:
    CONFIG_SYNTAX = "config.syntax" Error "site.toml is not valid TOML"
        why "The file cannot be read as TOML, so nothing can be built. The place marked is where the parser gave up; the mistake is there or just before."
        bad "[site\ntitle = \"Runs\""
        good "[site]\ntitle = \"Runs\"";
    CONFIG_UNKNOWN_KEY = "config.unknown-key" Error "site.toml has a key that runpress does not know"
        why "A key that is not known would be ignored in silence, and a misspelt policy would not hold. The message names the nearest key that exists."
        bad "[site]\ntitel = \"Runs\""
        good "[site]\ntitle = \"Runs\"";
    CONFIG_WRONG_TYPE = "config.wrong-type" Error "a value in site.toml is of the wrong type"
        why "Every key takes one type: a string, a whole number, `true` or `false`, a list of strings, or a table."
        bad "[build]\nminify = \"yes\""
        good "[build]\nminify = true";
    CONFIG_INVALID_VALUE = "config.invalid-value" Error "a value in site.toml is not one of those allowed"
        why "The type is right, but the value is not: a policy that does not exist, a URL that is not http or https, a size of zero, a host with a path."
        bad "[policy]\non_invalid = \"ignore\""
        good "[policy]\non_invalid = \"quarantine\"";
    CONFIG_NO_BASE_URL = "config.no-base-url" Note "the site's address is not known"
        why "Without `base_url` the site works at any address, but feeds cannot name their items by absolute addresses, and pages have no canonical one."
        bad "[site]\ntitle = \"Runs\""
        good "[site]\ntitle = \"Runs\"\nbase_url = \"https://example.org/runs/\"";
}
