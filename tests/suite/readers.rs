//! Files for readers that are programs: `run.md`, `llms.txt` and `CITATION.cff`.

use runpress::api::characters;

use crate::hostile;
use crate::support::{FIRST_SLUG, Run, TestSite, contains, event, lacks, lines, messages};

/// Backticks, headings, links and characters that deceive a reader, at the start of lines and within them. The backticks at its start
/// tell where it is.
const HOSTILE: &str = "````````\n# Heading\n```\n[go](javascript:alert(1)) ![i](https://evil.example/x.png) <b>\r# H\r\n~~~\n\u{202e}txt\u{2066} \u{1b}[31mred\u{1b}]0;t\u{7} \u{200b}\u{2028}# after\n---\n> quote ````````````";

/// The lines outside of code blocks, as `CommonMark` reads them.
fn outside(text: &str) -> Vec<&str> {
    let mut fence: Option<usize> = None;
    let mut found = Vec::new();
    for line in text.lines() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        let rest = &line[ticks..];
        match fence {
            Some(open) if ticks >= open && rest.trim().is_empty() => fence = None,
            Some(_) => {}
            None if ticks >= 3 => fence = Some(ticks),
            None => found.push(line),
        }
    }
    assert_eq!(fence, None, "an open code block in {text}");
    found
}

#[test]
fn a_run_has_a_file_that_says_what_its_page_says() {
    let site = TestSite::base();
    site.publish();
    let page = site.first_page();
    let link = page.one("link[type='text/markdown']");
    assert_eq!(link.attr("rel"), Some("alternate"));
    assert_eq!(link.attr("href"), Some("run.md"));
    let text = site.first_text("run.md");
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(
        headings,
        [
            &*format!("# Run {FIRST_SLUG}"),
            "## Task",
            "## Verdict",
            "## What did not work",
            "## 1 failure in 4 events",
            "#2 npm test",
            "## Review",
            "## Annotated moments",
            "#2 note: The test was run before the code was read.",
            "## 4 steps",
            "#0 message: I will read the task first.",
            "#1 read ok: /workspace/TASK.md",
            "#2 command failed: npm test",
            "#3 message: One test fails.",
        ],
        "{text}"
    );
    let task = page.texts("h1").join("");
    contains(&text, format!("\n{task}\n"));
    let verdict = page.texts(".verdict li").join(" · ");
    contains(&text, format!("\n{verdict}\n"));
    for target in ["index.html", "run.json", "events.jsonl", "../../llms.txt"] {
        contains(&text, format!("]({target})\n"));
    }
}

#[test]
fn recorded_text_never_leaves_its_code_blocks() {
    let site = hostile::site(HOSTILE, "name");
    site.publish();
    let files = site.published();
    let mut seen = 0;
    for (path, bytes) in &files {
        if !path.ends_with(".md") && path != "llms.txt" {
            continue;
        }
        seen += 1;
        let text = std::str::from_utf8(bytes).expect("UTF-8");
        let hidden = characters::classify(text).find(|(_, hidden)| *hidden);
        assert_eq!(hidden, None, "{path}");
        assert!(!text.contains('\r'), "{path}");
        for line in outside(text) {
            for active in ["[go](", "![i](", "<b>"] {
                assert!(!line.contains(active), "{path}: {line}");
            }
            let mut starts = "# |## |> |- [|Text in code|License of|1 run of|\\`\\`".split('|');
            let is_known = line.is_empty() || starts.any(|start| line.starts_with(start));
            assert!(is_known, "{path}: {line}");
        }
        let outside = outside(text).into_iter();
        let headings: Vec<&str> = outside.filter(|line| line.starts_with('#')).collect();
        let own = "Run |Task|Verdict|Why it|How it|What did|Review|Annotated|Pages|Data|Cases|Newest|\\`\\`";
        for heading in headings {
            let words = heading.trim_start_matches('#').trim_start();
            let is_count = words.starts_with(|c: char| c.is_ascii_digit());
            let is_own = is_count || own.split('|').any(|own| words.starts_with(own));
            assert!(is_own, "{path}: {heading}");
        }
    }
    assert_eq!(seen, 2, "{:?}", files.keys());
}

#[test]
fn a_long_run_has_its_first_and_last_steps_and_says_how_many_are_left_out() {
    let site = TestSite::base();
    site.unannotated();
    let long = format!("\"message\":\"{}\"", "word ".repeat(40_000));
    let log = messages(10_000) + &event(10_001, "agent", &long) + "\n";
    site.write_first("events.jsonl", log);
    site.publish();
    let text = site.first_text("run.md");
    contains(&text, "## 10,001 steps\n");
    contains(&text, "\n… 9,961 steps …\n");
    for step in ["#0 ", "#15 ", "#9977 ", "#10000 "] {
        contains(&text, format!("\n{step}"));
    }
    for step in ["#16 ", "#9976 "] {
        lacks(&text, format!("\n{step}"));
    }
    assert!(text.len() < 6_000, "{} bytes", text.len());
}

