"""Kernel formation keeps the meaning of programs and forms the kernels one expects."""

from __future__ import annotations

import random

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

import mlirad as ad
from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.array.elementwise import MulOp
from mlirad.dialects.kernel import DotOp, LoadIfOp, LoadOp, NestOp, ScatterOp
from mlirad.interpreter import run_function
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from mlirad.lower.kernels.form_kernels import form_kernels
from mlirad.lower.kernels.form_kernels.materialise import MAX_LENGTH
from mlirad.lower.kernels.form_kernels.positions import equal_groups
from mlirad.passes.function_pass import transform_functions
from tests.generators import arguments_for, random_program


def formed(text: str) -> tuple[ModuleOp, ModuleOp]:
    """A program as written and as kernels."""
    source, kernels = parse_module(text), parse_module(text)
    transform_functions(kernels, form_kernels)
    verify_module(kernels)
    return source, kernels


def agree(text: str, *arguments: npt.ArrayLike) -> ModuleOp:
    """Require both to compute the same; returns the kernels."""
    source, kernels = formed(text)
    expected = run_function(source, [np.asarray(a) for a in arguments])
    found = run_function(kernels, [np.asarray(a) for a in arguments])
    for x, y in zip(expected, found, strict=True):
        np.testing.assert_allclose(y, x, rtol=1e-13)
    return kernels


def count(around: Operation, *classes: type) -> int:
    return sum(isinstance(op, classes) for op in around.walk())


def test_an_elementwise_chain_is_one_kernel() -> None:
    kernels = agree(
        """
        func.func @main(%x: tensor<5xf64>, %y: tensor<5xf64>) -> f64 {
          %0 = array.mul %x, %y : tensor<5xf64>
          %1 = array.sin %0 : tensor<5xf64>
          %2 = array.sum %1 {dims = [0]} : tensor<5xf64> -> f64
          func.return %2 : f64
        }""",
        np.arange(5.0),
        np.ones(5),
    )
    assert count(kernels, NestOp) == 1


def test_a_costly_value_read_twice_is_stored_once() -> None:
    kernels = agree(
        """
        func.func @main(%x: tensor<4x3xf64>) -> (f64, f64) {
          %0 = array.exp %x : tensor<4x3xf64>
          %1 = array.sum %0 {dims = [0, 1]} : tensor<4x3xf64> -> f64
          %2 = array.reduce max %0 {dims = [0, 1]} : tensor<4x3xf64> -> f64
          func.return %1, %2 : f64, f64
        }""",
        np.random.default_rng(0).normal(size=(4, 3)),
    )
    assert count(kernels, NestOp) == 3


@pytest.mark.parametrize(
    ("rows", "factor", "position", "nests"),
    [
        (900, "%y", "%e", 2),
        (900, "%b", "%e", 1),
        (9, "%y", "%e", 1),
        (900, "%y", "%k", 1),
    ],
    ids=["two-arrays-often", "an-array-and-a-number", "two-arrays-rarely", "in-order"],
)
def test_elements_of_several_arrays_that_are_gathered_often_are_stored(rows, factor, position, nests) -> None:
    """Each gather would load from all of them."""
    kernels = agree(
        f"""
        func.func @main(%x: tensor<100xf64>, %y: tensor<100xf64>, %s: f64, %p: tensor<{rows}xi64>)
            -> tensor<{rows}xf64> {{
          %b = array.broadcast %s {{dims = []}} : f64 -> tensor<100xf64>
          %0 = array.mul %x, {factor} : tensor<100xf64>
          %g = array.gather %0 (%k) : tensor<100xf64> -> tensor<{rows}xf64> {{
            {"" if position == "%k" else f"%e = array.index %p[%k] : tensor<{rows}xi64> -> i64"}
            array.yield {position} : i64
          }}
          func.return %g : tensor<{rows}xf64>
        }}""",
        np.arange(100.0),
        np.linspace(1.0, 2.0, 100),
        0.5,
        np.random.default_rng(0).integers(0, 100, rows),
    )
    assert count(kernels, NestOp) == nests


