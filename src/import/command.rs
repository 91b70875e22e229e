//! Runs the command of `--from-command`: no shell, and bounded in time and in what it prints.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{self, Child, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use base::diagnostics::codes::IMPORT_FAILED_COMMAND;
use base::diagnostics::text::{counted, quoted, visible};

use super::{Problem, problem};

/// Maximum bytes that a command may print about one file; a site reads no run that is larger.
const LARGEST: u64 = 256 << 20;
/// Bytes of standard error that are kept to find its last line.
const ERRORS: u64 = 1 << 20;
/// Characters of that line in a message.
const SHOWN: usize = 200;

/// A command that prints the runs of one file.
#[derive(Debug, Clone)]
pub struct Adapter {
    program: String,
    arguments: Vec<String>,
    /// Seconds that it may take for a file.
    seconds: u64,
}

/// The reason that a command has no output to read.
#[derive(Debug)]
pub enum CommandFailure {
    /// It could not be started.
    Start { program: String, error: io::Error },
    /// It ended with another status than 0, after these last words.
    Status(ExitStatus, String),
    /// It took longer than this number of seconds.
    Time(u64),
    /// It printed more than the limit.
    Size,
    /// Its output could not be read.
    Output(io::Error),
}

/// A pipe of the command, read to its end.
enum PipeOutput {
    Output(io::Result<Vec<u8>>),
    Errors(Vec<u8>),
}

impl Adapter {
    /// Splits a command into words as a shell does. `None` if it has none, or a quote that does not end.
    pub fn parse(command: &str, seconds: u64) -> Option<Self> {
        let mut words = shlex::split(command)?.into_iter();
        Some(Self {
            program: words.next().filter(|word| !word.is_empty())?,
            arguments: words.collect(),
            seconds,
        })
    }

    /// What the command prints about a file.
    pub fn run(&self, path: &Path) -> Result<Vec<u8>, CommandFailure> {
        let mut child = process::Command::new(&self.program)
            .args(&self.arguments)
            .arg(argument(path))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| CommandFailure::Start {
                program: self.program.clone(),
                error,
            })?;
        let end = Instant::now() + Duration::from_secs(self.seconds);
        let result = self.outcome(&mut child, end);
        if result.is_err() {
            // The command may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
        result
    }

    /// Waits for the end of a command. A program that it started may hold its pipes open; those are not waited for longer.
    fn outcome(&self, child: &mut Child, end: Instant) -> Result<Vec<u8>, CommandFailure> {
        let parts = read(child);
        let (mut output, mut errors) = (None, None);
        while output.is_none() || errors.is_none() {
            let left = end.saturating_duration_since(Instant::now());
            match parts.recv_timeout(left) {
                Ok(PipeOutput::Output(read)) => {
                    let read = read.map_err(CommandFailure::Output)?;
                    if read.len() as u64 > LARGEST {
                        return Err(CommandFailure::Size);
                    }
                    output = Some(read);
                }
                Ok(PipeOutput::Errors(read)) => errors = Some(read),
                Err(RecvTimeoutError::Timeout) => return Err(CommandFailure::Time(self.seconds)),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(CommandFailure::Output(io::ErrorKind::BrokenPipe.into()));
                }
            }
        }
        let status = loop {
            match child.try_wait().map_err(CommandFailure::Output)? {
                Some(status) => break status,
                None if Instant::now() >= end => return Err(CommandFailure::Time(self.seconds)),
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        if status.success() {
            return Ok(output.unwrap_or_default());
        }
        let errors = errors.unwrap_or_default();
        Err(CommandFailure::Status(status, last_words(&errors)))
    }
}

/// A path that no program takes for an option.
fn argument(path: &Path) -> PathBuf {
    if path.to_string_lossy().starts_with('-') {
        return Path::new(".").join(path);
    }
    path.to_owned()
}

/// Reads both pipes at once, so that neither fills up while the other is read.
fn read(child: &mut Child) -> Receiver<PipeOutput> {
    let (sender, parts) = mpsc::channel();
    if let Some(pipe) = child.stdout.take() {
        let sender = sender.clone();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = pipe.take(LARGEST + 1).read_to_end(&mut bytes);
            // Nobody waits any more after the time limit.
            let _ = sender.send(PipeOutput::Output(read.map(|_| bytes)));
        });
    }
    if let Some(mut pipe) = child.stderr.take() {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = (&mut pipe).take(ERRORS).read_to_end(&mut bytes);
            let _ = io::copy(&mut pipe, &mut io::sink());
            let _ = sender.send(PipeOutput::Errors(bytes));
        });
    }
    parts
}

/// The last line of an error output, where programs name what is wrong.
fn last_words(errors: &[u8]) -> String {
    let text = String::from_utf8_lossy(errors);
    let line = text.lines().rev().find(|line| !line.trim().is_empty());
    let line = visible(line.unwrap_or_default().trim());
    line.chars().take(SHOWN).collect()
}

impl CommandFailure {
    /// What happened, after "The command".
    pub fn words(&self) -> String {
        match self {
            Self::Start { program, error } => {
                format!("could not be started: {}: {error}", quoted(program))
            }
            Self::Status(status, words) => {
                let ended = status.code().map_or_else(
                    || "was ended by a signal".to_owned(),
                    |code| format!("ended with the status {code}"),
                );
                let colon = if words.is_empty() { "" } else { ": " };
                format!("{ended}{colon}{words}")
            }
            Self::Time(seconds) => format!("took longer than {}", counted(*seconds, "second")),
            Self::Size => format!("printed more than {} MiB", LARGEST >> 20),
            Self::Output(error) => format!("could not be read: {error}"),
        }
    }

    /// The problem of a file about which a command printed nothing to read.
    pub fn problem(&self, file: &str) -> Problem {
        let help = match self {
            Self::Start { .. } => {
                "Check its name. The command runs without a shell: for pipes, name `sh -c '… \"$0\"'`."
            }
            Self::Status(..) => "Run the command with the path to see all of its errors.",
            Self::Time(_) => "Make it faster, or allow more with `--time-limit SECONDS`.",
            Self::Size => "Leave out what is no part of the run.",
            Self::Output(_) => "Run the command with the path to see what it does.",
        };
        let message = format!("The command {}", self.words());
        problem(&IMPORT_FAILED_COMMAND, file, message, help)
    }
}
