//! The binary: parses the command line, calls the library, prints, picks the exit status.

mod cli;

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
#[cfg(feature = "parquet")]
use runpress::api::site::Export;
use runpress::api::site::Overrides;

use cli::build::BuildMode;
#[cfg(feature = "serve")]
use cli::serve;
#[cfg(feature = "verify")]
use cli::verify;
use cli::{COULD_NOT_RUN, Cli, Command, author, build, import, lookup, shard, share, shell};

/// Pages consist of many short texts: with the system's allocator a build takes a tenth longer, and much longer with musl.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Prints only the place of a panic: its message may quote recorded text, with control characters and private words.
fn print_place_of_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        let mut out = std::io::stderr();
        let _ = writeln!(out, "internal error at {}", place.unwrap_or_default());
        let trace = Backtrace::capture();
        if trace.status() == BacktraceStatus::Captured {
            let _ = writeln!(out, "{trace}");
        }
    }));
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    print_place_of_panics();
    let status = match &cli.command {
        Command::Schema { name } => lookup::schema(name.as_deref()),
        Command::Explain { code } => lookup::explain(code.as_deref()),
        Command::New { folder } => author::new(&cli, folder),
        Command::Import(args) => import::run(&cli, args),
        Command::Share(args) => share::run(&cli, args),
        Command::Annotate(args) => author::annotate(&cli, args),
        Command::Decide(args) => author::decide(&cli, args),
        Command::Redact(args) => author::redact(&cli, args),
        Command::Raw { run, event } => author::raw(&cli, run, *event),
        Command::RevealProof { run, id } => author::reveal_proof(&cli, run, id),
        Command::Completions { shell } => shell::completions(*shell),
        Command::Man { folder } => shell::man(folder.as_deref()),
        #[cfg(feature = "serve")]
        Command::Serve { input, port } => serve::run(&cli, input, *port),
        #[cfg(not(feature = "serve"))]
        Command::Serve { .. } => cli::no_server(),
        #[cfg(feature = "parquet")]
        Command::Export {
            folder,
            input,
            site,
            ..
        } => {
            let overrides = Overrides {
                export: Some(Export::HuggingFace(folder.clone())),
                ..site.overrides()
            };
            build::run(&cli, input, &BuildMode::Export, overrides)
        }
        #[cfg(not(feature = "parquet"))]
        Command::Export { .. } => cli::no_export(),
        #[cfg(feature = "verify")]
        Command::Verify(args) => verify::run(&cli, args),
        #[cfg(not(feature = "verify"))]
        Command::Verify(_) => cli::no_verifier(),
        Command::Check { input, site } => {
            build::run(&cli, input, &BuildMode::Check, site.overrides())
        }
        Command::Build {
            output,
            shard,
            shards,
        } => match shard::from_options(shard.as_deref(), *shards) {
            Ok(shard) => {
                let overrides = Overrides {
                    shard,
                    ..output.overrides()
                };
                build::run(&cli, &output.input, &BuildMode::Build, overrides)
            }
            Err(()) => COULD_NOT_RUN,
        },
        Command::Merge { parts, output } => {
            let mode = BuildMode::Merge(parts);
            build::run(&cli, &output.input, &mode, output.overrides())
        }
    };
    ExitCode::from(status)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    #[test]
    fn a_panic_prints_its_place_and_not_what_it_says() {
        const PANICS: &str = "RUNPRESS_TEST_OF_A_PANIC";
        if std::env::var_os(PANICS).is_some() {
            super::print_place_of_panics();
            panic!("it is inside {}-{} of a text", "hush", "4f1c2d3e");
        }
        let program = std::env::current_exe().expect("the test itself");
        for backtrace in ["0", "1", "full"] {
            let ran = Command::new(&program)
                .args(["a_panic_prints_its_place", "--nocapture"])
                .env(PANICS, "1")
                .env("RUST_BACKTRACE", backtrace)
                .output()
                .expect("it runs");
            let output = String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned();
            assert!(output.contains("internal error at src/main.rs"), "{output}");
            assert!(!output.contains("hush-4f1c2d3e"), "{output}");
            // A release build strips the names in a trace.
            assert_eq!(output.contains("\n   0: "), backtrace != "0", "{output}");
        }
    }
}
