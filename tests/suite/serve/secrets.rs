//! A secret that a check reports is in nothing that is served, sent to a page or printed.

use super::{RUN_PAGE, Served};
use crate::support::{TestSite, first, tree};

#[test]
fn a_secret_is_in_no_page_no_message_and_no_line_of_the_terminal() {
    let key = format!("{}_{}", "ghp", "x7Kq2mPz9LwTn4Rb8VcJ3hYd6FsG1aQeXoWk");
    let site = TestSite::base();
    let review = first("writeup.md");
    let clean = site.text(&review);
    let leaking = format!("{clean}\nIt printed {key} then.\n");
    let check = |served: &Served, when: &str| {
        let mut texts = vec![
            ("the terminal", served.said()),
            ("the message", served.message().to_string()),
        ];
        for path in [
            "/",
            RUN_PAGE,
            "/problems/",
            "/feeds/diagnostics.json",
            "/no/page",
        ] {
            texts.push((path, served.get(path).body));
        }
        for bytes in tree(served.temporary.path()).values() {
            texts.push(("a file", String::from_utf8_lossy(bytes).into_owned()));
        }
        for (name, text) in texts {
            assert!(!text.contains(&key[4..20]), "{when}: {name}: {text}");
        }
    };
    // On start, after a change, and after its removal.
    site.write(&review, &leaking);
    let served = Served::any(&site);
    served.has_built(1);
    assert!(served.said().contains("secret.vcs"), "{}", served.said());
    assert!(served.message().to_string().contains("secret.vcs"));
    check(&served, "at first");
    site.write(&review, &clean);
    served.has_built(2);
    check(&served, "without it");
    site.write(&review, &leaking);
    served.has_built(3);
    check(&served, "after a change");
}
