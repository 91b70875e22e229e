//! Properties across runs: order, addresses, comparable sets.

use runpress::api::site::Overrides;

use crate::support::{
    FIRST, FIRST_SLUG, Run, TestSite, below, codes, contains, described, each, messages_of, rows,
    words,
};

fn slugs(site: &TestSite) -> Vec<String> {
    let feed = site.json("feeds/runs.json");
    let slugs = each(&feed["runs"], "slug").into_iter();
    slugs
        .map(|slug| slug.as_str().expect("a slug").to_owned())
        .collect()
}

#[test]
fn equal_ids_are_an_error_that_names_both_folders() {
    let site = TestSite::empty();
    site.run("a", &Run::new("9b02c4aa-1"))
        .run("b", &Run::new("9b02c4aa-1").model("other"))
        .run("c", &Run::new("9b02c4aa-1"));
    let outcome = site.check();
    assert_eq!(codes(&outcome), ["archive.duplicate-run-id"; 2]);
    for (problem, folder) in outcome.diagnostics.iter().zip(["b", "c"]) {
        let path = format!("content/runs/{folder}/run-record.json");
        assert_eq!(problem.place.path, path);
        assert!(problem.place.line.is_some());
        contains(&problem.message, "content/runs/a");
    }
    assert!(!site.build().published);
}

#[test]
fn of_two_runs_with_one_address_the_one_that_started_first_keeps_it() {
    let (early, late) = ("2026-03-01T09:00:00Z", "2026-03-01T10:00:00Z");
    let east = "2026-03-01T09:30:00+02:00";
    for (zz, aa, kept, moved) in [
        (early, late, "4f1c2d3e-zz", "4f1c2d3e-aa"),
        (late, late, "4f1c2d3e-aa", "4f1c2d3e-zz"),
        (east, early, "4f1c2d3e-zz", "4f1c2d3e-aa"),
    ] {
        let site = TestSite::empty();
        site.run("a", &Run::new("4f1c2d3e-zz").at(zz, late))
            .run("b", &Run::new("4f1c2d3e-aa").at(aa, late));
        assert_eq!(codes(&site.publish()), ["archive.slug-collision"]);
        for (end, id) in [("4f1c2d3e", kept), (moved, moved)] {
            let document = site.json(&format!("runs/pong-codex-sample-lark-1-{end}/run.json"));
            assert_eq!(document["record"]["id"], id);
        }
    }
}

#[test]
fn runs_whose_ids_begin_alike_have_distinct_short_ids_in_every_list() {
    let site = TestSite::empty();
    site.run("first", &Run::new("9b02c4aa-11d0")).publish();
    let alike = ["sample-pong-one", "sample-pong-two"];
    for id in alike {
        site.run(id, &Run::new(id));
    }
    let outcome = site.runpress("build --report markdown");
    for (path, part) in [("runs/index.html", "small"), ("cases/pong/index.html", "a")] {
        let mut rows = site.page(path).texts(&format!("tr[data-run] th {part}"));
        rows.sort();
        assert_eq!(rows, ["9b02c4aa", alike[0], alike[1]], "{path}");
    }
    let changes = site.page("changes/index.html").main();
    let scripts = site
        .published()
        .into_iter()
        .filter(|(path, _)| path.ends_with(".js"));
    let scripts: String = scripts
        .map(|(_, bytes)| String::from_utf8(bytes).expect("UTF-8"))
        .collect();
    for id in alike {
        contains(&changes, id);
        outcome.prints(format!("[{id}](<"));
        assert!(
            scripts.contains(&format!("\"id\":\"{id}\"")),
            "{id} on the page of comparisons"
        );
        assert!(
            scripts.contains(&format!(",\"{id}\",\"pong · base\",")),
            "{id} in the rows"
        );
    }
}

#[test]
fn addresses_are_made_of_case_harness_model_and_short_id() {
    let site = TestSite::empty();
    let run = Run::new("ABCDEF0123456789-rest").case("Pong  Deluxe!");
    site.run("a", &run.model("OpenAI/gpt-5.4 (preview)"))
        .publish();
    assert_eq!(
        slugs(&site),
        ["pong-deluxe-codex-openai-gpt-5-4-preview-abcdef01"]
    );
    assert!(site.is_published("models/openai-gpt-5-4-preview/index.html"));
    assert!(site.is_published("cases/pong-deluxe/index.html"));
}

