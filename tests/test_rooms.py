"""The rooms of the package: a room may import those above it in the list, and nothing from below."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "mlirad"

ROOMS: dict[str, frozenset[str]] = {
    "dialects": frozenset(),
    "ir": frozenset({"dialects"}),
    "rules": frozenset({"dialects", "ir"}),
    "linear_maps": frozenset({"dialects", "ir"}),
    "reports": frozenset(),
    "recursion": frozenset(),
    "interpreter": frozenset({"dialects", "reports", "recursion"}),
    "passes": frozenset({"dialects", "ir", "rules", "linear_maps"}),
    "lower": frozenset({"dialects", "ir", "passes"}),
    "pipelines": frozenset({"dialects", "ir", "passes", "lower", "recursion"}),
    "jit": frozenset({"lower", "reports"}),
    "linear_maps.sparsity": frozenset({"dialects", "ir", "linear_maps", "interpreter", "recursion"}),
    "frontend": frozenset(
        {
            "dialects",
            "ir",
            "rules",
            "linear_maps",
            "interpreter",
            "passes",
            "lower",
            "pipelines",
            "jit",
            "linear_maps.sparsity",
            "reports",
            "recursion",
        }
    ),
    "tools": frozenset(
        {
            "dialects",
            "ir",
            "rules",
            "linear_maps",
            "interpreter",
            "passes",
            "lower",
            "pipelines",
            "jit",
            "linear_maps.sparsity",
            "frontend",
            "recursion",
        }
    ),
    "universe": frozenset({"dialects", "passes", "lower"}),
}
"""What each room may import, besides itself and `mlirad.errors`."""

FILES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE or path.stem in ROOMS)


def room_of(path: Path) -> str:
    """The room of a file of the package."""
    return room_in(path.relative_to(PACKAGE).with_suffix("").parts)


def room_in(parts: Sequence[str]) -> str:
    """The room of a module, given as what its name has after `mlirad`: the innermost that is listed."""
    inner = ".".join(parts[:2])
    return inner if inner in ROOMS else parts[0]


def imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every module that a file imports, wherever the import stands, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are written in full"
            assert node.module is not None
            for alias in node.names:
                yield node.lineno, f"{node.module}.{alias.name}"


def test_every_part_of_the_package_is_a_room() -> None:
    parts = {
        path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert parts - {"__init__", "errors"} <= set(ROOMS)


def test_imports_go_upwards() -> None:
    wrong = [
        f"{path}:{line}: {room_of(path)} may not import {name}"
        for path in FILES
        for line, name in imported(ast.parse(path.read_text()))
        if name.startswith("mlirad.")
        and room_in(name.split(".")[1:]) not in ROOMS[room_of(path)] | {room_of(path), "errors"}
    ]
    assert not wrong, "\n".join(wrong)


def test_code_generation_is_reached_through_jit_alone() -> None:
    outside = [path for path in FILES if room_of(path) != "jit"]
    wrong = [
        str(path)
        for path in outside
        if any(name.split(".")[0] == "llvmlite" for _, name in imported(ast.parse(path.read_text())))
        or 'import_module("llvmlite' in path.read_text()
    ]
    assert not wrong, f"import llvmlite: {wrong}"


def test_passes_ask_for_what_an_op_reads() -> None:
    """An op with regions also reads what they capture: `free_values(op)` has both, `.operands` has not.

    Where the operands in the op's own order are meant, `own_operands(op)` says so.
    """
    wrong = [
        f"{path}:{node.lineno}"
        for path in FILES
        if room_of(path) == "passes"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in ("operands", "_operands", "operand_types")
    ]
    assert not wrong, f"use free_values or own_operands of mlirad.ir.free_values: {wrong}"
