//! The difference between two versions of a file, as a unified diff without file names.

use similar::{Algorithm, TextDiff};

/// Longer texts are not compared: all lines are removed and added.
const COMPARED: usize = 20_000;

/// The hunks that turn one text into another, each with three lines of context; `None` if they are equal.
pub fn unified(old: &str, new: &str) -> Option<String> {
    if old == new {
        return None;
    }
    let (before, after) = (old.lines().count(), new.lines().count());
    if before + after > COMPARED {
        let mut all = format!("@@ -1,{before} +1,{after} @@\n");
        for (sign, text) in [('-', old), ('+', new)] {
            for line in text.lines() {
                all.push(sign);
                all.push_str(line);
                all.push('\n');
            }
        }
        return Some(all);
    }
    let diff = TextDiff::configure()
        .algorithm(Algorithm::Patience)
        .diff_lines(old, new);
    Some(diff.unified_diff().context_radius(3).to_string())
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn a_diff_has_hunks_and_no_names() {
        let diff = unified("a\nb\nc\n", "a\nB\nc\n").expect("they differ");
        assert_eq!(diff, "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
        assert_eq!(
            unified("", "one\ntwo\n").expect("they differ"),
            "@@ -0,0 +1,2 @@\n+one\n+two\n"
        );
        assert_eq!(unified("a", "a"), None);
    }

    #[test]
    fn large_texts_without_a_line_in_common_take_no_time() {
        let lines =
            |word: &str| -> String { (0..300_000).map(|n| format!("{word}{n}\n")).collect() };
        let began = std::time::Instant::now();
        let diff = unified(&lines("a"), &lines("b")).expect("they differ");
        assert_eq!(diff.lines().count(), 600_001);
        let lines = |word: &str| -> String { (0..9_000).map(|n| format!("{word}{n}\n")).collect() };
        unified(&lines("a"), &lines("b")).expect("they differ");
        assert!(began.elapsed().as_secs() < 30, "{:?}", began.elapsed());
    }
}