#[test]
fn names_that_differ_only_in_punctuation_get_pages_of_their_own() {
    let site = TestSite::empty();
    site.run("a", &Run::new("0000000a-1").model("sample/lark"))
        .run("b", &Run::new("0000000b-1").model("sample.lark"));
    assert_eq!(codes(&site.publish()), ["archive.slug-collision"]);
    let models = std::fs::read_dir(site.path("public/models")).expect("models");
    assert_eq!(models.count(), 3, "two models and their list");
    for slug in slugs(&site) {
        let page = site.page(&format!("runs/{slug}/index.html"));
        let link = page.one(".subject a[href^='../../models/']");
        let target = link
            .value()
            .attr("href")
            .expect("a link")
            .replace("../../", "");
        assert_eq!(site.page(&target).texts("h1"), [words(link)]);
    }
}

#[test]
fn a_model_without_a_single_ascii_letter_has_a_page() {
    let site = TestSite::empty();
    site.run("a", &Run::new("0000000a-1").model("模型"))
        .run("b", &Run::new("0000000b-1").model("!!!"))
        .run("c", &Run::new("0000000c-1").model("模型"));
    assert_eq!(codes(&site.publish()), ["archive.slug-collision"; 2]);
    assert_eq!(crate::crawl::problems(&site.published()), [""; 0]);
    let page = site.page("runs/index.html");
    page.says("模型");
    page.says("!!!");
}

#[test]
fn order_is_recency_newest_first_by_finish_then_start_then_id() {
    let site = TestSite::empty();
    let day = |day: u32| format!("2026-03-{day:02}T00:00:00Z");
    for (id, start, finish) in [
        ("0000000a-1", day(1), day(5)),
        ("0000000b-1", day(1), day(9)),
        ("0000000c-1", day(2), day(5)),
        ("0000000e-1", day(1), "2026-03-05T01:00:00+01:00".to_owned()),
        ("0000000d-1", day(1), day(5)),
    ] {
        site.run(id, &Run::new(id).at(&start, &finish));
    }
    site.publish();
    let ids = ["b", "c", "a", "d", "e"].map(|letter| format!("0000000{letter}"));
    assert_eq!(
        slugs(&site),
        ids.each_ref()
            .map(|id| format!("pong-codex-sample-lark-1-{id}"))
    );
    let page = site.page("cases/pong/index.html");
    assert_eq!(page.texts(".comparison tr:not(.group) > th > a"), ids);
    let middle = site.page("runs/pong-codex-sample-lark-1-0000000a/index.html");
    for (rel, id) in [("prev", &ids[1]), ("next", &ids[3])] {
        let hrefs = middle.attrs(&format!("nav.neighbors a[rel={rel}]"), "href");
        assert_eq!(
            hrefs,
            [format!(
                "../../runs/pong-codex-sample-lark-1-{id}/index.html"
            )]
        );
    }
}

#[test]
fn the_rating_never_changes_the_order() {
    let site = TestSite::empty();
    for (rating, n) in ["broken", "flawless", "scuffed", "great"]
        .into_iter()
        .zip(1..)
    {
        let finished = format!("2026-03-0{n}T00:00:00Z");
        let run = Run::new(&format!("{n:08x}-1")).at("2026-02-01T00:00:00Z", &finished);
        let review = format!("---\nrating: {rating}\n---\n\nSeen.\n");
        site.run(rating, &run)
            .write(&format!("content/runs/{rating}/writeup.md"), review);
    }
    site.publish();
    let feed = site.json("feeds/runs.json");
    assert_eq!(
        each(&feed["runs"], "rating"),
        ["great", "scuffed", "flawless", "broken"]
    );
}

#[test]
fn runs_of_different_versions_engines_and_orchestrators_never_share_a_table() {
    let site = TestSite::empty();
    for (letter, key, value) in [
        ("a", "variant", "base"),
        ("b", "testCaseVersion", "v2.0.0"),
        ("c", "engineSlug", "simple-2d"),
        ("d", "orchestratorSlug", "ralph"),
        ("e", "variant", "frenzy"),
    ] {
        let run = Run::new(&format!("0000000{letter}-1"));
        site.run_with(letter, &run, |record| record["subject"][key] = value.into());
    }
    site.publish();
    let page = site.page("cases/pong/index.html");
    let tables = page.all("table.comparison").into_iter().map(|table| {
        let links = below(table, "tbody tr:not(.group) th a").into_iter();
        links.map(words).collect::<Vec<_>>()
    });
    let tables: Vec<_> = tables.collect();
    assert_eq!(tables.len(), 4);
    let shared = ["0000000a", "0000000e"].map(str::to_owned).to_vec();
    assert!(
        tables.contains(&shared),
        "variants share a table: {tables:?}"
    );
    page.says("Engine simple-2d");
    page.says("orchestrator ralph");
    let model = site.page("models/sample-lark-1/index.html");
    let groups = model.all("table.comparison tr.group").len();
    assert_eq!(groups, 5, "one table, a group for each task");
}

