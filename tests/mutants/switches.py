"""Puts changes behind switches: a file with all of them compiles once, and `MUTANT=N` in the environment makes the N-th."""

from pathlib import Path
from typing import NamedTuple

import tree_sitter
import tree_sitter_rust

RUST = tree_sitter.Parser(tree_sitter.Language(tree_sitter_rust.language()))

# What asks whether a change is made. Without one it notes in the file `MUTANT_REACHED` that its place was reached.
MODULE = """
#[doc(hidden)]
pub mod mutant {
    use std::io::Write as _;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, Ordering};

    static CHOSEN: OnceLock<Option<usize>> = OnceLock::new();
    static REACHED: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];

    pub fn on(number: usize) -> bool {
        let read = || std::env::var("MUTANT").ok().and_then(|text| text.parse().ok());
        let chosen = *CHOSEN.get_or_init(read);
        if chosen.is_none() && !REACHED[number].swap(true, Ordering::Relaxed) {
            if let Some(path) = std::env::var_os("MUTANT_REACHED") {
                let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
                let _ = file.and_then(|mut file| file.write_all(format!("{number}\\n").as_bytes()));
            }
        }
        chosen == Some(number)
    }
}
"""


class Unswitchable(Exception):
    """A change that cannot stand behind a switch."""


class Edit(NamedTuple):
    """Text around a range of the source, or in front of a place if the range is empty."""

    start: int
    end: int
    before: bytes
    after: bytes
    number: int


class Region(NamedTuple):
    """Where the text of a change stands in what is compiled."""

    start: int
    end: int
    number: int


def above(node, *kinds):
    """The innermost node of a kind around a place."""
    while node is not None and node.type not in kinds:
        node = node.parent
    if node is None:
        raise Unswitchable(f"no {kinds[0]}")
    return node


class Source:
    """A file and its changes."""

    def __init__(self, text: bytes):
        self.text = text
        self.root = RUST.parse(text).root_node
        self.lines = [0]
        for line in text.split(b"\n"):
            self.lines.append(self.lines[-1] + len(line) + 1)

    def offset(self, place: dict) -> int:
        """The byte of a line and column from 1, columns in characters."""
        start, end = self.lines[place["line"] - 1], self.lines[place["line"]]
        return start + len(self.text[start:end].decode()[: place["column"] - 1].encode())

    def of(self, node) -> bytes:
        return self.text[node.start_byte : node.end_byte]

    def edit(self, mutant: dict, number: int) -> Edit:
        """How a change of cargo-mutants stands behind a switch."""
        start, end = self.offset(mutant["span"]["start"]), self.offset(mutant["span"]["end"])
        on = f"crate::mutant::on({number})".encode()
        instead = mutant["replacement"].encode()
        # A field ends with a comma that is no part of it.
        inside = self.root.descendant_for_byte_range(start, start + 1 if mutant["genre"] == "StructField" else end)

        def choice(first: int, last: int, other: bytes) -> Edit:
            return Edit(first, last, b"(if " + on + b" { " + other + b" } else { ", b" })", number)

        match mutant["genre"]:
            case "FnValue":
                if instead.startswith(b"::std::iter::"):
                    raise Unswitchable("another type is returned")
                start += self.text[start : start + 1] == b"{"
                return Edit(start, start, b" if " + on + b" { return " + instead + b"; } ", b"", number)
            case "BinaryOperator":
                node = above(inside, "binary_expression", "compound_assignment_expr")
                if node.child_by_field_name("operator").start_byte != start:
                    raise Unswitchable("another operator")
                # Another operator binds otherwise: what stands beside it is read anew with it.
                while node.parent.type == "binary_expression":
                    node = node.parent
                self.check_place(node)
            case "UnaryOperator":
                node = above(inside, "unary_expression")
                self.check_place(node)
            case "MatchArmGuard":
                if b"let " in self.text[start:end]:
                    raise Unswitchable("a guard with a pattern")
                return choice(start, end, instead)
            case "MatchArm":
                pattern = above(inside, "match_arm").child_by_field_name("pattern")
                guard = pattern.child_by_field_name("condition")
                if guard is None:
                    return Edit(pattern.end_byte, pattern.end_byte, b" if !" + on + b" ", b"", number)
                if b"let " in self.of(guard):
                    raise Unswitchable("a guard with a pattern")
                return Edit(guard.start_byte, guard.end_byte, b"(!" + on + b" && (", b"))", number)
            case "StructField":
                return self.field(above(inside, "field_initializer", "shorthand_field_initializer"), on, number)
            case genre:
                raise Unswitchable(genre)
        changed = self.text[node.start_byte : start] + instead + self.text[end : node.end_byte]
        return choice(node.start_byte, node.end_byte, changed)

    def check_place(self, node) -> None:
        """Nothing is asked where the compiler computes, and a pattern's condition is no expression."""
        if any(child.type == "let_condition" for child in node.children):
            raise Unswitchable("a condition with a pattern")
        while node is not None:
            if node.type in ("const_item", "static_item", "attribute_item", "macro_definition"):
                raise Unswitchable(node.type)
            node = node.parent

    def field(self, node, on: bytes, number: int) -> Edit:
        """A field that is left out has the value of the base."""
        base = next((child for child in node.parent.children if child.type == "base_field_initializer"), None)
        if base is None:
            raise Unswitchable("no base")
        kind = self.of(node.parent.parent.child_by_field_name("name"))
        short = node.type == "shorthand_field_initializer"
        name = self.of(node if short else node.child_by_field_name("field") or node.child_by_field_name("name"))
        value = node if short else node.child_by_field_name("value")
        other = b"let base: " + kind + b" = " + self.of(base).removeprefix(b"..") + b"; base." + name
        before = (name + b": " if short else b"") + b"if " + on + b" { " + other + b" } else { "
        return Edit(value.start_byte, value.end_byte, before, b" }", number)

    def switched(self, edits: list[Edit]) -> tuple[bytes, list[Region]]:
        """The text with all edits, the longer ones around the shorter ones."""
        edits = sorted(edits, key=lambda edit: (edit.start, -edit.end, edit.number))
        opening, closing = {}, {}
        for edit in edits:
            opening.setdefault(edit.start, []).append(edit)
            closing.setdefault(edit.end, []).insert(0, edit)
        out, regions, done = bytearray(), [], 0
        for place in sorted(opening.keys() | closing.keys()):
            out += self.text[done:place]
            done = place
            for edit in closing.get(place, []):
                out += edit.after if edit.start < edit.end else b""
            for edit in opening.get(place, []):
                regions.append(Region(len(out), len(out) + len(edit.before), edit.number))
                out += edit.before
        return bytes(out + self.text[done:]), regions


def put(root: Path, mutants: list[dict], left_out: dict[int, str]) -> dict[str, list[Region]]:
    """Writes every file of the changes anew, without those that are left out; adds to these what cannot be switched."""
    regions = {}
    for file in sorted({mutant["file"] for mutant in mutants}):
        original = root / (file + ".orig")
        if not original.exists():
            original.write_bytes((root / file).read_bytes())
        source, edits = Source(original.read_bytes()), []
        for number, mutant in enumerate(mutants):
            if mutant["file"] == file and number not in left_out:
                try:
                    edits.append(source.edit(mutant, number))
                except Unswitchable as reason:
                    left_out[number] = f"not run: {reason}"
        text, regions[file] = source.switched(edits)
        if (root / file).read_bytes() != text:
            (root / file).write_bytes(text)
    return regions
