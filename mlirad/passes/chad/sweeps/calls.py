"""The sweep of calls: forward a call that also returns residuals, backward one that adds to sums.

    y = call @g(x)      forward     y, r = call @g_fwd(x)
                        backward    s[x] = call @g_bwd(r, s[y], s[x])

The arguments that `@g_bwd` reads are passed to it by the caller, who has them, and not returned. It takes no
sum for a scalar, or an array to which it may hand a whole cotangent, perhaps that of a result: it returns the
cotangent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.dialects.func import CallOp
from xdsl.ir import Attribute

from mlirad.dialects.shapes import Value, shape_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.free_values import own_operands
from mlirad.lazy_dataclass import dataclass
from mlirad.linear_maps.elements import value_of
from mlirad.passes.chad.sweeps.backward import (
    HANDS_ON_WHOLES,
    READS_PARTS,
    Backward,
    BackwardStep,
    Cotangents,
)
from mlirad.passes.chad.sweeps.sweep import Construct, Sweep


@dataclass(frozen=True)
class Derived:
    """The functions derived from a function for some of its parameters.

    `@forward(x.. ) -> (y.., r..)`, where r are the residuals that are not parameters, and
    `@backward(residuals.., ct.., sums..) -> sums..`, with a cotangent for each result in `active`.
    `kept[k]` is the parameter that residual k is, `None` for one that `forward` returns. `fresh` are the
    parameters for which `backward` takes no sum.
    """

    forward: str
    backward: str
    outputs: Sequence[Attribute]
    results: int
    kept: Sequence[int | None]
    active: Sequence[int]
    fresh: frozenset[int]

    def call_forward(self, b: ArrayBuilder, arguments: Sequence[Value]) -> tuple[list[Value], list[Value]]:
        """Call the forward function; returns what the function returns, and all residuals."""
        made = called(b, self.forward, arguments, self.outputs)
        values, rest = made[: self.results], iter(made[self.results :])
        return values, [next(rest) if k is None else arguments[k] for k in self.kept]


def called(b: ArrayBuilder, name: str, operands: Sequence[Value], types: Sequence[Attribute]) -> list[Value]:
    """The results of a call."""
    return list(b.insert(CallOp, operands, types, {"callee": SymbolRefAttr(name)}).results)


Derive: TypeAlias = Callable[[CallOp, tuple[int, ...]], Derived | None]
"""From a call and the places of its operands that are differentiated to what is made of the callee; `None` of
a function that calls itself."""


def call(derive: Derive) -> Construct:
    """The construct of calls."""

    def construct(s: Sweep, op: CallOp) -> None:
        operands = list(own_operands(op))
        wrt = tuple(k for k, v in enumerate(operands) if v in s.active)
        derived = derive(op, wrt)
        if derived is None:
            s.by_map(op)
            return
        values, residuals = derived.call_forward(s.b, s.values(operands))
        s.env.update(zip(op.results, values, strict=True))
        results = [op.results[k] for k in derived.active]
        sources = [operands[k] for k in wrt]
        if not results:
            return

        def pull(back: Backward, cotangents: Cotangents) -> None:
            b = back.b
            cts = [value_of(b, ct, v.type) for v, ct in zip(results, cotangents, strict=True)]
            before = [b.zeros(v.type) if v in again else back.taken_sum(v) for v in summed]
            made = called(b, derived.backward, [*residuals, *cts, *before], [v.type for v in sources])
            for k, v, total in zip(wrt, sources, made, strict=True):
                if k in derived.fresh or v in again:
                    back.add(v, total)
                else:
                    back.sums[v] = total

        summed = [v for k, v in zip(wrt, sources, strict=True) if k not in derived.fresh]
        again = {v for v, count in Counter(sources).items() if count > 1}
        handed = zip(wrt, sources, strict=True)
        wholes = dict.fromkeys(v for k, v in handed if shape_of(v) and (k in derived.fresh or v in again))
        waits = HANDS_ON_WHOLES if wholes else READS_PARTS
        s.enter(BackwardStep(results, dict.fromkeys(sources), wholes, pull, op.location, waits))

    return construct