#[test]
fn a_comparison_table_has_a_column_for_every_declared_check() {
    let site = TestSite::empty();
    site.run("a", &Run::new("0000000a-1"))
        .run_with("b", &Run::new("0000000b-1"), |record| {
            record["validation"]["checks"][0]["view"] = "in-play".into();
            record["validation"]["checks"][0]["name"] = "In Play".into();
        });
    site.publish();
    let page = site.page("cases/pong/index.html");
    let mut heads = page.texts("table.comparison th.check");
    heads.sort();
    assert_eq!(heads, ["in-play", "title"]);
    let rows = page.all("table.comparison tbody tr:not(.group)");
    assert_eq!(rows.len(), 2);
    for row in rows {
        let cells = below(row, "th, td").len();
        assert_eq!(cells, page.all("table.comparison thead th").len());
    }
}

#[test]
fn several_content_roots_make_one_archive() {
    let site = TestSite::empty();
    site.run("a", &Run::new("0000000a-1"))
        .write("more/b/run-record.json", Run::new("0000000b-1").record())
        .write("site.toml", "[build]\ncontent = [\"content\", \"more\"]\n")
        .publish();
    assert_eq!(slugs(&site).len(), 2);
    // A folder that two roots hold is one run.
    site.write(
        "site.toml",
        "[build]\ncontent = [\"content\", \"content/runs\", \"more\"]\n",
    );
    assert_eq!((codes(&site.check()), site.check().runs), (vec![], 2));
}

#[test]
fn run_folders_are_found_at_any_depth_and_do_not_nest() {
    let site = TestSite::empty();
    let folder = "content/a/b/c/d/e";
    site.write("content/run-record-notes.md", "not a run")
        .write(
            &format!("{folder}/run-record.json"),
            Run::new("0000000a-1").record(),
        )
        .write(
            &format!("{folder}/implementation/run-record.json"),
            "not a run either",
        )
        .write("content/.hidden/run-record.json", "nor this");
    assert_eq!((codes(&site.check()), site.check().runs), (vec![], 1));
}

#[test]
fn a_nested_run_directory_is_reported_but_not_a_record_among_the_files_of_a_run() {
    let site = TestSite::base();
    for folder in "assets/a proofs play run.tape.cas .git implementation/deep".split(' ') {
        site.write_first(&format!("{folder}/run-record.json"), "a thing of the run");
    }
    assert_eq!(codes(&site.check()), [""; 0]);
    let nested = ["again/and/again", "again"];
    for folder in nested {
        site.run(&format!("first/{folder}"), &Run::new("0000000a-1"));
    }
    let outcome = site.check();
    assert_eq!(outcome.runs, 1);
    assert_eq!(
        described(&outcome),
        nested.map(|folder| format!("warning[content.nested-run] {FIRST}/{folder}/run-record.json The run directory is inside another one, so its run is not published"))
    );
    let roots = ["content", "content/runs", "content/runs/first/again"];
    let outcome = site.check_with(&Overrides {
        content: roots.map(|root| site.path(root)).to_vec(),
        ..Overrides::default()
    });
    assert_eq!(outcome.runs, 2, "a content root is walked wherever it lies");
    assert_eq!(codes(&outcome), ["content.nested-run"]);
}

#[test]
fn prose_is_shown_on_the_page_of_its_name() {
    let site = TestSite::base();
    for [path, text, page, shown] in rows(
        "
cases/pong.md | +++⏎title = \"The Game of Pong\"⏎+++⏎⏎Two paddles, one ball.⏎ | cases/pong/ | Two paddles, one ball.
models/sample-lark-1.md | A model for samples. | models/sample-lark-1/ | A model for samples.
harnesses/codex.md | A harness. | harnesses/codex/ | A harness.
pages/index.md | Welcome, reader. | | Welcome, reader.
pages/guide.md | +++⏎title = \"The Guide\"⏎order = 1⏎+++⏎⏎## First steps⏎⏎Read.⏎ | guide/ | First steps
",
    ) {
        site.write(&format!("content/{path}"), text);
        assert_eq!(codes(&site.publish()), [""; 0]);
        site.page(&format!("{page}index.html")).says(shown);
    }
    assert!(site.page("cases/pong/index.html").texts("h1")[0].starts_with("The Game of Pong"));
    let links = site.page("index.html").texts("header nav a");
    assert!(links.contains(&"The Guide".to_owned()), "{links:?}");
    site.write(
        "content/pages/later.md",
        "+++\ndraft = true\n+++\n\nNot yet.\n",
    )
    .publish();
    assert!(!site.is_published("later"));
    let drafts = Overrides {
        drafts: true,
        ..Overrides::default()
    };
    assert!(site.build_with(&drafts).published);
    assert!(site.is_published("later/index.html"));
}