#[test]
fn a_site_may_do_without_these_files() {
    let site = TestSite::base();
    site.write("site.toml", "[publish]\nmarkdown = false\n");
    site.publish();
    assert!(!site.is_published(&format!("runs/{FIRST_SLUG}/run.md")));
    let page = site.first_page();
    assert!(page.all("link[type='text/markdown']").is_empty());
    let index = site.text("public/llms.txt");
    contains(&index, format!("](runs/{FIRST_SLUG}/index.html): "));
    site.write("site.toml", "[publish]\nmarkdown = true\n");
    site.publish();
    let index = site.text("public/llms.txt");
    contains(&index, format!("](runs/{FIRST_SLUG}/run.md): "));
    assert!(site.first_text("run.md").starts_with("# Run "));
}

#[test]
fn the_index_lists_pages_feeds_with_schemas_cases_and_the_newest_runs() {
    let site = TestSite::base();
    site.write(
        "site.toml",
        "[feeds]\nitems = 2\n[site]\ntitle = \"A [site]\"\n",
    );
    for number in 0..4 {
        let id = format!("5f1c2d3e-0000-4000-8000-00000000000{number}");
        site.run(&format!("more-{number}"), &Run::new(&id));
    }
    site.write(
        "content/pages/about.md",
        "+++\ntitle = \"About\"\ndescription = \"Who *we* are.\"\n+++\n\nText.\n",
    );
    site.publish();
    let text = site.text("public/llms.txt");
    assert!(
        text.starts_with("# A \\[site\\]\n\n> Published runs of AI agents.\n\n5 runs"),
        "{text}"
    );
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("##")).collect();
    assert_eq!(
        headings,
        ["## Pages", "## Data", "## Cases", "## Newest runs"]
    );
    for line in [
        "- [About](about/index.html): Who \\*we\\* are.",
        "- [pong](cases/pong/index.html): 5 runs",
        "- [3 more runs](feeds/runs.json): All runs.",
    ] {
        contains(&text, line);
    }
    contains(&text, " [Schema](schema/runs.schema.json)\n");
    assert_eq!(text.matches("/run.md): ").count(), 2, "{text}");
    site.write("static/llms.txt", "mine\n");
    site.publish();
    assert_eq!(site.text("public/llms.txt"), "mine\n");
}

#[test]
fn a_site_with_an_author_says_how_it_is_cited() {
    let site = TestSite::base();
    site.publish();
    assert!(!site.is_published("CITATION.cff"));
    let authors =
        "[citation]\nauthors = [\"Doe, Jane\", \"A_B Lab\"]\ndoi = \"10.5281/zenodo.1234\"\n";
    site.write(
        "site.toml",
        format!("{authors}[site]\ntitle = \"A: \\\"b\\\"\"\nbase_url = \"https://runs.example.org/\"\nauthor = \"x\"\n[policy]\nlicence = \"MIT OR Apache-2.0\"\n"),
    );
    site.publish();
    let text = site.text("public/CITATION.cff");
    for part in [
        "cff-version: 1.2.0\n",
        "title: \"A: \\\"b\\\"\"\n",
        "doi: \"10.5281/zenodo.1234\"\n",
        "date-released: \"2026-03-01\"\n",
        "license:\n  - MIT\n  - Apache-2.0\n",
        "authors:\n  - family-names: \"Doe\"\n    given-names: \"Jane\"\n  - name: \"A_B Lab\"\n",
    ] {
        contains(&text, part);
    }
    let page = site.first_page();
    let cite = page.texts(".cite").join("");
    assert!(
        cite.starts_with("Doe, Jane; A_B Lab. Run 4f1c2d3e"),
        "{cite}"
    );
    let bibtex = page.texts(".cite + pre").join("");
    let start = format!("@misc{{{FIRST_SLUG}, author = {{Doe, Jane and {{A\\_B Lab}}}}, ");
    assert!(bibtex.starts_with(&start), "{bibtex}");
    contains(&bibtex, " year = {2026}, month = {03}, ");
    let url = format!(" url = {{https://runs.example.org/runs/{FIRST_SLUG}/}}, ");
    contains(&bibtex, url);
    let index = site.text("public/llms.txt");
    contains(&index, "](https://runs.example.org/CITATION.cff): ");
    site.write("static/CITATION.cff", "mine\n");
    site.publish();
    assert_eq!(site.text("public/CITATION.cff"), "mine\n");
}

#[test]
fn a_doi_is_checked() {
    let site = TestSite::base();
    for wrong in [
        "https://doi.org/10.5281/zenodo.1234",
        "10.12/x",
        "10.5281/",
        "10.5281/a b",
    ] {
        site.write(
            "site.toml",
            lines(&["[citation]", &format!("doi = \"{wrong}\"")]),
        );
        let ran = site.runpress("check");
        assert_eq!(ran.status, Some(2), "{wrong}: {}", ran.stderr);
        ran.says("is not a DOI");
    }
}
