#!/usr/bin/env bash
# Start-up of command lines, in release, as medians of interleaved runs:
#   `toolbox --version` against an empty program (goal: 1.00 ms more),
#   `--version` of a program with 1 000 tools against one with a single tool (goal: 3.00 ms more),
#   `--help` of one tool of 1 000 against a hand-written clap program with that one command (goal: 3.00 times).
# Prints all three; fails above the budgets, which are the goals unless the environment says otherwise.
set -euo pipefail
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
serde_json = "1.0"
tool-cli = { path = "$root/tool-cli" }
tool-core = { path = "$root/tool-core" }
tool-std = { path = "$root/tool-std" }

# Built beside the others, so that nothing is built twice.
[[bin]]
name = "toolbox"
path = "$root/toolbox/src/main.rs"

# A thousand tools are much code of which one runs: what is measured is in the dependencies, built as usual.
[profile.release.package.starts]
opt-level = 1

[workspace]
TOML
cp "$root/Cargo.lock" "$root/rust-toolchain.toml" "$crate"

echo 'fn main() {}' | write src/bin/empty.rs
write src/bin/hand.rs <<'RS'
//! The command that `thousand` has a thousand times, once and by hand.
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
tools() { # FIRST LAST
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
tools 500 500 | write src/bin/single.rs
tools 1 1000 | write src/bin/thousand.rs

(cd "$crate" && cargo build --quiet --release)
python3 - "$CARGO_TARGET_DIR/release" "${TOOL_CLI_RUNS:-200}" "${TOOL_CLI_ADDED_BUDGET:-1.0}" \
  "${TOOL_CLI_VERSION_BUDGET:-3.0}" "${TOOL_CLI_HELP_BUDGET:-3.0}" <<'PY'
import os, statistics, sys, time
folder, runs, (added_budget, version_budget, help_budget) = sys.argv[1], int(sys.argv[2]), map(float, sys.argv[3:])
lines = {
    "empty": ["empty"],
    "toolbox": ["toolbox", "--version"],
    "single": ["single", "--version"],
    "thousand": ["thousand", "--version"],
    "hand": ["hand", "search-500", "--help"],
    "one of thousand": ["thousand", "search-500", "--help"],
}
nowhere = os.open(os.devnull, os.O_WRONLY)
def run(words):
    started = time.perf_counter()
    child = os.posix_spawn(f"{folder}/{words[0]}", words, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, nowhere, 1)])
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    taken = (time.perf_counter() - started) * 1000
    assert status == 0, f"{words}: exit {status}"
    return taken
times = {name: [] for name in lines}
for _ in range(runs):
    for name, words in lines.items():
        times[name].append(run(words))
ms = {name: statistics.median(taken) for name, taken in times.items()}
added, linked, ratio = ms["toolbox"] - ms["empty"], ms["thousand"] - ms["single"], ms["one of thousand"] / ms["hand"]
print(f"cli: --version: empty program {ms['empty']:.2f} ms, toolbox {ms['toolbox']:.2f} ms, added {added:.2f} ms (goal 1.00, budget {added_budget:.2f})")
print(f"cli: --version: 1 tool {ms['single']:.2f} ms, 1000 tools {ms['thousand']:.2f} ms, added {linked:.2f} ms (goal 3.00, budget {version_budget:.2f})")
print(f"cli: --help of one command: by hand {ms['hand']:.2f} ms, of 1000 tools {ms['one of thousand']:.2f} ms, ratio {ratio:.2f} (goal 3.00, budget {help_budget:.2f})")
sys.exit(added > added_budget or linked > version_budget or ratio > help_budget)
PY
