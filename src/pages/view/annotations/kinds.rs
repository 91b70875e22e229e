//! Names and meanings of annotation kinds and their parts.

use crate::view::timeline::appearance;
use formats::model::annotation::{AnnotationKind, FRICTION_KINDS, HYPOTHESIS_STATUSES};

/// The name and meaning of a kind.
#[derive(Clone, Copy)]
pub struct KindInfo {
    /// As in the format; the last one is for unrecognized kinds.
    pub kind: &'static str,
    pub title: &'static str,
    pub definition: &'static str,
}

pub const KINDS: [KindInfo; 10] = [
    KindInfo {
        kind: "correct",
        title: "Correct",
        definition: "The event is right: what happened here is what should have happened.",
    },
    KindInfo {
        kind: "incorrect",
        title: "Incorrect",
        definition: "The event is wrong: what happened here should not have happened.",
    },
    KindInfo {
        kind: "alternative",
        title: "Alternatives",
        definition: "Something else would have been better here. A suggested fix may show what.",
    },
    KindInfo {
        kind: "note",
        title: "Notes",
        definition: "A remark about the event, without a verdict.",
    },
    KindInfo {
        kind: "marker",
        title: "Markers",
        definition: "A place to pause when presenting the run.",
    },
    KindInfo {
        kind: "mute",
        title: "Muted",
        definition: "Nothing important: readers may skip the event.",
    },
    KindInfo {
        kind: "hypothesis",
        title: "Hypotheses",
        definition: "A conjecture about the event, and the state of its investigation.",
    },
    KindInfo {
        kind: "friction",
        title: "Friction",
        definition: "Something made the work harder here than it had to be.",
    },
    KindInfo {
        kind: "crystallize_here",
        title: "Crystallize here",
        definition: "The steps from here to the end of the span should become a tool or a skill.",
    },
    KindInfo {
        kind: "unknown",
        title: "Other kinds",
        definition: "Kinds that this version does not recognize, shown as written.",
    },
];

/// The meaning of each hypothesis status, in the order of the format.
const STATUSES: [&str; 5] = [
    "Not investigated yet.",
    "Under investigation.",
    "It was found to be true.",
    "It was found to be false.",
    "It no longer applies.",
];

/// The meaning of each kind of friction, in the order of the format.
const FRICTIONS: [&str; 9] = [
    "The same thing was asked or looked up again.",
    "The same question had to be answered again.",
    "The work waited for an approval.",
    "The agent lacked information that it needed.",
    "A person had to take over or transfer something.",
    "No tool did what was needed.",
    "An assumption turned out to be wrong.",
    "A large model did what a fixed rule could do.",
    "A person had to explain what was going on.",
];

/// Class and sign of a kind.
pub fn appearance_of(kind: usize) -> (&'static str, &'static str) {
    appearance(&AnnotationKind::parse(KINDS[kind].kind))
}

pub fn kind_index(kind: &AnnotationKind) -> usize {
    let known = AnnotationKind::KNOWN.iter().position(|known| known == kind);
    known.unwrap_or(AnnotationKind::KNOWN.len())
}

/// The parts of a kind, in the order of the format.
pub fn parts_of(kind: usize) -> &'static [&'static str] {
    match KINDS[kind].kind {
        "hypothesis" => &HYPOTHESIS_STATUSES,
        "friction" => &FRICTION_KINDS,
        _ => &[],
    }
}

pub fn part_of(kind: usize, group: Option<&str>) -> usize {
    let parts = parts_of(kind);
    let known = group.and_then(|group| parts.iter().position(|part| *part == group));
    known.unwrap_or(parts.len())
}

pub fn part_name(kind: usize, part: usize) -> Option<String> {
    let parts = parts_of(kind);
    let name = parts.get(part).map(|name| name.replace('_', " "));
    name.or_else(|| (!parts.is_empty()).then(|| "unrecognized".to_owned()))
}

pub fn part_definition(kind: usize, part: usize) -> Option<&'static str> {
    match KINDS[kind].kind {
        "hypothesis" => STATUSES.get(part).copied(),
        "friction" => FRICTIONS.get(part).copied(),
        _ => None,
    }
}

pub fn part_anchor(kind: usize, part: usize) -> String {
    parts_of(kind)
        .get(part)
        .map_or_else(|| "other".to_owned(), |name| name.replace('_', "-"))
}

pub fn folder(kind: usize) -> String {
    KINDS[kind].kind.replace('_', "-")
}
