#!/usr/bin/env bash
# Compile cost: `cargo check` of 100 tools with four parameters, against the same tools as structs with
# derive(Deserialize, JsonSchema). Prints the user CPU seconds of both, the least of a few runs, and the instructions that
# rustc executes for each, which no load of the machine changes; fails when the ratio of the instructions is above the budget.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
budget=${TOOL_COMPILE_BUDGET:-0.40}
if ! command -v valgrind >/dev/null; then
  echo "compile: skipped: valgrind not installed"
  exit "${TOOL_REQUIRE_PEERS:-0}"
fi
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

# Most dependencies are what linting has checked before, the others are checked once; what is measured is the crate itself.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target} CARGO_INCREMENTAL=0
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

# Cargo runs the compiler through this; the crate in question runs it under callgrind.
rustc=$(rustc --print sysroot)/bin/rustc
cat >"$work/count" <<SH
#!/usr/bin/env bash
shift
if [[ " \$* " == *" --crate-name \$COUNTED "* ]]; then
  LD_LIBRARY_PATH="${rustc%/bin/rustc}/lib" exec valgrind --tool=callgrind --callgrind-out-file=/dev/null \\
    --log-file="$work/\$COUNTED.log" "$rustc" "\$@"
fi
exec "$rustc" "\$@"
SH
chmod +x "$work/count"
instructions() { # NAME
  (cd "$work/$1" && touch src/lib.rs && COUNTED=$1 RUSTC_WORKSPACE_WRAPPER="$work/count" cargo check --quiet)
  sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$work/$1.log"
}
python3 - "$(least <"$work/annotated.times")" "$(least <"$work/derived.times")" \
  "$(instructions annotated)" "$(instructions derived)" "$budget" <<'PY'
import sys
seconds, by_hand, counted, counted_by_hand, budget = map(float, sys.argv[1:])
ratio = counted / counted_by_hand
print(f"compile: 100 tools annotated {seconds:.2f} s, derived {by_hand:.2f} s, ratio {seconds / by_hand:.2f}")
print(f"compile: {counted / 1e6:.0f} and {counted_by_hand / 1e6:.0f} million instructions, ratio {ratio:.3f} (budget {budget:.2f})")
sys.exit(ratio > budget)
PY
