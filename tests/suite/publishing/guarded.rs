//! Folders that runpress did not create are refused and kept.

use std::fs;
use std::os::unix::fs::symlink;

use runpress::api::publish::Stage;

use super::litter;
use crate::support::{TestSite, differences, tree};

#[test]
fn only_an_empty_folder_or_one_that_runpress_wrote_is_replaced() {
    let site = TestSite::base();
    fs::create_dir(site.path("public")).expect("a folder");
    assert_eq!(site.runpress("build").status, Some(0), "an empty folder");
    assert_eq!(site.runpress("build").status, Some(0), "its own folder");
    for (name, file) in [
        ("notes", "notes/letter.txt"),
        ("hidden", "hidden/.git/config"),
        ("folders", "folders/a/b"),
    ] {
        site.write(file, "mine");
        let ran = site.runpress(&["build", "--out", name]).exits(2);
        ran.says("publish.foreign-folder");
        assert_eq!(site.text(file), "mine");
    }
    site.write("a-file", "mine");
    site.runpress("build --out a-file").exits(2);
    assert_eq!(site.text("a-file"), "mine");
}

#[test]
fn a_foreign_folder_under_the_name_of_the_stage_is_refused() {
    let site = TestSite::base();
    site.write(".public.runpress-staging/letter.txt", "mine");
    site.runpress("build").exits(2);
    assert_eq!(site.text(".public.runpress-staging/letter.txt"), "mine");
}

#[test]
fn a_leftover_that_is_a_link_is_refused_and_what_it_leads_to_is_untouched() {
    for name in [".public.runpress-staging", ".public.runpress-aside"] {
        for published in [true, false] {
            let site = TestSite::base();
            // A complete site by runpress, and a folder that looks like the remains of a stopped build.
            let other = TestSite::base();
            other.publish();
            if published {
                site.publish();
            }
            let before = tree(other.root());
            symlink(other.path("public"), site.path(name)).expect("a link");
            let ran = site.runpress("build");
            assert_eq!(ran.status, Some(2), "{name}: {}", ran.stderr);
            ran.says(format!(
                "`{name}` next to the output folder is a link, which runpress did not create"
            ));
            assert_eq!(differences(&before, &tree(other.root())), [""; 0], "{name}");
            assert!(site.path(name).is_symlink());
            assert_eq!(site.path("public").exists(), published);
        }
    }
}

#[test]
fn a_link_in_a_leftover_is_removed_and_not_what_it_leads_to() {
    let site = TestSite::base();
    site.write("mine/letter.txt", "mine");
    site.write(".public.runpress-staging/.runpress", "marker");
    site.write(".public.runpress-staging/runs/x/index.html", "half");
    for link in ["mine", "runs/mine", "runs/x/mine"] {
        let link = site.path(".public.runpress-staging").join(link);
        symlink(site.path("mine"), link).expect("a link");
    }
    site.publish();
    assert_eq!(litter(site.root()), [""; 0]);
    assert_eq!(site.text("mine/letter.txt"), "mine");
}

/// Expects a check and a build to be refused because of a file in the site, and the file to be kept.
fn assert_kept(site: &TestSite, path: &str, shown: &str) {
    for command in ["check", "build"] {
        let ran = site.runpress(command).exits(2);
        ran.says(format!(
            "The folder `public` contains `{shown}`, which runpress did not write"
        ));
    }
    assert_eq!(site.text(&format!("public/{path}")), "mine");
}

#[test]
fn a_repository_or_a_foreign_domain_anywhere_in_a_site_is_kept_whatever_the_case_of_its_name() {
    for (path, shown) in [
        (".git/HEAD", ".git"),
        (".git", ".git"),
        (".hg/store", ".hg"),
        ("CNAME", "CNAME"),
        ("docs/.git/HEAD", "docs/.git"),
        ("runs/deep/er/.GIT", "runs/deep/er/.GIT"),
        (".Svn/entries", ".Svn"),
        ("cname", "cname"),
    ] {
        let site = TestSite::base();
        site.publish();
        site.write(&format!("public/{path}"), "mine");
        assert_kept(&site, path, shown);
    }
    // A file behind a link is not in the site.
    let site = TestSite::base();
    site.publish();
    site.write("work/.git/HEAD", "mine");
    symlink("../work", site.path("public/work")).expect("a link");
    site.publish();
    assert_eq!(site.text("work/.git/HEAD"), "mine");
    // The same next to the output folder, with the name of a staging folder.
    site.write(".public.runpress-staging/.runpress", "marker");
    site.write(".public.runpress-staging/.git/HEAD", "mine");
    site.runpress("build").exits(2);
    assert_eq!(site.text(".public.runpress-staging/.git/HEAD"), "mine");
}

