#!/usr/bin/env bash
# Plants plausible faults, one at a time, in a copy of this tree, and runs the tests that must notice: tests/planted.sh [NAME…].
# The first line of `tests/planted/NAME.patch` says which: `test: `, the options of `cargo test`, and behind ` -- ` the names of
# the tests that must fail. They pass before anything is planted, or nothing is. A fault that goes unnoticed fails, and so does
# one that no longer applies or builds. `TOOL_NOTICED=all` runs every test of the same options and prints those that fail.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}/planted CARGO_INCREMENTAL=0
export TOOL_VECTORS=${TOOL_VECTORS:-$root/../shared/vectors}
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents --preserve=timestamps -t "$copy"

if (($# == 0)); then
  set -- tests/planted/*.patch
fi

# The options and the tests that the first line of a patch names.
named() { # PATCH
  local line
  line=$(sed -n '1s/^test: //p' "$1")
  read -ra options <<<"${line%% -- *}"
  tests=()
  if [[ $line == *" -- "* && ${TOOL_NOTICED:-} != all ]]; then
    read -ra tests <<<"${line##* -- }"
  fi
}
# Runs them in the copy; what they print goes to a file.
run() {
  (cd "$copy" && timeout 600 cargo test --quiet --no-fail-fast "${options[@]}" -- ${tests[@]:+--exact "${tests[@]}"}) >"$copy.told" 2>&1
}
build() {
  (cd "$copy" && cargo test --quiet "${options[@]}" --no-run) >"$copy.told" 2>&1
}
trap 'rm -rf "$copy" "$copy.told"' EXIT

declare -A passing
for patch in "$@"; do
  named "tests/planted/$(basename "$patch" .patch).patch"
  key="${options[*]} -- ${tests[*]}"
  [[ -n ${passing[$key]:-} ]] && continue
  if ! run; then
    echo "planted: nothing, since cargo test $key fails as it is"
    cat "$copy.told"
    exit 1
  fi
  # A test of another name is none.
  ran=$(sed -n 's/^test result: ok\. \([0-9]*\) passed.*/\1/p' "$copy.told" | awk '{ all += $1 } END { print all + 0 }')
  if ((ran < (${#tests[@]} ? ${#tests[@]} : 1))); then
    echo "planted: nothing, since cargo test $key runs only $ran tests"
    exit 1
  fi
  passing[$key]=1
done

unnoticed=0
for patch in "$@"; do
  name=$(basename "$patch" .patch)
  patch=$root/tests/planted/$name.patch
  named "$patch"
  if ! (cd "$copy" && patch --quiet --strip=1 --no-backup-if-mismatch <"$patch"); then
    echo "$name: DOES NOT APPLY"
    exit 1
  fi
  if ! build; then
    echo "$name: DOES NOT BUILD"
    cat "$copy.told"
    exit 1
  fi
  if run; then
    echo "$name: NOT NOTICED by cargo test ${options[*]} -- ${tests[*]}"
    unnoticed=$((unnoticed + 1))
  else
    echo "$name: noticed by $(sed -n 's/^    \([a-z_0-9:]*\)$/\1/p' "$copy.told" | sort -u | xargs)"
  fi
  (cd "$copy" && patch --quiet --strip=1 --reverse --no-backup-if-mismatch <"$patch" && grep -o '^+++ b/.*' "$patch" | cut -c7- | xargs touch)
done
echo "planted: $# faults, $unnoticed not noticed"
exit $((unnoticed > 0))
