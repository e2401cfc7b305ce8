"""Measures the peers: `measure TARGET ROUNDS [QUESTION…]`. Each question's results are kept with what it was asked of, so that they
can be asked one by one; the tables are of all that are known. `--write` asks nothing, and puts the tables into the README."""

import json
import sys
from pathlib import Path

import crates
import questions
import run
import table
from goals import goals
from peers import PEERS

README = crates.HERE.parent.parent / "README.md"
MARKS = "<!-- peers: begin -->\n", "<!-- peers: end -->\n"


def main() -> None:
    target, rounds, asked = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] or list(questions.QUESTIONS)
    kept = target / "peers" / "results.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    results = json.loads(kept.read_text()) if kept.exists() else {}
    if asked == ["--write"]:
        return write(results)
    unknown = [name for name in asked if name not in questions.QUESTIONS]
    if unknown:
        raise SystemExit(f"{unknown[0]} is no question; there are {', '.join(questions.QUESTIONS)}, and --write")
    for name in asked:
        now = run.here(rounds)
        before = results.get(name)
        # Further numbers of tools, and further peers, add to what was found of the same.
        found = before["found"] if before and now.adds_to(run.Run(*before["of"])) else {}
        for question, values in questions.QUESTIONS[name](target, rounds).items():
            found.setdefault(question, {}).update(values)
        results[name] = {"of": now, "found": found}
        kept.write_text(json.dumps(results, indent=1))
    found, runs = known(results)
    print(table.written(found, runs))
    print(table.judged(found))
    sys.exit(not all(goal.is_met() for goal in goals(found)))


def known(results: dict) -> tuple[dict, dict[str, run.Run]]:
    """What was found, in the order of the questions, and what each was asked of."""
    answered = [name for name in questions.QUESTIONS if name in results]
    found = {key: value for name in answered for key, value in results[name]["found"].items()}
    return found, {name: run.Run(*results[name]["of"]) for name in answered}


def write(results: dict) -> None:
    """Puts the tables between their marks, when they are of one run that asked everything of everyone."""
    found, runs = known(results)
    if missing := [name for name in questions.QUESTIONS if name not in runs]:
        raise SystemExit(f"not asked yet: {', '.join(missing)}")
    if len(set(runs.values())) > 1:
        raise SystemExit("\n".join(["asked in several runs:", *(f"{name}: {of}" for name, of in runs.items())]))
    everyone = {peer.name for peer in PEERS}
    for question, values in found.items():
        if not question.endswith(", a second") and everyone - values.keys():
            raise SystemExit(f"{question}: not asked of {', '.join(sorted(everyone - values.keys()))}")
    text = README.read_text()
    before, _, rest = text.partition(MARKS[0])
    _, end, after = rest.partition(MARKS[1])
    if not end:
        raise SystemExit(f"{README} has no place for the tables")
    README.write_text(before + MARKS[0] + table.written(found, runs) + MARKS[1] + after)


main()
