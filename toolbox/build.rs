//! How the program is linked: at a fixed address, where that can be.
//!
//! At any other, each start begins with writing the program's 38 000 pointers to functions and texts, into 170 pages that are
//! copied for it: more time than all the rest of `--version` takes. Stack, heap and libraries stay where the kernel puts them.

use std::env::var;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| var(name).is_ok_and(|found| found == value);
    // What is linked statically brings a start of its own, which goes with one kind of program only.
    let is_static =
        var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|all| all.split(',').any(|one| one == "crt-static"));
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") && !is_static {
        println!("cargo:rustc-link-arg-bin=toolbox=-no-pie");
    }
}
