"""Programs under CHAD in both modes, run side by side: values, points, tangents and cotangents of any type.

    worlds = Worlds(module, arguments)             @main(x: f64, v: tensor<3xf64>, n: i64) -> a value
    covector = worlds.covector(type_, *worlds.values, rng)
    covector.pairing(worlds.pushed(tangents))      equals the inner product of the tangents with
    worlds.pulled(covector.element)

A closure in one mode is not one in the other, and neither is an array; so a point that is or holds a closure
is a value of each mode, made by a function of the module.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TupleType, f64, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Region

from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.function import ApplyOp, ClosureType, SumType
from mlirad.dialects.shapes import Value, is_float, shape_of
from mlirad.interpreter.functions import FUNCTION_MEANINGS, Alternative
from mlirad.interpreter.machine import Frame, Machine
from mlirad.interpreter.running import ELEMENT_MEANINGS, MEANINGS, prepared
from mlirad.interpreter.spaces import Function, Pairs, zeros
from mlirad.passes.chad.specification.specification import add_derivative
from mlirad.passes.chad.types import Types
from mlirad.recursion import deep_recursion
from tests.generators.higher_order import VECTOR, Terms

PARAMETERS = (f64, VECTOR, i64)


def random_value_of(type_: Attribute, seed: int, fuel: int) -> ModuleOp:
    """A module whose @main returns a random value of a type, and which has functions for points in it."""
    terms = Terms(random.Random(seed))
    functions = [_function(terms, "main", PARAMETERS, type_, fuel)]
    for k, point in enumerate(points_in(type_)):
        functions.append(_function(terms, f"point{k}", (), point, fuel))
    return ModuleOp([*functions, *terms.functions])


def _function(terms: Terms, name: str, types: Sequence[Attribute], result: Attribute, fuel: int) -> FuncOp:
    def body(*arguments: Value) -> list[Value]:
        return [terms.term(result, fuel)]

    region = Region(terms.block(types, body, terminator=ReturnOp))
    return FuncOp(name, (list(types), [result]), region)


def points_in(type_: Attribute) -> list[Attribute]:
    """The types of the points at which the closures in values of a type are applied, each once."""
    found: dict[Attribute, None] = {}
    pending = [type_]
    while pending:
        current = pending.pop()
        if isinstance(current, TupleType | SumType):
            pending += current.types.data
        elif isinstance(current, ClosureType):
            found.update(dict.fromkeys(current.inputs))
            pending += current.outputs
    return list(found)


@dataclass
class Covector:
    """A cotangent, as an element in reverse mode and as what it makes of a tangent in forward mode."""

    element: Any
    pairing: Callable[[Any], float]


class Worlds:
    """A program run under both modes on the same arguments."""

    def __init__(self, module: ModuleOp, arguments: Sequence[Any]):
        self.machines: list[Machine] = []
        self.values: list[Any] = []
        self.maps: list[Any] = []
        self.points: list[dict[Attribute, Any]] = []
        (result,) = _functions(module)["main"].function_type.outputs.data
        self.is_bare = _is_bare([result])
        for mode in ("forward", "reverse"):
            world = module.clone()
            for name in [n for n in _functions(module) if n == "main" or n.startswith("point")]:
                deep_recursion(add_derivative)(world, name, mode)
            functions, _, given = prepared(world, arguments, "main")
            machine = Machine(MEANINGS, ELEMENT_MEANINGS, functions)
            self.machines.append(machine)
            value, map_ = _run(lambda m=machine, g=given: m.call("main_chad", g))
            self.values.append(value)
            self.maps.append(map_)
            names = [f"point{k}_chad" for k in range(len(points_in(result)))]
            made = [_run(lambda m=machine, n=n: m.call(n, []))[0] for n in names]
            self.points.append(dict(zip(points_in(result), made, strict=True)))

    def applied(self, mode: int, closure: Any, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """The results of a closure, the map last."""
        frame = Frame(self.machines[mode], {})
        return tuple(_run(lambda: FUNCTION_MEANINGS[ApplyOp](None, [closure, *arguments], frame)))

    def pushed(self, tangents: tuple[Any, ...]) -> Any:
        """The tangent of the result."""
        image = _run(lambda: self.maps[0].apply(tangents))
        return image if self.is_bare else image[0]

    def pulled(self, cotangent: Any) -> Any:
        """The cotangents of the arguments."""
        return _run(lambda: self.maps[1].apply(cotangent if self.is_bare else (cotangent,)))

    def covector(self, type_: Attribute, forward: Any, reverse: Any, rng: random.Random) -> Covector:
        """A random cotangent at a value of a type, given as it is in both modes."""
        match type_:
            case TupleType():
                parts = [
                    self.covector(t, a, b, rng)
                    for t, a, b in zip(type_.types.data, forward, reverse, strict=True)
                ]
                return _product(parts)
            case SumType():
                return self._of_sum(type_, forward, reverse, rng)
            case ClosureType():
                return self._of_closure(type_, forward, reverse, rng)
            case _ if is_float(type_):
                w = np.asarray([rng.uniform(-1, 1) for _ in range(np.size(forward))])
                w = w.reshape(shape_of(type_)).astype(numpy_dtype(type_))[()]
                return Covector(w, lambda d: float(np.sum(d * w)))
            case _:
                return Covector((), lambda d: 0.0)

    def _of_sum(
        self, type_: SumType, forward: Alternative, reverse: Alternative, rng: random.Random
    ) -> Covector:
        assert forward.index == reverse.index
        space = Types("reverse").linear(type_)
        assert isinstance(space, TupleType)
        own = self.covector(type_.types.data[forward.index], forward.value, reverse.value, rng)
        parts = [zeros(s) for s in space.types.data]
        parts[forward.index] = own.element

        def pairing(tangent: Any) -> float:
            others = [d for k, d in enumerate(tangent) if k != forward.index]
            assert all(is_nothing(d) for d in others)
            return own.pairing(tangent[forward.index])

        return Covector(tuple(parts), pairing)

    def _of_closure(self, type_: ClosureType, forward: Any, reverse: Any, rng: random.Random) -> Covector:
        calls: list[tuple[tuple[Any, ...], tuple[Any, ...], Covector]] = []
        for _ in range(rng.randint(1, 3)):
            drawn = [self._point(t, rng) for t in type_.inputs]
            ahead, back = tuple(p[0] for p in drawn), tuple(p[1] for p in drawn)
            *a, _ = self.applied(0, forward, ahead)
            *b, _ = self.applied(1, reverse, back)
            parts = [self.covector(t, x, y, rng) for t, x, y in zip(type_.outputs, a, b, strict=True)]
            calls.append((ahead, back, parts[0] if _is_bare(type_.outputs) else _product(parts)))
        element = Pairs(tuple((back, w.element) for _, back, w in calls))

        def pairing(tangent: Function) -> float:
            return sum(w.pairing(_run(lambda a=ahead: tangent.at(*a))) for ahead, _, w in calls)

        return Covector(element, pairing)

    def _point(self, type_: Attribute, rng: random.Random) -> tuple[Any, Any]:
        """A point in both modes: numbers are drawn, others made by the program."""
        if is_float(type_):
            x = np.asarray([rng.uniform(-1, 1) for _ in range(int(np.prod(shape_of(type_))))])
            x = x.reshape(shape_of(type_))[()]
            return x, x
        ahead, back = (points[type_] for points in self.points)
        return ahead, back


def _product(parts: Sequence[Covector]) -> Covector:
    def pairing(tangent: Any) -> float:
        return sum(p.pairing(d) for p, d in zip(parts, tangent, strict=True))

    return Covector(tuple(p.element for p in parts), pairing)


def _is_bare(types: Sequence[Attribute]) -> bool:
    """Return whether the product of the linear parts of a signature is that of its one type itself."""
    return len(types) == 1 and not isinstance(Types("reverse").linear(types[0]), TupleType)


def is_nothing(element: Any) -> bool:
    """Return whether an element is 0, as far as can be seen without a point."""
    if isinstance(element, tuple):
        return all(is_nothing(part) for part in cast("tuple[Any, ...]", element))
    if isinstance(element, Pairs):
        return not element.pairs
    return isinstance(element, Function) or not np.any(element)


def _functions(module: ModuleOp) -> dict[str, FuncOp]:
    return {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, FuncOp)}


def _run(work: Callable[[], Any]) -> Any:
    with np.errstate(all="ignore"):
        return deep_recursion(work)()
