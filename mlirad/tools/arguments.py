"""Arguments of `mlirad-run` as text: files and literals, read as the types that the function takes.

    data.npy                  an array in NumPy's format
    2.5   -3   true   inf     a scalar
    [[1.0, 2.0], [3.0, 4.0]]  an array
    zeros   ones   iota       an array filled with 0, 1, or 0, 1, 2, ... in row-major order
    full(0.5)   random(7)     with a constant, or with numbers of a seed: normal floats, integers below 100
    zeros(3x4)   random(5x)   the same with the shape written out, which must be the function's
    full(3x4, 0.5)

A size of the function is read from the shapes that are written out, or that a file or a list has. Every array
must have the shape of its parameter; values are converted to its element type, as NumPy converts
without losing a kind: an integer may become a float, a float no integer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from math import prod
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import f64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.concrete_sizes import alone, sizes_at, stated_sizes
from mlirad.dialects.shapes import ELEMENTS, array_type, is_array, shape_of, size_of
from mlirad.errors import DtypeError, MliradError, ShapeError, UnsupportedError
from mlirad.float_modes import silent

T = TypeVar("T")

Argument = npt.NDArray[Any]

_FILL = re.compile(
    r"(?P<name>zeros|ones|iota|full|random)"
    r"(?:\((?:(?P<shape>\d{1,18}(?:x\d{1,18})*x?)(?=\s*[,)]))?(?P<comma>\s*,\s*)?(?P<value>[^()]*)\))?"
)


def read_arguments(texts: Sequence[str], types: Sequence[Attribute], function: str) -> list[Argument]:
    """One array (of rank 0 for scalars) per parameter of `function`.

    Raises `ShapeError`, `DtypeError` or `UnsupportedError` that names the argument and what it should be.
    """
    if len(texts) != len(types):
        raise ShapeError(
            f"@{function} takes {len(types)} arguments, got {len(texts)}",
            hint="their types are " + (", ".join(map(str, types)) or "none"),
        )
    found: list[Argument] = []
    for k, (text, type_) in enumerate(zip(texts, types, strict=True)):
        if not is_array(type_, ELEMENTS):
            raise UnsupportedError(f"argument {k} of @{function} has type {type_}, which cannot be written")
        try:
            found.append(_convert(_read(text.strip(), type_), type_))
        except MliradError as error:
            raise error.restated(f"argument {k} of @{function}: {error.message}", None) from error
        except MemoryError as error:
            raise UnsupportedError(f"argument {k} of @{function} needs more memory than there is") from error
    return found


def sizes_of_arguments(texts: Sequence[str], types: Sequence[Attribute], function: FuncOp) -> dict[str, int]:
    """The sizes that `function` states, read from the shapes of its arguments as they are written.

    Raises `ShapeError` where arguments disagree, and for a size that no argument tells.
    """
    stated = stated_sizes(function)
    if not stated or len(texts) != len(types):
        return {}
    found = sizes_at(types, [_written_shape(text.strip()) for text in texts])
    for name in stated:
        if name not in found:
            place = next(k for k, t in enumerate(types) if name in map(alone, shape_of(t)))
            raise ShapeError(
                f"the size {name} of @{function.sym_name.data} is not known",
                hint=f"write the shape of argument {place} out: zeros(3x4), random(3x4), full(3x4, 0.5)",
            )
    return found


def _written_shape(text: str) -> tuple[int, ...] | None:
    """The shape that a text writes out or that a file has, None where it is that of the parameter."""
    if text.endswith(".npy"):
        return _shape_in_file(text)
    fill = _FILL.fullmatch(text)
    if fill is None:
        return _read_literal(text).shape
    if fill["shape"] is None or _is_value(fill):
        return None
    return tuple(int(e) for e in fill["shape"].split("x") if e)


def read_example(text: str) -> Any:
    """Read a text where no type is known: a number, a file, a list, or an array of floats filled.

    One number in `random(20)` is a size then, as there is no other. Raises `UnsupportedError` for what cannot
    be read, and for a filled array without a shape.
    """
    if text.endswith(".npy"):
        return _of_file(text, lambda: np.load(text, allow_pickle=False))
    fill = _FILL.fullmatch(text)
    if fill is None:
        array = _read_literal(text)
        return array[()]
    if fill["name"] == "random" and _is_value(fill):
        return read_example(f"random({fill['shape']}x)")
    if fill["shape"] is None or _is_value(fill):
        raise UnsupportedError(
            f"{text!r} has no shape", hint="write it out: zeros(3x4), full(3x4, 0.5), random(3x4), random(5)"
        )
    extents = tuple(int(e) for e in fill["shape"].split("x") if e)
    return _fill(fill, array_type(extents, f64))


def _read(text: str, type_: Attribute) -> Argument:
    if text.endswith(".npy"):
        return _read_file(text, type_)
    fill = _FILL.fullmatch(text)
    return _read_literal(text) if fill is None else _fill(fill, type_)


def _read_file(path: str, type_: Attribute) -> Argument:
    # Looked at before anything is allocated: a header may promise more than memory holds.
    shape = _shape_in_file(path)
    if shape != shape_of(type_):
        raise ShapeError(f"{path} has shape {list(shape)}, {type_} was expected")
    return _of_file(path, lambda: cast(Argument, np.load(path, allow_pickle=False)))


def _shape_in_file(path: str) -> tuple[int, ...]:
    def read() -> tuple[int, ...]:
        with Path(path).open("rb") as stream:
            version = np.lib.format.read_magic(stream)
            read_header = (
                np.lib.format.read_array_header_1_0
                if version == (1, 0)
                else np.lib.format.read_array_header_2_0
            )
            return read_header(stream)[0]

    return _of_file(path, read)


def _of_file(path: str, read: Callable[[], T]) -> T:
    """Return what is read of a file. Raises `UnsupportedError` for one that is not there, or in another
    format.
    """
    try:
        return read()
    except OSError as error:
        raise UnsupportedError(f"cannot read {path}: {error.strerror or error}") from error
    except MemoryError as error:
        raise UnsupportedError(f"{path} needs more memory than there is") from error
    except Exception as error:  # of what parses its header, which is a literal of Python
        raise UnsupportedError(f"{path} is not a file in NumPy's format: {error}") from error


def _is_value(found: re.Match[str]) -> bool:
    """Return whether a text that could be a shape is a value: full(3) and random(3) give the value or the
    seed.
    """
    alone = found["shape"] is not None and found["comma"] is None and not found["value"]
    return alone and found["name"] in ("full", "random") and "x" not in found["shape"]


def _fill(found: re.Match[str], type_: Attribute) -> Argument:
    name, shape = found["name"], shape_of(type_)
    value = found["value"] or ""
    if _is_value(found):
        value = found["shape"]
    elif found["shape"] is not None:
        written = tuple(int(e) for e in found["shape"].split("x") if e)
        if written != shape or (value and found["comma"] is None):
            raise ShapeError(f"{found[0]!r} does not write an array of type {type_}")
    dtype = numpy_dtype(type_)
    match name:
        case "zeros" | "ones" if not value:
            return np.full(shape, name == "ones", dtype)
        case "iota" if not value:
            return np.arange(prod(shape)).reshape(shape).astype(dtype)
        case "full":
            return np.broadcast_to(_convert(_read_literal(value), type_, shape=()), shape)
        case "random" if re.fullmatch(r"\d{0,9}", value):
            generator = np.random.default_rng(int(value or 0))
            if dtype.kind == "f":
                return generator.standard_normal(shape).astype(dtype)
            return generator.integers(0, 2 if dtype.kind == "b" else 100, shape).astype(dtype)
        case _:
            raise UnsupportedError(f"cannot read {found[0]!r}", hint="write zeros, full(0.5) or random(7)")


_WORDS = {"True": "true", "False": "false", "inf": "Infinity", "nan": "NaN"}
_WORD = re.compile(r"\b(?:True|False|inf|nan)\b")


def _read_literal(text: str) -> Argument:
    try:
        # JSON, with the words that Python and NumPy print.
        value = json.loads(_WORD.sub(lambda word: _WORDS[word[0]], text))
        array = np.asarray(value)
    except (ValueError, RecursionError, OverflowError) as error:
        raise UnsupportedError(
            f"cannot read {text[:40]!r}",
            hint="write a .npy file, a number, a list such as [1.0, 2.0], zeros, full(0.5) or random(7)",
        ) from error
    if array.dtype.kind not in "bif" and array.size:
        raise UnsupportedError(f"{text[:40]!r} does not hold numbers or booleans")
    return array


def _convert(array: Argument, type_: Attribute, shape: tuple[int, ...] | None = None) -> Argument:
    """The array in the element type of `type_`, after checking its shape and kind."""
    shape = shape_of(type_) if shape is None else shape
    if array.shape != shape and not (size_of(type_) == 0 and array.size == 0):
        raise ShapeError(f"has shape {list(array.shape)}, {type_} was expected")
    dtype = numpy_dtype(type_)
    kinds = {"f": "fi", "i": "i", "b": "b"}
    if array.size and array.dtype.kind not in kinds[dtype.kind]:
        raise DtypeError(f"holds {array.dtype}, {type_} was expected")
    if dtype.kind == "i" and array.size and array.dtype != dtype:
        limits = np.iinfo(dtype)
        if array.min() < limits.min or array.max() > limits.max:
            raise DtypeError(f"holds integers that do not fit {type_}")
    return np.ascontiguousarray(silent(array.astype)(dtype)).reshape(shape)
