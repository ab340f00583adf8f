"""The constructs on plain values, outside of traces: Python's own loops, in which a debugger stops.

    ad.scan(lambda c, x: (c + x, c), 0.0, np.arange(3.0))        three calls of the function

Bodies get NumPy arrays and scalars of their own, and results share elements with nothing: a write to either
shows nowhere else, as in a trace. (A write to a captured array, which a trace refuses, changes that.) Results
are those of the compiled construct, and so are the errors about structures, shapes and dtypes. A construct
cannot look at code that it does not run: it sees the branch that is chosen, and nothing of a `while_loop`
without iterations. Results whose shape no call shows, of loops of no iterations and builds of no positions,
are those of the compiled construct.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from mlirad.dialects.shapes import Shape
from mlirad.errors import PositionError, ShapeError
from mlirad.frontend.compiling.options import Options
from mlirad.frontend.compiling.transformed import Transformed
from mlirad.frontend.constructs.carries import Carry, leaf_read, sliced_length
from mlirad.frontend.constructs.scalars import read_positions, require_condition, require_integer
from mlirad.frontend.tracing.dtypes import BOOL, plain_array, result_type
from mlirad.frontend.tracing.functions import THE_CALL, require_arguments
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.pytree import Tree, flatten
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.values import Higher

Function = Callable[..., Any]


def interpreted(function: Function, *args: Any) -> Any:
    """Return what a function of ops gives, by the interpreter: it is traced, and compiled to nothing."""
    return Transformed(function, lambda f, given: f(*given), "jit", Options(interpret=True))(*args)


def known(value: Any, what: str) -> Any:
    """A structure with arrays of its own and scalars of NumPy as leaves; functions and sums stay."""
    leaves, tree = flatten(value)
    paths = tree.paths("result")
    return tree.unflatten([_known_leaf(*place, what) for place in zip(leaves, paths, strict=True)])


def as_it_stands(function: Function, args: tuple[Any, ...]) -> Any:
    """The result of a compiled function where `ad.config.eager` is on: that of a plain call on copies."""
    require_arguments(function, len(args), THE_CALL)
    return known(function(*given(args)), "jit")


def given(value: Any) -> Any:
    """A structure with arrays of its own, which a function may write to; Python's numbers stay."""
    leaves, tree = flatten(value)
    return tree.unflatten([leaf if _is_weak(leaf) else own(plain_array(leaf)) for leaf in leaves])


def called(branch: Function, operands: tuple[Any, ...], what: str) -> Any:
    """Return what the branch that is chosen gives."""
    return known(branch(*known(operands, what)), what)


def own(array: npt.NDArray[Any]) -> Any:
    """The elements of an array, or of a part of one, as an array of their own or a scalar."""
    return np.array(array)[()]


def _known_leaf(leaf: Any, path: str, what: str) -> Any:
    return leaf_read(leaf, path, what, lambda leaf: own(plain_array(leaf)))


def _is_weak(leaf: Any) -> bool:
    return type(leaf) in (bool, int, float)


def _type_of(leaf: Any) -> LeafType:
    array = plain_array(leaf)
    return LeafType(array.shape, array.dtype, _is_weak(leaf))


# Loops -------------------------------------------------------------------------------------------


class KnownCarry(Carry):
    """The carry of a loop, which keeps its structure, shapes and dtypes."""

    def __init__(self, init: Any, what: str):
        leaves, self.tree = flatten(init)
        self.what, self.paths = what, self.tree.paths("carry")
        self._leaves = [
            leaf if _is_weak(leaf) else _known_leaf(leaf, path, what)
            for leaf, path in zip(leaves, self.paths, strict=True)
        ]
        self.types = [leaf.kind if isinstance(leaf, Higher) else _type_of(leaf) for leaf in self._leaves]

    def current(self) -> Any:
        """The carry for the next iteration."""
        return self.tree.unflatten(self._leaves)

    def hand(self, result: Any) -> None:
        """Take what a body returned: the arrays that it was given as they are, copies of all others."""
        given = {id(leaf) for leaf in self._leaves if isinstance(cast(object, leaf), np.ndarray)}
        leaves: list[Any] = []
        for k, leaf in enumerate(self._matched(result)):
            leaves.append(self._taken(k, leaf, is_own=id(leaf) in given))
            given.discard(id(leaf))
        self._leaves = leaves

    def last(self) -> Any:
        """The carry at the end."""
        return known(self.current(), self.what)

    def _taken(self, k: int, leaf: Any, *, is_own: bool) -> Any:
        path, old = self.paths[k], self.types[k]
        if isinstance(leaf, Higher) or not isinstance(old, LeafType):
            return _known_leaf(leaf, path, self.what)
        value = leaf if is_own or _is_weak(leaf) else _known_leaf(leaf, path, self.what)
        found = _type_of(value)
        self._check_shape(found, old, path)
        if found.dtype == old.dtype:
            self.types[k] = old if found.weak else found
            return value if old.weak else _converted(value, old.dtype)
        if old.weak:
            wider = LeafType(old.shape, result_type([found.kind, old.kind]), found.weak)
            self.types[k] = wider
            if not found.weak and found.dtype != wider.dtype:
                raise self._error(path, old, found)
            return _converted(value, wider.dtype)
        if found.weak and result_type([found.kind, old.dtype]) == old.dtype:
            return _converted(value, old.dtype)
        raise self._error(path, old, found)


