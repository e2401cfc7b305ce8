#!/usr/bin/env bash
# Changes one operator, arm or result at a time and runs the tests that must notice: tests/mutants.sh [PART…], in every part
# by default. What comes behind `--` goes to cargo mutants: `tests/mutants.sh gate -- --list`, `… -- --re Pattern::parse`.
# Each change is built, which takes from ten seconds to a minute: a part takes hours. The tests of the crate decide; what they
# leave is run again with the vectors; what they leave too must be listed in `tests/mutants.md`, or this fails.
# `tests/mutants.sh diff [BASE]` changes only lines that are other than in BASE, by default main. (needs cargo-mutants 27)
# `tests/mutants.sh switched GLOB PACKAGE [PACKAGE…]` tries all changes of the last commit's files in one build, which takes
# minutes for hundreds of them: each stands behind a switch (needs Python, too, and two packages of it). With MUTANTS_AGAIN=FILE
# only what was unnoticed in the output FILE of an earlier run.
set -euo pipefail
cd "$(dirname "$0")/.."

# Part, the package whose tests decide, the files that are changed, and which tests.
parts() {
  cat <<'TABLE'
gate   tool-core   tool-core/src/call/gate/**    --lib --test gate --test calls --test kit
steps  tool-core   tool-core/src/call/{*.rs,audit/**,limit/**,shape/**} --lib --test approve --test asked_again --test bounded --test calls --test catalogue --test current --test executor --test gate --test journaled --test kit --test limit --test panics --test printed --test recorded_errors --test recovered --test results --test search --test secrets --test telemetry
redact tool-core   tool-core/src/call/redact/**  --lib --test redaction --test recorded_errors --test calls --test journaled
policy tool-policy tool-policy/src/** --lib --test judging --test loading --test patterns
decode tool-core   tool-core/src/args/**         --lib --test arguments --test both_decoders --test aliases --test kept_whole --test bounded --test own_decoding --test schema_only --test no_schema --test bad_tools
contract tool-core tool-core/src/contract/**     --lib --test contract --test check --test snapshots
dialect tool-core tool-core/src/dialect/**       --lib --test dialects --test plans --test wire_forms --test streams
registry tool-core tool-core/src/registry/**     --lib --test registry --test schema_only --test plans
schema tool-core tool-core/src/schema/**         --lib --test schema_rules --test schema_input --test schema_types --test schema_laws --test definition --test registry --test generators --test check --test arguments
TABLE
}

if [[ ${1:-} == switched ]]; then
  python=target/mutants/python
  if ! "$python/bin/python3" -c 'import tree_sitter, tree_sitter_rust' 2>/dev/null; then
    python3 -m venv "$python"
    "$python/bin/pip" install --quiet 'tree-sitter==0.26.*' 'tree-sitter-rust==0.24.*'
  fi
  exec env PYTHONDONTWRITEBYTECODE=1 "$python/bin/python3" tests/mutants "${@:2}"
fi

if [[ ${1:-} == diff ]]; then
  lines=$(mktemp)
  trap 'rm -f "$lines"' EXIT
  git diff "${2:-main}" -- '*.rs' >"$lines"
  cargo mutants --output target/mutants/diff --in-diff "$lines" --features tool-core/test,tool-core/limit
  exit
fi

# The changes that were missed and are not listed, a line for each: tests/mutants.md has file, function and change.
unlisted() { # MISSED
  python3 - "$1" tests/mutants.md <<'PY'
import re, sys

rows = set()
for line in open(sys.argv[2]):
    cells = [cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", line)]
    if len(cells) > 4 and cells[1].endswith(".rs"):
        rows.add((cells[1], cells[2].strip("`"), cells[3].split("` (")[0].strip("`")))
for line in open(sys.argv[1]):
    file, what = re.match(r"(.+?):\d+:\d+: (.+)", line).groups()
    if of := re.fullmatch(r"replace (.+?)(?: -> .+?)? with (.+)", what):
        row = file, of[1], f"returns {of[2]}"
    if inside := re.fullmatch(r"(.+) in (.+)", what):
        row = file, inside[2], inside[1]
    if row not in rows:
        print(line.strip())
PY
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
  code=0
  cargo mutants --output "target/mutants/$part" --test-package "$package" --features tool-core/test,tool-core/limit \
    "${files[@]}" "${more[@]}" -- "${tests[@]}" || code=$?
  # 2: some were missed; 3: some ran out of time, which is noticed.
  ((code == 0 || code == 2 || code == 3)) || exit "$code"
  [[ -f target/mutants/$part/mutants.out/missed.txt ]] || continue
  while IFS= read -r missed; do
    # Fields that are left out are tried whatever `--re` says: it is this change that is asked for.
    out=target/mutants/$part-vectors
    cargo mutants --output "$out" --test-package tests --file "${missed%%:*}" \
      --re "$(sed 's/[][\.*^$+?(){}|]/\\&/g' <<<"$missed")" -- --lib || true
    ! cat "$out"/mutants.out/{caught,timeout}.txt | grep -Fxq -- "$missed" || continue
    echo "mutants: unnoticed and not listed: $missed"
    unnoticed=1
  done < <(unlisted "target/mutants/$part/mutants.out/missed.txt")
done
exit "$unnoticed"
