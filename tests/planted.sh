#!/usr/bin/env bash
# Plants plausible faults, one at a time, in a copy of this tree, and runs the tests that must notice: tests/planted.sh [NAME…].
# The first line of `tests/planted/NAME.patch` says which: `test: ` and the options of `cargo test`. A fault that goes
# unnoticed fails, and so does one that no longer applies or builds.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}/planted CARGO_INCREMENTAL=0
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents --preserve=timestamps -t "$copy"

if (($# == 0)); then
  set -- tests/planted/*.patch
fi
unnoticed=0
for patch in "$@"; do
  name=$(basename "$patch" .patch)
  patch=$root/tests/planted/$name.patch
  read -ra options < <(sed -n '1s/^test: //p' "$patch")
  if ! (cd "$copy" && patch --quiet --strip=1 --no-backup-if-mismatch <"$patch"); then
    echo "$name: DOES NOT APPLY"
    exit 1
  fi
  if ! (cd "$copy" && cargo test --quiet "${options[@]}" --no-run >/dev/null 2>"$copy/told"); then
    echo "$name: DOES NOT BUILD"
    cat "$copy/told"
    exit 1
  fi
  if (cd "$copy" && cargo test --quiet "${options[@]}" >/dev/null 2>&1); then
    echo "$name: NOT NOTICED by cargo test ${options[*]}"
    unnoticed=$((unnoticed + 1))
  else
    echo "$name: noticed"
  fi
  (cd "$copy" && patch --quiet --strip=1 --reverse --no-backup-if-mismatch <"$patch" && grep -o '^+++ b/.*' "$patch" | cut -c7- | xargs touch)
done
echo "planted: $# faults, $unnoticed not noticed"
exit $((unnoticed > 0))
