"""Writes the generated crates, one for each peer and number of tools, as members of a workspace of their own in the target
directory. They take their dependencies, and the versions of these, from the workspace here."""

import re
import shutil
from pathlib import Path

from peers import ASKED, Peer

HERE = Path(__file__).resolve().parent.parent
RELEASE = {1000: 1}  # how much is optimised where that is not all: a thousand tools are much code of which little runs


def package(peer: Peer, count: int) -> str:
    return f"{peer.folder}-{count}".replace("_", "-")


def write(path: Path, text: str) -> None:
    """Writes a file where it is not so already: what has not changed is not built again."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def dependencies() -> str:
    """The table of dependencies of the workspace here, with paths that hold elsewhere."""
    manifest = (HERE / "Cargo.toml").read_text()
    table = re.search(r"\[workspace\.dependencies\]\n(.*?)\n\n", manifest, re.DOTALL)[1]
    return re.sub(r'path = "([^"]+)"', lambda found: f'path = "{(HERE / found[1]).resolve()}"', table)


def generate(folder: Path, counts: list[int], peers: list[Peer] = ASKED) -> dict[tuple[str, int], Path]:
    """The crates by peer and number of tools."""
    made, members = {}, []
    for peer in peers:
        for count in counts:
            name = package(peer, count)
            made[peer.name, count] = folder / name
            members.append(name)
            needs = "".join(f"{need}.workspace = true\n" for need in ["question", *peer.dependencies])
            manifest = f'[package]\nname = "{name}"\nversion = "0.0.0"\nedition = "2024"\n\n[dependencies]\n{needs}'
            write(folder / name / "Cargo.toml", manifest)
            write(folder / name / "src" / "main.rs", peer.program(count))
    members = sorted({path.parent.name for path in folder.glob("*/Cargo.toml")} | set(members))
    profiles = "".join(
        f'\n[profile.release.package.{name}]\nopt-level = {RELEASE[count]}\n'
        for name in members
        if (count := int(name.rsplit("-", 1)[1])) in RELEASE
    )
    listed = ", ".join(f'"{name}"' for name in members)
    head = f'[workspace]\nmembers = [{listed}]\nresolver = "3"\n\n[workspace.dependencies]\n'
    write(folder / "Cargo.toml", head + dependencies() + "\n" + profiles)
    # One compiler for all.
    shutil.copy(HERE.parent.parent / "rust-toolchain.toml", folder)
    if not (folder / "Cargo.lock").exists():
        shutil.copy(HERE / "Cargo.lock", folder / "Cargo.lock")
    return made
