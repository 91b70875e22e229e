//! Makes a digest of the sources, so that the program can tell pages of a different build of it.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-env=RUNPRESS_SOURCES={}", sources());
}

/// The sources that affect the pages of a site.
const SOURCES: [&str; 5] = ["Cargo.toml", "Cargo.lock", "src", "static", "templates"];

/// A digest of the sources, the features and the compiler.
fn sources() -> String {
    let mut hasher = DefaultHasher::new();
    let setting = |name: &str| name.starts_with("CARGO_FEATURE_") || name == "TARGET";
    let mut settings: Vec<_> = std::env::vars().filter(|(name, _)| setting(name)).collect();
    settings.sort();
    settings.hash(&mut hasher);
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let compiler = Command::new(compiler).arg("--version").output();
    compiler.map(|output| output.stdout).ok().hash(&mut hasher);
    for name in SOURCES {
        let path = Path::new("../..").join(name);
        if path.exists() {
            println!("cargo:rerun-if-changed={}", path.display());
            hash_all(&path, &mut hasher);
        }
    }
    format!("{:016x}", hasher.finish())
}

/// Hashes a file, or every file below a folder, in order.
fn hash_all(path: &Path, hasher: &mut DefaultHasher) {
    path.hash(hasher);
    let Ok(entries) = fs::read_dir(path) else {
        return fs::read(path).ok().hash(hasher);
    };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        hash_all(&path, hasher);
    }
}
