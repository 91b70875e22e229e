//! Reads the data of the search, as its script does.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::support::TestSite;

/// The value that a data file passes on.
pub(crate) fn data(site: &TestSite, path: &str, function: &str) -> Value {
    let text = site.text(&format!("public/{path}.js"));
    let value = text
        .strip_prefix(&format!("runpress.{function}("))
        .and_then(|rest| rest.strip_suffix(")\n"))
        .unwrap_or_else(|| panic!("{path} is no call of {function}"));
    assert!(!value.contains(['<', '\u{2028}', '\u{2029}']), "{path}");
    serde_json::from_str(value).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The cards of a kind as the script reads them, oldest first, each with its file and its number.
pub(crate) fn cards(site: &TestSite, folder: &str) -> Vec<(usize, usize, Value)> {
    let names = [
        "evidence",
        "href",
        "event",
        "event_kind",
        "says",
        "at",
        "author",
        "group",
        "kind",
    ];
    let mut all = Vec::new();
    for file in 0.. {
        let path = format!(
            "search/annotations-{folder}-{}/{}",
            file / 1_000,
            file % 1_000
        );
        if !site.path(&format!("public/{path}.js")).is_file() {
            break;
        }
        let bytes = site.bytes(&format!("public/{path}.js")).len();
        assert!(bytes <= 32_000, "{path}: {bytes}");
        let mut number = file * 256;
        for item in data(site, &path, "annotations").as_array().expect("items") {
            let (head, rows) = item
                .as_array()
                .and_then(|it| it.split_first())
                .expect("a head");
            for row in rows.iter().map(|row| row.as_array().expect("a card")) {
                assert!(row.len() == 7 || !row[row.len() - 1].is_null(), "{row:?}");
                let mut card = json!({"slug": head[0], "run": head[1], "model": head[2]});
                card["key"] = json!([head[3], row[0], row[1]]);
                for (at, name) in names.iter().enumerate() {
                    card[name] = row.get(2 + at).cloned().unwrap_or_default();
                }
                all.push((file, number, card));
                number += 1;
            }
        }
        assert!(number <= (file + 1) * 256, "{path}");
    }
    all
}

/// The kinds of annotations, as named by files.
pub(super) const KINDS: [&str; 10] = [
    "correct",
    "incorrect",
    "alternative",
    "note",
    "marker",
    "mute",
    "hypothesis",
    "friction",
    "crystallize-here",
    "unknown",
];

/// Counts as the script reads them: each key with its count.
pub(crate) fn counts(text: &Value) -> BTreeMap<usize, usize> {
    let mut key = 0;
    let all = numbers(text.as_str().expect("digits"));
    let each = all.chunks(2).map(|pair| {
        key += pair[0];
        (key, pair[1])
    });
    each.collect()
}

/// The numbers of a column of the page of runs, as the script reads them.
pub(crate) fn column(column: &Value, total: usize) -> Vec<usize> {
    const DIGITS: &str =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/.-:=^!*?()[]{}@%$#_,;";
    let parts = column.as_array().expect("a column");
    let part = |at: usize| {
        let number = parts[at].as_u64().expect("a number");
        usize::try_from(number).expect("small")
    };
    let Some(text) = parts.get(2).and_then(Value::as_str) else {
        let pairs = (0..parts.len()).step_by(2);
        return pairs.flat_map(|at| vec![part(at); part(at + 1)]).collect();
    };
    let (base, each) = (part(0), part(1));
    let digits: Vec<usize> = text.chars().filter_map(|it| DIGITS.find(it)).collect();
    let width = if each > 1 { 1 } else { digits.len() / total };
    let groups = digits.chunks(width);
    let groups = groups.map(|of| of.iter().rev().fold(0, |sum, digit| sum * 85 + digit));
    let numbers = groups.flat_map(|group| {
        (0..each).map(move |at| group / base.pow(u32::try_from(at).expect("small")) % base)
    });
    numbers.take(total).collect()
}

/// The texts in a folder of search files, with their numbers.
pub(super) fn items(site: &TestSite, name: &str) -> Vec<(usize, Value)> {
    let mut all = Vec::new();
    for file in 0.. {
        let path = format!("search/{name}-{}/{}", file / 1_000, file % 1_000);
        if !site.path(&format!("public/{path}.js")).is_file() {
            break;
        }
        let mut number = file * 256;
        for item in data(site, &path, "search").as_array().expect("items") {
            all.push((number, item.clone()));
            number += item[0]
                .as_array()
                .map_or(1, |_| item.as_array().map_or(0, Vec::len));
        }
        assert!(number <= (file + 1) * 256, "{path}");
    }
    all
}

/// The search entries with their numbers, as the script decodes them.
pub(super) fn numbered(site: &TestSite) -> Vec<(usize, Value)> {
    let kinds = ["case", "model", "harness", "page"];
    let mut all: Vec<_> = items(site, "about")
        .into_iter()
        .map(|(number, item)| {
            let kind = kinds[usize::try_from(item[0].as_u64().expect("a kind")).expect("small")];
            let text = json!({"kind": kind, "title": item[1], "about": item[2], "href": item[3], "text": item[4]});
            (number, text)
        })
        .collect();
    let cards = KINDS.map(|kind| cards(site, kind));
    for (number, item) in items(site, "texts") {
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        let item = item.as_array().expect("a run");
        let [folder, run, says, rated] = [0, 1, 3, 4].map(|at| text(&item[0][at]));
        all.push((
            number,
            json!({"kind": "run", "title": run, "text": says, "about": "", "href": format!("{folder}index.html")}),
        ));
        for (place, of) in item[1..].iter().enumerate() {
            let document = match of[0].as_str() {
                Some(kind @ ("f" | "m")) => {
                    json!({"kind": if kind == "f" { "failure" } else { "message" },
                    "title": of[3], "text": "", "about": format!("{} of {run}", text(&of[2])), "href": folder.clone() + &text(&of[1])})
                }
                None => {
                    let of = usize::try_from(of.as_u64().expect("a card")).expect("small");
                    let (kind, number) = (of % KINDS.len(), of / KINDS.len());
                    let card = cards[kind].iter().find(|(_, each, _)| *each == number);
                    let card = &card.expect("a card").2;
                    let name = KINDS[kind].replace('-', " ");
                    let name = card["kind"].as_str().unwrap_or(&name);
                    let title = card["group"].as_str();
                    let title = title.map_or(name.to_owned(), |group| format!("{name}: {group}"));
                    assert_eq!(folder, format!("runs/{}/", text(&card["slug"])));
                    let events = if card["event"].is_string() {
                        "events"
                    } else {
                        "event"
                    };
                    json!({"kind": "annotation", "title": title, "text": card["evidence"],
                        "about": format!("{events} {} of {run}", card["event"]), "href": folder.clone() + &text(&card["href"])})
                }
                _ => json!({"kind": "writeup", "title": run, "text": of[1], "about": rated,
                    "href": format!("{folder}index.html#writeup")}),
            };
            all.push((number + 1 + place, document));
        }
    }
    all
}

/// The search entries.
pub(super) fn searched(site: &TestSite) -> Vec<Value> {
    let all = numbered(site).into_iter();
    all.map(|(_, document)| document).collect()
}

/// Numbers in digits of five bits.
pub(super) fn numbers(text: &str) -> Vec<usize> {
    let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut all, mut value, mut shift) = (Vec::new(), 0, 0);
    for digit in text.chars() {
        let digit = digits.find(digit).expect("a digit");
        value |= (digit & 31) << shift;
        shift += 5;
        if digit < 32 {
            all.push(value);
            (value, shift) = (0, 0);
        }
    }
    all
}

