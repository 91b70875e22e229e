//! Codes of the site's own pages.

family! { ALL:
    PAGE_NOT_UTF8 = "page.not-utf8" Error "a page is not UTF-8"
        why "The first invalid byte is marked."
        bad "caf\\xe9   (one Latin-1 byte)"
        good "café";
    PAGE_TOO_LARGE = "page.too-large" Error "a page is larger than the limit"
        why "Pages are read into memory. Raise `writeup` in `[limits]` if the page is meant to be this large."
        bad "a page of 300 KiB with the default limit"
        good "[limits]\nwriteup = \"512 KiB\"";
    PAGE_FRONT_MATTER = "page.front-matter" Error "invalid front matter"
        why "Front matter is TOML between two `+++` lines, with the keys `title`, `description`, `order` and `draft`."
        bad "+++\ntitel = \"Guide\"\n+++"
        good "+++\ntitle = \"Guide\"\n+++";
    PAGE_RESERVED_NAME = "page.reserved-name" Error "a page uses a reserved name"
        why "The page would replace a page that runpress generates. Rename the file."
        bad "content/pages/runs.md"
        good "content/pages/about-the-runs.md";
    PAGE_DUPLICATE = "page.duplicate" Error "two pages have the same address"
        why "Addresses are the file names in lower case, with hyphens for other characters. Two content roots may also contain the same name."
        bad "content/pages/Guide.md\ncontent/pages/guide.md"
        good "content/pages/guide.md\ncontent/pages/guide-2.md";
    PAGE_UNMATCHED = "page.unmatched" Warning "an introduction without runs"
        why "A file in `cases/`, `models/` or `harnesses/` is shown on the page of that name. No run has this case, model or harness, so there is no such page; the name may be misspelled."
        bad "content/cases/pnog.md   (the case is `pong`)"
        good "content/cases/pong.md";
    PAGE_DEAD_LINK = "page.dead-link" Warning "dead link in a page of the site"
        why "Relative links are resolved from the page they are on: `content/pages/guide.md` becomes `guide/index.html`, the home page `index.html`. The link matches no page of this site and no file of `static/`, or points outside the site. A link to a section names its heading: `#first-steps`. It is published as written."
        bad "[the guide](../giude/index.html)"
        good "[the guide](../guide/index.html)";
}
