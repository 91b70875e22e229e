//! Pictures of the site keep their place free while they load: a page says how large they are.

use crate::crawl::problems;
use crate::support::{TestSite, codes, described};

/// A picture of which nothing but the header is there.
pub(crate) fn png(width: u32, height: u32) -> Vec<u8> {
    let sides = [width.to_be_bytes(), height.to_be_bytes()].concat();
    let header: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    [header, &sides, b"\x08\x02\0\0\0"].concat()
}

/// Source, width and height of each image in the main part of a page.
fn images(site: &TestSite, page: &str) -> Vec<[String; 3]> {
    let page = site.page(page);
    let images = page.all("main img").into_iter();
    images
        .map(|image| {
            ["src", "width", "height"]
                .map(|name| image.value().attr(name).unwrap_or_default().to_owned())
        })
        .collect()
}

#[test]
fn pictures_in_prose_have_width_and_height_at_every_page_depth() {
    let site = TestSite::base();
    site.write("static/pictures/court.png", png(160, 90));
    site.write("static/a b.gif", b"GIF89a\x05\0\x07\0\0\0\0;");
    site.write(
        "content/pages/index.md",
        "![a](pictures/court.png) ![b](./a%20b.gif)",
    );
    site.write(
        "content/pages/guide.md",
        "![a](../pictures/court.png?v=2) ![b](<../a b.gif>)",
    );
    site.write("content/cases/pong.md", "![a](../../pictures/court.png)");
    let outcome = site.publish();
    assert_eq!(codes(&outcome), [""; 0], "{:?}", described(&outcome));
    assert_eq!(problems(&site.published()), [""; 0]);
    assert_eq!(
        images(&site, "index.html"),
        [
            ["pictures/court.png", "160", "90"],
            ["./a%20b.gif", "5", "7"]
        ]
    );
    assert_eq!(
        images(&site, "guide/index.html"),
        [
            ["../pictures/court.png?v=2", "160", "90"],
            ["../a%20b.gif", "5", "7"]
        ]
    );
    assert_eq!(
        images(&site, "cases/pong/index.html"),
        [["../../pictures/court.png", "160", "90"]]
    );
}

#[test]
fn a_missing_picture_or_one_with_a_false_header_has_no_size() {
    let site = TestSite::base();
    site.write("static/pictures/none.png", png(0, 90));
    site.write("static/pictures/vast.png", png(u32::MAX, 90));
    site.write("static/pictures/cut.png", &png(160, 90)[..20]);
    site.write("static/pictures/words.png", "words");
    let addresses = [
        "../pictures/none.png",
        "../pictures/vast.png",
        "../pictures/cut.png",
        "../pictures/words.png",
        "../pictures/gone.png",
        "pictures/none.png",
    ];
    let text: String = addresses.map(|a| format!("![a]({a})\n")).concat();
    site.write("content/pages/guide.md", text);
    let outcome = site.publish();
    // The last two name no file at all.
    assert_eq!(
        codes(&outcome),
        ["page.dead-link"; 2],
        "{:?}",
        described(&outcome)
    );
    assert_eq!(
        images(&site, "guide/index.html"),
        addresses.map(|address| [address, "", ""])
    );
}
