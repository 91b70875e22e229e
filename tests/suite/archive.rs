//! Properties across runs: order, addresses, comparable sets.

use runpress::api::site::Overrides;

use crate::support::{FIRST, FIRST_SLUG, Run, TestSite, codes, described};

fn slugs(site: &TestSite) -> Vec<String> {
    let feed = site.json("feeds/runs.json");
    let runs = feed["runs"].as_array().expect("runs").clone();
    runs.iter()
        .map(|run| run["slug"].as_str().expect("a slug").to_owned())
        .collect()
}

#[test]
fn equal_ids_are_an_error_that_names_both_folders() {
    let site = TestSite::empty();
    site.run("a", &Run::new("9b02c4aa-1"))
        .run("b", &Run::new("9b02c4aa-1").model("other"))
        .run("c", &Run::new("9b02c4aa-1"));
    let outcome = site.check();
    assert_eq!(
        codes(&outcome),
        ["archive.duplicate-run-id", "archive.duplicate-run-id"]
    );
    let paths: Vec<_> = outcome
        .diagnostics
        .iter()
        .map(|d| d.place.path.as_str())
        .collect();
    assert_eq!(
        paths,
        [
            "content/runs/b/run-record.json",
            "content/runs/c/run-record.json"
        ]
    );
    assert!(
        outcome
            .diagnostics
            .iter()
            .all(|d| d.message.contains("content/runs/a")),
        "{:?}",
        described(&outcome)
    );
    assert!(!site.build().published);
}

#[test]
fn of_two_runs_with_one_address_the_one_that_started_first_keeps_it() {
    let (early, late) = ("2026-03-01T09:00:00Z", "2026-03-01T10:00:00Z");
    for (first, second, kept) in [
        (
            Run::new("4f1c2d3e-zz").at(early, late),
            Run::new("4f1c2d3e-aa").at(late, late),
            "4f1c2d3e-zz",
        ),
        (
            Run::new("4f1c2d3e-zz").at(late, late),
            Run::new("4f1c2d3e-aa").at(late, late),
            "4f1c2d3e-aa",
        ),
        (
            Run::new("4f1c2d3e-zz").at("2026-03-01T09:30:00+02:00", late),
            Run::new("4f1c2d3e-aa").at(early, late),
            "4f1c2d3e-zz",
        ),
    ] {
        let site = TestSite::empty();
        site.run("a", &first).run("b", &second);
        assert_eq!(codes(&site.publish()), ["archive.slug-collision"]);
        let moved = if kept == first.id { &second } else { &first };
        let document = |slug: &str| {
            site.json(&format!("runs/{slug}/run.json"))["record"]["id"]
                .as_str()
                .map(str::to_owned)
        };
        assert_eq!(
            document("pong-codex-sample-lark-1-4f1c2d3e").as_deref(),
            Some(kept)
        );
        assert_eq!(
            document(&format!("pong-codex-sample-lark-1-{}", moved.id)).as_deref(),
            Some(moved.id.as_str())
        );
    }
}

#[test]
fn runs_whose_ids_begin_alike_have_distinct_short_ids_in_every_list() {
    let site = TestSite::empty();
    site.run("first", &Run::new("9b02c4aa-11d0"));
    site.publish();
    let alike = ["sample-pong-one", "sample-pong-two"];
    for id in alike {
        site.run(id, &Run::new(id));
    }
    let outcome = site.runpress(&["build", "--report", "markdown"]);
    for (path, part) in [("runs/index.html", "small"), ("cases/pong/index.html", "a")] {
        let mut rows = site.page(path).texts(&format!("tr[data-run] th {part}"));
        rows.sort();
        assert_eq!(rows, ["9b02c4aa", alike[0], alike[1]], "{path}");
    }
    let changes = site.page("changes/index.html").main();
    let published = site.published();
    let everything = |end: &str| {
        let files = published.iter().filter(|(path, _)| path.ends_with(end));
        files
            .map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned())
            .collect::<String>()
    };
    let scripts = everything(".js");
    for id in alike {
        assert!(changes.contains(id), "{id} in {changes}");
        assert!(
            outcome.stdout.contains(&format!("[{id}](<")),
            "{}",
            outcome.stdout
        );
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
    site.run(
        "a",
        &Run::new("ABCDEF0123456789-rest")
            .case("Pong  Deluxe!")
            .model("OpenAI/gpt-5.4 (preview)"),
    );
    site.publish();
    assert_eq!(
        slugs(&site),
        ["pong-deluxe-codex-openai-gpt-5-4-preview-abcdef01"]
    );
    assert!(
        site.path("public/models/openai-gpt-5-4-preview/index.html")
            .is_file()
    );
    assert!(site.path("public/cases/pong-deluxe/index.html").is_file());
}

