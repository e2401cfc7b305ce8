#!/usr/bin/env bash
# How fast the server is on standard input and output, beside rmcp, FastMCP and the TypeScript SDK with the same echo tool: calls a
# second at depth 1 and 32, and lists of 1,000 tools a second. Run it on an idle machine; it prints the ratios to rmcp's best.
# Every tool of rmcp says as much of itself as ours do. rmcp answers with the whole list, so ours does as well (one page); its default of 100 tools a page is ten round trips, and a line
# of its own.
#
# Goals: 1.0 of rmcp at depth 1, 1.5 at depth 32, 5 for lists in one page. With TOOL_GOALS=1 less is a failure. Peers that cannot be installed
# are left out with a line that says so.
set -euo pipefail
cd "$(dirname "$0")"

target=${CARGO_TARGET_DIR:-$PWD/../../target/peers-mcp}
cargo build --release -q --target-dir "$target"
bin=$target/release
rates=$(mktemp)
trap 'rm -f "$rates"' EXIT

# NAME COMMAND…: the command is started once for calls, and once with 1,000 tools for lists.
measure() {
    "$bin/measure" "$1" call "${@:2}" | tee -a "$rates"
    PAGE_SIZE=1000 "$bin/measure" "$1" list "${@:2}" 1000 | tee -a "$rates"
}

# Each Rust server on one thread and on many; the better one counts, on both sides. Twice, in turn, against drift.
for _ in 1 2; do
    THREADS=one measure rmcp "$bin/rmcp_own"
    THREADS=one measure ours "$bin/ours"
    THREADS=many measure rmcp "$bin/rmcp_own"
    THREADS=many measure ours "$bin/ours"
    "$bin/measure" ours list "$bin/ours" 1000 | tee -a "$rates"
done

if python3 -m venv "$target/python" >/dev/null 2>&1 &&
    timeout 300 "$target/python/bin/pip" install -q --disable-pip-version-check 'fastmcp==2.*' >/dev/null 2>&1; then
    measure fastmcp "$target/python/bin/python" fastmcp_echo.py
else
    echo "left out: fastmcp: pip could not install it"
fi

if command -v npm >/dev/null &&
    timeout 300 npm install --silent --no-audit --no-fund --prefix "$target/node" @modelcontextprotocol/sdk@1 zod@3 >/dev/null 2>&1; then
    cp typescript_echo.mjs "$target/node/"
    measure typescript node "$target/node/typescript_echo.mjs"
else
    echo "left out: typescript: npm could not install it"
fi

awk -v goals="${TOOL_GOALS:-0}" '
    { key = $2 " " $3; if ($4 > best[$1, key]) best[$1, key] = $4; peers[$1] }
    $2 == "list" { if (!cpu[$1] || $6 < cpu[$1]) cpu[$1] = $6; bytes[$1] = $5 }
    END {
        for (peer in cpu) if (peer != "ours")
            printf "a list: %d us of a processor for %d bytes, %s %d us for %d bytes: %.2f\n", cpu["ours"], bytes["ours"], peer, cpu[peer], bytes[peer], cpu[peer] / cpu["ours"]
        goal["call 1"] = 1.0; goal["call 32"] = 1.5; goal["list 1"] = 5
        printf "list 10: %d, rmcp in one page %d: %.2f\n", best["ours", "list 10"], best["rmcp", "list 1"], best["ours", "list 10"] / best["rmcp", "list 1"]
        for (key in goal) {
            for (peer in peers) if (peer != "ours")
                printf "%s: %d, %s %d: %.2f\n", key, best["ours", key], peer, best[peer, key], best["ours", key] / best[peer, key]
            if (best["ours", key] / best["rmcp", key] < goal[key]) { printf "%s: the goal is %.1f of rmcp\n", key, goal[key]; missed = 1 }
        }
        exit goals && missed
    }' "$rates"
