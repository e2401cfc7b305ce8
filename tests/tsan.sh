#!/usr/bin/env bash
# Runs under ThreadSanitizer what is used by many threads at once: 64 kits, the executor, the limits, the store. Needs a nightly
# toolchain with rust-src, since the standard library is instrumented as well; builds everything from nothing at first. What C
# code does (SQLite) is seen in part only, and that the kernel's epoll orders what two threads do is not: tests of PostgreSQL
# report the driver of tokio, and are left out. `tests/tsan.sh [TEST…]` runs other tests of the workspace.
set -euo pipefail
cd "$(dirname "$0")/.."
skip() {
  echo "tsan: skipped: $1"
  exit "${TOOL_REQUIRE_PEERS:-0}"
}
rustup toolchain list 2>/dev/null | grep -q nightly || skip "no nightly toolchain"
rustup component list --toolchain nightly 2>/dev/null | grep -q '^rust-src (installed)' ||
  rustup component add rust-src --toolchain nightly >/dev/null 2>&1 || skip "the nightly toolchain has no rust-src"

((${#})) || set -- kits executor calls limit conformance_memory conformance_sqlite same_key
tests=()
for name in "$@"; do tests+=(--test "$name"); done
export RUSTFLAGS="-Zsanitizer=thread" CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=${CARGO_PROFILE_DEV_DEBUG:-line-tables-only}
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}/tsan
# SQLite reads the head of its index without a lock, twice, and takes it only if both are the same (walIndexTryHdr).
mkdir -p "$CARGO_TARGET_DIR"
printf 'race:%s\n' walIndexTryHdr walIndexWriteHdr >"$CARGO_TARGET_DIR/suppressions"
export TSAN_OPTIONS="suppressions=$CARGO_TARGET_DIR/suppressions ${TSAN_OPTIONS:-}"
# Nothing is as quick as usual.
export TOOL_LOAD_FACTOR=${TOOL_LOAD_FACTOR:-50}
cargo +nightly test -Zbuild-std --target "$(rustc -vV | sed -n 's/^host: //p')" --workspace "${tests[@]}"
