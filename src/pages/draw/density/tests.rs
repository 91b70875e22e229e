//! Columns compared with their tapes.

use std::fmt::Write as _;

use formats::config::Config;
use formats::events;
use formats::model::tape::{Family, Tape, from_event};

use super::*;

const TYPES: [&str; 7] = [
    r#""type":"agent","message":"m""#,
    r#""type":"command","command":"c","isSuccess":true"#,
    r#""type":"command","command":"c","isSuccess":false"#,
    r#""type":"read","path":"p""#,
    r#""type":"write","path":"p","isSuccess":false"#,
    r#""type":"error","message":"m""#,
    r#""type":"system","message":"m""#,
];

/// The tape of an event log that has no problems.
fn tape(log: &str) -> Tape<'_> {
    let mut found = Vec::new();
    let problems = events::read("events.jsonl", log.as_bytes(), |event| {
        found.push(from_event(event, found.len() as u64));
    });
    assert!(problems.is_empty(), "{:?}", problems.first());
    Tape::of_events(found, String::new())
}

/// A log of `count` events with uneven pauses, and a gap of ten minutes after each third.
fn log(count: usize) -> String {
    let (mut out, mut seconds) = (String::new(), 0_usize);
    for index in 0..count {
        seconds += index * 7 % 5;
        if index > 0 && index % (count / 3) == 0 {
            seconds += 600;
        }
        let (day, hour, minute) = (1 + seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
        let fields = TYPES[index * index % 11 % TYPES.len()];
        let second = seconds % 60;
        writeln!(
            out,
            r#"{{"timestamp":"2026-03-{day:02}T{hour:02}:{minute:02}:{second:02}Z",{fields}}}"#
        )
        .expect("a line");
    }
    out
}

fn sum(columns: &[EventCounts]) -> EventCounts {
    let mut sum = EventCounts::default();
    for column in columns {
        sum.add(column);
    }
    sum
}

#[test]
fn columns_count_every_event_and_every_failure_of_tapes_of_any_size() {
    for count in [60, 600, 6_000, 60_000] {
        let log = log(count);
        let tape = tape(&log);
        let mut expected = EventCounts::default();
        for event in &tape.events {
            expected.events[event.kind.family as usize] += 1;
            expected.failed[event.kind.family as usize] += u32::from(event.is_failure());
        }
        assert_eq!(expected.total() as usize, count);
        assert_eq!(expected.failures() as usize, tape.failures());
        assert!(expected.failed[Family::Command as usize] > 0);
        for axis in [Axis::of(&Config::default(), &tape), Axis::of_order(&tape)] {
            for count in [1, 17, COLUMNS, 240, 1_000] {
                let columns = columns(&axis, &tape, count);
                assert_eq!(columns.len(), count);
                assert_eq!(sum(&columns), expected);
                assert_eq!(sum(&merge_pairs(&columns)), expected);
            }
        }
    }
}

#[test]
fn the_picture_of_a_run_is_small() {
    for count in [60, 600, 6_000, 60_000] {
        let log = log(count);
        let tape = tape(&log);
        let axis = Axis::of(&Config::default(), &tape);
        let glyph = TapeGlyph::new(&columns(&axis, &tape, COLUMNS));
        let bytes: usize = glyph.paths.iter().map(|path| path.d.len() + 30).sum();
        assert!(bytes < 1_800, "{bytes} bytes for {count} events");
        assert!(glyph.paths.iter().any(|path| path.class == "fail"));
    }
}

#[test]
fn a_single_failure_among_thousands_of_events_is_seen() {
    let at = r#"{"timestamp":"2026-03-01T10:00:00Z","#;
    let mut log = format!("{at}{}}}\n", TYPES[3]).repeat(9_999);
    log.push_str(&format!("{at}{}}}", TYPES[5]));
    let tape = tape(&log);
    let glyph = TapeGlyph::new(&columns(&Axis::of_order(&tape), &tape, 1));
    let paths: Vec<_> = glyph
        .paths
        .iter()
        .map(|path| (path.class.as_str(), path.d.as_str()))
        .collect();
    assert_eq!(paths, [("f-read", "M0 46V0"), ("fail", "M0 2V0")]);
}

#[test]
fn a_picture_of_few_events_has_a_unit_for_each() {
    let at = r#"{"timestamp":"2026-03-01T10:00:00Z","#;
    let log = [0, 0, 3, 2, 4].map(|kind| format!("{at}{}}}", TYPES[kind]));
    let log = log.join("\n");
    let tape = tape(&log);
    let glyph = TapeGlyph::new(&columns(&Axis::of_order(&tape), &tape, 2));
    assert_eq!((glyph.columns, glyph.height), (2, 3));
    let paths = glyph.paths.iter().map(|path| path.d.as_str());
    let paths: Vec<_> = paths.collect();
    assert_eq!(paths, ["M0 3V1", "M1 3V2", "M1 2V0"]);
}

#[test]
fn labels_are_round_times_and_long_gaps_are_folded() {
    let line =
        |time: &str| format!(r#"{{"timestamp":"2026-03-01T{time}Z","type":"read","path":"p"}}"#);
    let times = ["10:00:07", "10:00:37", "10:01:07", "10:31:07", "10:32:07"];
    let log = times.map(line).join("\n");
    let tape = tape(&log);
    let axis = Axis::of(&Config::default(), &tape);
    let scale = axis.scale(1_000, 100);
    // Half a minute of the gap remains, so two and a half minutes take 900 units.
    assert_eq!(scale.gaps().collect::<Vec<_>>(), [(540, 640, 1_800_000)]);
    assert_eq!(
        scale.places().collect::<Vec<_>>(),
        [0, 180, 360, 640, 1_000]
    );
    assert_eq!(
        scale.ends().collect::<Vec<_>>(),
        [180, 360, 540, 820, 1_000]
    );
    let ticks = scale.ticks(6).into_iter().map(|tick| (tick.x, tick.label));
    let ticks: Vec<_> = ticks.collect();
    let expected = [
        (0, "0:00"),
        (180, "0:30"),
        (360, "1:00"),
        (540, "1:30"),
        (640, "31:00"),
        (820, "31:30"),
        (1_000, "32:00"),
    ];
    assert_eq!(ticks, expected.map(|(x, label)| (x, label.to_owned())));
}
