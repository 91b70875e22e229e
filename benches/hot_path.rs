//! Benchmarks of what a build does once per run: reading its files, and rendering its events.
//!
//! The input is a sample run of the demo site with some 170 events and a sidecar. Run them with `cargo bench`.

use std::hint::black_box;
use std::path::{Path, PathBuf};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use runpress::api::config::Config;
use runpress::api::discover::RunDirectory;
use runpress::api::view::timeline::{Layout, Timeline};
use runpress::api::{inspect, load, render, view};

fn directory() -> RunDirectory {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("content");
    let path: PathBuf = root.join("runs/2026-08/pong-claude-frenzy");
    RunDirectory {
        shown: "run".to_owned(),
        path,
        root,
    }
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
    let beside = load::Beside {
        directory: &directory,
        limits: &config.limits,
    };
    let bytes = files.events.as_ref().map_or(0, |file| file.bytes.len());

    let mut group = criterion.benchmark_group("run");
    group.throughput(Throughput::Bytes(bytes as u64));
    group.bench_function("read record", |bencher| {
        bencher.iter(|| inspect::record(black_box(&record)));
    });
    group.bench_function("read and check files", |bencher| {
        bencher.iter(|| inspect::files(&config, beside, Some(&run), black_box(&files)));
    });
    let inspected = inspect::files(&config, beside, Some(&run), &files).value;
    let layouts = Layout::of(&config, "run", &inspected.tapes);
    group.bench_function("render timeline", |bencher| {
        bencher.iter(|| {
            let sidecar = inspected.sidecars[0].as_ref();
            let mut timeline = Timeline::new(&config, &layouts[0], sidecar);
            let (page, _) = timeline.page(1);
            render::timeline::render(black_box(&page), config.limits.page())
        });
    });
    group.bench_function("render strip", |bencher| {
        bencher.iter(|| {
            let sidecar = inspected.sidecars[0].as_ref();
            let strip = view::strip::strip(
                &config,
                &layouts[0],
                &inspected.tapes[0],
                sidecar,
                "runs/run/index.html",
            );
            render::strip::render(black_box(&strip))
        });
    });
    group.finish();
}

criterion_group!(benches, hot_path);
criterion_main!(benches);
