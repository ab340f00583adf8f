"""The modules that `import mlirad` and its first uses import: every process pays for them."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "mlirad"

FOREIGN = ("scipy", "llvmlite")
"""Packages that are imported where something of them is called for, never at the top of a file."""

COMPILER = (
    "mlirad.compiler",
    "mlirad.interpreter",
    "mlirad.linear_maps",
    "mlirad.lower.cpu.emit",
    "mlirad.lower.llvm.text",
    "mlirad.passes",
    "mlirad.pipelines",
    "mlirad.registry",
    "mlirad.rules",
    "mlirad.tools",
)
"""The modules that compile and interpret: a program that was found on the disk does without."""

SCRIPT = """
import json, sys
{}
print(json.dumps(sorted(sys.modules)))
"""

GRADIENT = """
import numpy as np
import mlirad as ad
ad.grad(lambda x, w: np.sum(np.array([np.tanh(w @ x), x]) * x))(np.ones(3), np.ones((3, 3)))
"""
"""A use of what is bound to classes and to NumPy's names, which has to be there without any other import."""


def modules_after(code: str, **variables: str) -> set[str]:
    """The modules that a process has imported after some code."""
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(code)],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return set(json.loads(run.stdout))


def within(modules: Iterable[str], packages: Iterable[str]) -> list[str]:
    """Those of the modules that are in one of the packages, or are it."""
    return [m for m in modules if any(m == p or m.startswith(f"{p}.") for p in packages)]


def imports_at_the_top(body: Iterable[ast.stmt]) -> Iterator[str]:
    """The modules that a file imports when it is itself imported."""
    for statement in body:
        match statement:
            case ast.Import():
                yield from (alias.name for alias in statement.names)
            case ast.ImportFrom():
                yield statement.module or ""
            case ast.If() if "TYPE_CHECKING" not in ast.unparse(statement.test):
                yield from imports_at_the_top([*statement.body, *statement.orelse])
            case ast.Try():
                yield from imports_at_the_top(statement.body)
            case _:
                pass


def test_no_file_imports_scipy_or_llvmlite_at_its_top() -> None:
    # A class that has one of SciPy's as its base is in a file of its own, imported where it is made.
    classes = {"frontend/linear_map/linear_operators.py"}
    offenders = [
        f"{path}: {found}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.relative_to(PACKAGE).as_posix() not in classes
        for found in within(imports_at_the_top(ast.parse(path.read_text()).body), FOREIGN)
    ]
    assert not offenders, f"import them by mlirad/packages.py, in functions: {offenders}"


def test_importing_the_package_imports_what_its_errors_need() -> None:
    modules = modules_after("import mlirad")
    assert not within(modules, ("xdsl", *FOREIGN))
    assert len(within(modules, ["mlirad"])) <= 8


def test_the_interface_comes_without_the_compiler() -> None:
    modules = modules_after("import mlirad as ad\nad.build")
    assert not within(modules, (*COMPILER, *FOREIGN))
    assert len(modules) <= 692


def test_the_transformations_come_without_the_tracer() -> None:
    modules = modules_after("import mlirad as ad\nad.grad(lambda x: x * x, check_nans=True)")
    assert not within(modules, ("xdsl", "mlirad.frontend.tracing.frames", *COMPILER, *FOREIGN))
    assert len(modules) <= 420


@pytest.mark.skipif(sys.platform == "win32", reason="the folder of a cache has to belong to the user alone")
def test_a_program_on_the_disk_is_run_without_the_compiler(tmp_path: Path) -> None:
    first = modules_after(GRADIENT, MLIRAD_CACHE=str(tmp_path))
    kept = set(tmp_path.iterdir())
    second = modules_after(GRADIENT, MLIRAD_CACHE=str(tmp_path))
    assert kept == set(tmp_path.iterdir()), "what the second process makes has the addresses of that process"
    assert within(first, ["mlirad.passes"])
    assert not within(second, ("xdsl", "mlirad.frontend.tracing.frames", *COMPILER, "scipy"))
    assert len(second) <= 600
    moved = modules_after("\n" + GRADIENT, MLIRAD_CACHE=str(tmp_path))  # on other lines, so it is traced
    assert within(moved, ["xdsl"])
    assert not within(moved, (*COMPILER, "scipy"))


def test_a_normal_draw_comes_without_scipy(tmp_path: Path) -> None:
    code = "from mlirad import random\nrandom.normal(random.key(0), (3,))"
    assert not within(modules_after(code, MLIRAD_CACHE=str(tmp_path)), ["scipy"])


UNUSED = (
    "mlirad.frontend.numpy_functions.scipy_functions",
    "mlirad.interpreter",
    "mlirad.linear_maps.laws",
    "mlirad.lower.cpu.emit.factorisations",
    "mlirad.lower.cpu.emit.scatter",
    "mlirad.lower.cpu.emit.sort",
    "mlirad.lower.cpu.emit.transforms",
    "mlirad.neighbours",
    "mlirad.passes.chad",
    "mlirad.passes.eliminate_functions.flow",
    "mlirad.passes.jacobian",
    "mlirad.passes.outline_derivatives.derived",
    "mlirad.passes.simplify_maps",
    "mlirad.passes.spectral_functions.reading",
    "mlirad.rules.special_derivatives",
)
"""The modules that a program needs only if it has the op, or the method, that they are for."""


def test_a_small_program_is_compiled_without_what_it_does_not_have() -> None:
    modules = modules_after("import mlirad as ad\nad.grad(lambda x: x * x)(2.0)", MLIRAD_CACHE="off")
    assert not within(modules, (*UNUSED, "scipy", "numpy.random"))
    assert len(within(modules, ["mlirad"])) <= 650
    paths = [PACKAGE.parent.joinpath(*name.split(".")) for name in UNUSED]
    assert all(path.is_dir() or path.with_suffix(".py").is_file() for path in paths)


def test_every_public_name_can_be_had_in_any_order() -> None:
    modules_after("""
import mlirad.jit.engine
import mlirad as ad
assert callable(ad.jit)
assert all(hasattr(ad, name) for name in ("demo", *ad.__all__))
assert set(ad.__all__) <= set(dir(ad))
""")


def test_collections_pass_by_what_was_imported() -> None:
    modules_after("""
import gc
import mlirad as ad
ad.build
from mlirad.packages import KEPT_BY_PYTHON
assert gc.isenabled() and gc.get_freeze_count() < KEPT_BY_PYTHON
assert len(gc.get_objects(generation=0)) < 5_000 < len(gc.get_objects(generation=2))
""")
    modules_after("""
import gc
gc.disable()
gc.freeze()
import mlirad as ad
ad.build
from mlirad.packages import KEPT_BY_PYTHON
assert not gc.isenabled() and gc.get_freeze_count() > 2 * KEPT_BY_PYTHON
""")
