"""Calls in rewritten functions: functions in Python are rewritten too, some of Python's stand for NumPy's.

    of(helper)(x)             -->  rewritten(helper)(x), if helper is in Python
    of(max)(x, y)             -->  np.maximum(x, y), if x or y is traced
    of(ad.scan)(step, ...)    -->  ad.scan(rewritten(step), ...)
    of(Model)(x)              -->  a Model, made by rewritten(Model.__init__)

The rule is by the file that defines a function (`code_reads.is_rewritable_file`): what belongs to Python,
NumPy, mlirad or parts of SciPy is called as it is, and functions that it is given are rewritten. Generators
are called as they are until they meet a traced condition (`generators.py`), and so are objects that hold
functions, such as those that decorators of mlirad make.
"""

from __future__ import annotations

import bisect
import builtins
import functools
import heapq
import inspect
import math
import warnings
from collections.abc import Callable, Sequence
from types import BuiltinMethodType, FunctionType, MethodType
from typing import Any, Final, Literal, cast

import numpy as np

from mlirad.errors import UnsupportedError, of_class
from mlirad.frontend.constructs.alternatives import OneOf, values_of
from mlirad.frontend.constructs.raising_later import raise_where
from mlirad.frontend.control_flow import iterators
from mlirad.frontend.control_flow.expressions import choose
from mlirad.frontend.control_flow.generators import generated, is_collected
from mlirad.frontend.control_flow.iterables import range_, reversed_
from mlirad.frontend.control_flow.kept import KeptList, as_chosen
from mlirad.frontend.control_flow.mathematics import MATHEMATICS, complex_
from mlirad.frontend.control_flow.one_number import compared, number
from mlirad.frontend.control_flow.orders import extreme, list_method, several, sort_kept, sorted_by
from mlirad.frontend.control_flow.state import is_traced
from mlirad.frontend.control_flow.texts import formatting, warn
from mlirad.frontend.numpy_functions.arrays.creation import CREATING
from mlirad.frontend.numpy_functions.protocols.asked_calls import (
    attribute,
    has_attribute,
    is_instance,
    kind_of,
    strided,
)
from mlirad.frontend.numpy_functions.protocols.ufunc_protocol import apply_ufunc
from mlirad.frontend.rewriting.functions import is_rewritable, rewritten, with_function
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.code_reads import is_generator
from mlirad.frontend.tracing.compiled_functions import python_function
from mlirad.frontend.tracing.dtypes import BOOL, F64, I64
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.operations import as_array, contains_traced, converted, xp
from mlirad.frontend.tracing.source import is_user_file
from mlirad.frontend.tracing.unfinished_texts import called_method, noted


def of(function: Any) -> Any:
    """Return what a call of `function` calls."""
    if not is_tracing():
        return function
    if type(function) is OneOf:
        return functools.partial(_one_called, function)
    try:
        known = _STANDING.get(function)
    except TypeError:  # of an object that is not hashable
        known = None
    if known is not None:
        return known
    if _is_of_text(function):
        own = functools.partial(called_method, function)
        return formatting(function) if function.__name__ == "format" else own
    if isinstance(function, BuiltinMethodType) and type(function.__self__) is list:
        return list_method(cast("list[Any]", function.__self__), function.__name__, of) or function
    if (
        isinstance(function, MethodType)
        and type(function.__self__) is KeptList
        and function.__name__ == "sort"
    ):
        return sort_kept(function.__self__, of)
    if getattr(function, "__module__", None) == "statistics" and isinstance(function, FunctionType):
        return iterators.of_statistics(function) or function
    if isinstance(function, type):
        return _constructing(cast("type[Any]", function))
    compiled = python_function(function)
    if compiled is not None:
        return _uncompiled(function, compiled)
    made = with_function(function, _rewritten, of)
    return function if made is None else made


def _one_called(function: OneOf, *args: Any, **options: Any) -> Any:
    """A call of one of several functions, each in a branch of its own."""
    for k, other in function.answers():
        if not callable(other):
            raise_where(np.equal(function.number, k), TypeError(f"{of_class(other)} is not callable"))
    known = [pair for pair in function.answers() if callable(pair[1])]

    def called(found: Any) -> Any:
        return of(found)(*args, **options)

    if all(map(_is_of_text, (found for _, found in known))) and not contains_traced(
        [*args, *options.values()]
    ):
        return function.asked(called)

    def calling(some: Sequence[tuple[int, Any]]) -> Any:
        """The call of one of some, by halves: each level of branches may be traced several times."""
        if len(some) == 1:
            return called(some[0][1])
        half = len(some) // 2
        is_first = np.less(function.number, some[half][0])
        return choose(is_first, lambda: calling(some[:half]), lambda: calling(some[half:]))

    return calling(known)


def _is_of_text(function: Any) -> bool:
    return isinstance(function, BuiltinMethodType) and type(function.__self__) is str


def _uncompiled(own: Callable[..., Any], function: FunctionType) -> Callable[..., Any]:
    """A function that Numba compiled; on traced values, the Python function that it was made from."""

    def called(*args: Any, **options: Any) -> Any:
        if not any(map(contains_traced, (*args, *options.values()))):
            return own(*args, **options)
        if hasattr(own, "nin"):  # a ufunc
            return apply_ufunc(cast("Any", own), "__call__", args, options)
        return _rewritten(function)(*args, **options)

    return called


def _rewritten(function: FunctionType) -> Callable[..., Any]:
    """A function rewritten, where its source is there and it does not suspend."""
    if not is_rewritable(function):
        return function if is_user_file(function.__code__.co_filename) else _passing(function)
    if is_generator(function.__code__) and is_collected(function):
        return generated(function)
    try:
        return rewritten(function)
    except UnsupportedError:
        return function


