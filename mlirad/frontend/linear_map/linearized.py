"""A function linearised and compiled, and its derivative as a node of map expressions.

value, derivative = program.at(*leaves)      at a point, the derivative there as a `LinearMap`
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import field
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlirad.dialects.shapes import Value
from mlirad.frontend.compiling.compilation import Executable, compiling
from mlirad.frontend.compiling.options import Options
from mlirad.frontend.compiling.programs import Cache
from mlirad.frontend.compiling.stats import Stats
from mlirad.frontend.linear_map.expressions import ExpressionStep, MapExpression, MapNode
from mlirad.frontend.linear_map.linear_maps import LinearMap
from mlirad.frontend.linear_map.spaces import Space
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.builder import function_block
from mlirad.ir.call_graph import functions_of, rename_functions
from mlirad.ir.parsing import parse_module
from mlirad.ir.printing import text_of
from mlirad.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from mlirad.passes.split_map import SplitMap


@dataclass(frozen=True, eq=False)
class MapCode:
    """The code of a derivative: a function from residuals to a map, which is pickled as text.

    `called` are the functions that it names, `programs` those of expressions with this derivative.
    """

    name: str
    map: FuncOp
    called: tuple[FuncOp, ...]
    options: Options
    programs: Cache = field(default_factory=Cache)

    def __reduce__(self) -> tuple[Any, ...]:
        text = text_of(ModuleOp([f.clone() for f in (self.map, *self.called)]))
        key = (self.name, text, self.options)
        _codes.setdefault(key, self)
        return _code, key


_codes: weakref.WeakValueDictionary[tuple[str, str, Options], MapCode] = weakref.WeakValueDictionary()
"""The code that was pickled or read here, so that all maps of one code have their programs together."""


def _code(name: str, text: str, options: Options) -> MapCode:
    """The code that was pickled as this."""
    known = _codes.get((name, text, options))
    if known is not None:
        return known
    return _codes.setdefault((name, text, options), _read(name, text, options))


@compiling
def _read(name: str, text: str, options: Options) -> MapCode:
    module = parse_module(text)
    map_, *called = functions_of(module)
    map_.detach()
    return MapCode(name, map_, renamed(called, map_), options)


_numbers = count()


def renamed(functions: Sequence[FuncOp], main: FuncOp) -> tuple[FuncOp, ...]:
    """The functions by names that no other linearisation has, also where they and `main` are named."""
    names = {f.sym_name.data: f"{f.sym_name.data}.{next(_numbers)}" for f in functions}
    rename_functions((*functions, main), names)
    for function in functions:
        function.detach()
    return tuple(functions)


@dataclass(frozen=True)
class Derivative(MapNode):
    """The derivative of a compiled function, made of its residuals."""

    form = "D({self.program.name})"

    program: MapCode  # pyright: ignore[reportIncompatibleVariableOverride]

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        location, hint = b.location, b.name_hint
        made = b.inline_block(function_block(self.program.map), arrays, {})
        b.location, b.name_hint = location, hint
        return made[0]


@dataclass(frozen=True, eq=False)
class Linearized:
    """A function linearised for arguments of some types: its primal program and the code of its map.

    `expression` is its derivative as an expression of the residuals, `rooms` are the rows for the records of
    each type.
    """

    primal: Executable
    split: SplitMap
    code: MapCode
    domain: Space
    codomain: Space
    stats: Stats
    rooms: tuple[int, ...] = ()

    @cached_property
    def expression(self) -> MapExpression:
        """The derivative, made of the residuals."""
        step = ExpressionStep(Derivative(self.code), arrays=tuple(range(len(self.split.kept))))
        return MapExpression(self.domain, self.codomain, (step,))

    def at(self, *leaves: Any) -> tuple[Any, LinearMap]:
        """The value of the function and its derivative at this point."""
        made: Any = self.primal(*leaves)
        results = cast("tuple[Any, ...]", made) if isinstance(made, tuple) else (made,)
        values = self.split.values
        rest = iter(results[values:])
        kept = (next(rest) if k is None else _as_given(leaves[k]) for k in self.split.kept)
        value = self.codomain.tree.unflatten(results[:values])
        return value, LinearMap(self.expression, tuple(kept))


def _as_given(leaf: Any) -> Any:
    """An argument that is kept: itself, a Python scalar as one of NumPy's."""
    return np.asarray(leaf)[()] if type(leaf) in (int, float, bool) else leaf
