//! Runs `completions` and `man`: shell completions and manual pages.

use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;
use runpress::api::diagnostics::text::visible;

use super::console::{answer, refuse};
use super::{COULD_NOT_RUN, Cli};

/// The completion script of a shell.
pub(crate) fn completions(shell: Shell) -> u8 {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "runpress", &mut script);
    answer(&String::from_utf8_lossy(&script))
}

/// The manual page of `runpress`, or with a folder one page per command.
pub(crate) fn man(folder: Option<&Path>) -> u8 {
    let Some(folder) = folder else {
        let mut page = Vec::new();
        // Writing into memory cannot fail.
        let _ = Man::new(Cli::command()).render(&mut page);
        return answer(&String::from_utf8_lossy(&page));
    };
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), folder));
    let Err(error) = written else { return 0 };
    refuse(
        &format!(
            "cannot write the manual pages to `{}`: {error}",
            visible(&folder.to_string_lossy())
        ),
        "Choose a writable folder.",
    );
    COULD_NOT_RUN
}
