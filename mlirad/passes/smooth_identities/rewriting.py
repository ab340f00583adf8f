"""The rewrites of `smooth-identities`: `IDENTITIES`, by the op that a pattern ends in.

ew.MulOp: _product,                  mul (abs x), (abs x)   -->   mul x, x
ew.SelectOp: _choice,                select (x >= 0), f(abs x), g(abs x)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Final, TypeAlias, cast

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, Region

from mlirad.dialects.array import control
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.reductions import DotOp, ReduceOp
from mlirad.dialects.shapes import Value, is_float
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.builder import function_block
from mlirad.ir.dead_code import erase_unused
from mlirad.ir.free_values import own_operands
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import visit_region, visit_regions
from mlirad.passes.smooth_identities.exponentials import (
    beside_choice,
    log_sum,
    log_sum_of_difference,
)
from mlirad.passes.smooth_identities.extrema import extremum_of_two
from mlirad.passes.smooth_identities.inverses import INVERSES, undone
from mlirad.passes.smooth_identities.logarithms import logarithm
from mlirad.passes.smooth_identities.odd import odd_product, with_sign
from mlirad.passes.smooth_identities.products import contraction, product, raised
from mlirad.passes.smooth_identities.roots import root_of_square
from mlirad.passes.smooth_identities.sides import Test, on_side, sided

Rule: TypeAlias = Callable[[ArrayBuilder, Operation, list[Value]], Value | None]
"""`(b, op, operands) -> what stands for the op on these operands`, `None` if it is the op itself."""


def rewritten(function: FuncOp) -> FuncOp:
    """The function with `IDENTITIES` rewritten, in regions too."""
    new = rebuild_function(function, _Rewriting().visit)
    erase_unused(function_block(new))
    return new


@dataclass
class _Rewriting:
    """The rewriting of one function: which comparisons are known to hold, or not, in the branch at hand."""

    known: list[tuple[Test, bool]] = field(default_factory=list)

    def visit(self, b: ArrayBuilder, op: Operation, env: Environment) -> None:
        """Emit what stands for an op."""
        if isinstance(op, control.IfOp):
            self._visit_branches(b, op, env)
        elif op.regions:
            visit_regions(b, op, env, self.visit)
        else:
            found = self._found(b, op, env)
            if found is None:
                b.rebuild(op, env)
                found = self._on_known_side(b, op, env)
            if found is not None:
                env[op.results[0]] = found

    def _found(self, b: ArrayBuilder, op: Operation, env: Environment) -> Value | None:
        rule = IDENTITIES.get(type(op))
        if rule is None or not is_float(op.results[0]):
            return None
        return rule(b, op, [env.get(o, o) for o in own_operands(op)])

    def _on_known_side(self, b: ArrayBuilder, op: Operation, env: Environment) -> Value | None:
        """Return what stands for a kink whose side a branch tells."""
        if self.known and isinstance(op, ew.AbsOp | ew.MaxOp | ew.MinOp):
            made = env[op.results[0]].owner
            for test, holds_ in self.known:
                found = on_side(b, made, test, holds_) if isinstance(made, Operation) else None
                if found is not None:
                    return found
        return None

    def _visit_branches(self, b: ArrayBuilder, op: control.IfOp, env: Environment) -> None:
        condition = env.get(op.condition, op.condition)
        test = Test.of(condition)
        regions: list[Region] = []
        for region, holds_ in ((op.then, True), (op.otherwise, False)):
            if test is not None:
                self.known.append((test, holds_))
            regions.append(visit_region(b, region, env, self.visit, ()))
            if test is not None:
                self.known.pop()
        new = b.insert(control.IfOp, [condition], op.result_types, op.properties, regions)
        env.update(zip(op.results, new.results, strict=True))


# The table -----------------------------------------------------------------------------------------


def _product(b: ArrayBuilder, op: Operation, o: list[Value]) -> Value | None:
    return product(b, *o) or odd_product(b, *o)


def _with_sign(b: ArrayBuilder, op: Operation, o: list[Value]) -> Value | None:
    return with_sign(b, *o)


def _raised(b: ArrayBuilder, op: Operation, o: list[Value]) -> Value | None:
    exponent = b.scalar_of(o[1])
    return None if exponent is None else raised(b, o[0], exponent)


def _root(b: ArrayBuilder, op: Operation, o: list[Value]) -> Value | None:
    return root_of_square(b, o[0])


def _contraction(b: ArrayBuilder, op: Operation, o: list[Value]) -> Value | None:
    return contraction(b, cast(DotOp, op), *o)


def _extremum(b: ArrayBuilder, op: Operation, o: list[Value]) -> Value | None:
    return extremum_of_two(b, cast(ReduceOp, op), *o)


def _undone(b: ArrayBuilder, op: Operation, o: list[Value]) -> Value | None:
    return undone(b, type(op), o[0])


def _logarithm(b: ArrayBuilder, op: Operation, o: list[Value]) -> Value | None:
    assert isinstance(op, ew.LogOp | ew.Log1pOp)
    return logarithm(b, type(op), o[0])


def _sum(b: ArrayBuilder, op: Operation, o: list[Value]) -> Value | None:
    found = log_sum(b, *o)
    sided_terms = beside_choice(b, *o) if found is None else None
    return found if sided_terms is None else b.add(*sided_terms)


def _difference(b: ArrayBuilder, op: Operation, o: list[Value]) -> Value | None:
    found = log_sum_of_difference(b, *o)
    sided_terms = beside_choice(b, *o) if found is None else None
    return found if sided_terms is None else b.sub(*sided_terms)


def _choice(b: ArrayBuilder, op: Operation, o: list[Value]) -> Value | None:
    """The kinks of both branches on the side of the condition."""
    test = Test.of(o[0])
    if test is None:
        return None
    branches = [sided(b, v, test) for v in o[1:]]
    return None if branches == o[1:] else b.select(o[0], *branches)


IDENTITIES: Final[Mapping[type[Operation], Rule]] = {
    ew.MulOp: _product,
    ew.CopysignOp: _with_sign,
    ew.PowOp: _raised,
    ew.SqrtOp: _root,
    DotOp: _contraction,
    ReduceOp: _extremum,
    ew.AddOp: _sum,
    ew.SubOp: _difference,
    ew.SelectOp: _choice,
    **dict.fromkeys((ew.LogOp, ew.Log1pOp), _logarithm),
    **dict.fromkeys(INVERSES, _undone),
}
"""The rewrites, by the op that a pattern ends in."""
