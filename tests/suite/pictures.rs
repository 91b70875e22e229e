//! Images reserve their space while they load: pages state their size.

use crate::crawl::problems;
use serde_json::{Value, json};

use crate::support::{FIRST, FIRST_SLUG, TestSite, codes, described};

/// A PNG with only a header.
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
    // The last two do not name a file.
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

#[test]
fn pictures_that_a_record_declares_are_shown_if_their_bytes_are_pictures() {
    let site = TestSite::base();
    let dest = |name: &str| format!("{FIRST}/{name}");
    site.write(&dest("proofs/court.png"), png(640, 320));
    site.write(&dest("proofs/false.png"), "<script>alert(1)</script>");
    site.write(&dest("assets/ball.png"), png(40, 40));
    site.write("content/outside.png", png(8, 8));
    site.write("site.toml", "[site]\nstories = \"all\"\n");
    let path = dest("run-record.json");
    let record = std::fs::read_to_string(site.path(&path)).expect("a record");
    let mut record: Value = serde_json::from_str(&record).expect("JSON");
    let proof = |dest: &str| json!({"id": dest, "name": dest, "kind": "image", "dest": dest, "present": true, "detail": null});
    let proofs = [
        "proofs/court.png",
        "proofs/false.png",
        "../../outside.png",
        "proofs/none.png",
    ];
    record["validation"]["proofs"] = proofs.map(proof).to_vec().into();
    record["showcase"] = json!({"description": "d", "media": [
            {"file": "ball.png", "name": "A <ball>", "kind": "image"},
            {"file": "proofs/court.png", "name": "v", "kind": "video"}]});
    site.write(&path, record.to_string());
    let outcome = site.publish();
    assert_eq!(codes(&outcome), [""; 0], "{:?}", described(&outcome));
    let page = format!("runs/{FIRST_SLUG}/index.html");
    let shown = images(&site, &page);
    let sizes: Vec<_> = shown
        .iter()
        .map(|[_, width, height]| (width.as_str(), height.as_str()))
        .collect();
    assert_eq!(sizes, [("40", "40"), ("40", "40"), ("480", "240")]);
    // The last frame of the story shows the result of the run.
    let [[source, width, _]] = &images(&site, &format!("runs/{FIRST_SLUG}/story/index.html"))[..]
    else {
        panic!("one picture");
    };
    assert_eq!(
        (source.as_str(), width.as_str()),
        (format!("../{}", shown[0][0]).as_str(), "40")
    );
    let published: Vec<_> = site
        .published()
        .into_keys()
        .filter(|path| path.contains("/assets/"))
        .collect();
    let of_run = |path: &&String| path.starts_with(&format!("runs/{FIRST_SLUG}/"));
    assert_eq!(published.iter().filter(of_run).count(), 2, "{published:?}");
    assert_eq!(problems(&site.published()), [""; 0]);

    site.write("site.toml", "[policy]\npublish_pictures = false\n");
    site.publish();
    assert_eq!(images(&site, &page), [[""; 3]; 0]);
    assert!(
        !site
            .published()
            .keys()
            .any(|path| of_run(&path) && path.contains("/assets/"))
    );
}
