#!/usr/bin/env bash
# Has the Inspector of MCP look at the program and at the conformance example: over stdio and HTTP, in each era. (mcp.md §13)
#
# Its schema lint must find nothing, and its exit status must tell a result from a failed call and from an unknown tool.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/mcp/npm.sh

# With a test beside it, the features are those of `cargo test --workspace`, and nothing is compiled again.
cargo build -q --workspace --test built --bin toolbox --bin mcp-conformance
bin=$(cd "${CARGO_TARGET_DIR:-target}/debug" && pwd)
work=$(mktemp -d)
servers=()
trap 'kill "${servers[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir "$work/home" "$work/root"
echo hello >"$work/root/a.txt"
export HOME=$work/home XDG_STATE_HOME=$work/home/state TOOLBOX_JOURNAL=off MCP_AUTO_OPEN_ENABLED=false
inspector=$modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js

# listening NAME COMMAND…: starts a server, and puts its address into $url.
listening() {
    local log=$work/$1.log
    (cd "$work/root" && exec "${@:2}" 2>"$log") &
    servers+=($!)
    url=
    for _ in $(seq 300); do
        url=$(sed -n 's/^listening on //p' "$log" 2>/dev/null || true)
        [ -n "$url" ] && return
        read -rt 0.1 <> <(:) || true
    done
    cat "$log"
    exit 1
}

checked=0
# expect STATUS PATTERN WORDS…: runs the Inspector; its output, both streams, must match the pattern.
expect() {
    local status=0
    (cd "$work/root" && timeout 60 node "$inspector" --cli "${@:3}") >"$work/out" 2>&1 || status=$?
    checked=$((checked + 1))
    if [ $status != "$1" ] || ! grep -qE "$2" "$work/out"; then
        echo "the Inspector ended with $status, and $1 with /$2/ was expected: ${*:3}"
        head -c 4000 "$work/out"
        exit 1
    fi
}

# clean WORDS…: lists the tools; the schema lint must have nothing to say.
clean() {
    expect 0 '"tools"' "$@" --method tools/list --strict --format json
    if grep -q schemaFindings "$work/out"; then
        echo "the Inspector has something to say of a schema: $*"
        head -c 4000 "$work/out"
        exit 1
    fi
}

listening toolbox "$bin/toolbox" mcp serve --http 0
toolbox=$url
listening conformance "$bin/mcp-conformance" 0
conformance=$url
for era in legacy modern auto; do
    clean "$bin/toolbox" mcp serve --protocol-era $era
    clean "$toolbox" --transport http --protocol-era $era
    clean "$bin/mcp-conformance" stdio --protocol-era $era
    clean "$conformance" --transport http --protocol-era $era
    call=(--protocol-era $era --method tools/call --format json)
    expect 0 hello "$bin/toolbox" mcp serve "${call[@]}" --tool-name read_file --tool-arg path=a.txt
    expect 0 hello "$toolbox" --transport http "${call[@]}" --tool-name read_file --tool-arg path=a.txt
    expect 5 tool_is_error "$bin/toolbox" mcp serve "${call[@]}" --tool-name read_file
    expect 5 tool_not_found "$bin/toolbox" mcp serve "${call[@]}" --tool-name nope
    # Its own check of skills: what is listed is what is read.
    expect 0 '"outcome":"verified"' --protocol-era $era --method skills/list --verify --format json \
        -- "$bin/toolbox" mcp serve --skills
done
echo "inspector: $checked runs as expected"
