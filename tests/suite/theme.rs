//! The site's own templates and static files: what they replace, and how unusable ones are reported.

use crate::support::{TestSite, event, parse, rows};

#[test]
fn templates_and_static_files_of_the_site_replace_the_built_in_ones_one_by_one() {
    let site = TestSite::base();
    site.write("templates/404.html", "{% extends \"builtin/404.html\" %}");
    site.write(
        "templates/page.html",
        "<h1>{{ title }}</h1><p class=\"mine\">mine</p>{{ html }}",
    );
    site.write("content/pages/guide.md", "# Words\n");
    site.write("static/css/site.css", "body { color: #123456 }");
    let script = "// A script of the site stays as it was written.\n";
    site.write("static/js/play.js", script);
    site.write("static/robots-note.txt", "hello");
    site.publish();
    assert_eq!(site.page("guide/index.html").texts("p.mine"), ["mine"]);
    site.page("404.html").says("Page not found");
    assert_eq!(site.text("public/robots-note.txt"), "hello");
    let scripts = site.published();
    assert!(scripts.values().any(|bytes| bytes == script.as_bytes()));
    let sheet = |path: &str| path.ends_with(".css");
    let mut sheets = site.published().into_iter().filter(|(path, _)| sheet(path));
    assert!(sheets.any(|(_, css)| String::from_utf8_lossy(&css).contains("#123456")));
    assert_eq!(crate::crawl::problems(&site.published()), [""; 0]);
}

#[test]
fn a_timeline_is_where_the_site_puts_it_and_recorded_text_names_no_place_for_it() {
    let site = TestSite::base();
    let words = "<runpress-slot 0> <runpress-slot 1>";
    site.log(event(0, "agent", &format!(r#""message":"{words}""#)));
    site.write(
        "templates/run.html",
        "{% extends \"builtin/run.html\" %}{% block glance %}{% endblock %}{% block metrics %}{{ title }}{% endblock %}",
    );
    site.write(
        "templates/components/run_timeline.html",
        "{% component run_timeline(timeline, several) %}<ol class=mine>{{ timeline.html }}</ol><ol class=again>{{ timeline.html }}</ol>{% endcomponent run_timeline %}",
    );
    site.publish();
    let page = site.first_page();
    for list in ["mine", "again"] {
        assert_eq!(page.texts(&format!("ol.{list} > li.e .md")), [words]);
    }
    assert_eq!(page.all("ol.tape, svg.strip").len(), 0);
    assert_eq!(page.all("runpress-slot").len(), 0);
}

#[test]
fn components_that_are_put_into_templates_print_what_calls_of_them_print() {
    let site = TestSite::base();
    site.publish();
    let inlined = site.published();
    // Where a site could define its own component, the built-in one is used.
    site.write(
        "templates/unused.html",
        "{# component badge cell day range when #}",
    );
    site.publish();
    // The page of the feeds shows the size of the index, which names the templates of the site.
    let pages = |name: &str| name.ends_with(".html") && name != "feeds/index.html";
    let called = site.published();
    assert!(inlined.keys().filter(|name| pages(name)).count() > 10);
    for (name, bytes) in inlined.iter().filter(|(name, _)| pages(name)) {
        assert!(called[name] == *bytes, "{name}");
    }
}

#[test]
fn a_component_of_the_site_is_used_for_every_value() {
    let site = TestSite::base();
    site.write(
        "templates/components/cell.html",
        "{% component cell(cell) -%}<u>{% if cell is string %}{{ cell }}{% endif %}</u>{%- endcomponent cell %}",
    );
    site.publish();
    let page = site.first_page();
    assert!(page.texts("section[aria-labelledby=metrics] td > u").len() > 4);
    assert!(!page.texts("dl.facts dd > u").is_empty());
    assert!(
        !site
            .page("runs/index.html")
            .texts("table.runs td > u")
            .is_empty()
    );
}

#[test]
fn every_problem_of_a_template_is_one_sentence_with_file_line_and_column() {
    for [told, text] in rows(
        r#"
2:8 Unknown filter `none_such` | é⏎{{ 1 || none_such }}
1:4 Unknown function `none_such` | {{ none_such() }}
1:12 Unknown test `none_such` | {% if x is none_such %}{% endif %}
1:6 Unknown component `none.such` | é {{ <none.such /> }}
1:12 Unknown template `no:such` | {% include "no:such" %}
2:10 Block `such` is not defined in any parent template | {% extends "builtin/page.html" %}⏎{% block such %}{% endblock %}
1:4 `home.html` extends `such.html`, which does not exist | {% extends "such.html" %}
1:4 `home.html` extends itself | {% extends "home.html" %}
2:4 `home.html` includes itself | ⏎{% include "home.html" %}
1:4 `home.html` extends itself by way of `other.html` | {% extends "other.html" %}
1:4 `home.html` includes itself by way of `third.html` | {% include "third.html" %}
"#,
    ) {
        let text = text.replace("||", "|");
        let site = TestSite::empty();
        site.write("templates/home.html", &text);
        if text.contains("other.html") {
            site.write("templates/other.html", "{% extends \"home.html\" %}");
        }
        if text.contains("third.html") {
            site.write("templates/third.html", "{% include \"home.html\" %}");
        }
        let report = site.runpress("check --report json").stdout;
        let report = parse(&report);
        let found = report["diagnostics"].as_array().expect("a list");
        let found = found.iter().find(|found| found["severity"] == "error");
        let found = found.expect("an error");
        assert_eq!(found["path"], "templates/home.html", "{text}");
        let (line, column) = (&found["line"], &found["column"]);
        let message = found["message"].as_str().expect("words");
        let message = message.replace("The template cannot be read: ", "");
        assert_eq!(format!("{line}:{column} {message}"), told);
    }
}

#[test]
fn an_unreadable_static_file_or_template_is_reported_as_such() {
    for folder in ["static", "templates"] {
        let site = TestSite::base();
        std::fs::create_dir(site.path(folder)).expect("a folder");
        let odd = site.path(&format!("{folder}/odd"));
        let told = || {
            let ran = site.runpress("check").exits(2);
            let line = ran.stderr.lines().next().expect("a problem").to_owned();
            std::fs::remove_file(&odd).expect("it was there");
            line
        };
        std::os::unix::fs::symlink("/etc/passwd", &odd).expect("a link");
        assert_eq!(
            told(),
            format!(
                "error[template.unreadable]: The link `{folder}/odd` points outside the root of the site"
            )
        );
        let _socket = std::os::unix::net::UnixListener::bind(&odd).expect("a socket");
        assert_eq!(
            told(),
            format!(
                "error[template.unreadable]: The file `{folder}/odd` cannot be read: it is not a regular file"
            )
        );
    }
}
