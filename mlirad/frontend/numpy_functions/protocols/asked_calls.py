"""Calls and subscripts of functions that ask: functions in C, and NumPy's arrays, meet traced values.

    array([x, 1.0])        `creation.array`, however `np.array` came to be called so
    np.sin([x, 1.0])       the ufunc of an array of these
    table[k]               an element of `ad.asarray(table)`, for a traced k

A function that it calls is told to ask, too, if it names one of those functions.
"""

from __future__ import annotations

import functools
import operator
import warnings
from collections.abc import Callable, Sequence
from numbers import Number
from types import BuiltinFunctionType, FunctionType, MethodType, MethodWrapperType
from typing import Any, Final, cast

import numpy as np

from mlirad.dialects.extents import Extent
from mlirad.frontend.indexing.masks import MaskedElements
from mlirad.frontend.numpy_functions.arrays.counted_arrays import COUNTING, counting
from mlirad.frontend.numpy_functions.arrays.creation import CREATING, is_symbolic
from mlirad.frontend.numpy_functions.signals.windows import as_strided
from mlirad.frontend.splicing.plain import Hooks
from mlirad.frontend.tracing.adopted_arrays import made, require_adopted
from mlirad.frontend.tracing.array import Array, pythons_truth
from mlirad.frontend.tracing.array import made as emitted
from mlirad.frontend.tracing.asked_class import asks_for_numpys
from mlirad.frontend.tracing.code_reads import is_scipy_code
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.complex_pairs import real_or_complex
from mlirad.frontend.tracing.control import as_traced
from mlirad.frontend.tracing.dtypes import BOOL, PLAIN
from mlirad.frontend.tracing.frames import current_frame
from mlirad.frontend.tracing.open_traces import Chosen, Traced
from mlirad.frontend.tracing.operations import are_numbers_of_python, as_array, contains_traced
from mlirad.frontend.tracing.raising import tracing_error
from mlirad.frontend.tracing.source import is_user_file
from mlirad.frontend.tracing.told_functions import bind_hooks, codes_in, is_told, lessons, tell

Function = Callable[..., Any]

_TAKING_NESTS: Final = ("array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray")
"""Functions in C that make arrays of nests."""


def _of_symbolic(own: Function, make: Function) -> Function:
    """A function of NumPy's, or what makes arrays of traced values and sizes, which it cannot read."""

    @functools.wraps(own)
    def called(*args: Any, **options: Any) -> Any:
        is_answered = is_symbolic([*args, *options.values()]) or any(map(is_symbolic, args))
        return (make if is_answered else own)(*args, **options)

    return called


def _calling(own: Function) -> Function:
    """A function in C that calls its first argument."""

    def called(function: Any, *args: Any, **options: Any) -> Any:
        return own(_called(function), *args, **options)

    return called


def strided(x: Any, *args: Any, **options: Any) -> Any:
    """`as_strided`, which reads what arrays hold in memory."""
    function: Function = as_strided if isinstance(x, Array) else np.lib.stride_tricks.as_strided
    return function(x, *args, **options)


NUMBERS: Final = "biufc"
"""The kinds of dtypes whose elements are numbers."""


def _filled(own: Function) -> Function:
    """A function that returns uninitialised memory, filled with zeros, as a program must not depend on it."""

    @functools.wraps(own)
    def called(*args: Any, **options: Any) -> Any:
        found: Any = own(*args, **options)
        if type(found) in PLAIN and found.dtype.kind in NUMBERS:
            found.fill(0)
        return found

    return called


def _of_texts(name: str, *first: Any) -> Function:
    """A function of `unfinished_texts`, which most programs do without, with its first arguments."""

    def called(*args: Any, **options: Any) -> Any:
        from mlirad.frontend.tracing import unfinished_texts

        return getattr(unfinished_texts, name)(*first, *args, **options)

    return called


