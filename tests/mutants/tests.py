"""Which tests reach which change, and what they say of it."""

import functools
import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from build import QUIET, Program

# Seconds: tests that take longer are left out; a change may make a test so many times slower, and a moment besides.
LONGEST, SLOWER, MOMENT = 20, 6, 20
TOGETHER = 12


class Test(NamedTuple):
    """A test, how long it takes, and how many changes it reaches."""

    seconds: float
    reached: int
    program: Program
    name: str


@functools.cache
def libraries() -> str:
    """Where the libraries of the compiler are, which tests of macros are linked with."""
    return subprocess.run(["rustc", "--print", "target-libdir"], capture_output=True, text=True, check=True).stdout.strip()


def environment(program: Program, **more: str) -> dict[str, str]:
    package = {"CARGO_MANIFEST_DIR": program.folder, "CARGO_PKG_NAME": Path(program.folder).name, "CARGO_PKG_VERSION": "0.1.0"}
    return {**os.environ, **QUIET, **package, "LD_LIBRARY_PATH": libraries(), "RUST_BACKTRACE": "0", **more}


def run(program: Program, names: list[str], seconds: float, **more: str) -> str:
    """`ok`, `failed` or `timeout`; no process and no file of it stays."""
    command, quiet = [program.path, "--exact", *names], subprocess.DEVNULL
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process = subprocess.Popen(
            command,
            cwd=program.folder,
            env=environment(program, TMPDIR=folder, **more),
            stdin=quiet,
            stdout=quiet,
            stderr=quiet,
            start_new_session=True,
        )
        try:
            return "ok" if process.wait(timeout=seconds) == 0 else "failed"
        except subprocess.TimeoutExpired:
            return "timeout"
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()


def names(program: Program) -> list[str]:
    said = subprocess.run([program.path, "--list"], cwd=program.folder, env=environment(program), capture_output=True, text=True)
    return [line.removesuffix(": test") for line in said.stdout.splitlines() if line.endswith(": test")]


def reach(programs: list[Program]) -> dict[int, list[Test]]:
    """The tests that reach each change."""

    def one(asked: tuple[Program, str]) -> tuple[Test, set[int]] | None:
        program, name = asked
        with tempfile.TemporaryDirectory() as folder:
            file, began = Path(folder) / "reached", time.monotonic()
            if (said := run(program, [name], LONGEST * 4, MUTANT_REACHED=str(file))) != "ok":
                print(f"left out: {program.name} {name}: {said} without a change", file=sys.stderr)
                return None
            if not file.exists():
                return None
            reached = {int(number) for number in file.read_text().split()}
            return Test(time.monotonic() - began, len(reached), program, name), reached

    found: dict[int, list[Test]] = {}
    asked = [(program, name) for program in programs for name in names(program)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for test, reached in filter(None, pool.map(one, asked)):
            for number in reached if test.seconds <= LONGEST else ():
                found.setdefault(number, []).append(test)
    return found


def trial(number: int, tests: list[Test], most: int) -> str:
    """`noticed`, `timeout` or `unnoticed`: by those tests first that reach little else."""
    by_program: dict[Program, list[Test]] = {}
    for test in sorted(tests, key=lambda test: (test.reached, test.seconds))[:most]:
        by_program.setdefault(test.program, []).append(test)
    for program, own in by_program.items():
        for first in range(0, len(own), TOGETHER):
            part = own[first : first + TOGETHER]
            limit = MOMENT + SLOWER * sum(test.seconds for test in part)
            said = run(program, [test.name for test in part], limit, MUTANT=str(number))
            if said != "ok":
                return "timeout" if said == "timeout" else "noticed"
    return "unnoticed"