#[test]
fn names_that_differ_only_in_punctuation_get_pages_of_their_own() {
    let site = TestSite::empty();
    site.run("a", &Run::new("0000000a-1").model("sample/lark"))
        .run("b", &Run::new("0000000b-1").model("sample.lark"));
    let outcome = site.publish();
    assert_eq!(codes(&outcome), ["archive.slug-collision"]);
    let models: Vec<_> = std::fs::read_dir(site.path("public/models"))
        .expect("models")
        .map(|e| e.expect("an entry").file_name())
        .filter(|name| name != "index.html")
        .collect();
    assert_eq!(models.len(), 2, "{models:?}");
    for slug in slugs(&site) {
        let page = site.page(&format!("runs/{slug}/index.html"));
        let link = page.one(".subject a[href^='../../models/']");
        let target = link
            .value()
            .attr("href")
            .expect("a link")
            .replace("../../", "");
        assert_eq!(
            site.page(&target).texts("h1"),
            [crate::support::words(link)]
        );
    }
}

#[test]
fn a_model_without_a_single_ascii_letter_has_a_page() {
    let site = TestSite::empty();
    site.run("a", &Run::new("0000000a-1").model("模型"))
        .run("b", &Run::new("0000000b-1").model("!!!"))
        .run("c", &Run::new("0000000c-1").model("模型"));
    let outcome = site.publish();
    assert_eq!(
        codes(&outcome),
        ["archive.slug-collision", "archive.slug-collision"]
    );
    assert_eq!(crate::crawl::problems(&site.published()), [""; 0]);
    let page = site.page("runs/index.html");
    assert!(page.main().contains("模型") && page.main().contains("!!!"));
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
    let ids: Vec<_> = slugs(&site)
        .iter()
        .map(|slug| slug.rsplit('-').next().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(
        ids,
        ["0000000b", "0000000c", "0000000a", "0000000d", "0000000e"]
    );
    let page = site.page("cases/pong/index.html");
    assert_eq!(page.texts(".comparison tr:not(.group) > th > a"), ids);
    let middle = site.page("runs/pong-codex-sample-lark-1-0000000a/index.html");
    let neighbour = |rel: &str| {
        middle
            .one(&format!("nav.neighbours a[rel={rel}]"))
            .value()
            .attr("href")
            .map(str::to_owned)
    };
    assert_eq!(
        neighbour("prev").as_deref(),
        Some("../../runs/pong-codex-sample-lark-1-0000000c/index.html")
    );
    assert_eq!(
        neighbour("next").as_deref(),
        Some("../../runs/pong-codex-sample-lark-1-0000000d/index.html")
    );
}

#[test]
fn the_rating_never_changes_the_order() {
    let site = TestSite::empty();
    for (n, rating) in ["broken", "flawless", "scuffed", "great"]
        .iter()
        .enumerate()
    {
        let finished = format!("2026-03-0{}T00:00:00Z", n + 1);
        site.run(
            rating,
            &Run::new(&format!("{n:08x}-1")).at("2026-02-01T00:00:00Z", &finished),
        );
        site.write(
            &format!("content/runs/{rating}/writeup.md"),
            format!("---\nrating: {rating}\n---\n\nSeen.\n"),
        );
    }
    site.publish();
    let ratings: Vec<_> = site.json("feeds/runs.json")["runs"]
        .as_array()
        .expect("runs")
        .iter()
        .map(|r| r["rating"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(ratings, ["great", "scuffed", "flawless", "broken"]);
}

#[test]
fn runs_of_different_versions_engines_and_orchestrators_never_share_a_table() {
    let site = TestSite::empty();
    let plain = Run::new("0000000a-1");
    let mut newer = Run::new("0000000b-1");
    newer.version = "v2.0.0".to_owned();
    let other = |id: &str, key: &str, value: &str| {
        Run::new(id).record().replace(
            "\"modelId\"",
            &format!("\"{key}\": \"{value}\",\n    \"modelId\""),
        )
    };
    site.run("a", &plain).run("b", &newer);
    site.write(
        "content/runs/c/run-record.json",
        other("0000000c-1", "engineSlug", "simple-2d"),
    );
    site.write(
        "content/runs/d/run-record.json",
        other("0000000d-1", "orchestratorSlug", "ralph"),
    );
    let mut frenzy = Run::new("0000000e-1");
    frenzy.variant = "frenzy".to_owned();
    site.run("e", &frenzy);
    site.publish();
    let page = site.page("cases/pong/index.html");
    assert_eq!(page.all("table.comparison").len(), 4);
    let tables: Vec<Vec<String>> = page
        .all("table.comparison")
        .into_iter()
        .map(|table| {
            crate::support::below(table, "tbody tr:not(.group) th a")
                .into_iter()
                .map(crate::support::words)
                .collect()
        })
        .collect();
    assert!(
        tables.contains(&vec!["0000000a".to_owned(), "0000000e".to_owned()]),
        "variants share a table: {tables:?}"
    );
    assert!(
        page.main().contains("Engine simple-2d") && page.main().contains("orchestrator ralph"),
        "{}",
        page.main()
    );
    let model = site.page("models/sample-lark-1/index.html");
    assert_eq!(
        model.all("table.comparison tr.group").len(),
        5,
        "one table, a group for each task"
    );
}

#[test]
fn a_comparison_table_has_a_column_for_every_declared_check() {
    let site = TestSite::empty();
    site.run("a", &Run::new("0000000a-1"));
    let second = Run::new("0000000b-1")
        .record()
        .replace("\"view\": \"title\"", "\"view\": \"in-play\"")
        .replace("\"Title\"", "\"In Play\"");
    site.write("content/runs/b/run-record.json", second);
    site.publish();
    let page = site.page("cases/pong/index.html");
    let mut heads = page.texts("table.comparison th.check");
    heads.sort();
    assert_eq!(heads, ["in-play", "title"]);
    assert_eq!(page.all("table.comparison tbody tr:not(.group)").len(), 2);
    for row in page.all("table.comparison tbody tr:not(.group)") {
        assert_eq!(
            crate::support::below(row, "th, td").len(),
            page.all("table.comparison thead th").len()
        );
    }
}

#[test]
fn several_content_roots_make_one_archive() {
    let site = TestSite::empty();
    site.run("a", &Run::new("0000000a-1"));
    site.write("more/b/run-record.json", Run::new("0000000b-1").record());
    site.write("site.toml", "[build]\ncontent = [\"content\", \"more\"]\n");
    site.publish();
    assert_eq!(slugs(&site).len(), 2);
    site.write(
        "site.toml",
        "[build]\ncontent = [\"content\", \"content/runs\", \"more\"]\n",
    );
    assert_eq!(
        codes(&site.check()),
        [""; 0],
        "a folder that two roots hold is one run"
    );
    assert_eq!(site.check().runs, 2);
}

#[test]
fn run_folders_are_found_at_any_depth_and_do_not_nest() {
    let site = TestSite::empty();
    site.write("content/run-record-notes.md", "not a run");
    site.write(
        "content/a/b/c/d/e/run-record.json",
        Run::new("0000000a-1").record(),
    );
    site.write(
        "content/a/b/c/d/e/implementation/run-record.json",
        "not a run either",
    );
    site.write("content/.hidden/run-record.json", "nor this");
    assert_eq!((codes(&site.check()), site.check().runs), (vec![], 1));
}

#[test]
fn a_nested_run_directory_is_reported_but_not_a_record_among_the_files_of_a_run() {
    let site = TestSite::base();
    let own = [
        "assets/a",
        "proofs",
        "play",
        "run.tape.cas",
        ".git",
        "implementation/deep",
    ];
    for folder in own {
        site.write(
            &format!("{FIRST}/{folder}/run-record.json"),
            "a thing of the run",
        );
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
    site.write(
        "content/cases/pong.md",
        "+++\ntitle = \"The Game of Pong\"\n+++\n\nTwo paddles, one ball.\n",
    );
    site.write("content/models/sample-lark-1.md", "A model for samples.\n");
    site.write("content/harnesses/codex.md", "A harness.\n");
    site.write("content/pages/index.md", "Welcome, reader.\n");
    site.write(
        "content/pages/guide.md",
        "+++\ntitle = \"The Guide\"\norder = 1\n+++\n\n## First steps\n\nRead.\n",
    );
    site.write(
        "content/pages/later.md",
        "+++\ndraft = true\n+++\n\nNot yet.\n",
    );
    assert_eq!(codes(&site.publish()), [""; 0]);
    assert!(site.page("cases/pong/index.html").texts("h1")[0].starts_with("The Game of Pong"));
    for (page, text) in [
        ("cases/pong/index.html", "Two paddles, one ball."),
        ("models/sample-lark-1/index.html", "A model for samples."),
        ("harnesses/codex/index.html", "A harness."),
        ("index.html", "Welcome, reader."),
        ("guide/index.html", "First steps"),
    ] {
        assert!(site.page(page).main().contains(text), "{page}");
    }
    assert!(!site.path("public/later").exists());
    assert!(
        site.page("index.html")
            .texts("header nav a")
            .contains(&"The Guide".to_owned())
    );
    let drafts = runpress::api::site::Overrides {
        drafts: true,
        ..Default::default()
    };
    assert!(site.build_with(&drafts).published);
    assert!(site.path("public/later/index.html").is_file());
}

#[test]
fn dead_links_in_prose_are_reported() {
    let site = TestSite::base();
    site.write("static/pictures/a b.png", "");
    site.write("content/pages/guide.md", "# Größe\n\n# 概述\n");
    let alive = [
        "../index.html",
        "..",
        "../",
        "../#newest",
        "#",
        "#top",
        "#first-part",
        "#%E6%A6%82%E8%BF%B0",
        "#:~:text=words",
        "?sort=cost",
        "../guide/index.html#概述",
        "../guide/#größe",
        "../guide/",
        "../guide",
        "../pictures/a%20b.png",
        "../runs/",
        "../runs/page/2/index.html",
        "../cases/pong/index.html",
        "../feeds/runs.json",
        "../404.html",
        "../schema/",
        "https://example.org/none",
        "mailto:a@example.org",
    ];
    let run = format!("../runs/{FIRST_SLUG}/index.html#e-1");
    let text: String = alive
        .iter()
        .chain([&run.as_str()])
        .map(|address| format!("[words](<{address}>)\n"))
        .collect();
    let text = format!("{text}\n# First part\n\n# 概述\n");
    site.write("content/pages/about.md", &text);
    site.write("content/cases/pong.md", "[words](../../about/index.html)\n");
    site.write("content/pages/index.md", "[words](about/index.html)\n");
    assert_eq!(codes(&site.check()), [""; 0]);
    let dead = [
        "../../about/index.html",
        "/about/index.html",
        "../abuot/index.html",
        "../pictures/b.png",
        "../runs/none/index.html",
        "../cases/none/index.html",
        "../cases/",
        "..//guide/",
    ];
    let text: String = dead
        .iter()
        .map(|address| format!("![words](<{address}>)\n"))
        .collect();
    site.write("content/pages/about.md", format!("+++\n+++\n{text}"));
    let outcome = site.check();
    let lines: Vec<_> = outcome
        .diagnostics
        .iter()
        .map(|problem| (problem.code.name, problem.place.line))
        .collect();
    let told: Vec<_> = (3..).take(dead.len()).map(Some).collect();
    assert_eq!(
        lines,
        told.into_iter()
            .map(|line| ("page.dead-link", line))
            .collect::<Vec<_>>()
    );
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
    let mut dead: Vec<&str> = outcome
        .diagnostics
        .iter()
        .map(|found| found.message.as_str())
        .collect();
    dead.sort_unstable();
    assert_eq!(
        dead,
        [
            "Dead link `#gr-e`: the page `a/index.html` has no such heading",
            "Dead link `#nope`: the page `a/index.html` has no such heading",
            "Dead link `#nope`: the page `cases/pong/index.html` has no such heading",
            "Dead link `#part`: the page `index.html` has no such heading",
            "Dead link `../b/index.html#nope`: the page `b/index.html` has no such heading",
        ]
    );
}

#[test]
fn prose_for_a_case_in_another_script_is_on_its_page() {
    let site = TestSite::empty();
    site.run("a", &Run::new("0000000a-1").case("模型"))
        .write("content/cases/模型.md", "Words about it.\n");
    let outcome = site.build();
    assert!(outcome.published);
    assert!(!codes(&outcome).iter().any(|code| code.starts_with("page.")));
    let published = site.published();
    assert!(published.iter().any(|(path, bytes)| {
        path.starts_with("cases/") && String::from_utf8_lossy(bytes).contains("Words about it.")
    }));
}

#[test]
fn a_duplicate_id_is_pointed_at_by_line_and_column() {
    let site = TestSite::empty();
    site.run("a", &Run::new("0000000a-1"))
        .run("b", &Run::new("0000000a-1"));
    let outcome = site.check();
    assert_eq!(codes(&outcome), ["archive.duplicate-run-id"]);
    assert!(outcome.diagnostics[0].place.line.is_some());
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
        outcome
            .diagnostics
            .iter()
            .all(|d| !d.message.contains("`//`")),
        "{:?}",
        described(&outcome)
    );
}
