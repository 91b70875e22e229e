//! Knows the data of the site's own scripts: classic scripts of at most 1 MB, because `fetch` does not work from disk.

use serde::Serialize;

use super::script::write_safe;

/// The largest part, in bytes: a browser reads it without a pause that a reader would notice.
const MOST: usize = 1_000_000;
const END: &[u8] = b"\n])\n";

/// A list that is handed to a function of the site's scripts, part by part: `runpress.search(1, [..])`.
#[derive(Debug)]
pub struct Parts {
    function: &'static str,
    /// How many parts were begun.
    pub begun: usize,
    /// How many items were pushed.
    pub items: usize,
    bytes: Vec<u8>,
}

impl Parts {
    /// An empty list for `runpress.<function>`.
    #[must_use]
    pub const fn new(function: &'static str) -> Self {
        Self {
            function,
            begun: 0,
            items: 0,
            bytes: Vec::new(),
        }
    }

    /// Adds an item. When it does not fit into the part, that part comes back: its number and its bytes.
    ///
    /// # Errors
    /// Those of the item's own `Serialize`.
    pub fn push(&mut self, item: &impl Serialize) -> serde_json::Result<Option<(usize, Vec<u8>)>> {
        let mut json = Vec::new();
        write_safe(&mut json, item)?;
        self.items += 1;
        let full = (self.bytes.len() + json.len() + END.len() + 2 > MOST)
            .then(|| self.take())
            .flatten();
        if self.bytes.is_empty() {
            self.begun += 1;
            let head = format!("runpress.{}({}, [\n", self.function, self.begun);
            self.bytes.extend_from_slice(head.as_bytes());
        } else {
            self.bytes.extend_from_slice(b",\n");
        }
        self.bytes.append(&mut json);
        Ok(full)
    }

    /// The part that was begun, if there is one: its number and its bytes.
    pub fn take(&mut self) -> Option<(usize, Vec<u8>)> {
        (!self.bytes.is_empty()).then(|| {
            self.bytes.extend_from_slice(END);
            (self.begun, std::mem::take(&mut self.bytes))
        })
    }
}

/// A script that says what the parts hold, before any of them: `runpress.<function>(0, ..)`.
///
/// # Errors
/// Those of the value's own `Serialize`.
pub fn manifest(function: &str, value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut bytes = format!("runpress.{function}(0, ").into_bytes();
    write_safe(&mut bytes, value)?;
    bytes.extend_from_slice(b")\n");
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_a_script_that_markup_and_line_separators_cannot_leave() {
        let mut parts = Parts::new("search");
        assert!(matches!(parts.push(&("</script>\u{2028}", 1)), Ok(None)));
        let (number, bytes) = parts.take().expect("a part");
        assert_eq!(number, 1);
        assert_eq!(
            String::from_utf8(bytes).expect("UTF-8"),
            "runpress.search(1, [\n[\"\\u003c/script>\u{fffd}\",1]\n])\n"
        );
        assert!(parts.take().is_none());
    }

    #[test]
    fn no_part_is_larger_than_one_megabyte_and_no_item_is_cut_or_lost() {
        let mut parts = Parts::new("runs");
        let item = "x".repeat(300_000);
        let mut all = Vec::new();
        for _ in 0..20 {
            all.extend(parts.push(&item).expect("text"));
        }
        all.extend(parts.take());
        let numbers: Vec<_> = all.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!((parts.begun, parts.items), (7, 20));
        assert!(all.iter().all(|(_, bytes)| bytes.len() <= MOST));
        let items = all
            .iter()
            .map(|(_, bytes)| String::from_utf8_lossy(bytes).matches(&item).count());
        assert_eq!(items.sum::<usize>(), 20);
    }
}