def _converted(value: Any, dtype: np.dtype[Any]) -> Any:
    is_whole = isinstance(value, np.ndarray) and cast(Any, value).dtype == dtype
    return cast(Any, value) if is_whole else np.asarray(value, dtype)[()]


def scan(
    step: Function, init: Any, xs: Any, length: int | None, reverse: bool, what: str
) -> tuple[Any, Any] | None:
    """The last carry, and the outputs stacked; `None` for a loop of no iterations, which shows no output."""
    leaves, tree = flatten(xs)
    paths = tree.paths("xs")
    arrays = [plain_array(_known_leaf(leaf, path, what)) for leaf, path in zip(leaves, paths, strict=True)]
    iterations = sliced_length([a.shape for a in arrays], paths, length, what)
    carry = KnownCarry(init, what)
    outputs = Stack((iterations,), what)
    for k in reversed(range(iterations)) if reverse else range(iterations):
        new, output = step(k, carry.current(), tree.unflatten([own(a[k]) for a in arrays]))
        carry.hand(new)
        outputs.put((k,), output)
    return (carry.last(), outputs.whole()) if iterations else None


def while_loop(condition: Function, body: Function, init: Any) -> Any:
    """The last carry."""
    carry = KnownCarry(init, "while_loop")
    while flag(condition(carry.last()), "while_loop"):
        carry.hand(body(carry.current()))
    return carry.last()


def count(lower: int, upper: int, body: Function, init: Any) -> Any:
    """The last carry of a loop over integers."""
    carry = KnownCarry(init, "fori_loop")
    for i in range(lower, upper):
        carry.hand(body(i, carry.current()))
    return carry.last()


# Builds ------------------------------------------------------------------------------------------


class Stack:
    """Arrays made element by element, at positions of leading dimensions."""

    def __init__(self, extents: Shape, what: str):
        self._extents, self._what = extents, what
        self._tree: Tree | None = None
        self._arrays: list[npt.NDArray[Any]] = []

    def put(self, at: tuple[int, ...], element: Any) -> None:
        """The element at a position; raises if it is not like the others."""
        leaves, tree = flatten(element)
        paths = tree.paths("output" if self._what in ("scan", "fold", "fori_loop") else "result")
        found = [plain_array(_known_leaf(*p, self._what)) for p in zip(leaves, paths, strict=True)]
        if self._tree is None:
            self._tree = tree
            self._arrays = [np.zeros((*self._extents, *a.shape), a.dtype) for a in found]
        for k, (value, path) in enumerate(zip(found, paths, strict=True)):
            array = self._arrays[min(k, len(self._arrays) - 1)]
            shape = array.shape[len(self._extents) :]
            if tree != self._tree or value.shape != shape:
                raise ShapeError(
                    f"{self._what}: {path} has shape {value.shape} at {at}, and {shape} before",
                    location=user_line(),
                    hint="return the same structure and shapes at every position",
                )
            # A result that depends on a carry that began as a Python number may get its dtype in the second
            # iteration.
            wider = result_type([array.dtype, value.dtype])
            if wider != array.dtype:
                self._arrays[k] = array = array.astype(wider)
            array[at] = value

    def whole(self) -> Any:
        """The arrays, in the structure of the elements."""
        return None if self._tree is None else self._tree.unflatten([a[()] for a in self._arrays])


def build(extents: Shape, function: Function, what: str = "build") -> Any:
    """`function` at every position, stacked."""
    stack = Stack(extents, what)
    for at in np.ndindex(*extents):
        stack.put(at, function(*map(np.int64, at)))
    return stack.whole()


def index(x: Any, positions: Any, what: str) -> Any:
    """The element at leading positions, 0 outside."""
    array, at = plain_array(x), _positions(positions, np.shape(x), what)
    if all(0 <= p < e for p, e in zip(at, array.shape, strict=False)):
        return own(array[tuple(at)])
    return np.zeros(array.shape[len(at) :], array.dtype)[()]


def scatter(x: Any, space: Shape, extents: Shape, function: Function) -> Any:
    """Zeros, with the elements of x added at their positions."""
    array = plain_array(x)
    result = np.zeros((*extents, *array.shape[len(space) :]), array.dtype)
    for at in np.ndindex(*space):
        to = _positions(function(*map(np.int64, at)), extents, "scatter")
        if len(to) != len(extents):
            raise PositionError(
                f"scatter into shape {extents} needs {len(extents)} positions, got {len(to)}",
                location=user_line(),
                hint="return a tuple with a position for each dimension",
            )
        if all(0 <= p < e for p, e in zip(to, extents, strict=True)):
            result[tuple(to)] += array[at]
    return result[()]


def _positions(given: Any, shape: Sequence[int], what: str) -> list[int]:
    return [int(p) for p in read_positions(given, shape, what, plain_array)]


# Scalars -----------------------------------------------------------------------------------------


def flag(condition: Any, what: str) -> bool:
    """A condition; raises for an array of several."""
    found = plain_array(condition)
    require_condition(found, what)
    return bool(found.astype(BOOL).reshape(()))


def integer(value: Any, what: str, hint: str = "") -> int:
    """An integer scalar; raises for anything else."""
    found = plain_array(value)
    require_integer(found, value, what, hint)
    return int(found)
