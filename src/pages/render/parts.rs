//! Data for the site's own scripts, as classic scripts of at most 1 MB, because `fetch` does not work from disk.
//!
//! Where a part ends depends only on the items near its end, and its name only on its first item. So a new item changes the
//! part that it is added to, and other parts stay the same.

#[derive(Debug, Clone, Copy)]
pub struct PartSizes {
    /// Maximum size of a part, in bytes.
    pub max_bytes: usize,
    /// Above this size, in bytes, a part ends before the next key that can begin one.
    pub min_bytes: usize,
    /// One in this many keys can begin a part.
    pub keys_per_start: u8,
}

/// Sizes of parts that are loaded as a whole, without a noticeable pause in the browser.
const LARGE: PartSizes = PartSizes {
    max_bytes: 1_000_000,
    min_bytes: 200_000,
    keys_per_start: 8,
};
/// Length of part names, in hexadecimal digits.
const DIGITS: usize = 10;
const END: &[u8] = b"\n])\n";

/// A list that is passed to a function of the site's scripts part by part: `runpress.search([..])`.
#[derive(Debug)]
pub struct ScriptParts {
    function: &'static str,
    /// The first key and the name of each part.
    pub starts: Vec<(String, String)>,
    pub items: usize,
    cut: PartBoundaries,
    bytes: Vec<u8>,
}

/// Part boundaries, computed from keys and sizes only.
#[derive(Debug)]
pub struct PartBoundaries {
    sizes: PartSizes,
    /// Bytes before the first item of a part.
    head: usize,
    /// Bytes of the current part; 0 if there is none.
    bytes: usize,
}

impl PartBoundaries {
    /// The boundaries of a list for `runpress.<function>`.
    pub const fn new(function: &str) -> Self {
        Self::sized(function, LARGE)
    }

    /// Like [`PartBoundaries::new`], with parts of these sizes.
    pub const fn sized(function: &str, sizes: PartSizes) -> Self {
        Self {
            sizes,
            head: "runpress.([\n".len() + function.len(),
            bytes: 0,
        }
    }

    /// Adds an item of `bytes` bytes. Returns whether it begins a part.
    pub fn begins(&mut self, key: &str, bytes: usize) -> bool {
        let PartSizes {
            max_bytes,
            min_bytes,
            keys_per_start,
        } = self.sizes;
        let may_begin =
            || blake3::hash(key.as_bytes()).as_bytes()[0].is_multiple_of(keys_per_start);
        let begins = self.bytes == 0
            || (self.bytes > min_bytes && may_begin())
            || self.bytes + bytes + END.len() + 2 > max_bytes;
        self.bytes = bytes + if begins { self.head } else { self.bytes + 2 };
        begins
    }
}

/// The name of the part that begins with this key.
pub fn name(first: &str) -> String {
    blake3::hash(first.as_bytes()).to_hex()[..DIGITS].to_owned()
}

/// A part: its name and its bytes.
pub type ScriptPart = (String, Vec<u8>);

impl ScriptParts {
    /// An empty list for `runpress.<function>`.
    pub const fn new(function: &'static str) -> Self {
        Self::sized(function, LARGE)
    }

    /// Like [`ScriptParts::new`], with parts of these sizes.
    pub const fn sized(function: &'static str, sizes: PartSizes) -> Self {
        Self {
            function,
            starts: Vec::new(),
            items: 0,
            cut: PartBoundaries::sized(function, sizes),
            bytes: Vec::new(),
        }
    }

    /// Adds an item written by [`super::script::item`], under a unique key. Returns the previous part if this item begins a new
    /// one.
    pub fn push_written(&mut self, key: &str, json: &[u8]) -> Option<ScriptPart> {
        self.items += 1;
        let begins = self.cut.begins(key, json.len());
        let full = begins.then(|| self.part()).flatten();
        if begins {
            self.starts.push((key.to_owned(), name(key)));
            let head = format!("runpress.{}([\n", self.function);
            self.bytes.extend_from_slice(head.as_bytes());
        } else {
            self.bytes.extend_from_slice(b",\n");
        }
        self.bytes.extend_from_slice(json);
        full
    }

    /// Takes the current part, if any.
    pub fn take(&mut self) -> Option<ScriptPart> {
        self.cut.bytes = 0;
        self.part()
    }

    fn part(&mut self) -> Option<ScriptPart> {
        let bytes = std::mem::take(&mut self.bytes);
        let (_, name) = self.starts.last().filter(|_| !bytes.is_empty())?;
        Some((name.clone(), [&bytes, END].concat()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::script;

    /// The parts of items of `bytes` bytes, under these keys.
    fn parts(keys: impl IntoIterator<Item = usize>, bytes: usize) -> Vec<ScriptPart> {
        let mut parts = ScriptParts::new("runs");
        let mut all = Vec::new();
        for key in keys {
            let item = format!("{key} {}", "x".repeat(bytes));
            all.extend(parts.push_written(&key.to_string(), item.as_bytes()));
        }
        all.extend(parts.take());
        assert_eq!(parts.starts.len(), all.len());
        all
    }

    #[test]
    fn a_part_is_a_script_that_markup_and_line_separators_cannot_leave() {
        let mut parts = ScriptParts::new("search");
        let item = script::item(&("</script>\u{2028}", 1)).expect("JSON");
        assert!(parts.push_written("a", &item).is_none());
        let (name, bytes) = parts.take().expect("a part");
        assert_eq!(parts.starts, [("a".to_owned(), name)]);
        assert_eq!(
            String::from_utf8(bytes).expect("UTF-8"),
            "runpress.search([\n[\"\\u003c/script>\u{fffd}\",1]\n])\n"
        );
        assert!(parts.take().is_none());
    }

    #[test]
    fn no_part_is_larger_than_one_megabyte_and_no_item_is_cut_or_lost() {
        let all = parts(0..20, 300_000);
        assert!(all.len() >= 7, "{}", all.len());
        assert!(all.iter().all(|(_, bytes)| bytes.len() <= LARGE.max_bytes));
        let lines = all
            .iter()
            .map(|(_, bytes)| String::from_utf8_lossy(bytes).matches('x').count());
        assert_eq!(lines.sum::<usize>(), 20 * 300_000);
    }

    #[test]
    fn a_new_item_leaves_nearly_all_parts_as_they_were() {
        let before = parts(1..1_000, 5_000);
        let changed = |after: Vec<ScriptPart>| {
            assert!(before.len() > 15, "{}", before.len());
            after.iter().filter(|part| !before.contains(part)).count()
        };
        assert!(changed(parts(0..1_000, 5_000)) <= 3, "at the beginning");
        let inserted = (1..500).chain([5_000]).chain(500..1_000);
        assert!(changed(parts(inserted, 5_000)) <= 3, "in the middle");
    }
}