#[test]
fn a_domain_that_came_from_the_static_files_may_change_and_go() {
    let site = TestSite::base();
    for domain in [Some("one.example"), Some("two.example"), None] {
        if let Some(domain) = domain {
            site.write("static/CNAME", domain);
        } else {
            site.remove("static/CNAME");
        }
        site.publish();
        let published = fs::read_to_string(site.path("public/CNAME")).ok();
        assert_eq!(published.as_deref(), domain);
    }
}

#[test]
fn a_domain_that_was_edited_in_the_site_is_kept() {
    for name in ["CNAME", "cname"] {
        let site = TestSite::base();
        let source = format!("static/{name}");
        site.write(&source, "one.example").publish();
        site.publish();
        site.write(&format!("public/{name}"), "mine");
        assert_kept(&site, name, name);
        site.remove(&source);
        assert_kept(&site, name, name);
        site.write(&format!("public/{name}"), "one.example")
            .publish();
        assert!(!site.is_published(name));
    }
}

#[test]
fn a_folder_of_an_export_is_guarded_as_the_site_is() {
    let site = TestSite::base();
    let open = || Stage::open(&site.path("tables"), "tables", &[]);
    let mut stage = open().expect("a stage");
    stage.write("runs/one.parquet", b"rows").expect("a file");
    stage.commit("").expect("it is put in its place");
    drop(stage);
    site.write("tables/.git/HEAD", "mine");
    assert_eq!(
        open().expect_err("a refusal").code.name,
        "publish.foreign-folder"
    );
    site.remove("tables/.git");
    symlink(site.path("tables"), site.path(".tables.runpress-staging")).expect("a link");
    assert_eq!(
        open().expect_err("a refusal").code.name,
        "publish.foreign-folder"
    );
    assert_eq!(site.text("tables/runs/one.parquet"), "rows");
}

#[test]
fn an_output_folder_that_became_a_link_meanwhile_is_not_replaced() {
    let site = TestSite::base();
    site.write("mine/letter.txt", "mine");
    let mut stage = Stage::open(&site.path("public"), "public", &[]).expect("a stage");
    stage.write("index.html", b"new").expect("a file");
    symlink(site.path("mine"), site.path("public")).expect("a link");
    assert!(stage.commit("").is_err());
    drop(stage);
    assert!(site.path("public").is_symlink());
    assert_eq!(site.text("mine/letter.txt"), "mine");
    assert_eq!(litter(site.root()), [""; 0]);
}

#[test]
fn an_output_folder_that_is_a_link_has_its_target_replaced() {
    let site = TestSite::base();
    fs::create_dir_all(site.path("disk/site")).expect("a folder");
    symlink(site.path("disk/site"), site.path("public")).expect("a link");
    for _ in 0..2 {
        site.publish();
        assert!(site.path("public").is_symlink());
        assert!(site.path("disk/site/index.html").is_file());
        assert_eq!(litter(site.root()), [""; 0]);
        assert_eq!(litter(&site.path("disk")), [""; 0]);
    }
}

#[test]
fn an_output_folder_that_overlaps_with_the_input_is_refused() {
    let site = TestSite::base();
    symlink(site.path("content"), site.path("alias")).expect("a link");
    fs::create_dir(site.path("templates")).expect("a folder");
    fs::create_dir(site.path("static")).expect("a folder");
    for out in [
        "content/public",
        "content",
        ".",
        "alias/public",
        "templates/out",
        "static",
        "content/runs/../out",
    ] {
        let before = tree(site.root());
        let ran = site.runpress(&["build", "--out", out]).exits(2);
        assert!(
            ran.stderr.contains("publish.inside-content"),
            "{out}: {}",
            ran.stderr
        );
        assert_eq!(differences(&before, &tree(site.root())), [""; 0], "{out}");
    }
}

#[test]
fn an_output_folder_inside_an_input_folder_is_refused_before_it_exists() {
    let site = TestSite::base();
    let mut options = vec![
        ["--out", "static/public"],
        ["--out", "static"],
        ["--out", "templates/a/b"],
        ["--out", "content/../templates/public"],
    ];
    if cfg!(feature = "parquet") {
        // The first build has not created `public` yet.
        options.push(["--export", "parquet=public/tables"]);
        options.push(["--export", "parquet=static/tables"]);
    }
    for options in options {
        let before = tree(site.root());
        let ran = site.runpress(&[&["build"], &options[..]].concat()).exits(2);
        assert!(
            ran.stderr.contains("publish.inside-content"),
            "{options:?}: {}",
            ran.stderr
        );
        assert_eq!(
            differences(&before, &tree(site.root())),
            [""; 0],
            "{options:?}"
        );
        for folder in ["static", "templates", "public"] {
            assert!(!site.path(folder).exists(), "{options:?}: {folder}");
        }
    }
}
