//! The feeds of all runs: `runs.json`, `runs.jsonl` and `index.json`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde::ser::{Error, SerializeMap, Serializer};
use serde_json::value::RawValue;

use base::links;
use base::shapes::{self, SCHEMA_VERSION};
use base::url::HttpUrl;
use formats::config::Config;
use formats::model::FileDigest;
use formats::model::archive::{Archive, ArchiveEntry};
use formats::model::fields::{self, FieldKind, FieldValue, Nullability, RunField, RunSource};
use formats::model::findings::Findings;
use formats::model::outcome;
use formats::model::review::Rating;
use formats::model::run::{self, Metric, Number};

use super::write_document;

/// `runs.json`: a card for each run, newest first.
#[allow(
    dead_code,
    reason = "only its schema is used: the document is written piece by piece"
)]
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct RunsDocument<'a> {
    /// Version of this format.
    #[schemars(with = "shapes::Version")]
    pub schema_version: u32,
    /// Canary of the benchmark; absent without one.
    #[schemars(skip_serializing_if = "Option::is_none")]
    pub canary: Option<&'a str>,
    /// The runs, by `publishedAt`, else `finishedAt`, newest first.
    pub runs: Vec<RunCard<'a>>,
}

/// A run in a list, or an object of it.
#[derive(Debug)]
pub struct RunCard<'a> {
    pub source: RunSource<'a>,
    fields: Vec<&'static RunField>,
    /// Length of the path of the object with the dot behind it.
    depth: usize,
}

/// The fields of an object, each with the fields below it.
fn members<'f>(
    fields: &'f [&'static RunField],
    depth: usize,
) -> impl Iterator<Item = (&'static RunField, &'f [&'static RunField])> {
    let members = fields.chunk_by(move |_, next| next.path[depth..].contains('.'));
    members.filter_map(|member| member.split_first().map(|(field, below)| (*field, below)))
}

impl<'a> RunCard<'a> {
    pub fn of(url: &'a str, entry: &'a ArchiveEntry, findings: &'a Findings) -> Self {
        Self {
            source: RunSource {
                run: &entry.run,
                slug: &entry.slug,
                url,
                rating: findings.rating,
                audit: findings.audit,
                findings: Some(findings),
                decisions: &entry.decisions,
                details: None,
            },
            fields: fields::fields_of(fields::JSON, "", ""),
            depth: 0,
        }
    }
}

impl Serialize for RunCard<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let is_known = |field: &RunField| !matches!((field.get)(&self.source), FieldValue::Unknown);
        for (field, below) in members(&self.fields, self.depth) {
            let key = &field.path[self.depth..];
            if matches!(field.kind, FieldKind::Object(..)) {
                let is_null =
                    field.need == Nullability::Null && !below.iter().any(|it| is_known(it));
                let object = RunCard {
                    source: self.source,
                    fields: below.to_vec(),
                    depth: field.path.len() + 1,
                };
                map.serialize_entry(key, &(!is_null).then_some(object))?;
            } else if field.need != Nullability::Absent || is_known(field) {
                map.serialize_entry(key, &Json(&(field.get)(&self.source)))?;
            }
        }
        map.end()
    }
}

/// A value as it is written in a feed.
struct Json<'v, 'a>(&'v FieldValue<'a>);

impl Serialize for Json<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            FieldValue::Unknown => serializer.serialize_none(),
            FieldValue::Text(text) => serializer.serialize_str(text),
            FieldValue::Number(number) => Digits(number).serialize(serializer),
            FieldValue::Count(count) => serializer.serialize_i64(*count),
            FieldValue::Flag(flag) => serializer.serialize_bool(*flag),
            FieldValue::Time(time) => serializer.serialize_str(time.text()),
            FieldValue::Words(words) => serializer.collect_seq(words),
            FieldValue::Counts(counts) => serializer.collect_map(counts.iter()),
            FieldValue::Checks(checks) => serializer.collect_seq(checks.iter().map(Check::of)),
            FieldValue::Outcomes(outcomes) => {
                serializer.collect_seq(outcomes.iter().map(Outcome::of))
            }
        }
    }
}

