//! Reviews: every form of writeup.md, and the policy that requires one.

use crate::support::{Run, TestSite, codes, contains, rows, words};

/// The base site with another writeup.
fn with(writeup: impl AsRef<[u8]>) -> TestSite {
    let site = TestSite::base();
    site.write_first("writeup.md", writeup);
    site
}

/// The rating on the run's card, and the words of the writeup.
fn read(site: &TestSite) -> (Option<String>, String) {
    let rating = site.json("feeds/runs.json")["runs"][0]["rating"]
        .as_str()
        .map(str::to_owned);
    (
        rating,
        words(
            site.first_page()
                .one("section[aria-labelledby=writeup] div.prose"),
        ),
    )
}

#[test]
fn the_early_form_has_a_rating_and_a_text() {
    for (what, writeup, rating) in [
        (
            "plain",
            "---\nrating: great\n---\n\nIt plays well.\n",
            "great",
        ),
        (
            "carriage returns",
            "---\r\nrating: great\r\n---\r\n\r\nIt plays well.\r\n",
            "great",
        ),
        (
            "a byte order mark and blank space",
            "\u{feff}\n \n---\nrating: great\n---\nIt plays well.",
            "great",
        ),
        (
            "capitals",
            "---\nrating: FLAWLESS\n---\n\nIt plays well.",
            "flawless",
        ),
        (
            "no space",
            "---\nrating:broken\n---\nIt plays well.",
            "broken",
        ),
        (
            "other keys",
            "---\nauthor: a: b\n# a comment\nrating: scuffed\n---\nIt plays well.",
            "scuffed",
        ),
        (
            "two ratings",
            "---\nrating: great\nrating: broken\n---\nIt plays well.",
            "great",
        ),
        (
            "the later tier",
            "---\nrating: passable\n---\nIt plays well.",
            "passable",
        ),
    ] {
        let site = with(writeup);
        assert_eq!(codes(&site.publish()), [""; 0], "{what}");
        assert_eq!(
            read(&site),
            (Some(rating.to_owned()), "It plays well.".to_owned()),
            "{what}"
        );
        assert!(
            site.first_page()
                .texts(".badges .badge")
                .contains(&rating.to_owned()),
            "{what}"
        );
    }
}

#[test]
fn the_middle_form_has_a_checklist() {
    let site = with(
        "---\nrating: great\nreview.controls: pass the paddle follows: always\nreview.sound: na\nreview.menu.back: fail\n---\n\nIt plays well.\n",
    );
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.first_page();
    assert_eq!(
        page.beside("controls"),
        ["pass", "the paddle follows: always"]
    );
    assert_eq!(page.beside("sound"), ["na", ""]);
    assert_eq!(page.beside("menu.back"), ["fail", ""]);
}

#[test]
fn the_late_form_is_rated_as_its_worst_domain() {
    let site = with(
        "---\nrating.gameplay: flawless\nrating.visuals: scuffed\nrating.sound: great\nreview.overall: incredible\n---\n\nIt plays well.\n",
    );
    assert_eq!(codes(&site.publish()), [""; 0]);
    assert_eq!(read(&site).0.as_deref(), Some("scuffed"));
    let page = site.first_page();
    assert_eq!(page.beside("gameplay"), ["flawless"]);
    assert_eq!(page.beside("visuals"), ["scuffed"]);
    assert_eq!(
        page.beside("overall the whole game"),
        ["incredible 10 of 10", ""]
    );
}

#[test]
fn grades_show_their_points_and_verdicts_have_none() {
    let site = with(
        "---\nrating: great\nreview.a: broken\nreview.a.left: Poor the left one\nreview.a.right: neutral\nreview.b: great\nreview.c: incredible\nreview.d: pass\nreview.e: fail\nreview.f: na\n---\n\nIt plays well.\n",
    );
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.first_page();
    for (item, expected) in [
        ("a", ["broken 0 of 10", ""]),
        ("a.left", ["Poor 2 of 10", "the left one"]),
        ("a.right", ["neutral 5 of 10", ""]),
        ("b", ["great 8 of 10", ""]),
        ("c", ["incredible 10 of 10", ""]),
        ("d", ["pass", ""]),
        ("e", ["fail", ""]),
        ("f", ["na", ""]),
    ] {
        assert_eq!(page.beside(item), expected, "{item}");
    }
}

