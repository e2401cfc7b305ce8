"""Tries every change of some files, all compiled in one build: `mutants GLOB PACKAGE [PACKAGE…]`, where the first package has the
files, and the tests of all of them decide. Prints what nothing noticed, in the words of cargo-mutants, and at the end a row for each
file as `tests/mutants.md` has it.

MUTANTS_TESTS is how many tests are asked about one change at most (1000). MUTANTS_SHARD, such as 0/8, takes every eighth change: a
sample. MUTANTS_AGAIN is a file with the output of an earlier run: only what was unnoticed in it is tried, wherever it stands now."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import build
import tests

HERE = Path(__file__).resolve().parent.parent.parent
COLUMNS = ["changes", "noticed", "timeout", "unviable", "not run", "unnoticed"]


def tree() -> Path:
    """The last commit, in a tree of its own, whose target directory stays."""
    root = HERE / "target" / "mutants" / "tree"
    if not root.exists():
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", str(root)], cwd=HERE, check=True)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=HERE, capture_output=True, text=True, check=True).stdout.strip()
    for command in [["checkout", "--quiet", "--force", commit], ["clean", "--quiet", "--force", "-d"]]:
        subprocess.run(["git", *command], cwd=root, check=True)
    return root


def unnoticed_in(output: Path) -> set[str]:
    """What was unnoticed in an earlier run, without its line and column."""
    lines = output.read_text().splitlines()
    return {placeless(line.removeprefix("unnoticed: ")) for line in lines if line.startswith("unnoticed: ")}


def placeless(name: str) -> str:
    return re.sub(r":\d+:\d+: ", ": ", name, count=1)


def main() -> None:
    if len(sys.argv) < 3:
        raise SystemExit("which files of which package? GLOB PACKAGE [PACKAGE…]")
    glob, package, *others = sys.argv[1:]
    root, most = tree(), int(os.environ.get("MUTANTS_TESTS", "1000"))
    os.environ.setdefault("TOOL_VECTORS", str(HERE.parent / "shared" / "vectors"))
    command = ["cargo", "mutants", "--list", "--json", "--package", package, "--file", glob]
    if shard := os.environ.get("MUTANTS_SHARD"):
        command += ["--sharding", "round-robin", "--shard", shard]
    mutants = json.loads(subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout)
    if earlier := os.environ.get("MUTANTS_AGAIN"):
        again = unnoticed_in(Path(earlier))
        mutants = [mutant for mutant in mutants if placeless(mutant["name"]) in again]
    if not mutants:
        raise SystemExit(f"nothing of {package} can be changed in {glob}")
    programs, left_out = build.build(root, root / package / "src" / "lib.rs", mutants, [package, *others])
    reached = tests.reach(programs)
    asked = [number for number in range(len(mutants)) if number not in left_out]
    said = {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for number, verdict in zip(asked, pool.map(lambda number: tests.trial(number, reached.get(number, []), most), asked)):
            said[number] = verdict
            if verdict == "unnoticed":
                print(f"unnoticed: {mutants[number]['name']}", flush=True)
    verdicts = {**said, **{number: reason.split(":")[0] for number, reason in left_out.items()}}
    for file in sorted({mutant["file"] for mutant in mutants}):
        of = Counter(verdicts[number] for number, mutant in enumerate(mutants) if mutant["file"] == file)
        cells = [sum(of.values()), *(of[column] for column in COLUMNS[1:])]
        print(f"| {file} | {' | '.join(map(str, cells))} |")
    sys.exit("unnoticed" in said.values())


main()