def length(container: Any) -> Any:
    """`len`, also of what a traced mask chooses."""
    if isinstance(container, Chosen):
        return cast("Any", container).asked(length)
    if type(container) is not MaskedElements:
        return len(container)
    from mlirad.frontend.numpy_functions.protocols.masked_places import length_of  # most programs do without

    return length_of(container)


def _asks_for_numpys() -> bool:
    return asks_for_numpys(by_functions_of_mlirad=True)


def kind_of(*args: Any, **options: Any) -> Any:
    """`type`, which is that of a value of NumPy or Python for a traced one, except in code of SciPy."""
    kind: Any = type(*args, **options)
    shown = getattr(kind, "_class_for_others", None) if len(args) == 1 else None
    return kind if shown is None or not _asks_for_numpys() else shown(args[0])


def _isinstance(value: Any, kinds: Any) -> bool:
    return isinstance(value, kinds)


_of_a_program: Final = FunctionType(_isinstance.__code__, {"__name__": "program"})
"""`isinstance` as code outside of mlirad calls it, to which a traced value answers with NumPy's class."""


def is_instance(*args: Any) -> bool:
    """`isinstance`, which for a traced value is answered for its class in NumPy, except in code of SciPy."""
    shown = getattr(cast("type[Any]", type(args[0])), "_class_for_others", None) if len(args) == 2 else None
    return isinstance(*args) if shown is None or not _asks_for_numpys() else _of_a_program(*args)


def has_attribute(*args: Any) -> bool:
    """`hasattr`, which for a traced value is answered for the class that it has, except in code of SciPy."""
    shown = getattr(cast("type[Any]", type(args[0])), "_class_for_others", None) if len(args) == 2 else None
    return hasattr(*args) if shown is None or not _asks_for_numpys() else hasattr(shown(args[0]), args[1])


def attribute(*args: Any) -> Any:
    """`getattr`, which gives the default for what the class of a traced value does not have."""
    shown = getattr(cast("type[Any]", type(args[0])), "_class_for_others", None) if len(args) == 3 else None
    is_there = shown is None or not _asks_for_numpys() or hasattr(shown(args[0]), args[1])
    return getattr(*args) if is_there else args[2]


def _item_of(container: Any, key: Any) -> Any:
    return _item((container, key))


def _put_into(container: Any, key: Any, value: Any) -> None:
    _put((value, container, key))


_STANDING: Final[dict[int, tuple[Any, Function]]] = {
    id(own): (own, made)
    for own, made in (
        *((getattr(np, name), _of_symbolic(getattr(np, name), CREATING[name])) for name in _TAKING_NESTS),
        *((own, counting(_filled(own) if own is np.empty else own)) for own in COUNTING),
        (np.empty_like, _filled(np.empty_like)),
        *((own, _of_texts("noted", own)) for own in (str, repr, ascii, format)),
        (warnings.warn, _of_texts("warn")),
        (len, length),
        (type, kind_of),
        (hasattr, has_attribute),
        (getattr, attribute),
        (np.lib.stride_tricks.as_strided, strided),
        (operator.getitem, _item_of),
        (operator.setitem, _put_into),
        (map, _calling(cast(Any, map))),
        (functools.reduce, _calling(functools.reduce)),
    )
}
"""The functions that read memory, most of them in C, by their identity, and the functions called instead."""


def _called_rewritten(function: Any) -> Any:
    return _called(as_traced(function))


