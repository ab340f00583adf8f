"""`linearize` and `vjp`: a function's value at a point and its derivative there as an object.

    y, J = ad.linearize(f, x)          J(dx) is the derivative, J.T(ct) its transpose
    y, pullback = ad.vjp(f, x)         pullback(ct) is a tuple, one cotangent per argument

At the top level one program computes the value and the residuals, which the map keeps; applying the map
runs a second program on the residuals and the vector, so nothing of f is computed again. Inside a trace the
map is an op that is applied wherever it is called.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlirad.dialects.array.literals import ELEMENT_TYPES
from mlirad.dialects.shapes import array_type
from mlirad.errors import DtypeError, ShapeError
from mlirad.frontend import derivatives
from mlirad.frontend.compilation import Executable, Stats, compiling, executable, expand
from mlirad.frontend.derivatives import Linearization, linearize_at
from mlirad.frontend.dtypes import plain_array
from mlirad.frontend.frames import Frame, Functions, is_tracing, tracing
from mlirad.frontend.functions import LeafType, argument_paths, hint_of, leaf_type
from mlirad.frontend.programs import Cache, Options, cache_of
from mlirad.frontend.pytree import Tree, flatten
from mlirad.frontend.source import user_line
from mlirad.frontend.tracer import Array
from mlirad.passes.split_linear_map import Part, split_linear_map


@dataclass(frozen=True)
class Space:
    """What a map starts from or ends in: the structure, and for each leaf its type, `None` if it has no
    derivative. `arguments` says that the structure is that of a list of arguments.
    """

    tree: Tree
    leaves: tuple[LeafType | None, ...]
    arguments: bool

    @property
    def size(self) -> int:
        """The number of components."""
        return sum(prod(leaf.shape) for leaf in self.leaves if leaf is not None)

    def read(self, given: tuple[Any, ...], what: str) -> list[Any]:
        """Vectors structured like the space as one array per leaf that has a derivative."""
        if not self.arguments and len(given) != 1:
            raise ShapeError(f"{what} takes one vector, {len(given)} given", location=user_line())
        try:
            leaves = self.tree.flatten_like(given if self.arguments else given[0], what)
        except ValueError as error:
            raise ShapeError(str(error), location=user_line()) from error
        paths = self.tree.paths(what)
        return [
            _vector(v, t, path)
            for v, t, path in zip(leaves, self.leaves, paths, strict=True)
            if t is not None
        ]

    def write(self, vectors: Sequence[Any]) -> Any:
        """Arrays in the structure of the space; of one argument, bare."""
        rest = iter(vectors)
        made = self.tree.unflatten([None if t is None else next(rest) for t in self.leaves])
        return made[0] if self.arguments and len(made) == 1 else made


class LinearMap:
    """A derivative at a point: a linear map from the tangents of the arguments to those of the results.

    `J(dx)` for one argument, `J(dx1, dx2)` for several; `J.T` is the transposed map, so `J.T(ct)` gives the
    cotangent of the argument, or a tuple of them. `None` stands for a zero vector, and for the vector of a
    leaf that has no derivative.
    """

    def __init__(
        self,
        domain: Space,
        codomain: Space,
        forward: Callable[[list[Any]], Sequence[Any]],
        transposed: Callable[[list[Any]], Sequence[Any]],
    ):
        self._domain, self._codomain = domain, codomain
        self._forward, self._transposed = forward, transposed

    @property
    def shape(self) -> tuple[int, int]:
        """The number of components of the results and of the arguments: the shape of the dense matrix."""
        return self._codomain.size, self._domain.size

    @property
    def T(self) -> LinearMap:
        """The transposed map."""
        return LinearMap(self._codomain, self._domain, self._transposed, self._forward)

    def __call__(self, *vectors: Any) -> Any:
        given = self._domain.read(vectors, "vectors" if self._domain.arguments else "the vector")
        return self._codomain.write(self._forward(given))

    def __repr__(self) -> str:
        return f"LinearMap({self.shape[0]} x {self.shape[1]})"


def linearize(
    function: Callable[..., Any], *primals: Any, interpret: bool = False, method: str = "dual-arrays"
) -> tuple[Any, LinearMap]:
    """The value of `function` at `primals` and its derivative there."""
    if is_tracing():
        at = linearize_at(function, primals, range(len(primals)))
        return at.value, _traced_map(at)
    program, leaves = _program(function, primals, Options(interpret, method), forward=True)
    value, residuals = program.run(leaves)
    return value, LinearMap(
        program.domain,
        program.codomain,
        lambda vectors: program.apply(0, residuals, vectors),
        lambda vectors: program.apply(1, residuals, vectors),
    )


def vjp(
    function: Callable[..., Any], *primals: Any, interpret: bool = False, method: str = "dual-arrays"
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
    program, leaves = _program(function, primals, Options(interpret, method), forward=False)
    value, residuals = program.run(leaves)

    def pullback(cotangent: Any) -> tuple[Any, ...]:
        vectors = program.codomain.read((cotangent,), "the cotangent")
        rest = iter(program.apply(0, residuals, vectors))
        cotangents = [None if t is None else next(rest) for t in program.domain.leaves]
        return program.domain.tree.unflatten(cotangents)

    return value, pullback


def _traced_map(at: Linearization) -> LinearMap:
    types = [LeafType(o.shape, o.dtype) for o in at.operands]
    leaves: list[LeafType | None] = [None] * at.leaves
    for k, type_ in zip(at.moving, types, strict=False):
        leaves[k] = type_
    results = [LeafType(r.shape, r.dtype) if r.dtype.kind == "f" else None for r in at.results]
    return LinearMap(
        Space(at.arguments, tuple(leaves), True),
        Space(at.traced.tree, tuple(results), False),
        lambda vectors: [v for v in at.image(vectors) if v is not None],
        lambda vectors: [v for v in at.transposed_image(vectors) if v is not None],
    )


def _vector(given: Any, like: LeafType, what: str) -> Any:
    """An array of the type of a leaf; `None` is 0."""
    if is_tracing():
        from mlirad.frontend.operations import as_array

        vector: Any = as_array(np.zeros(like.shape) if given is None else given)
        is_weak = vector.weak
    elif given is None:
        return np.zeros(like.shape, like.dtype)
    else:
        is_weak = type(given) in (int, float)
        vector = plain_array(given)
    if vector.shape != like.shape:
        raise ShapeError(
            f"{what} has shape {vector.shape}, and {like.shape} is expected",
            location=user_line(),
            hint="a tangent or cotangent has the shape of what it belongs to",
        )
    if vector.dtype == np.float64 and like.dtype != np.float64 and given is not None and not is_weak:
        raise DtypeError(
            f"{what} has dtype {vector.dtype}, and {like.dtype} is expected",
            location=user_line(),
            hint=f"convert it with .astype(np.{like.dtype})",
        )
    return vector.astype(like.dtype)


# Compiling ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Linearized:
    """A compiled linearisation: the primal program and, compiled when first used, its maps."""

    primal: Executable
    tree: Tree
    values: int
    residuals: tuple[tuple[int, ...], ...]
    makers: tuple[Callable[[], Executable], ...]
    domain: Space
    codomain: Space
    stats: Stats
    made: dict[int, Executable] = field(default_factory=dict[int, Executable])

    def run(self, leaves: Sequence[Any]) -> tuple[Any, list[Any]]:
        """The value of the function, and the residuals at this point."""
        results = _as_tuple(self.primal(*leaves))
        return self.tree.unflatten(results[: self.values]), list(results[self.values :])

    def apply(self, which: int, residuals: Sequence[Any], vectors: Sequence[Any]) -> Sequence[Any]:
        """Map number `which` on the vectors."""
        program = self.made.get(which)
        if program is None:
            program = self.made[which] = self.makers[which]()
        return _as_tuple(program(*[residuals[k] for k in self.residuals[which]], *vectors))


def _as_tuple(results: Any) -> tuple[Any, ...]:
    return cast("tuple[Any, ...]", results) if isinstance(results, tuple) else (results,)


def _program(
    function: Callable[..., Any], primals: tuple[Any, ...], options: Options, *, forward: bool
) -> tuple[Linearized, list[Any]]:
    """The compiled linearisation for primals like these, and their leaves."""
    leaves, tree = flatten(primals)
    paths = argument_paths(function, tree)
    types = [leaf_type(leaf, path) for leaf, path in zip(leaves, paths, strict=True)]
    cache: Cache = cache_of(function, ("linearize" if forward else "vjp", options))
    key: Hashable = (tree, tuple(types))
    found: Any = cache.find(key)
    if found is None:
        found = cache.find_or_make(
            key, lambda: cast(Any, _compile(function, tree, types, options, forward=forward))
        )
    prepared = [v if type(v) in (int, float, bool) else plain_array(v) for v in leaves]
    return found, prepared


def _compile(
    function: Callable[..., Any], tree: Tree, types: Sequence[LeafType], options: Options, *, forward: bool
) -> Linearized:
    stats = Stats()
    with compiling():
        start = time.perf_counter()
        module, at, parts = _trace(function, tree, types, forward=forward)
        stats.add("trace", time.perf_counter() - start, module)
        expand(module, options.method, stats)
        main = next(
            op for op in module.body.block.ops if isinstance(op, FuncOp) and op.sym_name.data == "main"
        )
        split = split_linear_map(main, parts)
        pieces = ModuleOp([split.primal, *split.maps])
        primal, _ = executable(pieces, "primal", interpret=options.interpret, stats=stats)

    def maker(name: str) -> Callable[[], Executable]:
        def make() -> Executable:
            with compiling():
                return executable(pieces, name, interpret=options.interpret)[0]

        return make

    results = tuple(LeafType(s, d) if d.kind == "f" else None for s, d in at.results)
    domain = Space(tree, tuple(t if t.dtype.kind == "f" else None for t in types), True)
    return Linearized(
        primal,
        at.tree,
        len(at.results),
        split.residuals,
        tuple(maker(part.name) for part in parts),
        domain,
        Space(at.tree, results, False),
        stats,
    )


@dataclass(frozen=True)
class _Results:
    """What the linearised function returns: structure, and shape and dtype of each leaf."""

    tree: Tree
    results: tuple[tuple[tuple[int, ...], np.dtype[Any]], ...]


def _trace(
    function: Callable[..., Any], tree: Tree, types: Sequence[LeafType], *, forward: bool
) -> tuple[ModuleOp, _Results, list[Part]]:
    """The module of a function from the point and the vectors to the values and the images."""
    functions = Functions()
    frame = Frame(functions, [t.type for t in types], None)
    name = functions.fresh_name("main")
    for arg, path in zip(frame.block.args, argument_paths(function, tree), strict=True):
        arg.name_hint = hint_of(path)
    with tracing(frame):
        arguments = [
            Array(v, frame.scope, t.weak) for v, t in zip(list(frame.block.args), types, strict=True)
        ]
        at = linearize_at(function, tree.unflatten(arguments), range(len(tree.children)))
        results = [r.value for r in at.results]
        parts: list[Part] = []

        def add(part: str, apply: Callable[[list[Array]], list[Array | None]], like: Sequence[Array]) -> None:
            inputs, outputs = len(frame.block.args), len(results)
            vectors = [
                Array(frame.add_argument(array_type(a.shape, ELEMENT_TYPES[a.dtype])), frame.scope)
                for a in like
            ]
            results.extend(v.value for v in apply(vectors) if v is not None)
            parts.append(Part(part, range(inputs, len(frame.block.args)), range(outputs, len(results))))

        if forward:
            add("forward", at.image, at.operands[: len(at.moving)])
        add("transposed", at.transposed_image, [r for r in at.results if r.dtype.kind == "f"])
        main = frame.finish(name, results, visibility=None)
    shapes = tuple((r.shape, r.dtype) for r in at.results)
    return ModuleOp([*functions.finished, main]), _Results(at.traced.tree, shapes), parts
