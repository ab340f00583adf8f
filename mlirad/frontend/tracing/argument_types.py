"""The types of the arguments of functions; an error that names the argument for what is not an array.

leaf_type(np.zeros(3), "x")      -->  float64[3]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Number
from typing import Any, cast

import numpy as np

from mlirad.dialects.extents import Extent
from mlirad.errors import ArgumentError, MliradError, of_class
from mlirad.frontend.tracing.argument_kinds import MACHINE_INTEGERS
from mlirad.frontend.tracing.captured_objects import is_program_class
from mlirad.frontend.tracing.dtypes import DTYPES, I64, language_dtype, plain_array
from mlirad.frontend.tracing.function_names import argument_paths
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.open_traces import Traced
from mlirad.frontend.tracing.pytree import Tree
from mlirad.frontend.tracing.raising import argument_error, dtype_error
from mlirad.frontend.tracing.source import user_line
from mlirad.jit.foreign_arrays import refusal


def is_unknown(leaf: object) -> bool:
    """Return whether a leaf is of a class that is neither an array nor structure."""
    kind = type(leaf)
    if callable(leaf) or isinstance(leaf, set | complex):
        return True
    is_like_array = any(hasattr(kind, name) for name in _ARRAY_PROTOCOLS)
    return not is_like_array and not isinstance(leaf, Number | Traced | np.generic)


_ARRAY_PROTOCOLS = ("__array__", "__array_interface__", "__dlpack__", "__buffer__", "__float__", "__index__")


def leaf_type(leaf: Any, path: str) -> LeafType:
    """The type of an argument; raises for what is not an array."""
    kind = cast("type[Any]", type(leaf))
    if kind is np.ndarray and leaf.dtype in DTYPES:
        return LeafType(leaf.shape, leaf.dtype)
    if kind in (bool, int, float):
        if kind is int and not -MACHINE_INTEGERS <= leaf < MACHINE_INTEGERS:
            raise dtype_error(f"argument {path} is {leaf}, which int64 does not hold", "pass it as a float")
        return LeafType((), language_dtype(kind), weak=True)
    if isinstance(leaf, Traced):
        return _traced_type(leaf, path)
    if isinstance(leaf, Extent):
        return LeafType((), I64, weak=True)
    if is_unknown(leaf):
        raise _no_argument(path, of_class(leaf), _remedy(leaf))
    foreign = refusal(leaf, f"argument {path}")
    if foreign is not None:
        raise foreign.restated(foreign.message, user_line())
    try:
        array = plain_array(leaf)
    except MliradError as error:
        raise error.restated(f"argument {path}: {error.message}", user_line()) from error
    return LeafType(array.shape, language_dtype(array.dtype))


def _traced_type(leaf: Traced, path: str) -> LeafType:
    """The type of a traced argument; raises for a function and a sum."""
    from mlirad.frontend.tracing.array import Array
    from mlirad.frontend.tracing.values import Higher

    if isinstance(leaf, Array):
        return LeafType(leaf.shape, leaf.dtype, leaf.weak)
    noun = leaf.noun if isinstance(leaf, Higher) else type(leaf).__name__
    raise _no_argument(path, noun, "make it in the function that uses it, of arrays that are arguments")


def _no_argument(path: str, noun: str, hint: str) -> ArgumentError:
    takes = "compiled functions take arrays, numbers and structures of them"
    return argument_error(f"argument {path} is {noun}, and {takes}", hint)


def _remedy(leaf: object) -> str:
    """Say what to write for an argument that is neither an array nor a number."""
    kind = type(leaf)
    if isinstance(leaf, set | complex):
        return "pass it as a tuple or a list" if isinstance(leaf, set) else "pass its parts"
    if is_program_class(kind):
        return (
            f"write @ad.register above class {kind.__name__}, or make it a dataclass, to pass what it holds"
        )
    return "name the parameter in static_argnames if the function should see the object itself"


def leaf_types(function: Callable[..., Any], leaves: Sequence[Any], tree: Tree) -> list[LeafType]:
    """The types of the leaves of the arguments of a function; raises for what is not an array."""
    paths = argument_paths(function, tree) if leaves else []
    return [leaf_type(leaf, path) for leaf, path in zip(leaves, paths, strict=True)]
