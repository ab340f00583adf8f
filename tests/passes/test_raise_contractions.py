"""Sums of products become contractions, with the same result, and nothing else does."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, f32, f64, i64
from xdsl.dialects.func import FuncOp

from mlirad.dialects.array import reductions
from mlirad.dialects.shapes import Value, array_type, ints
from mlirad.interpreter import run_function
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.verification import verify_module
from mlirad.passes.bulk_operations import bulk_function
from mlirad.passes.raise_contractions import raise_contractions

EXTENTS = {"i": 2, "j": 3, "k": 4, "l": 2}


def contraction(lhs: str, rhs: str, result: str, order: str, element: object = f64) -> FuncOp:
    """The sum over what `result` lacks of the product of two arrays broadcast to dimensions in this order."""
    space = tuple(EXTENTS[d] for d in order)

    def body(b: ArrayBuilder, x: Value, y: Value) -> list[Value]:
        wide = [b.broadcast(v, space, [order.index(d) for d in dims]) for v, dims in ((x, lhs), (y, rhs))]
        return [b.sum(b.mul(*wide), [order.index(d) for d in order if d not in result])]

    types = [array_type(tuple(EXTENTS[d] for d in dims), element) for dims in (lhs, rhs)]
    return new_function("f", types, body)


def names(function: FuncOp) -> list[str]:
    return [op.name.removeprefix("array.") for op in function.body.block.ops][:-1]


def arrays(function: FuncOp, special: Sequence[float] = ()) -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    values = []
    for arg in function.body.block.args:
        value = rng.normal(size=arg.type.get_shape())
        for x in special:
            value.flat[rng.integers(value.size)] = x
        values.append(value)
    return values


@pytest.mark.parametrize(
    ("lhs", "rhs", "result"),
    [
        ("ik", "kj", "ij"),
        ("ki", "jk", "ij"),
        ("ijk", "k", "ij"),
        ("k", "ki", "i"),
        ("ijk", "lik", "ijl"),
        ("jkl", "kl", "j"),
    ],
)
def test_products_of_broadcast_arrays_become_dots(lhs: str, rhs: str, result: str) -> None:
    dims = sorted({*lhs, *rhs})
    for order in itertools.permutations(dims):
        function = contraction(lhs, rhs, result, "".join(order))
        found = raise_contractions(function)
        verify_module(ModuleOp([found]))
        assert "dot" in names(found) and not {"mul", "sum"} & set(names(found))
        in_order = "".join(d for d in order if d in result)
        for special in ((), (np.inf,), (np.inf, np.nan, -np.inf)):
            args = arrays(function, special)
            with np.errstate(invalid="ignore"):
                expected = np.einsum(f"{lhs},{rhs}->{in_order}", *args)
            np.testing.assert_allclose(run_function(found, args)[0], expected, rtol=1e-12)
            np.testing.assert_allclose(run_function(function, args)[0], expected, rtol=1e-12)


def test_the_result_is_transposed_only_where_its_order_differs() -> None:
    assert names(raise_contractions(contraction("ik", "kj", "ij", "ikj"))) == ["dot"]
    assert names(raise_contractions(contraction("ik", "kj", "ij", "jik"))) == ["dot"]
    assert names(raise_contractions(contraction("ijk", "lik", "ijl", "jikl"))) == ["dot", "broadcast"]


@pytest.mark.parametrize(
    ("lhs", "rhs", "result", "element"),
    [
        ("ij", "j", "", f64),
        ("ij", "k", "ij", f64),
        ("ij", "ij", "i", f64),
        ("ij", "ij", "", f64),
        ("i", "j", "ij", f64),
        ("ik", "kj", "ij", i64),
    ],
)
def test_other_sums_of_products_stay(lhs: str, rhs: str, result: str, element: object) -> None:
    """Sums over a dimension of one operand, products without a broadcast, without a sum, and of integers."""
    function = contraction(lhs, rhs, result, "".join(sorted({*lhs, *rhs})), element)
    assert "dot" not in names(raise_contractions(function))


def test_a_product_with_another_reader_stays() -> None:
    def body(b: ArrayBuilder, x: Value, y: Value) -> list[Value]:
        product = b.mul(b.broadcast(x, (2, 3), (1,)), y)
        return [b.sum(product, [1]), product]

    function = new_function("f", [array_type((3,), f64), array_type((2, 3), f64)], body)
    assert "dot" not in names(raise_contractions(function))


def test_empty_contractions_are_zero() -> None:
    def body(b: ArrayBuilder, x: Value, y: Value) -> list[Value]:
        product = b.mul(x, b.broadcast(y, (2, 0), (1,)))
        return [b.emit(reductions.SumOp, (product,), array_type((2,), f32), {"dims": ints((1,))})]

    found = raise_contractions(new_function("f", [array_type((2, 0), f32), array_type((0,), f32)], body))
    args = [np.zeros((2, 0), np.float32), np.zeros(0, np.float32)]
    np.testing.assert_array_equal(run_function(found, args)[0], [0, 0])


def test_loops_over_elements_become_dots() -> None:
    def body(b: ArrayBuilder, x: Value, y: Value) -> list[Value]:
        def entry(j: Value, i: Value) -> Value:
            return b.sum(b.build((4,), lambda k: b.mul(b.index(x, [i, k]), b.index(y, [k, j]))), [0])

        return [b.build((5, 3), entry)]

    function = new_function("f", [array_type((3, 4), f64), array_type((4, 5), f64)], body)
    found = raise_contractions(bulk_function(function))
    assert names(found) == ["dot"]
    args = arrays(function)
    np.testing.assert_allclose(run_function(found, args)[0], (args[0] @ args[1]).T, rtol=1e-13)
