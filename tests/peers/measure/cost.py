"""What programs cost: instructions under callgrind, which no other program on the machine changes, and processor time."""

import os
import re
import resource
import statistics
import subprocess


def instructions(program: str, *words: object) -> int:
    """What one run of a program executes, from its first to its last instruction."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, *map(str, words)]
    said = subprocess.run(command, capture_output=True, text=True)
    if said.returncode != 0:
        raise SystemExit(f"{program} {words}: {said.stdout}{said.stderr}")
    return int(re.search(r"Collected : (\d+)", said.stderr)[1])


def each(program: str, *words: object, few: int, many: int) -> float:
    """Instructions of one repetition: what more repetitions execute more, so that the start does not count."""
    return (instructions(program, *words, many) - instructions(program, *words, few)) / (many - few)


def nanoseconds(program: str, *words: object) -> float:
    """What a program says one repetition took."""
    said = subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=True).stdout
    return float(re.search(r"([\d.]+) ns", said)[1])


def interleaved(rounds: int, measures: dict) -> dict:
    """The median of each measure over rounds that take every one of them in turn: what the machine does besides hits all alike."""
    taken = {name: [] for name in measures}
    for _ in range(rounds):
        for name, measure in measures.items():
            taken[name].append(measure())
    return {name: statistics.median(values) for name, values in taken.items()}


def processor_seconds(command: list[str], folder: str, **variables: str) -> float:
    """User and system time of a command and what it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, env={**os.environ, **variables}, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} in {folder}:\n{done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
