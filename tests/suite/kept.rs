//! Foreign files in the output folder are found wherever they are, and kept.

use crate::support::TestSite;

/// Asserts that the build is refused because of `path`, and that the file is kept.
fn is_kept(site: &TestSite, path: &str, shown: &str) {
    let ran = site.runpress(&["build"]);
    assert_eq!(ran.status, Some(2), "{path}: {}", ran.stderr);
    let words = format!("The folder `public` contains `{shown}`, which runpress did not write");
    assert!(ran.stderr.contains(&words), "{}", ran.stderr);
    assert_eq!(site.text(&format!("public/{path}")), "mine");
}

#[test]
fn a_repository_anywhere_in_a_site_is_kept_whatever_the_case_of_its_name() {
    for (path, shown) in [
        ("docs/.git/HEAD", "docs/.git"),
        ("runs/deep/er/.GIT", "runs/deep/er/.GIT"),
        (".Svn/entries", ".Svn"),
        ("cname", "cname"),
    ] {
        let site = TestSite::base();
        site.publish();
        site.write(&format!("public/{path}"), "mine");
        is_kept(&site, path, shown);
    }
    // A file behind a link is not in the site.
    let site = TestSite::base();
    site.publish();
    site.write("work/.git/HEAD", "mine");
    #[cfg(unix)]
    std::os::unix::fs::symlink("../work", site.path("public/work")).expect("a link");
    site.publish();
    assert_eq!(site.text("work/.git/HEAD"), "mine");
}

#[test]
fn a_domain_that_was_edited_in_the_site_is_kept() {
    for name in ["CNAME", "cname"] {
        let site = TestSite::base();
        site.write(&format!("static/{name}"), "one.example");
        site.publish();
        site.publish();
        site.write(&format!("public/{name}"), "mine");
        is_kept(&site, name, name);
        site.remove(&format!("static/{name}"));
        is_kept(&site, name, name);
        site.write(&format!("public/{name}"), "one.example");
        site.publish();
        assert!(!site.path(&format!("public/{name}")).exists());
    }
}
