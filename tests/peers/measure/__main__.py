"""Measures the peers: `measure TARGET ROUNDS [QUESTION…]`. Each question's results are kept, so that they can be asked one by
one; the table is of all that are known."""

import json
import sys
from pathlib import Path

import questions
import table


def main() -> None:
    target, rounds, asked = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] or list(questions.QUESTIONS)
    unknown = [name for name in asked if name not in questions.QUESTIONS]
    if unknown:
        raise SystemExit(f"{unknown[0]} is no question; there are {', '.join(questions.QUESTIONS)}")
    kept = target / "peers" / "results.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    results = json.loads(kept.read_text()) if kept.exists() else {}
    for name in asked:
        # Further numbers of tools, and further peers, add to what is known.
        for question, values in questions.QUESTIONS[name](target, rounds).items():
            results.setdefault(name, {}).setdefault(question, {}).update(values)
        kept.write_text(json.dumps(results, indent=1))
    found = {key: value for name in questions.QUESTIONS for key, value in results.get(name, {}).items()}
    print(table.written(found))
    missed = [name for name, ratio, comparison, bound in table.goals(found) if not table.is_met(ratio, comparison, bound)]
    sys.exit(bool(missed))


main()
