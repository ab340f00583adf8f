"""Programs for all small sizes: vectors wider than extents, and extents that may be 1 or 0, under guard."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from mlirad.compiler import compile_module, transform
from mlirad.dialects.kernel import DotOp
from mlirad.dialects.kernel.strips import StripsOp
from mlirad.interpreter import run_function
from mlirad.ir.parsing import parse_module
from mlirad.jit.call import NativeFunction
from mlirad.lower.native_program import POLL, NativeProgram
from mlirad.pipeline_options import Options
from tests.lower.sized_programs import PROGRAMS, array, function
from tests.lower.test_emit_nest import SCHEDULES
from tests.lower.test_large_sizes import DIMENSIONS, drawn, product

SIZES = (2, 3, 7, 8, 9, 63, 64, 65, 255)

SMALL_N = Options(start="arrays", large=True, small=("n",))


def compiled(text: str, options: Options = SMALL_N) -> NativeProgram:
    """The code of a program for the sizes that options say."""
    module = parse_module(text)
    return compile_module(module, options, address_checks=True, flush_subnormals=False).program


def compare(text: str, program: NativeProgram, sizes: Mapping[str, int]) -> None:
    """Run a program under guard, against the interpreter."""
    bound = program.bound(sizes)
    arguments = drawn(bound, np.random.default_rng(sum(sizes.values())))
    got = NativeFunction(bound, debug=True)(*arguments)
    for one, other in zip(got, run_function(parse_module(text), arguments), strict=True):
        tolerance = 1e-5 if np.asarray(other).dtype == np.float32 else 1e-11
        np.testing.assert_allclose(np.asarray(one), other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("case", PROGRAMS)
def test_one_program_for_all_sizes(case: str) -> None:
    program = compiled(PROGRAMS[case])
    for n in SIZES:
        compare(PROGRAMS[case], program, {"n": n})


X = array("n")
LESS = array("n - 2")

POSSIBLY_EMPTY: Mapping[str, str] = {
    "a sum": function(
        {"x": LESS, "y": X},
        [
            f"%0 = array.sum %x {{dims = [0]}} : {LESS} -> f64",
            "%1 = array.constant 1.0 : f64",
            "%2 = array.div %1, %0 : f64",
            f"%3 = array.exp %x : {LESS}",
        ],
        {"2": "f64", "3": LESS},
    ),
    "sums in memory": function(
        {"x": array("n - 2", 40), "y": X},
        [f"%0 = array.sum %x {{dims = [0]}} : {array('n - 2', 40)} -> {array(40)}"],
        {"0": array(40)},
    ),
    "joined": function(
        {"x": X, "y": LESS},
        [f"%0 = array.concatenate %y, %x, %y {{dim = 0}} : {LESS}, {X}, {LESS} -> {array('3 * n - 4')}"],
        {"0": array("3 * n - 4")},
    ),
    "a loop": function(
        {"h": array(5, 5), "y": X},
        [
            f"%last, %all = array.scan %h (%i, %c: {array(5, 5)}) {{carries = 1, "
            f"length = #array.extent<n - 2>}} : {array(5, 5)} -> ({array(5, 5)}, {array('n - 2', 5, 5)}) {{",
            f"  %t = array.transpose %c {{permutation = [1, 0]}} : {array(5, 5)} -> {array(5, 5)}",
            f"  %s = array.sin %t : {array(5, 5)}",
            f"  array.yield %s, %c : {array(5, 5)}, {array(5, 5)}",
            "}",
        ],
        {"last": array(5, 5), "all": array("n - 2", 5, 5)},
    ),
    "one and none": function(
        {"x": array("n floordiv 2"), "y": array("n floordiv 3", 3), "z": X},
        [
            f"%0 = array.exp %x : {array('n floordiv 2')}",
            f"%1 = array.reshape %y : {array('n floordiv 3', 3)} -> {array('3 * (n floordiv 3)')}",
            f"%2 = array.exp %1 : {array('3 * (n floordiv 3)')}",
        ],
        {"0": array("n floordiv 2"), "2": array("3 * (n floordiv 3)")},
    ),
}


@pytest.mark.parametrize("case", POSSIBLY_EMPTY)
def test_extents_that_may_be_single_or_empty(case: str) -> None:
    text = POSSIBLY_EMPTY[case]
    program = compiled(text)
    for n in (2, 3, 4, 5, 6, 19):
        with np.errstate(divide="ignore"):
            compare(text, program, {"n": n})


@pytest.mark.parametrize("element", ["f64", "f32"])
@pytest.mark.parametrize("dynamic", DIMENSIONS)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_schedules(schedule: str, dynamic: str, element: str) -> None:
    options = Options(start="kernels", large=True, small=("n",))
    program = compiled(product(DIMENSIONS[dynamic], schedule, element), options)
    rng = np.random.default_rng(0)
    for n in (2, 5, 9):
        bound = program.bound({"n": n})
        x, y = drawn(bound, rng)
        sums, maxima = NativeFunction(bound, debug=True)(x, y)
        tolerance = 1e-12 if element == "f64" else 1e-4
        np.testing.assert_allclose(sums, x @ y, rtol=tolerance, atol=tolerance)
        np.testing.assert_array_equal(maxima, (x[:, :, None] - y[None]).max(1))


PAIRS = function(
    {"x": X, "y": array("m", 3)},
    [
        f"%0 = array.broadcast %x {{dims = [0]}} : {X} -> {array('n', 'm', 3)}",
        f"%1 = array.broadcast %y {{dims = [1, 2]}} : {array('m', 3)} -> {array('n', 'm', 3)}",
        f"%2 = array.mul %0, %1 : {array('n', 'm', 3)}",
        f"%3 = array.sum %2 {{dims = [1]}} : {array('n', 'm', 3)} -> {array('n', 3)}",
        f"%4 = array.sum %2 {{dims = [0, 2]}} : {array('n', 'm', 3)} -> {array('m')}",
    ],
    {"3": array("n", 3), "4": array("m")},
).replace('["n"]', '["n", "m"]')


@pytest.mark.parametrize("small", [(), ("n",), ("m",), ("m", "n")])
def test_each_of_two_sizes_is_small_or_large(small: tuple[str, ...]) -> None:
    program = compiled(PAIRS, Options(start="arrays", large=True, small=small))
    for n in (2, 9, 255) if "n" in small else (256, 261):
        for m in (2, 7, 64) if "m" in small else (256, 300):
            compare(PAIRS, program, {"n": n, "m": m})


def kernels_of(text: str, options: Options) -> list[str]:
    module = parse_module(text)
    transform(module, options)
    return [op.name for op in module.walk()]


def test_few_rows_make_no_strips_and_no_calls_of_blas() -> None:
    wide = array("n", 40_000)
    text = function(
        {"x": wide},
        [
            f"%0 = array.exp %x : {wide}",
            f"%1 = array.sum %0 {{dims = [1]}} : {wide} -> {X}",
            f"%2 = array.broadcast %1 {{dims = [0]}} : {X} -> {wide}",
            f"%3 = array.div %0, %2 : {wide}",
        ],
        {"3": wide},
    )
    for program, kernel in ((text, StripsOp), (PROGRAMS["products by BLAS"], DotOp)):
        assert kernel.name in kernels_of(program, Options(start="arrays", large=True))
        assert kernel.name not in kernels_of(program, SMALL_N)


def test_loops_of_few_iterations_do_not_poll() -> None:
    """A loop over rows inside of a static one: at no small size does it run for long."""
    assert f"@{POLL}" not in compiled(PROGRAMS["products"]).llvm
