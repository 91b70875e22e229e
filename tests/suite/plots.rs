//! The plots of cost, time and tokens.

use serde_json::{Value, json};

use crate::support::{Page, Run, TestSite, below, contains, parse, words};

/// A site with runs by several models, with values that spread over the plot and repeat.
fn of(runs: usize, models: usize, cost: impl Fn(usize) -> Value) -> TestSite {
    let site = TestSite::empty();
    for number in 0..runs {
        let run = Run::new(&format!("{number:08}-1")).model(&format!("m-{}", number % models));
        site.run_with(&number.to_string(), &run, |record| {
            record["metrics"]["cost"]["comparable"] = cost(number);
        });
    }
    site.publish();
    site
}

/// The positions of the marks in the first plot, with the number of runs of each.
fn marks(page: &Page) -> Vec<(f64, f64, usize)> {
    let figure = page.all("figure.plot")[0];
    below(figure, "a [transform]")
        .into_iter()
        .map(|mark| {
            let at = mark.attr("transform").expect("a place");
            let at = at.trim_start_matches("translate(").trim_end_matches(')');
            let (x, y) = at.split_once(' ').expect("two numbers");
            let runs = words(mark).parse().unwrap_or(1);
            (x.parse().expect("x"), y.parse().expect("y"), runs)
        })
        .collect()
}

#[test]
fn three_runs_are_three_marks_that_lead_to_them() {
    let site = of(3, 3, |number| json!([1.5, 2.5, 3.5][number]));
    let page = site.page("cases/pong/index.html");
    assert_eq!(
        page.texts("figure.plot figcaption"),
        [
            "Run time over comparable cost",
            "Tokens of all classes over comparable cost"
        ]
    );
    assert_eq!(marks(&page).len(), 3);
    let links = page.all("figure.plot a");
    assert_eq!(links.len(), 6);
    for link in links {
        let name = link.attr("aria-label").expect("a name");
        assert_eq!(words(link), name, "its title");
        assert!(name.contains("m-") && name.contains("codex"), "{name}");
    }
    assert_eq!(page.all("figure.plot .open").len(), 0, "all completed");
    page.says("The table above has the values");
    assert_eq!(crate::crawl::problems(&site.published()), [""; 0]);
}

#[test]
fn two_runs_are_better_read_in_the_table() {
    let page = of(2, 2, |_| json!(1)).page("cases/pong/index.html");
    assert_eq!(page.all("figure.plot").len(), 0);
}

#[test]
fn no_mark_covers_another_at_500_runs_and_no_run_is_lost() {
    let many = || {
        of(500, 9, |n| {
            parse(&format!("0.{:04}", (n * 7919) % 9973 + 1))
        })
    };
    let site = many();
    let page = site.page("cases/pong/index.html");
    let marks = marks(&page);
    assert_eq!(marks.iter().map(|mark| mark.2).sum::<usize>(), 500);
    assert!(marks.iter().any(|mark| mark.2 > 1));
    for (index, a) in marks.iter().enumerate() {
        for b in &marks[..index] {
            let distance = (a.0 - b.0).hypot(a.1 - b.1);
            assert!(distance > 15.8, "{a:?} {b:?}");
        }
    }
    // Each model is named once in each plot: next to a mark, or in the legend.
    for figure in page.all("figure.plot") {
        for model in 0..9 {
            let name = format!("m-{model}");
            let beside = below(figure, "svg > text").into_iter();
            let beside = beside.filter(|text| words(*text) == name).count();
            let legend = below(figure, ".legend li").into_iter();
            let legend = legend.filter(|item| words(*item).starts_with(&name));
            assert_eq!(beside + legend.count(), 1, "{name}");
        }
    }
    let again = many();
    assert_eq!(
        site.bytes("public/cases/pong/index.html"),
        again.bytes("public/cases/pong/index.html")
    );
    // The table continues on a second page; the plot of all runs is on the first.
    let further = site.page("cases/pong/page/2/index.html");
    assert_eq!(further.all("figure.plot").len(), 0);
}

