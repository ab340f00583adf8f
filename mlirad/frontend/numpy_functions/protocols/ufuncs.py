"""NumPy's and SciPy's ufuncs on traced arrays.

Operands are converted to the dtypes of the loop that NumPy would run, broadcast, and handed to the ufunc's
line in `meanings/ufuncs.py`: a function of the builder and one value per operand, all of one shape. An
operator is the same ufunc, but between Python scalars it gives a Python scalar, whose dtype stays weak.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import i1

from mlirad.dialects.array.literals import ELEMENT_TYPES
from mlirad.dialects.shapes import Value, array_type
from mlirad.frontend.indexing.masks import MaskedElements
from mlirad.frontend.numpy_functions.calls.alternatives import alternative_to
from mlirad.frontend.numpy_functions.calls.results import all_ordered, in_order
from mlirad.frontend.numpy_functions.linear_algebra.products import matmul
from mlirad.frontend.numpy_functions.meanings.powers import power
from mlirad.frontend.numpy_functions.meanings.python_numbers import (
    ARITHMETIC,
    COMPARISONS,
    as_numbers,
    order_beyond,
    require_no_repetition,
    wide_enough,
)
from mlirad.frontend.numpy_functions.meanings.ufuncs import meaning_of, name_in_special
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.captured_objects import is_rewritable_class
from mlirad.frontend.tracing.dtypes import Dtype, loop_dtypes
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.open_traces import Traced, TracedParts
from mlirad.frontend.tracing.operations import (
    Operand,
    as_array,
    broadcast_shapes,
    broadcast_value,
    kind_of,
    operand_of,
    select,
    shape_of_operand,
    value_of,
    xp,
)
from mlirad.frontend.tracing.raising import unsupported_error


def apply_operator(ufunc: np.ufunc, *inputs: Any) -> Any:
    """A Python operator on traced operands; `NotImplemented` for operands that are not arrays."""
    others = [x for x in inputs if not isinstance(x, Array)]
    if any(isinstance(x, list | tuple) for x in others):
        require_no_repetition(ufunc, inputs)
    if ufunc in (np.equal, np.not_equal) and any(x is None for x in others):
        array = next(x for x in inputs if x is not None)
        return xp.full_like(array, ufunc is np.not_equal, dtype=bool)
    if any(x is None or isinstance(x, str | dict | set | MaskedElements) or callable(x) for x in others):
        return NotImplemented
    if any(_answers_operators(cast("type[Any]", type(x))) for x in others):
        return NotImplemented
    answering = next(filter(answers_ufuncs, others), None)
    if answering is not None:
        return answering.__array_ufunc__(ufunc, "__call__", *inputs)
    if ufunc is np.matmul:
        return matmul(*map(operand_of, inputs))
    return apply(ufunc, inputs, is_operator=True)


def _answers_operators(kind: type[Any]) -> bool:
    """Return whether the objects of a class are not arrays and have operators of their own, as NumPy asks for
    it.
    """
    if getattr(kind, "__array_ufunc__", True) is None:
        return True
    priority: Any = getattr(kind, "__array_priority__", None)
    if not hasattr(kind, "__array_ufunc__") and isinstance(priority, int | float) and priority > 0:
        return True
    is_array = hasattr(kind, "__array__") or hasattr(kind, "__array_ufunc__") or issubclass(kind, int | float)
    return not is_array and hasattr(kind, "__rmul__") and is_rewritable_class(kind)


def answers_ufuncs(value: Any) -> bool:
    """Tell if an object that holds an array answers ufuncs by itself, as quantities with units do."""
    kind = cast("type[Any]", type(value))
    answer = getattr(kind, "__array_ufunc__", None)
    return (
        answer is not None
        and not issubclass(kind, np.ndarray | np.generic | Traced | TracedParts)
        and kind.__module__.partition(".")[0] not in _READ
        and not _must_compute(value)
    )


def _must_compute(value: Any) -> bool:
    """Return whether the elements have to be computed: the class has a method for it. Quantities have one,
    too, and `__dask_graph__` says whether they hold an array of Dask.
    """
    kind = cast("type[Any]", type(value))
    if not hasattr(kind, "compute"):
        return False
    return not hasattr(kind, "__dask_graph__") or (
        "dask" in sys.modules and value.__dask_graph__() is not None
    )


_READ = frozenset(("dask", "pandas", "xarray", "polars", "mlirad"))
"""Packages of arrays whose elements are read, or may have to be computed; other classes of such arrays have a
method `compute`.
"""


def apply(
    ufunc: np.ufunc,
    inputs: tuple[Any, ...],
    *,
    is_operator: bool = False,
    dtype: Dtype | None = None,
    casting: str = "same_kind",
) -> Any:
    """The ufunc on traced and concrete operands."""
    special_case = SPECIAL.get(ufunc)
    operands = [operand_of(x) for x in inputs]
    if special_case is not None and dtype is None:
        done = special_case(*operands)
        if done is not None:
            return in_order(done, inputs, all_ordered(operands))
    meaning = meaning_of(ufunc)
    call = _call_of(name_in_special(ufunc)) if meaning is None else None
    if call is not None:
        called = call(*operands)
        is_tuple = isinstance(called, tuple)
        results = cast("tuple[Any, ...]", called if is_tuple else (called,))
        if not all(isinstance(r, Array) for r in results):
            return results if is_tuple else results[0]  # complex numbers
        dtypes = loop_dtypes(ufunc, tuple(map(kind_of, operands)), dtype=dtype, casting=casting)
        element = ELEMENT_TYPES[dtypes[-1]]
        found = tuple(made(emitting().convert(r.value, element)) for r in results)
        return found if is_tuple else found[0]
    if meaning is None:
        raise unsupported_error(
            f"{name_of(ufunc)} cannot be traced",
            alternative_to(name_of(ufunc).removeprefix("np.").removeprefix("scipy.")),
        )
    kinds = tuple(kind_of(o) for o in operands)
    if is_operator and ufunc in ARITHMETIC:
        kinds = as_numbers(kinds)
    dtypes = loop_dtypes(ufunc, kinds, dtype=dtype, casting=casting)
    b = emitting()
    if ufunc in COMPARISONS:
        known = order_beyond(ufunc, operands)
        if known is not None:
            shape = broadcast_shapes([shape_of_operand(o) for o in operands], name_of(ufunc))
            return made(b.splat(known, array_type(shape, i1)))
        dtypes = wide_enough(b, operands, dtypes)
    values = [value_of(o, d) for o, d in zip(operands, dtypes, strict=False)]
    shape = broadcast_shapes([shape_of_operand(o) for o in operands], name_of(ufunc))
    result = meaning(b, *(broadcast_value(b, v, shape) for v in values))
    weak = is_operator and not any(isinstance(k, np.dtype) for k in kinds)
    found = tuple(
        in_order(
            made(b.convert(r, ELEMENT_TYPES[dtype]), weak=weak),
            inputs,
            len(shape) < 2 or all_ordered(operands),
        )
        for r, dtype in zip(
            cast("tuple[Value, ...]", result) if isinstance(result, tuple) else (result,),
            dtypes[-ufunc.nout :],
            strict=True,
        )
    )
    return found if isinstance(result, tuple) else found[0]


def _call_of(name: str | None) -> Callable[..., Any] | None:
    """The replacement of a ufunc of `scipy.special` by a call of another function."""
    if name is None:
        return None
    from mlirad.frontend.numpy_functions.scipy_functions import ufunc_calls  # and with it all distributions

    return ufunc_calls.BY_CALLS.get(name)


def name_of(ufunc: np.ufunc) -> str:
    """A ufunc as users write it."""
    return f"{'np' if getattr(np, ufunc.__name__, None) is ufunc else 'scipy.special'}.{ufunc.__name__}"


def _divmod(x: Operand, y: Operand) -> tuple[Any, Any]:
    return apply(np.floor_divide, (x, y), is_operator=True), apply(np.remainder, (x, y), is_operator=True)


def _modf(operand: Operand) -> tuple[Any, Any]:
    x = as_array(operand, loop_dtypes(np.modf, (kind_of(operand),))[0])
    whole = xp.trunc(x)
    # A zero has the sign of x, and a slope: copysign would have none there.
    part = select(xp.signbit(x), xp.negative(xp.subtract(whole, x)), xp.subtract(x, whole))
    return select(xp.isinf(x), xp.copysign(x.dtype.type(0), x), part), whole


SPECIAL: dict[np.ufunc, Callable[..., Any]] = {
    np.power: power,
    np.divmod: _divmod,
    np.modf: _modf,
}
"""Ufuncs with more to say than their meaning on values; `None` sends the ufunc on to its meaning."""
