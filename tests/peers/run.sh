#!/usr/bin/env bash
# The same tools for rmcp, rig, llm-tool, tools-rs, server-less and by hand, measured in one run: a call, a start, a list, what it
# takes to compile, what a program weighs, and MCP (by `tests/peers-mcp/run.sh`). Prints tables of ratios; fails where a goal is missed.
#
#   run.sh                      everything
#   run.sh calls check          these questions anew (calls, starts, check, change, release, protocol), and the tables of all
#   run.sh --write              asks nothing; puts the tables into the README, if everything was asked of one tree on one day
#
# TOOL_PEERS names the peers to measure by their folders, all of them otherwise; what is asked of another tree, or on another day,
# replaces what was known. A goal is judged when all are known that it is about. TOOL_PEERS_COUNTS is how many tools the programs
# have whose starts and lists are measured ("10 100 1000").
# Instructions are counted and repeat exactly; times are medians of TOOL_PEERS_ROUNDS interleaved rounds (5), in which a busy
# machine still shows. The first run builds every peer and takes long.
set -euo pipefail
cd "$(dirname "$0")"
if ! command -v valgrind >/dev/null; then
  echo "peers: skipped: valgrind not installed"
  exit "${TOOL_REQUIRE_PEERS:-0}"
fi
target=${CARGO_TARGET_DIR:-$(cd ../.. && pwd)/target/peers}
exec env PYTHONDONTWRITEBYTECODE=1 python3 measure "$target" "${TOOL_PEERS_ROUNDS:-5}" "$@"
