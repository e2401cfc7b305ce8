#!/usr/bin/env bash
# Has the Inspector of MCP call a tool of the released program over HTTP for five seconds, in both eras. No call may fail, and 99 of
# 100 must be answered within TOOL_LOAD_P99 milliseconds (20): for a machine that has nothing else to do. One call at a time, then
# ten: there the Inspector, which takes more than a millisecond for each, waits for itself on a small machine. (mcp.md §15)
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/mcp/npm.sh

cargo build -q --release -p toolbox
program=$(cd "${CARGO_TARGET_DIR:-target}/release" && pwd)/toolbox
work=$(mktemp -d)
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir "$work/home" "$work/root"
echo hello >"$work/root/a.txt"
export HOME=$work/home XDG_STATE_HOME=$work/home/state TOOLBOX_JOURNAL=off MCP_AUTO_OPEN_ENABLED=false
# The Inspector's own listeners, one a call, are none of ours.
export NODE_NO_WARNINGS=1
(cd "$work/root" && exec "$program" mcp serve --http 0 2>"$work/log") &
server=$!
url=
until [ -n "$url" ]; do
    kill -0 "$server" || { cat "$work/log"; exit 1; }
    url=$(sed -n 's/^listening on //p' "$work/log")
    read -rt 0.1 <> <(:) || true
done

inspector=$modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js
missed=0
for flights in 1 10; do for era in legacy modern; do
    node "$inspector" --cli "$url" --transport http --protocol-era $era --method tools/call --tool-name read_file \
        --tool-arg path=a.txt --load --load-duration 5 --load-concurrency $flights --format json --quiet |
        node -e '
            const [era, flights, most] = process.argv.slice(1);
            const { requests, ok, throughput, latencyMs, errorMessages } = JSON.parse(require("fs").readFileSync(0)).result;
            console.log(`load: ${era}, ${flights} at once: ${ok} of ${requests} calls, ${throughput} a second, p50 ${latencyMs.p50} ms, p99 ${latencyMs.p99} ms (budget ${most})`);
            if (ok !== requests) console.log(errorMessages.join("\n"));
            process.exit(ok === requests && ok > 0 && latencyMs.p99 <= Number(most) ? 0 : 1);
        ' $era $flights "${TOOL_LOAD_P99:-20}" || missed=1
done; done
exit $missed
