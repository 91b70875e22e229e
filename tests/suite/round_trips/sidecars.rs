//! Annotation sidecars: each annotation is read as written, with or without comments.

use proptest::prelude::*;
use runpress::api::formats::json::Str;
use runpress::api::formats::sidecar::{
    Annotation, Author, AuthorKind, HypothesisStatus, Link, Metadata, SidecarHeader, Span, parse,
};
use serde_json::value::RawValue;

use crate::generate::{Dice, Json, dice, holds, json, lines, object, strict_object, text};

fn maybe() -> impl Strategy<Value = Option<String>> {
    prop::option::of(text())
}

fn author() -> impl Strategy<Value = Option<Author>> {
    let kind = prop_oneof![
        Just(AuthorKind::Human),
        Just(AuthorKind::Agent),
        Just(AuthorKind::System)
    ];
    prop::option::of(
        (maybe(), kind, maybe()).prop_map(|(id, kind, surface)| Author { id, kind, surface }),
    )
}

fn status() -> impl Strategy<Value = Option<HypothesisStatus>> {
    use HypothesisStatus::{Active, Confirmed, Disproven, Stale, Verifying};
    prop::option::of(prop::sample::select(vec![
        Active, Verifying, Confirmed, Disproven, Stale,
    ]))
}

fn link() -> impl Strategy<Value = Link> {
    (maybe(), maybe(), maybe()).prop_map(|(label, url, reference)| Link {
        label,
        url,
        reference,
    })
}

fn raw(json: &Json, dice: &mut Dice) -> &'static RawValue {
    let text = json.write(dice, true).trim().to_owned();
    Box::leak(RawValue::from_string(text).expect("JSON"))
}

/// An annotation without its JSON values, which are generated separately.
fn annotation() -> impl Strategy<Value = (Annotation<'static>, Option<Json>, Option<Json>)> {
    let fix = prop::option::of(json().prop_filter("null", |value| *value != Json::Null));
    let metadata =
        prop::option::of(json().prop_filter("no object", |value| matches!(value, Json::Object(_))));
    let words = (text(), text(), maybe(), maybe(), maybe());
    let span = prop::option::of((any::<u64>(), any::<u64>()));
    let rest = (
        author(),
        span,
        status(),
        prop::collection::vec(link(), 0..3),
    );
    (words, any::<u64>(), rest, fix, metadata).prop_map(
        |(
            (id, kind, evidence, timestamp, friction_kind),
            event_id,
            (author, span, hypothesis_status, links),
            fix,
            metadata,
        )| {
            let annotation = Annotation {
                id: Str(id.into()),
                event_id,
                kind: Str(kind.into()),
                evidence: evidence.map(|text| Str(text.into())),
                suggested_fix: None,
                author,
                timestamp: timestamp.map(|text| Str(text.into())),
                span: span.map(|(start_event_id, end_event_id)| Span {
                    start_event_id,
                    end_event_id,
                }),
                hypothesis_status,
                friction_kind: friction_kind.map(|text| Str(text.into())),
                links,
                metadata: Metadata(None),
            };
            (annotation, fix, metadata)
        },
    )
}

fn written(raw: Option<&RawValue>) -> Option<Json> {
    raw.map(|raw| Json::Written(raw.get().to_owned()))
}

