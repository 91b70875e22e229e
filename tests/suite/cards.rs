//! Cards: preview images of links to runs and cases.

use std::io::Read;

use flate2::read::ZlibDecoder;

use crate::support::{FIRST, HEADER, Run, TestSite, annotation, lines, messages};

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
        ("all", false, true, true),
        ("annotated", false, false, true),
        ("annotated", true, true, true),
        ("none", true, false, false),
    ] {
        let site = TestSite::base();
        site.write("site.toml", format!("[site]\ncards = \"{cards}\"\n"));
        let sidecar = format!("{FIRST}/events.jsonl.annotations.jsonl");
        if is_annotated {
            site.write(&sidecar, lines(&[HEADER, &annotation("n", 0, "note", "")]));
        } else {
            site.remove(&sidecar);
        }
        site.publish();
        let found = (site.path(RUN).exists(), site.path(CASE).exists());
        assert_eq!(found, (run, case), "{cards}, {is_annotated}");
        let links = |page: &str| site.page(page).all("a[href='og.png'][download]").len();
        assert_eq!(
            site.first_page().all("a[href='og.png'][download]").len(),
            usize::from(run)
        );
        assert_eq!(links("cases/pong/index.html"), usize::from(case));
    }
    let site = TestSite::base();
    site.publish();
    assert!(!site.path(RUN).exists() && !site.path(CASE).exists());
}

#[test]
fn previews_and_feeds_name_the_card_when_the_address_of_the_site_is_known() {
    let site = carded("cards = \"all\"\nstories = \"all\"\nbase_url = \"https://example.org/x\"");
    let card = "https://example.org/x/runs/pong-codex-sample-lark-1-4f1c2d3e/og.png";
    for page in ["index.html", "story/index.html"] {
        let page = site.page(&format!("runs/pong-codex-sample-lark-1-4f1c2d3e/{page}"));
        let image = page.one("meta[property='og:image']");
        assert_eq!(image.attr("content"), Some(card));
        assert_eq!(page.all("meta[content=summary_large_image]").len(), 1);
    }
    let case = site.page("cases/pong/index.html");
    let image = case.one("meta[property='og:image']").attr("content");
    assert_eq!(image, Some("https://example.org/x/cases/pong/og.png"));
    assert_eq!(site.json("feeds/feed.json")["items"][0]["image"], card);
    assert!(
        site.text("public/feeds/atom.xml")
            .contains(&format!("href=\"{card}\""))
    );
    let code = site.first_page().main();
    assert!(
        code.contains(&format!("({card})](https://example.org/x/runs/")),
        "a line for a README"
    );

    let site = carded("cards = \"all\"");
    assert_eq!(
        site.first_page().all("meta[property='og:image']").len(),
        0,
        "an address must be whole"
    );
    assert!(site.json("feeds/feed.json")["items"][0]["image"].is_null());
}

#[test]
fn a_second_build_keeps_the_cards_of_runs_that_did_not_change() {
    let site = carded("cards = \"all\"");
    let written = |path: &str| {
        std::fs::metadata(site.path(path))
            .and_then(|file| file.modified())
            .expect("a time")
    };
    let (before, bytes) = (written(RUN), site.bytes(RUN));
    site.run("other", &Run::new("0000000b-1").case("snake"));
    site.publish();
    assert_eq!(written(RUN), before);
    site.write(&format!("{FIRST}/events.jsonl"), messages(9));
    site.remove(&format!("{FIRST}/events.jsonl.annotations.jsonl"));
    site.publish();
    assert_ne!(site.bytes(RUN), bytes, "a card shows its tape");
}

#[test]
fn hostile_and_endless_names_become_letters_and_boxes() {
    let name = format!("<b>\u{202e}\u{1b}[31m漢字{}", "m".repeat(4_000));
    let site = TestSite::base();
    site.write(
        "site.toml",
        "[site]\ntitle = \"\\u202Etitle 漢\"\ncards = \"all\"\n",
    );
    site.run("odd", &Run::new("0000000c-1").case("odd").model(&name));
    site.publish();
    let published = site.published();
    let cards: Vec<_> = published
        .iter()
        .filter(|(path, _)| path.ends_with("og.png"))
        .collect();
    assert_eq!(cards.len(), 4, "two runs and two cases");
    for (path, png) in cards {
        assert!(png.len() < 25_000, "{path}: {} bytes", png.len());
        let pixels = pixels(png);
        let outside = pixels.chunks(1201).any(|row| {
            row[1..40]
                .iter()
                .chain(&row[1160..])
                .any(|pixel| *pixel != 0)
        });
        assert!(!outside, "{path}: nothing leaves the margins");
    }
}
