"""What a question was asked of, and when: results of different runs are not one."""

import os
import platform
import subprocess
from datetime import date
from typing import NamedTuple

import crates


class Run(NamedTuple):
    date: str
    tree: str
    machine: str
    rounds: int

    def adds_to(self, other: "Run") -> bool:
        """Whether what this finds stands beside what the other found: of a tree with changes nobody knows which."""
        return self == other and not self.tree.endswith("-changed")

    def __str__(self) -> str:
        return f"{self.date} at {self.tree}, {self.rounds} rounds ({self.machine})"


def here(rounds: int) -> Run:
    cores = len(os.sched_getaffinity(0))
    rust = said("rustc", "--version").split()[1]
    machine = f"{cores} cores {platform.machine().replace('_', '-')}, {platform.system()}, Rust {rust}"
    tree = said("git", "describe", "--always", "--exclude=*", "--dirty=-changed")
    return Run(f"{date.today():%Y-%m-%d}", tree, machine, rounds)


def said(*command: str) -> str:
    return subprocess.run(command, cwd=crates.HERE, capture_output=True, text=True, check=True).stdout.strip()
