"""Questions of code about scalars and arrays of rank 0: traces answer as NumPy and Python do."""

from __future__ import annotations

import copy
import numbers
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad

MADE: dict[str, Callable[[Any], Any]] = {
    "itself": lambda x: x,
    "np.asarray": np.asarray,
    "np.array": np.array,
    "np.asanyarray": np.asanyarray,
    "np.asarray of floats": lambda x: np.asarray(x, float),
    "np.copy": np.copy,
    "np.zeros_like": np.zeros_like,
    "np.ones_like": np.ones_like,
    "np.full_like": lambda x: np.full_like(x, 1),
    "np.where": lambda x: np.where(True, x, x),
    "np.real": np.real,
    "np.squeeze": np.squeeze,
    "np.reshape": lambda x: np.reshape(x, ()),
    "np.transpose": np.transpose,
    "np.broadcast_to": lambda x: np.broadcast_to(x, ()),
    "np.squeeze of a vector": lambda x: np.squeeze(np.atleast_1d(x)),
    "np.sum": np.sum,
    "np.tensordot": lambda x: np.tensordot(x, x, 0),
    "np.nan_to_num": np.nan_to_num,
    "np.clip": lambda x: np.clip(x, 0, 1),
    "ufunc": lambda x: np.add(x, 1),
    "item of an array": lambda x: np.asarray(x).item(),
    "element of a vector": lambda x: np.array([x])[0],
    "[()]": lambda x: np.asarray(x)[()],
    "[...]": lambda x: np.asarray(x)[...],
    "operator": lambda x: np.asarray(x) * 2,
    "ufunc of an array": lambda x: np.sin(np.asarray(x, float)),
    "astype": lambda x: np.asarray(x).astype(np.float32),
    "copy": lambda x: np.asarray(x).copy(),
    "copy.copy": lambda x: copy.copy(np.asarray(x)),
    "real": lambda x: np.asarray(x).real,
    "T": lambda x: np.asarray(x).T,
    "np.asarray twice": lambda x: np.asarray(np.asarray(x)),
    "sum": lambda x: np.asarray(x).sum(),
    "max": lambda x: np.asarray(x).max(),
}

ATTRIBUTES = (
    "__len__", "__iter__", "__getitem__", "__setitem__", "__array__", "__float__", "shape", "ndim", "dtype",
    "size", "item", "tolist", "is_integer",
)  # fmt: skip

ASKED: dict[str, Callable[[Any], Any]] = {
    "np.ndarray": lambda y: isinstance(y, np.ndarray),
    "np.generic": lambda y: isinstance(y, np.generic),
    "float": lambda y: isinstance(y, float),
    "Number": lambda y: isinstance(y, numbers.Number),
    "np.isscalar": np.isscalar,
    "np.ndim": np.ndim,
    "np.shape": np.shape,
    "np.size": np.size,
    "np.iterable": np.iterable,
    "type": lambda y: type(y).__name__,
    "type is np.ndarray": lambda y: type(y) is np.ndarray,
    "hasattr": lambda y: [name for name in ATTRIBUTES if hasattr(y, name)],
    "getattr": lambda y: [getattr(y, "ndim", None), getattr(y, "shape", None), getattr(y, "nothing", 1)],
    "result_type": lambda y: np.result_type(y, np.float32(1)).name,
}

VALUES = (1.5, 2, True, np.float64(1.5), np.float32(1.5), np.int64(3))


@pytest.mark.parametrize("value", VALUES, ids=lambda v: type(v).__name__)
@pytest.mark.parametrize("name", MADE)
def test_answers(name: str, value: Any) -> None:
    make = MADE[name]

    def answers(x: Any) -> dict[str, Any]:
        y = make(x)
        return {question: ask(y) for question, ask in ASKED.items()}

    found: list[Any] = []

    def f(x: Any) -> Any:
        found.append(answers(x))
        return x * 1.0

    ad.jit(f, interpret=True)(value)
    assert found[-1] == answers(value)


def test_arrays_of_rank_zero_are_written_in_place() -> None:
    def f(x: Any) -> Any:
        y = np.array(x)
        other = y
        y += 2 * x
        z = np.asarray(y)
        z *= x
        scalar = kept = x * 1.0
        scalar += 1.0
        return y + other * 10 + kept

    assert ad.jit(f)(1.5) == f(1.5)
    assert ad.grad(f)(1.5) == pytest.approx(11 * 6 * 1.5 + 1)


def test_numbers_of_python_promote_as_such() -> None:
    def f(x: Any) -> Any:
        return x * x[0].item() + x.tolist()[1] * x

    x = np.ones(3, np.float32)
    assert ad.jit(f)(x).dtype == f(x).dtype == np.float32
