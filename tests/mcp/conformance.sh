#!/usr/bin/env bash
# Runs the official conformance suite against examples/mcp-conformance in both revisions, and counts the checks that succeed.
#
# What is claimed is in claimed.json, what fails on purpose in baseline-*.yml; count.mjs compares. Needs npm and its registry the
# first time (npm.sh).
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/mcp/npm.sh

# With a test beside it, the features are those of `cargo test --workspace`, and nothing is compiled again.
cargo build -q --workspace --test built --bin mcp-conformance
out=$(mktemp -d)
"${CARGO_TARGET_DIR:-target}/debug/mcp-conformance" 0 2>"$out/server.log" &
server=$!
trap 'kill $server 2>/dev/null || true; rm -rf "$out"' EXIT
# The line comes when requests are accepted.
url=
for _ in $(seq 300); do
    url=$(sed -n 's/^listening on //p' "$out/server.log")
    [ -n "$url" ] && break
    kill -0 $server 2>/dev/null || break
    read -rt 0.1 <> <(:) || true
done
[ -n "$url" ] || { cat "$out/server.log"; exit 1; }

# run REVISION: 0 where the suite and the count agree that all is well.
run() {
    local revision=$1 failed=0
    rm -rf "${out:?}/$revision"
    timeout 300 node "$modules/@modelcontextprotocol/conformance/dist/index.js" server --url "$url" --suite all \
        --spec-version "$revision" --expected-failures "tests/mcp/baseline-$revision.yml" -o "$out/$revision" \
        >"$out/$revision.log" 2>&1 || failed=1
    node tests/mcp/count.mjs "$out/$revision" "$revision" >"$out/$revision.count" || failed=1
    return $failed
}

# Some checks wait no longer than half a second for an answer: a machine that is busy gets three tries.
failed=0
for revision in 2025-11-25 2026-07-28; do
    run $revision || run $revision || run $revision || { failed=1 && tail -n 30 "$out/$revision.log"; }
    cat "$out/$revision.count"
done
exit $failed
