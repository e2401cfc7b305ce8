#!/usr/bin/env bash
# Shows every strict schema to the transforms of the official SDKs, which must change none: tests/sdk/strict.sh
# With UPDATE=1 the expected schemas (tests/golden/strict.json) are written anew first.
#
# Node 22 and the SDKs come from npm into target/sdk, at the versions that are pinned here. Without npm it says
# `skipped: REASON`, and fails if TOOL_REQUIRE_PEERS=1 is set.
set -euo pipefail
cd "$(dirname "$0")/../.."

PACKAGES=(node@22.23.3 openai@6.49.0 @anthropic-ai/sdk@1.12.0)

skip() {
  echo "skipped: $1"
  exit "${TOOL_REQUIRE_PEERS:-0}"
}

folder=${CARGO_TARGET_DIR:-$PWD/target}/sdk
mkdir -p "$folder"
if [ "$(cat "$folder/installed" 2>/dev/null)" != "${PACKAGES[*]}" ]; then
  command -v npm >/dev/null || skip "npm is not installed"
  npm install --silent --no-audit --no-fund --no-save --prefix "$folder" "${PACKAGES[@]}" >/dev/null ||
    skip "npm could not install the SDKs"
  echo "${PACKAGES[*]}" >"$folder/installed"
fi
# The package of Node is a wrapper of one for the platform.
node=$(find "$folder/node_modules/node" "$folder"/node_modules/node-* -path '*bin/node' -type f 2>/dev/null | head -n 1)
[ -n "$node" ] || skip "npm has no Node for this machine"
TOOL_SDK=$folder/node_modules TOOL_SDK_NODE=$node cargo test --workspace --test strict_transforms -- --nocapture
