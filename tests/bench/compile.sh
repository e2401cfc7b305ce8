#!/usr/bin/env bash
# Compile cost: `cargo check` of 100 tools with four parameters, against the same tools as structs with
# derive(Deserialize, JsonSchema). Prints the user CPU seconds of both and their ratio; fails above the budget.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
budget=${TOOL_COMPILE_BUDGET:-0.40}
runs=${TOOL_COMPILE_RUNS:-3}
count=100
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

crate() { # NAME
  mkdir -p "$work/$1/src"
  cat >"$work/$1/Cargo.toml" <<TOML
[package]
name = "$1"
version = "0.0.0"
edition = "2024"

[dependencies]
schemars = "1.2"
serde = { version = "1.0", features = ["derive"] }
serde_json = "1.0"
tool-core = { path = "$root/tool-core" }

[workspace]
TOML
  cp "$root/Cargo.lock" "$work/$1/Cargo.lock"
}

crate annotated
{
  echo '//! Annotated functions.'
  echo 'use tool_core::prelude::*;'
  for i in $(seq $count); do
    cat <<RS
/// Searches the catalogue number $i.
#[tool(group = "bench")]
pub fn search_$i(
    /// Words to look for.
    query: &str,
    /// Maximum number of hits.
    #[arg(range = 1..=100, default = 10)] limit: u32,
    /// Keep hits that carry one of these tags.
    tags: Vec<String>,
    /// Drop hits below this score.
    min_score: Option<f64>,
) -> String {
    format!("{query} {limit} {tags:?} {min_score:?}")
}
RS
  done
} >"$work/annotated/src/lib.rs"

crate derived
{
  echo '//! Structs that derive what a hand-written tool needs.'
  echo 'use schemars::JsonSchema; use serde::Deserialize;'
  echo 'fn ten() -> u32 { 10 }'
  for i in $(seq $count); do
    cat <<RS
/// Searches the catalogue number $i.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Search$i {
    /// Words to look for.
    pub query: String,
    /// Maximum number of hits.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 100))]
    pub limit: u32,
    /// Keep hits that carry one of these tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Drop hits below this score.
    pub min_score: Option<f64>,
}
pub fn search_$i(args: Search$i) -> String {
    let Search$i { query, limit, tags, min_score } = args;
    format!("{query} {limit} {tags:?} {min_score:?}")
}
RS
  done
} >"$work/derived/src/lib.rs"

# The dependencies are built once; what is timed is the crate itself.
export CARGO_TARGET_DIR="$work/target" CARGO_INCREMENTAL=0
for name in annotated derived; do
  (cd "$work/$name" && cargo check --quiet)
done

user_seconds() { # NAME
  (cd "$work/$1" && touch src/lib.rs && TIMEFORMAT=%U && { time cargo check --quiet >/dev/null 2>&1; } 2>&1)
}

least() { sort -n | head -1; }
for _ in $(seq "$runs"); do
  user_seconds annotated >>"$work/annotated.times"
  user_seconds derived >>"$work/derived.times"
done
python3 - "$(least <"$work/annotated.times")" "$(least <"$work/derived.times")" "$budget" <<'PY'
import sys
annotated, derived, budget = map(float, sys.argv[1:])
ratio = annotated / derived
print(f"compile: 100 tools annotated {annotated:.2f} s, derived {derived:.2f} s, ratio {ratio:.2f} (budget {budget:.2f})")
sys.exit(ratio > budget)
PY
