"""`associative_scan`: all partial results of an operation that may be grouped in any way.

    ad.associative_scan(lambda a, b: a @ b, matrices)      [m[0], m[0] @ m[1], m[0] @ m[1] @ m[2], ...]

Neighbours are combined, the partial results of the pairs found in the same way, and from these the others
(Ladner and Fischer, *Parallel prefix computation*, 1980): fewer than 2n applications, which come in
2 log2(n) groups that are independent within, each a batch. The last few are combined one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, cast

from mlirad.frontend.constructs import eager
from mlirad.frontend.constructs.batching import vmap
from mlirad.frontend.constructs.carries import in_trace, leaf_array, sliced_length
from mlirad.frontend.constructs.loops import counted
from mlirad.frontend.tracing.argument_kinds import checked_flag, checked_integer
from mlirad.frontend.tracing.dtypes import plain_array, result_type
from mlirad.frontend.tracing.functions import require_arguments
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.pytree import Tree, flatten, parts_of, structure_text
from mlirad.frontend.tracing.raising import dtype_error, shape_error, tracing_error
from mlirad.frontend.tracing.tracebacks import plain_errors

Leaves: TypeAlias = list[Any]
"""Arrays of one length along their first dimension."""

WHAT = "associative_scan"

HINT = "the function sees it without xs; choose from several with ad.switch"

FEW = 32
"""Slices that are combined by a loop: groups of fewer applications cost more than they save."""


@plain_errors
def associative_scan(f: Callable[[Any, Any], Any], xs: Any, axis: int = 0, reverse: bool = False) -> Any:
    """The partial results of an associative `f(a, b)` over the slices of `xs` along `axis`, stacked.

    `xs` is an array or a structure of arrays of one length along that axis; the function takes two slices of
    it, structured like it and without the axis, and returns one of the same structure, shapes and dtypes.
    Result 0 is slice 0, result k is f(result k - 1, slice k); with `reverse` the last result is the last
    slice, and result k is f(result k + 1, slice k). As f(f(a, b), c) is f(a, f(b, c)), slices are combined in
    about 2 log2(n) steps of independent applications, fewer than 2n of them altogether.

        >>> ad.associative_scan(lambda a, b: a * b, np.array([1.0, 2.0, 3.0, 4.0]))
        array([ 1.,  2.,  6., 24.])

    The steps of a linear recurrence y[k] = a[k] * y[k - 1] + b[k] are functions, which are composed:

        >>> def composed(first, second):
        ...     return first[0] * second[0], second[0] * first[1] + second[1]
        >>> a, b = np.full(4, 0.5), np.ones(4)
        >>> ad.associative_scan(composed, (a, b))[1]
        array([1.   , 1.5  , 1.75 , 1.875])

    Raises ShapeError for arrays of different lengths, TracingError, ShapeError or DtypeError where `f`
    returns anything but what it is given.
    """
    require_arguments(f, 2, WHAT)
    backwards = checked_flag(reverse, f"{WHAT}: reverse")
    leaves, tree = flatten(xs)
    paths = tree.paths("xs")

    def traced() -> Any:
        arrays = [leaf_array(leaf, path, WHAT, HINT) for leaf, path in zip(leaves, paths, strict=True)]
        return _scanned(arrays, tree, axis, backwards, Operation(f, tree))

    def run() -> Any:
        arrays = [plain_array(leaf) for leaf in flatten(eager.known(xs, WHAT))[0]]
        return _scanned(arrays, tree, axis, backwards, PlainOperation(f, tree))

    return in_trace(traced, run)


class Operation:
    """A function of two structures, on their leaves in a trace."""

    def __init__(self, f: Callable[[Any, Any], Any], tree: Tree):
        self.f, self.tree = f, tree

    def batched(self, first: Leaves, second: Leaves) -> Leaves:
        """The results of all pairs of slices."""
        found = self._of_pairs(self.tree.unflatten(first), self.tree.unflatten(second))
        return self._like(second, found, 1)

    def looped(self, arrays: Leaves) -> Leaves:
        """The partial results, one after the other."""

        def step(_: Any, result: Any, slices: Leaves) -> tuple[Any, Any]:
            new = self._like(slices, self.f(result, self.tree.unflatten(slices)), 0)
            return self.tree.unflatten(new), new

        first, others = self.tree.unflatten([a[0] for a in arrays]), [a[1:] for a in arrays]
        found = self._outputs(step, first, others)
        return [xp.concatenate([a[:1], o]) for a, o in zip(arrays, found, strict=True)]

    def _like(self, operands: Leaves, result: Any, batch: int) -> Leaves:
        """The leaves of a result; raises unless they are like the operands, behind `batch` dimensions."""
        try:
            found = self.tree.flatten_like(result, "result")
        except ValueError:
            found = [()]
        if any(parts_of(leaf) is not None for leaf in found):
            raise tracing_error(
                f"{WHAT}: the function takes two structures like {self.tree}, and returns one like "
                f"{structure_text(result)}",
                "return what it was given: the same tuples, keys and fields",
            )
        paths = self.tree.paths("result")
        return [
            self._like_operand(leaf, operand, path, batch)
            for leaf, operand, path in zip(found, operands, paths, strict=True)
        ]

    def _like_operand(self, leaf: Any, operand: Any, path: str, batch: int) -> Any:
        array, is_weak = self._array(leaf, path)
        found = LeafType(array.shape[batch:], array.dtype, is_weak)
        if array.shape != operand.shape:
            given = LeafType(operand.shape[batch:], operand.dtype)
            raise shape_error(
                f"{WHAT}: the function takes slices {given}, and {path} is {found}",
                "return the shape of a slice: the function gets single slices, without the axis",
            )
        fits = found.dtype == operand.dtype or (
            is_weak and result_type([found.kind, operand.dtype]) == operand.dtype
        )
        if not fits:
            raise dtype_error(
                f"{WHAT}: the function takes slices of {operand.dtype}, and {path} is of {found.dtype}",
                f"write x.astype(np.{found.dtype}), or .astype(np.{operand.dtype}) of what is returned",
            )
        return array.astype(operand.dtype)

    def _array(self, leaf: Any, path: str) -> tuple[Any, bool]:
        """A leaf as an array, and whether it is a Python number."""
        array = leaf_array(leaf, path, WHAT, HINT)
        return array, array.weak

    def _of_pairs(self, first: Any, second: Any) -> Any:
        return vmap(self.f, 0, 0, (first, second))

    def _outputs(self, step: Callable[..., Any], first: Any, others: Leaves) -> Leaves:
        return counted(step, first, others, others[0].shape[0], False, None, WHAT)[1]


class PlainOperation(Operation):
    """The same on NumPy arrays, by calls of the function."""

    def _array(self, leaf: Any, path: str) -> tuple[Any, bool]:
        return plain_array(eager.known(leaf, WHAT)), type(leaf) in (bool, int, float)

    def _of_pairs(self, first: Any, second: Any) -> Any:
        leaves, tree = flatten((first, second))
        stack = eager.Stack((len(leaves[0]),), WHAT)
        for k in range(len(leaves[0])):
            stack.put((k,), self.f(*tree.unflatten([eager.own(a[k]) for a in leaves])))
        return stack.whole()

    def _outputs(self, step: Callable[..., Any], first: Any, others: Leaves) -> Leaves:
        return cast(Any, eager.scan(step, first, others, None, False, WHAT))[1]


# Parts -------------------------------------------------------------------------------------------


def _scanned(arrays: Sequence[Any], tree: Tree, axis: Any, backwards: bool, operation: Operation) -> Any:
    """The partial results along an axis of arrays."""
    paths = tree.paths("xs")
    sliced_length([a.shape[:1] and (1,) for a in arrays], paths, None, WHAT)  # none is a scalar
    moved = [xp.moveaxis(a, _axis(axis, a.ndim), 0) for a in arrays]
    sliced_length([a.shape for a in moved], paths, None, WHAT)
    found = _prefixes([a[::-1] if backwards else a for a in moved], operation)
    found = [a[::-1] if backwards else a for a in found]
    return tree.unflatten([xp.moveaxis(a, 0, _axis(axis, a.ndim)) for a in found])


def _axis(axis: Any, rank: int) -> int:
    number = checked_integer(
        axis, f"{WHAT}: axis", -rank, f"the axes are {-rank} to {rank - 1}", most=rank - 1
    )
    return number % rank


def _prefixes(leaves: Leaves, operation: Operation) -> Leaves:
    count = leaves[0].shape[0]
    if count < 2:
        return leaves
    if count <= FEW:
        return operation.looped(leaves)
    odd = _prefixes(operation.batched([a[:-1:2] for a in leaves], [a[1::2] for a in leaves]), operation)
    later = [a[2::2] for a in leaves]
    following = operation.batched([o[: len(e)] for o, e in zip(odd, later, strict=True)], later)
    even = [xp.concatenate([a[:1], e]) for a, e in zip(leaves, following, strict=True)]
    return [_interleaved(e, o) for e, o in zip(even, odd, strict=True)]


def _interleaved(even: Any, odd: Any) -> Any:
    """The elements of both in turns; the first has as many, or one more."""
    count = odd.shape[0]
    pairs = xp.reshape(xp.stack([even[:count], odd], axis=1), (2 * count, *odd.shape[1:]))
    return pairs if even.shape[0] == count else xp.concatenate([pairs, even[count:]])
