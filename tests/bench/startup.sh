#!/usr/bin/env bash
# Start-up cost of 1 000 linked tools: time and allocations of `discover().build()`, and schemas built (must be 0).
# The time is the median of 51; fails above the budget, in microseconds.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/src"
cat >"$work/Cargo.toml" <<TOML
[package]
name = "startup"
version = "0.0.0"
edition = "2024"

[dependencies]
tool-core = { path = "$root/tool-core" }

# A thousand tools are much code of which little runs: what is measured is in the dependencies, built as usual.
[profile.release.package.startup]
opt-level = 1

[workspace]
TOML
cp "$root/Cargo.lock" "$work/Cargo.lock"
{
  cat <<'RS'
//! A thousand tools.
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use tool_core::Registry;
use tool_core::prelude::*;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);
struct Counting;
// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        unsafe { System.dealloc(place, layout) }
    }
}
#[global_allocator]
static COUNTING: Counting = Counting;

fn main() {
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    let started = Instant::now();
    let registry = Registry::builder().discover().build().unwrap();
    let first = started.elapsed();
    let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
    let mut times: Vec<_> = (0..51)
        .map(|_| {
            let started = Instant::now();
            std::hint::black_box(Registry::builder().discover().build().unwrap());
            started.elapsed()
        })
        .collect();
    times.sort();
    println!(
        "startup: {} tools, first {:?}, median {:?}, {allocations} allocations, {} schemas",
        registry.len(),
        first,
        times[25],
        Registry::built()
    );
    let budget: u64 = std::env::var("TOOL_STARTUP_BUDGET").map_or(1000, |text| text.parse().unwrap());
    assert!(times[25].as_micros() <= budget.into(), "more than {budget} µs");
    assert_eq!(registry.len(), 1000);
    assert_eq!(Registry::built(), 0, "a schema was built");
    assert!(allocations <= 64, "{allocations} allocations");
}
RS
  for i in $(seq 1000); do
    printf '/// Adds %s to a number.\n#[tool]\nfn add_%s(\n    /// The number.\n    n: u64,\n) -> String {\n    (n + %s).to_string()\n}\n' "$i" "$i" "$i"
  done
} >"$work/src/main.rs"
# Most of what it depends on is what the other benchmarks have built.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
(cd "$work" && cargo build --quiet --release)
"$CARGO_TARGET_DIR/release/startup"