@pytest.mark.parametrize("kind", ["add", "set"])
def test_an_update_with_joined_rows_goes_through_the_rows(kind: str) -> None:
    """Positions in the rows are those of the loops, not quotients and remainders; the last write wins."""
    kernels = agree(
        f"""
        func.func @main(%x: tensor<7x3xf64>, %p: tensor<21xi64>, %base: tensor<5xf64>) -> tensor<5xf64> {{
          %0 = array.sin %x : tensor<7x3xf64>
          %1 = array.reshape %0 : tensor<7x3xf64> -> tensor<21xf64>
          %u = array.update {kind} %base, %1 (%k) : tensor<5xf64>, tensor<21xf64> -> tensor<5xf64> {{
            %e = array.index %p[%k] : tensor<21xi64> -> i64
            array.yield %e : i64
          }}
          func.return %u : tensor<5xf64>
        }}""",
        np.random.default_rng(0).normal(size=(7, 3)),
        np.random.default_rng(1).integers(0, 5, 21),
        np.arange(5.0),
    )
    (scatter,) = (op for op in kernels.walk() if isinstance(op, ScatterOp))
    assert scatter.extents == (7, 3)
    assert "rem" not in str(kernels)


def test_a_guarded_read_becomes_a_guarded_load_without_clamping() -> None:
    kernels = agree(
        """
        func.func @main(%x: tensor<5xf64>) -> tensor<5xf64> {
          %i = array.iota {dim = 0} : -> tensor<5xi64>
          %one = array.constant 1 : i64
          %ones = array.broadcast %one {dims = []} : i64 -> tensor<5xi64>
          %c = array.compare ge %i, %ones : tensor<5xi64>, tensor<5xi64> -> tensor<5xi1>
          %g = array.gather %x (%k) : tensor<5xf64> -> tensor<5xf64> {
            %o = array.constant 1 : i64
            %p = array.sub %k, %o : i64
            array.yield %p : i64
          }
          %z = array.constant 0.0 : f64
          %zs = array.broadcast %z {dims = []} : f64 -> tensor<5xf64>
          %r = array.select %c, %g, %zs : tensor<5xi1>, tensor<5xf64>, tensor<5xf64> -> tensor<5xf64>
          func.return %r : tensor<5xf64>
        }""",
        np.arange(1.0, 6.0),
    )
    assert count(kernels, LoadIfOp) == 1
    assert "array.max" not in str(kernels)


def test_an_affine_scatter_is_read_and_not_stored() -> None:
    kernels = agree(
        """
        func.func @main(%x: tensor<4xf64>) -> tensor<6xf64> {
          %s = array.scatter %x (%k) : tensor<4xf64> -> tensor<6xf64> {
            %c = array.constant 4 : i64
            %p = array.sub %c, %k : i64
            array.yield %p : i64
          }
          %r = array.mul %s, %s : tensor<6xf64>
          func.return %r : tensor<6xf64>
        }""",
        np.arange(1.0, 5.0),
    )
    assert count(kernels, ScatterOp) == 0


def test_a_scatter_of_one_element_of_each_row_is_read_and_not_stored() -> None:
    kernels = agree(
        """
        func.func @main(%x: tensor<4xf64>, %to: tensor<4xi64>) -> tensor<6x3xf64> {
          %s = array.scatter %x (%k) : tensor<4xf64> -> tensor<6x3xf64> {
            %c = array.constant 4 : i64
            %p = array.sub %c, %k : i64
            %q = array.index %to[%k] : tensor<4xi64> -> i64
            array.yield %p, %q : i64, i64
          }
          %r = array.mul %s, %s : tensor<6x3xf64>
          func.return %r : tensor<6x3xf64>
        }""",
        np.arange(1.0, 5.0),
        np.array([2, -7, 1, 9]),
    )
    assert count(kernels, ScatterOp) == 0


def test_a_colliding_scatter_is_a_kernel_of_its_own() -> None:
    kernels = agree(
        """
        func.func @main(%x: tensor<6xf64>) -> tensor<3xf64> {
          %s = array.scatter %x (%k) : tensor<6xf64> -> tensor<3xf64> {
            %c = array.constant 2 : i64
            %p = array.div %k, %c : i64
            array.yield %p : i64
          }
          func.return %s : tensor<3xf64>
        }""",
        np.arange(1.0, 7.0),
    )
    assert count(kernels, ScatterOp) == 1


@pytest.mark.parametrize(("extent", "library"), [(8, 0), (512, 1)])
def test_large_contractions_go_to_the_library(extent: int, library: int) -> None:
    n = extent
    text = f"""
        func.func @main(%x: tensor<{n}x{n}xf64>, %y: tensor<{n}x{n}xf64>) -> tensor<{n}x{n}xf64> {{
          %r = array.dot %x, %y {{lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]}}
            : tensor<{n}x{n}xf64>, tensor<{n}x{n}xf64> -> tensor<{n}x{n}xf64>
          func.return %r : tensor<{n}x{n}xf64>
        }}"""
    _, kernels = formed(text)
    assert count(kernels, DotOp) == library


