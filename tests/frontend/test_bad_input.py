"""Objects that only look like arrays, and writes to read-only ones, are told at the user's line."""

from __future__ import annotations

import decimal
import fractions
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad


class HasArray:
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.ones(3)


class RaisingArray:
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise RuntimeError("it is not here")


class HasShape:
    shape, dtype, ndim, size = (3,), np.dtype(float), 1, 3


class HasProtocols:
    def __array_function__(self, *args: Any) -> Any:
        return 1

    def __array_ufunc__(self, *args: Any, **kwargs: Any) -> Any:
        return 1


class OnAnotherDevice:
    def __dlpack__(self, **options: Any) -> Any:
        raise BufferError("it is on another device")

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0


class NoCapsule(OnAnotherDevice):
    def __dlpack__(self, **options: Any) -> Any:
        return 3


class HasFloat:
    def __float__(self) -> float:
        return 2.0


class Special(np.ndarray): ...


LOOKALIKES: dict[str, Callable[[], Any]] = {
    **{kind.__name__: kind for kind in (HasArray, RaisingArray, HasShape, HasProtocols, OnAnotherDevice)},
    "NoCapsule": NoCapsule,
    "HasFloat": HasFloat,
    "Decimal": lambda: decimal.Decimal("1.5"),
    "Fraction": lambda: fractions.Fraction(1, 2),
    "Special": lambda: np.ones(3).view(Special),
    "recarray": lambda: np.rec.array([(1, 2.0)], dtype=[("a", int), ("b", float)]),
    "generator": lambda: (i for i in range(3)),
    "module": lambda: np,
    "object": object,
}

WAYS: dict[str, Callable[[Any], Any]] = {
    "argument": lambda value: ad.jit(lambda x: x)(value),
    "argument of a gradient": lambda value: ad.grad(lambda x: x)(value),
    "part of an argument": lambda value: ad.jit(lambda p: p["a"])({"a": (value,)}),
    "operand": lambda value: ad.jit(lambda x: x + value)(1.0),
    "operand of a function": lambda value: ad.jit(lambda x: np.maximum(x, value))(1.0),
    "primal": lambda value: ad.jvp(lambda x: x, (value,), (1.0,)),
    "tangent": lambda value: ad.jvp(lambda x: x, (1.0,), (value,)),
    "carry": lambda value: ad.jit(lambda x: ad.fori_loop(0, 3, lambda i, c: c, (value, x)))(1.0),
}


ANSWERS = {("HasProtocols", "operand"), ("HasProtocols", "operand of a function")}
"""Objects whose protocols NumPy asks first: they give what they give beside NumPy's own arrays."""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", LOOKALIKES)
def test_what_looks_like_an_array(kind: str, way: str) -> None:
    value = LOOKALIKES[kind]()
    if (kind, way) in ANSWERS:
        assert WAYS[way](value) == np.ones(3) + value == 1
        return
    with pytest.raises(ad.MliradError) as caught:
        WAYS[way](value)
    error = caught.value
    assert error.location is not None and error.location.startswith(f"{__file__}:")
    assert error.hint
    assert "\n" not in error.message


def write_to_element(a: Any, x: Any) -> None:
    a[0] = x


def write_number(a: Any, x: Any) -> None:
    a[0] = 1.0


def add_in_place(a: Any, x: Any) -> None:
    a += x


def copy_to(a: Any, x: Any) -> None:
    np.copyto(a, x)


def out(a: Any, x: Any) -> None:
    np.add(a, x, out=a)


def out_of_numbers(a: Any, x: Any) -> None:
    np.add(a, 1.0, out=a)


def fill(a: Any, x: Any) -> None:
    a.fill(x)


def put(a: Any, x: Any) -> None:
    np.put(a, [0], x)


def write_to_mask(a: Any, x: Any) -> None:
    a[a > 0] = x


def write_through_broadcast(a: Any, x: Any) -> None:
    np.broadcast_to(a, (3, 3))[0] = x


def sort(a: Any, x: Any) -> None:
    a.sort()


WRITES = [
    write_to_element, write_number, add_in_place, copy_to, out, out_of_numbers, fill, put, write_to_mask,
    write_through_broadcast, sort,
]  # fmt: skip


@pytest.mark.parametrize("write", WRITES)
def test_writes_to_arrays_that_are_read_only(write: Callable[[Any, Any], None]) -> None:
    frozen = np.array([3.0, 1.0, 2.0])
    frozen.flags.writeable = False

    def function(x: Any) -> Any:
        write(frozen, x)
        return x

    with pytest.raises(ad.MliradError) as caught:
        ad.jit(function)(2.0)
    assert caught.value.location is not None and caught.value.location.startswith(f"{__file__}:")
    assert int(caught.value.location.rsplit(":", 1)[1]) > write.__code__.co_firstlineno
    assert int(caught.value.location.rsplit(":", 1)[1]) <= write.__code__.co_firstlineno + 1
    assert caught.value.hint
    assert frozen.tolist() == [3.0, 1.0, 2.0]


def test_what_numpy_raises_for_it_is_raised() -> None:
    frozen = np.ones(3)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="an array that is read-only is written to"):
        ad.jit(lambda x: write_number(frozen, x) or x)(2.0)
    with pytest.raises(ValueError, match="out is read-only"):
        ad.jit(lambda x: 2.0 * x)(np.ones(3), out=frozen)


@pytest.mark.parametrize("number", [decimal.Decimal("1.5"), fractions.Fraction(3, 2), HasFloat()])
def test_numbers_of_other_classes_are_converted(number: Any) -> None:
    with pytest.raises(ad.DtypeError, match=r"(?s)number of Python.*write float\(x\) for x"):
        ad.jit(lambda x: x)(number)
    assert ad.jit(lambda x: x)(float(number)) == float(number)
