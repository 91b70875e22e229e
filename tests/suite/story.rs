//! The story of a run: its moments, the rules that select them, and which runs have one.

use crate::support::{
    Page, Run, TestSite, annotation, below, contains, event, lines, message, messages, words,
};

const STORY: &str = "public/runs/pong-codex-sample-lark-1-4f1c2d3e/story/index.html";

/// A site with the setting `stories`, and one run with these events and annotations.
fn told(stories: &str, events: &[String], annotations: &[String]) -> TestSite {
    let site = TestSite::base();
    site.write("site.toml", format!("[site]\nstories = \"{stories}\"\n"));
    site.log(lines(events));
    if !annotations.is_empty() {
        site.annotate(annotations);
    }
    site.publish();
    site
}

fn story(site: &TestSite) -> Page {
    Page::parse(&site.text(STORY))
}

fn log() -> Vec<String> {
    vec![
        event(0, "agent", "\"message\":\"I begin.\""),
        event(1, "write", "\"path\":\"/workspace/a.ts\""),
        event(2, "command", "\"command\":\"npm test\",\"isSuccess\":false"),
        event(3, "error", "\"message\":\"Cannot find a module\""),
        event(700, "write", "\"path\":\"/workspace/b.ts\""),
        event(701, "agent", "\"message\":\"It works.\""),
        event(900, "agent", "\"message\":\"Done.\""),
    ]
}

/// The title with its number, and the quote, of each frame.
fn frames(page: &Page) -> Vec<(String, String)> {
    let text = |frame, selector| below(frame, selector).into_iter().map(words).collect();
    let quote = "blockquote > p:first-child";
    let frames = page.all(".frame").into_iter();
    frames
        .map(|frame| (text(frame, "h2 > a"), text(frame, quote)))
        .collect()
}

