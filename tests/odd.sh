#!/usr/bin/env bash
# Runs the suite where little is as usual: tests/odd.sh [CONDITION…], under all of them at once by default.
#   network    no network but loopback, in a namespace of its own
#   home       HOME is not set
#   locale     TZ=Pacific/Kiritimati LANG=tr_TR.UTF-8
#   read-only  nothing but the target directory and TMPDIR can be written, not even the current directory
#   nobody     an unprivileged user, who cannot build either
# Everything is built first; then each test program runs from the directory of its package, as under cargo. What fails is told
# with its output, and what was skipped with its reason. `TOOL_ODD=PATTERN` runs only the programs whose names match. Needs
# root, or for all but the last a kernel that gives namespaces to everybody.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
target=${CARGO_TARGET_DIR:-$root/target}
all=(network home locale read-only nobody)

# Inside the namespaces, one program after the other.
run() { # LIST CONDITION…
  local list=$1 name package version directory program failed=0 count=0
  shift
  local has=" $* " as=(timeout 900 env)
  if [[ $has == *" network "* ]]; then
    ip link set lo up 2>/dev/null || ifconfig lo up 2>/dev/null || python3 -c '
import fcntl, socket, struct
fcntl.ioctl(socket.socket(socket.AF_INET, socket.SOCK_DGRAM), 0x8914, struct.pack("16sh", b"lo", 0x1 | 0x40))'
  fi
  if [[ $has == *" nobody "* ]]; then
    # The toolchain may lie in a home that is closed to others; a test of the macros is linked with its library.
    mkdir "$work/lib"
    mount --bind "$LIBRARIES" "$work/lib"
    LIBRARIES=$work/lib
  fi
  if [[ $has == *" read-only "* ]]; then
    mount --bind "$target" "$target"
    mount --rbind "$root" "$root"
    mount -o remount,bind,ro "$root"
  fi
  # What cannot be had here is left out on purpose: it is told as skipped.
  as+=(-u TOOL_REQUIRE_PEERS)
  [[ $has == *" home "* ]] && as+=(-u HOME)
  as+=(LD_LIBRARY_PATH="$LIBRARIES")
  [[ $has == *" locale "* ]] && as+=(TZ=Pacific/Kiritimati LANG=tr_TR.UTF-8)
  [[ $has == *" nobody "* ]] && as+=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  while IFS=$'\t' read -r name package version directory program; do
    count=$((count + 1))
    if ! (cd "$directory" && export CARGO_MANIFEST_DIR=$directory CARGO_PKG_NAME=$package CARGO_PKG_VERSION=$version &&
      "${as[@]}" "$program" --quiet --show-output </dev/null) >"$work/told" 2>&1; then
      echo "odd: $name FAILED"
      cat "$work/told"
      failed=$((failed + 1))
    fi
    sed -n "s/^skipped: /$name: /p" "$work/told" >>"$work/skipped"
  done <"$list"
  sort "$work/skipped" | uniq -c | sed 's/^ */odd: skipped /'
  echo "odd: $count programs under $*: $failed failed"
  return "$((failed > 0))"
}

if [[ ${1:-} == --inside ]]; then
  work=$2
  cd "$root"
  run "$work/list" "${@:3}"
  exit
fi

conditions=("$@")
((${#conditions[@]})) || conditions=("${all[@]}")
for condition in "${conditions[@]}"; do
  [[ " ${all[*]} " == *" $condition "* ]] || {
    echo "no condition is called $condition; there are: ${all[*]}" >&2
    exit 2
  }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tmp"
chmod 755 "$work"
chmod 1777 "$work/tmp"
# The programs that tests build when they first ask are there for those who cannot.
cargo build --quiet --workspace --test built --bins
cargo test --workspace --no-run --message-format=json 2>"$work/told" >"$work/built" || {
  cat "$work/told"
  exit 1
}
python3 -c '
import json, os, re, sys
for line in open(sys.argv[1]):
    made = json.loads(line)
    if made["reason"] == "compiler-artifact" and made["executable"] and made["profile"]["test"]:
        directory, name = os.path.dirname(made["manifest_path"]), made["target"]["name"]
        package, _, version = made["package_id"].rpartition("#")[2].rpartition("@")
        if re.search(sys.argv[2], name):
            print(name, package or os.path.basename(directory), version, directory, made["executable"], sep="\t")
' "$work/built" "${TOOL_ODD:-}" >"$work/list"
[[ -s $work/list ]] || { echo "odd: no test program${TOOL_ODD:+ has a name that matches $TOOL_ODD}" >&2; exit 2; }

spaces=()
has=" ${conditions[*]} "
[[ $has == *" network "* ]] && spaces+=(--net)
[[ $has == *" read-only "* || $has == *" nobody "* ]] && spaces+=(--mount)
if ((EUID)); then
  [[ $has == *" nobody "* ]] && { echo "odd: the condition nobody needs root" >&2; exit 2; }
  ((${#spaces[@]})) && spaces+=(--map-root-user)
fi
LIBRARIES=$(rustc --print target-libdir) TMPDIR=$work/tmp unshare "${spaces[@]}" bash "$root/tests/odd.sh" --inside "$work" "${conditions[@]}"
