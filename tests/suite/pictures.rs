//! Images reserve their space while they load: pages state their size.

use crate::crawl::problems;
use serde_json::json;

use crate::support::{FIRST_SLUG, TestSite, codes, copy, fixture, tree};

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
    let images = images.map(|image| {
        ["src", "width", "height"].map(|name| image.attr(name).unwrap_or_default().to_owned())
    });
    images.collect()
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
    assert_eq!(codes(&site.publish()), [""; 0]);
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
    assert_eq!(codes(&outcome), ["page.dead-link"; 2]);
    assert_eq!(
        images(&site, "guide/index.html"),
        addresses.map(|address| [address, "", ""])
    );
}

#[test]
fn pictures_that_a_record_declares_are_shown_if_their_bytes_are_pictures() {
    let site = TestSite::base();
    site.write_first("proofs/court.png", png(640, 320));
    site.write_first("proofs/false.png", "<script>alert(1)</script>");
    site.write_first("assets/ball.png", png(40, 40));
    site.write("content/outside.png", png(8, 8));
    site.write("site.toml", "[site]\nstories = \"all\"\n");
    let proof = |dest: &str| json!({"id": dest, "name": dest, "kind": "image", "dest": dest, "present": true, "detail": null});
    let proofs = [
        "proofs/court.png",
        "proofs/false.png",
        "../../outside.png",
        "proofs/none.png",
    ];
    site.edit_first(|record| {
        record["validation"]["proofs"] = proofs.map(proof).to_vec().into();
        record["showcase"] = json!({"description": "d", "media": [
            {"file": "ball.png", "name": "A <ball>", "kind": "image"},
            {"file": "proofs/court.png", "name": "v", "kind": "video"}]});
    });
    let outcome = site.publish();
    // The one that is missing, and the one outside of the run.
    assert_eq!(codes(&outcome), ["record.missing-picture"; 2]);
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
    let folder = format!("public/runs/{FIRST_SLUG}/assets");
    assert_eq!(tree(&site.path(&folder)).len(), 2);
    assert_eq!(problems(&site.published()), [""; 0]);

    site.write("site.toml", "[policy]\npublish_pictures = false\n");
    site.publish();
    assert_eq!(images(&site, &page), [[""; 3]; 0]);
    assert!(!site.path(&folder).exists());
}

const LATE: &str = "content/runs/late";

/// A site whose run `late` has the layout of current Test Cabinet.
fn late_layout() -> TestSite {
    let site = TestSite::base();
    copy(&fixture("cases/late-layout"), &site.path(LATE));
    site
}

/// The path of the page of the run `late`.
fn late_page(site: &TestSite) -> String {
    let mut pages: Vec<String> = site.published().into_keys().collect();
    pages.retain(|path| path.contains("-late") && path.ends_with("/index.html"));
    pages.retain(|path| path.starts_with("runs/") && path.matches('/').count() == 2);
    assert_eq!(pages.len(), 1, "{pages:?}");
    pages.remove(0)
}

#[test]
fn pictures_in_the_places_of_test_cabinet_are_shown() {
    let site = late_layout();
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = late_page(&site);
    let shown = images(&site, &page);
    // The showcase, the image in its description, and the proof.
    assert!(shown.len() >= 3, "{shown:?}");
    for [source, width, _] in &shown {
        assert!(
            source.starts_with("assets/") && !width.is_empty(),
            "{shown:?}"
        );
    }
    assert_eq!(site.page(&page).attrs(".prose img", "alt"), ["Title"]);
    assert_eq!(problems(&site.published()), [""; 0]);
}

#[test]
fn a_missing_picture_is_noted_with_its_path() {
    let site = late_layout();
    site.remove("content/runs/late/implementation/proof/title.png");
    site.remove("content/runs/late/implementation/showcase/title.png");
    let outcome = site.publish();
    // The description names the same file as the media.
    assert_eq!(codes(&outcome), ["record.missing-picture"; 3]);
    assert_eq!(images(&site, &late_page(&site)), [[""; 3]; 0]);
    assert_eq!(problems(&site.published()), [""; 0]);
    site.write("site.toml", "[policy]\npublish_pictures = false\n");
    assert_eq!(codes(&site.publish()), [""; 0]);
}

#[test]
fn a_picture_leads_to_no_other_part_of_a_run() {
    let site = late_layout();
    let implementation = site.path("content/runs/late/implementation");
    for (link, target) in [
        ("proof/title.png", "../../secret.png"),
        ("showcase/title.png", "../../../../outside.png"),
    ] {
        let link = implementation.join(link);
        std::fs::remove_file(&link).expect("a file");
        std::os::unix::fs::symlink(target, &link).expect("a link");
    }
    site.write("content/runs/late/secret.png", png(7, 7));
    site.write("content/outside.png", png(8, 8));
    site.publish();
    assert_eq!(images(&site, &late_page(&site)), [[""; 3]; 0]);
}

#[test]
fn a_run_rated_by_its_validation_needs_no_review() {
    let site = late_layout();
    site.remove("content/runs/late/writeup.md");
    site.write("site.toml", "[policy]\nrequire_review = true\n");
    assert_eq!(codes(&site.publish()), [""; 0]);
    // Without the failed type check, nothing rates the run.
    let record = format!("{LATE}/run-record.json");
    site.replace(&record, "\"exitCode\": 2", "\"exitCode\": 0");
    site.replace(
        &record,
        "\"succeeded\": false,\n   \"output\": \"a.ts",
        "\"succeeded\": true,\n   \"output\": \"a.ts",
    );
    assert_eq!(codes(&site.check()), ["review.missing"]);
}

#[test]
fn the_readme_of_an_earlier_entry_is_folded() {
    let site = late_layout();
    site.replace(
        "content/runs/late/run-record.json",
        "\"finishedAt\": \"2026-06-01T00:00:00Z\"\n",
        "\"finishedAt\": \"2026-06-01T00:00:00Z\", \"readme\": \"# Moon\\n\\nA game <script>of</script> *light*. ![x](title.png)\"\n",
    );
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.page(&late_page(&site));
    let folded = page.texts("details .prose");
    let is_readme = |text: &String| text.contains("Moon") && text.contains("light");
    assert!(folded.iter().any(is_readme), "{folded:?}");
    assert!(page.all("main script").is_empty());
    assert_eq!(problems(&site.published()), [""; 0]);
}