/// The text of a value in a table; `None` if it is unknown, or no text.
pub fn text<'v>(value: &'v FieldValue<'_>) -> Option<Cow<'v, str>> {
    Some(match value {
        FieldValue::Text(text) => Cow::Borrowed(text),
        FieldValue::Time(time) => time.text().into(),
        FieldValue::Words(words) => words.join(" ").into(),
        FieldValue::Outcomes(_) => serde_json::to_string(&Json(value)).ok()?.into(),
        _ => return None,
    })
}

impl JsonSchema for RunCard<'_> {
    fn schema_name() -> Cow<'static, str> {
        "Card".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let description = "A run in a list. Numbers keep the digits of the record; what was not recorded is null, never 0.";
        let fields = fields::fields_of(fields::JSON, "", "");
        object_schema(generator, description, &fields, 0)
    }
}

fn object_schema(
    generator: &mut SchemaGenerator,
    description: &str,
    fields: &[&'static RunField],
    depth: usize,
) -> Schema {
    let (mut properties, mut required) = (serde_json::Map::new(), Vec::new());
    for (field, below) in members(fields, depth) {
        let key = &field.path[depth..];
        let mut schema = if let FieldKind::Object(name, description) = field.kind {
            let object = object_schema(generator, description, below, field.path.len() + 1);
            let definitions = generator.definitions_mut();
            definitions.insert(name.to_owned(), object.to_value());
            let reference = Schema::new_ref(format!("#/$defs/{name}"));
            if field.need == Nullability::Null {
                json_schema!({ "anyOf": [reference, { "type": "null" }] })
            } else {
                reference
            }
        } else {
            value_schema(generator, field)
        };
        schema.insert("description".to_owned(), field.description.trim().into());
        properties.insert(key.to_owned(), schema.to_value());
        if field.need != Nullability::Absent {
            required.push(key);
        }
    }
    let mut schema =
        json_schema!({ "type": "object", "properties": properties, "required": required });
    if !description.is_empty() {
        schema.insert("description".to_owned(), description.into());
    }
    schema
}

#[allow(
    clippy::zero_sized_map_values,
    reason = "a shape has no values: only the schema of the map is made"
)]
fn value_schema(generator: &mut SchemaGenerator, field: &RunField) -> Schema {
    let of = match field.kind {
        FieldKind::Name => shape::<shapes::Name>,
        FieldKind::Text => shape::<String>,
        FieldKind::Time => shape::<shapes::Time>,
        FieldKind::Address => shape::<shapes::Address>,
        FieldKind::PageAddress => shape::<shapes::PageAddress>,
        FieldKind::Rating => shape::<RatingWord>,
        FieldKind::Flag => shape::<bool>,
        FieldKind::Seconds | FieldKind::Dollars => shape::<shapes::Amount>,
        FieldKind::Tokens | FieldKind::Count => shape::<shapes::Count>,
        FieldKind::LowerBounds => shape::<Vec<LowerBound>>,
        FieldKind::Counts => shape::<BTreeMap<String, shapes::Count>>,
        FieldKind::Checks => shape::<Vec<Check<'_>>>,
        FieldKind::Outcomes => shape::<Vec<Outcome<'_>>>,
        FieldKind::Object(..) => shape::<shapes::AsWritten>,
    };
    of(generator, field.need == Nullability::Null)
}

fn shape<T: JsonSchema>(generator: &mut SchemaGenerator, is_nullable: bool) -> Schema {
    if is_nullable {
        generator.subschema_for::<Option<T>>()
    } else {
        generator.subschema_for::<T>()
    }
}

/// The badge of a run.
#[derive(Debug, Clone, Copy)]
pub enum RatingWord {}

/// Value of a `rating` line of a review.
#[derive(Debug, Clone, Copy)]
pub enum TierWord {}

impl JsonSchema for RatingWord {
    fn schema_name() -> Cow<'static, str> {
        "Rating".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A rating of Test Cabinet, or the grade of a game jam's whole game, best first.",
            "enum": Rating::ALL.map(Rating::word),
        })
    }
}

