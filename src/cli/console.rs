//! The terminal: lines for people, output for programs, and progress.

use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::Mutex;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use runpress::api::diagnostics::{Diagnostic, Severity, human};
use runpress::api::pipeline::Progress;

use super::{COULD_NOT_RUN, Cli, Color, ReportOption};

/// Whether a stream uses color.
fn styled(cli: &Cli, is_terminal: bool) -> bool {
    match cli.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => is_terminal && std::env::var_os("NO_COLOR").is_none(),
    }
}

/// Prints an error that has no place in the content, with a suggested fix.
pub(crate) fn refuse(message: &str, help: &str) {
    say(&format!("error: {message}\n  help: {help}"));
}

/// Prints a line for people. Ignores a closed output.
pub(crate) fn say(text: &str) {
    say_raw(&format!("{text}\n"));
}

pub(crate) fn say_raw(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Prints a line for people, except with `--quiet`.
pub(crate) fn say_unless_quiet(cli: &Cli, text: &str) {
    if !cli.quiet {
        say(text);
    }
}

/// The problems to show: without notes, except with `--verbose`.
pub(crate) fn shown_problems(cli: &Cli, problems: &[Diagnostic]) -> Vec<Diagnostic> {
    let shown = |problem: &&Diagnostic| cli.verbose || problem.severity != Severity::Note;
    problems.iter().filter(shown).cloned().collect()
}

/// A report for people; styled if it goes to a terminal.
pub(crate) fn human_report(cli: &Cli, report: &ReportOption, problems: &[Diagnostic]) -> Vec<u8> {
    let is_terminal = report.file.is_none() && std::io::stdout().is_terminal();
    human::render(problems, styled(cli, is_terminal)).into_bytes()
}

/// Prints problems for people.
pub(crate) fn say_problems(cli: &Cli, problems: &[Diagnostic]) {
    let styled = styled(cli, std::io::stderr().is_terminal());
    say_raw(&human::render(problems, styled));
}

/// Prints what was done. A closed output does not undo it.
pub(crate) fn print(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

/// Prints what was done, except with `--quiet`.
pub(crate) fn print_unless_quiet(cli: &Cli, text: &str) {
    if !cli.quiet {
        print(text);
    }
}

/// Prints an answer and returns the exit status. Failing to print it is an error.
pub(crate) fn answer(text: &str) -> u8 {
    let mut out = std::io::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        // A closed pipe (`runpress explain | head`) is not an error.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            refuse(
                &format!("cannot write to standard output: {error}"),
                "Free some space, or redirect the output.",
            );
            COULD_NOT_RUN
        }
        _ => 0,
    }
}

/// A progress bar on a terminal, plain lines elsewhere.
pub(crate) struct Bar {
    bar: ProgressBar,
    /// The steps and their start times.
    steps: Mutex<Vec<(&'static str, Instant)>>,
    plain: bool,
}

impl Bar {
    pub(crate) fn new(cli: &Cli) -> Self {
        let terminal = std::io::stderr().is_terminal() && !cli.quiet;
        let target = if terminal {
            ProgressDrawTarget::stderr_with_hz(10)
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        if let Ok(style) =
            ProgressStyle::with_template("{msg:<18} {bar:30} {human_pos} of {human_len}")
        {
            bar.set_style(style.progress_chars("=> "));
        }
        Self {
            bar,
            steps: Mutex::new(Vec::new()),
            plain: !terminal && !cli.quiet,
        }
    }

    /// A bar that prints nothing without a terminal.
    pub(crate) fn on_terminals(cli: &Cli) -> Self {
        Self {
            plain: false,
            ..Self::new(cli)
        }
    }

    /// Hides the bar while `print` runs.
    pub(crate) fn suspend(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    /// Shows how many of all parts of a step are done, where their number grows.
    #[cfg(feature = "verify")]
    pub(crate) fn set_progress(&self, done: usize, all: usize) {
        self.bar.set_length(all as u64);
        self.bar.set_position(done as u64);
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// The duration of each step; the last one is still running.
    pub(crate) fn timings(&self) -> String {
        let Ok(steps) = self.steps.lock() else {
            return String::new();
        };
        let ends = steps.iter().skip(1).map(|(_, began)| *began);
        let ends = ends.chain([Instant::now()]);
        let lines = steps.iter().zip(ends).map(|((step, began), end)| {
            let seconds = end.duration_since(*began).as_secs_f64();
            format!("  {step:<26} {seconds:>7.2} s\n")
        });
        format!("Timings:\n{}", lines.collect::<String>())
    }
}

impl Progress for Bar {
    fn begin(&self, step: &'static str, ticks: Option<usize>) {
        self.bar.set_length(ticks.unwrap_or(1) as u64);
        self.bar.set_position(0);
        self.bar.set_message(step);
        if let Ok(mut steps) = self.steps.lock()
            && steps.last().is_none_or(|(current, _)| *current != step)
        {
            steps.push((step, Instant::now()));
            if self.plain {
                say(&match ticks {
                    Some(ticks) => format!("{step}: {ticks}"),
                    None => step.to_owned(),
                });
            }
        }
    }

    fn tick(&self) {
        self.bar.inc(1);
    }
}
