#!/usr/bin/env bash
# Runs every fuzz target for some seconds (default 60), or those that are named behind them, one on each processor, from the inputs
# in `fuzz/corpus.tar.gz` on. `tests/fuzz.sh build` only builds them; `tests/fuzz.sh pack` adds what was found since to that file,
# without what reaches nothing more. Needs a nightly toolchain and cargo-fuzz. No input may take longer than a second;
# `TOOL_FUZZ_TIMEOUT` is for machines that are busy.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
named=("${@:2}")
skip() {
  echo "fuzz: skipped: $1"
  exit "${TOOL_REQUIRE_PEERS:-0}"
}
rustup toolchain list 2>/dev/null | grep -q nightly || skip "no nightly toolchain"
if ! cargo fuzz --version >/dev/null 2>&1; then
  cargo install --quiet cargo-fuzz --locked || skip "cargo-fuzz cannot be installed"
fi
cd fuzz
tar -xzf corpus.tar.gz --skip-old-files
if [[ $seconds == pack ]]; then
  cargo +nightly fuzz list | xargs -I TARGET cargo +nightly fuzz cmin TARGET
  tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -c corpus | gzip -9n >corpus.tar.gz
  exit
fi
((${#named[@]})) || mapfile -t named < <(cargo +nightly fuzz list)
# All are built before the first one runs: the time is for inputs.
cargo +nightly fuzz build
[[ $seconds != build ]] || exit 0
# What is wrong is told with the input that shows it, so that it can be had elsewhere.
try() { # TARGET SECONDS
  local told found
  told=$(mktemp)
  if cargo +nightly fuzz run "$1" -- -max_total_time="$2" -timeout="${TOOL_FUZZ_TIMEOUT:-1}" -rss_limit_mb=2048 \
    -print_final_stats=1 >"$told" 2>&1 && grep -q "^stat::number" "$told"; then
    grep -E "stat::number|Done" "$told" | sed "s/^/fuzz: $1: /"
  else
    grep -A 4 -E "panicked|ERROR|SUMMARY|^error" "$told" | cut -c1-2000 | sed "s/^/fuzz: $1: /"
    found=$(sed -n 's/.*Test unit written to //p' "$told" | tail -n 1)
    if [[ -n $found ]]; then
      echo "fuzz: $1: input: $found"
      (($(stat -c %s "$found") > 15000)) || echo "fuzz: $1: input in base64: $(base64 -w 0 "$found")"
    fi
    echo "fuzz: $1 failed"
    rm -f "$told"
    return 1
  fi
  rm -f "$told"
}
export -f try
printf '%s\n' "${named[@]}" | xargs -P "$(nproc)" -I TARGET bash -o pipefail -c "try TARGET $seconds"
