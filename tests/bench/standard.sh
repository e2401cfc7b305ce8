#!/usr/bin/env bash
# The standard tools against their peers, in one run and as ratios: files found and searched against ripgrep (its start counts),
# confined reads against `std::fs::read`, sandboxed commands from a program of 1 GiB against a bare `posix_spawn` and
# bubblewrap. Fails above the budgets; `TOOL_STANDARD_SLACK` multiplies them, for machines that are busy.
set -euo pipefail
cd "$(dirname "$0")/../.."
for program in rg bwrap; do
  if ! command -v "$program" >/dev/null; then
    echo "standard: skipped: $program not installed"
    exit "${TOOL_REQUIRE_PEERS:-0}"
  fi
done
cargo build --quiet --release -p bench --bin file_tools --bin sandbox_spawn
target=${CARGO_TARGET_DIR:-target}/release
{
  "$target/file_tools" "${1:-15}"
  "$target/sandbox_spawn" "$((${1:-15} * 8))"
} | python3 -c '
import os, sys
budgets = {"search_sorted": 1.0, "search_unsorted": 1.0, "search_ignore_case": 1.0, "find_files": 1.0,
           "read_4096": 1.3, "read_65536": 1.3, "read_1048576": 1.3, "spawn_bare": 3.0, "spawn_bubblewrap": 0.5}
slack = float(os.environ.get("TOOL_STANDARD_SLACK", "1"))
missed, seen = [], set()
for line in sys.stdin:
    name, ours, theirs = line.split()
    ratio = int(ours) / int(theirs)
    budget = budgets.get(name)
    verdict = "" if budget is None else f" (budget {budget})"
    print(f"standard: {name}: {int(ours) / 1000:.1f} us against {int(theirs) / 1000:.1f} us, ratio {ratio:.2f}{verdict}")
    seen.add(name)
    if budget is not None and ratio > budget * slack:
        missed.append(name)
missed += [f"{name} was not measured" for name in budgets if name not in seen]
sys.exit("standard: over budget: " + ", ".join(missed) if missed else 0)
'
