#!/usr/bin/env bash
# What 1 000 linked tools add to `PROGRAM --version`: median of interleaved runs with and without them, in release.
# Prints both; fails only where TOOL_VERSION_BUDGET (milliseconds) says how much may be added.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
runs=${TOOL_VERSION_RUNS:-200}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

program() { # NAME TOOLS
  mkdir -p "$work/$1/src"
  cat >"$work/$1/Cargo.toml" <<TOML
[package]
name = "$1"
version = "1.0.0"
edition = "2024"

[dependencies]
tool-cli = { path = "$root/tool-cli" }
tool-core = { path = "$root/tool-core" }

[profile.release]
opt-level = 1
codegen-units = 16

[workspace]
TOML
  cp "$root/Cargo.lock" "$work/$1/Cargo.lock"
  {
    printf '//! %s tools.\nuse tool_core::prelude::*;\n' "$2"
    printf 'fn main() -> std::process::ExitCode {\n    tool_cli::run()\n}\n'
    for i in $(seq "$2"); do
      printf '/// Adds %s to a number.\n#[tool]\nfn add_%s(\n    /// The number.\n    n: u64,\n) -> String {\n    (n + %s).to_string()\n}\n' "$i" "$i" "$i"
    done
  } >"$work/$1/src/main.rs"
  (cd "$work/$1" && cargo build --quiet --release)
}

export CARGO_TARGET_DIR="${TOOL_BENCH_TARGET:-$work/target}"
program one_tool 1
program thousand_tools 1000
python3 - "$CARGO_TARGET_DIR/release" "$runs" "${TOOL_VERSION_BUDGET:-}" <<'PY'
import statistics, subprocess, sys, time
folder, runs, budget = sys.argv[1], int(sys.argv[2]), sys.argv[3]
times = {"one_tool": [], "thousand_tools": []}
for _ in range(runs):
    for name, taken in times.items():
        started = time.perf_counter()
        subprocess.run([f"{folder}/{name}", "--version"], check=True, stdout=subprocess.DEVNULL)
        taken.append((time.perf_counter() - started) * 1000)
one, thousand = (statistics.median(times[name]) for name in ("one_tool", "thousand_tools"))
print(f"version: 1 tool {one:.2f} ms, 1000 tools {thousand:.2f} ms, added {thousand - one:.2f} ms (goal 3.00)")
sys.exit(bool(budget) and thousand - one > float(budget))
PY
