#!/usr/bin/env bash
# What group commit is worth, at 32 callers, in three rounds: how many times more calls it carries than one commit for each, and
# than sqlx at the same settings; the slowest intents; what a million rows cost, and a read. Prints the ratios with their spread.
# TOOL_SYNC_MS adds milliseconds to each sync, for a machine whose disk answers before it has written.
# TOOL_BENCH_FOLDER names the disk, TOOL_JOURNAL_RATIO and TOOL_SQLX_RATIO the least ratios that pass.
set -euo pipefail
cd "$(dirname "$0")/../.."
if cargo build -q --release --manifest-path tests/peers/Cargo.toml --target-dir target/peers --bin sqlx_journal; then
  export TOOL_BENCH_PEER="$PWD/target/peers/release/sqlx_journal"
else
  echo "skipped: sqlx cannot be built"
  [ "${TOOL_REQUIRE_PEERS:-0}" = 1 ] && exit 1
fi
if [ -n "${TOOL_SYNC_MS:-}" ]; then
  cc -O2 -shared -fPIC -o target/slow_sync.so tests/bench/slow_sync.c -ldl -lm
  preload="$PWD/target/slow_sync.so"
fi
program=$(cargo bench -q -p tool-store --bench journal --no-run --message-format json |
  sed -n 's/.*"executable":"\([^"]*\)".*/\1/p')
LD_PRELOAD="${preload:-}" "$program" --bench