/// For each term of the index, the kinds and numbers of its texts.
pub(super) fn index(site: &TestSite) -> BTreeMap<String, BTreeSet<(usize, usize)>> {
    let manifest = data(site, "search/index", "search");
    let mut all = BTreeMap::new();
    for part in manifest["parts"].as_array().expect("parts") {
        let name = part[1].as_str().expect("a name");
        let items = data(site, &format!("search/terms-{name}"), "search");
        let items = items.as_array().expect("terms");
        assert_eq!(items[0], part[0]);
        for pair in items.chunks(2) {
            let mut list = numbers(pair[1].as_str().expect("a short list")).into_iter();
            let mut texts = BTreeSet::new();
            while let Some(kind) = list.next() {
                assert_eq!(kind % 2, 0, "a short list");
                let size = list.next().expect("a size");
                let mut last = None;
                for _ in 0..size {
                    let gap = list.next().expect("a number");
                    let text = last.map_or(gap, |last: usize| last - gap);
                    texts.insert((kind / 2, if kind < 8 { text / 4 } else { text }));
                    last = Some(text);
                }
            }
            all.insert(pair[0].as_str().expect("a term").to_owned(), texts);
        }
    }
    all
}

/// The rows for the facets, newest first, as the script assembles them.
pub(crate) fn rows(site: &TestSite) -> Vec<Value> {
    let manifest = data(site, "search/runs", "runs");
    let names = |list: &str| -> Vec<&str> {
        let names = manifest[list].as_array().expect("names").iter();
        names.map(|name| name.as_str().expect("a name")).collect()
    };
    let (filters, others) = (names("filters"), names("cells"));
    let total = manifest["total"].as_u64().expect("a number");
    let mut all = Vec::new();
    for file in 0..total.div_ceil(8) {
        let path = format!("search/rows-{}/{}", file / 1_000, file % 1_000);
        for row in data(site, &path, "runs").as_array().expect("rows") {
            let cells = filters.iter().zip(row[0].as_array().expect("places"));
            let cells = cells.map(|(name, place)| {
                let place = usize::try_from(place.as_u64().expect("a place")).expect("small");
                (*name, manifest["columns"][name]["values"][place].clone())
            });
            let mut cells: BTreeMap<_, _> = cells.collect();
            let folder = row[1].as_str().expect("a folder");
            let order = cells["rating"][1].as_u64().map(|order| order.to_string());
            let own = [
                ("slug", json!(folder.rsplit('/').next())),
                (
                    "run",
                    json!({"text": row[2], "title": row[3], "href": format!("runs/{folder}/index.html")}),
                ),
                ("rating", cells["rating"][0].clone()),
                ("kinds", cells["annotation"].clone()),
                ("small", json!({"case": cells["version"]})),
                (
                    "order",
                    json!({"rating": order.unwrap_or_default(), "time": row[5]}),
                ),
                ("finished", row[4].clone()),
            ];
            let others = others.iter().zip(row[6].as_array().expect("cells"));
            cells.extend(others.map(|(name, cell)| (*name, cell.clone())));
            cells.extend(own);
            all.push(json!(cells));
        }
    }
    assert_eq!(all.len() as u64, total);
    all.reverse();
    all
}
