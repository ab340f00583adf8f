"""Writes to traced arrays: they show wherever NumPy shows them, or are refused where they are made."""

from __future__ import annotations

import copy
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.frontend.numpy_functions.protocols.functions import FUNCTIONS
from tests.versions import NUMPY

MATRIX, VECTOR = np.arange(1.0, 7.0).reshape(2, 3), np.array([3.0, 1.0, 2.0])
CUBE = np.arange(24.0).reshape(2, 3, 4)


def run(function: Any, *args: Any, **options: Any) -> Any:
    return ad.jit(function, interpret=True, **options)(*args)


def after(change: Callable[..., object]) -> Callable[..., Any]:
    """The value of the argument when it has been changed."""

    def function(x: Any, *rest: Any) -> Any:
        change(x, *rest)
        return x

    return function


def change_by(source: str) -> Callable[..., object]:
    lines = "".join(f"    {line}\n" for line in source.split("; "))
    scope: dict[str, Any] = {"np": np}
    exec(f"def change(x, i=1):\n{lines}", scope)
    return scope["change"]


CHANGES: dict[str, Any] = {
    "x[0][1] = 3": MATRIX,
    "x.T[0] = 5": MATRIX,
    "x.mT[0] = 5": CUBE,
    "y = x[1:]; y[:] = 7": VECTOR,
    "y = x; y += 1": VECTOR,
    "y = x[i]; y *= 2": MATRIX,
    "y = x[i]; y[i] = 9": MATRIX,
    "x[1:][i - 1] = 9; x[1:][-i] += 4": VECTOR,
    "x[:, ::2][i, -1] = 9": MATRIX,
    "x[::-1, 1:].T[i, i] = 9": MATRIX,
    "x.ravel()[i] = 9; x.reshape(3, 2)[i, i] = 8; x.reshape(-1)[-1] = 7": MATRIX,
    "x.reshape(6, 4)[i + 2] = 5; x.reshape(4, 3, 2)[:, 1] = 1": CUBE,
    "x.transpose(2, 0, 1)[i, :, ::2] = 5": CUBE,
    "for row in x: row += 1": MATRIX,
    "for row in x.T: row[:] = row[::-1]": MATRIX,
    "x.ravel()[0] = 5; x.T.ravel()[1] = 6; x.T.reshape(-1)[2] = 7; x[:, 1:].ravel()[:] = 8": MATRIX,
    "x.flatten()[0] = 5; x.copy()[0] = 5; x.astype(float)[0] = 5; np.array_split(x * 1, 2)[0][:] = 5": MATRIX,
    "x[[0]][0] = 5; x[np.array(0)][0] = 5; np.take(x, [0], 0)[0] = 5; np.roll(x, 0)[0] = 4": MATRIX,
    "x[np.array([0, 1])] += 2; x[1:][np.array([0])] = 9": MATRIX,
    "x.sort(); x[::-1].sort()": VECTOR,
    "x.partition(1)": VECTOR,
    "x.fill(4)": MATRIX,
    "x.put([0, 5], [7, 8])": MATRIX,
    "np.nan_to_num(x, copy=False, nan=3.0)": np.array([[np.nan, 1.0], [2.0, np.nan]]),
    "x.flat[1] = 4; x.T.flat[i] = 5; x[:, 1:].flat[::2] = [6, 7]": MATRIX,
    "x.flat = [1, 2]": MATRIX,
    "x.real[0] = 4; np.real(x)[1] = 5; x.conj()[0, 0] = 6; np.conj(x)[0, 0] = 7": MATRIX,
    "x.real = 5": VECTOR,
    "x.view()[0] = 4; x[...][i] = 5; x[0, ...][...] = 3": VECTOR,
    "y = x[0, ...]; y += 4; z = x.reshape(-1)[:1].squeeze(); z[()] = z * 2": VECTOR,
    "y = x[0]; y += 4": VECTOR,
    "y = x[1:]; z = y[1:]; x[2] = 9; x[0] = z[0] + y[0]": VECTOR,
    "d = np.diagonal(x); b = np.broadcast_to(x[0], (2, 3)); x[0, 0] = 9; x[1] = d[0] + b[1]": MATRIX,
    "x[1:] = x[:-1]; x[:-1] += x[1:]": VECTOR,
    "np.flip(x)[0] = 4; np.flipud(x)[0, 0] = 5; np.fliplr(x)[1, 0] = 6; np.rot90(x)[0, 0] = 7": MATRIX,
    "np.rot90(x, 2)[0, 0] = 5; np.rot90(x, 3)[0] = 6; np.rot90(x, 4)[0, 1] = 7": MATRIX,
    "np.moveaxis(x, 0, 2)[0] = 5; np.rollaxis(x, 2)[1] = 6; np.swapaxes(x, 0, 1)[1, 1, 1] = 7": CUBE,
    "np.expand_dims(x, 1)[0, 0] = 5; np.atleast_3d(x)[1, 0, 0] = 6; x[None, i, :, None][0, 1] = 7": MATRIX,
    "a, b = np.split(x, [1]); b *= 2; np.hsplit(x, 3)[1][:] = 9; np.vsplit(x, 2)[0][0, 0] = 8": MATRIX,
    "a, b = np.meshgrid(x, x); a[:] = 5; b += 1": VECTOR,
    "np.add(x, 1, out=x); np.exp(x[1:], out=x[:-1]); np.multiply(x, 2, x)": VECTOR,
    "np.add(x, 1, out=x, where=x > 1.5)": VECTOR,
    "np.cumsum(x, out=x); np.sum(x, axis=0, keepdims=True, out=x[1:2])": VECTOR,
    "np.sum(x, 0, None, x[1]); x[0].mean(out=x[1, 0, ...]); np.clip(x, 2, 4, x)": MATRIX,
    "np.matmul(x[:, :2], x[:, :2].copy(), out=x[:, 1:])": MATRIX,
    "np.copyto(x, 3); np.copyto(x[0], [1, 2, 3], where=[True, False, True])": MATRIX,
    "np.put(x, [0, -1], [5, 6]); np.put(x, [7], 8, mode='wrap'); np.put(x, [99], 9, mode='clip')": MATRIX,
    "np.place(x, x > 1.5, [7, 8]); np.putmask(x, x > 7.5, [1, 2])": MATRIX,
    "np.fill_diagonal(x, [7, 8]); np.fill_diagonal(x.T, 9, wrap=True)": np.ones((7, 3)),
    "np.put_along_axis(x, np.array([[0], [2]]), 9, 1)": MATRIX,
    "np.add.at(x, [0, 0, 1], 2); np.subtract.at(x, ([0, 0], [1, 1]), [3, 4])": MATRIX,
    "np.multiply.at(x, [0, 0, 1], 2); np.maximum.at(x, [0, 0], [3, 4]); np.negative.at(x, [0, 1])": VECTOR,
    "x[x > 1.5] = 0; x[x[:, 0] > -1] = [1, 2, 3]": MATRIX,
    "y = x[:, 1:]; v = x.T; x.shape = (3, 2); y[0] = 7; v[1] = 8; x[1] *= 2; x.shape = 2, 3": MATRIX,
    "y = x[:, 1:]; y.shape = (2, 2, 1); y[1] += 5; z = y[0]; y.shape = -1, 2, 1; z[:] = 9": MATRIX,
    "y = x[1:]; y.shape = (2, 1); z = y[0]; y.shape = -1; z[:] = 9; y[1] = 8; y[0] += 1": VECTOR,
    "np.ascontiguousarray(x.T)[0] = 5; np.ascontiguousarray(x)[0] = 6; np.asfortranarray(x)[1] = 7": MATRIX,
    "np.asfortranarray(x.T)[2] = 5; np.asarray(x[:, ::2], order='C')[0] = 6": MATRIX,
    "np.asarray(x[1], order='F')[0] = 4; np.require(x)[1] = 7": MATRIX,
    "np.require(x, requirements='F')[0] = 5; np.require(x[0], requirements=['O'])[1] = 6": MATRIX,
    "np.array(x, copy=None)[0] = 5; np.array(x)[1] = 6; np.array(x.T, copy=None, order='C')[0] = 7": MATRIX,
    "np.ascontiguousarray(x[0, 0, ...])[0] = 5": MATRIX,
    "np.apply_along_axis(lambda v: v.sort() or v.sum(), 0, x[::-1])": MATRIX,
    "np.apply_along_axis(lambda v: v.__imul__(2)[:1], 1, x)": CUBE,
    "np.piecewise(x, [x < 3], [lambda t: t.__iadd__(1), 0.0])": MATRIX,
    "w = np.lib.stride_tricks.sliding_window_view(x, (2, 2)); x[1, 1] = 9; x[0] = w[0, 0, 1, 1]": MATRIX,
    "x[...] = x[None]; x[:, 0] = np.ones((1, 2))": MATRIX,
    "x **= 2; x //= 2; x -= 0.5; x /= 2; x %= 3": VECTOR,
    "x @= x": np.ones((2, 2)),
    "x <<= 1; x |= 8; x ^= 3; x &= 14; x >>= 1": np.array([1, 2, 3]),
    "x += 1.5; x *= np.ones(3)": np.ones(3, np.float32),
}


