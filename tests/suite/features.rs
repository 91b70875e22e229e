//! The features of the program: dependencies and behavior of a build without some of them.

use std::process::Command;

/// The packages of a program with these features.
fn packages(features: &[&str]) -> Vec<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "--edges", "normal"])
        .args(["--package", "runpress"])
        .args(["--prefix", "none", "--format", "{p}"])
        .args(features)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let lines = String::from_utf8(output.stdout).expect("UTF-8");
    let name = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    lines.lines().map(name).collect()
}

#[test]
fn a_program_without_serve_has_no_web_server_and_no_watcher() {
    const OF_SERVE: [&str; 6] = ["axum", "hyper", "notify", "tokio", "tower", "tower-http"];
    let all = packages(&[]);
    let few = packages(&["--no-default-features", "--features", "minify"]);
    assert!(few.iter().any(|name| name == "minify-html"), "{few:?}");
    for name in OF_SERVE {
        assert!(all.iter().any(|package| package == name), "{name}");
        assert!(!few.iter().any(|package| package == name), "{name}");
    }
}

#[test]
fn a_program_without_verify_has_no_client_and_no_validator() {
    const OF_VERIFY: [&str; 4] = ["jsonschema", "ring", "rustls", "ureq"];
    let few = packages(&[]);
    let all = packages(&["--features", "verify"]);
    for name in OF_VERIFY {
        assert!(all.iter().any(|package| package == name), "{name}");
        assert!(!few.iter().any(|package| package == name), "{name}");
    }
}

#[cfg(not(feature = "serve"))]
#[test]
fn a_program_without_serve_says_how_to_get_it() {
    let output = crate::support::command()
        .arg("serve")
        .output()
        .expect("runpress runs");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("--features serve"), "{said}");
}
