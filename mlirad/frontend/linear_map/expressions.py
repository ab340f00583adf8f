"""Expressions of linear maps over arrays: what a `LinearMap` is, apart from its arrays.

    (J.T @ D @ J)      steps   0  D(f) of arrays 0, 1       1  transpose of 0      2  diagonal of array 2
                               3  compose 1, 2              4  compose 3, 0

A `MapExpression` is a list of steps, each made of arrays and of steps before it; the last step is the map. It
is hashable and holds no array, so that programs are kept by it and serve all points. Emitted by the folding
constructors of the `linear` dialect, equal parts become one value.

In the program the leaves of a space are components of one flat tuple, however they are nested in Python.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Protocol, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import TupleType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from mlirad.dialects.shapes import Value, components_of
from mlirad.errors import PicklingError
from mlirad.frontend.compiling.options import Options
from mlirad.frontend.compiling.programs import Cache
from mlirad.frontend.linear_map.spaces import Space
from mlirad.frontend.tracing.source import user_line
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.maps import codomain_of
from mlirad.lazy_dataclass import dataclass

Text: TypeAlias = tuple[str, int]
"""An expression as text, and how tightly its outermost operator binds."""

SUM, PRODUCT, POSTFIX, ATOM = range(4)


class MapProgram(Protocol):
    """A linearised function whose derivative is in an expression, as far as programs of it are concerned."""

    @property
    def options(self) -> Options:
        """Return how it is compiled."""
        ...

    @property
    def programs(self) -> Cache:
        """The programs of expressions with its derivative."""
        ...

    @property
    def called(self) -> tuple[FuncOp, ...]:
        """The functions that the code of the derivative names."""
        ...


class MapNode(ABC):
    """A step of an expression: a map made of other maps and of arrays.

    `program` is the linearised function whose derivative it is, if it is one; `is_traced` says that it is the
    derivative of a function that only the trace around it knows.
    """

    program: ClassVar[MapProgram | None] = None
    is_traced: ClassVar[bool] = False

    form: ClassVar[str] = ""
    """The map as one would write it in Python: a format of the texts of maps, then of arrays."""
    levels: ClassVar[tuple[int, ...]] = (ATOM,)
    """The binding strength of its outermost operator, then the one that each of the maps needs."""

    @abstractmethod
    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        """The map in the program."""

    def text(self, maps: Sequence[Text], arrays: Sequence[str]) -> Text:
        """The map by its form, with parentheses around maps that bind less tightly than they have to."""
        level, *inside = self.levels
        every = ", ".join(text for text, _ in maps)
        return self.form.format(*map(bound, maps, inside), *arrays, self=self, every=every), level


@dataclass(frozen=True)
class ExpressionStep:
    """A node, and the numbers of the steps and arrays it is made of."""

    node: MapNode
    maps: tuple[int, ...] = ()
    arrays: tuple[int, ...] = ()


@dataclass(frozen=True)
class MapExpression:
    """An expression between two spaces."""

    IS_VALUE: ClassVar = True

    domain: Space
    codomain: Space
    steps: tuple[ExpressionStep, ...]

    @cached_property
    def _hash(self) -> int:
        return hash((self.domain, self.codomain, self.steps))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        if self.is_traced:
            raise PicklingError(
                "a map made inside a trace has no arrays yet, so it cannot be pickled",
                location=user_line(),
                hint="use ad.linearize outside of the traced function",
            )
        # Without the hash, which is another one in every process.
        return MapExpression, (self.domain, self.codomain, self.steps)

    @property
    def programs(self) -> tuple[MapProgram, ...]:
        """The linearised functions whose maps it is made of."""
        return tuple(n.node.program for n in self.steps if n.node.program is not None)

    @property
    def is_traced(self) -> bool:
        """Return whether it is made of derivatives that only the trace around it knows."""
        return any(step.node.is_traced for step in self.steps)

    def emit(self, b: ArrayBuilder, arrays: Sequence[Value]) -> Value:
        """The map in the program, of its arrays there."""
        made: list[Value] = []
        for step in self.steps:
            made.append(step.node.emit(b, [made[k] for k in step.maps], [arrays[k] for k in step.arrays]))
        return made[-1]

    def text(self, arrays: Sequence[Any]) -> str:
        """The expression as one would write it in Python, scalars as numbers."""
        numbers = [_number(a) for a in arrays]
        shown: list[Text] = []
        for step in self.steps:
            text, level = step.node.text([shown[k] for k in step.maps], [numbers[k] for k in step.arrays])
            shown.append((text, level) if len(text) <= MAX_TEXT else ("...", ATOM))
        return shown[-1][0]


MAX_TEXT = 160
"""Length beyond which a part of an expression is printed as dots."""


def _number(array: Any) -> str:
    """A scalar as text; what has more elements, or none yet, by a letter."""
    return f"{float(cast(Any, array)):.4g}" if isinstance(array, np.number) else "s"


def bound(text: Text, level: int) -> str:
    """Text in parentheses if it binds less tightly than what it stands in."""
    return text[0] if text[1] >= level else f"({text[0]})"


# Flat spaces in the program ----------------------------------------------------------------------------


def leaf_maps(b: ArrayBuilder, m: Value) -> list[Value]:
    """The maps to the leaves of the codomain."""
    codomain = codomain_of(m)
    if not isinstance(codomain, TupleType):
        return [m]
    return [b.compose(b.project(codomain, k), m) for k in range(len(components_of(codomain)))]


def paired(b: ArrayBuilder, domain: Attribute, leaves: Sequence[Value]) -> Value:
    """The map to the product of the leaves' codomains."""
    return leaves[0] if len(leaves) == 1 else b.vcat(domain, leaves)


def selection(b: ArrayBuilder, space: Attribute, places: Sequence[int]) -> Value:
    """The map from a space to some of its leaves."""
    leaves = leaf_maps(b, b.identity_map(space))
    return paired(b, space, [leaves[k] for k in places])
