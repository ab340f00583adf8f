"""Arrays of the standard, on which each operation is a program: traced, compiled or interpreted, and called.

    Array(np.ones(3)) + 1.0        ad.jit(lambda x: x + 1.0)(np.ones(3)), as an Array

Arguments that are not arrays (axes, dtypes, positions, Python numbers) are part of the program.
`MLIRAD_CONFORMANCE` says how programs run: `native` machine code, `interpreter`, or `numpy`, which traces
nothing and shows what the suite says of NumPy itself.
"""

from __future__ import annotations

import operator
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

import mlirad as ad

MODES = ("native", "interpreter", "numpy")
MODE = os.environ.get("MLIRAD_CONFORMANCE", "native")


def run(function: Callable[..., Any], /, *args: Any, **options: Any) -> Any:
    """The result of a function on `Array`s among its arguments, as a program of these, in `Array`s."""
    arrays: list[Any] = []
    opened = _opened((args, options), arrays)

    def program(*traced: Any) -> Any:
        given, named = _filled(opened, traced)
        return function(*given, **named)

    if MODE == "numpy":
        return _wrapped(program(*[x.copy() for x in arrays]))
    compiled = ad.jit(program, interpret=MODE == "interpreter", flush_subnormals=False)
    with warnings.catch_warnings():  # every call has a function of its own, of any shapes
        warnings.simplefilter("ignore", ad.RecompileWarning)
        warnings.simplefilter("ignore", ad.CaptureWarning)
        return _wrapped(compiled(*arrays))


@dataclass(frozen=True)
class _Hole:
    """The place of an array among arguments."""

    index: int


def _opened(value: Any, arrays: list[Any]) -> Any:
    """A structure with holes in place of arrays, which are put into the list."""
    if isinstance(value, Array):
        arrays.append(value.value)
        return _Hole(len(arrays) - 1)
    if isinstance(value, dict):
        return {name: _opened(part, arrays) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)([_opened(part, arrays) for part in value])
    return value


def _filled(value: Any, arrays: tuple[Any, ...]) -> Any:
    if isinstance(value, _Hole):
        return arrays[value.index]
    if isinstance(value, dict):
        return {name: _filled(part, arrays) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)([_filled(part, arrays) for part in value])
    return value


def _wrapped(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return Array(np.asarray(value))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[_wrapped(part) for part in value])
    if isinstance(value, list | tuple):
        return type(value)([_wrapped(part) for part in value])
    return value


class Array:
    """An array of numbers whose operators, methods and attributes are programs."""

    namespace: ModuleType

    def __init__(self, value: np.ndarray[Any, Any]) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Array({self.value!r})"

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the elements."""
        return self.value.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents."""
        return self.value.shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self.value.ndim

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.value.size

    @property
    def device(self) -> Any:
        """The place of the elements."""
        return self.value.device

    @property
    def T(self) -> Array:
        """The transpose of a matrix."""
        return run(lambda x: x.T, self)

    @property
    def mT(self) -> Array:
        """The transposes of a stack of matrices."""
        return run(lambda x: x.mT, self)

    def to_device(self, device: Any, /, *, stream: Any = None) -> Array:
        """The array on a device; there is one."""
        return Array(self.value.to_device(device, stream=stream))

    def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType:
        return self.namespace

    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Any = None
    ) -> Any:
        return self.value.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.value.__dlpack_device__()

    # Elements outside of programs.

    def __bool__(self) -> bool:
        return bool(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __complex__(self) -> complex:
        return complex(self.value)

    def __index__(self) -> int:
        return operator.index(self.value)

    def __getitem__(self, key: Any) -> Array:
        if MODE != "numpy" and isinstance(key, Array) and key.dtype == np.bool_:
            count = int(np.count_nonzero(key.value))
            return run(lambda mask, x: ad.extract(mask, x, size=count), key, self)
        return run(operator.getitem, self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.value = run(_written, self, key, value).value

    __hash__ = None  # pyright: ignore[reportAssignmentType]


def _written(x: Any, key: Any, value: Any) -> Any:
    written = x.copy()
    written[key] = value
    return written


def _bind_operators() -> None:
    """Python's operators, as they are on traced arrays."""

    def unary(function: Callable[[Any], Any]) -> Any:
        return lambda self: run(function, self)

    def binary(function: Callable[[Any, Any], Any], is_reflected: bool) -> Any:
        def apply(self: Array, other: Any) -> Any:
            if not isinstance(other, Array | bool | int | float | complex):
                return NotImplemented
            return run(function, other, self) if is_reflected else run(function, self, other)

        return apply

    def in_place(function: Callable[[Any, Any], Any]) -> Any:
        def apply(self: Array, other: Any) -> Any:
            self.value = run(lambda x, y: function(x.copy(), y), self, other).value
            return self

        return apply

    for name in ("abs", "invert", "neg", "pos"):
        setattr(Array, f"__{name}__", unary(getattr(operator, f"__{name}__")))
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(Array, f"__{name}__", binary(getattr(operator, name), False))
    for name in (
        "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift",
        "rshift",
    ):  # fmt: skip
        function = getattr(operator, f"__{name}__")
        setattr(Array, f"__{name}__", binary(function, False))
        setattr(Array, f"__r{name}__", binary(function, True))
        setattr(Array, f"__i{name}__", in_place(getattr(operator, f"__i{name}__")))


_bind_operators()