#[test]
fn a_wide_range_is_logarithmic_and_unknown_values_are_counted_in_words() {
    let site = of(6, 2, |number| match number {
        0 | 1 => Value::Null,
        _ => json!(10_u64.pow(u32::try_from(number).expect("a digit"))),
    });
    let page = site.page("cases/pong/index.html");
    let main = page.main();
    contains(
        &main,
        "2 runs have no known comparable cost and are only in the table.",
    );
    let texts = page.texts("figure.plot svg text");
    assert!(
        texts.contains(&"Comparable cost, USD, logarithmic".to_owned()),
        "{texts:?}"
    );
    let ticks: Vec<_> = texts.iter().filter(|text| text.starts_with('$')).collect();
    assert!(ticks.len() >= 6, "{ticks:?}");
    assert!(!main.contains("NaN") && !main.contains("inf"));
}

#[test]
fn figures_of_nothing_but_zero_are_drawn_too() {
    let page = of(3, 1, |_| json!(0)).page("cases/pong/index.html");
    assert_eq!(marks(&page).iter().map(|mark| mark.2).sum::<usize>(), 3);
}

/// A site with six runs of three models in two variants; one run failed.
fn two_variants() -> TestSite {
    let site = TestSite::empty();
    for number in 0..6 {
        let mut run = Run::new(&format!("{number:08}-1"))
            .model(&format!("m-{}", number % 3))
            .case(if number == 5 { "todo" } else { "pong" });
        run.variant = String::from(if number < 4 { "base" } else { "multi" });
        if number == 3 {
            run = run.state("failed");
        }
        site.run_with(&number.to_string(), &run, |record| {
            record["metrics"]["cost"]["comparable"] = json!(number + 1);
            record["metrics"]["runTimeSeconds"] = json!(1000 - 100 * number);
        });
    }
    site.publish();
    site
}

#[test]
fn a_plot_is_of_one_variant_and_a_run_that_did_not_complete_is_hollow() {
    let page = two_variants().page("cases/pong/index.html");
    assert_eq!(
        page.texts("figure.plot figcaption"),
        [
            "Run time over comparable cost, variant base",
            "Tokens of all classes over comparable cost, variant base"
        ],
        "the other variant has one run"
    );
    let figure = page.all("figure.plot")[0];
    assert_eq!(below(figure, "a path").len(), 4);
    let hollow: Vec<_> = below(figure, "a")
        .into_iter()
        .filter(|link| !below(*link, ".open").is_empty())
        .collect();
    assert_eq!(hollow.len(), 1);
    let name = hollow[0].attr("aria-label").expect("a name");
    assert!(name.contains("m-0, codex, failed"), "{name}");
}

#[test]
fn a_model_has_one_shape_and_color_in_plots_and_tables() {
    let page = two_variants().page("cases/pong/index.html");
    let drawn = |path: scraper::ElementRef<'_>| {
        let attr = |name| path.attr(name).unwrap_or_default().to_owned();
        (attr("class").replace(" open", ""), attr("d"))
    };
    let rows = page.all(".reliability tbody tr:not(.group)");
    let mut seen = std::collections::BTreeSet::new();
    for row in rows {
        let model = words(below(row, "th a")[0]);
        let sign = below(row, "th svg")[0];
        let color = sign.attr("class").expect("a class");
        let shape = below(sign, "path")[0].attr("d").expect("a shape");
        let own = format!(": {model}, codex");
        for link in page.all("figure.plot a") {
            if link.attr("aria-label").expect("a name").contains(&own) {
                let mark = drawn(below(link, "path")[0]);
                assert_eq!(
                    (format!("m {}", mark.0), mark.1),
                    (color.to_owned(), shape.to_owned())
                );
            }
        }
        seen.insert((color.to_owned(), shape.to_owned(), model));
    }
    assert_eq!(seen.len(), 3, "{seen:?}");
}