@pytest.mark.parametrize("source", CHANGES)
def test_writes_show_where_numpy_shows_them(source):
    x = CHANGES[source]
    change = change_by(source)
    expected = after(change)(x.copy())
    for traced in (False, True):
        if traced and "i" not in source:
            continue
        args = (x.copy(), 1) if traced else (x.copy(),)
        actual = run(after(change), *args)
        np.testing.assert_array_equal(actual, expected)
        assert actual.dtype == expected.dtype
        np.testing.assert_array_equal(args[0], x, "the caller's array is as it was")


# Views and copies ---------------------------------------------------------------------------------

SHARING: dict[str, Any] = {
    "x": CUBE,
    "x.reshape(6, 4)": CUBE,
    "x.T.reshape(4, 6)": CUBE,
    "x.T.reshape(12, 2)": CUBE,
    "x[:, 1:].reshape(2, -1)": CUBE,
    "x[:, 1:].reshape(-1, 4)": CUBE,
    "x[::2].reshape(-1)": CUBE,
    "x[:, ::2].reshape(2, 4, 2)": CUBE,
    "x[:, :, ::2].reshape(-1)": CUBE,
    "x[:, :, ::2].reshape(2, -1)": CUBE,
    "x[..., None].ravel()": CUBE,
    "x[1:].ravel()": CUBE,
    "x[:, 1:].ravel()": CUBE,
    "x[0, 0, ::2].ravel()": CUBE,
    "x[0, 0, ::2].reshape(-1)": CUBE,
    "x[::-1].reshape(-1)": CUBE,
    "x[::-1].reshape(2, -1)": CUBE,
    "x.transpose(0, 2, 1).reshape(2, -1)": CUBE,
    "(x + 1).reshape(-1)": CUBE,
    "np.broadcast_to(x[0], (2, 3, 4)).reshape(2, -1)": CUBE,
    "np.broadcast_to(x[0], (2, 3, 4)).reshape(-1)": CUBE,
    "np.diagonal(x[0]).reshape(3, 1)": CUBE,
    "np.diag(x[0])": CUBE,
    "np.diag(x[0, 0])": CUBE,
    "np.squeeze(x[:1, :1])": CUBE,
    "np.flip(x).reshape(-1)": CUBE,
    "np.clip(x, None, None)": CUBE,
    "np.round(x)": np.arange(3),
    "np.nan_to_num(x)": np.arange(3),
    "np.copy(x)": CUBE,
    "np.repeat(x, 1)": CUBE,
    "np.tile(x, 1)": CUBE,
    "np.pad(x, 0)": CUBE,
    "np.sort(x)": CUBE,
    "np.sum(x, axis=())": CUBE,
    "np.tril(x)": CUBE,
    "np.append(x, [])": CUBE,
    "np.atleast_1d(x)": CUBE,
    "np.concatenate([x])": CUBE,
    "np.where(True, x, x)": CUBE,
    "np.positive(x)": CUBE,
    "np.imag(x)": CUBE,
    "np.meshgrid(x, x, copy=False, sparse=True)[0]": np.arange(3.0),
    "np.broadcast_arrays(x, x)[0]": CUBE,
    "x.real": CUBE,
    "x.astype(float, copy=False)": CUBE,
    "x.astype(float)": CUBE,
    "x.flat.copy()": CUBE,
    "x.copy(order='C').reshape(-1)": CUBE,
    "np.zeros_like(x, order='C').reshape(-1)": CUBE,
    "(x ** 2).reshape(-1)": CUBE,
    **(
        {"np.astype(x, float, copy=False)": CUBE, "np.astype(x, float)": CUBE}
        if hasattr(np, "astype")
        else {}
    ),
}


