"""Compiles all changes in one build, without those that do not compile."""

import json
import os
import subprocess
from pathlib import Path
from typing import NamedTuple

import switches

# How often what does not compile is taken away before something else must be wrong.
ROUNDS = 40
# What overflows whenever it is computed is an error of its own, and only of the build that checking does not do: it panics instead.
QUIET = {"RUSTFLAGS": "-Awarnings -Aarithmetic_overflow -Aunconditional_panic", "CARGO_INCREMENTAL": "0", "CARGO_PROFILE_DEV_DEBUG": "0"}


class Program(NamedTuple):
    """A program of tests."""

    name: str
    path: str
    folder: str


def cargo(root: Path, *words: str) -> tuple[bool, list[dict], str]:
    """Whether it went well, its messages, and what it said besides."""
    command = ["cargo", *words, "--message-format=json"]
    done = subprocess.run(command, cwd=root, env={**os.environ, **QUIET}, capture_output=True, text=True)
    return done.returncode == 0, [json.loads(line) for line in done.stdout.splitlines() if line[:1] == "{"], done.stderr


def unviable(messages: list[dict], mutants: list[dict], regions: dict) -> dict[int, str]:
    """The changes that the errors are about, by their places. What stands around a change, and the first arm of a `match` that is not
    exhaustive, only may be the reason: such a change is not run here."""
    found = {}
    for message in messages:
        error = message.get("message", {})
        if message.get("reason") != "compiler-message" or error["level"] != "error" or not error["spans"]:
            continue
        why = error["message"].split("\n")[0]
        for span in sorted(error["spans"], key=lambda span: not span["is_primary"]):
            while span["expansion"] and span["file_name"] not in regions:
                span = span["expansion"]["span"]
            start, end = span["byte_start"], span["byte_end"]
            known = regions.get(span["file_name"], [])
            around = [region for region in known if region.start <= start < region.end]
            within = [region for region in known if start <= region.start and region.end <= end]
            if (error["code"] or {}).get("code") == "E0004":
                arms = [region for region in known if region.start >= end and mutants[region.number]["genre"] == "MatchArm"]
                within = sorted(arms)[:1]
            if around:
                found[min(around, key=lambda region: region.end - region.start).number] = f"unviable: {why}"
                break
            if within:
                found.update({region.number: f"not run: {why}" for region in within})
                break
    return found


def build(root: Path, library: Path, mutants: list[dict], packages: list[str]) -> tuple[list[Program], dict[int, str]]:
    """The programs of the tests, and what is not in them, with its reason."""
    left_out: dict[int, str] = {}
    original = library.read_text()
    library.write_text(original + switches.MODULE.replace("COUNT", str(len(mutants))))
    # Together in both: who else is built decides which features a package has.
    asked = [*(word for name in packages for word in ("-p", name)), "--features", "tool-core/test,tool-core/limit"]
    for _ in range(ROUNDS):
        regions = switches.put(root, mutants, left_out)
        fine, messages, said = cargo(root, "check", *asked)
        if fine:
            break
        more = unviable(messages, mutants, regions)
        if not more.keys() - left_out.keys():
            raise SystemExit(f"no change explains what does not compile:\n{said[-4000:]}")
        left_out.update(more)
    fine, messages, said = cargo(root, "test", "--no-run", *asked)
    if not fine:
        raise SystemExit(said[-4000:])
    made = [message for message in messages if message["reason"] == "compiler-artifact" and message["executable"]]
    return [
        Program(message["target"]["name"], message["executable"], str(Path(message["manifest_path"]).parent))
        for message in made
        if message["profile"]["test"]
    ], left_out
