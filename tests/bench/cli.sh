#!/usr/bin/env bash
# Start-up of command lines, in release, as medians of interleaved runs:
#   `toolbox --version` against an empty program (goal: 1.00 ms more),
#   `--version` of a program with 1 000 tools against one with a single tool (goal: 3.00 ms more),
#   `--help` of one tool of 1 000 against a hand-written clap program with that one command (goal: 3.00 times).
# Prints all three, as the least of all runs and in processor time as well, which a busy machine disturbs less; fails where a
# median is above its budget, which is the goal unless the environment says otherwise.
#
# `cli.sh count` prints what the time is made of instead, which no other program on the machine changes: instructions and page
# faults, of each command line and for each further tool. TOOL_CLI_TOOLS is how many tools the large program has.
set -euo pipefail
mode=${1:-time}
if [[ $mode == count ]] && ! command -v valgrind >/dev/null; then
  echo "cli: skipped: valgrind not installed"
  exit "${TOOL_REQUIRE_PEERS:-0}"
fi
tools=${TOOL_CLI_TOOLS:-1000}
root=$(cd "$(dirname "$0")/../.." && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target} CARGO_INCREMENTAL=0
# One crate at one place: its programs share what is built, and are built again only when they change.
crate="$CARGO_TARGET_DIR/bench/starts"
mkdir -p "$crate/src/bin"
write() { # FILE
  local new
  new=$(cat; echo x)
  [[ -f $crate/$1 ]] && cmp -s "$crate/$1" <(printf %s "${new%x}") || printf %s "${new%x}" >"$crate/$1"
}

write Cargo.toml <<TOML
[package]
name = "starts"
version = "1.0.0"
edition = "2024"

[dependencies]
clap = { version = "4.6", default-features = false, features = ["std", "help", "usage", "error-context", "suggestions", "color", "string", "wrap_help"] }
tool-cli = { path = "$root/tool-cli" }
tool-core = { path = "$root/tool-core", features = ["limit"] }

# A thousand tools are much code of which one runs: what is measured is in the dependencies, built as usual.
[profile.release.package.starts]
opt-level = 1

[workspace]
TOML
cp "$root/Cargo.lock" "$root/rust-toolchain.toml" "$crate"
# All of them are linked as `toolbox` is (`toolbox/build.rs`, and the documentation of tool-cli), at a fixed address: at any other
# a start begins with writing a large program's pointers. With TOOL_CLI_PIE=1 they are linked as cargo does by itself.
if [[ ${TOOL_CLI_PIE:-0} == 1 ]]; then
  echo 'fn main() {}' | write build.rs
else
  echo 'fn main() { println!("cargo:rustc-link-arg-bins=-no-pie"); }' | write build.rs
fi

echo 'fn main() {}' | write src/bin/empty.rs
sed "s/500/$((tools / 2))/g" <<'RS' | write src/bin/hand.rs
//! The command that `many` has many times, once and by hand.
use clap::{Arg, Command, value_parser};

fn main() {
    let search = Command::new("search-500")
        .about("Searches the catalogue number 500.")
        .arg(Arg::new("query").required(true).help("Words to look for."))
        .arg(
            Arg::new("limit")
                .long("limit")
                .short('n')
                .value_parser(value_parser!(u32).range(1..=100))
                .default_value("10")
                .help("Maximum number of hits."),
        )
        .arg(Arg::new("strict").long("strict").num_args(0).help("Match whole words only."));
    let matches = Command::new("hand").version("1.0.0").subcommand_required(true).subcommand(search).get_matches();
    if let Some(("search-500", search)) = matches.subcommand() {
        println!("{:?} {:?}", search.get_one::<String>("query"), search.get_one::<u32>("limit"));
    }
}
RS
program() { # FIRST LAST
  printf '//! Tools %s to %s.\nuse tool_core::prelude::*;\n' "$1" "$2"
  printf 'fn main() -> std::process::ExitCode {\n    tool_cli::run()\n}\n'
  for ((i = $1; i <= $2; i++)); do
    cat <<RS
/// Searches the catalogue number $i.
#[tool]
fn search_$i(
    /// Words to look for.
    #[arg(positional)] query: &str,
    /// Maximum number of hits.
    #[arg(short = 'n', range = 1..=100, default = 10)] limit: u32,
    /// Match whole words only.
    strict: bool,
) -> String {
    format!("{query} {limit} {strict} $i")
}
RS
  done
}
# The one that help is asked of is there in both.
middle=$((tools / 2))
program $middle $middle | write src/bin/single.rs
program 1 "$tools" | write src/bin/many.rs

