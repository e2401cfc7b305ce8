#!/usr/bin/env bash
# Runs under Miri, which sees undefined behaviour, what the decoder, the schemas and the contract do: tests/miri.sh [FILTER…] runs
# the unit tests of tool-core whose names match. Needs a nightly toolchain with the components miri and rust-src. Miri takes some
# hundred times as long as the machine.
set -euo pipefail
cd "$(dirname "$0")/.."
skip() {
  echo "miri: skipped: $1"
  exit "${TOOL_REQUIRE_PEERS:-0}"
}
rustup toolchain list 2>/dev/null | grep -q nightly || skip "no nightly toolchain"
cargo +nightly miri --version >/dev/null 2>&1 || rustup component add miri rust-src --toolchain nightly >/dev/null 2>&1 ||
  skip "the nightly toolchain has no miri"

((${#})) || set -- args:: schema contract::
export CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}/miri PROPTEST_CASES=${PROPTEST_CASES:-8}
# What the tests ask the machine for (its clock, files) is no part of what is looked at.
export MIRIFLAGS="-Zmiri-disable-isolation ${MIRIFLAGS:-}"
# Nor is how something large is borne.
cargo +nightly miri test -p tool-core --features test --lib -- --skip hundred_thousand --skip linear_time "$@"
