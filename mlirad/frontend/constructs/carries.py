"""Structures of traced values that go into regions and come out: carries of loops, results of branches.

A loop passes its carries from iteration to iteration, so each leaf must keep its type. A Python scalar has no
dtype of its own and takes the one that the body gives it, for which the body is retraced:

    ad.fold(lambda c, x: c + x, 0, xs)        the carry is a float, like the elements of xs

Everything else that changes its structure, shape or dtype is an error that names the leaf.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar, cast

from xdsl.ir import Block, Region

from mlirad.dialects.array.literals import ELEMENT_TYPES
from mlirad.dialects.shapes import Shape, Value, array_type
from mlirad.errors import DtypeError, ShapeError, TracingError, of_class
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.dtypes import F32, I32, result_type
from mlirad.frontend.tracing.frames import current_frame
from mlirad.frontend.tracing.function_names import hint_of
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.operations import as_array, value_of
from mlirad.frontend.tracing.pytree import Tree, flatten, structure_text
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.tokens import has_reports, resume, with_last_token
from mlirad.frontend.tracing.values import Higher, HigherType, ValueType, type_of
from mlirad.ir.regions import discard

T = TypeVar("T")

ATTEMPTS = 8
"""The number of times that a body is traced until the types of its Python scalars stay: each time one becomes
wider."""


class Retrace(Exception):
    """The region being traced must be retraced: what it was told of types has changed."""


class Regions:
    """The blocks of an attempt to trace regions, to be dropped if it is given up."""

    def __init__(self) -> None:
        self._around = current_frame().builder.block
        self._blocks: list[Block] = []

    def enter(self) -> None:
        """Note the block that is being emitted into."""
        block = current_frame().builder.block
        if block is not self._around:
            self._blocks.append(block)

    def drop(self) -> None:
        """Stop counting as used what the regions captured."""
        for block in self._blocks:
            region = block.parent
            discard(Region(block) if region is None else region)


def settled(attempt: Callable[[Regions], T]) -> T:
    """The result of `attempt`, which is repeated as long as it raises `Retrace`."""
    for _ in range(ATTEMPTS):
        regions = Regions()
        try:
            return attempt(regions)
        except Retrace:
            regions.drop()
        except BaseException:
            regions.drop()
            raise
    raise TracingError(
        "the types of the carried values do not settle",
        location=user_line(),
        hint="convert what the body returns to the dtype of what is carried: y = x.astype(dtype)",
    )


class Carry:
    """The carried values of a loop: their structure, the initial ones, and the types that stay."""

    def __init__(self, init: Any, what: str, *, of_variables: bool = False):
        leaves, self.tree = flatten(init)
        self.what = what
        self.paths = paths_of(self.tree, "carry", of_variables=of_variables)
        self._init = [leaf_value(leaf, path, what) for leaf, path in zip(leaves, self.paths, strict=True)]
        self.types = [type_of(value) for value in self._init]

    def start(self) -> list[Value]:
        """The initial values."""
        if has_reports():
            resume(cast(Array, self._init[-1]))  # an attempt that was given up has left its last token
        values: list[Value] = []
        for leaf, type_, path in zip(self._init, self.types, self.paths, strict=True):
            if isinstance(leaf, Higher) or isinstance(type_, HigherType):
                values.append(self._fitted(leaf, type_, path))
            else:
                values.append(value_of(leaf, type_.dtype))
        return with_last_token(values)

    def structure(self, values: Sequence[Value]) -> Any:
        """Values of these types in the structure of the carries."""
        for value, type_, path in zip(values, self.types, self.paths, strict=True):
            if isinstance(type_, HigherType) and value.name_hint is None:
                value.name_hint = hint_of(path)
        return self.tree.unflatten([t.made(v) for v, t in zip(values, self.types, strict=True)])

    def returned(self, result: Any) -> list[Value]:
        """Return what a body returned as the new carries; raises `Retrace` where a Python scalar takes a
        dtype.
        """
        values: list[Value] = []
        changed = False
        for k, (leaf, path) in enumerate(zip(self._matched(result), self.paths, strict=True)):
            array, old = leaf_value(leaf, path, self.what), self.types[k]
            if isinstance(array, Higher) or isinstance(old, HigherType):
                known = self.types[k] = self._joined(old, type_of(array), path)
                if known == old:
                    values.append(self._fitted(array, known, path))
                else:
                    changed = True
                continue
            found = LeafType(array.shape, array.dtype, array.weak)
            self._check_shape(found, old, path)
            if found.dtype == old.dtype:
                values.append(array.value)
                if old.weak and not found.weak:
                    self.types[k] = found
                    # only values of 32 bits promote otherwise with a Python scalar than with what it became
                    changed = changed or _holds_narrow()
            elif old.weak:
                wider = LeafType(old.shape, result_type([found.kind, old.kind]), found.weak)
                self.types[k] = wider
                if not found.weak and found.dtype != wider.dtype:
                    raise self._error(path, old, found)
                changed = True
            elif found.weak and result_type([found.kind, old.dtype]) == old.dtype:
                values.append(value_of(array, old.dtype))
            else:
                raise self._error(path, old, found)
        if changed:
            raise Retrace
        return with_last_token(values)

    def _joined(self, old: ValueType, found: ValueType, path: str) -> HigherType:
        """The type of a carry that is a function or a sum, from what it was taken to be and what is found."""
        if isinstance(old, HigherType) and isinstance(found, HigherType):
            joined = old.joined(found)
            if joined is not None:
                return joined
        raise self._mismatch(old, found, path)

    def _fitted(self, leaf: Array | Higher, type_: ValueType, path: str) -> Value:
        fitted = type_.fitted(leaf) if isinstance(type_, HigherType) else None
        if fitted is None:
            raise self._mismatch(type_, type_of(leaf), path)
        return fitted.value

    def _mismatch(self, old: ValueType, found: ValueType, path: str) -> TracingError:
        return TracingError(
            f"{self.what}: {path} starts as {old}, and the body returns {found}",
            location=user_line(),
            hint="carried values have the same structures, shapes and dtypes in every iteration",
        )

    def _matched(self, result: Any) -> list[Any]:
        try:
            return self.tree.flatten_like(result, "carry")
        except ValueError as error:
            raise TracingError(
                f"{self.what}: the carry is structured like {self.tree}, and the body returns one like "
                f"{structure_text(result)}",
                location=user_line(),
                hint="each iteration must return what it was given: the same tuples, keys and fields",
            ) from error

    def _check_shape(self, found: LeafType, old: LeafType, path: str) -> None:
        if found.shape != old.shape:
            raise ShapeError(
                f"{self.what}: {path} starts as {old}, and the body returns {found}",
                location=user_line(),
                hint=f"start with the shape that stays: np.zeros({found.shape}) or np.broadcast_to",
            )

    def _error(self, path: str, old: LeafType, found: LeafType) -> DtypeError:
        return DtypeError(
            f"{self.what}: {path} starts as {old}, and the body returns {found}",
            location=user_line(),
            hint=f"convert one of them: .astype(np.{found.dtype}) on the initial value, or "
            f".astype(np.{old.dtype}) on what the body returns",
        )


def paths_of(tree: Tree, root: str, *, of_variables: bool) -> list[str]:
    """Return how to reach each leaf from `root`, or by the names of variables in a dictionary.

    Besides the variables a loop may have an index, and a program with reports has a token.
    """
    if not of_variables:
        return tree.paths(root)
    if tree.is_dict:
        return tree.variables()
    inner = [paths_of(c, "index", of_variables=c.kind is not None) for c in tree.children]
    return [path for paths in inner for path in paths]


def slices_of(xs: Any, length: int | None, what: str) -> tuple[list[Array], Tree, int]:
    """The arrays that a loop takes slices of, their structure, and the number of iterations."""
    leaves, tree = flatten(xs)
    paths = tree.paths("xs")
    hint = "the body sees it without xs; choose from several with ad.switch"
    arrays = [leaf_array(leaf, path, what, hint) for leaf, path in zip(leaves, paths, strict=True)]
    return arrays, tree, sliced_length([a.shape for a in arrays], paths, length, what)


def sliced_length(shapes: Sequence[Shape], paths: Sequence[str], length: int | None, what: str) -> int:
    """The number of iterations of a loop that takes slices of arrays of these shapes."""
    found = length
    for shape, path in zip(shapes, paths, strict=True):
        if not shape:
            raise ShapeError(
                f"{what}: {path} is a scalar and has no slices",
                location=user_line(),
                hint="what is the same in every iteration need not be passed: the body sees it anyway",
            )
        if found is not None and shape[0] != found:
            raise ShapeError(
                f"{what}: {path} of shape {shape} has {shape[0]} slices, {found} are expected",
                location=user_line(),
                hint="the arrays are sliced along their first dimension, which must be as long as the loop",
            )
        found = shape[0]
    if found is None:
        raise ShapeError(
            f"{what} needs `xs` or `length`",
            location=user_line(),
            hint="write ad.scan(f, init, xs), or ad.scan(f, init, length=n)",
        )
    return found


def in_trace(traced: Callable[[], T], eager: Callable[[], T]) -> T:
    """The result of `traced` in a trace; outside, where there is nothing to add ops to, that of `eager`."""
    return traced() if is_tracing() else eager()


Body: TypeAlias = Callable[..., list[Value]]


def scoped(regions: Regions, body: Body) -> Body:
    """The body of a region, in a scope of its own: what is traced in it must not leave otherwise."""

    def inside(*args: Any) -> list[Value]:
        regions.enter()
        with current_frame().open_scope():
            return body(*args)

    return inside


def leaf_value(leaf: Any, path: str, what: str) -> Array | Higher:
    """A leaf as a value that regions may yield; raises for anything else."""
    return leaf_read(leaf, path, what, as_array)


def leaf_read(leaf: Any, path: str, what: str, read: Callable[[Any], T]) -> T | Higher:
    """A leaf as `read` makes it an array, functions and sums as they are; raises for anything else."""
    if isinstance(leaf, Higher):
        return leaf
    error = not_a_value(leaf, path, what)
    if error is not None:
        raise error
    return read(leaf)


def not_a_value(leaf: Any, path: str, what: str) -> TracingError | None:
    """The error of a leaf that is neither an array nor a number, `None` for others."""
    kind = cast("type[Any]", type(leaf))
    if not callable(leaf) and not issubclass(kind, str | bytes | set | frozenset):
        return None
    return TracingError(
        f"{what}: {path} is {of_class(cast(object, leaf))}, and not an array or a number",
        location=user_line(),
        hint="make it a value of the program: ad.lambda_(f)"
        if callable(leaf)
        else "carry arrays and scalars; what does not change need not be carried",
    )


def leaf_array(leaf: Any, path: str, what: str, hint: str) -> Array:
    """A leaf as an array; raises for anything else, with a hint for functions and sums."""
    value = leaf_value(leaf, path, what)
    if isinstance(value, Higher):
        raise TracingError(
            f"{what}: {path} is {value.noun}, and not an array or a number",
            location=user_line(),
            hint=hint,
        )
    return value


def _holds_narrow() -> bool:
    """Return whether the region being traced makes values of 32 bits, which a Python scalar adapts to."""
    narrow = {array_type((), ELEMENT_TYPES[d]) for d in (F32, I32)}
    return any(
        getattr(r.type, "element_type", r.type) in narrow
        for op in current_frame().builder.block.walk()
        for r in op.results
    )
