//! Finding pages: navigation, the lists of cases, models and harnesses, and the documentation.

use crate::support::{Run, TestSite};

const LISTS: [&str; 5] = ["Cases", "Models", "Runs", "Annotations", "Data"];

fn pages(site: &TestSite, names: &[&str]) {
    for (order, name) in names.iter().enumerate() {
        let sections = "# One\n\nText.\n\n# Two\n\n## Part\n\n# Three\n";
        let text = format!("+++\ntitle = \"Page {name}\"\norder = {order}\n+++\n\n{sections}");
        site.write(&format!("content/pages/{name}.md"), &text);
    }
}

fn current(site: &TestSite, page: &str) -> Vec<String> {
    site.page(page).texts("header nav [aria-current=page]")
}

#[test]
fn every_page_belongs_to_an_entry_of_the_navigation_that_leads_somewhere() {
    let site = TestSite::base();
    site.publish();
    let nav = site.page("index.html").texts("header nav a");
    assert_eq!(nav, LISTS);
    for (page, entry) in [
        ("cases/index.html", "Cases"),
        ("cases/pong/index.html", "Cases"),
        ("overview/index.html", "Cases"),
        ("models/index.html", "Models"),
        ("harnesses/index.html", "Models"),
        ("compare/index.html", "Runs"),
        ("runs/index.html", "Runs"),
        ("annotations/index.html", "Annotations"),
        ("feeds/index.html", "Data"),
    ] {
        assert_eq!(current(&site, page), [entry], "{page}");
    }
    assert_eq!(crate::crawl::problems(&site.published()), [""; 0]);
}

#[test]
fn few_pages_of_prose_are_named_and_many_are_behind_one_entry() {
    let site = TestSite::base();
    pages(&site, &["b", "a", "c"]);
    site.publish();
    let nav = site.page("a/index.html").texts("header nav a");
    assert_eq!(nav[LISTS.len()..], ["Page b", "Page a", "Page c"]);
    assert_eq!(current(&site, "a/index.html"), ["Page a"]);
    let beside = site
        .page("a/index.html")
        .texts("nav.docs > details > ul > li > a");
    assert_eq!(beside, ["Page a"]);

    pages(&site, &["b", "a", "c", "d"]);
    site.publish();
    let page = site.page("a/index.html");
    assert_eq!(page.texts("header nav a")[LISTS.len()..], ["Docs"]);
    assert_eq!(
        page.attrs("header nav li:nth-child(6) a", "href"),
        ["../b/index.html"]
    );
    assert_eq!(current(&site, "a/index.html"), ["Docs"]);
    let beside = page.texts("nav.docs > details > ul > li > a");
    assert_eq!(beside, ["Page b", "Page a", "Page c", "Page d"]);
    assert_eq!(page.texts("nav.docs [aria-current=page]"), ["Page a"]);
    assert_eq!(crate::crawl::problems(&site.published()), [""; 0]);
}

#[test]
fn pages_without_an_order_come_last_by_name() {
    let site = TestSite::base();
    pages(&site, &["z"]);
    for name in ["b", "a"] {
        let text = format!("+++\ntitle = \"Page {name}\"\n+++\n\nText.\n");
        site.write(&format!("content/pages/{name}.md"), text);
    }
    site.publish();
    let nav = site.page("z/index.html").texts("header nav a");
    assert_eq!(nav[LISTS.len()..], ["Page z", "Page a", "Page b"]);
}

#[test]
fn a_page_of_several_sections_lists_them_and_a_short_one_does_not() {
    let site = TestSite::base();
    pages(&site, &["long"]);
    site.write("content/pages/short.md", "# One\n\n# Two\n");
    site.publish();
    let page = site.page("long/index.html");
    assert_eq!(page.texts("nav.docs ul ul a"), ["One", "Two", "Three"]);
    for link in page.all("nav.docs ul ul a") {
        let target = link.attr("href").expect("an address");
        assert_eq!(page.all(target).len(), 1, "{target}");
    }
    assert!(site.page("short/index.html").all("nav.docs").is_empty());
}

#[test]
fn a_list_of_groups_says_how_the_runs_of_each_ended() {
    let site = TestSite::empty();
    site.run("a", &Run::new("0000000a-1").model("m1"))
        .run("b", &Run::new("0000000b-1").model("m2").case("todo"))
        .run("c", &Run::new("0000000c-1").model("m2"));
    site.write(
        "content/cases/todo.md",
        "+++\ntitle = \"A list\"\n+++\n\nText.\n",
    );
    site.publish();
    let cases = site.page("cases/index.html");
    let names = cases.texts("table.groups tbody th");
    assert_eq!(names, ["pong", "todo A list"]);
    assert_eq!(
        cases.texts("table.groups tbody td:nth-child(3)"),
        ["2 of 2", "1 of 1"]
    );
    assert_eq!(
        cases.texts("table.groups tbody td:nth-child(4)"),
        ["2", "1"]
    );
    assert_eq!(cases.all("table.groups .glyphs a").len(), 3);
    let models = site.page("models/index.html");
    assert_eq!(models.texts("table.groups tbody th"), ["m1", "m2"]);
    assert_eq!(
        models.texts("table.groups tbody td:nth-child(4)"),
        ["1", "2"]
    );
    assert_eq!(
        site.page("harnesses/index.html")
            .all("table.groups tbody tr")
            .len(),
        1
    );
}

#[test]
fn lists_of_groups_without_runs_say_so() {
    let site = TestSite::empty();
    site.publish();
    for list in ["cases", "models", "harnesses"] {
        let main = site.page(&format!("{list}/index.html")).main();
        assert!(main.contains("No runs yet"), "{list}: {main}");
    }
}
