//! The file of a run is little larger than its log.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine;

use super::{Printed, assert_round_trip, desk, page, session, session_of, shared};
use crate::support::{Page, fixture, tree};

/// What a file may have beyond 1.4 times its log.
const FRAME: usize = 150_000;

fn samples() -> Vec<PathBuf> {
    let samples = [
        "atif/letta-tool-calls/input.json",
        "atif/nemo-exmp06.json",
        "claude-code/ccl-showcase/55550000-0000-4000-8000-000000000001.jsonl",
        "claude-code/simonw-sample_session.jsonl",
        "claude-code/made-streamed",
        "codex/localpush/sessions/2026/02/23",
        "codex/zst",
        "harbor/2026-03-01__12-00-00/hello-world__Ab3dE7q",
        "inspect/log_images.json",
        "inspect/made/read_sample-chunked.eval",
        "mini-swe-agent/made-toolcall.traj.json",
        "openhands/v0-basic.json",
        "openhands/v1-made",
        "swe-agent/6e44b9__sweagenttestrepo-1c2844.traj",
    ];
    samples
        .iter()
        .map(|sample| fixture("import").join(sample))
        .collect()
}

/// The bytes of a log, which may be a folder.
fn weight(log: &Path) -> usize {
    if log.is_dir() {
        tree(log).values().map(Vec::len).sum()
    } else {
        fs::read(log).expect("a file").len()
    }
}

/// Shares a log whose file must stay within the bound.
fn assert_bounded(log: &Path) {
    let (size, most) = (assert_round_trip(log), weight(log) * 14 / 10 + FRAME);
    assert!(size <= most, "{}: {size} of {most}", log.display());
}

#[test]
fn a_log_of_every_format_becomes_one_file_from_which_the_run_folder_is_restored() {
    for log in samples() {
        assert_bounded(&log);
    }
}

#[test]
fn a_log_of_five_megabytes_stays_within_its_bound() {
    let folder = desk();
    let log = folder.path().join("session.jsonl");
    let texts: Vec<String> = (0..5_000)
        .map(|at| {
            let digest = blake3::hash(format!("{at}").as_bytes());
            let word = base64::prelude::BASE64_STANDARD.encode(digest.as_bytes());
            format!(
                "Step {at}: the function `{word}` returns {at} where {} is expected.\n",
                at + 1
            )
            .repeat(9)
        })
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    fs::write(&log, session(&texts)).expect("a file");
    assert!(weight(&log) > 5_000_000, "{}", weight(&log));
    assert_bounded(&log);
    shared(folder.path(), &log, &[]).ok();
    assert_eq!(
        Page::parse(&page(folder.path())).all(".tape .e").len(),
        5_001
    );
}

/// Files of 5 KB, 1 MB in all, that repeat a part with another word for each `@`.
fn files_of(part: &str) -> Vec<String> {
    let mut words = (0_u64..).map(|number| {
        let digest = blake3::hash(&number.to_le_bytes()).to_hex();
        digest[..3 + usize::from(digest.as_bytes()[0] % 8)].to_owned()
    });
    let mut file = || {
        let mut text = String::new();
        while text.len() < 5_000 {
            let mut pieces = part.split('@');
            text.extend(pieces.next());
            for piece in pieces {
                text.extend(words.next());
                text.push_str(piece);
            }
        }
        text
    };
    (0..200).map(|_| file()).collect()
}

#[test]
fn a_log_of_nothing_but_markup_stays_within_its_bound() {
    let page = "<div class=\"@ @\" id=\"@\">\n  <a href=\"/@/@\">@ @</a>\n  <p>@ @ @ @ @ @ <b>@</b></p>\n</div>\n";
    let short = "<div class=\"@\"><span>@</span></div>\n";
    let component = "export const @ = ({ @ }: Props) => {\n  if (@ && !@) {\n    fetch(`/@`).then((@) => @.json());\n  }\n  return (\n    <ul className=\"@\">\n      {@.map((@) => <Row key={@} label=\"@\" />)}\n    </ul>\n  );\n};\n\n";
    let xml = "<node id=\"@\" lat=\"@\" lon=\"@\" k=\"@\" user=\"@\"/>\n";
    let folder = desk();
    let log = folder.path().join("session.jsonl");
    for (part, printed) in [
        (page, Printed::Answer),
        (page, Printed::Argument),
        (page, Printed::Result),
        (short, Printed::Answer),
        (short, Printed::Argument),
        (component, Printed::Argument),
        (component, Printed::Answer),
        (xml, Printed::Argument),
    ] {
        let files = files_of(part);
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        fs::write(&log, session_of(&files, printed)).expect("a file");
        assert_bounded(&log);
    }
}
