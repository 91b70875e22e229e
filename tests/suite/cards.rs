//! Cards: preview images of links to runs and cases.

use std::io::Read;

use flate2::read::ZlibDecoder;

use crate::support::{FIRST_SLUG, Run, TestSite, contains, messages};

const RUN: &str = "public/runs/pong-codex-sample-lark-1-4f1c2d3e/og.png";
const CASE: &str = "public/cases/pong/og.png";

/// A site with one run, published with these settings.
fn carded(settings: &str) -> TestSite {
    let site = TestSite::base();
    site.write("site.toml", format!("[site]\n{settings}\n"));
    site.publish();
    site
}

/// Checks the chunks of a PNG. Returns its unfiltered pixels, with the filter byte at the start of each row.
fn pixels(png: &[u8]) -> Vec<u8> {
    let mut rest = png.strip_prefix(b"\x89PNG\r\n\x1a\n").expect("a signature");
    let (mut names, mut rows) = (Vec::new(), Vec::new());
    while !rest.is_empty() {
        let length = u32::from_be_bytes(rest[..4].try_into().expect("4 bytes")) as usize;
        let (chunk, sum) = (&rest[4..8 + length], &rest[8 + length..12 + length]);
        let mut crc = flate2::Crc::new();
        crc.update(chunk);
        assert_eq!(sum, crc.sum().to_be_bytes());
        let (name, data) = chunk.split_at(4);
        names.push(String::from_utf8_lossy(name).into_owned());
        match name {
            b"IHDR" => assert_eq!(data, [0, 0, 4, 176, 0, 0, 2, 118, 8, 3, 0, 0, 0]),
            b"PLTE" => assert_eq!(data.len(), 768),
            b"IDAT" => {
                let read = ZlibDecoder::new(data).read_to_end(&mut rows);
                read.expect("a zlib stream");
            }
            _ => {}
        }
        rest = &rest[12 + length..];
    }
    assert_eq!(names, ["IHDR", "PLTE", "IDAT", "IEND"]);
    assert_eq!(rows.len(), 1201 * 630);
    for at in 1201..rows.len() {
        if at % 1201 > 0 {
            rows[at] = rows[at].wrapping_add(rows[at - 1201]);
        }
    }
    rows
}

#[test]
fn a_card_is_a_small_png_of_1200_by_630_pixels() {
    let site = carded("cards = \"all\"");
    for path in [RUN, CASE] {
        let png = site.bytes(path);
        assert!(png.len() < 25_000, "{path}: {} bytes", png.len());
        let pixels = pixels(&png);
        let marked = pixels.iter().filter(|pixel| **pixel > 1).count();
        assert!(marked > 8_000, "{path}: {marked} pixels are not empty");
    }
}

#[test]
fn the_setting_says_which_runs_have_a_card_and_cases_have_one_unless_it_is_none() {
    for (cards, is_annotated, run, case) in [
        ("cards = \"all\"", false, true, true),
        ("cards = \"annotated\"", false, false, true),
        ("cards = \"annotated\"", true, true, true),
        ("cards = \"none\"", true, false, false),
        ("", true, false, false),
    ] {
        let site = TestSite::base();
        site.write("site.toml", format!("[site]\n{cards}\n"));
        if !is_annotated {
            site.unannotated();
        }
        site.publish();
        let found = (site.path(RUN).exists(), site.path(CASE).exists());
        assert_eq!(found, (run, case), "{cards}, {is_annotated}");
        for (page, has_card) in [
            (site.first_page(), run),
            (site.page("cases/pong/index.html"), case),
        ] {
            let links = page.all("a[href='og.png'][download]").len();
            assert_eq!(links, usize::from(has_card), "{cards}, {is_annotated}");
        }
    }
}

#[test]
fn previews_and_feeds_name_the_card_when_the_address_of_the_site_is_known() {
    let site = carded("cards = \"all\"\nstories = \"all\"\nbase_url = \"https://example.org/x\"");
    let card = format!("https://example.org/x/runs/{FIRST_SLUG}/og.png");
    let images = |path: &str| {
        site.page(path)
            .attrs("meta[property='og:image']", "content")
    };
    for page in ["index.html", "story/index.html"] {
        let page = format!("runs/{FIRST_SLUG}/{page}");
        assert_eq!(images(&page), [card.as_str()]);
        site.page(&page).one("meta[content=summary_large_image]");
    }
    assert_eq!(
        images("cases/pong/index.html"),
        ["https://example.org/x/cases/pong/og.png"]
    );
    assert_eq!(
        site.json("feeds/feed.json")["items"][0]["image"],
        card.as_str()
    );
    contains(
        &site.text("public/feeds/atom.xml"),
        format!("href=\"{card}\""),
    );
    // A line for a README.
    site.first_page()
        .says(format!("({card})](https://example.org/x/runs/"));

    let site = carded("cards = \"all\"");
    let images = site.first_page().all("meta[property='og:image']").len();
    assert_eq!(images, 0, "an address must be whole");
    assert!(site.json("feeds/feed.json")["items"][0]["image"].is_null());
}

#[test]
fn a_second_build_keeps_the_cards_of_runs_that_did_not_change() {
    let site = carded("cards = \"all\"");
    let written = || {
        std::fs::metadata(site.path(RUN))
            .and_then(|file| file.modified())
            .expect("a time")
    };
    let (before, bytes) = (written(), site.bytes(RUN));
    site.run("other", &Run::new("0000000b-1").case("snake"))
        .publish();
    assert_eq!(written(), before);
    site.log(messages(9)).publish();
    assert_ne!(site.bytes(RUN), bytes, "a card shows its tape");
}

#[test]
fn hostile_and_endless_names_become_letters_and_boxes() {
    let name = format!("<b>\u{202e}\u{1b}[31m漢字{}", "m".repeat(4_000));
    let site = TestSite::base();
    site.run("odd", &Run::new("0000000c-1").case("odd").model(&name))
        .write(
            "site.toml",
            "[site]\ntitle = \"\\u202Etitle 漢\"\ncards = \"all\"\n",
        )
        .publish();
    let mut cards = site.published();
    cards.retain(|path, _| path.ends_with("og.png"));
    assert_eq!(cards.len(), 4, "two runs and two cases");
    for (path, png) in cards {
        assert!(png.len() < 25_000, "{path}: {} bytes", png.len());
        let is_empty = |row: &[u8]| {
            row[1..40]
                .iter()
                .chain(&row[1160..])
                .all(|pixel| *pixel == 0)
        };
        assert!(
            pixels(&png).chunks(1201).all(is_empty),
            "{path}: nothing leaves the margins"
        );
    }
}