@pytest.mark.parametrize("source", SHARING)
def test_elements_are_shared_as_in_numpy(source):
    """A write to the argument shows in what was made of it before if NumPy's arrays share memory."""
    x = SHARING[source]

    def function(x: Any) -> Any:
        made = eval(source, {"np": np, "x": x})
        x[...] = 7
        return made

    np.testing.assert_array_equal(run(function, x.copy()), function(x.copy()))


CALLED: list[Callable[[Any, Any], Any]] = [
    lambda f, x: f(x),
    lambda f, x: f(x, 1),
    lambda f, x: f(x, 0, -1),
    lambda f, x: f(x, axis=0),
    lambda f, x: f(x, axis=-1),
    lambda f, x: f(x, x),
    lambda f, x: f([x, x]),
    lambda f, x: f(x, (3, 3)),
    lambda f, x: f(x, (1, 0)),
    lambda f, x: f(x, [0, 2], axis=1),
    lambda f, x: f(x, np.zeros((3, 3), int), axis=0),
    lambda f, x: f(x > 2, x, x),
]


REFUSALS = (ad.MliradError, TypeError, ValueError, IndexError, AttributeError, ZeroDivisionError)
"""The errors for what is not a call of the function, and for an order that is not known."""


def first_array(result: Any) -> Any:
    return first_array(result[0]) if isinstance(result, tuple | list) and len(result) else result


