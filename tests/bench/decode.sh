#!/usr/bin/env bash
# Four scalars of a parsed object: taken by their types, against `serde_json::from_value` into a derived struct, by
# criterion in one run. Prints the ratio of the medians; fails when three runs are above the budget: these are times, and a
# machine that does something else for a moment is not slower.
set -euo pipefail
cd "$(dirname "$0")/../.."
measure() {
  cargo bench --quiet -p bench --no-default-features --bench decode -- --quick | python3 -c '
import re, sys
budget = float(sys.argv[1])
text = sys.stdin.read()
unit = {"ns": 1, "µs": 1000, "ms": 1_000_000}
rows = re.findall(r"time:\s+\[[\d.]+ \S+ ([\d.]+) (ns|µs|ms)", text)
typed, struct = (float(number) * unit[name] for number, name in rows)
print(f"decode: {typed:.0f} ns by type, {struct:.0f} ns into a struct, ratio {typed / struct:.2f} (budget {budget:.2f})")
sys.exit(typed / struct > budget)
' "${TOOL_DECODE_BUDGET:-3.0}"
}
measure || measure || measure