#[test]
fn a_rating_beside_domains_counts_among_them() {
    let site = with("---\nrating: flawless\nrating.sound: scuffed\n---\n\nIt plays well.\n");
    assert_eq!(codes(&site.publish()), [""; 0]);
    assert_eq!(
        read(&site).0.as_deref(),
        Some("scuffed"),
        "the badge is the worst of all"
    );
}

#[test]
fn an_invalid_rating_leaves_the_run_unrated_with_a_warning() {
    for [what, writeup] in rows(
        r#"
quotes | ---⏎rating: "great"⏎---⏎⏎It plays well.
a tier that is not known | ---⏎rating: epic⏎---⏎⏎It plays well.
no rating in the fence | ---⏎author: a⏎---⏎⏎It plays well.
no fence | It plays well.
a line before the fence | # Hi⏎---⏎rating: great⏎---⏎It plays well.
"#,
    ) {
        let site = with(writeup);
        let outcome = site.publish();
        assert_eq!(codes(&outcome), ["review.unknown-rating"], "{what}");
        let (rating, text) = read(&site);
        assert_eq!(rating, None, "{what}");
        assert!(text.ends_with("It plays well."), "{what}: {text}");
        assert!(
            site.first_page()
                .texts(".badges .badge")
                .contains(&"unrated".to_owned()),
            "{what}"
        );
    }
}

#[test]
fn a_writeup_with_statuses_alone_needs_no_rating() {
    let site = with("---\nreview.controls: pass\n---\n\nIt plays well.");
    assert_eq!(codes(&site.publish()), [""; 0]);
    assert_eq!(read(&site).0, None);
}

#[test]
fn the_badge_of_a_game_jam_without_a_rating_is_the_grade_of_the_whole_game() {
    for (writeup, rating, noticed) in [
        (
            "---\nreview.fun: great\nreview.overall: Incredible all of it\n---\n\nIt plays well.",
            Some("incredible"),
            None,
        ),
        (
            "---\nreview.overall: poor\nreview.overall: great\n---\n\nIt plays well.",
            Some("poor"),
            None,
        ),
        (
            "---\nreview.overall: pass\n---\n\nIt plays well.",
            None,
            None,
        ),
        (
            "---\nreview.overall: grand\n---\n\nIt plays well.",
            None,
            Some("review.unknown-status"),
        ),
    ] {
        let site = with(writeup);
        assert_eq!(codes(&site.publish()), Vec::from_iter(noticed), "{writeup}");
        assert_eq!(read(&site).0.as_deref(), rating, "{writeup}");
        let slug = site.json("feeds/runs.json")["runs"][0]["slug"].clone();
        let slug = slug.as_str().expect("a slug");
        let run = site.json(&format!("runs/{slug}/run.json"));
        assert_eq!(run["review"]["rating"].as_str(), rating, "{writeup}");
        let badge = rating.unwrap_or("unrated").to_owned();
        assert!(site.first_page().texts(".badges .badge").contains(&badge));
        let case = site.page("cases/pong/index.html");
        let is_listed = case.texts("td .badge").contains(&badge);
        assert_eq!(is_listed, rating.is_some(), "{writeup}");
        site.write("site.toml", REQUIRED);
        assert_eq!(
            site.check().blocking,
            usize::from(noticed.is_some()),
            "with the policy, {writeup}"
        );
    }
}

#[test]
fn the_page_of_runs_orders_ratings_in_the_browser_as_the_server_does() {
    let site = TestSite::base();
    site.run("unrated", &Run::new("9b02c4aa-1"));
    site.publish();
    let rows = crate::search::rows(&site);
    let page = site.page("runs/index.html");
    for row in &rows {
        let order = row["order"]["rating"].as_str().expect("an order");
        let word = row["rating"]["word"].as_str().expect("a word");
        let cell = format!("td[data-v='{order}'] .badge");
        assert_eq!(page.texts(&cell), [word]);
    }
    let mut orders = [&rows[0], &rows[1]].map(|row| row["order"]["rating"].as_str());
    orders.sort_unstable();
    assert_eq!(orders, [Some(""), Some("6")], "unrated has no place");
}

