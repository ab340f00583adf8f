"""Any array-like argument to the array a compiled program reads: contiguous, aligned, native.

    prepare(ArraySpec("float32", (2,)), [1.0, 2.0], 0)  -->  array([1., 2.], dtype=float32)

Element types convert by these rules, else `DtypeError`:

- arrays and NumPy scalars: where NumPy's casting `safe` allows it (float32 and int64 to float64,
  bool to anything; not float64 to float32, not int64 to int32);
- Python scalars, which have no width of their own: bool to anything, int to every number type that
  holds it, float to both float types.

Lists and objects that share their memory are read as NumPy reads them, producers of DLPack (tensors of
PyTorch and JAX, on the CPU) without a copy. Masked arrays and other subclasses of ndarray are
`UnsupportedError`s, because what makes them special would be lost, and so are arrays that have to compute
their elements (`foreign_arrays.py`). A wrong shape is a `ShapeError`; nothing broadcasts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol, cast, runtime_checkable

import numpy as np
import numpy.typing as npt

from mlirad.errors import ArgumentError, DtypeError, ShapeError, is_from_signal, of_class
from mlirad.float_modes import standard_floats
from mlirad.jit.foreign_arrays import refusal
from mlirad.lower.native_program import ITEM_BYTES, ArraySpec

if TYPE_CHECKING:
    from typing_extensions import CapsuleType

type_of_element: Final = {name: np.dtype(name) for name in ITEM_BYTES}
"""NumPy's dtype object of each element type: the one that arrays of that type usually carry."""

_PYTHON_SCALARS: Final = {bool: "bool", int: "int64", float: "float64"}


@runtime_checkable
class _DLPackProducer(Protocol):
    def __dlpack__(self, *, stream: None = None) -> CapsuleType: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...


def prepare(spec: ArraySpec, value: object, position: int) -> npt.NDArray[Any]:
    """The array for input number `position`, whose description is `spec`; copies only where it must."""
    dtype = type_of_element[spec.dtype]
    if _is_ready(spec, dtype, value):
        return cast("npt.NDArray[Any]", value)
    return _converted(spec, dtype, value, position)


@standard_floats
def _converted(spec: ArraySpec, dtype: np.dtype[Any], value: object, position: int) -> npt.NDArray[Any]:
    if type(value) in _PYTHON_SCALARS:
        array = _from_python_scalar(spec, cast("bool | int | float", value), position)
    else:
        array = _as_array(value, position)
        if array.dtype != dtype and not np.can_cast(array.dtype, dtype, "safe"):
            raise DtypeError(
                f"argument {position} has dtype {array.dtype}, and {dtype} is expected",
                hint=f"NumPy does not convert it without loss; write x.astype(np.{dtype}) if that is meant",
            )
    if array.shape != spec.shape:
        raise ShapeError(
            f"argument {position} has shape {array.shape}, and {spec.shape} is expected",
            hint="a compiled program is made for one shape and does not broadcast",
        )
    return np.require(array, dtype, ("C_CONTIGUOUS", "ALIGNED"))


def _is_ready(spec: ArraySpec, dtype: np.dtype[Any], value: object) -> bool:
    """Return whether the program can read this value as it is."""
    if type(value) is not np.ndarray:
        return False
    flags = value.flags
    return value.dtype is dtype and value.shape == spec.shape and flags.c_contiguous and flags.aligned


def _from_python_scalar(spec: ArraySpec, value: bool | int | float, position: int) -> npt.NDArray[Any]:
    dtype = type_of_element[spec.dtype]
    # A bool goes everywhere, an int to numbers, a float to floats.
    if "bif".index(np.dtype(type(value)).kind) > "bif".index(dtype.kind):
        raise DtypeError(
            f"argument {position} is the {type(value).__name__} {value!r}, and {dtype} is expected",
            hint="write 1.0 for 1, and 1 for True",
        )
    try:
        return np.array(value, dtype)
    except OverflowError as error:
        message = f"argument {position} is {value!r}, which {dtype} does not hold"
        raise DtypeError(message, hint="pass a number that the dtype holds") from error


def _as_array(value: object, position: int) -> npt.NDArray[Any]:
    """The value as an ndarray of whatever dtype and shape it has."""
    if isinstance(value, np.generic):
        return np.asarray(cast("np.generic[Any]", value))
    if isinstance(value, np.ndarray):
        array = cast("npt.NDArray[Any]", value)
        if type(array) is np.ndarray:
            return array
        kind = "a masked array" if isinstance(array, np.ma.MaskedArray) else "an ndarray subclass"
        raise ArgumentError(
            f"argument {position} is {kind} ({type(array).__name__})",
            hint="pass a plain array, such as np.asarray(x)",
        )
    foreign = refusal(value, f"argument {position}")
    if foreign is not None:
        raise foreign
    try:
        if isinstance(value, _DLPackProducer):
            array = np.from_dlpack(value)
        else:
            array = np.asarray(cast("npt.ArrayLike", value))
    except Exception as error:  # each producer raises classes of its own
        if is_from_signal(error):
            raise
        raise ArgumentError(
            f"argument {position} is {of_class(value)}, which np.asarray makes no array of: {error}",
            hint="pass a NumPy array, or what np.asarray turns into one",
        ) from error
    if type(array) is not np.ndarray:
        raise ArgumentError(
            f"argument {position} gives {of_class(array)}, not an ndarray",
            hint="pass a plain array, such as np.asarray(x)",
        )
    return array
