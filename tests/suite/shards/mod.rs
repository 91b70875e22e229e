//! A site merged from parts is byte for byte the same as the site of one build.

pub(crate) mod broken;
mod reported;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use runpress::api::discover::Shard;
use runpress::api::pipeline::{NoProgress, Outcome};
use runpress::api::site::Overrides;

use crate::full_run::furnish;
use crate::incremental::edits::{self, Edit, Random};
use crate::incremental::{Reference, many_kinds};
use crate::support::{Run, TestSite, described, differences, parse, tree};

/// Edits that affect parts, in addition to those for incremental builds.
const MORE: [Edit; 5] = [
    ("a run has several tapes and every other file", |site, _| {
        furnish(site, "content/runs/r2");
    }),
    ("downloads are for a bucket", |site, _| {
        publish(site, "files_base_url = \"https://files.example.org/\"");
    }),
    ("runs with the same id", |site, _| {
        site.run("twice-1", &edits::run(7))
            .run("twice-2", &edits::run(7));
    }),
    ("the first part is gone", |site, _| {
        let _ = fs::remove_dir_all(site.path("parts/1"));
    }),
    (
        "a page of a part is edited before its shard is built again",
        |site, _| {
            let mut pages = tree(&site.path("parts/1")).into_keys();
            if let Some(page) = pages.find(|path| path.ends_with("index.html")) {
                site.remove(&format!("parts/1/{page}"));
                site.write(&format!("parts/1/{page}"), "edited");
            }
        },
    ),
];

/// Replaces the content of `[publish]`.
fn publish(site: &TestSite, line: &str) {
    let text = site.text("site.toml");
    let kept = text.split("\n[publish]\n").next().expect("settings");
    let feeds = text.split_once("\n[feeds]").map_or("", |(_, feeds)| feeds);
    let kept = kept.split("\n[feeds]").next().expect("settings");
    site.write(
        "site.toml",
        format!("{kept}\n[publish]\n{line}\n\n[feeds]{feeds}"),
    );
}

/// Builds a shard into the folder `parts/K` of the site.
pub(crate) fn shard(site: &TestSite, number: u32, count: u32) -> Outcome {
    let overrides = Overrides {
        out: Some(site.path(&format!("parts/{number}"))),
        shard: Shard::new(number, count),
        ..Overrides::default()
    };
    let outcome = site.build_with(&overrides);
    assert!(outcome.published, "a part is always written");
    outcome
}

/// Merges the parts `parts/1` to `parts/N` in the order of these numbers.
pub(crate) fn merge(site: &TestSite, numbers: &[u32]) -> Outcome {
    let parts = numbers
        .iter()
        .map(|number| site.path(&format!("parts/{number}")));
    let parts: Vec<PathBuf> = parts.collect();
    let merged = runpress::merge(&site.open(&Overrides::default()), &parts, &NoProgress);
    merged.expect("a merge").0
}

/// The numbers up to `count` in an order that depends on the seed.
fn shuffled(count: u32, random: &mut Random) -> Vec<u32> {
    let mut numbers: Vec<u32> = (1..=count).collect();
    for at in (1..numbers.len()).rev() {
        numbers.swap(at, random.below(at + 1));
    }
    numbers
}

/// The reported result of a build.
fn says(outcome: &Outcome) -> impl PartialEq + std::fmt::Debug + use<> {
    (
        described(outcome),
        (outcome.published, outcome.runs, outcome.quarantined),
        (outcome.files, outcome.bytes, outcome.not_published),
        (outcome.blocking, outcome.read, outcome.cases.len()),
        outcome.changes().map(|build| build.build),
    )
}

/// Builds at once and in merged shards, and compares everything; `true` if a site was published.
fn compare(
    site: &TestSite,
    reference: &Reference,
    (count, random): (u32, &mut Random),
    what: &str,
) -> bool {
    let expected = reference.build(site);
    let mut errors = 0;
    for number in shuffled(count, random) {
        let part = shard(site, number, count);
        errors += part.runs;
    }
    let merged = merge(site, &shuffled(count, random));
    assert_eq!(says(&merged), says(&expected), "{what}");
    let (left, right) = (tree(&reference.out()), site.published());
    assert_eq!(differences(&left, &right), [""; 0], "{what}");
    assert!(!merged.published || errors >= merged.runs, "{what}");
    merged.published
}

/// Applies all kinds of edits in an order that depends on the seed. Sometimes changes the number of shards, and leaves parts of
/// the last build in place.
fn stays_exact(seed: u64) {
    let site = many_kinds();
    let reference = Reference::new();
    let mut random = Random(seed);
    let mut count = 3;
    compare(&site, &reference, (count, &mut random), "the first build");
    let edits: Vec<Edit> = edits::edits().into_iter().chain(MORE).collect();
    let mut ahead: Vec<_> = edits.iter().collect();
    let mut published = 0;
    while !ahead.is_empty() {
        let (name, edit) = ahead.swap_remove(random.below(ahead.len()));
        edit(&site, &mut random);
        if random.below(3) == 0 {
            count = 1 + u32::try_from(random.below(7)).expect("a small number");
        }
        let what = format!(
            "seed {seed}, {count} shards, {} edits left: {name}",
            ahead.len()
        );
        published += usize::from(compare(&site, &reference, (count, &mut random), &what));
    }
    assert!(
        published > edits.len() / 2,
        "only {published} were published"
    );
}

