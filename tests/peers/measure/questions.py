"""The questions: each measures every peer and keeps what it found in the file of results."""

import os
import re
import subprocess
from pathlib import Path

import cost
import crates
from peers import ASKED

CALLS = {  # the question: how it is called in the table, how often it is repeated for its count, how often for its time
    "small": ("a small call: a text, a bounded number", (1000, 3000), 200_000),
    "medium": ("a medium one: eight parameters, a struct, an enum", (200, 600), 50_000),
    "text": ("a text of 1 MiB", (2, 6), 100),
    "numbers": ("a list of 10,000 numbers", (2, 6), 500),
}
COMPILED = {
    "check": "`cargo check` of 100 tools, after their dependencies",
    "change": "the same after a change of one",
    "release": "`cargo build --release` of them",
}
COUNTS = [int(count) for count in os.environ.get("TOOL_PEERS_COUNTS", "10 100 1000").split()]


def cargo(*words: str) -> list[str]:
    return ["cargo", *words, "--quiet"]


def release(target: Path, name: str) -> str:
    return str(target / "release" / name)


def calls(target: Path, rounds: int) -> dict:
    """Instructions and nanoseconds of one call, by question."""
    programs = {}
    for peer in ASKED:
        package = f"peer-{peer.folder}".replace("_", "-")
        # One by one: together they would share the features of what they depend on.
        cost.processor_seconds(cargo("build", "--release", "-p", package), str(crates.HERE), CARGO_TARGET_DIR=str(target))
        programs[peer.name] = release(target, package)
    found = {}
    for question, (title, (few, many), repeats) in CALLS.items():
        ask = lambda program: cost.each(program, "call", question, few=few, many=many)
        found[f"{title}, instructions"] = {name: ask(program) for name, program in programs.items()}
        time = lambda program: lambda: cost.nanoseconds(program, "call", question, repeats)
        found[f"{title}, ns"] = cost.interleaved(rounds, {name: time(program) for name, program in programs.items()})
    return found


def starts(target: Path, rounds: int) -> dict:
    """Instructions of a start with so many tools, of a list of all of them, and what the programs weigh."""
    made = crates.generate(target / "peers", COUNTS)
    programs = {}
    for (name, count), folder in made.items():
        cost.processor_seconds(cargo("build", "--release"), str(folder), CARGO_TARGET_DIR=str(target), CARGO_INCREMENTAL="0")
        programs[name, count] = release(target, folder.name)
    found = {}
    for count in COUNTS:
        start = {peer.name: cost.instructions(programs[peer.name, count], "start") for peer in ASKED}
        found[f"a start with {count:,} tools, instructions"] = start
    most = COUNTS[-1]
    listed = lambda peer: cost.each(programs[peer.name, most], "list", few=1, many=3)
    title = listing(most)
    found[f"{title}, instructions"] = {peer.name: listed(peer) for peer in ASKED}
    time = lambda peer: lambda: cost.nanoseconds(programs[peer.name, most], "list", 20)
    found[f"{title}, ns"] = cost.interleaved(rounds, {peer.name: time(peer) for peer in ASKED})
    for count in [count for count in COUNTS if count not in crates.RELEASE]:
        found[f"the program with {count:,} tools, stripped, bytes"] = {
            peer.name: stripped(programs[peer.name, count], target) for peer in ASKED
        }
    return found


def listing(count: int) -> str:
    return f"a list of {count:,} tools after the first"


def stripped(program: str, target: Path) -> int:
    """What a program weighs without its symbols."""
    bare = target / "peers" / "stripped"
    subprocess.run(["strip", "-o", str(bare), program], check=True)
    return bare.stat().st_size


def compiled(form: str, command: list[str], incremental: str):
    """The question of the processor seconds that building the crate of 100 tools itself takes, its dependencies being built
    already; with `incremental` what was compiled before is used again."""

    def ask(target: Path, rounds: int) -> dict:
        made = crates.generate(target / "peers", [100])
        variables = {"CARGO_TARGET_DIR": str(target), "CARGO_INCREMENTAL": incremental, "CARGO_PROFILE_DEV_DEBUG": "0"}

        def build(folder: Path) -> float:
            return cost.processor_seconds(command, str(folder), **variables)

        def again(folder: Path) -> float:
            change(folder / "src" / "main.rs")
            return build(folder)

        for folder in made.values():
            build(folder)
        measures = {name: (lambda folder=folder: again(folder)) for (name, _), folder in made.items()}
        return {f"{COMPILED[form]}, CPU s": cost.interleaved(rounds, measures)}

    return ask


def change(source: Path) -> None:
    """Another text in the body of the first tool."""
    text = source.read_text()
    mark = re.search(r"\{min_score:\?\} (\d+)", text)
    source.write_text(text[: mark.start(1)] + str(int(mark[1]) + 1000) + text[mark.end(1) :])


def protocol(target: Path, rounds: int) -> dict:
    """The ratios of `tests/peers-mcp/run.sh`, as it prints them."""
    script = crates.HERE.parent / "peers-mcp" / "run.sh"
    variables = {**os.environ, "CARGO_TARGET_DIR": str(target / "peers-mcp")}
    said = subprocess.run([str(script)], env=variables, capture_output=True, text=True)
    if said.returncode != 0:
        raise SystemExit(f"{script}:\n{said.stdout}{said.stderr}")
    found = {}
    for what, depth, ours, peer, theirs in re.findall(r"^(call|list) (\d+): (\d+), (\S+) (\d+): [\d.]+$", said.stdout, re.M):
        named = "lists of 1,000 tools" if what == "list" else f"calls, {depth} on their way at once"
        found.setdefault(f"{named}, a second", {"this": int(ours)})[peer] = int(theirs)
    return found


QUESTIONS = {
    "calls": calls,
    "starts": starts,
    "check": compiled("check", cargo("check"), incremental="0"),
    "change": compiled("change", cargo("check"), incremental="1"),
    "release": compiled("release", cargo("build", "--release"), incremental="0"),
    "protocol": protocol,
}