def _called(function: Any) -> Any:
    known = _STANDING.get(id(function))
    if known is not None:
        return known[1]
    kind = cast("type[Any]", type(function))
    if kind is FunctionType:
        _consider(function)
    elif kind is MethodType:
        _called(function.__func__)
    elif kind is np.ufunc:
        return functools.partial(_of_nests, function)
    elif kind is functools.partial:
        return functools.partial(_called(function.func), *function.args, **function.keywords)
    elif kind is MethodWrapperType and function.__name__ in _OF_WRAPPERS:
        return functools.partial(_OF_WRAPPERS[function.__name__], function.__self__)
    elif kind is BuiltinFunctionType:
        own = cast("type[Any]", type(function.__self__))
        if own is np.ufunc:
            return functools.partial(_of_nests, function)
        if own in PLAIN:
            return functools.partial(_of_plain_array, function)
        if own is str:
            return _of_texts("called_method", function)
        if function.__module__ == "bottleneck.reduce" and function.__name__ in OF_BOTTLENECK:
            return functools.partial(_of_bottleneck, function)
        if (own.__name__, function.__name__) in METHODS_IN_C:
            return functools.partial(_of_object, METHODS_IN_C[own.__name__, function.__name__], function)
    elif isinstance(function, type):
        for name in ("__new__", "__init__"):
            _consider(getattr(cast("type[Any]", function), name, None))
    else:
        _consider(getattr(kind, "__call__", None))  # noqa: B004
    return function


OF_BOTTLENECK: Final = frozenset((
    "median", "nanargmax", "nanargmin", "nanmax", "nanmean", "nanmedian", "nanmin", "nanstd", "nansum",
    "nanvar",
))  # fmt: skip
"""Functions of Bottleneck, in C, that compute what those of NumPy do that have their names."""


def _of_bottleneck(own: BuiltinFunctionType, *args: Any, **options: Any) -> Any:
    """A function of Bottleneck, which is NumPy's where an argument is traced."""
    if not contains_traced([*args, *options.values()]):
        return own(*args, **options)
    names = ("axis", "ddof")[: len(args) - 1]
    return getattr(np, own.__name__)(args[0], **dict(zip(names, args[1:], strict=True)), **options)


METHODS_IN_C: Final[dict[tuple[str, str], Function]] = {}
"""The meanings of methods of classes in C for traced arguments, with the object as the first argument."""


def _of_object(meaning: Function, own: BuiltinFunctionType, *args: Any, **options: Any) -> Any:
    """A method in C, which has a meaning of its own for traced arguments."""
    is_traced = contains_traced([*args, *options.values()])
    return meaning(own.__self__, *args, **options) if is_traced else own(*args, **options)


_OF_WRAPPERS: Final[dict[str, Function]] = {"__getitem__": _item_of, "__setitem__": _put_into}
"""The methods in C that are called as functions, by name, and the functions called instead."""


def _consider(function: Any) -> None:
    """Tell a function to ask if it names a function that has to be asked for, or if all are told."""
    if isinstance(function, FunctionType):
        code = function.__code__
        if is_told(code) or not (is_user_file(code.co_filename) or is_scipy_code(code.co_filename)):
            return
        if lessons().tells_all or any(not _NAMED.isdisjoint(c.co_names) for c in codes_in(code)):
            tell(function)


_NAMED: Final = frozenset(_TAKING_NESTS)


def _of_nests(own: Function, *args: Any, **options: Any) -> Any:
    """A ufunc, or a method of one, of nests that hold traced values."""
    return own(*map(_array_of, args), **options)


_WRITING: Final = frozenset(("fill", "itemset", "partition", "put", "resize", "setfield", "setflags", "sort"))
"""Methods of NumPy's arrays that write."""


def _of_plain_array(own: BuiltinFunctionType, *args: Any, **options: Any) -> Any:
    """A method of an array of NumPy's, which is traced if an argument is."""
    if not contains_traced([*args, *options.values()]):
        return own(*args, **options)
    array: Any = own.__self__
    if own.__name__ in _WRITING:
        require_adopted(array)
        return own(*args, **options)
    return getattr(as_array(array), own.__name__)(*args, **options)


def _array_of(value: Any) -> Any:
    is_nest = type(value) in (list, tuple)
    return real_or_complex(value) if is_nest and contains_traced(value) else value


