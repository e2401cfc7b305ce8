//! Nothing to build: `links` in Cargo.toml needs a build script.

fn main() {
    // Without this it would be of every file of the package: another test of tool-core, and all that depends on it is compiled again.
    println!("cargo:rerun-if-changed=build.rs");
}
