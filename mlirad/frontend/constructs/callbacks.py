"""Python functions that compiled programs call: `ad.callback` for results, `ad.debug_callback` for effects.

ad.callback(table, 0.0, x)          %y = array.callback %true, %x {function = "model.table", batch_rank = 0}
ad.debug_callback(progress, k)      %t1 = array.report call %t0, %true, %k {message = "model.progress"}
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from types import FunctionType, MethodType
from typing import Any, Final, cast

import numpy as np
from xdsl.dialects.builtin import i1

from mlirad import callbacks
from mlirad.errors import ArgumentError
from mlirad.frontend.tracing.argument_kinds import checked_flag
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.dtypes import language_dtype
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.operations import as_array
from mlirad.frontend.tracing.pytree import Tree, flatten
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.tokens import ReportsNeeded, has_reports, report
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.frontend.tracing.value_keys import Same
from mlirad.lower.native_program import CALL


@plain_errors
def callback(
    function: Callable[..., Any], result_shapes: Any, /, *args: Any, vectorized: bool = False
) -> Any:
    """Call a Python function on NumPy arrays when the program runs, and go on with what it returns.

    `result_shapes` is a structure of arrays or scalars like the result of the function: only their shapes and
    dtypes count (`np.empty(3)`, `0.0`, `np.float32`, anything with `shape` and `dtype`). `args` are
    structures of arrays, traced or not; the function gets them as NumPy arrays and scalars that are its own.

    The function must be pure: equal calls may be made once, calls whose results nobody reads not at all.
    In loops it is called in each iteration, in branches where they are taken. In a `build` or `vmap` it is
    called once for each position or, with `vectorized=True`, once for all of them, with arrays that have one
    more axis in front, as those that it returns must have. It may call compiled functions.

    Derivatives come from a rule: wrap the callback in `ad.custom_derivative`. An exception that the function
    raises ends the call, with its traceback and a note of the line of the callback. A call costs some ten
    microseconds and copies of all arrays.

    Raises `ShapeError`, `DtypeError` or `ArgumentError`, when it runs, where the function returns something
    else than was stated. Smaller dtypes and Python's numbers are converted.

    >>> import numpy as np
    >>> import mlirad as ad
    >>> def table(x):  # any Python code
    ...     return float(f"{x:.2f}")
    >>> f = ad.jit(lambda x: 2 * ad.callback(table, 0.0, x))
    >>> f(1.2345)
    np.float64(2.46)

    """
    _require_callable("ad.callback", function, "ad.callback(np.sort, np.empty(3), x)")
    vectorized = checked_flag(vectorized, "callback: vectorized")
    leaves, tree = flatten(args)
    types, result_tree = _stated(result_shapes)
    source = user_line()

    def flat(values: Sequence[Any]) -> list[Any]:
        return _leaves(result_tree, function(*tree.unflatten(values)))

    key = ("callback", _identity(function), tree, result_tree)
    name = callbacks.named(key, _name(function), flat)
    if not is_tracing():
        call = callbacks.Call(tuple((t.dtype, t.shape) for t in types), vectorized, source)
        values = [np.array(leaf) for leaf in leaves]
        found = callbacks.results(name, call, np.array(True), values)
        return result_tree.unflatten([y[()] for y in found])
    results = _emitted(name, [as_array(leaf) for leaf in leaves], types, vectorized, source)
    return result_tree.unflatten(results)


def called_by_name(
    key: Hashable, name: str, function: callbacks.Flat, values: Sequence[Array], types: Sequence[LeafType]
) -> list[Array]:
    """Emit a call of a function that is known by its key, once for a whole batch: from arrays to arrays."""
    given = callbacks.named(key, name, function)
    return _emitted(given, values, types, True, user_line())


def _emitted(
    name: str, values: Sequence[Array], types: Sequence[LeafType], vectorized: bool, source: str | None
) -> list[Array]:
    b = emitting()
    given, stated = [v.value for v in values], [t.type for t in types]
    condition = b.constant(True, i1)
    results = b.callback(name, condition, given, stated, vectorized=vectorized, source=source)
    return [made(y) for y in results]


@plain_errors
def debug_callback(function: Callable[..., Any], /, *args: Any) -> None:
    """Call a Python function on NumPy arrays when the program runs, for its effects: progress, logs, plots.

    `args` are structures of arrays; the function gets them as NumPy arrays and scalars, and what it returns
    is dropped. Calls come in program order, among those of `ad.debug_print`, and as often as it would print:
    in each iteration of a loop, in the branch that is taken, for each position of a `build` or `vmap`, and
    once in a program with derivatives. An exception that the function raises ends the call.

    >>> import mlirad as ad
    >>> seen = []
    >>> def step(k, x):
    ...     ad.debug_callback(seen.append, x)
    ...     return x / 2
    >>> f = ad.jit(lambda x: ad.fori_loop(0, 3, step, x))
    >>> f(8.0), seen
    (np.float64(1.0), [np.float64(8.0), np.float64(4.0), np.float64(2.0)])

    """
    _require_callable("ad.debug_callback", function, "ad.debug_callback(print, x)")
    leaves, tree = flatten(args)
    if not is_tracing():
        function(*args)
        return

    def flat(values: Sequence[Any]) -> list[Any]:
        function(*tree.unflatten(values))
        return []

    arrays = [as_array(leaf) for leaf in leaves]
    if not has_reports():
        raise ReportsNeeded
    name = callbacks.named(("debug_callback", _identity(function), tree), _name(function), flat)
    report(CALL, emitting().constant(True, i1), [a.value for a in arrays], name)


def _require_callable(what: str, function: object, example: str) -> None:
    if not callable(function):
        raise ArgumentError(
            f"{what} takes a function first, got {type(function).__name__}",
            location=user_line(),
            hint=f"write {example}",
        )


def _stated(result_shapes: Any) -> tuple[list[LeafType], Tree]:
    """The types and the structure of results that were stated."""
    leaves, tree = flatten(_with_arrays(result_shapes))
    return [_type_of(leaf) for leaf in leaves], tree


def _with_arrays(stated: Any) -> Any:
    """Replace each type, and each object with a shape and a dtype, by an array."""
    kind = cast("type[Any]", type(stated))
    if issubclass(kind, np.ndarray | np.generic):
        return stated
    if issubclass(kind, np.dtype) or (issubclass(kind, type) and issubclass(stated, _NUMBERS)):
        return np.zeros((), stated)
    if hasattr(stated, "shape") and hasattr(stated, "dtype"):
        return np.broadcast_to(np.zeros((), np.dtype(stated.dtype)), tuple(stated.shape))
    if kind is dict:
        return {k: _with_arrays(v) for k, v in stated.items()}
    if kind not in (tuple, list):
        return stated
    if len(stated) > 0 and all(type(part) is int for part in stated):
        raise ArgumentError(
            f"ad.callback: {stated} as result_shapes means {len(stated)} integers, not a shape",
            location=user_line(),
            hint=f"write np.empty({stated}) for an array of floats",
        )
    parts: list[Any] = list(map(_with_arrays, stated))
    return tuple(parts) if kind is tuple else parts


_NUMBERS: Final[tuple[type[Any], ...]] = (np.generic, bool, int, float, complex)


def _type_of(leaf: Any) -> LeafType:
    array = np.asarray(leaf)
    return LeafType(array.shape, language_dtype(array.dtype))


def _leaves(tree: Tree, result: Any) -> list[Any]:
    """The leaves of a result of the structure that was stated."""
    try:
        return tree.flatten_like(result, "the result")
    except ValueError as error:
        raise callbacks.StructureError(str(error)) from error


def _name(function: Callable[..., Any]) -> str:
    module = getattr(function, "__module__", None) or type(function).__module__
    return f"{module}.{getattr(function, '__qualname__', type(function).__qualname__)}"


def _identity(function: Callable[..., Any]) -> Hashable:
    """The key of a function: functions with equal keys have one name.

    One that was made again, such as a `lambda` in a traced function, is the same if nothing but its code
    decides what it does.
    """
    if isinstance(function, MethodType):
        return (Same(function.__self__), function.__func__)
    if isinstance(function, FunctionType):
        own = (function.__closure__, function.__defaults__, function.__kwdefaults__, function.__dict__)
        if not any(own):
            return (function.__code__, Same(function.__globals__))
    return Same(function)
