"""Arrays of other libraries: which of them hold their elements in memory, and the error for the others.

    pandas' df["x"]              in memory: read as it is
    dask.array.ones(10**12)      computed by `__array__`, h5py's datasets read from a file: an error

An object that offers its memory (DLPack, the buffer protocol, `__array_interface__`) is read where it lies.
One that has nothing but `__array__` may compute for hours, or load a file that is larger than memory, when
NumPy calls that method, so it is called for the classes below alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from mlirad.errors import UnsupportedError

_MEMORY_PROTOCOLS: Final = ("__dlpack__", "__buffer__", "__array_interface__", "__array_struct__")


def _is_loaded(array: Any) -> bool:
    """Return whether one of xarray's arrays holds a NumPy array, not chunks or a file that is yet to be
    read.
    """
    variable = getattr(array, "variable", array)
    return hasattr(getattr(variable, "_data", None), "__array_interface__")


_IN_MEMORY: Final[dict[str, Callable[[Any], bool]]] = {
    "mlirad": lambda _: True,  # traced values, which say what is wrong themselves
    "numpy": lambda _: True,
    "pandas": lambda _: True,
    "polars": lambda _: True,
    "xarray": _is_loaded,
}
"""By package: the objects whose `__array__` hands out what is in memory."""


def has_chunks(value: object) -> bool:
    """Return whether a value is an array of Dask, or one of xarray's that has one: they lie in chunks."""
    for base in type(value).__mro__:
        package = base.__module__.partition(".")[0]
        if package == "dask":
            return base.__name__ == "Array"
        if package == "xarray":
            return hasattr(getattr(getattr(value, "variable", value), "_data", None), "dask")
    return False


def refusal(value: object, noun: str) -> UnsupportedError | None:
    """The error for an object whose elements are not in memory, called `noun` in it; `None` for others."""
    kind: type[Any] = type(value)
    if kind is list or kind is tuple:
        return _refusal_in(cast("list[Any] | tuple[Any, ...]", value), noun)
    if not hasattr(kind, "__array__") or any(hasattr(kind, name) for name in _MEMORY_PROTOCOLS):
        return None
    for base in kind.__mro__:
        holds = _IN_MEMORY.get(base.__module__.partition(".")[0])
        if holds is not None and holds(value):
            return None
    return UnsupportedError(
        f"{noun} is a {kind.__name__} of {kind.__module__}, which may have to compute its elements, "
        "or read them from a file",
        hint=_hint(kind),
    )


def _refusal_in(values: list[Any] | tuple[Any, ...], noun: str) -> UnsupportedError | None:
    """The error for the first element that is refused, of those that stand for their classes, or in lists."""
    by_class: dict[type[Any], Any] = {type(v): v for v in values}
    lists: list[Any] = [v for v in values if type(v) in (list, tuple)]
    found = (refusal(v, noun) for v in [*by_class.values(), *lists])
    return next((error for error in found if error is not None), None)


def _hint(kind: type[Any]) -> str:
    whole = "x.compute()" if hasattr(kind, "compute") else "np.asarray(x)"
    in_parts = "; for a part at a time, x.map_blocks(f)" if hasattr(kind, "map_blocks") else ""
    return f"write {whole} for x, which has all of its elements in memory{in_parts}"
