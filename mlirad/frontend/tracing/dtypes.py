"""Element types of NumPy operations, by NumPy's own promotion.

The language has float64, float32, int64, int32 and bool. NumPy is asked which dtypes an operation converts
its operands to (`ufunc.resolve_dtypes`, `np.result_type`), with Python scalars standing for themselves, so
that `float32 * 2.0` stays float32. A dtype outside the language is replaced by the narrowest one of the
language that holds all its values (float16 by float32, uint8 by int32, uint32 by int64); any
other is a `DtypeError`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from mlirad.errors import DtypeError, is_from_signal, of_class
from mlirad.frontend.tracing.raising import dtype_error, shape_error, unsupported_error
from mlirad.frontend.tracing.source import user_line
from mlirad.jit.foreign_arrays import refusal

Dtype: TypeAlias = np.dtype[Any]
Kind: TypeAlias = Dtype | type[bool] | type[int] | type[float]
"""The dtype of an operand, or the Python type of what has no width of its own."""

PYTHON_TYPES: dict[str, type[bool] | type[int] | type[float]] = {"b": bool, "i": int, "f": float}
"""The Python type of an operand without a width of its own, by the kind of its dtype."""

BOOL, I32, I64, F32, F64 = (np.dtype(t) for t in (np.bool_, np.int32, np.int64, np.float32, np.float64))
DTYPES = frozenset((BOOL, I32, I64, F32, F64))
"""Those of the language."""

_BY_CODE: dict[str, Dtype] = {f"{d.kind}{d.itemsize}": d for d in DTYPES}
_REPLACED: dict[str, Dtype] = {
    "i1": I32, "i2": I32, "u1": I32, "u2": I32, "u4": I64, "f2": F32,
}  # fmt: skip


def language_dtype(dtype: npt.DTypeLike) -> Dtype:
    """The dtype of the language that stands for `dtype`; raises `DtypeError` if there is none."""
    try:
        known = np.dtype(dtype)
    except TypeError as error:
        raise dtype_error(str(error), "write a dtype of NumPy, such as np.float64") from error
    code = f"{known.kind}{known.itemsize}"
    found = _BY_CODE.get(code) or _REPLACED.get(code)
    if known.kind == "c":
        raise dtype_error(
            f"numbers of dtype {known} do not fit into a real array",
            "write their .real, or make the array complex: x.astype(complex)",
        )
    if found is None:
        raise dtype_error(
            f"there are no arrays of dtype {known}", "use float64, float32, int64, int32 or bool"
        )
    return found


def result_type(kinds: Sequence[Kind]) -> Dtype:
    """The dtype that NumPy promotes the operands to."""
    return _result_type(tuple(kinds))


@cache
def _result_type(kinds: tuple[Kind, ...]) -> Dtype:
    return language_dtype(np.result_type(*(k if isinstance(k, np.dtype) else k(0) for k in kinds)))


def loop_dtypes(
    ufunc: np.ufunc,
    kinds: tuple[Kind, ...],
    out: Dtype | None = None,
    *,
    dtype: Dtype | None = None,
    casting: str = "same_kind",
) -> tuple[Dtype, ...]:
    """The dtypes that a ufunc converts its operands to, and those of its results, which `dtype` may give.

    Raises `DtypeError` where the ufunc is not defined, or its result cannot be written into dtype `out`.
    """
    try:
        return _loop_dtypes(ufunc, kinds, out, dtype, casting)
    except DtypeError:
        raise
    except (TypeError, ValueError) as error:
        shown = ", ".join(k.name if isinstance(k, np.dtype) else k.__name__ for k in kinds)
        wanted = "" if dtype is None else f" with dtype {dtype}"
        raise dtype_error(
            f"np.{ufunc.__name__} is not defined on ({shown}){wanted}", f"NumPy says: {error}"
        ) from error


@cache
def _loop_dtypes(
    ufunc: np.ufunc, kinds: tuple[Kind, ...], out: Dtype | None, dtype: Dtype | None, casting: str
) -> tuple[Dtype, ...]:
    if not any(isinstance(k, np.dtype) for k in kinds):  # NumPy would compare Python numbers as objects
        kinds = tuple(np.dtype(k) for k in kinds)
    kinds = tuple(BOOL if k is bool else k for k in kinds)
    resolved = ufunc.resolve_dtypes((*kinds, *[out] * ufunc.nout), casting="same_kind")
    if dtype is not None or casting != "same_kind":
        # NumPy crashes where it refuses to cast a Python scalar, so that has its dtype by now.
        operands = [k if isinstance(k, np.dtype) else d for k, d in zip(kinds, resolved, strict=False)]
        given: dict[str, Any] = {"casting": casting}
        if dtype is not None:
            given["signature"] = (*[None] * ufunc.nin, *[dtype] * ufunc.nout)
        resolved = ufunc.resolve_dtypes((*operands, *[out] * ufunc.nout), **given)
    return tuple(language_dtype(found) for found in resolved)


PLAIN: Final[tuple[type[Any], ...]] = (np.ndarray, np.memmap)
"""The classes of NumPy's arrays that are no more than their elements."""


def plain_array(value: object) -> npt.NDArray[Any]:
    """A concrete array-like as a plain array of a dtype of the language; one in a file is plain, too."""
    kind: type[Any] = type(value)
    if isinstance(value, np.ndarray) and kind not in PLAIN:
        raise dtype_error(
            f"an argument is {of_class(cast(object, value))}, not a plain array",
            "what makes it special would be lost; pass np.asarray(x) if that is meant",
        )
    array = _as_array(cast(object, value))
    if array.dtype.hasobject and not isinstance(value, np.ndarray | list | tuple):
        is_number = hasattr(kind, "__float__") or hasattr(kind, "__index__")
        raise dtype_error(
            f"{of_class(value)} is neither an array nor a number of Python",
            "write float(x) for x" if is_number else "write the array that it holds, such as x.value for x",
        )
    if array.dtype in DTYPES:
        return array
    return array.astype(language_dtype(array.dtype))


def _as_array(value: object) -> npt.NDArray[Any]:
    """As NumPy sees it; the arrays of other libraries by DLPack, without a copy."""
    given = cast(Any, value)
    if isinstance(value, np.ndarray | np.generic) or not hasattr(value, "__dlpack__"):
        error = refusal(given, "an operand")
        if error is not None:
            raise error.restated(error.message, user_line())
        try:
            return np.asarray(given)
        except ValueError as error:
            raise shape_error(
                f"no array can be made of this: {error}", "give all rows the same length"
            ) from error
    try:
        return np.from_dlpack(given)
    except Exception as error:  # each library raises classes of its own
        if is_from_signal(error):
            raise
        raise unsupported_error(
            f"{of_class(value)} does not hand its elements over: {error}",
            "pass a NumPy array of the same elements",
        ) from error
