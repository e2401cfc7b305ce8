"""The table: what was measured, as ratios to this project, and whether the goals are met."""

import os
import platform
import re
import subprocess
from datetime import date

import crates
from peers import PEERS

MCP_PEERS = ["rmcp", "fastmcp", "typescript"]


def versions() -> dict[str, str]:
    """The peers' versions in the lock file."""
    lock = (crates.HERE / "Cargo.lock").read_text()
    return {name: version for name, version in re.findall(r'name = "([^"]+)"\nversion = "([^"]+)"', lock)}


def amount(value: float, unit: str) -> str:
    if unit.endswith("s") and "CPU" in unit:
        return f"{value:.2f} s"
    if unit == "bytes":
        return f"{value / 1024:,.0f} KiB"
    if unit == "ns" and value >= 100_000:
        return f"{value / 1000:,.0f} µs"
    return f"{value:,.0f}"


def rows(found: dict) -> list[str]:
    """One line for each question: what this takes, then every peer as a multiple of that."""
    names = [peer.name for peer in PEERS[1:]]
    lines = ["| | this | " + " | ".join(names) + " |", "| --- |" + " ---: |" * (len(names) + 1)]
    for question, values in found.items():
        if question.startswith("MCP") or "this" not in values:
            continue
        unit = question.rsplit(", ", 1)[1]
        own = values["this"]
        cells = [f"{values[name] / own:.2f}" if name in values else "–" for name in names]
        lines.append(f"| {question} | {amount(own, unit)} | " + " | ".join(cells) + " |")
    return lines


def protocol_rows(found: dict) -> list[str]:
    """The servers on standard input and output: how many times as much this does."""
    questions = {question: values for question, values in found.items() if question.startswith("MCP")}
    if not questions:
        return []
    names = [name for name in MCP_PEERS if any(name in values for values in questions.values())]
    lines = ["", "| | this | " + " | ".join(f"this to {name}" for name in names) + " |", "| --- |" + " ---: |" * (len(names) + 1)]
    for question, values in questions.items():
        cells = [f"{values['this'] / values[name]:.2f}" if name in values else "–" for name in names]
        lines.append(f"| {question} | {values['this']:,} | " + " | ".join(cells) + " |")
    return lines


def goals(found: dict) -> list[tuple[str, float, str, float]]:
    """What is to be reached: a name, the ratio found, the comparison, and the bound."""
    structs = [peer.name for peer in PEERS if peer.struct]
    met = []
    small = found.get("call small, instructions", {})
    if len(small) == len(PEERS):
        others = min(value for name, value in small.items() if name not in ("this", "by hand"))
        met.append(("small call to the one by hand, instructions", small["this"] / small["by hand"], "<=", 1.5))
        met.append(("small call to the fastest library, instructions", small["this"] / others, "<", 1.0))
    for form in ["check", "release"]:
        times = found.get(f"compile 100 tools, {form}, CPU s", {})
        if {"this", *structs} <= times.keys():
            # By hand a struct derives for the command line, too: the fastest is sought among all of them.
            fastest = min(times[name] for name in structs)
            met.append((f"100 tools to the fastest with structs, {form}", times["this"] / fastest, "<=", 0.5))
    lists = re.compile(r"(list of (\d+) tools) after the first, instructions")
    if known := [(int(match[2]), match[1], values) for question, values in found.items() if (match := lists.match(question)) and {"this", "rmcp"} <= values.keys()]:
        _, name, listed = max(known, key=lambda row: row[0])
        met.append((f"{name}, rmcp to this", listed["rmcp"] / listed["this"], ">=", 20.0))
    return met


def is_met(ratio: float, comparison: str, bound: float) -> bool:
    return {"<=": ratio <= bound, "<": ratio < bound, ">=": ratio >= bound}[comparison]


def machine() -> str:
    cores = len(os.sched_getaffinity(0))
    rust = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    return f"{cores} cores {platform.machine().replace('_', '-')}, {platform.system()}, Rust {rust}"


def written(found: dict) -> str:
    known = versions()
    peers = ", ".join(f"{peer.name} {known[peer.crate]}" for peer in PEERS[1:] if peer.crate in known and peer.name != "by hand")
    lines = [f"{date.today():%Y-%m-%d}, {machine()}. {peers}; by hand: serde, schemars and clap derive.", ""]
    lines += rows(found) + protocol_rows(found) + [""]
    for name, ratio, comparison, bound in goals(found):
        verdict = "met" if is_met(ratio, comparison, bound) else "missed"
        lines.append(f"goal: {name}: {ratio:.2f} ({comparison} {bound:g}): {verdict}")
    return "\n".join(lines)
