//! Generates the tables of the page about rules: functions, variables and built-in rules.

use std::fmt::Write;

use crate::{FUNCTIONS, OBJECTS, Rules};

fn functions() -> String {
    let mut text = String::from("\n| Function | Value |\n|---|---|\n");
    for (function, about) in FUNCTIONS {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| `{function}` | {about} |");
    }
    text
}

fn variables() -> String {
    let mut text = String::from(
        "\nAn expression of `find` and `after` knows `event`, `run` and `site`; one of `require` knows `run` and `site`. Every value may be missing, and is then unknown.\n",
    );
    for object in OBJECTS {
        let _ = write!(
            text,
            "\n## {}\n\n| Field | Type | Value |\n|---|---|---|\n",
            object.name
        );
        for field in object.fields {
            let description = field.description.trim();
            let _ = writeln!(
                text,
                "| `{}` | `{}` | {description} |",
                field.path, field.kind
            );
        }
    }
    text
}

fn built_in() -> String {
    let mut text = String::new();
    for rule in &Rules::built_in().list {
        let _ = write!(
            text,
            "\n## {}\n\n{}. {}\n\nIt cannot see: {}\n",
            rule.id, rule.title, rule.why, rule.blind
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../content/pages/writing-rules.md"
    );

    /// Replaces what is between two lines.
    fn with(page: &str, from: &str, to: &str, between: &str) -> String {
        let (before, rest) = page.split_once(from).expect("the line before");
        let (_, after) = rest.split_once(to).expect("the line after");
        format!("{before}{from}{between}{to}{after}")
    }

    #[test]
    fn the_tables_of_the_page_about_rules_are_those_of_the_code() {
        let committed = std::fs::read_to_string(PAGE).expect("the page is there");
        let page = with(
            &committed,
            "The functions are:\n",
            "\n# Variables\n",
            &functions(),
        );
        let page = with(
            &page,
            "\n# Variables\n",
            "\n# Built-in rules\n",
            &variables(),
        );
        let page = with(
            &page,
            "shows its expression.\n",
            "\n# Limits\n",
            &built_in(),
        );
        if std::env::var_os("UPDATE_REFERENCE").is_some() {
            std::fs::write(PAGE, &page).expect("the page can be written");
        }
        let committed = std::fs::read_to_string(PAGE).expect("the page is there");
        assert!(
            committed == page,
            "the page is out of date: run the tests once with UPDATE_REFERENCE=1"
        );
    }
}
