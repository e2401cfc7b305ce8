#!/usr/bin/env bash
# Changes one operator, arm or result at a time and runs the tests that must notice: tests/mutants.sh [PART…], in every part
# by default. What comes behind `--` goes to cargo mutants: `tests/mutants.sh gate -- --list`, `… -- --re Pattern::parse`.
# Each change is built, which takes from ten seconds to a minute: a part takes hours. The tests of the crate decide; what they
# leave, the vectors may notice: `tests/mutants.sh gate -- --test-package tests`. (needs cargo-mutants 27)
set -euo pipefail
cd "$(dirname "$0")/.."

# Part, the package whose tests decide, the files that are changed, and which tests.
parts() {
  cat <<'TABLE'
gate   tool-core   tool-core/src/call/gate/**    --lib --test gate --test calls --test kit
redact tool-core   tool-core/src/call/redact/**  --lib --test redaction --test recorded_errors --test calls --test journaled
policy tool-policy tool-policy/src/{judge,paths,policy,shell_words}.rs,tool-policy/src/rules/** --lib --test judging
decode tool-core   tool-core/src/args/**         --lib --test arguments --test both_decoders --test aliases --test kept_whole --test bounded --test own_decoding --test schema_only --test no_schema --test bad_tools
contract tool-core tool-core/src/contract/**     --lib --test contract --test check --test snapshots
dialect tool-core tool-core/src/dialect/**       --lib --test dialects --test plans --test wire_forms --test streams
registry tool-core tool-core/src/registry/**     --lib --test registry --test schema_only --test plans
schema tool-core tool-core/src/schema/**         --lib --test schema_rules --test schema_input --test schema_types --test schema_laws --test definition --test registry --test generators --test check --test arguments
TABLE
}

chosen=() more=()
while (($#)); do
  if [[ $1 == -- ]]; then
    shift
    more=("$@")
    break
  fi
  chosen+=("$1")
  shift
done
if ((${#chosen[@]} == 0)); then
  mapfile -t chosen < <(parts | cut -d' ' -f1)
fi

export CARGO_INCREMENTAL=1 CARGO_PROFILE_DEV_DEBUG=0 PROPTEST_DISABLE_FAILURE_PERSISTENCE=1 TOOL_VECTORS=${TOOL_VECTORS:-$PWD/../shared/vectors}
unnoticed=0
for part in "${chosen[@]}"; do
  row=$(parts | grep "^$part ") || {
    echo "no part is called $part; there are: $(parts | cut -d' ' -f1 | xargs)" >&2
    exit 2
  }
  read -r _ package globs tests <<<"$row"
  files=()
  # A comma between braces is part of a pattern, the others stand between patterns.
  while IFS= read -r glob; do files+=(--file "$glob"); done < <(sed 's/,\(tool-\)/\n\1/g' <<<"$globs")
  read -ra tests <<<"$tests"
  mkdir -p "target/mutants/$part"
  cargo mutants --output "target/mutants/$part" --test-package "$package" --features tool-core/test,tool-core/limit \
    "${files[@]}" "${more[@]}" -- "${tests[@]}" || unnoticed=$?
done
exit "$unnoticed"
