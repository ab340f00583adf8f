"""A function linearised and compiled, and its derivative as a node of map expressions.

value, residuals = program.run(leaves)       at a point
LinearMap(program.expression, residuals)     the derivative there
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from xdsl.dialects.func import FuncOp

from mlirad.dialects.shapes import Value
from mlirad.frontend.compiling.compilation import Executable
from mlirad.frontend.compiling.options import Options
from mlirad.frontend.compiling.programs import Cache
from mlirad.frontend.compiling.stats import Stats
from mlirad.frontend.linear_map.expressions import MapExpression, MapNode, Step
from mlirad.frontend.linear_map.spaces import Space
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.builder import function_block
from mlirad.passes.split_map import SplitMap


@dataclass(frozen=True)
class Derivative(MapNode):
    """The derivative of a compiled function, made of its residuals."""

    form = "D({self.program.name})"

    program: Linearized  # pyright: ignore[reportIncompatibleVariableOverride]

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        location, hint = b.location, b.name_hint
        made = b.inline_block(function_block(self.program.split.map), arrays, {})
        b.location, b.name_hint = location, hint
        return made[0]


@dataclass(frozen=True, eq=False)
class Linearized:
    """A function linearised for arguments of some types: its primal program and the code of its map.

    `expression` is its derivative as an expression of the residuals; `called` are the functions that it
    names.
    """

    name: str
    primal: Executable
    split: SplitMap
    domain: Space
    codomain: Space
    options: Options
    stats: Stats
    programs: Cache
    called: tuple[FuncOp, ...]

    @cached_property
    def expression(self) -> MapExpression:
        """The derivative, made of the residuals."""
        step = Step(Derivative(self), arrays=tuple(range(len(self.split.kept))))
        return MapExpression(self.domain, self.codomain, (step,))

    def run(self, leaves: Sequence[Any]) -> tuple[Any, tuple[Any, ...]]:
        """The value of the function, and the residuals at this point."""
        made: Any = self.primal(*leaves)
        results = cast("tuple[Any, ...]", made) if isinstance(made, tuple) else (made,)
        values = self.split.values
        rest = iter(results[values:])
        kept = (next(rest) if k is None else _as_given(leaves[k]) for k in self.split.kept)
        return self.codomain.tree.unflatten(results[:values]), tuple(kept)


def _as_given(leaf: Any) -> Any:
    """An argument that is kept: itself, a Python scalar as one of NumPy's."""
    return np.asarray(leaf)[()] if type(leaf) in (int, float, bool) else leaf