impl JsonSchema for TierWord {
    fn schema_name() -> Cow<'static, str> {
        "Tier".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A rating of Test Cabinet, best first.",
            "enum": Rating::TIERS.map(Rating::word),
        })
    }
}

/// Path of a metric.
#[derive(Debug, Clone, Copy)]
pub enum LowerBound {}

impl JsonSchema for LowerBound {
    fn schema_name() -> Cow<'static, str> {
        "LowerBound".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Path of a metric whose value is a lower bound.",
            "enum": Metric::ALL.map(Metric::path),
        })
    }
}

document! {
    /// A visual check: a signal, neither passed nor failed.
    struct Check<'a>(check: &'a run::VisualCheck) {
        /// Slug of the view.
        view: &'a str = &check.view,
        /// Display name.
        name: &'a str = &check.name,
        /// Whether the view was reached.
        reached: bool = check.reached,
        /// Similarity of the view to its baseline, 0 to 1, as recorded; meaningless if the view was not reached.
        #[schemars(with = "Option<shapes::Fraction>")]
        similarity: Option<Digits<'a>> = check.similarity.as_ref().map(Digits),
    }
}

document! {
    /// What a scorer said of a run, verbatim.
    pub(super) struct Outcome<'a>(outcome: &'a outcome::Outcome) {
        /// Its name.
        name: &'a str = &outcome.name,
        /// The value as recorded: any JSON; null is unscored.
        value: Option<&'a RawValue> = outcome.value.as_deref().and_then(|value| serde_json::from_str(value).ok()),
        /// The scorer.
        #[serde(skip_serializing_if = "Option::is_none")]
        scorer: Option<&'a str> = outcome.scorer.as_deref(),
        /// `reward`, `score`, `metric`, `check`, `submission` or another word.
        #[serde(skip_serializing_if = "Option::is_none")]
        kind: Option<&'a str> = outcome.kind.as_deref(),
        /// Whether it counts by the scorer's own rules; absent if that was not recorded.
        #[serde(skip_serializing_if = "Option::is_none")]
        valid: Option<bool> = outcome.valid,
        /// Why it does not count, or has no value.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'a str> = outcome.reason.as_deref(),
    }
}

/// An absolute address if the site's `base_url` is set, else relative to its root.
pub fn address(config: &Config, page: &str) -> String {
    let absolute = config.site.address(links::directory(page));
    absolute.unwrap_or_else(|| page.to_owned())
}

/// A number as written in the record.
#[derive(Debug)]
struct Digits<'a>(&'a Number);

impl Serialize for Digits<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digits: &RawValue = serde_json::from_str(self.0.text()).map_err(Error::custom)?;
        digits.serialize(serializer)
    }
}

/// Writes `runs.json` card by card, to avoid a second copy of the archive in memory.
pub fn write_runs(
    out: &mut dyn Write,
    config: &Config,
    archive: &Archive,
    findings: &[Findings],
) -> io::Result<()> {
    write!(out, "{{\n  \"schemaVersion\": {SCHEMA_VERSION},\n")?;
    if let Some(canary) = &config.policy.canary {
        out.write_all(b"  \"canary\": ")?;
        serde_json::to_writer(&mut *out, canary)?;
        out.write_all(b",\n")?;
    }
    out.write_all(b"  \"runs\": [")?;
    for (index, (entry, findings)) in archive.runs.iter().zip(findings).enumerate() {
        out.write_all(if index == 0 { b"\n    " } else { b",\n    " })?;
        serde_json::to_writer(
            &mut *out,
            &RunCard::of(&address(config, &links::run(&entry.slug)), entry, findings),
        )?;
    }
    out.write_all(if archive.runs.is_empty() {
        b"]\n}\n"
    } else {
        b"\n  ]\n}\n"
    })
}