def test_a_transposed_matrix_goes_to_the_library_as_it_lies() -> None:
    x = np.zeros((512, 512))
    assert ad.jit(lambda a, b: a @ b.T).stats(x, x).kernels == 1


@pytest.mark.parametrize(
    ("new", "old"),
    [((6,), (2, 3)), ((2, 3), (6,)), ((4, 6), (2, 2, 6)), ((1, 6, 1), (6,)), ((3, 4), (6, 2)), ((), (1, 1))],
)
def test_groups_of_a_reshape_hold_equally_many_elements(new: tuple[int, ...], old: tuple[int, ...]) -> None:
    groups = list(equal_groups(new, old))
    assert [d for g, _ in groups for d in g] == list(range(len(new)))
    assert [d for _, g in groups for d in g] == list(range(len(old)))
    for g, h in groups:
        assert np.prod([new[d] for d in g]) == np.prod([old[d] for d in h])


@pytest.mark.parametrize("seed", range(60))
def test_random_programs_keep_their_meaning(seed: int) -> None:
    source = random_program(seed, 12, straight=True)
    kernels = source.clone()
    if any(op.name == "array.build" for op in kernels.walk()):
        from mlirad.passes.bulk_operations import bulk_function

        transform_functions(kernels, bulk_function)
    transform_functions(kernels, form_kernels)
    verify_module(kernels)
    arguments = arguments_for(source, random.Random(seed))
    expected, found = run_function(source, arguments), run_function(kernels, arguments)
    for x, y in zip(expected, found, strict=True):
        assert np.asarray(x).dtype == np.asarray(y).dtype
        np.testing.assert_allclose(y, x, rtol=1e-9, atol=1e-12)


def test_a_number_that_fills_the_start_of_a_loop_is_not_loaded_elsewhere() -> None:
    kernels = agree(
        """
        func.func @main(%x: tensor<5xf64>) -> tensor<5xf64> {
          %0 = array.constant 1.5 : f64
          %start = array.broadcast %0 {dims = []} : f64 -> tensor<5xf64>
          %r = array.scan %start (%i, %y: tensor<5xf64>) {carries = 1, length = 3}
              : tensor<5xf64> -> tensor<5xf64> {
            %a = array.mul %y, %x : tensor<5xf64>
            %b = array.add %a, %start : tensor<5xf64>
            array.yield %b : tensor<5xf64>
          }
          func.return %r : tensor<5xf64>
        }""",
        np.arange(5.0),
    )
    (loop,) = [op for op in kernels.walk() if isinstance(op, ScanOp)]
    assert [count(op, LoadOp) for op in loop.walk() if isinstance(op, NestOp)] == [2]


def test_long_chains_of_elementwise_ops_are_cut_into_kernels_of_bounded_length() -> None:
    steps = 2 * MAX_LENGTH
    lines = [f"%x{k + 1} = array.mul %x{k}, %y : tensor<3xf64>" for k in range(steps)]
    body = "\n".join(lines)
    kernels = agree(
        f"""func.func @f(%x0: tensor<3xf64>, %y: tensor<3xf64>) -> tensor<3xf64> {{
        {body}
        func.return %x{steps} : tensor<3xf64> }}""",
        np.ones(3),
        np.full(3, 1.001),
    )
    computations = [count(op, MulOp) for op in kernels.walk() if isinstance(op, NestOp)]
    assert sum(computations) == steps
    assert 1 < len(computations) <= 3
    assert max(computations) <= MAX_LENGTH + 1


@pytest.mark.parametrize(
    "n, is_long, is_stored", [(2000, True, True), (2000, False, False), (20, True, False)]
)
def test_scalars_that_take_long_are_computed_once_for_many_elements(
    n: int, is_long: bool, is_stored: bool
) -> None:
    """Strips and tasks of the kernel of these would compute them again."""
    links = "".join(f"%s{k + 1} = array.sin %s{k} : f64\n" for k in range(8 if is_long else 1))
    kernels = agree(
        f"""
        func.func @f(%s0: f64, %x: tensor<{n}xf64>) -> tensor<{n}xf64> {{
          {links}
          %b = array.broadcast %s{8 if is_long else 1} {{dims = []}} : f64 -> tensor<{n}xf64>
          %y = array.mul %x, %b : tensor<{n}xf64>
          func.return %y : tensor<{n}xf64>
        }}""",
        0.3,
        np.arange(float(n)),
    )
    assert count(kernels, NestOp) == 1 + is_stored