def shared(x: Any, result: Any) -> Any:
    """The mask of elements of a result that change with the argument."""
    before = result + 0
    x[...] = 7
    return result != before


def ordered(_: Any, result: Any) -> Any:
    """The mask of elements that change with the result, reshaped."""
    flat = result.reshape(-1)
    result[...] = 7
    return flat == 7


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("test", [shared, ordered], ids=lambda f: f.__name__)
@pytest.mark.parametrize("case", list(FUNCTIONS), ids=lambda f: f.__name__)
def test_every_function_shares_and_orders_elements_as_numpy_does(case, test):
    x = np.arange(1.0, 10.0).reshape(3, 3)
    for call in CALLED:

        def tested(x: Any, call: Callable[[Any, Any], Any] = call) -> Any:
            return test(x, first_array(call(case, x)))

        try:
            with np.errstate(all="ignore"):
                expected = tested(x.copy())
            actual = run(tested, x)
        except REFUSALS:
            continue
        np.testing.assert_array_equal(actual, expected, CALLED.index(call))


@pytest.mark.parametrize(
    "source",
    [
        "x.T ** 2", "x.T ** 0.5", "np.power(x.T, 3)", "x.T % 2", "np.divmod(x.T, 2)[0]", "np.modf(x.T)[0]",
        "x.copy(order='F')", "np.copy(x, 'F')", "np.zeros_like(x, order='F')", "np.full_like(x.T, 2.0)",
        "np.copy(x.T, order='C')", "np.copy(x.T)", "x.T + x", "np.astype(x.T, float)",
    ],
)  # fmt: skip
def test_results_are_laid_out_as_in_numpy(source):
    """A write to a result shows in what it was reshaped to before as in NumPy, or is an error."""

    def function(x: Any) -> Any:
        result = eval(source, {"np": np, "x": x})
        flat = result.reshape(-1)
        result[...] = 7
        return flat

    x = np.arange(1.0, 10.0).reshape(3, 3)
    try:
        actual = run(function, x)
    except REFUSALS:
        return
    np.testing.assert_array_equal(actual, function(x.copy()))


def test_copies_by_copy_and_deepcopy():
    def function(x: Any) -> Any:
        parts = copy.copy(x), copy.deepcopy({"x": x})["x"], copy.copy(x[1:])
        x[...] = 0.0
        return parts

    for made, expected in zip(run(function, VECTOR), (VECTOR, VECTOR, VECTOR[1:]), strict=True):
        np.testing.assert_array_equal(made, expected)


def test_attributes_lists_and_helpers_alias():
    def zero_middle(part: Any) -> None:
        part[1:-1] = 0.0

    def function(x: Any) -> Any:
        holder, listed = SimpleNamespace(x=x), [x[0], x]
        holder.x += 1.0
        listed[0] *= 2.0
        zero_middle(listed[1][1])
        return x

    np.testing.assert_array_equal(run(function, MATRIX), function(MATRIX.copy()))


