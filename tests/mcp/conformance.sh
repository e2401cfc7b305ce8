#!/usr/bin/env bash
# Runs the official conformance suite against examples/mcp-conformance in both revisions, and counts the checks that succeed.
#
# Needs npm and its registry; `tests/mcp/conformance.sh` prints `skipped: REASON` without them, and fails if
# TOOL_REQUIRE_PEERS=1 is set. The least counts are what is kept so far; they do not fall.
set -euo pipefail
cd "$(dirname "$0")/../.."

LEAST_LEGACY=${LEAST_LEGACY:-65}
LEAST_MODERN=${LEAST_MODERN:-118}
DIR=${TOOL_MCP_NPM:-target/mcp}

skip() {
    echo "skipped: $1"
    [ "${TOOL_REQUIRE_PEERS:-0}" = 1 ] && exit 1
    exit 0
}

command -v npm >/dev/null || skip "npm is not installed"
if [ ! -d "$DIR/node_modules/@modelcontextprotocol/conformance" ]; then
    npm install --silent --prefix "$DIR" node@22 @modelcontextprotocol/conformance@0.2.0-alpha.12 >/dev/null ||
        skip "npm could not install the suite"
fi
PATH="$PWD/$DIR/node_modules/node/bin:$PATH"
case $DIR in /*) PATH="$DIR/node_modules/node/bin:$PATH" ;; esac

cargo build -q -p mcp-conformance
out=$(mktemp -d)
target/debug/mcp-conformance 0 2>"$out/server.log" &
server=$!
trap 'kill $server 2>/dev/null || true; rm -rf "$out"' EXIT
for _ in $(seq 100); do
    url=$(sed -n 's/^listening on //p' "$out/server.log")
    [ -n "$url" ] && break
    read -rt 0.1 <> <(:) || true
done
[ -n "$url" ] || { cat "$out/server.log"; exit 1; }

failed=0
for run in "2025-11-25 $LEAST_LEGACY" "2026-07-28 $LEAST_MODERN"; do
    read -r version least <<<"$run"
    node "$DIR/node_modules/@modelcontextprotocol/conformance/dist/index.js" server --url "$url" --suite all \
        --spec-version "$version" -o "$out/$version" >"$out/$version.log" 2>&1 || true
    node - "$out/$version" "$version" "$least" <<'JS' || failed=1
const fs = require('fs'), path = require('path');
const [dir, version, least] = process.argv.slice(2);
let success = 0;
const failures = [];
for (const file of fs.readdirSync(dir, { recursive: true }).filter((file) => file.endsWith('checks.json'))) {
  for (const check of JSON.parse(fs.readFileSync(path.join(dir, file)))) {
    if (check.status === 'SUCCESS') success += 1;
    if (check.status === 'FAILURE' || check.status === 'WARNING') {
      failures.push(`${check.status} ${path.dirname(file)} ${check.id}: ${(check.errorMessage ?? '').slice(0, 160)}`);
    }
  }
}
failures.sort().forEach((failure) => console.log(failure));
console.log(`${version}: ${success} SUCCESS (least ${least}), ${failures.length} FAILURE or WARNING`);
process.exit(success >= Number(least) ? 0 : 1);
JS
done
exit $failed
