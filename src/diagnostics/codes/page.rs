//! Codes of the site's own prose.
use super::family;

family! { ALL:
    PAGE_NOT_UTF8 = "page.not-utf8" Error "a page is not UTF-8"
        why "The first byte that does not fit is marked."
        bad "caf\\xe9   (one Latin-1 byte)"
        good "café";
    PAGE_TOO_LARGE = "page.too-large" Error "a page is larger than the limit"
        why "The site's own prose is read whole. Raise `writeup` in `[limits]` if the page is right."
        bad "a page of 300 KiB with the default limit"
        good "[limits]\nwriteup = \"512 KiB\"";
    PAGE_FRONT_MATTER = "page.front-matter" Error "the front matter of a page has a problem"
        why "Front matter is TOML between two `+++` lines, with the keys `title`, `description`, `order` and `draft`."
        bad "+++\ntitel = \"Guide\"\n+++"
        good "+++\ntitle = \"Guide\"\n+++";
    PAGE_RESERVED_NAME = "page.reserved-name" Error "a page has a name that the site uses itself"
        why "The page would take the address of a page that runpress makes. Rename the file."
        bad "content/pages/runs.md"
        good "content/pages/about-the-runs.md";
    PAGE_DUPLICATE = "page.duplicate" Error "two pages have the same address"
        why "Addresses are the file names in lower case, with hyphens for other characters; two content roots may also hold the same name."
        bad "content/pages/Guide.md\ncontent/pages/guide.md"
        good "content/pages/guide.md\ncontent/pages/guide-2.md";
    PAGE_UNMATCHED = "page.unmatched" Warning "prose about something that no run has"
        why "Prose in `cases/`, `models/` and `harnesses/` stands at the top of the page of that name. No run has this case, model or harness, so there is no such page; the name may be misspelt."
        bad "content/cases/pnog.md   (the case is `pong`)"
        good "content/cases/pong.md";
    PAGE_DEAD_LINK = "page.dead-link" Warning "a link of the site's own prose leads nowhere"
        why "A relative link counts from the page on which it stands: a page `content/pages/guide.md` stands at `guide/index.html`, the home page at `index.html`. The link names no page of this site and no file of `static/`, or leads out of the site. It is published as it is written."
        bad "[the guide](../giude/index.html)"
        good "[the guide](../guide/index.html)";
}