def test_results_that_share_elements():
    def function(x: Any) -> Any:
        y = x[1:]
        before = y * 1.0
        y += 1.0
        return x, y, before

    for actual, expected in zip(run(function, VECTOR), function(VECTOR.copy()), strict=True):
        np.testing.assert_array_equal(actual, expected)


# Gradients ---------------------------------------------------------------------------------------

DIFFERENTIABLE = [source for source, x in CHANGES.items() if x.dtype == np.float64]


@pytest.mark.parametrize("source", DIFFERENTIABLE)
def test_gradients_through_writes(source):
    x = np.where(np.isnan(CHANGES[source]), 0.5, CHANGES[source]) + 0.01
    change = change_by(source)
    rng = np.random.default_rng(3)
    weights, direction = rng.uniform(-1, 1, x.shape), rng.uniform(-1, 1, x.shape)

    def loss(x: Any) -> Any:
        y = x * 1.0
        change(y)
        return np.sum(np.sin(y) * weights)

    slope = np.sum(ad.grad(loss, interpret=True)(x) * direction)
    numeric = (loss(x + 1e-6 * direction) - loss(x - 1e-6 * direction)) / 2e-6
    assert abs(slope - numeric) < 1e-6 * (1 + abs(slope))


# Functions that are traced on their own -----------------------------------------------------------


def added(x: Any) -> Any:
    x += 1.0
    return x


HANDED: dict[str, Callable[[Any], Any]] = {
    "jit": lambda x: ad.jit(added)(x),
    "checkpoint": lambda x: ad.checkpoint(added)(x),
    "function": lambda x: ad.function(added)(x),
    "cond": lambda x: ad.cond(x[0] > 0, added, lambda y: y, x),
    "switch": lambda x: ad.switch(ad.asarray(1), [lambda y: y, added], x),
    "map": lambda x: ad.map(added, ad.stack([x]))[0],
    "vmap": lambda x: ad.vmap(lambda k, y: added(y), in_axes=(0, None))(np.arange(1), x)[0],
    "fori_loop": lambda x: ad.fori_loop(0, 1, lambda i, c: added(c), x),
    "while_loop": lambda x: ad.while_loop(lambda c: c[0] < 3.5, added, x),
    "scan": lambda x: ad.scan(lambda c, row: (c, added(row)), 0.0, ad.stack([x]))[1][0],
    "jvp": lambda x: ad.jvp(added, (x,), (x,))[0],
    "jvp of another": lambda x: ad.jvp(lambda s, y: s * added(y), (1.0, x), (1.0, None))[0],
    "grad": lambda x: ad.grad(lambda s, y: s * np.sum(added(y)))(1.0, x) + 0.0 * x,
    "vjp": lambda x: ad.vjp(lambda s, y: s * added(y), 1.0, x)[0],
}


@pytest.mark.parametrize("name", HANDED)
def test_functions_traced_on_their_own_write_copies(name):
    """Arguments are handed over as copies, in a trace as at the top level."""

    def function(x: Any) -> Any:
        return HANDED[name](x), x

    made, kept = run(function, VECTOR)
    np.testing.assert_array_equal(kept, VECTOR)
    expected = np.sum(VECTOR + 1) if name == "grad" else VECTOR + 1
    np.testing.assert_array_equal(made, expected)


def test_results_of_compiled_functions_are_copies():
    def function(x: Any) -> Any:
        y = ad.jit(lambda: x)()
        y += 1.0
        return x

    np.testing.assert_array_equal(run(function, VECTOR), VECTOR)


def test_a_pullback_is_of_the_point_where_it_was_made():
    def function(x: Any) -> Any:
        _, pullback = ad.vjp(lambda y: y**2, x)
        _, j = ad.linearize(lambda y: y**2, x)
        x += 10.0
        return pullback(np.ones(3))[0], j(np.ones(3))

    for slope in run(function, VECTOR):
        np.testing.assert_array_equal(slope, 2 * VECTOR)


