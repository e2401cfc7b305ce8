#!/usr/bin/env bash
# What group commit is worth, at 32 callers, in three rounds: how many times more calls it carries than one commit for each, and
# than sqlx at the same settings. Prints both ratios with their spread.
# TOOL_BENCH_FOLDER names the disk, TOOL_JOURNAL_RATIO and TOOL_SQLX_RATIO the least ratios that pass.
set -euo pipefail
cd "$(dirname "$0")/../.."
if cargo build -q --release --manifest-path tests/peers/Cargo.toml --target-dir target/peers --bin sqlx_journal; then
  export TOOL_BENCH_PEER="$PWD/target/peers/release/sqlx_journal"
else
  echo "skipped: sqlx cannot be built"
  [ "${TOOL_REQUIRE_PEERS:-0}" = 1 ] && exit 1
fi
cargo bench -q -p tool-store --bench journal
