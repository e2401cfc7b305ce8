"""What is to be reached, and whether it is."""

from typing import NamedTuple

from peers import PEERS
from questions import CALLS, COMPILED, COUNTS, listing


class Goal(NamedTuple):
    """A ratio that was found, how it is to compare, and with what."""

    name: str
    ratio: float
    comparison: str
    bound: float

    def is_met(self) -> bool:
        ratio, bound = self.ratio, self.bound
        return {"<=": ratio <= bound, "<": ratio < bound, ">=": ratio >= bound}[self.comparison]

    def __str__(self) -> str:
        return f"goal: {self.name}: {self.ratio:.2f} ({self.comparison} {self.bound:g}): {'met' if self.is_met() else 'missed'}"


def goals(found: dict) -> list[Goal]:
    """Those about which all is known."""
    structs = [peer.name for peer in PEERS if peer.struct]
    known = []
    small = found.get(f"{CALLS['small'][0]}, instructions", {})
    if len(small) == len(PEERS):
        others = min(value for name, value in small.items() if name not in ("this", "by hand"))
        known.append(Goal("small call to the one by hand, instructions", small["this"] / small["by hand"], "<=", 1.5))
        known.append(Goal("small call to the fastest library, instructions", small["this"] / others, "<", 1.0))
    for form in ["check", "release"]:
        times = found.get(f"{COMPILED[form]}, CPU s", {})
        if {"this", *structs} <= times.keys():
            # By hand a struct derives for the command line, too: the fastest is sought among all of them.
            fastest = min(times[name] for name in structs)
            known.append(Goal(f"100 tools to the fastest with structs, {form}", times["this"] / fastest, "<=", 0.5))
    title = listing(COUNTS[-1])
    lists = found.get(f"{title}, instructions", {})
    if {"this", "rmcp"} <= lists.keys():
        known.append(Goal(f"{title}, rmcp to this", lists["rmcp"] / lists["this"], ">=", 20.0))
    return known
