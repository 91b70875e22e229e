//! Files, compressed files and archives as sources of imports.

use runpress::api::import::{HEAD, LogSource};

use super::archive;

fn zstd(bytes: &[u8]) -> Vec<u8> {
    let level = ruzstd::encoding::CompressionLevel::Fastest;
    ruzstd::encoding::compress_to_vec(bytes, level)
}

#[test]
fn a_folder_is_listed_by_name_and_links_in_it_are_skipped() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(at("in/b")).expect("folders");
    std::fs::write(at("secret"), "secret").expect("a file");
    std::fs::write(at("in/b/2.jsonl"), "two").expect("a file");
    std::fs::write(at("in/a.jsonl"), "one").expect("a file");
    #[cfg(unix)]
    std::os::unix::fs::symlink("../secret", at("in/link")).expect("a link");
    let source = LogSource::open(&at("in")).expect("a source");
    assert!(source.is_folder());
    assert_eq!(source.names(), ["a.jsonl", "b/2.jsonl"]);
    #[cfg(unix)]
    assert_eq!(source.skipped(), ["link"]);
    assert_eq!(source.read(1).expect("a file").bytes, b"two");
    assert_eq!(source.known(0), None);
    let known = source.known(1).expect("it was read");
    assert_eq!(known.blake3, blake3::hash(b"two").to_hex().to_string());
    let file = LogSource::open(&at("in/a.jsonl")).expect("a source");
    assert_eq!(file.names(), ["a.jsonl"]);
    assert!(!file.is_folder());
    assert_eq!(file.read(0).expect("a file").bytes, b"one");
    assert!(LogSource::open(&at("gone")).is_err());
}

#[test]
fn every_frame_of_a_compressed_file_is_read_and_the_digest_is_that_of_the_disk() {
    let mut bytes = zstd(b"one\n");
    // A skippable frame.
    bytes.extend([0x50, 0x2A, 0x4D, 0x18, 2, 0, 0, 0, 7, 7]);
    bytes.extend(zstd(b"two\n"));
    let source = LogSource::of(&[("log.jsonl.zst", &bytes)]);
    assert_eq!(source.head(0).expect("a head"), b"one\ntwo\n");
    assert_eq!(source.known(0), None);
    assert_eq!(source.read(0).expect("a file").bytes, b"one\ntwo\n");
    let known = source.known(0).expect("it was read");
    assert_eq!(known.bytes, bytes.len() as u64);
    assert_eq!(known.blake3, blake3::hash(&bytes).to_hex().to_string());
}

#[test]
fn a_file_that_unpacks_to_far_more_than_it_is_gets_an_error() {
    let bomb = zstd(&vec![0; 80 << 20]);
    assert!(bomb.len() < 1 << 20, "{}", bomb.len());
    let source = LogSource::of(&[("bomb.zst", &bomb)]);
    let problem = source.read(0).expect_err("a bomb");
    assert_eq!(problem.message, "The file holds more than 64 MiB");
    assert_eq!(source.head(0).expect("a head").len(), HEAD);
    let half = &bomb[..bomb.len() / 2];
    let source = LogSource::of(&[("half.zst", half)]);
    let problem = source.read(0).expect_err("it is not whole");
    assert!(problem.message.contains("Zstandard"), "{problem:?}");
}

#[test]
fn members_of_an_archive_are_listed_and_read_one_by_one() {
    let bytes = archive(&[("b.json", b"{}"), ("a/1.json", b"[1]")]);
    let source = LogSource::of(&[("log.eval", &bytes)]);
    let archive = source.archive(0).expect("an archive");
    assert_eq!(archive.names(), ["a/1.json", "b.json"]);
    assert_eq!(archive.read("a/1.json").expect("a member"), b"[1]");
    assert_eq!(archive.read("b.json").expect("a member"), b"{}");
    let problem = archive.read("c.json").expect_err("no member");
    assert_eq!(problem.place.path, "log.eval");
    assert!(problem.message.contains("`c.json`"), "{problem:?}");
    let known = source.known(0).expect("it was read");
    assert_eq!(known.bytes, bytes.len() as u64);
    assert!(LogSource::of(&[("x", b"PK")]).archive(0).is_err());
}

#[test]
fn a_member_that_unpacks_to_far_more_than_it_is_gets_an_error() {
    let bytes = archive(&[("bomb", &vec![0; 80 << 20]), ("fine", b"fine")]);
    let source = LogSource::of(&[("log.eval", &bytes)]);
    let archive = source.archive(0).expect("an archive");
    let problem = archive.read("bomb").expect_err("a bomb");
    assert!(problem.message.contains("64 MiB"), "{problem:?}");
    assert_eq!(archive.read("fine").expect("a member"), b"fine");
}

#[test]
fn every_prefix_of_an_archive_is_read_or_refused() {
    let bytes = archive(&[("a", b"aaaa"), ("b", b"bbbb")]);
    for end in 0..bytes.len() {
        let source = LogSource::of(&[("log.eval", &bytes[..end])]);
        let read = source.archive(0).and_then(|archive| archive.read("a"));
        assert!(read.is_err(), "{end}");
    }
}
