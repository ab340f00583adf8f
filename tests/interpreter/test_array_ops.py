"""Array ops against their definitions, element by element, on random shapes with empty dimensions."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from mlirad.dialects import kernel, linear
from mlirad.dialects.array import ARRAY_OPS, indexing, ordering, reductions, structural
from mlirad.dialects.shapes import shape_of, values_of
from mlirad.interpreter import array_ops, run_function, running
from mlirad.interpreter.running import MEANINGS
from mlirad.interpreter.transforms import transformed
from tests.generators import arguments_for, random_program
from tests.generators.arrays import INDEXING_MAKERS, REDUCTION_MAKERS, STRUCTURAL_MAKERS
from tests.generators.ordering import ORDERING_MAKERS
from tests.interpreter.programs import run


def test_every_op_has_a_meaning() -> None:
    ops = (*ARRAY_OPS, *kernel.KERNEL_OPS, *linear.STRUCTURE_OPS, *linear.PRIMITIVE_OPS, *linear.VALUE_OPS)
    assert [op.name for op in ops if op not in MEANINGS] == []


def positions_of(shape: tuple[int, ...]) -> itertools.product:
    return itertools.product(*(range(e) for e in shape))


def clamped(position: list[int], shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(min(max(p, 0), e - 1) for p, e in zip(position, shape, strict=False))


def broadcast(op, x):
    out = np.zeros(shape_of(op.result), x.dtype)
    for p in positions_of(out.shape):
        out[p] = x[tuple(p[d] for d in values_of(op.dims))]
    return out


def transpose(op, x):
    out = np.zeros(shape_of(op.result), x.dtype)
    permutation = values_of(op.permutation)
    for p in positions_of(x.shape):
        out[tuple(p[d] for d in permutation)] = x[p]
    return out


def reshape(op, x):
    return np.array([x[p] for p in positions_of(x.shape)], x.dtype).reshape(shape_of(op.result))


def slice_(op, x):
    out = np.zeros(shape_of(op.result), x.dtype)
    starts, strides = values_of(op.starts), values_of(op.strides)
    for p in positions_of(out.shape):
        out[p] = x[tuple(s + i * t for i, s, t in zip(p, starts, strides, strict=True))]
    return out


def pad(op, x, value):
    out = np.full(shape_of(op.result), value, x.dtype)
    low, interior = values_of(op.low), values_of(op.interior)
    for p in positions_of(x.shape):
        out[tuple(lo + i * (mid + 1) for i, lo, mid in zip(p, low, interior, strict=True))] = x[p]
    return out


def concatenate(op, *xs):
    out = np.zeros(shape_of(op.result), xs[0].dtype)
    dim, offset = op.dim.value.data, 0
    for x in xs:
        for p in positions_of(x.shape):
            out[(*p[:dim], p[dim] + offset, *p[dim + 1 :])] = x[p]
        offset += x.shape[dim]
    return out


def reverse(op, x):
    out = np.zeros_like(x)
    dims = values_of(op.dims)
    for p in positions_of(x.shape):
        out[tuple(x.shape[d] - 1 - i if d in dims else i for d, i in enumerate(p))] = x[p]
    return out


def stack(op, *xs):
    out = np.zeros(shape_of(op.result), xs[0].dtype)
    dim = op.dim.value.data
    for k, x in enumerate(xs):
        for p in positions_of(x.shape):
            out[(*p[:dim], k, *p[dim:])] = x[p]
    return out


def iota(op):
    out = np.zeros(shape_of(op.result), np.int64)
    for p in positions_of(out.shape):
        out[p] = p[op.dim.value.data]
    return out


def index(op, x, *positions):
    if 0 in x.shape[: len(positions)]:
        return np.zeros(shape_of(op.result), x.dtype)
    return x[clamped([int(p) for p in positions], x.shape)]


def fold(op, x, function, initial, dims):
    out = np.full(shape_of(op.result), initial, x.dtype)
    for p in positions_of(x.shape):
        q = tuple(i for d, i in enumerate(p) if d not in dims)
        out[q] = function(out[q], x[p])
    return out


def sum_(op, x):
    with np.errstate(all="ignore"):
        return fold(op, x, np.add, 0, values_of(op.dims))


def reduce(op, x):
    kind = op.kind.data
    functions = {
        "max": np.maximum,
        "min": np.minimum,
        "prod": np.multiply,
        "and": np.bitwise_and,
        "or": np.bitwise_or,
    }
    info = None if x.dtype.kind in "fb" else np.iinfo(x.dtype)
    initial = {
        "max": info.min if info else -np.inf,
        "min": info.max if info else np.inf,
        "prod": 1,
        "and": -1 if info else True,
        "or": 0,
    }[kind]
    return fold(op, x, functions[kind], initial, values_of(op.dims))


def argmax(op, x, better=lambda a, b: a > b):
    out = np.zeros(shape_of(op.result), np.int64)
    dim = op.dim.value.data
    for q in positions_of(out.shape):
        best = 0
        for i in range(x.shape[dim]):
            here, there = x[(*q[:dim], i, *q[dim:])], x[(*q[:dim], best, *q[dim:])]
            if better(here, there) or (here != here and there == there):
                best = i
        out[q] = best
    return out


def argmin(op, x):
    return argmax(op, x, better=lambda a, b: a < b)


def dot(op, x, y):
    out = np.zeros(shape_of(op.result), x.dtype)
    lb, rb = values_of(op.lhs_batch), values_of(op.rhs_batch)
    lc, rc = values_of(op.lhs_contract), values_of(op.rhs_contract)
    lf = [d for d in range(x.ndim) if d not in (*lb, *lc)]
    rf = [d for d in range(y.ndim) if d not in (*rb, *rc)]
    with np.errstate(all="ignore"):
        for p in positions_of(x.shape):
            for q in positions_of(y.shape):
                if all(p[a] == q[b] for a, b in zip((*lb, *lc), (*rb, *rc), strict=True)):
                    place = (*(p[d] for d in lb), *(p[d] for d in lf), *(q[d] for d in rf))
                    out[place] += x[p] * y[q]
    return out


def lines_along(x, dim):
    """The positions of every line of an array along a dimension, in order."""
    for q in positions_of((*x.shape[:dim], *x.shape[dim + 1 :])):
        yield [(*q[:dim], i, *q[dim:]) for i in range(x.shape[dim])]


def argsort(op, x):
    """By insertion: a position goes before those already there whose element is greater, or NaN."""
    out = np.zeros(x.shape, np.int64)
    for line in lines_along(x, op.dim.value.data):
        order: list[int] = []
        for i, p in enumerate(line):
            at = len(order)
            while at and (
                x[p] < x[line[order[at - 1]]]
                or (x[p] == x[p] and x[line[order[at - 1]]] != x[line[order[at - 1]]])
            ):
                at -= 1
            order.insert(at, i)
        for p, i in zip(line, order, strict=True):
            out[p] = i
    return out


def sort(op, x):
    out, order = x.copy(), argsort(op, x)
    for line in lines_along(x, op.dim.value.data):
        for p in line:
            out[p] = x[line[order[p]]]
    return out


def cumulative(op, x):
    functions = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}
    out = x.copy()
    with np.errstate(all="ignore"):
        for line in lines_along(x, op.dim.value.data):
            ordered = line[::-1] if op.reverse is not None else line
            for before, here in itertools.pairwise(ordered):
                out[here] = functions[op.kind.data](out[before], x[here])
    return out


WITNESSES = {
    structural.IotaOp: iota,
    structural.BroadcastOp: broadcast,
    structural.TransposeOp: transpose,
    structural.ReshapeOp: reshape,
    structural.SliceOp: slice_,
    structural.PadOp: pad,
    structural.ConcatenateOp: concatenate,
    structural.ReverseOp: reverse,
    structural.StackOp: stack,
    indexing.IndexOp: index,
    reductions.SumOp: sum_,
    reductions.ReduceOp: reduce,
    reductions.ArgmaxOp: argmax,
    reductions.ArgminOp: argmin,
    reductions.DotOp: dot,
    ordering.SortOp: sort,
    ordering.ArgsortOp: argsort,
    ordering.CumulativeOp: cumulative,
}


@pytest.mark.parametrize("op_class", WITNESSES)
def test_against_the_definition(op_class, monkeypatch) -> None:
    meaning = array_ops.ARRAY_MEANINGS[op_class]
    checked = []

    def compared(op, operands, frame):
        result = meaning(op, operands, frame)
        expected = WITNESSES[op_class](op, *(np.asarray(o) for o in operands))
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)
        checked.append(op)
        return result

    monkeypatch.setitem(running.MEANINGS, op_class, compared)
    for seed in range(20):
        program = random_program(seed, 8, allow={op_class, structural.SliceOp})
        run_function(
            program, arguments_for(program, random.Random(seed), special=op_class in ORDERING_MAKERS)
        )
    assert len(checked) >= 20


def test_all_makers_of_plain_ops_are_witnessed() -> None:
    regions = {indexing.GatherOp, indexing.ScatterOp, indexing.UpdateOp, indexing.BuildOp}
    plain = (
        {*STRUCTURAL_MAKERS, *INDEXING_MAKERS, *REDUCTION_MAKERS, *ORDERING_MAKERS}
        - regions
        - {structural.ConstantOp}
    )
    assert plain == set(WITNESSES)


# Regions -----------------------------------------------------------------------------------------

BODY = """
      %c2 = array.constant 2 : i64
      %a = array.mul %i, %c2 : i64
      %e = array.sub %a, %j : i64
      array.yield %e : i64
