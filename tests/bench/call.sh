#!/usr/bin/env bash
# Cost of one small call, in instructions: text → executor → text, against a derived struct and a direct call.
# Counts two lengths of the same loop under callgrind and takes the difference. Fails above the budget.
set -euo pipefail
cd "$(dirname "$0")/../.."
budget=${TOOL_CALL_BUDGET:-1.5}
if ! command -v valgrind >/dev/null; then
  echo "call: skipped: valgrind not installed"
  exit "${TOOL_REQUIRE_PEERS:-0}"
fi
# With the program of decode.sh beside them, the features are the same there, and nothing is compiled again.
cargo build --quiet --release -p bench --no-default-features --bin call_by_tool --bin call_by_hand --bench decode
target=${CARGO_TARGET_DIR:-target}/release

instructions() { # EXAMPLE CALLS
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$target/$1" "$2" 2>&1 | sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}
per_call() { # EXAMPLE
  echo $((($(instructions "$1" 3000) - $(instructions "$1" 1000)) / 2000))
}
tool=$(per_call call_by_tool)
hand=$(per_call call_by_hand)
python3 - "$tool" "$hand" "$budget" <<'PY'
import sys
tool, hand, budget = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
ratio = tool / hand
print(f"call: {tool} instructions by tool, {hand} by hand, ratio {ratio:.2f} (budget {budget:.2f})")
sys.exit(ratio > budget)
PY
