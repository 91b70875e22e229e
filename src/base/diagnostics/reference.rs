//! Generates the reference page: every code as Markdown.

use std::fmt::Write;

use super::codes;

/// The prose page `diagnostics.md` of the demo site.
pub fn page() -> String {
    let mut page = String::from(
        "+++\ntitle = \"Diagnostics\"\ndescription = \"Every problem that runpress can report: why it matters, and what the input should look like.\"\norder = 9\n+++\n\n\
         `runpress explain CODE` prints the same texts. Errors stop a publication, unless invalid runs are quarantined;\n\
         warnings and notes do not.\n",
    );
    let mut family = "";
    for code in codes::all() {
        if code.family() != family {
            family = code.family();
            // Writing to a string cannot fail.
            let _ = write!(page, "\n# {family}\n");
        }
        let _ = write!(
            page,
            "\n## {}\n\n**{}**: {}.\n\n{}\n\nBad:\n\n```text\n{}\n```\n\nGood:\n\n```text\n{}\n```\n",
            code.name,
            code.severity.word(),
            code.summary,
            code.explanation,
            code.bad,
            code.good
        );
    }
    page
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_in_the_demo_site_is_made_from_the_table() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../content/pages/diagnostics.md"
        );
        if std::env::var_os("UPDATE_REFERENCE").is_some() {
            std::fs::write(path, super::page()).expect("the page can be written");
        }
        let committed = std::fs::read_to_string(path).expect("the page is there");
        assert!(
            committed == super::page(),
            "the page is out of date: run the tests once with UPDATE_REFERENCE=1"
        );
    }
}
