//! Measures the speed of the secret scan, and its findings in a tree of files. In a tree without secrets, all findings are
//! false positives.
//!
//! `secrets FOLDER...` scans every file. `secrets --list 50 FOLDER...` also prints the places of the first findings of each
//! rule. `secrets --keywords` prints the keywords of the rules as one expression, so that `rg --count -i -e "$(...)" FOLDER`
//! can be timed on the same files.

#![allow(clippy::print_stdout, reason = "what it measures is its output")]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs};

use runpress::api::secrets::{ScanSettings, scan};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Larger files are skipped, as in a build.
const LARGEST: u64 = 64 << 20;

/// The totals of a tree.
#[derive(Default)]
struct Tally {
    files: u64,
    bytes: usize,
    time: Duration,
    slowest: (Duration, PathBuf),
    /// Places of findings by family and rule.
    found: BTreeMap<(String, String), Vec<String>>,
}

impl Tally {
    fn folder(&mut self, folder: &Path, settings: &ScanSettings<'_>) -> Result<()> {
        if !folder.is_dir() {
            return self.file(folder, settings);
        }
        let mut entries: Vec<_> = fs::read_dir(folder)?
            .map(|entry| Ok(entry?.path()))
            .collect::<Result<_>>()?;
        entries.sort();
        for path in entries {
            let kind = fs::symlink_metadata(&path)?;
            if kind.is_dir() {
                self.folder(&path, settings)?;
            } else if kind.is_file() && kind.len() <= LARGEST {
                self.file(&path, settings)?;
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, settings: &ScanSettings<'_>) -> Result<()> {
        let bytes = fs::read(path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let began = Instant::now();
        let findings = scan(&name, &bytes, settings);
        let took = began.elapsed();
        self.files += 1;
        self.bytes += bytes.len();
        self.time += took;
        if took > self.slowest.0 {
            self.slowest = (took, path.to_owned());
        }
        for finding in findings {
            let of = (finding.family.to_string(), finding.rule.to_string());
            let place = format!(
                "{}:{} {:?}",
                path.display(),
                finding.line,
                finding.raw_range
            );
            self.found.entry(of).or_default().push(place);
        }
        Ok(())
    }

    #[allow(clippy::cast_precision_loss, reason = "numbers for people")]
    fn print(&self, listed: usize) {
        let megabytes = self.bytes as f64 / 1e6;
        let seconds = self.time.as_secs_f64();
        println!(
            "{} files, {megabytes:.1} MB, {seconds:.2} s, {:.0} MB/s; slowest: {:.2} s {}",
            self.files,
            megabytes / seconds.max(1e-9),
            self.slowest.0.as_secs_f64(),
            self.slowest.1.display()
        );
        for ((family, rule), places) in &self.found {
            let each = places.len() as f64 * 100.0 / megabytes;
            println!(
                "{family:12} {rule:40} {:6} {each:8.2} in 100 MB",
                places.len()
            );
        }
        let all: usize = self.found.values().map(Vec::len).sum();
        println!(
            "{all} findings, {:.2} in 100 MB",
            all as f64 * 100.0 / megabytes
        );
        for ((_, rule), places) in &self.found {
            for place in places.iter().take(listed) {
                println!("{rule} {place}");
            }
        }
    }
}

/// The keywords of all rules as one expression.
fn keywords() -> String {
    let files = [
        include_str!("../src/secrets/rules.toml"),
        include_str!("../src/secrets/agent_rules.toml"),
    ];
    let tables = files.map(|text| text.parse::<toml::Table>().unwrap_or_default());
    let rules = tables
        .iter()
        .filter_map(|table| table.get("rules")?.as_array())
        .flatten();
    let words = rules
        .filter_map(|rule| rule.get("keywords")?.as_array())
        .flatten();
    let mut words: Vec<String> = words
        .filter_map(|word| Some(regex::escape(&word.as_str()?.to_lowercase())))
        .collect();
    words.sort_unstable();
    words.dedup();
    words.join("|")
}

fn main() -> Result<()> {
    let mut arguments = env::args_os().skip(1).peekable();
    let mut listed = 0;
    let mut tally = Tally::default();
    // Compiled once, whatever is scanned.
    let settings = ScanSettings::default();
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--keywords") => {
                println!("{}", keywords());
                return Ok(());
            }
            Some("--list") => {
                let count = arguments.next().ok_or("--list COUNT")?;
                listed = count.to_string_lossy().parse()?;
            }
            _ => tally.folder(Path::new(&argument), &settings)?,
        }
    }
    if tally.files == 0 {
        return Err("secrets [--list COUNT] FOLDER..., or secrets --keywords".into());
    }
    tally.print(listed);
    Ok(())
}