fn annotation_line(dice: &mut Dice, a: &Annotation<'_>) -> String {
    let word = |text: &Option<Str<'_>>| text.as_deref().map(Json::from);
    let name = |text: &Option<String>| text.as_deref().map(Json::from);
    let author = a.author.as_ref().map(|author| {
        let kind = format!("{:?}", author.kind).to_lowercase();
        object(
            dice,
            [
                ("id", name(&author.id)),
                ("kind", Some(Json::from(kind.as_str()))),
                ("surface", name(&author.surface)),
            ],
        )
    });
    let span = a.span.map(|span| {
        object(
            dice,
            [
                ("start_event_id", Some(Json::from(span.start_event_id))),
                ("end_event_id", Some(Json::from(span.end_event_id))),
            ],
        )
    });
    let links = a.links.iter().map(|link| {
        object(
            dice,
            [
                ("label", name(&link.label)),
                ("url", name(&link.url)),
                ("reference", name(&link.reference)),
            ],
        )
    });
    let links: Vec<Json> = links.collect();
    let status = a
        .hypothesis_status
        .map(|status| Json::from(format!("{status:?}").to_lowercase().as_str()));
    let Json::Object(mut members) = object(
        dice,
        [
            ("type", Some(Json::from("annotation"))),
            ("event_id", Some(Json::from(a.event_id))),
            ("kind", Some(Json::from(&*a.kind))),
            ("evidence", word(&a.evidence)),
            ("suggested_fix", written(a.suggested_fix)),
            ("author", author),
            ("timestamp", word(&a.timestamp)),
            ("span", span),
            ("hypothesis_status", status),
            ("friction_kind", word(&a.friction_kind)),
        ],
    ) else {
        unreachable!("an object")
    };
    let plain = [dice.once_in(2), dice.once_in(2)];
    // These three may be absent, but not null.
    let Json::Object(strict) = strict_object(
        dice,
        [
            (
                "id",
                (!a.id.is_empty() || plain[0]).then(|| Json::from(&*a.id)),
            ),
            (
                "links",
                (!links.is_empty() || plain[1]).then_some(Json::Array(links)),
            ),
            ("metadata", written(a.metadata.0)),
        ],
    ) else {
        unreachable!("an object")
    };
    members.extend(strict.into_iter().filter(|(key, _)| !key.starts_with("x-")));
    Json::Object(members).write(dice, true)
}

#[test]
fn a_sidecar_is_read_back_in_every_field_with_comments_between_its_lines() {
    let header = (0_u32..2, maybe(), maybe(), maybe());
    let sidecar = (header, prop::collection::vec(annotation(), 0..4));
    holds(
        300,
        &(sidecar, dice()),
        |(
            ((schema_version, tape_path, tape_content_hash, harn_version), annotations),
            mut dice,
        )| {
            let header = SidecarHeader {
                schema_version,
                tape_path,
                tape_content_hash,
                harn_version,
            };
            let annotations: Vec<Annotation<'static>> = annotations
                .into_iter()
                .map(|(mut annotation, fix, metadata)| {
                    annotation.suggested_fix = fix.map(|json| raw(&json, &mut dice));
                    annotation.metadata = Metadata(metadata.map(|json| raw(&json, &mut dice)));
                    annotation
                })
                .collect();
            let first = object(
                &mut dice,
                [
                    ("type", Some(Json::from("header"))),
                    (
                        "schema_version",
                        Some(Json::from(u64::from(schema_version))),
                    ),
                    ("tape_path", header.tape_path.as_deref().map(Json::from)),
                    (
                        "tape_content_hash",
                        header.tape_content_hash.as_deref().map(Json::from),
                    ),
                    (
                        "harn_version",
                        header.harn_version.as_deref().map(Json::from),
                    ),
                ],
            );
            let mut texts = vec![first.write(&mut dice, true)];
            texts.extend(
                annotations
                    .iter()
                    .map(|annotation| annotation_line(&mut dice, annotation)),
            );
            for at in (0..texts.len()).rev() {
                if dice.once_in(4) {
                    texts.insert(at, " # a {comment\"".to_owned());
                }
            }
            let text = lines(&mut dice, &texts, true);
            let (read, problems) = parse("s", text.as_bytes());
            assert!(problems.is_empty(), "{problems:?} in {text}");
            let read = read.expect("a sidecar");
            assert_eq!(format!("{:?}", read.header), format!("{header:?}"));
            let found: Vec<String> = read
                .annotations
                .iter()
                .map(|line| format!("{:?}", line.annotation))
                .collect();
            let expected: Vec<String> = annotations
                .iter()
                .map(|annotation| format!("{annotation:?}"))
                .collect();
            assert_eq!(found, expected, "{text}");
        },
    );
}