#[test]
fn after_each_of_many_edits_merged_parts_are_the_site_of_one_build() {
    stays_exact(3);
}

#[test]
fn after_each_of_many_edits_in_another_order_merged_parts_are_the_site_of_one_build() {
    stays_exact(4);
}

#[test]
fn shards_and_their_merge_give_the_same_addresses_to_runs_that_come_and_go() {
    const IDS: [&str; 8] = [
        "019f9000-aaaa-7000-8000-000000000001",
        "2026-03-01-nightly",
        "run-001",
        "Run 1",
        "run-1",
        "4f1c2d3e-1",
        "4f1c2d3e-2",
        "the-experiment-of-the-first-of-march-1",
    ];
    let site = TestSite::base();
    let reference = Reference::new();
    let mut random = Random(7);
    let mut owners: BTreeMap<String, String> = BTreeMap::new();
    for step in 0..10 {
        for _ in 0..3 {
            let at = random.below(IDS.len());
            let folder = format!("run-{at}");
            if random.below(3) == 0 {
                let _ = std::fs::remove_dir_all(site.path(&format!("content/runs/{folder}")));
            } else {
                let model = ["open/gpt-5.4", "open-gpt-5-4"][random.below(2)];
                site.run(&folder, &Run::new(IDS[at]).model(model));
            }
        }
        let what = format!("step {step}");
        assert!(compare(&site, &reference, (2, &mut random), &what));
        let feed = site.json("feeds/runs.json");
        for run in feed["runs"].as_array().expect("runs") {
            let text = |key: &str| run[key].as_str().expect("a text").to_owned();
            let owner = owners.entry(text("slug")).or_insert_with(|| text("id"));
            assert_eq!(*owner, text("id"), "{what}");
        }
        for slug in owners.keys() {
            let page = format!("public/runs/{slug}/index.html");
            assert!(site.path(&page).is_file(), "{what}: {slug}");
        }
    }
}

#[test]
fn a_part_with_other_addresses_than_the_merged_site_is_refused() {
    let site = TestSite::empty();
    site.run("two", &Run::new("4f1c2d3e-2"));
    site.publish();
    let earlier = Run::new("4f1c2d3e-1").at("2026-01-01T10:00:00Z", "2026-01-01T10:10:00Z");
    site.run("one", &earlier);
    let shard = ["build", "--shard", "1/1", "--out", "parts/1"];
    std::fs::rename(site.path("public"), site.path("elsewhere")).expect("a folder");
    site.runpress(&shard).ok();
    std::fs::rename(site.path("elsewhere"), site.path("public")).expect("a folder");
    let merged = site.runpress("merge parts/1").exits(2);
    merged.says("merge.other-settings");
    merged.says("another ledger");
    site.runpress(&shard).ok();
    site.runpress("merge parts/1").ok();
}

#[test]
fn a_run_of_another_machine_needs_nothing_but_its_record() {
    let site = many_kinds();
    let reference = Reference::new();
    let expected = reference.build(&site);
    let machines = [1, 2].map(|number| {
        let machine = TestSite::bare().overlay(site.root());
        let records = Overrides {
            out: Some(machine.path("part")),
            shard: Shard::new(number, 2),
            records: Some(machine.path("records")),
            ..Overrides::default()
        };
        let mut kept = 0;
        for entry in fs::read_dir(site.path("content/runs")).expect("a folder") {
            let entry = entry.expect("an entry");
            let name = entry.file_name().into_string().expect("UTF-8");
            let record = site.text(&format!("content/runs/{name}/run-record.json"));
            machine.write(
                &format!("records/content/runs/{name}/run-record.json"),
                &record,
            );
            let record = parse(&record);
            let id = record["id"].as_str().expect("an id");
            let digest = blake3::hash(id.as_bytes());
            let first = digest.as_bytes().first_chunk().copied().expect("8 bytes");
            if u64::from_le_bytes(first) % 2 + 1 == u64::from(number) {
                kept += 1;
            } else {
                machine.remove(&format!("content/runs/{name}"));
            }
        }
        let part = machine.build_with(&records);
        assert_eq!(
            (part.runs, part.published),
            (kept, true),
            "{:?}",
            described(&part)
        );
        machine
    });
    let merger = TestSite::bare().overlay(machines[0].root());
    merger.remove("content/runs");
    let records = Overrides {
        records: Some(merger.path("records")),
        ..Overrides::default()
    };
    let parts = [machines[1].path("part"), machines[0].path("part")];
    let merged = runpress::merge(&merger.open(&records), &parts, &NoProgress);
    let merged = merged.expect("a merge").0;
    assert_eq!(says(&merged), says(&expected));
    let (left, right) = (tree(&reference.out()), merger.published());
    assert_eq!(differences(&left, &right), [""; 0]);
}
