"""Construction by position: `build`, `gather`, `scatter`, `index`, `map`, and lifting with `asarray`.

    ad.build((n, m), lambda i, j: x[i] * y[j])              the outer product
    ad.gather(x, (3,), lambda i: (i + 1,))                  x[1:4]
    ad.scatter(x, (5,), lambda i: (at[i],))                 zeros, with x[i] added at at[i]

The indices are traced integers, each known to range over its extent. `index`, `gather` and `scatter` take
positions as they are: outside the array, negative ones included, reads 0 and writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from xdsl.ir import Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.extents import at_most
from mlirad.dialects.shapes import Shape, Value, shape_of
from mlirad.errors import PositionError, ShapeError, TracingError
from mlirad.frontend.constructs import eager
from mlirad.frontend.constructs.carries import in_trace, leaf_array
from mlirad.frontend.constructs.loops import checked_checkpoint
from mlirad.frontend.constructs.scalars import read_positions
from mlirad.frontend.tracing.argument_kinds import checked_integer, checked_list
from mlirad.frontend.tracing.array import Array, copied, copied_leaves, made
from mlirad.frontend.tracing.complex_pairs import real_or_complex
from mlirad.frontend.tracing.dtypes import I64, plain_array
from mlirad.frontend.tracing.frames import current_frame, emitting
from mlirad.frontend.tracing.functions import require_arguments, require_function
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.operations import as_array, converted, xp
from mlirad.frontend.tracing.pytree import Tree, flatten
from mlirad.frontend.tracing.raising import shape_error, tracing_error
from mlirad.frontend.tracing.run_time_checks import BOUNDS, check_position
from mlirad.frontend.tracing.shapes import static_shape
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.tokens import checks, has_reports, last_token, receiving, starting_with
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.frontend.tracing.values import Higher
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.builder import yields
from mlirad.ir.chunked_builds import chunked_build
from mlirad.ir.dependences import Dependences
from mlirad.ir.regions import discard

SEEN = "name it in the function, which sees it anyway; choose from several with ad.switch"
ELEMENT = "return what it gives for each position: call it there, take a sum apart there by ad.case"


@plain_errors
def asarray(value: Any, dtype: npt.DTypeLike | None = None) -> Any:
    """A traced array of a NumPy array, so that traced positions can index it, or of a nest of traced values.

    Outside a trace it is an array of NumPy. It shares elements with nothing.

        >>> table = np.array([1.0, 10.0, 100.0])
        >>> ad.jit(lambda k, x: x * ad.asarray(table)[k])(2, 3.0)
        np.float64(300.0)
    """
    if not is_tracing():
        return np.array(value, dtype)
    return copied_leaves(real_or_complex(value, dtype))


@plain_errors
def stack(arrays: Sequence[Any], axis: int = 0) -> Any:
    """Arrays or scalars of one shape along a new dimension.

    >>> ad.jacobian(lambda x: ad.stack([x, 2.0, x**2]))(3.0)
    array([1., 0., 6.])
    """
    if not isinstance(arrays, Array | np.ndarray):
        checked_list(arrays, "the arrays of stack", "write ad.stack([a, b])")
    parts = [asarray(a) for a in arrays]
    if not parts:
        raise shape_error("stack needs at least one array", "write np.zeros((0, n)) for no rows")
    return xp.stack(parts, axis=axis)


@plain_errors
def where(condition: Any, x: Any, y: Any) -> Any:
    """`x` where the condition holds, `y` elsewhere; a side that is not taken has no derivative.

    >>> ad.grad(lambda x: np.sum(ad.where(x > 0, np.sqrt(x), 0.0)))(np.array([4.0, -1.0]))
    array([0.25, 0.  ])
    """
    return xp.where(asarray(condition), x, y)


@plain_errors
def build(
    shape: int | Sequence[int],
    function: Callable[..., Any],
    *,
    chunk: int | None = None,
    checkpoint: str | None = None,
) -> Any:
    """`out[i, j, ...] = function(i, j, ...)` over all positions of `shape`.

    The function may return a scalar, an array (whose dimensions follow those of `shape`), or any structure of
    them, and then so does `build`.

    `chunk` says how many positions are computed at a time, which bounds the memory: 1 is a loop over single
    positions, n a loop over chunks of about n; without it all are computed at once, by operations on whole
    arrays. `checkpoint` is that of the loop: "recompute" by default, where a gradient recomputes each
    position and keeps nothing of it; "store" keeps the residuals of each.

        >>> ad.build((2, 3), lambda i, j: 10 * i + j)
        array([[ 0,  1,  2],
               [10, 11, 12]])
        >>> moving = lambda x: ad.build(3, lambda i: (x[i] + x[i + 1]) / 2)
        >>> ad.jacobian(moving)(np.arange(4.0))
        array([[0.5, 0.5, 0. , 0. ],
               [0. , 0.5, 0.5, 0. ],
               [0. , 0. , 0.5, 0.5]])
    """
    extents = _extents(shape, "build")
    require_arguments(function, len(extents), "build")
    if chunk is not None:
        checked_integer(chunk, "build: chunk", 1, "write chunk=1 to compute one position after another")
    kept = "recompute" if checkpoint is None else checked_checkpoint(checkpoint)
    return in_trace(
        lambda: build_over(extents, function, chunk, kept), lambda: _built(extents, function, "build")
    )


@plain_errors
def map_(function: Callable[..., Any], *arrays: Any) -> Any:
    """`function` on the slices of the arrays along their first dimension, its results stacked.

    >>> ad.map(lambda row: row / np.sum(row), np.array([[1.0, 3.0], [2.0, 2.0]]))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """

    require_arguments(function, len(arrays), "map")

    def mapped() -> Any:
        leaves, tree = flatten(arrays)
        paths = tree.paths("arrays")
        traced = [leaf_array(leaf, path, "map", SEEN) for leaf, path in zip(leaves, paths, strict=True)]
        length = _common_length([a.shape for a in traced])
        return build_over((length,), _mapped(function, tree, traced), what="map")

    def run() -> Any:
        leaves, tree = flatten(arrays)
        known = [plain_array(leaf) for leaf in leaves]
        length = _common_length([a.shape for a in known])

        def element(i: Any) -> Any:
            parts = [as_array(a)[i] if is_tracing() else eager.own(a[i]) for a in known]
            return function(*tree.unflatten(parts))

        return _built((length,), element, "map")

    return in_trace(mapped, run)


@plain_errors
def index(x: Any, positions: Any) -> Any:
    """The element, or the sub-array, of `x` at leading positions, taken as they are: outside it is 0.

    >>> read = ad.jit(lambda x, i: ad.index(x, i))
    >>> x = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> read(x, (1, 0)), read(x, (1, 5)), read(x, 0)
    (np.float64(3.0), np.float64(0.0), array([1., 2.]))
    """

    def indexed() -> Array:
        array = as_array(x)
        values = _positions(positions, array.shape, "index")
        for position, extent in zip(values, array.shape, strict=False):
            check_position(position, extent, counts_from_end=False)
        return made(emitting().guarded_index(array.value, values)) if values else copied(array)

    return in_trace(indexed, lambda: eager.index(x, positions, "index"))


@plain_errors
def gather(x: Any, shape: int | Sequence[int], function: Callable[..., Any]) -> Any:
    """`out[i, j, ...] = x[function(i, j, ...)]` over all positions of `shape`; outside of x it is 0.

    >>> ad.gather(np.array([1.0, 2.0, 3.0]), 4, lambda i: i // 2)
    array([1., 1., 2., 2.])
    """
    extents = _extents(shape, "gather")
    require_arguments(function, len(extents), "gather")

    def gathered() -> Array:
        array, frame, b = as_array(x), current_frame(), emitting()
        source = array.value
        found = _computed(function, extents) if has_reports() else function

        def body(*indices: Value) -> list[Value]:
            return _call_positions(found, indices, array.shape, "gather")

        region = frame.region(extents, body)
        count = len(yields(region))
        indexed = array.shape[:count]
        if _all_inside(b, yields(region), indexed):
            return made(b.gather(source, extents, region), weak=array.weak)
        _check_region(b, region, extents, indexed)
        inside = b.build(extents, lambda *at: b.inside(b.inline_region(region, at, {}), indexed))
        value = b.gather(source, extents, region)
        rank = len(extents)
        mask = b.broadcast(inside, shape_of(value), range(rank))
        return made(b.select(mask, value, b.zeros(value.type)), weak=array.weak)

    def run() -> Any:
        return _built(extents, lambda *at: index(x, function(*at)), "gather")

    return in_trace(gathered, run)


@plain_errors
def scatter(x: Any, shape: int | Sequence[int], function: Callable[..., Any]) -> Any:
    """Zeros of the leading extents `shape` with `x[i, j, ...]` added at `function(i, j, ...)`.

    The function takes as many indices as it has parameters (those of a function of `*indices` as many as x
    has dimensions); the further dimensions of x are the further ones of the result.

        >>> ad.scatter(np.array([1.0, 2.0, 3.0]), 2, lambda i: i // 2)
        array([3., 3.])
    """
    extents = _extents(shape, "scatter")
    require_function(function, "scatter")

    def scattered() -> Array:
        array, frame, b = as_array(x), current_frame(), emitting()
        source = array.value
        space = array.shape[: _index_count(function, array.ndim, len(extents))]
        require_arguments(function, len(space), "scatter")
        found = _computed(function, space) if has_reports() else function

        def body(*indices: Value) -> list[Value]:
            positions = _call_positions(found, indices, extents, "scatter")
            if len(positions) != len(extents):
                raise PositionError(
                    f"scatter into shape {extents} needs {len(extents)} positions, got {len(positions)}",
                    location=user_line(),
                    hint="return a tuple with a position for each dimension",
                )
            return positions

        region = frame.region(space, body)
        if not _all_inside(b, yields(region), extents):
            _check_region(b, region, space, extents)
            inside = b.build(space, lambda *at: b.inside(b.inline_region(region, at, {}), extents))
            mask = b.broadcast(inside, shape_of(source), range(len(space)))
            source = b.select(mask, source, b.zeros(source.type))
        return made(b.scatter(source, len(space), extents, region))

    def run() -> Any:
        array = plain_array(x)
        space = array.shape[: _index_count(function, array.ndim, len(extents))]
        require_arguments(function, len(space), "scatter")
        return eager.scatter(array, space, extents, function)

    return in_trace(scattered, run)


@plain_errors
def stop_gradient(x: Any) -> Any:
    """The same values, treated as constants by differentiation.

    >>> ad.grad(lambda x: x * ad.stop_gradient(x))(3.0)
    np.float64(3.0)
    """
    leaves, tree = flatten(x)
    return tree.unflatten([_stopped(leaf) for leaf in leaves])


# Parts -------------------------------------------------------------------------------------------


def _built(extents: Shape, function: Callable[..., Any], what: str) -> Any:
    """A build outside of a trace; one of no positions is compiled, as no call shows what it makes."""
    if 0 in extents:
        return eager.interpreted(lambda: build_over(extents, function, what=what))
    return eager.build(extents, function, what)


def _common_length(shapes: Sequence[Shape]) -> int:
    lengths = {shape[0] if shape else None for shape in shapes}
    length = lengths.pop() if len(lengths) == 1 else None
    if length is None:
        raise ShapeError(
            f"map needs arrays of one length, got shapes {', '.join(map(str, shapes))}",
            location=user_line(),
            hint="map over arrays of one length; the function sees all others anyway",
        )
    return length


def _mapped(function: Callable[..., Any], tree: Tree, arrays: list[Array]) -> Callable[[Array], Any]:
    return lambda i: function(*copied_leaves(tree.unflatten([a[i] for a in arrays])))


def _extents(shape: int | Sequence[int], what: str) -> Shape:
    extents = static_shape(shape)
    if not all(at_most(0, extent) for extent in extents):
        raise ShapeError(
            f"{what} with a negative extent: {extents}", location=user_line(), hint="sizes are 0 or more"
        )
    return extents


def _indices(values: Sequence[Value]) -> list[Array]:
    scope = current_frame().scope
    return [Array(value, scope) for value in values]


def build_over(
    extents: Shape,
    function: Callable[..., Any],
    chunk: int | None = None,
    checkpoint: str | None = "recompute",
    whole: Callable[[Any], Sequence[bool]] | None = None,
    what: str = "build",
) -> Any:
    """`build` inside a trace.

    `whole` says, of a result of the function, which leaves are no elements: the same at all positions, they
    stay as they are. It is a `TracingError` if such a leaf depends on the position. `what` is how errors call
    the build.
    """
    if not extents:
        leaves, tree = flatten(function())
        return tree.unflatten([copied(as_array(leaf)) for leaf in leaves])
    frame, b = current_frame(), emitting()
    found: list[Tree] = []
    kept: list[bool] = []
    last = last_token()
    position = starting_with(last, function)

    def body(*indices: Value) -> list[Value]:
        result = position(*_indices(indices))
        if whole is not None:
            kept.extend(whole(result[0] if last is not None else result))
        leaves, tree = flatten(result)
        found.append(tree)
        paths = tree.paths("result")
        return [leaf_array(leaf, path, what, ELEMENT).value for leaf, path in zip(leaves, paths, strict=True)]

    region = frame.region(extents, body)
    count = len(yields(region))
    if count == 1 and chunk is None and not any(kept):
        values = [b.build_from(extents, region)]
    else:
        alike = [k for k, is_same in enumerate(kept) if is_same]
        paths = found[0].paths("result") if alike else []
        same = {k: _same(b, region, k, paths[k]) for k in alike}
        own = [k for k in range(count) if k not in same]
        built = dict(zip(own, _built_values(b, extents, region, own, chunk, checkpoint), strict=True))
        values = [same[k] if k in same else built[k] for k in range(count)]
        discard(region)
    if last is not None:
        values[-1] = b.reduce("max", values[-1], range(len(extents)))
    return receiving(found[0].unflatten([made(value) for value in values]))


def _built_values(
    b: ArrayBuilder,
    extents: Shape,
    region: Region,
    own: Sequence[int],
    chunk: int | None,
    checkpoint: str | None,
) -> list[Value]:
    """The builds of some of the values of a region."""
    if chunk is None:
        return [b.build(extents, _part(b, region, k)) for k in own]

    def body(*at: Value) -> list[Value]:
        values = b.inline_region(region, at, {})
        return [values[k] for k in own]

    return chunked_build(b, extents, body, chunk, checkpoint) if own else []


def _same(b: ArrayBuilder, region: Region, k: int, path: str) -> Value:
    """The value number k of a region, which is the same for all indices."""
    if not Dependences().yielded(region)[k].isdisjoint(region.block.args):
        raise TracingError(
            f"{path} differs between the elements of the batch, and out_axes is None for it",
            location=user_line(),
            hint="give it an axis, and take one element of the result, or reduce it",
        )
    return b.inline_region(region, [b.index_constant(0) for _ in region.block.args], {})[k]


def _part(b: ArrayBuilder, region: Region, k: int) -> Callable[..., Value]:
    """The region as the body of a build of its value number k alone."""
    return lambda *at: b.inline_region(region, at, {})[k]


def _computed(function: Callable[..., Any], extents: Shape) -> Callable[..., Any]:
    """A function of indices that reads what a build of it makes: regions of positions hold no reports."""
    computed = build_over(extents, function)
    return lambda *indices: tuple(
        made(emitting().index(as_array(p).value, [i.value for i in indices]))
        for p in (cast("Sequence[Any]", computed) if isinstance(computed, tuple | list) else (computed,))
    )


def _call_positions(
    function: Callable[..., Any], indices: Sequence[Value], shape: Shape, what: str
) -> list[Value]:
    return _positions(function(*_indices(indices)), shape, what)


def _positions(given: Any, shape: Shape, what: str) -> list[Value]:
    """Positions as i64 scalars; raises for too many, or for what is not an integer."""
    return [converted(p, I64).value for p in read_positions(given, shape, what, as_array)]


def _check_region(b: ArrayBuilder, region: Region, space: Shape, shape: Sequence[int]) -> None:
    """Report the positions outside of `shape` that a region yields, if the program is to do so."""
    for k, extent in enumerate(shape) if checks(BOUNDS) else ():
        found = b.build(space, _part(b, region, k))
        check_position(found, extent, counts_from_end=False)


def _all_inside(b: ArrayBuilder, positions: Sequence[Value], shape: Sequence[int]) -> bool:
    return all(b.ranges.inside(p, e) for p, e in zip(positions, shape, strict=False))


def _index_count(function: Callable[..., Any], rank: int, positions: int) -> int:
    """Return how many leading indices a function of positions takes."""
    code = getattr(function, "__code__", None)
    if code is None or code.co_flags & 0x04:  # a parameter *indices
        return rank
    bound = 1 if hasattr(function, "__self__") else 0
    optional = len(getattr(function, "__defaults__", None) or ())
    return min(code.co_argcount - bound - optional, rank)


def _stopped(leaf: Any) -> Any:
    if isinstance(leaf, Higher):
        raise tracing_error(
            f"stop_gradient is given {leaf.noun}",
            "stop what it is made of, or what it gives",
        )
    if not isinstance(leaf, Array):
        return cast(Any, leaf).copy() if isinstance(leaf, np.ndarray) else leaf
    if leaf.dtype.kind != "f":
        return copied(leaf)
    return made(emitting().unary(ew.StopGradientOp, leaf.value), weak=leaf.weak)
