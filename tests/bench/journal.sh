#!/usr/bin/env bash
# How many times more calls one commit for many carries than one commit for each: prints the ratio at 32 callers.
# TOOL_BENCH_FOLDER names the disk, TOOL_JOURNAL_RATIO the least ratio that passes.
set -euo pipefail
cd "$(dirname "$0")/../.."
cargo bench -q -p tool-store --bench journal
