#!/usr/bin/env bash
# What the tests run of the crates that tools rest on, and which of their public functions no test calls: tests/coverage.sh.
# Prints the share of lines by crate, then the functions; fails where a share is too low or a function is left. A function
# counts as called where a test runs it or an example of the documentation calls one of its name: those examples are not
# measured, nor are constant functions, which the compiler runs. Some tests fail on instrumented programs, which weigh more
# and write files of their own: whether tests pass is asked without this. Takes half an hour. (needs cargo-llvm-cov and the
# component llvm-tools of the toolchain)
set -euo pipefail
cd "$(dirname "$0")/.."
if ! cargo llvm-cov --version >/dev/null 2>&1; then
  echo "coverage: skipped: cargo-llvm-cov not installed"
  exit "${TOOL_REQUIRE_PEERS:-0}"
fi
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0 TOOL_VECTORS=${TOOL_VECTORS:-$PWD/../shared/vectors}
report=$(mktemp)
trap 'rm -f "$report"' EXIT
cargo llvm-cov test --workspace --lib --bins --tests --ignore-run-fail --json --output-path "$report"
python3 - "$report" <<'PY'
import collections, json, re, sys
from pathlib import Path

LEAST = 90  # percent of lines
CRATES = ["tool-core", "tool-std", "tool-policy"]

root = Path.cwd()
found = json.load(open(sys.argv[1]))["data"][0]
lines, runs = collections.defaultdict(collections.Counter), collections.Counter()
for file in found["files"]:
    path = Path(file["filename"])
    if path.is_relative_to(root) and path.relative_to(root).parts[1:2] == ("src",):
        lines[path.relative_to(root).parts[0]].update(file["summary"]["lines"])
for function in found["functions"]:
    place = function["filenames"][0], function["regions"][0][0]
    runs[place] = max(runs[place], function["count"])

sources = {path: path.read_text().splitlines() for path in root.glob("**/*.rs") if "target" not in path.relative_to(root).parts}
documented = "\n".join(line for text in sources.values() for line in text if re.match(r"\s*//[/!]", line))
uncalled = []
for path, text in sources.items():
    if path.relative_to(root).parts[:2] not in [(crate, "src") for crate in CRATES]:
        continue
    for number, line in enumerate(text, 1):
        if line == "mod tests {":
            break
        name = re.match(r"\s*pub (?:async |unsafe )*fn (\w+)", line)
        if name and not runs[str(path), number] and not re.search(rf"\b{name[1]}(::<[^>]*>)?\(", documented):
            uncalled.append(f"{path.relative_to(root)}:{number} {name[1]}")

low = []
for crate in CRATES:
    share = 100 * lines[crate]["covered"] / lines[crate]["count"]
    print(f"coverage: {crate}: {share:.1f} % of {lines[crate]['count']} lines (at least {LEAST})")
    low += [crate] if share < LEAST else []
for function in uncalled:
    print(f"coverage: no test calls {function}")
sys.exit(bool(low or uncalled))
PY