def written_from(body: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        body(x)
        return x

    return function


INSIDE: dict[str, Callable[[Any], Any]] = {
    "fori_loop": lambda x: ad.fori_loop(0, 3, lambda i, c: x.__setitem__(i, c) or c, 1.0),
    "while_loop": lambda x: ad.while_loop(lambda c: c < 3, lambda c: x.fill(c) or c + 1, 1.0),
    "scan": lambda x: ad.scan(lambda c, v: (x.sort() or c, v), 0.0, np.ones(3)),
    "cond": lambda x: ad.cond(x[0] > 0, lambda: x.fill(1.0) or 1.0, lambda: 2.0),
    "build": lambda x: ad.build((3,), lambda i: x.__setitem__(i, 0.0) or x[i]),
    "vmap": lambda x: ad.vmap(lambda v: x[1:].__iadd__(v) is None or v)(np.ones(3)),
    "grad": lambda x: ad.grad(lambda s: s * np.sum(added(x)))(1.0),
    "function": lambda x: ad.function(lambda s: s * np.sum(added(x[1:])))(1.0),
    "checkpoint": lambda x: ad.checkpoint(lambda s: s * np.sum(added(x)))(1.0),
}


@pytest.mark.parametrize("name", INSIDE)
def test_writes_that_cannot_leave_a_body_are_refused(name):
    with pytest.raises(ad.TracingError, match="is made outside of the body") as error:
        run(written_from(INSIDE[name]), VECTOR)
    assert "test_writes.py" in str(error.value.location)
    assert "hand the array in and out" in str(error.value.hint)


def test_a_view_is_read_again_in_each_body():
    """A view that was made outside and whose base was written is read where it is used."""

    def function(x: Any) -> Any:
        y = x[1:]
        x[1] = 5.0
        made = ad.cond(x[0] > 0, lambda: y[0] * 2.0, lambda: y[0])
        x[1] = 6.0
        total = ad.fori_loop(0, 2, lambda i, c: c + y[0], 0.0)
        x[1] = 7.0
        slope = ad.grad(lambda s: s * np.sum(y))(1.0)
        return made, total, slope, y

    made, total, slope, y = run(function, VECTOR)
    assert (made, total, slope) == (10.0, 12.0, 9.0)
    np.testing.assert_array_equal(y, [7.0, 2.0])


BEFORE = np.zeros((2, 3))

REFUSED: dict[str, tuple[Callable[[Any], object], str]] = {
    "diagonal": (lambda x: np.diagonal(x).__setitem__(0, 1.0), "read only"),
    "view of a diagonal": (lambda x: np.diagonal(x)[1:].fill(1.0), "read only"),
    "broadcast_to": (lambda x: np.broadcast_to(x, (2, 2, 3)).fill(0.0), "read only"),
    "broadcast_arrays": (lambda x: np.broadcast_arrays(x, x[0])[1].fill(0.0), "read only"),
    "imag": (lambda x: x.imag.fill(0.0), "read only"),
    "imag =": (lambda x: setattr(x, "imag", 1.0), "imaginary"),
    "order": (lambda x: (x.T + 1).reshape(-1).fill(0.0), "order of elements in memory"),
    "shape = of a copy": (lambda x: setattr(x.T, "shape", (2, 3)), "in place"),
    "shape =, order": (lambda x: setattr(x.T + 1, "shape", (2, 3)), "order of elements in memory"),
    "dtype =": (lambda x: setattr(x, "dtype", np.float32), "in place"),
    "resize": (lambda x: x.resize(3, 3), "in place"),
    "out": (lambda x: np.add(x, 1.0, out=BEFORE), "existing array"),
    "out of a function": (lambda x: np.sum(x, 0, None, BEFORE[0]), "existing array"),
    "shape of out": (lambda x: np.add(x, 1.0, out=x[0]), "shape"),
    "copyto": (lambda x: np.copyto(BEFORE, x[0]), "existing|NumPy array"),
    "+= in a NumPy array": (lambda x: BEFORE.__iadd__(x[0]), "existing array"),
    "grows": (lambda x: x[0].__iadd__(x), "shape"),
    "values at a mask": (lambda x: x.__setitem__(x > 0, np.ones(4)), "number of places"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_writes(name):
    change, message = REFUSED[name]
    with pytest.raises(ad.MliradError, match=message) as error:
        run(after(change), MATRIX)
    assert error.value.hint or isinstance(error.value, ad.ShapeError)


CASTS = [
    (np.int64, np.float64), (np.int32, np.float32), (bool, np.int64), (bool, np.float64),
    (np.float32, np.float64), (np.int32, np.int64), (np.int64, bool), (np.float64, np.int64),
    (np.float32, np.int64),
]  # fmt: skip


@pytest.mark.parametrize(("to", "by"), CASTS)
def test_augmented_assignments_keep_the_dtype_or_raise_as_in_numpy(to, by):
    def function(x: Any, y: Any) -> Any:
        x += y
        return x

    x, y = np.ones(3).astype(to), np.full(3, 2).astype(by)
    try:
        expected = function(x.copy(), y)
    except TypeError:
        with pytest.raises(ad.DtypeError):
            run(function, x, y)
    else:
        actual = run(function, x, y)
        np.testing.assert_array_equal(actual, expected)
        assert actual.dtype == expected.dtype


# x.at --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["add", "subtract", "multiply"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32, bool])
@pytest.mark.parametrize("positions", [np.array([0, 2, 0, 0]), 1, slice(1, None)])
def test_at_means_what_ufunc_at_means(kind, dtype, positions):
    x = np.array([1, 0, 2]).astype(dtype)
    place = np.shape(x[positions])
    values = np.array([3, 0, 1, 2])[: int(np.prod(place))].reshape(place).astype(dtype)
    expected = x.copy()
    if kind == "subtract" and dtype is bool:
        with pytest.raises(ad.DtypeError):
            run(lambda x, v: x.at[positions].subtract(v), x, values)
        return
    getattr(np, kind).at(expected, positions, values)
    for traced in (False, isinstance(positions, np.ndarray)):

        def function(x: Any, v: Any, p: Any, traced: bool = traced) -> Any:
            return getattr(x.at[p if traced else positions], kind)(v)

        actual = run(
            function, x, values, np.zeros(1, np.int64) if isinstance(positions, slice) else positions
        )
        np.testing.assert_array_equal(actual, expected)
        assert actual.dtype == expected.dtype


def test_the_gradient_of_products_at_one_position():
    p = np.array([0, 0, 1])
    ad.check_derivatives(lambda x, v: x.at[p].multiply(v), VECTOR, np.array([2.0, 3.0, 5.0]), interpret=True)


# Attributes --------------------------------------------------------------------------------------

CALLS: dict[str, tuple[Any, ...]] = {
    "astype": (np.float32,), "choose": ([VECTOR, VECTOR],), "clip": (1, 2), "compress": ([True, False],),
    "dot": (MATRIX.T,), "fill": (1.0,), "getfield": (float,), "item": (0,), "partition": (1,),
    "put": ([0], [1.0]),
       "repeat": (2,), "reshape": (3, 2), "resize": ((2, 3),), "setfield": (1.0, float),
    "swapaxes": (0, 1), "take": ([0],), "argpartition": (1,), "tofile": ("",), "dump": ("",),
    "searchsorted": (1.0,), "to_device": ("cpu",), "transpose": (), "diagonal": (), "trace": (),
}  # fmt: skip

PUBLIC = [name for name in dir(np.ndarray) if not name.startswith("_")]
PUBLIC = [name for name in PUBLIC if name != "ptp" or NUMPY >= (2, 1)]  # which raises that it is gone


@pytest.mark.parametrize("name", PUBLIC)
def test_every_attribute_of_an_array_works_or_says_what_to_do(name):
    def use(x: Any) -> Any:
        found = getattr(x, name)
        result = found(*CALLS.get(name, ())) if callable(found) else found
        result = result.copy() if name == "flat" else result
        return x if result is None else result

    try:
        actual = run(use, VECTOR if name == "searchsorted" else MATRIX)
    except ad.MliradError as error:
        assert error.hint, str(error)
        return
    expected = use((VECTOR if name == "searchsorted" else MATRIX).copy())
    if name == "std":  # by the norm, which neither overflows nor vanishes: one rounding more than NumPy's
        np.testing.assert_allclose(actual, expected, rtol=1e-15)
    elif isinstance(expected, np.ndarray | np.generic | int | tuple) and name != "strides":
        np.testing.assert_array_equal(actual, expected)


def test_arrays_have_no_attributes_that_they_refuse():
    seen: list[bool] = []
    run(lambda x: seen.append(hasattr(x, "ctypes") or hasattr(x, "no_such_thing")) or x, VECTOR)
    assert seen == [False]
