#!/usr/bin/env bash
# Start-up of command lines, in release, as the median of interleaved runs:
# `toolbox --version` against an empty program (goal: 1.0 ms more), and `--help` of one tool of 1 000 against a
# hand-written clap program with that one command (goal: 3 times). Fails above the budgets.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
runs=${TOOL_CLI_RUNS:-200}
version_budget=${TOOL_CLI_VERSION_BUDGET:-1.0}
help_budget=${TOOL_CLI_HELP_BUDGET:-3.0}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/src/bin"
cat >"$work/Cargo.toml" <<TOML
[package]
name = "starts"
version = "1.0.0"
edition = "2024"

[dependencies]
clap = { version = "4.6", default-features = false, features = ["std", "help", "usage", "error-context", "suggestions", "color", "string", "wrap_help"] }
tool-cli = { path = "$root/tool-cli" }
tool-core = { path = "$root/tool-core" }

# A thousand tools are much code of which one runs: what is measured is in the dependencies, built as usual.
[profile.release.package.starts]
opt-level = 1

[workspace]
TOML
cp "$root/Cargo.lock" "$work/Cargo.lock"

echo 'fn main() {}' >"$work/src/bin/empty.rs"
cat >"$work/src/bin/hand.rs" <<'RS'
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
{
  printf '//! A thousand tools.\nuse tool_core::prelude::*;\n'
  printf 'fn main() -> std::process::ExitCode {\n    tool_cli::run()\n}\n'
  for i in $(seq 1000); do
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
} >"$work/src/bin/thousand.rs"

export CARGO_TARGET_DIR="${TOOL_BENCH_TARGET:-$work/target}"
(cd "$work" && cargo build --quiet --release)
(cd "$root" && cargo build --quiet --release -p toolbox)
python3 - "$CARGO_TARGET_DIR/release" "$runs" "$version_budget" "$help_budget" <<'PY'
import os, statistics, sys, time
folder, runs, version_budget, help_budget = sys.argv[1], int(sys.argv[2]), *map(float, sys.argv[3:])
lines = {
    "empty": ["empty"],
    "version": ["toolbox", "--version"],
    "hand": ["hand", "search-500", "--help"],
    "thousand": ["thousand", "search-500", "--help"],
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
empty, version, hand, thousand = (statistics.median(times[name]) for name in lines)
added, ratio = version - empty, thousand / hand
print(f"cli: empty program {empty:.2f} ms, toolbox --version {version:.2f} ms, added {added:.2f} ms (budget {version_budget:.2f})")
print(f"cli: --help of one command, by hand {hand:.2f} ms, of 1000 tools {thousand:.2f} ms, ratio {ratio:.2f} (budget {help_budget:.2f})")
sys.exit(added > version_budget or ratio > help_budget)
PY
