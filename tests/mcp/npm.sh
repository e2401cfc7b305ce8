# Sourced: Node and the official programs of MCP, from npm into target/mcp, at the versions that are pinned here. A bump is a
# reviewed change. Without npm or its registry it says `skipped: REASON`, and fails if TOOL_REQUIRE_PEERS=1 is set.

NODE=node@22.23.3
CONFORMANCE=@modelcontextprotocol/conformance@0.2.0-alpha.12
INSPECTOR=@modelcontextprotocol/inspector@2.12.0

skip() {
    echo "skipped: $1"
    [ "${TOOL_REQUIRE_PEERS:-0}" = 1 ] && exit 1
    exit 0
}

# Where packages are, absolute: `packages NAME PACKAGE…`. What is there already is not asked for again.
packages() {
    local dir="${CARGO_TARGET_DIR:-$PWD/target}/$1"
    shift
    mkdir -p "$dir"
    if [ "$(cat "$dir/installed" 2>/dev/null)" != "$*" ]; then
        command -v npm >/dev/null || return 1
        # A registry that is slow once is asked again; one that is not there is given up soon.
        timeout 300 npm install --prefix "$dir" --no-audit --no-fund --no-save --loglevel=error \
            --fetch-retries=2 --fetch-timeout=60000 "$@" >"$dir/install.log" 2>&1 || return 1
        echo "$*" >"$dir/installed"
    fi
    echo "$dir/node_modules"
}

modules=$(packages mcp $NODE $CONFORMANCE $INSPECTOR) ||
    skip "npm could not install the suite$(tail -n 1 target/mcp/install.log 2>/dev/null | sed 's/^/: /')"
# The package of Node is a wrapper of one for the platform; where scripts of packages are off it is not unpacked.
node=$(find "$modules/node" "$modules"/node-* -path '*bin/node' -type f 2>/dev/null | head -n 1)
[ -n "$node" ] || skip "npm has no Node for this machine"
case $("$node" --version) in
    v2[2-9].* | v[3-9][0-9].*) ;;
    *) skip "Node is $("$node" --version), and 22 is needed" ;;
esac
PATH="$(dirname "$node"):$PATH"
