"""`linearize` and `vjp`: a function's value at a point and its derivative there as an object.

    y, J = ad.linearize(f, x)          J(dx) is the derivative, J.T(ct) its transpose
    y, pullback = ad.vjp(f, x)         pullback(ct) is a tuple, one cotangent per argument

At the top level one program computes the value and the residuals, which the map keeps; applying the map runs
a second program on the residuals and the vector, so nothing of f is computed again. A residual that is an
argument is not copied. Inside a trace the map is an op that is applied wherever it is called.

    program, leaves = linearized(f, (x,), Options())     compiled once for arguments like these
    program.split.map                                    the map's code, a function of the residuals
    value, residuals = program.run(leaves)               at this point
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any, Unpack, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.dialects.func import FuncOp

from mlirad.frontend import derivatives
from mlirad.frontend.compilation import Executable, brought_to, compiling, executable
from mlirad.frontend.derivatives import Linearization, linearize_at
from mlirad.frontend.dtypes import plain_array
from mlirad.frontend.frames import Frame, Functions, is_tracing, tracing
from mlirad.frontend.functions import (
    LeafType,
    argument_paths,
    function_name,
    hint_of,
    leaf_type,
    parameter_names,
)
from mlirad.frontend.linear_maps import LinearMap
from mlirad.frontend.map_expressions import Node, Structure
from mlirad.frontend.map_kinds import Derivative, TracedDerivative
from mlirad.frontend.programs import Cache, CompileOptions, Options, cache_of, options_of, signature_key
from mlirad.frontend.pytree import Tree, flatten
from mlirad.frontend.reports import sealed, with_reports
from mlirad.frontend.spaces import Space, moving_type
from mlirad.frontend.stats import Stats
from mlirad.frontend.tracebacks import plain_errors
from mlirad.frontend.tracer import Array
from mlirad.passes.function_pass import functions_of, nested_ops
from mlirad.passes.split_map import SplitMap, split_map


@plain_errors
def linearize(
    function: Callable[..., Any], *primals: Any, **options: Unpack[CompileOptions]
) -> tuple[Any, LinearMap]:
    """The value of `function` at `primals` and its derivative there."""
    if is_tracing():
        at = linearize_at(function, primals, range(len(primals)))
        return at.value, _traced_map(at, function)
    program, leaves = linearized(function, primals, options_of(options))
    value, residuals = program.run(leaves)
    return value, LinearMap(program.structure, residuals)


@plain_errors
def vjp(
    function: Callable[..., Any], *primals: Any, **options: Unpack[CompileOptions]
) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """The value of `function` at `primals`, and the function from a cotangent of it to those of the primals.

    The cotangents come as a tuple, one entry per argument, with `None` for integer and boolean leaves.
    """
    if is_tracing():
        at = linearize_at(function, primals, range(len(primals)))

        def pull_traced(cotangent: Any) -> tuple[Any, ...]:
            vectors = derivatives.cotangents_of(at, cotangent, "the cotangent")
            return at.arguments.unflatten(at.transposed_image(vectors))

        return at.value, pull_traced
    value, derivative = linearize(function, *primals, **options)

    def pullback(cotangent: Any) -> tuple[Any, ...]:
        vectors = derivative.codomain.read((cotangent,), "the cotangent")
        return derivative.domain.structured(derivative.T.image(vectors))

    return value, pullback


def _traced_map(at: Linearization, function: Callable[..., Any]) -> LinearMap:
    """The map of a linearisation in the trace, which stays an op that is applied where it is called."""
    moving = {k: LeafType(o.shape, o.dtype) for k, o in zip(at.moving, at.operands, strict=False)}
    names = tuple(parameter_names(function, len(at.arguments.children)))
    domain = Space(at.arguments, tuple(moving.get(k) for k in range(at.leaves)), True, names)
    results = (moving_type(LeafType(r.shape, r.dtype)) for r in at.results)
    kind = TracedDerivative(at.traced.name, at)
    node = Node(kind, arrays=tuple(range(len(at.operands))))
    return LinearMap(Structure(domain, Space(at.traced.tree, tuple(results)), (node,)), at.operands)


# Compiling ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Linearized:
    """A function linearised for arguments of some types: its primal program and the code of its map.

    `structure` is its derivative as an expression of the residuals; `called` are the functions that it names.
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
    def structure(self) -> Structure:
        """The derivative, made of the residuals."""
        node = Node(Derivative(self), arrays=tuple(range(len(self.split.kept))))
        return Structure(self.domain, self.codomain, (node,))

    def run(self, leaves: Sequence[Any]) -> tuple[Any, tuple[Any, ...]]:
        """The value of the function, and the residuals at this point."""
        made: Any = self.primal(*leaves)
        results = cast("tuple[Any, ...]", made) if isinstance(made, tuple) else (made,)
        values = self.split.values
        rest = iter(results[values:])
        kept = (next(rest) if k is None else _as_given(leaves[k]) for k in self.split.kept)
        return self.codomain.tree.unflatten(results[:values]), tuple(kept)


