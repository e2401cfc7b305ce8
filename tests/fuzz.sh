#!/usr/bin/env bash
# Runs every fuzz target for some seconds (default 60). Needs a nightly toolchain and cargo-fuzz.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
skip() {
  echo "fuzz: skipped: $1"
  exit "${TOOL_REQUIRE_PEERS:-0}"
}
rustup toolchain list 2>/dev/null | grep -q nightly || skip "no nightly toolchain"
if ! cargo fuzz --version >/dev/null 2>&1; then
  cargo install --quiet cargo-fuzz --locked || skip "cargo-fuzz cannot be installed"
fi
cd fuzz
for target in $(cargo +nightly fuzz list); do
  echo "fuzz: $target for $seconds s"
  cargo +nightly fuzz run "$target" -- -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    2>&1 | grep -E "stat::|SUMMARY|Done" || { echo "fuzz: $target failed"; exit 1; }
done