/// Writes `runs.jsonl`, one card per line.
pub fn write_run_lines(
    out: &mut dyn Write,
    config: &Config,
    archive: &Archive,
    findings: &[Findings],
) -> io::Result<()> {
    for (entry, findings) in archive.runs.iter().zip(findings) {
        let url = address(config, &links::run(&entry.slug));
        write_document(out, &RunCard::of(&url, entry, findings))?;
    }
    Ok(())
}

/// `index.json`: the site and every other feed over all runs.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeedIndex<'a> {
    /// Version of this format.
    #[schemars(with = "shapes::Version")]
    schema_version: u32,
    /// The settings of the site that matter to readers of its data.
    site: Site<'a>,
    /// What decides how the runs are shown.
    pages: Pages<'a>,
    /// Runs that are published.
    runs: usize,
    /// Path of the checksums of all files of the site, this one included; absent without them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    checksums: Option<&'static str>,
    /// The feeds, in a stable order.
    feeds: Vec<Feed<'a>>,
}

document! {
    /// A site.
    #[serde(rename_all = "camelCase")]
    struct Site<'a>(config: &'a Config) {
        /// Title of the site.
        title: &'a str = &config.site.title,
        /// Description of the site.
        description: &'a str = &config.site.description,
        /// Public URL, ends with `/`.
        #[schemars(with = "Option<shapes::Address>")]
        base_url: Option<&'a str> = config.site.base_url.as_ref().map(HttpUrl::as_str),
        /// Language of the site's prose, as a BCP 47 tag.
        language: &'a str = &config.site.language,
        /// The publisher.
        author: Option<&'a str> = config.site.author.as_deref(),
        /// License of the data.
        licence: Option<&'a str> = config.policy.licence.as_deref(),
        /// Canary of the benchmark; absent without one.
        #[serde(skip_serializing_if = "Option::is_none")]
        canary: Option<&'a str> = config.policy.canary.as_deref(),
        /// The line at the top of every page.
        notice: Option<&'a str> = config.site.notice.as_deref(),
    }
}

document! {
    /// The settings that decide how the pages of a site and its feeds for feed readers show the runs, so that they can be compared with
    /// the data.
    #[serde(rename_all = "camelCase")]
    struct Pages<'a>(config: &'a Config, own: Vec<&'a str>) {
        /// Maximum events on a page.
        #[schemars(range(min = 1))]
        events_per_page: usize = config.timeline.page_size,
        /// Seconds without an event that a page mentions.
        gap_seconds: u64 = config.timeline.gap_seconds,
        /// Maximum bytes of a text on a page.
        text_bytes: u64 = config.limits.inline,
        /// Maximum runs in the feeds for feed readers.
        feed_items: usize = config.feeds.items,
        /// The templates of the site that differ from those that are built in; absent if there are none.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        own_templates: Vec<&'a str> = own,
    }
}

document! {
    /// A file of data.
    struct Feed<'a>(file: &'a FileDigest, schema_of: fn(&str) -> Option<String>) {
        /// Path, relative to the site's root.
        path: &'a str = &file.path,
        /// Path of its JSON Schema, relative to the site's root; for JSON Lines, of the schema of a line. Null for a feed that
        /// follows a public standard.
        schema: Option<String> = schema_of(&file.path),
        /// Its size in bytes.
        bytes: u64 = file.bytes,
        /// BLAKE3 of its bytes.
        #[schemars(with = "shapes::Blake3")]
        blake3: &'a str = &file.blake3,
    }
}

/// The index of `feeds`, in their order; `own_templates` differ from those that are built in, and `schema_of` returns the schema
/// address of a feed.
pub fn index<'a>(
    config: &'a Config,
    own_templates: Vec<&'a str>,
    runs: usize,
    checksums: Option<&'static str>,
    feeds: impl Iterator<Item = &'a FileDigest>,
    schema_of: fn(&str) -> Option<String>,
) -> FeedIndex<'a> {
    FeedIndex {
        schema_version: SCHEMA_VERSION,
        site: Site::of(config),
        pages: Pages::of(config, own_templates),
        runs,
        checksums,
        feeds: feeds.map(|file| Feed::of(file, schema_of)).collect(),
    }
}
