"""Sums of absorbing products as sums of plain ones, which are added again where the outcome is NaN.

    total = sum of k[r] * dx[r]                       one instruction for each product
    if total is NaN:
      total = sum of absorbing_mul(k[r], dx[r])       comparisons, a selection, a product, an addition

An absorbing product differs from a plain one only where it is 0 and the plain one is NaN. Sums, products and
quotients of NaN are NaN, so if such a product goes through nothing else on its way to a sum, the sum tells.
Whether it does is a matter of the elements alone, so results do not depend on threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.extents import nominal
from mlirad.dialects.shapes import Value as Ssa
from mlirad.dialects.shapes import is_float
from mlirad.lower.emit.body import Body
from mlirad.lower.emit.reductions import Accumulator
from mlirad.lower.emit.schedule import NestSchedule
from mlirad.lower.llvm_text import BYTES, IRBuilder, Value
from mlirad.lower.machine import ABSORPTION

LEAST_TERMS: Final = 8
"""The fewest terms of a sum for which it is tested whether it is NaN."""

LEAST_GAIN: Final = 10_000.0
"""The fewest cycles that plain products must save in a program, as the second sum takes time to compile."""

_SHOWS_NAN: Final = (ew.AddOp, ew.SubOp, ew.MulOp, ew.DivOp, ew.NegOp, ew.AbsorbingMulOp)
"""The ops whose result is NaN if an operand is; absorbing products, as they are plain."""


def pays(body: Body, schedule: NestSchedule, combiners: Sequence[str], runs: int, vector_bytes: int) -> bool:
    """Whether sums of a nest that runs so many times are to be tried with plain products."""
    inner = schedule.order[schedule.outer :]
    terms = nominal(prod(body.extents[d] for d in inner))
    products = _products(body, frozenset(inner))
    if terms < LEAST_TERMS or not products:
        return False
    sums = [v for v, c in zip(body.yielded, combiners, strict=True) if c == "add" and is_float(v)]
    if not all(_shows(body, product.result, sums) for product in products):
        return False
    lanes = 1 if schedule.lane is None else vector_bytes // max(BYTES[b.kind] for b in body.result_buffers)
    computed = nominal(prod(body.extents)) * len(products) * runs
    return computed / max(1, lanes) * ABSORPTION >= LEAST_GAIN


def _products(body: Body, loops: frozenset[int]) -> list[ew.AbsorbingMulOp]:
    """The absorbing products that are computed inside of loops."""
    needed = body.needed(body.yielded)
    products = [op for op in needed if isinstance(op, ew.AbsorbingMulOp)]
    return [op for op in products if body.dependences[op.result] & loops]


def _shows(body: Body, value: Ssa, sums: Sequence[Ssa]) -> bool:
    """Whether one of the sums is NaN where a value is."""
    reached = {value}
    for op in body.block.ops:
        if isinstance(op, _SHOWS_NAN) and any(o in reached for o in op.operands):
            reached.update(op.results)
    return any(v in reached for v in sums)


def is_nan(f: IRBuilder, totals: Sequence[Sequence[Accumulator]]) -> Value:
    """Whether any lane of any total that is a float is NaN, a scalar."""
    alike: dict[tuple[str, int], list[Value]] = {}
    for total in (accumulator[0] for copies in totals for accumulator in copies):
        if total.is_float:
            alike.setdefault((total.kind, total.width), []).append(total)
    found: Value | None = None
    for values in alike.values():
        pairs = zip(values[::2], [*values[1::2], values[-1]], strict=False)
        mask: Value | None = None
        for one, other in pairs:
            unordered = f.fcmp("uno", one, other)
            mask = unordered if mask is None else f.or_(mask, unordered)
        assert mask is not None
        any_lane = f.any_lane(mask)
        found = any_lane if found is None else f.or_(found, any_lane)
    assert found is not None
    return found