def linearized(
    function: Callable[..., Any], primals: tuple[Any, ...], options: Options
) -> tuple[Linearized, list[Any]]:
    """The compiled linearisation for primals like these, and their leaves as its program takes them."""
    leaves, tree = flatten(primals)
    paths = argument_paths(function, tree)
    types = [leaf_type(leaf, path) for leaf, path in zip(leaves, paths, strict=True)]
    cache: Cache = cache_of(function, ("linearize", options))
    key = signature_key(tree, types)
    found = cast("Linearized | None", cache.find(key))
    if found is None:
        make = cast(Any, lambda: _compile(function, tree, types, options))
        found = cast(Linearized, cache.find_or_make(key, make))
    return found, [v if type(v) in (int, float, bool) else plain_array(v) for v in leaves]


def _as_given(leaf: Any) -> Any:
    """An argument that is kept: itself, a Python scalar as one of NumPy's."""
    return np.asarray(leaf)[()] if type(leaf) in (int, float, bool) else leaf


def _compile(
    function: Callable[..., Any], tree: Tree, types: Sequence[LeafType], options: Options
) -> Linearized:
    stats = Stats()
    with compiling():
        start = time.perf_counter()
        module, codomain = trace_map(function, tree, types, options.checks)
        stats.add("trace", time.perf_counter() - start, module)
        brought_to("maps", module, options, stats)
        main = _main(module)
        called = _renamed([f for f in functions_of(module) if f is not main], main)
        split = split_map(main)
        pieces = ModuleOp([split.primal, *(f.clone() for f in called)])
        primal, _ = executable(pieces, options, stats, "primal")
    names = tuple(parameter_names(function, len(tree.children)))
    domain = Space(tree, tuple(moving_type(t) for t in types), True, names)
    name = function_name(function)
    return Linearized(name, primal, split, domain, codomain, options, stats, Cache(), called)


_numbers = count()


def _renamed(functions: list[FuncOp], main: FuncOp) -> tuple[FuncOp, ...]:
    """The functions by names that no other linearisation has, also where they and `main` are named."""
    names = {f.sym_name.data: f"{f.sym_name.data}.{next(_numbers)}" for f in functions}
    for function in (*functions, main):
        for op in nested_ops(function.body) if names else ():
            callee = op.properties.get("callee")
            if isinstance(callee, SymbolRefAttr) and callee.root_reference.data in names:
                op.properties["callee"] = SymbolRefAttr(names[callee.root_reference.data])
    for function in functions:
        function.properties["sym_name"] = StringAttr(names[function.sym_name.data])
        function.detach()
    return tuple(functions)


def _main(module: ModuleOp) -> FuncOp:
    return next(op for op in module.body.block.ops if isinstance(op, FuncOp) and op.sym_name.data == "main")


def trace_map(
    function: Callable[..., Any],
    tree: Tree,
    types: Sequence[LeafType],
    checks: frozenset[str] = frozenset(),
) -> tuple[ModuleOp, Space]:
    """The module of @main from the point to the values and the map, and the space the map ends in."""
    return with_reports(lambda functions: _trace_map(functions, function, tree, types), checks)


def _trace_map(
    functions: Functions, function: Callable[..., Any], tree: Tree, types: Sequence[LeafType]
) -> tuple[ModuleOp, Space]:
    frame = Frame(functions, [t.type for t in types], None)
    name = functions.fresh_name("main")
    for arg, path in zip(frame.block.args, argument_paths(function, tree), strict=True):
        arg.name_hint = hint_of(path)
    with tracing(frame):
        arguments = [
            Array(v, frame.scope, t.weak) for v, t in zip(list(frame.block.args), types, strict=True)
        ]
        at = linearize_at(function, tree.unflatten(arguments), range(len(tree.children)))
        map_ = at.map([o.value for o in at.operands])
        main = frame.finish(name, [*sealed([r.value for r in at.results]), map_], visibility=None)
    results = tuple(moving_type(LeafType(r.shape, r.dtype)) for r in at.results)
    return ModuleOp([*functions.finished, main]), Space(at.traced.tree, results)
