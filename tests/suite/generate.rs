//! Generated input: text and numbers of all kinds, and JSON in every equivalent spelling.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use serde_json::Value;

/// Checks a property for `cases` values, always the same ones; `PROPTEST_CASES` and `PROPTEST_RNG_SEED` choose others.
pub(crate) fn holds<S: Strategy>(cases: u32, values: &S, property: impl Fn(S::Value)) {
    let mut config = Config {
        failure_persistence: None,
        max_shrink_iters: 2_000,
        ..Config::default()
    };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(20_260_301);
    }
    let result = TestRunner::new(config).run(values, |value| {
        property(value);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

/// Text: words, markup, escapes, control characters, any script, or empty.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let special: Vec<char> = "\"\\/{}[]:,#%<>&'` \t\n\r\0\u{1b}\u{7f}\u{85}\u{a0}\u{202e}\u{2028}\u{feff}\u{fffd}\u{1f680}é模"
        .chars()
        .collect();
    let piece = prop_oneof![
        4 => "[a-z0-9 -]{0,8}",
        2 => prop::sample::select(special).prop_map(String::from),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

/// A word without white space.
pub(crate) fn word() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9._/-]{1,12}"
}

/// A JSON number in any valid spelling.
pub(crate) fn number() -> impl Strategy<Value = String> {
    let odd = [
        "0",
        "-0",
        "0.0",
        "-0.50",
        "1e3",
        "1E+300",
        "-1e-7",
        "123456789012345678901234567890",
        "0.1000000000000000055511151231257827",
    ];
    prop_oneof![
        any::<u32>().prop_map(|n| n.to_string()),
        any::<i64>().prop_map(|n| n.to_string()),
        prop::sample::select(odd.to_vec()).prop_map(str::to_owned),
        (any::<i32>(), 0_u32..1000).prop_map(|(whole, part)| format!("{whole}.{part:03}")),
    ]
}

/// A source of small decisions. All zeros select the simplest choices, so that failures shrink to plain text.
#[derive(Debug, Clone)]
pub(crate) struct Dice(Vec<u8>, usize);

/// Dice for one case.
pub(crate) fn dice() -> impl Strategy<Value = Dice> {
    prop::collection::vec(any::<u8>(), 1..64).prop_map(|rolls| Dice(rolls, 0))
}

impl Dice {
    /// A number below `sides`.
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.1 += 1;
        let roll = usize::from(self.0[self.1 % self.0.len()])
            + self.1 / self.0.len() * usize::from(self.0[0]);
        roll % sides
    }

    /// True with a probability of one in `sides`.
    pub(crate) fn once_in(&mut self, sides: usize) -> bool {
        self.roll(sides) == sides - 1
    }

    /// Dice that always choose the simplest.
    pub(crate) fn simple() -> Self {
        Self(vec![0], 0)
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            let other = at - self.roll(at + 1);
            items.swap(at, other);
        }
    }
}

/// A JSON value that keeps the spelling of numbers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Written(String),
    Text(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<u64> for Json {
    fn from(value: u64) -> Self {
        Self::Written(value.to_string())
    }
}

impl From<serde_json::Value> for Json {
    fn from(value: serde_json::Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Number(number) => Self::Written(number.to_string()),
            Value::String(text) => Self::Text(text),
            Value::Array(items) => Self::Array(items.into_iter().map(Self::from).collect()),
            Value::Object(members) => Self::Object(
                members
                    .into_iter()
                    .map(|(key, value)| (key, value.into()))
                    .collect(),
            ),
        }
    }
}

/// Any JSON value, nested some levels deep.
pub(crate) fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        number().prop_map(Json::Written),
        text().prop_map(Json::Text),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::Array),
            prop::collection::btree_map(word(), inner, 0..4)
                .prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

/// An object in any order, with unknown keys between the others. `None` is written as absent or null.
pub(crate) fn object<'a>(
    dice: &mut Dice,
    members: impl IntoIterator<Item = (&'a str, Option<Json>)>,
) -> Json {
    let members = members.into_iter();
    let members: Vec<_> = members
        .map(|(key, value)| (key, value.or_else(|| dice.once_in(2).then_some(Json::Null))))
        .collect();
    strict_object(dice, members)
}

/// An object whose `None` members are absent, never null.
pub(crate) fn strict_object<'a>(
    dice: &mut Dice,
    members: impl IntoIterator<Item = (&'a str, Option<Json>)>,
) -> Json {
    let mut found: Vec<(String, Json)> = members
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?)))
        .collect();
    for n in 0..dice.roll(3) {
        let value = match dice.roll(4) {
            0 => Json::Null,
            1 => Json::Written("1e300".to_owned()),
            2 => Json::Array(vec![Json::Object(vec![(
                "id".to_owned(),
                Json::Bool(true),
            )])]),
            _ => Json::from("\u{1f680}\\\"\n}"),
        };
        found.push((format!("x-{n}/~\""), value));
    }
    dice.shuffle(&mut found);
    Json::Object(found)
}

