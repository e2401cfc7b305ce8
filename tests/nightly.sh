#!/usr/bin/env bash
# What takes hours and runs at night: tests/nightly.sh [PART…], every part by default. A part that fails does not keep the next one
# from running. `mutants K/N` is one of N equal parts of all changes.
#   full      the whole suite, with every number that is promised
#   faults    the planted faults
#   odd       the suite where little is as usual (as root)
#   races     ThreadSanitizer
#   memory    Miri
#   coverage  lines that tests run
#   fuzz      ten minutes for each target
#   bridges   the registry as tools of rig, and the README's table of what models break with rmcp and rig
set -uo pipefail
cd "$(dirname "$0")/.."
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0 TOOL_REQUIRE_PEERS=1

parts=(full faults odd races memory coverage fuzz bridges)
failed=()
part() { # NAME COMMAND…
  echo "== $1 (${SECONDS}s)"
  "${@:2}" || failed+=("$1")
}
if [[ ${1:-} == mutants ]]; then
  exec tests/mutants.sh -- --shard "$2"
fi
((${#})) || set -- "${parts[@]}"
for name in "$@"; do
  case $name in
    full) part full env TOOL_FULL=1 cargo test --workspace ;;
    faults) part faults tests/planted.sh ;;
    odd) part odd tests/odd.sh ;;
    races) part races env -u CARGO_PROFILE_DEV_DEBUG tests/tsan.sh ;;
    memory) part memory tests/miri.sh ;;
    coverage) part coverage tests/coverage.sh ;;
    fuzz) part fuzz tests/fuzz.sh 600 ;;
    bridges)
      part bridges cargo test --manifest-path bridges/rig/Cargo.toml
      part repair cargo run --manifest-path tests/peers/Cargo.toml -p repair-peers -- --check
      ;;
    *)
      echo "no part is called $name; there are: ${parts[*]}, and mutants K/N" >&2
      exit 2
      ;;
  esac
done
echo "nightly: ${#failed[@]} of $# failed${failed[*]:+: ${failed[*]}}"
exit $((${#failed[@]} > 0))
