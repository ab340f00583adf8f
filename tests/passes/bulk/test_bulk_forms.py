"""Bulk forms rule by rule: every op inside a build, every op read at positions, against the interpreter."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, f32, f64, i1, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from mlirad.dialects.array import (
    ARRAY_OPS,
    control,
    factorisations,
    indexing,
    ordering,
    reductions,
    structural,
)
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.callbacks import CALLBACK_OPS
from mlirad.dialects.array.custom import CUSTOM_OPS
from mlirad.dialects.array.frames import NextRowOp
from mlirad.dialects.array.literals import literal
from mlirad.dialects.array.reporting import REPORTING_OPS
from mlirad.dialects.array.transforms import FftOp
from mlirad.dialects.shapes import FLAG, Value, array_type, element_of, integer, ints, keyword, shape_of
from mlirad.interpreter import OperationCounter, run_function
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.verification import verify_module
from mlirad.passes.bulk_operations import bulk_function, is_bulk_normal_form
from mlirad.passes.bulk_operations.table import BULK_RULES
from tests.generators.arguments import random_value

Positions = Callable[[ArrayBuilder, Sequence[Value], Value], list[Value]]
"""Emits the positions of an index region from its arguments and an i64 that it captures."""


@dataclass(frozen=True)
class Case:
    """An op on operands of these types."""

    op_class: type[Operation]
    operands: tuple[Attribute, ...]
    result: Attribute
    properties: dict[str, Attribute] = field(default_factory=dict)
    region: tuple[tuple[int, ...], Positions] | None = None

    def emit(self, b: ArrayBuilder, operands: Sequence[Value], captured: Value) -> Value:
        """The op, as it is."""
        regions = []
        if self.region is not None:
            extents, positions = self.region
            regions = [b.index_region(extents, lambda *args: positions(b, args, captured))]
        return b.emit(self.op_class, operands, self.result, self.properties, regions)

    def __str__(self) -> str:
        return f"{self.op_class.name}-{self.result}"


def t(*shape: int, element: Attribute = f64) -> Attribute:
    return array_type(shape, element)


def elementwise_cases() -> list[Case]:
    cases: list[Case] = []
    for op in ew.ELEMENTWISE_OPS:
        element = op.DOMAIN[0]
        properties: dict[str, Attribute] = {}
        if op is ew.PolygammaOp:
            properties = {"order": integer(1)}
        for shape in ((), (2,)):
            x = array_type(shape, element)
            if op is ew.CompareOp:
                cases.append(
                    Case(op, (t(*shape), t(*shape)), t(*shape, element=i1), {"predicate": keyword("lt")})
                )
            elif op is ew.SelectOp:
                cases.append(Case(op, (t(*shape, element=i1), t(*shape), t(*shape)), t(*shape)))
            elif op is ew.SpecialOp:
                cases.append(Case(op, (x, x), x, {"function": keyword("gammainc")}))
            elif op is ew.ConvertOp:
                cases.append(Case(op, (t(*shape),), t(*shape, element=i64)))
                cases.append(Case(op, (t(*shape, element=i64),), t(*shape, element=f32)))
            elif issubclass(op, ew.FloatTestOp):
                cases.append(Case(op, (x,), t(*shape, element=i1)))
            elif issubclass(op, ew.UnaryOp):
                cases.append(Case(op, (x,), x, properties))
            else:
                cases.append(Case(op, (x, x), x))
                if i64 in op.DOMAIN and element != i64:
                    integers = t(*shape, element=i64)
                    cases.append(Case(op, (integers, integers), integers))
    cases.append(Case(ew.SelectOp, (i1, t(2), t(2)), t(2)))
    return cases


def dot_case(
    lhs: tuple[int, ...], rhs: tuple[int, ...], result: tuple[int, ...], *groups: tuple[int, ...]
) -> Case:
    names = ("lhs_batch", "rhs_batch", "lhs_contract", "rhs_contract")
    return Case(
        reductions.DotOp,
        (t(*lhs), t(*rhs)),
        t(*result),
        {n: ints(g) for n, g in zip(names, groups, strict=True)},
    )


def shifted(b: ArrayBuilder, args: Sequence[Value], captured: Value) -> list[Value]:
    return [b.sub(args[0], captured)]


def crossed(b: ArrayBuilder, args: Sequence[Value], captured: Value) -> list[Value]:
    return [b.add(args[1], captured), args[0]]


def structural_cases() -> list[Case]:
    three = {"low": ints((1,)), "high": ints((2,)), "interior": ints((1,))}
    return [
        Case(structural.ConstantOp, (), t(2), {"value": literal([1.5, -2.0], f64)}),
        Case(structural.IotaOp, (), t(2, 3, element=i64), {"dim": integer(1)}),
        Case(structural.BroadcastOp, (t(2),), t(3, 2), {"dims": ints((1,))}),
        Case(structural.BroadcastOp, (t(2, 3),), t(3, 4, 2), {"dims": ints((2, 0))}),
        Case(structural.BroadcastOp, (f64,), t(2), {"dims": ints(())}),
        Case(structural.TransposeOp, (t(2, 3),), t(3, 2), {"permutation": ints((1, 0))}),
        Case(structural.TransposeOp, (t(2, 3, 4),), t(4, 2, 3), {"permutation": ints((2, 0, 1))}),
        Case(structural.ReshapeOp, (t(2, 6),), t(3, 4)),
        Case(structural.ReshapeOp, (t(6, 2),), t(2, 3, 2)),
        Case(structural.ReshapeOp, (f64,), t(1, 1)),
        Case(
            structural.SliceOp,
            (t(5, 3),),
            t(2, 2),
            {"starts": ints((1, 1)), "limits": ints((4, 3)), "strides": ints((2, 1))},
        ),
        Case(
            structural.SliceOp,
            (t(5, 3),),
            t(2, 3),
            {"starts": ints((1, 0)), "limits": ints((4, 3)), "strides": ints((2, 1))},
        ),
        Case(structural.PadOp, (t(2), f64), t(6), three),
        Case(
            structural.PadOp,
            (t(2, 2), f64),
            t(4, 3),
            {"low": ints((0, 1)), "high": ints((2, 0)), "interior": ints((0, 0))},
        ),
        Case(structural.PadOp, (t(0), f64), t(3), three),
        Case(structural.ConcatenateOp, (t(2, 2), t(3, 2)), t(5, 2), {"dim": integer(0)}),
        Case(structural.ConcatenateOp, (t(2, 2), t(2, 1), t(2, 0)), t(2, 3), {"dim": integer(1)}),
        Case(structural.ReverseOp, (t(2, 3),), t(2, 3), {"dims": ints((1,))}),
        Case(structural.ReverseOp, (t(2, 3, element=i64),), t(2, 3, element=i64), {"dims": ints((0, 1))}),
        Case(structural.StackOp, (t(2), t(2)), t(2, 2), {"dim": integer(1)}),
        Case(structural.StackOp, (f64, f64, f64), t(3), {"dim": integer(0)}),
        Case(structural.StackOp, (i64, i64, i64), t(3, element=i64), {"dim": integer(0)}),
    ]


def indexing_cases() -> list[Case]:
    return [
        Case(indexing.IndexOp, (t(3, 2), i64), t(2)),
        Case(indexing.IndexOp, (t(3, 2), i64, i64), f64),
        Case(indexing.IndexOp, (t(3, 2, element=i64), i64, i64), i64),
        Case(indexing.IndexOp, (t(0, 2), i64), t(2)),
        Case(indexing.IndexOp, (t(2),), t(2)),
        Case(indexing.GatherOp, (t(3, 2),), t(4, 2), region=((4,), shifted)),
        Case(indexing.GatherOp, (t(3, 2),), t(2, 3), region=((2, 3), crossed)),
        Case(indexing.GatherOp, (t(0),), t(2), region=((2,), shifted)),
        Case(indexing.GatherOp, (t(3),), t(0), region=((0,), shifted)),
        Case(indexing.GatherOp, (t(3, 2),), t(2), region=((), lambda b, args, captured: [captured])),
        Case(indexing.ScatterOp, (t(4, 2),), t(3, 2), region=((4,), shifted)),
        Case(indexing.ScatterOp, (t(2, 3),), t(3, 2), region=((2, 3), crossed)),
        Case(indexing.ScatterOp, (t(2),), t(0), region=((2,), shifted)),
        Case(indexing.ScatterOp, (t(2),), t(3, 2), region=((), lambda b, args, captured: [captured])),
        Case(indexing.UpdateOp, (t(3, 2), t(4, 2)), t(3, 2), {"kind": keyword("add")}, ((4,), shifted)),
        Case(indexing.UpdateOp, (t(3, 2), t(4, 2)), t(3, 2), {"kind": keyword("set")}, ((4,), shifted)),
        Case(
            indexing.BuildOp,
            (),
            t(3, element=i64),
            region=((3,), lambda b, args, captured: [b.mul(args[0], captured)]),
        ),
        Case(indexing.BuildOp, (), t(0, element=i64), region=((0,), lambda b, args, captured: [args[0]])),
    ]


def reduction_cases() -> list[Case]:
    return [
        Case(reductions.SumOp, (t(2, 3, 2),), t(3), {"dims": ints((0, 2))}),
        Case(reductions.SumOp, (t(2),), f64, {"dims": ints((0,))}),
        Case(reductions.SumOp, (t(2, 0),), t(2), {"dims": ints((1,))}),
        Case(reductions.ReduceOp, (t(2, 3),), t(3), {"kind": keyword("max"), "dims": ints((0,))}),
        Case(reductions.ReduceOp, (t(2, 0),), t(2), {"kind": keyword("min"), "dims": ints((1,))}),
        Case(
            reductions.ReduceOp,
            (t(2, 3, element=i1),),
            t(2, element=i1),
            {"kind": keyword("and"), "dims": ints((1,))},
        ),
        Case(reductions.ReduceOp, (t(2, 3),), t(2), {"kind": keyword("prod"), "dims": ints((1,))}),
        Case(reductions.ArgmaxOp, (t(2, 3),), t(2, element=i64), {"dim": integer(1)}),
        Case(reductions.ArgminOp, (t(3, 2),), t(2, element=i64), {"dim": integer(0)}),
        dot_case((2, 3), (3, 4), (2, 4), (), (), (1,), (0,)),
        dot_case((2, 3, 4), (4, 2, 5), (2, 3, 5), (0,), (1,), (2,), (0,)),
        dot_case((2,), (3,), (2, 3), (), (), (), ()),
        dot_case((3,), (3,), (), (), (), (0,), (0,)),
    ]


def ordering_cases() -> list[Case]:
    integers = t(3, 2, element=i64)
    return [
        Case(ordering.SortOp, (t(2, 3),), t(2, 3), {"dim": integer(1)}),
        Case(ordering.SortOp, (t(0),), t(0), {"dim": integer(0)}),
        Case(ordering.ArgsortOp, (t(3, 2),), integers, {"dim": integer(0)}),
        Case(ordering.CumulativeOp, (t(3),), t(3), {"kind": keyword("prod"), "dim": integer(0)}),
        Case(
            ordering.CumulativeOp,
            (integers,),
            integers,
            {"kind": keyword("sum"), "dim": integer(0), "reverse": FLAG},
        ),
    ]


def factorisation_cases() -> list[Case]:
    square, columns = t(2, 2), t(2, 3)
    return [
        Case(factorisations.LuOp, (square,), square, {"part": keyword("factors")}),
        Case(factorisations.LuOp, (square,), t(2, element=i64), {"part": keyword("permutation")}),
        Case(factorisations.CholeskyOp, (square,), square),
        Case(factorisations.QrOp, (columns,), columns, {"part": keyword("triangular")}),
        Case(factorisations.EighOp, (square,), t(2), {"part": keyword("values")}),
        Case(factorisations.SvdOp, (columns,), t(2), {"part": keyword("values")}),
        Case(factorisations.TriangularSolveOp, (square, columns), columns, {"upper": FLAG, "unit": FLAG}),
        Case(factorisations.TriangularSolveOp, (t(2, 1, 1), t(2, 1, 2)), t(2, 1, 2), {"unit": FLAG}),
        Case(factorisations.SolveOp, (square, columns), columns),
        Case(factorisations.EigOp, (square,), t(2, 2), {"part": keyword("values")}),
        Case(factorisations.SchurOp, (square,), square, {"part": keyword("triangular")}),
        Case(factorisations.LuOp, (t(2, 2, 2),), t(2, 2, 2), {"part": keyword("factors"), "complex": FLAG}),
        Case(factorisations.CholeskyOp, (t(2, 2, 2),), t(2, 2, 2), {"complex": FLAG}),
        Case(factorisations.SolveOp, (t(2, 2, 2), t(2, 3, 2)), t(2, 3, 2), {"complex": FLAG}),
        Case(
            factorisations.TriangularSolveOp,
            (t(2, 2, 2), t(2, 3, 2)),
            t(2, 3, 2),
            {"upper": FLAG, "complex": FLAG},
        ),
    ]


def transform_cases() -> list[Case]:
    kinds = {"forward": (t(3, 2), t(3, 2)), "real": (t(5), t(3, 2)), "half": (t(3, 2), t(4))}
    return [Case(FftOp, (x,), y, {"kind": keyword(kind)}) for kind, (x, y) in kinds.items()]


CASES = [
    *elementwise_cases(),
    *structural_cases(),
    *indexing_cases(),
    *reduction_cases(),
    *ordering_cases(),
    *factorisation_cases(),
    *transform_cases(),
]


def test_every_op_of_the_dialect_has_a_rule_and_a_case() -> None:
    """Loops and branches: `test_bulk_control`; code with its own derivative: `test_custom_derivatives`;
    reports, whose tokens are not values that members may have of their own: `test_debug_print`; calls of
    Python functions: `test_callbacks`; sizes, known where arguments have them: `test_dynamic_sizes`; rows of
    records: `test_inductive`.
    """
    others = (indexing.YieldOp, *control.CONTROL_OPS, *CUSTOM_OPS, *REPORTING_OPS, *CALLBACK_OPS)
    ops = set(ARRAY_OPS).difference(others)
    assert set(BULK_RULES) == ops | {NextRowOp}
    assert {case.op_class for case in CASES} == ops - {structural.SizeOp}


def in_build(case: Case, extent: int, batched: Sequence[bool]) -> FuncOp:
    """The op in a build; the operands marked `batched` (last: the captured integer) differ with the index."""
    types = [
        array_type((extent, *shape_of(o)), element_of(o)) if bulk else o
        for o, bulk in zip((*case.operands, i64), batched, strict=True)
    ]

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        def element(i: Value) -> Value:
            values = [b.index(a, [i]) if bulk else a for a, bulk in zip(args, batched, strict=True)]
            return case.emit(b, values[:-1], values[-1])

        return [b.build((extent,), element)]

    return new_function("f", types, body)


def read_at(case: Case, depth: int, count: int | None) -> FuncOp:
    """The op read in its `depth` leading dimensions: at arguments, or at `count` positions in a build."""
    position = i64 if count is None else t(count, element=i64)

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        operands, captured, positions = args[: len(case.operands)], args[len(case.operands)], args[-depth:]
        value = case.emit(b, operands, captured)

        def read(points: Sequence[Value]) -> Value:
            return b.emit(
                indexing.IndexOp, (value, *points), t(*shape_of(value)[depth:], element=element_of(value))
            )

        if count is None:
            return [read(positions)]
        return [b.build((count,), lambda i: read([b.index(p, [i]) for p in positions]))]

    return new_function("f", [*case.operands, i64, *[position] * depth], body)


def check(function: FuncOp, seed: int, slack: int) -> None:
    """Same values, normal form, and work within a factor (`slack` is for operations on positions)."""
    bulk = bulk_function(function)
    verify_module(ModuleOp([bulk]))
    assert is_bulk_normal_form(bulk)
    for k in range(3):
        rng = random.Random(100 * seed + k)
        args: list[Any] = [random_value(a.type, rng, special=k > 0) for a in function.body.block.args]
        before, after = OperationCounter(), OperationCounter()
        expected = run_function(function, args, counter=before)
        computed = run_function(bulk, args, counter=after)
        for x, y in zip(expected, computed, strict=True):
            np.testing.assert_allclose(y, x, rtol=1e-12 if x.dtype != np.float32 else 1e-5, atol=1e-300)
        assert after.total <= 3 * before.total + slack


@pytest.mark.parametrize("case", CASES, ids=str)
def test_an_op_inside_a_build_becomes_its_bulk_form(case: Case) -> None:
    for k, batched in enumerate(itertools.product((False, True), repeat=len(case.operands) + 1)):
        for extent in (3, k % 2):
            check(in_build(case, extent, batched), extent, slack=40)


@pytest.mark.parametrize("case", [c for c in CASES if shape_of(c.result)], ids=str)
@pytest.mark.parametrize("count", [None, 1, 2, 7])
def test_an_op_read_at_positions_is_that_op_on_what_is_read(case: Case, count: int | None) -> None:
    for depth in range(1, len(shape_of(case.result)) + 1):
        check(read_at(case, depth, count), depth, slack=100)


def test_what_is_read_of_a_single_use_array_alone_is_computed() -> None:
    def body(b: ArrayBuilder, x: Value, p: Value) -> list[Value]:
        return [b.index(b.sum(b.unary(ew.ExpOp, b.add(x, b.unary(ew.SinOp, x))), [1]), [p])]

    bulk = bulk_function(new_function("f", [t(100, 5), i64], body))
    counter = OperationCounter()
    run_function(bulk, [np.ones((100, 5)), 7], counter=counter)
    assert counter.by_op["array.exp"] == 5
    assert counter.by_op["array.sin"] == 5


def test_an_array_with_two_readers_is_computed_once() -> None:
    def body(b: ArrayBuilder, x: Value) -> list[Value]:
        y = b.sum(b.unary(ew.ExpOp, x), [1])
        return [b.index(y, [b.index_constant(k)]) for k in range(4)]

    bulk = bulk_function(new_function("f", [t(4, 5)], body))
    counter = OperationCounter()
    run_function(bulk, [np.ones((4, 5))], counter=counter)
    assert counter.by_op["array.exp"] == 20
