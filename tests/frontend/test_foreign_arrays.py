"""Arrays of other libraries: those in memory are read, and no other array is made to compute."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.jit.arguments import prepare
from mlirad.lower.native_program import ArraySpec


class Stored:
    """As the data sets of h5py: an array in a file, which is read when NumPy asks for it, and notes that."""

    def __init__(self, values: Any):
        self.values = np.asarray(values, np.float64)
        self.shape, self.dtype, self.ndim = self.values.shape, self.values.dtype, self.values.ndim
        self.asked = 0

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        self.asked += 1
        return self.values

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, key: Any) -> Any:
        return self.values[key]


class Lazy(Stored):
    """An array that is computed when NumPy asks for it."""

    def compute(self) -> Any:
        return self.values


class Blocks(Lazy):
    """As Dask's arrays, which answer NumPy's functions and ufuncs."""

    def __array_ufunc__(self, *_: Any, **__: Any) -> Any:
        return NotImplemented

    def __array_function__(self, *_: Any, **__: Any) -> Any:
        return NotImplemented

    def map_blocks(self, function: Callable[..., Any]) -> Any:
        return function(self.values)


def square(x: Any) -> Any:
    return np.sum(x**2)


def _after_compiled_calls(o: Any) -> Any:
    f = ad.jit(square)
    for _ in range(4):
        f(np.ones(3))
    return f(o)


W = np.array([1.0, 2.0, 3.0])

PASSED: dict[str, Callable[[Any], Any]] = {
    "jit": lambda o: ad.jit(square)(o),
    "grad": lambda o: ad.grad(square)(o),
    "another argument": lambda o: ad.grad(lambda w, x: np.sum(w * x))(1.0, o),
    "by name": lambda o: ad.jit(lambda x, y: x * y)(1.0, y=o),
    "in a list": lambda o: ad.jit(lambda parts: parts[0])([o]),
    "in a dictionary": lambda o: ad.grad(lambda p: np.sum(p["x"]))({"x": o}),
    "after compiled calls": _after_compiled_calls,
    "jvp, point": lambda o: ad.jvp(square, (o,), (W,)),
    "jvp, tangent": lambda o: ad.jvp(square, (W,), (o,)),
    "vmap": lambda o: ad.vmap(square)(o),
    "jacobian": lambda o: ad.jacobian(lambda x: x * 2)(o),
    "hvp": lambda o: ad.hvp(square, (W,), (o,)),
    "linear map": lambda o: ad.linearize(lambda x: x * 2, W)[1] @ o,
    "cotangent": lambda o: ad.vjp(lambda x: x * 2, W)[1](o),
    "minimize": lambda o: ad.minimize(square, o),
    "scan": lambda o: ad.scan(lambda c, x: (c + x, x), 0.0, o),
    "cond": lambda o: ad.cond(True, lambda x: x, lambda x: x, o),
    "lower": lambda o: ad.jit(square).lower(o),
    "captured": lambda o: ad.jit(lambda w: w * o)(W),
    "np.dot": lambda o: ad.jit(lambda w: np.dot(w, o))(W),
    "@": lambda o: ad.jit(lambda w: w @ o)(W),
    "np.where": lambda o: ad.jit(lambda w: np.where(w > 0, w, o))(W),
    "np.concatenate": lambda o: ad.jit(lambda w: np.concatenate([w, o]))(W),
    "np.stack": lambda o: ad.jit(lambda w: np.stack([w, o]))(W),
    "in a list of operands": lambda o: ad.jit(lambda w: np.add(w, [o, o, o]))(W),
    "in rows of operands": lambda o: ad.jit(lambda w: np.add(w, [[1.0, 2.0, 3.0], [4.0, 5.0, o]]))(W),
    "np.interp": lambda o: ad.jit(lambda w: np.interp(w, o, o))(W),
    "np.add.at": lambda o: ad.jit(lambda w: np.add.at(w, [0, 1, 2], o))(W),
    "a write": lambda o: ad.jit(lambda w: w.at[:].set(o))(W),
}  # fmt: skip


@pytest.mark.parametrize("kind", [Lazy, Blocks, Stored])
@pytest.mark.parametrize("name", PASSED)
def test_no_array_is_made_to_compute(name: str, kind: type[Any]) -> None:
    array = kind(W)
    with pytest.raises((ad.MliradError, TypeError)) as caught:
        PASSED[name](array)
    assert array.asked == 0
    if isinstance(caught.value, ad.MliradError):
        wanted = "np.asarray(x)" if kind is Stored else "x.compute()"
        assert kind.__name__ in caught.value.message
        assert wanted in str(caught.value.hint)
        assert ("map_blocks" in str(caught.value.hint)) == (kind is Blocks)
        assert caught.value.location is not None
        assert "test_foreign_arrays" in caught.value.location
    else:  # NumPy asks both operands, and Dask's answers first where it is the first
        assert kind is Blocks


@pytest.mark.parametrize("kind", [Lazy, Blocks, Stored])
def test_the_hint_works(kind: type[Any]) -> None:
    array = kind(W)
    whole = np.asarray(array) if kind is Stored else array.compute()
    np.testing.assert_array_equal(ad.grad(square)(whole), 2 * W)


def test_native_programs_do_the_same() -> None:
    array = Lazy(W)
    with pytest.raises(ad.UnsupportedError, match="argument 0 is a Lazy"):
        prepare(ArraySpec("float64", (3,)), array, 0)
    assert array.asked == 0


def test_a_captured_array_is_not_read_to_see_whether_it_changed() -> None:
    array = Lazy(W)
    f = ad.jit(lambda x: x * array.shape[0])
    for _ in range(3):
        assert f(2.0) == 6.0
    assert array.asked == 0


def _class_of(package: str, monkeypatch: pytest.MonkeyPatch) -> type[Any]:
    module = ModuleType(package)
    monkeypatch.setitem(sys.modules, package, module)
    return type("Series", (Lazy,), {"__module__": f"{package}.core"})


def test_arrays_in_memory_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pandas' columns, xarray's arrays with NumPy arrays in them, producers of DLPack, views of memory."""
    column = _class_of("pandas", monkeypatch)(W)
    np.testing.assert_array_equal(ad.grad(square)(column), 2 * W)

    data_array = _class_of("xarray", monkeypatch)(W)
    data_array._data = W
    np.testing.assert_array_equal(ad.grad(square)(data_array), 2 * W)
    data_array._data = Blocks(W)
    with pytest.raises(ad.UnsupportedError, match="argument x is a Series of xarray"):
        ad.grad(square)(data_array)

    class Tensor:
        def __dlpack__(self, **options: Any) -> Any:
            return W.__dlpack__(**options)

        def __dlpack_device__(self) -> Any:
            return W.__dlpack_device__()

        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            raise AssertionError

    np.testing.assert_array_equal(ad.grad(square)(Tensor()), 2 * W)

    class View:
        __array_interface__ = W.__array_interface__

    np.testing.assert_array_equal(ad.grad(square)(View()), 2 * W)
