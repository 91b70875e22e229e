//! Benchmarks of the work that a build does once per run: reading files and rendering events. Also reads logs of other systems,
//! compared with reading only the keys and values of each line.
//!
//! The input is repeated samples: a run of the demo site with some 170 events and a sidecar, and logs. Run with `cargo bench`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use runpress::api::config::Config;
use runpress::api::discover::RunDirectory;
use runpress::api::import::{IMPORTERS, ImportOptions, LogSource};
use runpress::api::links::{RunFolders, Slug};
use runpress::api::view::timeline::{Layout, Timeline};
use runpress::api::{draw, inspect, load, render};
use serde_json::value::RawValue;

fn directory() -> RunDirectory {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("content");
    let below = Path::new("runs/2026-08/pong-claude-frenzy");
    RunDirectory::new(root.into(), below, "run".to_owned())
}

fn hot_path(criterion: &mut Criterion) {
    let config = Config::default();
    let directory = directory();
    let record = load::record(&directory, &config.limits).expect("the sample run has a record");
    let run = inspect::record(&record)
        .run
        .expect("the sample record is valid");
    let (files, problems) = load::run(&directory, &record, &config.limits);
    assert!(problems.is_empty(), "the sample run can be read");
    let bytes = files.events.as_ref().map_or(0, |file| file.bytes.len());

    let mut group = criterion.benchmark_group("run");
    group.throughput(Throughput::Bytes(bytes as u64));
    group.bench_function("read record", |bencher| {
        bencher.iter(|| inspect::record(black_box(&record)));
    });
    group.bench_function("read and check files", |bencher| {
        bencher.iter(|| inspect::files(&config, Some(&run), black_box(&files)));
    });
    let inspection = inspect::files(&config, Some(&run), &files).value;
    let slug = Slug::new("run", RunFolders::Flat);
    let layouts = Layout::of(&config, &slug, &inspection.tapes);
    group.bench_function("render timeline", |bencher| {
        bencher.iter(|| {
            let sidecar = inspection.sidecars[0].as_ref();
            let mut timeline = Timeline::new(&config, &layouts[0], sidecar);
            let (page, _) = timeline.page(1);
            render::timeline::render(black_box(&page), config.limits.page())
        });
    });
    group.bench_function("render strip", |bencher| {
        bencher.iter(|| {
            let sidecar = inspection.sidecars[0].as_ref();
            let tape = &inspection.tapes[0];
            let strip = draw::strip::strip(&config, &layouts[0], tape, sidecar, None);
            black_box(&strip).svg("runs/run/index.html", 1)
        });
    });
    group.bench_function("draw card", |bencher| {
        let axis = draw::axis::Axis::of(&config, &inspection.tapes[0]);
        let columns = (draw::card::TAPE.0 / draw::card::COLUMN) as usize;
        let card = draw::card::Card {
            site: "runpress demo".to_owned(),
            title: run.subject.model().to_owned(),
            subject: run.title(),
            tapes: vec![draw::density::columns(&axis, &inspection.tapes[0], columns)],
            ticks: axis.scale(draw::card::TAPE.0, 0).ticks(8),
            numbers: vec![(draw::card::Ink::Plain, "200 events".to_owned())],
        };
        bencher.iter(|| draw::card::png(black_box(&card)));
    });
    group.finish();
}

/// Repeats a sample with different ids, so that no row is a copy.
fn repeated(sample: &str, times: usize) -> String {
    let row = |count: usize, line: &str| {
        let line = line.replace("\"uuid\":\"", &format!("\"uuid\":\"{count}-"));
        let line = line.replace("\"id\":\"msg_", &format!("\"id\":\"msg_{count}_"));
        line + "\n"
    };
    let sample: Vec<&str> = sample.lines().filter(|line| line.ends_with('}')).collect();
    let rows = |count| sample.iter().map(move |line| row(count, line));
    (0..times).flat_map(rows).collect()
}

fn imports(criterion: &mut Criterion) {
    let samples = [
        (
            "claude-code",
            include_str!(
                "../tests/fixtures/import/claude-code/made-streamed/7d9f0c52-0000-4000-8000-00000000a001.jsonl"
            ),
            1_000,
        ),
        (
            "codex",
            include_str!(
                "../tests/fixtures/import/codex/localpush/sessions/2026/02/23/rollout-2026-02-23T20-34-25-019c8bfe-ec25-79e0-97d7-bda6a9c575ff.jsonl"
            ),
            400,
        ),
    ];
    let mut group = criterion.benchmark_group("import");
    group.sample_size(20);
    for (format, sample, times) in samples {
        let log = repeated(sample, times);
        let importer = IMPORTERS
            .iter()
            .find(|importer| importer.format == format)
            .expect("an importer");
        let source = LogSource::of(&[("log.jsonl", log.as_bytes())]);
        group.throughput(Throughput::Bytes(log.len() as u64));
        group.bench_function(format!("{format}, all of it"), |bencher| {
            bencher.iter(|| {
                (importer.runs)(&source, &ImportOptions::default(), &mut |run| {
                    black_box(run.expect("a run"));
                });
            });
        });
        group.bench_function(format!("{format}, lines only"), |bencher| {
            bencher.iter(|| {
                for line in log.lines() {
                    let row: BTreeMap<Cow<'_, str>, &RawValue> =
                        serde_json::from_str(black_box(line)).expect("a row");
                    black_box(row);
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, hot_path, imports);
criterion_main!(benches);
