"""Traces that another process made: never stale, the same bits, and without xDSL."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mlirad.disk_cache import store
from mlirad.disk_cache.folder import Folder
from tests.generators.changed_programs import PARTS, program, random_change

ROOT = Path(__file__).parents[2]

DRIVER = """
import builtins, contextlib, importlib, json, math, sys, warnings
import numpy as np
import mlirad as ad
from mlirad.frontend import interface  # while NumPy is as it was made
from mlirad.frontend.compiling.recall import TracePlace

np.core_sin, np.core_sqrt, np.core_abs = np.sin, math.sqrt, abs
sys.path.insert(0, {folder!r})
x = np.array([0.5, 1.25, 2.0])
found, places = [], []
find = TracePlace.find

def noting(place):
    places.append(place)
    result = find(place)
    found.append(result is not None)
    return result

TracePlace.find = noting
outcomes = {{}}
for number in range({count}):
    module = importlib.import_module(f"program_{{number}}")
    module.setup()
    try:
        found.clear()
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = lambda *args: None
            got = ad.grad(module.f)(x)
            is_found = any(found)
            witness = ad.grad(module.f, interpret=True)(x) if {compares} else got
        outcomes[number] = (got.tobytes().hex(), is_found, bool(np.allclose(got, witness, rtol=1e-12)))
    finally:
        module.teardown()
print(json.dumps(outcomes))
"""
"""Calls the gradient of every program, and the interpreter's of the same function."""


def run(code: str, cache: Path, **variables: str) -> str:
    """The output of a process that keeps its programs in a folder."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"MLIRAD_CACHE": str(cache), "PYTHONPATH": str(ROOT)} | variables,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def outcomes(
    folder: Path, programs: list[tuple[list[str], list[str]]], *, compares: bool
) -> list[tuple[str, bool, bool]]:
    """The bits of each program's gradient, whether its trace was found, and whether it is right."""
    for number, (names, values) in enumerate(programs):
        for name, text in program(names, values, number, str(folder)).items():
            (folder / name).write_text(text)
            (folder / name).touch()
    code = DRIVER.format(folder=str(folder), count=len(programs), compares=compares)
    found = json.loads(run(code, folder / "cache", PYTHONDONTWRITEBYTECODE="1"))
    return [tuple(found[str(number)]) for number in range(len(programs))]


def require_fresh(folder: Path, changes: list[tuple[list[str], list[str], list[str]]]) -> None:
    """Run programs twice, and changed ones after that: each gives what it says, and the same bits."""
    before = [(names, values) for names, values, _ in changes]
    after = [(names, values) for names, _, values in changes]
    first = outcomes(folder, before, compares=True)
    second = outcomes(folder, before, compares=False)
    third = outcomes(folder, after, compares=True)
    for number, (names, _, _) in enumerate(changes):
        assert first[number][2] and third[number][2], f"stale: {names}"
        assert first[number][0] == second[number][0], f"other bits: {names}"
        can_be = all(PARTS[name].is_recalled for name in names)
        assert second[number][1] == can_be, f"traced again {not can_be}: {names}"


@pytest.mark.long
def test_what_decides_a_trace_is_never_stale(tmp_path: Path) -> None:
    require_fresh(tmp_path, [([name], ["2.0"], ["3.0"]) for name in PARTS])


@pytest.mark.parametrize("case", range(5))
def test_random_changes_are_never_stale(case: int, tmp_path: Path) -> None:
    rng = random.Random(0)
    changes = [random_change(rng) for _ in range(20)]
    require_fresh(tmp_path, changes[4 * case : 4 * case + 4])


PROGRAM = """
import sys
import numpy as np
import mlirad as ad

def loss(params, x, by=2.0):
    hidden = np.tanh(x @ params["w"] + params["b"])
    return by * np.sum(hidden**2), {{"hidden": hidden, "kind": "tanh", "none": None, "pair": (x[0], [by])}}

params = {{"w": np.linspace(-1.0, 1.0, 6).reshape(3, 2), "b": np.array([0.5, -0.5])}}
x = np.linspace(0.0, 1.0, 12).reshape(4, 3)
{before}
result = {call}
traced = "xdsl" in sys.modules
print(repr(result), "traced" if traced else "recalled")
"""
"""Prints the result of a call, and whether it was traced: whether xDSL was imported."""

GRADIENT = "ad.value_and_grad(loss, has_aux=True)(params, x)"