(cd "$root" && cargo build --quiet --release -p toolbox)
(cd "$crate" && cargo build --quiet --release)
if [[ $mode == count ]]; then
  python3 - "$CARGO_TARGET_DIR/release" "$tools" <<'PY'
import os, re, subprocess, sys
folder, tools = sys.argv[1], int(sys.argv[2])
help = [f"search-{tools // 2}", "--help"]
# What each further tool may cost at most, in instructions and page faults.
budgets = {"each tool, --version": (450, 0.15), "each tool, --help": (4200, 0.18)}
nowhere = os.open(os.devnull, os.O_WRONLY)
def instructions(words):
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"{folder}/{words[0]}", *words[1:]]
    said = subprocess.run(valgrind, stdout=nowhere, stderr=subprocess.PIPE, text=True, check=True).stderr
    return int(re.search(r"Collected : (\d+)", said)[1])
def faults(words):
    child = os.posix_spawn(f"{folder}/{words[0]}", words, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, nowhere, 1)])
    _, status, used = os.wait4(child, 0)
    assert status == 0, f"{words}: {status}"
    return used.ru_minflt
def cost(*words):
    # The first of several runs reads the program from the disk.
    found = instructions(words), min(faults(words) for _ in range(5))
    print(f"cli: {' '.join(words)}: {found[0]} instructions, {found[1]} page faults")
    return found
def added(name, more, less, each=1):
    found = [(a - b) / each for a, b in zip(more, less)]
    budget = budgets.get(name, (float("inf"),) * 2)
    print(f"cli: {name}: {found[0]:.0f} instructions and {found[1]:.2f} page faults more (budget {budget[0]}, {budget[1]})")
    return [] if all(a <= b for a, b in zip(found, budget)) else [name]
over = added("toolbox --version", cost("toolbox", "--version"), cost("empty"))
for words in ["--version"], help:
    over += added(f"each tool, {words[-1]}", cost("many", *words), cost("single", *words), tools - 1)
cost("hand", *help)
sys.exit("cli: over budget: " + ", ".join(over) if over else 0)
PY
  exit
fi
python3 - "$CARGO_TARGET_DIR/release" "${TOOL_CLI_RUNS:-200}" "$tools" "${TOOL_CLI_ADDED_BUDGET:-1.0}" \
  "${TOOL_CLI_VERSION_BUDGET:-3.0}" "${TOOL_CLI_HELP_BUDGET:-3.0}" <<'PY'
import os, statistics, sys, time
folder, runs, tools = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
added_budget, version_budget, help_budget = map(float, sys.argv[4:])
command = f"search-{tools // 2}"
lines = {
    "empty": ["empty"],
    "toolbox": ["toolbox", "--version"],
    "single": ["single", "--version"],
    "many": ["many", "--version"],
    "hand": ["hand", command, "--help"],
    "one of many": ["many", command, "--help"],
}
nowhere = os.open(os.devnull, os.O_WRONLY)
def run(words):
    started = time.perf_counter()
    child = os.posix_spawn(f"{folder}/{words[0]}", words, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, nowhere, 1)])
    _, status, used = os.wait4(child, 0)
    taken = time.perf_counter() - started
    assert status == 0, f"{words}: status {status}"
    return taken * 1000, (used.ru_utime + used.ru_stime) * 1000
times = {name: [] for name in lines}
for _ in range(runs):
    for name, words in lines.items():
        times[name].append(run(words))
def told(of):
    ms = {name: of(taken) for name, taken in times.items()}
    return ms, ms["toolbox"] - ms["empty"], ms["many"] - ms["single"], ms["one of many"] / ms["hand"]
# The first two say on a busy machine what the last, which the budgets are for, says on an idle one.
for name, of in (
    ("least", lambda taken: min(wall for wall, _ in taken)),
    ("median of processor time", lambda taken: statistics.median(cpu for _, cpu in taken)),
    ("median", lambda taken: statistics.median(wall for wall, _ in taken)),
):
    ms, added, linked, ratio = told(of)
    print(f"cli: {name}: --version: empty program {ms['empty']:.2f} ms, toolbox {ms['toolbox']:.2f} ms, added {added:.2f} ms (goal 1.00, budget {added_budget:.2f})")
    print(f"cli: {name}: --version: 1 tool {ms['single']:.2f} ms, {tools} tools {ms['many']:.2f} ms, added {linked:.2f} ms (goal 3.00, budget {version_budget:.2f})")
    print(f"cli: {name}: --help of one command: by hand {ms['hand']:.2f} ms, of {tools} tools {ms['one of many']:.2f} ms, ratio {ratio:.2f} (goal 3.00, budget {help_budget:.2f})")
sys.exit(added > added_budget or linked > version_budget or ratio > help_budget)
PY
