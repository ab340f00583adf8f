"""Programs for all large sizes: one text for all of them, against the interpreter and under guard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.builtin import ModuleOp

from mlirad.compiler import compile_large, compile_module, transform
from mlirad.interpreter import run_function
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from mlirad.jit.call import NativeFunction
from mlirad.lower.native_program import NativeProgram, ProgramInterface
from mlirad.pipeline_options import Options
from tests.lower.sized_programs import PROGRAMS, array, function, listed
from tests.lower.test_emit_nest import SCHEDULES

SIZES = (256, 257, 263, 1000)


def drawn(program: ProgramInterface, rng: np.random.Generator) -> list[npt.NDArray[Any]]:
    """Arguments for a program whose sizes are numbers; positions lie inside and outside, of few rows too."""
    found: list[npt.NDArray[Any]] = []
    for spec in program.inputs:
        numbers = 0.25 * rng.standard_normal(spec.shape)
        if spec.dtype == "int64":
            numbers = np.round(4 * numbers * spec.shape[0])
            numbers[::2] = np.round(16 * numbers[::2] / spec.shape[0])
        found.append(numbers.astype(spec.dtype))
    return found


def compiled(text: str, start: Any = "arrays", *, checks: bool = True) -> tuple[ModuleOp, NativeProgram]:
    """A program and its code for all large sizes."""
    module = parse_module(text)
    verify_module(module)
    options = Options(start=start, large=True)
    made = compile_module(module.clone(), options, address_checks=checks, flush_subnormals=False).program
    assert made.sizes == ("n",)
    return module, made


@pytest.mark.parametrize("case", PROGRAMS)
def test_one_program_for_all_sizes(case: str) -> None:
    module, program = compiled(PROGRAMS[case])
    rng = np.random.default_rng(0)
    for n in SIZES:
        bound = program.bound({"n": n})
        assert bound.llvm == program.llvm
        arguments = drawn(bound, rng)
        got = NativeFunction(bound, debug=True)(*arguments)
        for one, other in zip(got, run_function(module, arguments), strict=True):
            tolerance = 1e-5 if np.asarray(other).dtype == np.float32 else 1e-11
            np.testing.assert_allclose(np.asarray(one), other, rtol=tolerance, atol=tolerance)


def test_kinds_of_kernels() -> None:
    """The programs above have every kind of kernel whose extents may have sizes in them."""
    found: set[str] = set()
    for text in PROGRAMS.values():
        module = parse_module(text)
        transform(module, Options(start="arrays", large=True))
        found |= {op.name for op in module.walk()}
    assert {"kernel.nest", "kernel.dot", "kernel.strips", "array.scan"} <= found
    assert {"kernel.scatter", "kernel.cumulative", "kernel.sort"} <= found


def product(dims: Mapping[str, int | str], schedule: str, element: str) -> str:
    """Sums and greatest differences of two matrices with one extent that is a size."""
    n, m, k = dims["n"], dims["m"], dims["k"]
    x, y, z = array(n, k, of=element), array(k, m, of=element), array(n, m, of=element)
    return function(
        {"x": x, "y": y},
        [
            f"%z:2 = kernel.nest %x, %y (%i, %j, %r) {{space = {listed([n, m])}, reduction = {listed([k])}, "
            f"combiners = [add, max]{schedule}}} : {x}, {y} -> ({z}, {z}) {{",
            f"  %a = kernel.load %x[%i, %r] : {x} -> {element}",
            f"  %b = kernel.load %y[%r, %j] : {y} -> {element}",
            f"  %p = array.mul %a, %b : {element}",
            f"  %q = array.sub %a, %b : {element}",
            f"  array.yield %p, %q : {element}, {element}",
            "}",
        ],
        {"z#0": z, "z#1": z},
    )


DIMENSIONS: Mapping[str, Mapping[str, int | str]] = {
    "rows": {"n": "n", "m": 10, "k": 7},
    "columns": {"n": 3, "m": "n", "k": 33},
    "sums": {"n": 5, "m": 17, "k": "n"},
}


@pytest.mark.parametrize("element", ["f64", "f32"])
@pytest.mark.parametrize("dynamic", DIMENSIONS)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_schedules(schedule: str, dynamic: str, element: str) -> None:
    _, program = compiled(product(DIMENSIONS[dynamic], schedule, element), "kernels")
    rng = np.random.default_rng(0)
    for n in (256, 261):
        bound = program.bound({"n": n})
        x, y = drawn(bound, rng)
        sums, greatest = NativeFunction(bound, debug=True)(x, y)
        tolerance = 1e-12 if element == "f64" else 1e-3
        np.testing.assert_allclose(sums, x @ y, rtol=tolerance, atol=tolerance)
        np.testing.assert_array_equal(greatest, (x[:, :, None] - y[None]).max(1))


@pytest.mark.parametrize("reverse", ["", ", reverse"])
@pytest.mark.parametrize(("space", "iterations"), [("n", 6), (12, "n"), ("n", "n")])
def test_recurrences(space: int | str, iterations: int | str, reverse: str) -> None:
    line, table = array(space), array(iterations, space)
    length = iterations if isinstance(iterations, int) else f"#array.extent<{iterations}>"
    text = function(
        {"x": line, "y": table, "z": array("n")},
        [
            f"%p, %s = kernel.recurrence %x, %y (%i, %k, %u: f64) {{carries = 1, space = {listed([space])}, "
            f"length = {length}{reverse}, lane = 0, width = 8}} : {line}, {table} -> ({line}, {table}) {{",
            f"  %w = kernel.load %y[%k, %i] : {table} -> f64",
            "  %h = array.constant 0.5 : f64",
            "  %a = array.mul %u, %h : f64",
            "  %b = array.add %a, %w : f64",
            "  array.yield %b, %u : f64, f64",
            "}",
        ],
        {"p": line, "s": table},
    )
    _, program = compiled(text, "kernels")
    rng = np.random.default_rng(0)
    for n in (256, 261):
        bound = program.bound({"n": n})
        x, y, z = drawn(bound, rng)
        last, before = NativeFunction(bound, debug=True)(x, y, z)
        carried = x
        for k in range(len(y))[:: -1 if reverse else 1]:
            np.testing.assert_allclose(np.asarray(before)[k], carried, rtol=1e-13)
            carried = 0.5 * carried + y[k]
        np.testing.assert_allclose(last, carried, rtol=1e-13)


def test_what_has_no_code_for_all_sizes() -> None:
    x = array("n", 3, 3)
    module = parse_module(function({"x": x}, [f"%0 = array.cholesky %x : {x} -> {x}"], {"0": x}))
    assert compile_large(module, Options(start="arrays", large=True)) is None


def test_extents_that_may_be_short() -> None:
    short = array("n floordiv 128")
    text = function({"x": array("n"), "y": short}, [f"%0 = array.exp %y : {short}"], {"0": short})
    _, program = compiled(text)
    for n in SIZES:
        y = np.linspace(0.0, 1.0, n // 128)
        (made,) = NativeFunction(program.bound({"n": n}), debug=True)(np.zeros(n), y)
        np.testing.assert_allclose(made, np.exp(y))