/// Values for a document that is made from a schema, so that a new field needs no test of its own.
pub(crate) trait Fill {
    /// A value of a place that has no known keys.
    fn leaf(&mut self, key: &str, schema: &Value) -> Json;

    /// Whether the document has this key, which is not required.
    fn has(&mut self, _key: &str) -> bool {
        true
    }

    /// How long a list is.
    fn items(&mut self) -> usize {
        1
    }

    /// Which of several shapes a value has.
    fn choose(&mut self, _shapes: &[Value]) -> usize {
        0
    }

    /// An object of the schema `place`.
    fn object(&mut self, _place: &Value, members: Vec<(&str, Option<Json>)>) -> Json {
        let members = members.into_iter();
        let members = members.filter_map(|(key, value)| Some((key.to_owned(), value?)));
        Json::Object(members.collect())
    }
}

/// Makes a document of the schema `root`, or the part of it at a `place`, which is the value of `key`.
pub(crate) fn fill<'a>(
    root: &'a Value,
    mut place: &'a Value,
    key: &str,
    by: &mut dyn Fill,
) -> Json {
    loop {
        let shapes = place.get("anyOf").or(place.get("oneOf"));
        place = match (place["$ref"].as_str(), shapes.and_then(Value::as_array)) {
            (Some(path), _) => root.pointer(&path[1..]).expect("a definition"),
            (None, Some(shapes)) => &shapes[by.choose(shapes)],
            (None, None) => break,
        };
    }
    if let Some(properties) = place["properties"].as_object() {
        let lists = [&place["required"], &place["then"]["required"]];
        let is_required = |key: &str| {
            let mut keys = lists.into_iter().filter_map(Value::as_array).flatten();
            keys.any(|required| required == key)
        };
        let known = properties
            .iter()
            .filter(|(_, shape)| shape.get("not").is_none());
        let members = known.map(|(key, shape)| {
            let has = is_required(key) || by.has(key);
            (key.as_str(), has.then(|| fill(root, shape, key, by)))
        });
        let members = members.collect();
        by.object(place, members)
    } else if let Some(shape) = place.get("items") {
        let items = 0..by.items();
        Json::Array(items.map(|_| fill(root, shape, key, by)).collect())
    } else {
        by.leaf(key, place)
    }
}

impl Json {
    /// Writes the value on one or many lines, with white space and escapes wherever they are allowed.
    pub(crate) fn write(&self, dice: &mut Dice, one_line: bool) -> String {
        let mut out = String::new();
        self.push(&mut out, dice, one_line);
        out
    }

    fn push(&self, out: &mut String, dice: &mut Dice, one_line: bool) {
        space(out, dice, one_line);
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Written(literal) => out.push_str(literal),
            Self::Text(text) => quote(out, dice, text),
            Self::Array(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    item.push(out, dice, one_line);
                }
                space(out, dice, one_line);
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (at, (key, value)) in members.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    space(out, dice, one_line);
                    quote(out, dice, key);
                    space(out, dice, one_line);
                    out.push(':');
                    value.push(out, dice, one_line);
                }
                space(out, dice, one_line);
                out.push('}');
            }
        }
        space(out, dice, one_line);
    }
}

fn space(out: &mut String, dice: &mut Dice, one_line: bool) {
    out.push_str(match dice.roll(12) {
        9 => " ",
        10 => "\t ",
        11 if !one_line => "\r\n  ",
        8 if !one_line => "\n",
        _ => "",
    });
}

fn quote(out: &mut String, dice: &mut Dice, text: &str) {
    out.push('"');
    for c in text.chars() {
        let plain = c >= ' ' && !matches!(c, '"' | '\\');
        match (c, dice.roll(8)) {
            ('"' | '\\' | '/', 1..6) => out.extend(['\\', c]),
            ('\n', 1..6) => out.push_str("\\n"),
            ('\t', 1..6) => out.push_str("\\t"),
            ('\u{8}', 1..6) => out.push_str("\\b"),
            (_, 0..7) if plain => out.push(c),
            (_, roll) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.push_str(&if roll % 2 == 0 {
                        format!("\\u{unit:04x}")
                    } else {
                        format!("\\u{unit:04X}")
                    });
                }
            }
        }
    }
    out.push('"');
}

/// A JSON Lines file: both kinds of line ends, blank lines, a byte order mark.
pub(crate) fn lines(dice: &mut Dice, lines: &[String], blank_first: bool) -> String {
    let mut out = String::new();
    if dice.once_in(4) {
        out.push('\u{feff}');
    }
    for (at, line) in lines.iter().enumerate() {
        if (at > 0 || blank_first) && dice.once_in(4) {
            out.push_str(" \n\t\r\n");
        }
        out.push_str(line);
        let last = at + 1 == lines.len();
        out.push_str(match dice.roll(4) {
            3 => "\r\n",
            2 if last => "",
            _ => "\n",
        });
    }
    out
}