"""


def test_gather_clamps() -> None:
    body = f"""
    %y = array.gather %x (%i, %j) : tensor<3x2xf64> -> tensor<4x2x2xf64> {{{BODY}}}
    func.return %y : tensor<4x2x2xf64>"""
    x = np.arange(6.0).reshape(3, 2)
    y = run("%x : tensor<3x2xf64>", "tensor<4x2x2xf64>", body, x)
    for i, j in positions_of((4, 2)):
        np.testing.assert_array_equal(y[i, j], x[min(max(2 * i - j, 0), 2)])


def test_scatter_adds_at_clamped_positions() -> None:
    body = f"""
    %y = array.scatter %x (%i, %j) : tensor<4x2x2xf64> -> tensor<3x2xf64> {{{BODY}}}
    func.return %y : tensor<3x2xf64>"""
    x = np.random.default_rng(0).normal(size=(4, 2, 2))
    y = run("%x : tensor<4x2x2xf64>", "tensor<3x2xf64>", body, x)
    expected = np.zeros((3, 2))
    for i, j in positions_of((4, 2)):
        expected[min(max(2 * i - j, 0), 2)] += x[i, j]
    np.testing.assert_allclose(y, expected)


@pytest.mark.parametrize("kind", ["add", "set"])
def test_update(kind) -> None:
    body = f"""
    %y = array.update {kind} %b, %x (%i, %j) : tensor<3x2xf64>, tensor<4x2x2xf64> -> tensor<3x2xf64>
      {{{BODY}}}
    func.return %y : tensor<3x2xf64>"""
    generator = np.random.default_rng(0)
    base, x = generator.normal(size=(3, 2)), generator.normal(size=(4, 2, 2))
    kept = base.copy()
    y = run("%b : tensor<3x2xf64>, %x : tensor<4x2x2xf64>", "tensor<3x2xf64>", body, base, x)
    expected = base.copy()
    for i, j in positions_of((4, 2)):
        place = min(max(2 * i - j, 0), 2)
        expected[place] = x[i, j] + (expected[place] if kind == "add" else 0)
    np.testing.assert_allclose(y, expected)
    np.testing.assert_array_equal(base, kept)


def test_an_empty_array_reads_zero_and_drops_what_is_written() -> None:
    body = """
    %g = array.gather %x (%i) : tensor<0x2xf64> -> tensor<3x2xf64> {
      array.yield %i : i64
    }
    %s = array.scatter %g (%i) : tensor<3x2xf64> -> tensor<0x2xf64> {
      array.yield %i : i64
    }
    %c = array.constant 7 : i64
    %e = array.index %x[%c] : tensor<0x2xf64> -> tensor<2xf64>
    func.return %g, %s, %e : tensor<3x2xf64>, tensor<0x2xf64>, tensor<2xf64>"""
    types = "tensor<3x2xf64>, tensor<0x2xf64>, tensor<2xf64>"
    g, s, e = run("%x : tensor<0x2xf64>", types, body, np.zeros((0, 2)))
    assert np.all(g == 0) and g.shape == (3, 2) and s.shape == (0, 2) and np.all(e == 0)


def test_nested_builds_capture_and_use_every_op() -> None:
    body = """
    %y = array.build (%i) : -> tensor<3x2xf64> {
      %row = array.index %x[%i] : tensor<3x4xf64> -> tensor<4xf64>
      %s = array.sum %row {dims = [0]} : tensor<4xf64> -> f64
      %z = array.build (%j) : -> tensor<2xf64> {
        %e = array.index %x[%i, %j] : tensor<3x4xf64> -> f64
        %p = array.mul %e, %s : f64
        array.yield %p : f64
      }
      array.yield %z : tensor<2xf64>
    }
    func.return %y : tensor<3x2xf64>"""
    x = np.random.default_rng(0).normal(size=(3, 4))
    y = run("%x : tensor<3x4xf64>", "tensor<3x2xf64>", body, x)
    np.testing.assert_allclose(y, x[:, :2] * x.sum(1, keepdims=True))


def test_empty_builds_do_not_run_their_body() -> None:
    body = """
    %y = array.build (%i, %j) : -> tensor<2x0xf32> {
      %e = array.constant 1.0 : f32
      array.yield %e : f32
    }
    func.return %y : tensor<2x0xf32>"""
    y = run("", "tensor<2x0xf32>", body)
    assert y.shape == (2, 0) and y.dtype == np.float32


def test_many_positions_at_once_and_one_by_one_agree(monkeypatch) -> None:
    for seed in range(40):
        program = random_program(seed, 6, allow=INDEXING_MAKERS)
        args = arguments_for(program, random.Random(seed), special=True)
        at_once = run_function(program, args)
        with monkeypatch.context() as patch:
            patch.setattr("mlirad.interpreter.machine.CHUNK", 2)
            in_chunks = run_function(program, args)
        with monkeypatch.context() as patch:
            patch.setattr(running, "ARRAY_ELEMENT_MEANINGS", {})
            one_by_one = run_function(program, args)
        for x, y, z in zip(at_once, in_chunks, one_by_one, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-6)
            np.testing.assert_allclose(x, z, rtol=1e-6)


def test_dot_sums_products_where_a_factor_repeats_an_infinity() -> None:
    """1 * inf - 0.5 * inf is NaN, although (1 - 0.5) * inf is not."""
    body = """
      %y = array.broadcast %s {dims = []} : f64 -> tensor<2x3xf64>
      %r = array.dot %x, %y {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0]}
        : tensor<2xf64>, tensor<2x3xf64> -> tensor<3xf64>
      func.return %r : tensor<3xf64>"""
    result = run("%x: tensor<2xf64>, %s: f64", "tensor<3xf64>", body, np.array([1.0, -0.5]), np.inf)
    assert np.isnan(result).all()


def test_transforms_take_infinities_part_by_part() -> None:
    """An imaginary part that is infinite does not make NaN of the real one."""
    pairs = np.array([[np.inf, 0.0], [1.0, 0.0]])
    np.testing.assert_array_equal(transformed("half", pairs, (2,)), [np.inf, np.inf])
    np.testing.assert_array_equal(transformed("forward", np.array([[0.0, np.inf]]), (1, 2)), [[0, np.inf]])
