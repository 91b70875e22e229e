//! Compiles the crate again when a template changes: a macro reads the folder, of which cargo knows nothing.

fn main() {
    println!("cargo:rerun-if-changed=../../templates");
}
