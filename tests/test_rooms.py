"""The rooms of the package and of its frontend, and that no module imports itself, by whatever way.

A room may import those that its table names. Every import counts: those inside of functions, those for type
checkers alone, and modules that a registry names in strings.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from mlirad.registry import PASS_MODULES

PACKAGE = Path(__file__).parents[1] / "mlirad"

ROOMS: dict[str, frozenset[str]] = {
    "dialects": frozenset({"packages", "float_modes"}),
    "ir": frozenset({"dialects"}),
    "rules": frozenset({"dialects", "ir"}),
    "linear_maps": frozenset({"dialects", "ir"}),
    "packages": frozenset(),
    "pipeline_options": frozenset(),
    "callbacks": frozenset(),
    "reports": frozenset({"callbacks"}),
    "recursion": frozenset(),
    "float_modes": frozenset(),
    "neighbours": frozenset(),
    "interpreter": frozenset({"dialects", "packages", "callbacks", "reports", "recursion", "float_modes"}),
    "passes": frozenset(
        {
            "dialects",
            "ir",
            "rules",
            "linear_maps",
            "float_modes",
            "pipeline_options",
            "distributed.plan",
        }
    ),
    "runtime": frozenset(),
    "lower": frozenset({"dialects", "ir", "passes", "runtime"}),
    "jit": frozenset({"lower", "packages", "callbacks", "reports", "float_modes", "runtime"}),
    "linear_maps.sparsity": frozenset(
        {"dialects", "ir", "linear_maps", "interpreter", "recursion", "float_modes"}
    ),
    "registry": frozenset({"passes", "lower", "packages"}),
    "stages": frozenset(),
    "pipelines": frozenset(
        {"ir", "jit", "lower", "registry", "stages", "recursion", "float_modes", "pipeline_options"}
    ),
    "disk_cache": frozenset({"dialects", "jit", "lower", "packages"}),
    "compiler": frozenset(
        {
            "dialects",
            "ir",
            "passes",
            "lower",
            "jit",
            "pipelines",
            "pipeline_options",
            "recursion",
            "float_modes",
            "stages",
        }
    ),
    "object_files": frozenset({"jit", "lower", "runtime"}),
    "distributed.plan": frozenset(),
    "distributed": frozenset(
        {
            "dialects",
            "ir",
            "passes",
            "lower",
            "jit",
            "packages",
            "pipelines",
            "compiler",
            "disk_cache",
            "frontend",
            "distributed.plan",
        }
    ),
    "frontend": frozenset(
        {
            "object_files",
            "dialects",
            "ir",
            "rules",
            "linear_maps",
            "interpreter",
            "passes",
            "lower",
            "jit",
            "linear_maps.sparsity",
            "registry",
            "pipelines",
            "pipeline_options",
            "packages",
            "compiler",
            "disk_cache",
            "callbacks",
            "reports",
            "recursion",
            "float_modes",
            "neighbours",
        }
    ),
    "random": frozenset({"dialects", "frontend", "neighbours", "packages"}),
    "numpy": frozenset({"frontend"}),
    "optimize": frozenset({"frontend", "neighbours"}),
    "scipy": frozenset({"frontend", "neighbours"}),
    "bridges": frozenset({"dialects", "ir", "passes", "lower", "frontend"}),
    "tree": frozenset({"frontend", "neighbours"}),
    "tools": frozenset(
        {
            "object_files",
            "dialects",
            "ir",
            "rules",
            "linear_maps",
            "interpreter",
            "passes",
            "lower",
            "jit",
            "linear_maps.sparsity",
            "registry",
            "pipelines",
            "pipeline_options",
            "compiler",
            "disk_cache",
            "frontend",
            "recursion",
            "reports",
            "float_modes",
        }
    ),
    "explorer": frozenset(
        {
            "dialects",
            "ir",
            "lower",
            "jit",
            "pipelines",
            "pipeline_options",
            "compiler",
            "disk_cache",
            "frontend",
            "recursion",
            "tools",
        }
    ),
    "universe": frozenset({"dialects", "packages", "registry", "pipelines"}),
}
"""The packages that each package may import, besides itself and the files of `EVERYWHERE`."""

EVERYWHERE = ("lazy_dataclass", "errors")
"""The modules that every package may import."""

FRONTEND: dict[str, frozenset[str]] = {
    "splicing": frozenset(),
    "tracing": frozenset({"splicing"}),
    "rewriting": frozenset({"tracing"}),
    "indexing": frozenset({"tracing"}),
    "compiling": frozenset({"tracing"}),
    "constructs": frozenset({"tracing", "compiling"}),
    "numpy_functions": frozenset({"splicing", "tracing", "indexing", "constructs"}),
    "complex_numbers": frozenset({"tracing", "indexing", "numpy_functions"}),
    "control_flow": frozenset({"tracing", "indexing", "rewriting", "constructs", "numpy_functions"}),
    "linear_map": frozenset({"tracing", "compiling", "constructs"}),
    "differentiation": frozenset({"tracing", "compiling", "constructs", "linear_map"}),
    "sparse": frozenset({"tracing", "compiling", "linear_map", "differentiation"}),
    "solvers": frozenset({"tracing", "compiling", "constructs", "linear_map", "differentiation"}),
    "sparse_matrices": frozenset({"splicing", "tracing", "constructs", "solvers"}),
}
"""The packages of the frontend that each of them may import. The files beside the rooms may import all."""

MOST_ARROWS = 39
"""The number of pairs of packages in one folder that may import each other."""

NUMPY_FUNCTIONS: dict[str, frozenset[str]] = {
    "meanings": frozenset(),
    "writes": frozenset({"meanings"}),
    "calls": frozenset({"writes"}),
    "arrays": frozenset({"meanings", "writes", "calls"}),
    "reductions": frozenset({"calls", "arrays"}),
    "linear_algebra": frozenset({"calls", "arrays", "reductions"}),
    "signals": frozenset({"calls"}),
    "scipy_functions": frozenset({"meanings", "calls", "reductions", "linear_algebra", "signals"}),
    "protocols": frozenset(
        {
            "meanings",
            "writes",
            "calls",
            "arrays",
            "reductions",
            "linear_algebra",
            "signals",
            "scipy_functions",
        }
    ),
}
"""The same of the rooms inside of `frontend/numpy_functions`."""

LOWER: dict[str, frozenset[str]] = {
    "llvm": frozenset({"large_sizes", "native_program"}),
    "kernels": frozenset({"large_sizes", "native_program", "machine"}),
    "bodies": frozenset({"large_sizes", "native_program", "machine", "llvm", "kernels"}),
    "cpu": frozenset({"large_sizes", "native_program", "machine", "llvm", "kernels", "bodies"}),
}
"""The same of the rooms inside of `lower`, with the files beside them."""

MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
FILES = [path for path in MODULES.values() if path.parent != PACKAGE or path.stem in ROOMS]


def room_of(path: Path) -> str:
    """The room of a file of the package."""
    return room_in(path.relative_to(PACKAGE).with_suffix("").parts)


def room_in(parts: Sequence[str]) -> str:
    """The room of a module, given as what its name has after `mlirad`: the innermost that is listed."""
    inner = ".".join(parts[:2])
    return inner if inner in ROOMS else parts[0]


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def imported(path: Path) -> tuple[tuple[int, str], ...]:
    """Every name that a file imports or, of the package, names in a string, with its line."""
    return tuple(_imported(parsed(path)))


def _imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are written in full"
            assert node.module is not None
            for alias in node.names:
                yield node.lineno, f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Constant) and "." in str(node.value) and node.value in MODULES:
            yield node.lineno, str(node.value)


def modules_of(path: Path) -> set[str]:
    """The modules of the package that a file imports."""
    names = {name if name in MODULES else name.rpartition(".")[0] for _, name in imported(path)}
    return {name for name in names if name in MODULES and MODULES[name] != path}


def test_every_part_of_the_package_is_a_room() -> None:
    parts = {
        path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert parts - {"__init__", *EVERYWHERE} <= set(ROOMS)


def test_the_map_of_the_code_says_so() -> None:
    page = (PACKAGE.parent / "docs" / "internals.md").read_text()
    section = page.partition("\n## Packages\n")[2].partition("\n#")[0]
    told: dict[str, set[str]] = {}
    for room, cell in re.findall(r"^\| `(\S+)` \| .* \| ([^|]*)\|$", section.replace("/", "."), re.M):
        named = set(re.findall(r"`([^`]+)`", cell))
        told[room] = set(ROOMS) - {room} - named if cell.startswith("all but") else named
    assert told == ROOMS


@pytest.mark.parametrize(
    ("package", "rooms"),
    [("frontend", FRONTEND), ("frontend/numpy_functions", NUMPY_FUNCTIONS), ("lower", LOWER)],
)
def test_heads_of_packages_say_so(package: str, rooms: dict[str, frozenset[str]]) -> None:
    """The list of packages in the head has an item for each: "- `name`: contract. Imports `others`."."""
    head = ast.get_docstring(parsed(PACKAGE / package / "__init__.py"))
    assert head is not None
    items = re.search(r"^Packages, and what each may import[^\n]*:\n\n(.*?)\n\n", head, re.M | re.S)
    assert items is not None
    told: dict[str, set[str]] = {}
    for item in re.split(r"^- ", items[1], flags=re.M)[1:]:
        matched = re.fullmatch(r"`(\w+)`: .* Imports (none|`\w+`(?:, `\w+`)*)\.", " ".join(item.split()))
        assert matched is not None, item
        told[matched[1]] = set(re.findall(r"`(\w+)`", matched[2]))
    assert told == rooms


def test_imports_go_upwards() -> None:
    wrong = [
        f"{path}:{line}: {room_of(path)} may not import {name}"
        for path in FILES
        for line, name in imported(path)
        if name.startswith("mlirad.")
        and room_in(name.split(".")[1:]) not in ROOMS[room_of(path)] | {room_of(path), *EVERYWHERE}
    ]
    assert not wrong, "\n".join(wrong)


def test_no_module_imports_itself_by_way_of_others() -> None:
    try:
        TopologicalSorter({module: modules_of(path) for module, path in MODULES.items()}).prepare()
    except CycleError as error:
        raise AssertionError(" imports ".join(reversed(error.args[1]))) from None


def test_nobody_imports_the_package_as_a_whole() -> None:
    wrong = [
        f"{path}:{line}"
        for path in MODULES.values()
        for line, name in imported(path)
        if name == "mlirad" or (name.rpartition(".")[0] == "mlirad" and name not in MODULES)
    ]
    assert not wrong, f"import mlirad: {wrong}"


@pytest.mark.parametrize(
    ("folder", "table"),
    [("frontend", FRONTEND), ("frontend.numpy_functions", NUMPY_FUNCTIONS), ("lower", LOWER)],
)
def test_imports_between_the_rooms_of(folder: str, table: dict[str, frozenset[str]]) -> None:
    prefix = f"mlirad.{folder}."
    inside = PACKAGE.joinpath(*folder.split("."))
    rooms = {path.name for path in inside.iterdir() if (path / "__init__.py").exists()}
    assert rooms == set(table)

    def place(module: str) -> str:
        return module.removeprefix(prefix).split(".")[0]

    arrows = {
        (place(module), place(other)): f"{module} imports {other}"
        for module, path in MODULES.items()
        if module.startswith(prefix) and place(module) in rooms
        for other in modules_of(path)
        if other.startswith(prefix) and place(other) != place(module)
    }
    wrong = [text for (room, other), text in arrows.items() if other not in table[room]]
    assert not wrong, "\n".join(wrong)
    assert len(arrows) <= MOST_ARROWS
    TopologicalSorter(table).prepare()


def test_code_generation_is_reached_through_jit_alone() -> None:
    outside = [path for path in FILES if room_of(path) != "jit"]
    wrong = [
        str(path)
        for path in outside
        if any(name.split(".")[0] == "llvmlite" for _, name in imported(path))
        or 'import_module("llvmlite' in path.read_text()
    ]
    assert not wrong, f"import llvmlite: {wrong}"


def test_emission_decides_nothing() -> None:
    """It knows neither the width of vectors nor what anything costs: schedules state what follows from these.

    It counts instructions for reports, and asks for memory line by line.
    """
    cpu, machine = "mlirad.lower.cpu.", "mlirad.lower.machine."
    known = {machine + name for name in ("instructions_of", "LINE_BYTES", "MOST_FETCHED")}
    emission = [path for path in FILES if path.is_relative_to(PACKAGE / "lower" / "cpu" / "emit")]
    deciding = (machine, f"{cpu}schedule_kernels", f"{cpu}complete_schedules")
    decided = [
        f"{path.name}: {name}"
        for path in emission
        for _, name in imported(path)
        if name.startswith(deciding) and name not in known
    ]
    assert emission and not decided, decided
    assert not [path.name for path in emission if "vector_bytes" in path.read_text()]


def test_passes_are_run_in_one_place() -> None:
    """Who shows or uses a stage of a program watches that run, or lets it stop earlier.

    `pipelines.py` itself runs passes in one that expands what is inside of a derivative.
    """
    callers = [
        str(path.relative_to(PACKAGE))
        for path in sorted(PACKAGE.rglob("*.py"))
        if "run_passes" in path.read_text()
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and "run_passes" in ast.unparse(node.func)
    ]
    assert callers == ["compiler.py", "pipelines.py"]


def test_order_is_decided_in_one_place() -> None:
    """No other file applies a pass by its class, or lists passes."""
    appliers = [
        f"{path}:{node.lineno}"
        for path in FILES
        if "Pass" in path.read_text()
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Attribute)
        and node.attr in ("apply", "transform")
        and re.search(r"\b[A-Z]\w*Pass(\(.*\))?$|^load_pass\(", ast.unparse(node.value))
    ]
    assert not appliers, f"apply passes by hand: {appliers}"
    listing = [
        f"{path}:{node.lineno}"
        for path in FILES
        if str(path.relative_to(PACKAGE)) != "pipelines.py"
        for node in ast.walk(parsed(path))
        if len(_passes_listed(node)) > 1
    ]
    assert not listing, f"list passes: {listing}"


def _passes_listed(node: ast.AST) -> list[str]:
    """The names of passes in a sequence of texts, or between commas in one text that is not documentation."""
    if isinstance(node, ast.Tuple | ast.List):
        texts = [e.value for e in node.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)]
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" not in node.value:
        texts = node.value.split(",")
    else:
        return []
    return [text for text in texts if text.partition("{")[0].strip() in PASS_MODULES]


def test_passes_ask_for_what_an_op_reads() -> None:
    """An op with regions also reads what they capture: `free_values(op)` has both, `.operands` has not.

    Where the operands in the op's own order are meant, `own_operands(op)` says so.
    """
    wrong = [
        f"{path}:{node.lineno}"
        for path in FILES
        if room_of(path) == "passes"
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Attribute) and node.attr in ("operands", "_operands", "operand_types")
    ]
    assert not wrong, f"use free_values or own_operands of mlirad.ir.free_values: {wrong}"