def _passing(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a library, which calls functions that it is given: these are rewritten."""

    def passing(*args: Any, **options: Any) -> Any:
        return function(*map(_passed, args), **{name: _passed(value) for name, value in options.items()})

    return passing


def _passed(value: Any) -> Any:
    if not isinstance(value, FunctionType | MethodType):
        return value
    made = with_function(value, _rewritten, of)
    return value if made is None else made


def _constructing(cls: type[Any]) -> Callable[..., Any]:
    """A class as it is called: its `__init__` is rewritten, if it has one in Python."""
    if cls in _CALLING:
        return _passing(cls)
    init = inspect.getattr_static(cls, "__init__", None)
    is_plain = type(cls).__call__ is type.__call__ and cls.__new__ is object.__new__
    if not is_plain or not isinstance(init, FunctionType) or not is_rewritable(init):
        return cls
    start = _rewritten(init)

    def construct(*args: Any, **options: Any) -> Any:
        made = object.__new__(cls)
        start(made, *args, **options)
        return made

    return cls if start is init else construct


_CALLING: Final = frozenset((functools.partial, np.vectorize))
"""Classes of libraries whose objects call functions that they are given."""


# Functions of Python -----------------------------------------------------------------------------


def _converting(
    own: Callable[..., Any], convert: Callable[[Array], Any], method: str | None = None
) -> Callable[..., Any]:
    """A conversion, which objects of the program can define by a method."""

    def converting(*args: Any, **options: Any) -> Any:
        if len(args) == 1 and not options:
            args = (values_of(args[0]),) if type(args[0]) is OneOf else args
            if isinstance(args[0], Array):
                return convert(args[0])
            defined = (
                None if method is None else inspect.getattr_static(cast("Any", type(args[0])), method, None)
            )
            if isinstance(defined, FunctionType) and is_rewritable(defined):
                found = _rewritten(defined)(args[0])
                return convert(found) if isinstance(found, Array) else own(found)
        return own(*args, **options)

    return converting


def _bisect(side: Literal["left", "right"]) -> Callable[..., Any]:
    """`bisect` for a list, or a number to insert, that is traced."""
    own = bisect.bisect_left if side == "left" else bisect.bisect_right

    def standing(a: Any, x: Any, *bounds: Any, **options: Any) -> Any:
        if bounds or options or not (is_traced(x) or contains_traced(a)):
            return own(a, x, *bounds, **options)
        return xp.searchsorted(xp.stack([compared(as_array(value)) for value in a]), compared(x), side=side)

    return standing


def _creating(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes an array, also of a list of kept elements."""

    def creating(*args: Any, **options: Any) -> Any:
        return function(*map(as_chosen, args[:1]), *args[1:], **options)

    return creating


def _rounding(function: Callable[..., Any]) -> Callable[[Array], Any]:
    return lambda x: converted(function(number(x)), I64)


def _converted(dtype: np.dtype[Any], x: Array) -> Any:
    return converted(x, dtype)


_SCALARS: Final = (np.float64, np.float32, np.int64, np.int32, np.bool_)
"""Classes of NumPy's scalars that convert arrays, of dtypes of the language."""


def _truth(x: Array) -> Array:
    """`bool(x)`, which is Python's own."""
    return made(converted(compared(x), BOOL).value, weak=True)


FLOAT_OPERATORS: Final = (
    *(f"{r}{name}" for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow") for r in ("", "r")),
    "neg", "pos", "abs", "eq", "ne", "lt", "le", "gt", "ge",
)  # fmt: skip


def _of_floats(name: str) -> Callable[..., Any]:
    """A method of `float`, such as `float.__add__`, that is called as a function."""
    own = getattr(builtins.float, f"__{name}__")

    def called(x: Any, *others: Any) -> Any:
        if not contains_traced([x, *others]):
            return own(x, *others)
        return getattr(as_array(x), f"__{name}__")(*others)

    return called


_STANDING: Final[dict[Any, Callable[..., Any]]] = {
    builtins.range: range_,
    builtins.reversed: reversed_,
    builtins.max: extreme(builtins.max, np.maximum, of),
    builtins.min: extreme(builtins.min, np.minimum, of),
    builtins.sorted: sorted_by(of),
    heapq.nsmallest: several(of, is_descending=False),
    heapq.nlargest: several(of, is_descending=True),
    **iterators.standing(of),
    **{own: functools.partial(noted, own) for own in (builtins.str, repr, ascii, format)},
    builtins.float: _converting(builtins.float, lambda x: converted(number(x), F64), "__float__"),
    builtins.int: _converting(builtins.int, _rounding(xp.trunc), "__int__"),
    builtins.bool: _converting(builtins.bool, _truth, "__bool__"),
    bisect.bisect: _bisect("right"),
    bisect.bisect_right: _bisect("right"),
    bisect.bisect_left: _bisect("left"),
    math.floor: _converting(math.floor, _rounding(xp.floor)),
    math.ceil: _converting(math.ceil, _rounding(xp.ceil)),
    builtins.complex: complex_,
    warnings.warn: warn,
    math.trunc: _converting(math.trunc, _rounding(xp.trunc)),
    **MATHEMATICS,
    **{kind: _converting(kind, functools.partial(_converted, np.dtype(kind))) for kind in _SCALARS},
    **{getattr(np, name): _creating(function) for name, function in CREATING.items()},
    np.lib.stride_tricks.as_strided: strided,
    builtins.type: kind_of,
    builtins.isinstance: is_instance,
    builtins.hasattr: has_attribute,
    builtins.getattr: attribute,
    **{getattr(builtins.float, f"__{name}__"): _of_floats(name) for name in FLOAT_OPERATORS},
}
"""The replacements of functions of Python and NumPy that do not reach traced values."""
