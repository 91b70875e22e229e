//! Sets the commit for `runpress --version`.

use std::path::Path;
use std::process::Command;

/// Minimum digits of a short commit hash.
const SHORT: usize = 7;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let version = env!("CARGO_PKG_VERSION");
    let version = commit().map_or_else(
        || version.to_owned(),
        |commit| format!("{version} ({commit})"),
    );
    println!("cargo:rustc-env=RUNPRESS_VERSION={version}");
}

/// The commit from `RUNPRESS_COMMIT`, or else the one checked out. `None` without git, or if the sources are not a checkout of
/// their own, as in a package inside another repository.
fn commit() -> Option<String> {
    const GIVEN: &str = "RUNPRESS_COMMIT";
    println!("cargo:rerun-if-env-changed={GIVEN}");
    // One word, so that it cannot be read as another directive to cargo.
    let given = std::env::var(GIVEN).unwrap_or_default();
    if !given.is_empty() && given.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Some(given.chars().take(SHORT).collect());
    }
    if !git(&["rev-parse", "--show-prefix"])?.is_empty() {
        return None;
    }
    // A checkout changes one of these. Cargo treats a missing file as changed each time.
    let branch = git(&["symbolic-ref", "-q", "HEAD"]);
    let names = ["HEAD", "logs/HEAD", "packed-refs"]
        .into_iter()
        .chain(branch.as_deref());
    for name in names {
        let path = git(&["rev-parse", "--git-path", name])?;
        if Path::new(&path).exists() {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    git(&["rev-parse", &format!("--short={SHORT}"), "HEAD"])
}

/// The output of git in the folder of the sources, where cargo runs this script.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