#[test]
fn dead_links_in_prose_are_reported() {
    let site = TestSite::base();
    site.write("static/pictures/a b.png", "");
    site.write("content/pages/guide.md", "# Größe\n\n# 概述\n");
    let links = |list: &str| -> String {
        list.split_whitespace()
            .map(|link| format!("![words](<{link}>)\n"))
            .collect()
    };
    let alive = format!(
        "../index.html .. ../ ../#newest # #top #first-part #%E6%A6%82%E8%BF%B0 #:~:text=words ?sort=cost
        ../guide/index.html#概述 ../guide/#größe ../guide/ ../guide ../pictures/a%20b.png ../runs/ ../runs/page/2/index.html
        ../cases/pong/index.html ../feeds/runs.json ../404.html ../schema/ https://example.org/none mailto:a@example.org
        ../runs/{FIRST_SLUG}/index.html#e-1"
    );
    let text = format!(
        "{}\n# First part\n\n# 概述\n",
        links(&alive).replace('!', "")
    );
    site.write("content/pages/about.md", text)
        .write("content/cases/pong.md", "[words](../../about/index.html)\n")
        .write("content/pages/index.md", "[words](about/index.html)\n");
    assert_eq!(codes(&site.check()), [""; 0]);
    let dead = "../../about/index.html /about/index.html ../abuot/index.html ../pictures/b.png
        ../runs/none/index.html ../cases/none/index.html ../cases/ ..//guide/";
    site.write(
        "content/pages/about.md",
        format!("+++\n+++\n{}", links(dead)),
    );
    let outcome = site.check();
    let found = outcome
        .diagnostics
        .iter()
        .map(|problem| (problem.code.name, problem.place.line));
    let expected = (3..11).map(|line| ("page.dead-link", Some(line)));
    assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    assert_eq!(outcome.blocking, 0);
}

#[test]
fn dead_anchors_in_prose_are_reported() {
    let site = TestSite::base();
    site.write("content/pages/a.md", "# Größe\n\n[here](#größe), [here](#nope), [there](../b/index.html#nope), [there](../b/#part), [old](#gr-e)\n")
        .write("content/pages/b.md", "# Part\n\nText.\n")
        .write("content/pages/index.md", "# Part\n\n[a](#newest), [b](#part), [c](#about-part)\n")
        .write("content/cases/pong.md", "[a](#set-1), [b](#nope)\n");
    let outcome = site.check();
    let mut dead = messages_of(&outcome);
    dead.sort_unstable();
    let expected = [
        ("#gr-e", "a"),
        ("#nope", "a"),
        ("#nope", "cases/pong"),
        ("#part", ""),
        ("../b/index.html#nope", "b"),
    ];
    let expected = expected.map(|(link, page)| {
        let page = if page.is_empty() {
            "index.html".to_owned()
        } else {
            format!("{page}/index.html")
        };
        format!("Dead link `{link}`: the page `{page}` has no such heading")
    });
    assert_eq!(dead, expected);
}

#[test]
fn prose_for_a_case_in_another_script_is_on_its_page() {
    let site = TestSite::empty();
    site.run("a", &Run::new("0000000a-1").case("模型"))
        .write("content/cases/模型.md", "Words about it.\n");
    let codes = codes(&site.publish());
    assert!(
        !codes.iter().any(|code| code.starts_with("page.")),
        "{codes:?}"
    );
    let pages = site.published_with("Words about it.");
    assert!(
        pages.iter().any(|path| path.starts_with("cases/")),
        "{pages:?}"
    );
}

#[test]
fn a_page_that_is_too_large_is_not_called_a_review() {
    let site = TestSite::base();
    site.write("site.toml", "[limits]\nwriteup = 64\n");
    site.write("content/pages/guide.md", "word ".repeat(40));
    assert!(!codes(&site.check()).contains(&"review.too-large"));
}

#[test]
fn a_page_whose_name_gives_no_address_is_reported() {
    let site = TestSite::base();
    site.write("content/pages/模型.md", "words\n");
    let outcome = site.check();
    assert!(
        messages_of(&outcome)
            .iter()
            .all(|message| !message.contains("`//`")),
        "{:?}",
        described(&outcome)
    );
}