def said(cache: Path, call: str = GRADIENT, before: str = "", **variables: str) -> tuple[str, str]:
    """The result of a call as text, and whether it was traced or recalled."""
    file = cache.parent / "model.py"
    file.write_text(PROGRAM.format(call=call, before=before))
    code = f"import runpy; runpy.run_path({str(file)!r}, run_name='__main__')"
    result, _, how = run(code, cache, **variables).strip().rpartition(" ")
    return result, how


CALLS = [
    GRADIENT,
    "ad.grad(loss, argnums=(0, 1), has_aux=True)(params, x)",
    "ad.jit(loss)(params, x=x, by=3)",
    "ad.jit(loss)(params, x, np.float32(3))",
    "ad.jit(loss, static_argnames='by')(params, x, by=3.0)",
    "ad.jit(lambda z: z * 2j)(np.ones(3) * 1j)",
    "ad.vmap(lambda v, w: v @ w['w'], in_axes=(0, None))(x, params)",
    "ad.hessian(lambda v: np.sum(np.sin(v) ** 2))(x[0])",
    "ad.jvp(lambda v: v**3, (x,), (x,))",
    "ad.jit(lambda a: a + 1, donate='a')(np.ones(4))",
    "ad.jit(lambda a: (a, 'text', None))(1.0)",
]


@pytest.mark.parametrize("call", CALLS)
def test_a_call_is_recalled_without_xdsl(call: str, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first, second = said(cache, call), said(cache, call)
    assert first == (second[0], "traced")
    assert second[1] == "recalled"


@pytest.mark.long
def test_what_is_around_a_program_is_in_the_key(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    result, _ = said(cache)
    assert said(cache) == (result, "recalled")
    assert said(cache, MLIRAD_TARGET_FEATURES="baseline")[1] == "traced"
    assert said(cache, before="np.__version__ = '9.9'")[1] == "traced"
    assert said(cache, before="np.seterr(over='raise')")[1] == "traced"
    assert said(cache, PYTHONOPTIMIZE="1")[1] == "traced"
    assert said(cache, MLIRAD_CACHE="off") == (result, "traced")
    for option in (
        "check_nans=True",
        "check_absorbed=True",
        "control='rewrite'",
        "chunk=1",
        "method='jacobian'",
    ):
        assert said(cache, GRADIENT.replace("True)", f"True, {option})"))[1] == "traced", option
    assert said(cache, GRADIENT.replace("True)", "True, threads=2, timeout=9.0)"))[1] == "recalled"
    assert said(cache) == (result, "recalled")


BROKEN: list[Callable[[bytes], bytes]] = [
    lambda whole: whole[:60] + b"X" + whole[61:],
    lambda whole: b"",
    lambda whole: whole[:-1],
    lambda whole: whole[: len(whole) // 2],
    lambda whole: b"foreign",
]


@pytest.mark.parametrize("case", BROKEN)
def test_files_that_are_not_what_was_written_are_passed_over(
    case: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    result, _ = said(cache)

    def entries(*, traces: bool) -> list[Path]:
        found = store.entries(Folder(str(cache), is_named=True, limit=1 << 20))
        return [Path(entry.path) for entry in found if entry.is_trace == traces]

    (trace,) = entries(traces=True)
    whole = trace.read_bytes()
    program = next(entry for entry in entries(traces=False) if entry.stem.encode() in whole)
    trace.write_bytes(case(whole))
    assert said(cache) == (result, "traced")
    trace.chmod(0o666)  # others could have written it
    assert said(cache)[1] == "traced"
    trace.chmod(0o600)
    program.unlink()
    assert said(cache) == (result, "traced")
    assert said(cache) == (result, "recalled")
    program.write_bytes(program.read_bytes()[:-1])
    assert said(cache) == (result, "traced")


def test_a_file_under_the_key_of_another_is_passed_over(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    double, triple = "ad.jit(lambda v: 2 * v)(x)", "ad.jit(lambda v: 3 * v)(x)"
    results = {call: said(cache, call)[0] for call in (double, triple)}
    one, other = (path for path in cache.iterdir() if path.suffix == ".trace")
    contents = one.read_bytes(), other.read_bytes()
    one.write_bytes(contents[1])
    other.write_bytes(contents[0])
    for call, result in results.items():
        assert said(cache, call) == (result, "traced")
