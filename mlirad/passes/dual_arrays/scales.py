"""Chains of scalings in the maps of a region become one scaling, so that one residual is kept, not several.

    S(c) ∘ (S(b) ∘ (S(a) ∘ m))   -->   S(c b a) ∘ m          if nobody else reads the maps between

The product is computed once, with the values of the region, and the reverse sweep multiplies once. The
forget gate of an LSTM, e ← e σ(z), is such a chain: instead of the cell, the quotient in σ and its
exponential, only their product is kept.

A chain is merged if at least two of its coefficients would be kept, one of them for nothing else, so that
what is kept never grows. A zero absorbs in the product as it does in the chain.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import TypeAlias

from xdsl.ir import Block, Operation

from mlirad.dialects import linear
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Shape, Value, shape_of, size_of
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.ir.free_values import own_operands
from mlirad.passes.dual_arrays.residuals import Residuals

__all__ = ["keeps_less", "merge_scales", "product"]

Link: TypeAlias = linear.ComposeOp | linear.ScaleOp
"""A composition with a scaling, or a scaling by itself."""


def merge_scales(
    b: ArrayBuilder, block: Block, tangent_maps: Sequence[Value], plan: Callable[[], Residuals]
) -> list[Value]:
    """The maps `tangent_maps` of a block under construction, chains of scalings merged.

    `plan` makes the residuals of the maps as they are; it is called only if there is a chain. Maps that
    change are re-emitted at the end of the block; the old ones are left without users.
    """
    ends = set(tangent_maps)
    planned = cache(plan)
    env: Environment = {}
    for op in list(block.ops):
        if not isinstance(op, linear.ComposeOp | linear.AddOp | linear.VcatOp):
            continue
        chain = _chain(op, ends)
        if len(chain) > 1 and _keeps_less(chain, planned()):
            env[op.results[0]] = _merged(b, chain, env)
        elif any(v in env for v in own_operands(op)):
            b.rebuild_unfolded(op, env)
    return [env.get(m, m) for m in tangent_maps]


def _chain(op: Operation, ends: Collection[Value]) -> list[Link]:
    """The compositions with scalings from `op` down that nobody reads between.

    The last may be a scaling by itself: its composition with the identity.
    """
    chain: list[Link] = []
    if _scaling(op) is None or _goes_on(op.results[0], ends):
        return chain
    while isinstance(op, linear.ComposeOp) and _scaling(op) is not None:
        chain.append(op)
        if not _goes_on(op.inner, ends) or not isinstance(op.inner.owner, Operation):
            break
        op = op.inner.owner
    if chain and isinstance(op, linear.ScaleOp):
        chain.append(op)
    return chain


def _scaling(op: Operation) -> linear.ScaleOp | None:
    """The scaling that a composition ends in."""
    outer = op.outer.owner if isinstance(op, linear.ComposeOp) else None
    return outer if isinstance(outer, linear.ScaleOp) else None


def _goes_on(m: Value, ends: Collection[Value]) -> bool:
    """Return whether the only reader of a map is a composition of a scaling with it."""
    if m in ends or not m.has_one_use():
        return False
    (use,) = m.uses
    return _scaling(use.operation) is not None


def _coefficients(chain: Sequence[Link]) -> list[Value]:
    """The coefficients from the outermost on."""
    scales = [op if isinstance(op, linear.ScaleOp) else _scaling(op) for op in chain]
    return [scale.coefficient for scale in scales if scale is not None]


def _keeps_less(chain: Sequence[Link], plan: Residuals) -> bool:
    """Return whether two coefficients of a chain are kept, and one as large as the product for the chain
    alone.
    """
    links = {op if isinstance(op, linear.ScaleOp) else op.outer.owner for op in chain}
    return keeps_less(_coefficients(chain), plan, lambda op: op in plan.recomputed and op not in links)


def keeps_less(coefficients: Sequence[Value], plan: Residuals, is_other: Callable[[Operation], bool]) -> bool:
    """Return whether two coefficients of a chain are kept, and one as large as the product for the chain
    alone.

    `is_other` says of an op that it needs what it reads of the residuals, and is not a scaling of the chain.
    """
    kept = {_unsigned(v) for v in coefficients} & plan.kept.keys()
    largest = max(map(size_of, kept), default=0)
    return len(kept) > 1 and any(size_of(v) == largest and not _has_readers(v, is_other) for v in kept)


def _unsigned(value: Value) -> Value:
    """Return what a value is the negative of, or itself; of the two, the plan keeps this one."""
    return value.owner.operand if isinstance(value.owner, ew.NegOp) else value


def _has_readers(value: Value, is_other: Callable[[Operation], bool]) -> bool:
    """Return whether one of the ops that read a value, or its negative, is of those that count."""
    readers = [use.operation for use in value.uses]
    for op in readers[:]:
        if isinstance(op, ew.NegOp):
            readers.remove(op)
            readers += [use.operation for use in op.results[0].uses]
    return any(map(is_other, readers))


def _merged(b: ArrayBuilder, chain: Sequence[Link], env: Environment) -> Value:
    """The chain as one scaling of the map below it."""
    last = chain[-1]
    b.location = last.location
    merged = b.scale_map(last.codomain, product(b, _coefficients(chain)))
    return (
        b.compose(merged, env.get(last.inner, last.inner)) if isinstance(last, linear.ComposeOp) else merged
    )


def product(b: ArrayBuilder, coefficients: Sequence[Value]) -> Value:
    """The product of the coefficients of a chain, which are given from the outermost on.

    It is made in the order in which a cotangent meets them, so that it overflows where the cotangent does.
    """
    found, *others = coefficients
    for coefficient in others:
        shape = max(shape_of(found), shape_of(coefficient), key=len)
        found = b.absorbing_mul(_in_shape(b, found, shape), _in_shape(b, coefficient, shape))
    return found


def _in_shape(b: ArrayBuilder, coefficient: Value, shape: Shape) -> Value:
    """A coefficient, which is a scalar or has the shape."""
    return coefficient if shape_of(coefficient) == shape else b.broadcast(coefficient, shape, ())
