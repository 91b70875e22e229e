//! The minimum work of a run page generator: reads the files of each run, parses every event into a struct that borrows from
//! the file, escapes its texts and writes one page. Checks and compares nothing. `benches/build.py` measures runpress against
//! it.
//!
//! `floor RUNS OUT [THREADS]`

use std::borrow::Cow;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, thread};

use serde::Deserialize;
use serde_json::Value;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    timestamp: Cow<'a, str>,
    #[serde(borrow)]
    message: Option<Cow<'a, str>>,
    #[serde(borrow)]
    command: Option<Cow<'a, str>>,
    #[serde(borrow)]
    working_directory: Option<Cow<'a, str>>,
    #[serde(borrow)]
    path: Option<Cow<'a, str>>,
    #[serde(borrow)]
    query: Option<Cow<'a, str>>,
    #[serde(borrow)]
    skill_name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    evidence: Option<Cow<'a, str>>,
    exit_code: Option<i64>,
    start_line: Option<u32>,
    end_line: Option<u32>,
}

fn escape(text: &str, out: &mut String) {
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escaped = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&#34;",
            b'\'' => "&#39;",
            _ => continue,
        };
        out.push_str(&text[from..at]);
        out.push_str(escaped);
        from = at + 1;
    }
    out.push_str(&text[from..]);
}

fn escape_values(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => escape(text, out),
        Value::Array(items) => items.iter().for_each(|item| escape_values(item, out)),
        Value::Object(members) => members.values().for_each(|value| escape_values(value, out)),
        _ => {}
    }
}

fn events(lines: &str, out: &mut String) -> Result<()> {
    for line in lines.lines() {
        let event: Event<'_> = serde_json::from_str(line)?;
        out.push_str("<li><time>");
        escape(&event.timestamp, out);
        out.push_str("</time> <b>");
        escape(&event.kind, out);
        out.push_str("</b><div class=\"t\">");
        let texts = [
            &event.message,
            &event.command,
            &event.working_directory,
            &event.path,
            &event.query,
            &event.skill_name,
            &event.evidence,
        ];
        texts
            .into_iter()
            .flatten()
            .for_each(|text| escape(text, out));
        let lines = [event.start_line, event.end_line].map(|line| line.map(i64::from));
        for number in [event.exit_code].into_iter().chain(lines).flatten() {
            out.push_str(&number.to_string());
        }
        out.push_str("</div></li>\n");
    }
    Ok(())
}

fn page(run: &Path, out: &Path) -> Result<()> {
    let read = |name: &str| fs::read_to_string(run.join(name));
    let log = read("events.jsonl")?;
    let mut page = String::with_capacity(log.len() * 3 / 2);
    escape_values(&serde_json::from_str(&read("run-record.json")?)?, &mut page);
    events(&log, &mut page)?;
    events(&read("events.jsonl.annotations.jsonl")?, &mut page)?;
    escape(&read("writeup.md")?, &mut page);
    let folder = out.join("runs").join(run.file_name().ok_or("no name")?);
    fs::create_dir_all(&folder)?;
    Ok(fs::write(folder.join("index.html"), &page)?)
}

fn main() -> Result<()> {
    let mut arguments = env::args_os().skip(1).map(PathBuf::from);
    let (Some(runs), Some(out)) = (arguments.next(), arguments.next()) else {
        return Err("floor RUNS OUT [THREADS]".into());
    };
    let threads = arguments
        .next()
        .map_or(Ok(2), |threads| threads.to_string_lossy().parse::<usize>())?;
    let runs = fs::read_dir(runs)?.map(|entry| Ok(entry?.path()));
    let runs: Vec<PathBuf> = runs.collect::<Result<_>>()?;
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
            page(run, &out)?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let mut done = threads.into_iter().map(|thread| {
            thread
                .join()
                .unwrap_or_else(|_| Err("a thread panicked".into()))
        });
        done.try_for_each(|result| result)
    })
}