const REQUIRED: &str = "[policy]\nrequire_review = true\n";

#[test]
fn the_policy_makes_errors_of_what_else_is_a_warning() {
    for [what, writeup, code] in rows(
        "
no text | ---⏎rating: great⏎---⏎ ⏎ | review.empty
an unknown tier | ---⏎rating: epic⏎---⏎⏎It plays well. | review.unknown-rating
no fence | It plays well. | review.unknown-rating
a longer fence | ----⏎It plays well. | review.unknown-rating
words after the fence | --- a/x⏎It plays well. | review.unknown-rating
",
    ) {
        let site = with(writeup);
        let outcome = site.check();
        assert_eq!(
            (codes(&outcome), outcome.blocking),
            (vec![code], 0),
            "{what}, without the policy"
        );
        site.write("site.toml", REQUIRED);
        let outcome = site.check();
        assert_eq!(
            (codes(&outcome), outcome.blocking),
            (vec![code], 1),
            "{what}, with the policy"
        );
        site.replace_first("run-record.json", "\"completed\"", "\"failed\"");
        let outcome = site.check();
        assert_eq!(
            (codes(&outcome), outcome.blocking),
            (vec![code], 0),
            "{what}, of a run that failed"
        );
    }
}

#[test]
fn the_build_follows_the_writeup_and_is_framed_on_demand_from_allowed_hosts() {
    let site = TestSite::base();
    site.replace_first(
        "run-record.json",
        "\"playableBuild\": null",
        "\"playableBuild\": \"https://builds.example.org/4f1c/\"",
    );
    site.publish();
    let page = site.first_page();
    let sections = page.attrs("main section", "aria-labelledby");
    let at = |name: &str| {
        sections
            .iter()
            .position(|section| section == name)
            .unwrap_or_else(|| panic!("no {name}: {sections:?}"))
    };
    assert!(at("writeup") < at("build") && at("build") < at("metrics"));
    assert_eq!(
        page.all("[data-play]").len(),
        0,
        "a host that is not allowed gets a plain link"
    );
    assert_eq!(
        page.all("a[href='https://builds.example.org/4f1c/']").len(),
        1
    );
    site.write(
        "site.toml",
        "[policy]\nembed_hosts = [\"builds.example.org\"]\n",
    );
    site.publish();
    let page = site.first_page();
    assert_eq!(
        page.attrs("[data-play]", "data-play"),
        ["https://builds.example.org/4f1c/"]
    );
    assert_eq!(
        page.all("iframe").len(),
        0,
        "nothing is framed before it is asked for"
    );
    let policy = page.one("meta[http-equiv='Content-Security-Policy']");
    let policy = policy.attr("content").unwrap_or_default();
    contains(policy, "frame-src https://builds.example.org");
}

#[test]
fn markdown_of_a_writeup_is_rendered_below_the_headings_of_the_page() {
    let site = with(
        "---\nrating: great\n---\n\n# Title\n\nSome *words*, a [link](https://example.org/a) and\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n",
    );
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.first_page();
    assert_eq!(page.texts("div.prose h3"), ["Title"]);
    assert_eq!(page.texts("div.prose em"), ["words"]);
    assert_eq!(page.texts("div.prose td"), ["1", "2"]);
    assert_eq!(page.attrs("div.prose a", "rel"), ["nofollow noopener ugc"]);
}

#[test]
fn bytes_that_are_no_utf_8_move_no_place_in_a_review() {
    let site = TestSite::base();
    let mut text =
        b"---\nnote: \xff\xff\xff\xff\xff\xff\nrating: grand\n---\n\xff\xff\n\n".to_vec();
    text.extend(b"Some words, [a](javascript:b)\n");
    site.write_first("writeup.md", text);
    let places: Vec<_> = site
        .check()
        .diagnostics
        .iter()
        .map(|d| (d.code.name, d.place.line, d.place.column))
        .collect();
    assert_eq!(
        places,
        [
            ("review.not-utf8", Some(2), Some(7)),
            ("review.unknown-rating", Some(3), Some(9)),
            ("review.unsafe-link", Some(7), Some(13)),
        ]
    );
}