def _item(place: tuple[Any, Any]) -> Any:
    container, key = place
    if type(container) in PLAIN and container.dtype.kind in NUMBERS and _is_traced_key(key):
        return as_array(container)[key]
    if isinstance(key, Chosen):
        return cast("Any", key).asked(functools.partial(_item_of, container))
    if isinstance(key, Array) and type(container) in (list, tuple, str):
        return _chosen(container, key)
    return container[key]


def _chosen(container: Sequence[Any], key: Array) -> Any:
    """An element of a list or a tuple, which is one of an array if all elements are numbers or arrays."""
    if not all(map(_is_number, container)):
        from mlirad.frontend.constructs.alternatives import element_of  # which most programs do without

        return element_of(container, key)
    found = real_or_complex(container)[key]
    if not all(type(value) is complex or are_numbers_of_python((value,)) for value in container):
        return found
    if isinstance(found, ComplexArray):
        return ComplexArray(*(emitted(part.value, weak=True) for part in (found.real, found.imag)))
    return emitted(found.value, weak=True)


def _is_number(value: Any) -> bool:
    """Return whether a value is a number or an array, or a nest of lists and tuples of them."""
    if type(value) in (list, tuple):
        return all(map(_is_number, value))
    return isinstance(value, Traced | ComplexArray | np.ndarray | np.generic | Number | Extent)


def _put(place: tuple[Any, Any, Any]) -> None:
    value, container, key = place
    kind = cast("type[Any]", type(container))
    if kind in (*PLAIN, np.flatiter) and (_has_no_number(value) or _is_traced_key(key)):
        array: Any = container.base if kind is np.flatiter else container
        if array.flags.writeable and array.dtype != object:
            if array.dtype.kind in NUMBERS:
                require_adopted(array)
            raise tracing_error(
                "a traced value is written into an array of NumPy that was there before the trace, or that "
                "something else holds, which would not see it",
                "write into a copy that the function makes, a = a.copy(), and return it",
            )
    container[key] = value


def _has_no_number(value: Any) -> bool:
    return is_symbolic(value) or isinstance(value, MaskedElements)


def _is_traced_key(key: Any) -> bool:
    if isinstance(key, slice):
        found = cast("slice[Any, Any, Any]", key)
        return contains_traced([found.start, found.stop, found.step])
    if isinstance(key, tuple):
        return any(map(_is_traced_key, cast("tuple[Any, ...]", key)))
    return contains_traced(key) or type(key) is MaskedElements


def truth_by_identity(left: Any, right: Any) -> Array | None:
    """`left is True` of a traced truth value that is one of Python's, `left is np.True_` of one of NumPy's.

    `None` of other values, which are not the same object. Raises `TracingError` where it may be either.
    """
    one, other = (left, right) if isinstance(right, Array) else (right, left)
    if not isinstance(other, Array) or other.dtype != BOOL or other.shape:
        return None
    kind = cast("type[Any]", type(one))
    if kind not in (bool, np.bool_):
        return None
    if not other.weak and current_frame().functions.control.hands_copies:
        raise tracing_error(  # a branch may give Python's, and another one NumPy's
            f"`is {one!r}` asks whether a truth value is Python's own, and {other!r} is traced",
            f"write `== {bool(one)}`, or ask for its truth",
        )
    if other.weak is not (kind is bool):
        return None
    return other if one else pythons_truth(cast("Any", np.logical_not(other)))


def _same(operands: tuple[Any, Any]) -> Any:
    truth = truth_by_identity(*operands)
    return operands[0] is operands[1] if truth is None else truth


def bind() -> None:
    """Say what functions call that ask; done once."""
    text, remainder, within = (_of_texts(name) for name in ("joined", "remainder", "is_within"))
    bind_hooks(
        Hooks(_called, _item, _put, text, remainder, within, _same, made),
        Hooks(_called_rewritten, _item, _put, text, remainder, within, _same, made),
    )
