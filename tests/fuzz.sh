#!/usr/bin/env bash
# Runs every fuzz target for some seconds (default 60), or those that are named behind them. Needs a nightly toolchain and
# cargo-fuzz. No input may take longer than a second; `TOOL_FUZZ_TIMEOUT` is for machines that are busy.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
named=("${@:2}")
skip() {
  echo "fuzz: skipped: $1"
  exit "${TOOL_REQUIRE_PEERS:-0}"
}
rustup toolchain list 2>/dev/null | grep -q nightly || skip "no nightly toolchain"
if ! cargo fuzz --version >/dev/null 2>&1; then
  cargo install --quiet cargo-fuzz --locked || skip "cargo-fuzz cannot be installed"
fi
cd fuzz
((${#named[@]})) || mapfile -t named < <(cargo +nightly fuzz list)
for target in "${named[@]}"; do
  echo "fuzz: $target for $seconds s"
  cargo +nightly fuzz run "$target" -- -max_total_time="$seconds" -timeout="${TOOL_FUZZ_TIMEOUT:-1}" -rss_limit_mb=2048 -print_final_stats=1 \
    2>&1 | grep -E "stat::|SUMMARY|Done" || { echo "fuzz: $target failed"; exit 1; }
done
