"""`linearize` and `vjp`: a function's value at a point and its derivative there as an object.

    y, J = ad.linearize(f, x)          J(dx) is the derivative, J.T(ct) its transpose
    y, pullback = ad.vjp(f, x)         pullback(ct) is a tuple, one cotangent per argument

At the top level one program computes the value and the residuals, which the map keeps; applying the map runs
a second program on the residuals and the vector, so nothing of f is recomputed. A residual that is an
argument is not copied. Inside a trace the map is an op that is applied wherever it is called.

    at, leaves = linearized(f, (x,), Options())     compiled once for arguments like these
    value, derivative = at(*leaves)                 at this point
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any, ClassVar, TypeAlias, Unpack

from xdsl.dialects.builtin import ModuleOp

from mlirad.dialects.shapes import UNIT, Value, components_of
from mlirad.frontend.compiling.compilation import compiling, executable
from mlirad.frontend.compiling.function_caches import cache_of
from mlirad.frontend.compiling.options import CompileOptions, Options, controlled, options_of
from mlirad.frontend.compiling.programs import Cache, signature_key
from mlirad.frontend.compiling.stats import Stats
from mlirad.frontend.compiling.transformed import Transformed, are_split
from mlirad.frontend.differentiation import derivatives
from mlirad.frontend.differentiation.argnums import Argnums, chosen_or_all
from mlirad.frontend.differentiation.derivatives import Linearization, linearize_at
from mlirad.frontend.linear_map.expressions import ExpressionStep, MapExpression, MapNode, paired
from mlirad.frontend.linear_map.linear_maps import LinearMap
from mlirad.frontend.linear_map.linearized import Linearized, MapCode, renamed
from mlirad.frontend.linear_map.spaces import Space, moving_type
from mlirad.frontend.tracing.argument_types import leaf_types
from mlirad.frontend.tracing.captures import Watch
from mlirad.frontend.tracing.control import Control, as_traced
from mlirad.frontend.tracing.dtypes import plain_array
from mlirad.frontend.tracing.frames import Functions
from mlirad.frontend.tracing.function_names import argument_hints, function_name, parameter_names
from mlirad.frontend.tracing.functions import THE_CALL, function_of, require_function, settled_trace
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.pytree import Tree, flatten
from mlirad.frontend.tracing.tokens import sealed
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.call_graph import functions_by_name
from mlirad.ir.maps import codomain_of, domain_of
from mlirad.lazy_dataclass import dataclass
from mlirad.packages import load


@plain_errors
def linearize(
    function: Callable[..., Any],
    *primals: Any,
    argnums: Argnums | None = None,
    **options: Unpack[CompileOptions],
) -> tuple[Any, LinearMap]:
    """The value of `function` at `primals` and its derivative there, by the arguments `argnums` or all.

    >>> value, J = ad.linearize(lambda x: x[:2] * x[2], np.array([1.0, 2.0, 3.0]))
    >>> J(np.array([0.0, 0.0, 1.0])), J.T(np.array([1.0, 0.0]))
    (array([1., 2.]), array([3., 0., 1.]))
    """
    require_function(function, THE_CALL)
    function = controlled(function, options_of(options))
    chosen = chosen_or_all(argnums)
    if is_tracing():
        positions = derivatives.positions_or_all(function, chosen, len(primals))
        at = linearize_at(function, primals, positions)
        return at.value, _traced_map(at, function, positions)
    if are_split(primals):
        return load(Transformed.split_calls).linearized(function, primals, options_of(options), chosen)
    at, leaves = linearized(function, primals, options_of(options), chosen)
    return at(*leaves)


@plain_errors
def vjp(
    function: Callable[..., Any],
    *primals: Any,
    argnums: Argnums | None = None,
    **options: Unpack[CompileOptions],
) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """The value of `function` at `primals`, and the function from a cotangent of it to those of the primals.

    The cotangents come as a tuple, one entry per argument, or for each of `argnums`, with `None` for integer
    and boolean leaves.

        >>> value, pullback = ad.vjp(lambda a, b: a * b, np.array([1.0, 2.0]), 3.0)
        >>> pullback(np.array([1.0, 1.0]))
        (array([3., 3.]), np.float64(3.0))
    """
    if is_tracing():
        function = controlled(function, options_of(options))
        at = linearize_at(function, primals, derivatives.positions_or_all(function, argnums, len(primals)))

        def pull_traced(cotangent: Any) -> tuple[Any, ...]:
            vectors = derivatives.cotangents_of(at, cotangent, "the cotangent")
            return at.cotangents(at.transposed_image(vectors))

        return at.value, pull_traced
    value, derivative = linearize(function, *primals, argnums=argnums, **options)

    def pullback(cotangent: Any) -> tuple[Any, ...]:
        domain, codomain = derivative.domain, derivative.codomain
        vectors = codomain.read((cotangent,), "the cotangent")
        images = derivative.T.image(_conjugated(codomain, vectors))
        return domain.structured(_conjugated(domain, images))

    return value, pullback


def _conjugated(space: Space, vectors: Sequence[Any]) -> list[Any]:
    """The moving leaves of a structure, with imaginary parts negated."""
    moving = [k for k, t in zip(space.tree.imaginary(), space.leaves, strict=True) if t is not None]
    return [-v if is_imaginary else v for v, is_imaginary in zip(vectors, moving, strict=True)]


def _traced_map(at: Linearization, function: Callable[..., Any], positions: Sequence[int]) -> LinearMap:
    """The map of a linearisation in the trace, which stays an op that is applied where it is called."""
    moving = {k: LeafType(o.shape, o.dtype) for k, o in zip(at.moving, at.operands, strict=False)}
    names = _names_of(function, positions)
    domain = Space(at.arguments, tuple(moving.get(k) for k in range(at.leaves)), True, names)
    results = (moving_type(LeafType(r.shape, r.dtype)) for r in at.results)
    node = TracedDerivative(at.traced.name, at)
    step = ExpressionStep(node, arrays=tuple(range(len(at.operands))))
    return LinearMap(MapExpression(domain, Space(at.traced.tree, tuple(results)), (step,)), at.operands)


@dataclass(frozen=True)
class TracedDerivative(MapNode):
    """The derivative of a function of the module being traced, made of the operands it is linearised at."""

    name: str
    at: Linearization = field(compare=False)
    is_traced: ClassVar[bool] = True
    form = "D({self.name})"

    def emit(self, b: ArrayBuilder, maps: Sequence[Value], arrays: Sequence[Value]) -> Value:
        whole = self.at.map(arrays)
        codomain = codomain_of(whole)
        carried = [k for k, part in enumerate(components_of(codomain)) if part != UNIT]
        if len(carried) == len(components_of(codomain)):
            return whole
        return paired(b, domain_of(whole), [b.compose(b.project(codomain, k), whole) for k in carried])


# Compiling ---------------------------------------------------------------------------------------

At: TypeAlias = Callable[..., tuple[Any, LinearMap]]
"""From the leaves of a point to the value and the derivative there."""


def linearized(
    function: Callable[..., Any],
    primals: tuple[Any, ...],
    options: Options,
    argnums: Argnums | None = None,
) -> tuple[At, list[Any]]:
    """The compiled linearisation for primals like these, and their leaves as its program takes them."""
    options.require_maps()
    leaves, tree = flatten(primals)
    types = leaf_types(function, leaves, tree)
    cache: Cache = cache_of(function, ("linearize", options, argnums))
    key = signature_key(tree, types)
    positions = derivatives.positions_or_all(function, argnums, len(primals))
    found = cache.of(key, lambda: _growing(function, tree, types, options, positions))
    return found, [v if type(v) in (int, float, bool) else plain_array(v) for v in leaves]


def _growing(
    function: Callable[..., Any],
    tree: Tree,
    types: Sequence[LeafType],
    options: Options,
    positions: Sequence[int],
) -> At:
    """The linearisation, which is made again where a call needs more rows for records than it has."""

    from mlirad.frontend.compiling.roomy import growing

    def made(rooms: tuple[int, ...]) -> tuple[At, tuple[int, ...]]:
        found = _compile(function, tree, types, options, positions, rooms)
        return found.at, found.rooms

    return growing(made)


@compiling
def _compile(
    function: Callable[..., Any],
    tree: Tree,
    types: Sequence[LeafType],
    options: Options,
    positions: Sequence[int],
    rooms: tuple[int, ...],
) -> Linearized:
    from mlirad.frontend.compiling.run_compiler import brought_to
    from mlirad.lower.cpu.emit.program import rooms_of
    from mlirad.passes.split_map import split_map

    stats = Stats()
    name = function_name(function)
    start = time.perf_counter()
    module, codomain = trace_map(function, tree, types, positions, options)
    stats.add("trace", time.perf_counter() - start, module)
    brought_to("maps", module, options, stats, rooms)
    functions = functions_by_name(module)
    made = rooms_of(list(functions.values()))
    main = functions.pop("main")
    called = renamed(list(functions.values()), main)
    split = split_map(main)
    pieces = ModuleOp([split.primal, *(f.clone() for f in called)])
    primal, native = executable(pieces, options, stats, "primal", name=name)
    if rooms and native is not None:
        from mlirad.frontend.compiling.roomy import require_rows

        require_rows(native.program.arena_bytes + sum(spec.nbytes for spec in native.program.outputs))
    domain = _domain(function, tree, types, positions)
    code = MapCode(name, split.map, called, options)
    return Linearized(primal, split, code, domain, codomain, stats, made)


def _names_of(function: Callable[..., Any], positions: Sequence[int]) -> tuple[str, ...]:
    """The names of the arguments at some positions."""
    names = parameter_names(function, max(positions, default=-1) + 1)
    return tuple(names[k] for k in positions)


def _domain(
    function: Callable[..., Any], tree: Tree, types: Sequence[LeafType], positions: Sequence[int]
) -> Space:
    """The tangents of the arguments at some positions; `types` are those of the leaves of all."""
    starts = [sum(child.size for child in tree.children[:k]) for k in positions]
    chosen = [tree.children[k] for k in positions]
    moving = (moving_type(t) for s, c in zip(starts, chosen, strict=True) for t in types[s : s + c.size])
    return Space(Tree(tuple, tuple(chosen)), tuple(moving), True, _names_of(function, positions))


def trace_map(
    function: Callable[..., Any],
    tree: Tree,
    types: Sequence[LeafType],
    positions: Sequence[int],
    options: Options,
) -> tuple[ModuleOp, Space]:
    """The module of @main from the point to the values and the map, and the space the map ends in."""
    return settled_trace(
        lambda functions: _trace_map(functions, function, tree, types, positions),
        Watch(function),
        options.checks,
        Control(options.control),
    )


def _trace_map(
    functions: Functions,
    function: Callable[..., Any],
    tree: Tree,
    types: Sequence[LeafType],
    positions: Sequence[int],
) -> tuple[ModuleOp, Space]:
    with function_of(functions, types, argument_hints(function, tree)) as (frame, arguments):
        at = linearize_at(as_traced(function), tree.unflatten(arguments), positions)
        map_ = at.map([o.value for o in at.operands])
        main = frame.finish("main", [*sealed([r.value for r in at.results]), map_], visibility=None)
    results = tuple(moving_type(LeafType(r.shape, r.dtype)) for r in at.results)
    return ModuleOp([*functions.finished, main]), Space(at.traced.tree, results)
