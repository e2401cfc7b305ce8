"""The tables: what was measured, as ratios to this project."""

import re

import crates
from goals import goals
from peers import PEERS
from run import Run

MCP_PEERS = ["rmcp", "fastmcp", "typescript"]


def versions() -> dict[str, str]:
    """The peers' versions in the lock file."""
    lock = (crates.HERE / "Cargo.lock").read_text()
    return {name: version for name, version in re.findall(r'name = "([^"]+)"\nversion = "([^"]+)"', lock)}


def amount(value: float, unit: str) -> str:
    if unit == "CPU s":
        return f"{value:.2f} s"
    if unit == "bytes":
        return f"{value / 1024:,.0f} KiB"
    if unit == "ns":
        return f"{value:,.0f} ns" if value < 1000 else f"{value / 1000:,.1f} µs" if value < 100_000 else f"{value / 1000:,.0f} µs"
    return f"{value:,.0f}"


def aligned(header: list[str], lines: list[list[str]]) -> list[str]:
    cells = [["", *header], ["---", *["---:"] * len(header)], *lines]
    return [f"| {' | '.join(row)} |".replace("|  |", "| |") for row in cells] + [""]


def costs(found: dict) -> list[str]:
    """One line for each question: what this takes, then every peer as a multiple of that."""
    names = [peer.name for peer in PEERS[1:]]
    lines, before = [], None
    for question, values in found.items():
        title, unit = question.rsplit(", ", 1)
        if unit == "a second" or "this" not in values:
            continue
        own = values["this"]
        cells = [f"{values[name] / own:.2f}" if name in values else "–" for name in names]
        lines.append(["in time" if title == before else title, amount(own, unit), *cells])
        before = title
    return aligned(["this", *names], lines) if lines else []


def speeds(found: dict) -> list[str]:
    """The servers on standard input and output: how many times as much this does."""
    questions = {question: values for question, values in found.items() if question.endswith(", a second")}
    names = [name for name in MCP_PEERS if any(name in values for values in questions.values())]
    lines = []
    for question, values in questions.items():
        cells = [f"{values['this'] / values[name]:.2f}" if name in values else "–" for name in names]
        lines.append([question, amount(values["this"], "a second"), *cells])
    return aligned(["this", *(f"this to {name}" for name in names)], lines) if lines else []


def written(found: dict, runs: dict[str, Run]) -> str:
    """What the questions were asked of, and their tables."""
    known = versions()
    peers = ", ".join(f"{peer.name} {known[peer.crate]}" for peer in PEERS[1:] if peer.crate in known and peer.name != "by hand")
    of = {str(run) for run in runs.values()}
    lines = [*of] if len(of) == 1 else [f"{question}: {run}" for question, run in runs.items()]
    lines[-1] += f". {peers}; by hand: serde, schemars and clap derive."
    return "\n".join([*lines, "", *costs(found), *speeds(found)])


def judged(found: dict) -> str:
    return "\n".join(map(str, goals(found)))
