#!/usr/bin/env bash
# What it costs to plan one request of 600 tools, in milliseconds, for every dialect: the first time and again. Goals: 50 and 2.
# Fails above the budgets.
set -euo pipefail
cd "$(dirname "$0")/../.."
cargo build --quiet --release -p bench --bin plan
"${CARGO_TARGET_DIR:-target}/release/plan" | python3 -c '
import sys
first_most, again_most = map(float, sys.argv[1:])
over = False
for line in sys.stdin:
    name, first, again = line.split()
    print(f"plan: {name}: {first} ms first (budget {first_most:g}), {again} ms again (budget {again_most:g})")
    over |= float(first) > first_most or float(again) > again_most
sys.exit(over)
' "${TOOL_PLAN_FIRST:-50}" "${TOOL_PLAN_AGAIN:-2}"