#[test]
fn a_story_shows_markers_people_the_first_failure_the_longest_gap_the_last_write_and_the_end() {
    let by = |kind: &str, evidence: &str| {
        format!(r#""evidence":"{evidence}","author":{{"id":"x","kind":"{kind}"}}"#)
    };
    let hypothesis = r#""evidence":"Without author.","hypothesis_status":"active""#;
    let site = told(
        "annotated",
        &log(),
        &[
            annotation("m", 5, "marker", &by("system", "Look **here**.")),
            annotation("p", 1, "note", &by("human", "A person.")),
            annotation("s", 1, "note", &by("agent", "A program.")),
            annotation("n", 4, "hypothesis", hypothesis),
        ],
    );
    let page = story(&site);
    assert_eq!(
        frames(&page),
        [
            ("1. Annotation: note", "A person."),
            ("2. First failure", "Cannot find a module"),
            (
                "3. Annotation: hypothesis, active · After the longest gap, 11 min 37 s · Last write",
                "Without author."
            ),
            ("4. Marker", "Look here."),
            ("5. The end", "Done."),
        ]
        .map(|(title, quote)| (title.to_owned(), quote.to_owned()))
    );
    let rules = page.texts("header > .quiet").concat();
    for rule in [
        "every marker",
        "by a person",
        "first failure",
        "more than 60 seconds",
        "last write",
        "last event",
    ] {
        assert!(rules.contains(rule), "{rule}: {rules}");
    }
}

#[test]
fn each_frame_has_an_address_its_context_its_place_on_the_tape_and_the_way_to_the_next() {
    let site = told("all", &log(), &[]);
    let page = story(&site);
    let frames = page.all(".frame");
    assert_eq!(frames.len(), 3);
    for (index, frame) in frames.into_iter().enumerate() {
        let number = index + 1;
        assert_eq!(frame.value().id(), Some(format!("f-{number}").as_str()));
        let hrefs: Vec<_> = below(frame, ".links a")
            .into_iter()
            .filter_map(|link| link.attr("href"))
            .collect();
        let before = if number == 1 {
            "#main".to_owned()
        } else {
            format!("#f-{}", number - 1)
        };
        assert_eq!(hrefs[0], before);
        assert_eq!(
            hrefs.contains(&format!("#f-{}", number + 1).as_str()),
            number < 3
        );
        let last = hrefs.last().expect("a link");
        assert!(last.starts_with("../index.html#e-"), "{last}");
        assert!((2..=3).contains(&below(frame, ".around > li").len()));
        assert_eq!(below(frame, ".around .here").len(), 1);
        assert_eq!(below(frame, "use[href='#tape']").len(), 1);
        assert_eq!(below(frame, ".lit").len(), 1);
    }
    let links = page.all("main header li a").len();
    assert_eq!(links, 3, "the overview names every frame");
}

#[test]
fn the_setting_says_which_runs_have_a_story() {
    let note = [annotation("n", 0, "note", "\"evidence\":\"x\"")];
    for (stories, annotations, has) in [
        ("all", &note[..0], true),
        ("annotated", &note[..0], false),
        ("annotated", &note, true),
        ("none", &note, false),
    ] {
        let site = told(stories, &log(), annotations);
        assert_eq!(
            site.path(STORY).exists(),
            has,
            "{stories}, {}",
            annotations.len()
        );
        let links = site.first_page().all("a[href='story/index.html']").len();
        assert_eq!(links, usize::from(has), "{stories}: the run page links it");
    }
    let site = told("annotated", &log(), &note);
    site.write("site.toml", "");
    site.publish();
    assert!(site.path(STORY).exists(), "annotated is the default");
}

#[test]
fn a_frame_has_the_status_of_a_hypothesis_and_all_events_of_its_span() {
    let fields = "\"hypothesis_status\":\"confirmed\",\"evidence\":\"A cause.\",\"span\":{\"start_event_id\":1,\"end_event_id\":3}";
    let page = story(&told(
        "all",
        &log(),
        &[annotation("h", 1, "hypothesis", fields)],
    ));
    let frame = page.one("#f-1");
    let title: Vec<String> = below(frame, "h2 > a").into_iter().map(words).collect();
    assert_eq!(
        title,
        ["1. Annotation: hypothesis, confirmed, events 1 to 3"]
    );
    assert_eq!(below(frame, ".around li").len(), 5);
    assert_eq!(below(frame, ".around li.here").len(), 3);
}

#[test]
fn a_run_without_events_has_no_story() {
    let site = told("all", &log(), &[]);
    site.remove_first("events.jsonl");
    site.publish();
    assert!(!site.path(STORY).exists());
}

#[test]
fn a_run_that_is_not_published_has_no_story() {
    let site = told("all", &log(), &[]);
    let kept = site.text(STORY);
    site.run("stopped", &Run::new("0000000b-1").state("canceled"));
    site.write("content/runs/stopped/events.jsonl", messages(3));
    site.run_with("broken", &Run::new("0000000c-1"), |record| {
        record["metrics"]["runTimeSeconds"] = "long".into();
    });
    site.write("content/runs/broken/events.jsonl", messages(3));
    site.keep_going();
    let published = site.published();
    let stories = published.keys().filter(|path| path.contains("/story/"));
    assert_eq!(stories.count(), 1);
    assert_eq!(site.text(STORY), kept);
}

#[test]
fn of_very_many_annotations_a_story_keeps_the_markers_and_counts_the_others() {
    let events: Vec<String> = (0..60).map(|at| message(at, "x")).collect();
    let note = |at: u64| {
        let kind = if at == 59 { "marker" } else { "note" };
        annotation(&format!("n{at}"), at, kind, "")
    };
    let notes: Vec<String> = (0..60).map(note).collect();
    let page = story(&told("all", &events, &notes));
    let frames = frames(&page);
    assert_eq!(frames.len(), 40);
    assert_eq!(frames[39].0, "40. Marker · The end");
    contains(
        &page.texts("header > .quiet").concat(),
        "at most 40; 20 more annotations on the timeline",
    );
}

#[test]
fn quotes_are_cut_and_stay_text() {
    let long = "<b>\\u001b[31m".to_owned() + &"long ".repeat(10_000);
    let events = [
        event(0, "agent", &format!("\"message\":\"{long}\"")),
        event(1, "agent", &format!("\"message\":\"{long}\\u202e\"")),
    ];
    let note = annotation("n", 0, "note", &format!("\"evidence\":\"`<b>` {long}\""));
    let site = told("all", &events, &[note]);
    let html = site.text(STORY);
    assert!(html.len() < 20_000, "{} bytes", html.len());
    let page = story(&site);
    assert_eq!(page.all("blockquote b, .around span b").len(), 0);
    for (title, quote) in frames(&page) {
        assert!(
            quote.ends_with('…') && quote.chars().count() < 440,
            "{title}: {quote}"
        );
        assert!(!quote.contains('\u{1b}'), "{title}: {quote}");
    }
}
