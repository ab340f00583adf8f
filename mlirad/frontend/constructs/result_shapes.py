"""`eval_shape`: the shapes and dtypes of what a function gives, which is traced and never run.

ad.eval_shape(lambda x: x @ x.T, ad.ShapeDtype((1000, 3)))        ShapeDtype((1000, 1000), float64)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, cast

import numpy as np

from mlirad.dialects.array.literals import ELEMENT_TYPES
from mlirad.dialects.shapes import element_of, shape_of
from mlirad.frontend.compiling.options import Options
from mlirad.frontend.compiling.transformed import Transformed
from mlirad.frontend.constructs import repeated
from mlirad.frontend.constructs.carries import leaf_array
from mlirad.frontend.tracing.argument_kinds import checked_integer, checked_list
from mlirad.frontend.tracing.array import Array, copied_leaves
from mlirad.frontend.tracing.dtypes import language_dtype
from mlirad.frontend.tracing.frames import current_frame, emitting
from mlirad.frontend.tracing.functions import THE_CALL, require_function
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.pytree import Tree, flatten
from mlirad.frontend.tracing.raising import dtype_error
from mlirad.frontend.tracing.tokens import has_reports, resume, token
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.ir.regions import discard

_DTYPES = {element: dtype for dtype, element in ELEMENT_TYPES.items()}


class ShapeDtype:
    """A shape and a dtype: stands for an array that is not there.

    >>> data = ad.ShapeDtype((10**9, 3), np.float32)
    >>> data.ndim, data.size
    (2, 3000000000)
    >>> ad.eval_shape(np.transpose, data)
    ShapeDtype((3, 1000000000), float32)
    """

    __slots__ = ("dtype", "shape")

    @plain_errors
    def __init__(self, shape: Any, dtype: Any = float):
        """Raise ArgumentError for an invalid shape, DtypeError for a dtype that arrays do not have."""
        hint = "write a tuple of integers: ad.ShapeDtype((2, 3))"
        extents = checked_list(shape if isinstance(shape, tuple | list) else (shape,), "the shape", hint)
        self.shape = tuple(checked_integer(e, "an extent of the shape", 0, hint) for e in extents)
        try:
            self.dtype: np.dtype[Any] = np.dtype(dtype)
        except TypeError:
            raise dtype_error(
                f"{dtype!r:.60} is not a dtype", "write np.float64, or the dtype of an array"
            ) from None
        if self.dtype.kind != "c":
            self.dtype = language_dtype(self.dtype)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape, dtype=int))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ShapeDtype):
            return NotImplemented
        return (self.shape, self.dtype) == (other.shape, other.dtype)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"ShapeDtype({self.shape}, {self.dtype})"


@plain_errors
def eval_shape(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """The result of `function(*args, **kwargs)`, with an `ad.ShapeDtype` in place of each array and number.

    Arguments are arrays, numbers, `ad.ShapeDtype(shape, dtype)` or anything else with `shape` and `dtype`,
    or structures of these; only their shapes and dtypes count. The function is traced, as `ad.jit` does it,
    and neither compiled nor run, so arguments and results may be larger than memory. It may be a gradient or
    another transformed function.

        >>> ad.eval_shape(lambda a, b: {"product": a @ b}, np.ones((2, 3)), ad.ShapeDtype((3, 4)))
        {'product': ShapeDtype((2, 4), float64)}
        >>> ad.eval_shape(ad.grad(lambda w: (w**2).sum()), ad.ShapeDtype(5, np.float32))
        ShapeDtype((5,), float32)

    Raises what tracing raises, at the line of the function.
    """
    require_function(function, THE_CALL)
    given, named = cast("tuple[tuple[Any, ...], dict[str, Any]]", _with_arrays((args, kwargs)))
    if is_tracing():
        return _in_trace(function, given, named)
    lowered = Transformed(function, repeated.call, "jit", Options()).lower(*given, **named)
    module, tree = lowered.trace()
    main: Any = module.body.block.last_op
    results = main.function_type.outputs.data[: tree.size]  # a program with reports has a token besides
    return _stated(tree, [ShapeDtype(shape_of(t), _DTYPES[element_of(t)]) for t in results])


# Parts -------------------------------------------------------------------------------------------


def _with_arrays(value: Any) -> Any:
    """The structure with an array, which takes no memory, for each object with a shape and a dtype."""
    leaves, tree = flatten(value)
    return tree.unflatten([_as_array(leaf) for leaf in leaves])


def _as_array(leaf: Any) -> Any:
    is_array = isinstance(leaf, np.ndarray | np.generic | Array)
    if is_array or not (hasattr(leaf, "shape") and hasattr(leaf, "dtype")):
        return cast(Any, leaf)
    return np.broadcast_to(np.zeros((), np.dtype(leaf.dtype)), tuple(leaf.shape))


def _in_trace(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The same of a function that may read what the open trace made: its operations are dropped."""
    frame, found = current_frame(), list[Any]()
    last = token() if has_reports() else None
    called = partial(function, **copied_leaves(kwargs)) if kwargs else function

    def body(*_: Any) -> list[Any]:
        with frame.open_scope():
            leaves, tree = flatten(repeated.call(called, copied_leaves(args)))
            paths = tree.paths("the result")
            arrays = [
                leaf_array(leaf, path, "eval_shape", "return what it gives for some value")
                for leaf, path in zip(leaves, paths, strict=True)
            ]
            found[:] = [_stated(tree, [ShapeDtype(a.shape, a.dtype) for a in arrays])]
        return []

    discard(emitting().region([], body))
    if last is not None:
        resume(last)
    return found[0]


def _stated(tree: Tree, leaves: list[ShapeDtype]) -> Any:
    """The structure of a result, with shapes and dtypes as leaves: two for a complex array."""
    flags = [*tree.imaginary(), False]
    whole = [
        ShapeDtype(leaf.shape, np.result_type(leaf.dtype, np.complex64)) if flags[k + 1] else leaf
        for k, leaf in enumerate(leaves)
        if not flags[k]
    ]
    return tree.with_whole_numbers().unflatten(whole)
