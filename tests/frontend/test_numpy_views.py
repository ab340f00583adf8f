"""Views: whatever NumPy gives a view of, traced functions do, and a write to either shows in the other.

NumPy says which functions, methods and attributes these are: all of its names are called in many ways, on
arrays in several orders, and results that share memory with their argument are views.
"""

from __future__ import annotations

import functools
import itertools
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from tests.generators.structures import leaves_of

pytestmark = pytest.mark.filterwarnings("ignore")

SAMPLES: dict[str, Any] = {
    "matrix": np.arange(1.0, 10.0).reshape(3, 3),
    "vector": np.arange(1.0, 5.0),
    "column": np.arange(1.0, 4.0)[:, None],
    "cube": np.arange(1.0, 9.0).reshape(2, 2, 2),
    "integers": np.arange(1, 7).reshape(2, 3),
    "single": np.arange(1, 7, dtype=np.float32).reshape(2, 3),
    "complex": np.arange(1.0, 7.0).reshape(2, 3) + 1j,
}

ORDERS: dict[str, Callable[[Any], Any]] = {
    "x": lambda x: x,
    "x.T": lambda x: x.T,
    "x[..., ::-1]": lambda x: x[..., ::-1],
    "x[1:, ...]": lambda x: x[1:, ...],
}

CALLS: list[Callable[[Any, Any], Any]] = [
    lambda f, x: f(x),
    lambda f, x: f(x, 0),
    lambda f, x: f(x, 1),
    lambda f, x: f(x, 2),
    lambda f, x: f(x, -1),
    lambda f, x: f(x, 0, 1),
    lambda f, x: f(x, 0, -1),
    lambda f, x: f(x, 1, 1),
    lambda f, x: f(x, x),
    lambda f, x: f([x, x]),
    lambda f, x: f(x, x.shape),
    lambda f, x: f(x, (2, *x.shape)),
    lambda f, x: f(x, (1, 0)),
    lambda f, x: f(x, [1]),
    lambda f, x: f(x, (2, 2)),
    lambda f, x: f(x, x.dtype),
    lambda f, x: f(x, None),
    lambda f, x: f(x, axis=0),
    lambda f, x: f(x, axis=-1),
    lambda f, x: f(x, copy=False),
    lambda f, x: f(x, copy=None),
    lambda f, x: f(x, x.dtype, copy=False),
    lambda f, x: f(x, order="C"),
    lambda f, x: f(x, order="F"),
    lambda f, x: f(x, x.dtype, "C"),
    lambda f, x: f(x, x.dtype, ["C", "O"]),
    lambda f, x: f(x, copy=False, sparse=True),
    lambda f, x: f("ij->ji", x),
    lambda f, x: f("ii->i", x),
    lambda f, x: f("i...->i...", x),
    lambda f, x: f(x, [0, 1], [1, 0]),
    lambda f, x: f(None, 0, x),
    lambda f, x: f(lambda v: v, 0, x),
]

NO_VIEWS = frozenset(
    re.findall(
        r"\w+",
        """
    as_strided test load save savez savez_compressed savetxt loadtxt genfromtxt fromfile fromregex frombuffer
    fromstring fromiter info show show_config show_runtime lookfor source set_printoptions seterr seterrcall
    setbufsize printoptions bmat asmatrix nditer nested_iters base ctypes data dump dumps tofile setflags
    byteswap tobytes resize newbyteorder strides getfield from_dlpack __array_finalize__ __array_interface__
    __setattr__ __delattr__ __init_subclass__ __class__ __array_struct__ __buffer__ __dlpack__ __array__
    __array_wrap__ __setstate__ __init__ __new__ __setitem__ __delitem__ __getattribute__
    """,
    )
)
"""Names that read or write files, change settings, or hand out memory, which traced arrays do not have."""


def _functions() -> dict[str, Callable[..., Any]]:
    spaces = {"np": np, "np.linalg": np.linalg, "np.fft": np.fft, "stride_tricks": np.lib.stride_tricks}
    found: dict[str, Callable[..., Any]] = {
        "list": list,
        "reversed": lambda x: list(reversed(x)),
        "x[...]": lambda x: x[...],
        "x[0]": lambda x: x[0],
        "x[:, None]": lambda x: x[:, None],
        "x[0, ...]": lambda x: x[0, ...],
    }
    for space, module in spaces.items():
        for name in dir(module):
            if name not in NO_VIEWS and not name.startswith("_"):
                member = getattr(module, name)
                if callable(member) and not isinstance(member, type):
                    found[f"{space}.{name}"] = functools.partial(_called, module, name)
    for name in dir(np.ndarray):
        if name not in NO_VIEWS and not name.startswith("__i"):  # which write
            found[f"x.{name}"] = functools.partial(_member, name)
    return found


def _called(module: Any, name: str, *args: Any, **options: Any) -> Any:
    return getattr(module, name)(*args, **options)


def _member(name: str, x: Any, *args: Any, **options: Any) -> Any:
    member = getattr(x, name)
    return member(*args, **options) if callable(member) else member


def arrays(result: Any) -> list[Any]:
    """The arrays in a result."""
    if isinstance(result, list | tuple):
        return [array for part in result for array in arrays(part)]
    return [result] if hasattr(result, "shape") and hasattr(result, "dtype") else []


def views(function: Callable[..., Any], samples: list[str], orders: list[str]) -> Iterator[Any]:
    """Sample, order and call for each kind of view that a function gives of its argument."""
    seen = set[Any]()
    for sample, order in itertools.product(samples, orders):
        for number, call in enumerate(CALLS):
            x = SAMPLES[sample].copy()
            try:
                with np.errstate(all="ignore"), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    made = arrays(call(function, ORDERS[order](x)))
            except Exception:  # no call of this function
                continue
            found = [a for a in made if isinstance(a, np.ndarray)]
            shares = [np.shares_memory(a, x) for a in found]
            kind = (sample, order, *((a.shape, a.strides, s) for a, s in zip(found, shares, strict=True)))
            if any(shares) and kind not in seen and np.array_equal(x, SAMPLES[sample]):
                seen.add(kind)
                yield sample, order, number


FUNCTIONS = _functions()

VIEWING = [
    name
    for name, f in FUNCTIONS.items()
    if any(views(f, ["matrix", "column", "vector", "complex", "cube"], ["x"]))
]
"""The functions that give views."""


def asked_for_writing(t: Any) -> Any:
    """An array; NumPy's is asked whether it may be written, which `ufunc.at` does not do."""
    if isinstance(t, np.ndarray):
        t[...] = t.copy()
    return t


WRITES: list[Callable[[Any], object]] = [
    lambda t: t.__setitem__(..., 7),
    lambda t: t.__iadd__(1),
    lambda t: t.fill(7),
    lambda t: np.negative(t, out=t),
    lambda t: np.copyto(t, 7),
    lambda t: t.__setitem__(t > 2, 7),
    lambda t: t.put(0, 7),
    lambda t: t.flat.__setitem__(slice(None, None, 2), 7),
    lambda t: t.sort(0),
    lambda t: np.add.at(asked_for_writing(t), 0, 5),
    lambda t: np.clip(t, 2, 4, out=t),
    lambda t: np.place(t, t > 2, [7, 8]),
    lambda t: t.__setitem__((0, ...), t[-1, ...]),
    lambda t: np.cumsum(t, axis=0, out=t),
]
"""The first two, for complex arrays."""


def write_number(number: int, x: Any) -> Callable[[Any], object]:
    return WRITES[number % (2 if x.dtype.kind == "c" else len(WRITES))]


def seen_in_both(name: str, order: str, number: int, write: Callable[[Any], object], both: bool) -> Any:
    """The values of an array and of views of it after either was written."""

    def function(x: Any) -> Any:
        y, z = x.copy(), x.copy()
        before = arrays(CALLS[number](FUNCTIONS[name], ORDERS[order](y)))
        write(ORDERS[order](y))
        after = arrays(CALLS[number](FUNCTIONS[name], ORDERS[order](z)))
        for view in after if both else ():
            write(view)
        return before, y, after, z

    return function


UNTRACED = (
    "cannot be traced|coefficients, got shape|must be an array|is not an array|neither an array nor a number"
    "|no memory|an order"
)
"""The words in errors about functions, and operands, that are not traced: better than a copy."""


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("name", VIEWING)
def test_writes_show_in_views_and_writes_to_views_in_what_they_view(name, sample):
    x = SAMPLES[sample]
    for k, (_, order, number) in enumerate(views(FUNCTIONS[name], [sample], [*ORDERS])):
        write = write_number(k + len(name), x)
        function, expected = writable(name, order, number, write, x)
        if function is None:
            continue
        try:
            found = ad.jit(function, interpret=True)(x)
        except ad.MliradError as error:
            assert re.search(UNTRACED, error.message), (order, number)
            continue
        for one, other in zip(ad.tree.flatten(found)[0], ad.tree.flatten(expected)[0], strict=True):
            np.testing.assert_array_equal(one, other, f"{order} {number}")


def writable(name: str, order: str, number: int, write: Callable[[Any], object], x: Any) -> Any:
    """The program, with writes to the views if NumPy allows them, and what it gives there.

    NumPy has deprecated writes to what `np.broadcast_arrays` has made larger.
    """
    for both in (True, False):
        function = seen_in_both(name, order, number, write, both)
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("error", "Numpy has detected that you", DeprecationWarning)
                return function, function(x.copy())
        # Read only, or no array to write so.
        except (ValueError, TypeError, IndexError, DeprecationWarning):
            continue
    return None, None


def test_views_that_are_read_only_are_refused():
    """Those that NumPy refuses to write; `ufunc.at` does not ask there."""
    for name in VIEWING:
        for _, order, number in views(FUNCTIONS[name], ["matrix"], ["x"]):

            def function(x: Any, name: str = name, order: str = order, number: int = number) -> Any:
                for view in arrays(CALLS[number](FUNCTIONS[name], ORDERS[order](x))):
                    view[...] = 7
                return x

            try:
                function(SAMPLES["matrix"].copy())
            except ValueError:
                with pytest.raises(ad.TracingError, match="read only"):
                    ad.jit(function, interpret=True)(SAMPLES["matrix"])
            except TypeError:
                pass


@pytest.mark.fuzz
def test_all_that_gives_views_is_known():
    """Functions, methods and attributes that are not tried above give no views of other arrays either."""
    others = [name for name in FUNCTIONS if name not in VIEWING]
    found = [name for name in others if any(views(FUNCTIONS[name], [*SAMPLES], [*ORDERS]))]
    assert found == []


def test_arrays_that_are_parts_of_one_share_memory() -> None:
    def function(x):
        y = x[1:]
        pairs = [(x, y), (y, x[:1]), (x, x.copy()), (x, np.ones(3)), (x + 0j, x)]
        return [x * np.may_share_memory(*p) for p in pairs] + [x * np.shares_memory(*p) for p in pairs]

    found = ad.jit(function, interpret=True)(np.ones(3))
    assert [bool(y[0]) for y in found] == [True, True, False, False, False] * 2


def test_numbers_of_arrays_are_traced_scalars() -> None:
    x = np.arange(1.0, 7.0).reshape(2, 3).astype(np.float32)
    function = lambda x: (x.tolist(), x.item(4), x.item(1, 2), (x > 2).tolist()[0], x[:1, :1].item())  # noqa: E731
    found, expected = ad.jit(function, interpret=True)(x), function(x)
    for one, other in zip(leaves_of(found), leaves_of(expected), strict=True):
        assert one == other and np.asarray(one).dtype == np.asarray(other).dtype
    with pytest.raises(ad.ShapeError, match="6 elements"):
        ad.jit(lambda x: x.item())(x)


DIAGONALS = {
    "ii->i": (4, 4), "ijj->ij": (3, 4, 4), "iji->ij": (4, 3, 4), "iji->ji": (4, 3, 4), "iii->i": (3, 3, 3),
    "ijij->ij": (2, 3, 2, 3), "ijij->ji": (2, 3, 2, 3), "iijj->ji": (2, 2, 3, 3), "...ii->...i": (2, 3, 3),
}  # fmt: skip


def with_diagonals(subscripts, x, v):
    y = x.copy()
    diagonal = np.einsum(subscripts, y)
    diagonal[...] = v
    diagonal += 1
    diagonal[:1] *= x.ravel()[0]
    turned = x.T.copy().T
    np.einsum(subscripts, turned)[...] *= 3
    return y, diagonal, turned, np.einsum(subscripts, x)


@pytest.mark.parametrize("kind", [float, complex])
@pytest.mark.parametrize("subscripts", DIAGONALS)
def test_diagonals_that_einsum_gives_can_be_written(subscripts, kind):
    rng = np.random.default_rng(1)
    x = rng.normal(size=DIAGONALS[subscripts]).astype(kind)
    v = rng.normal(size=np.einsum(subscripts, x).shape).astype(kind)
    if kind is complex:
        x, v = x * (1 - 2j), v * (0.5 + 1j)
    function = functools.partial(with_diagonals, subscripts)
    for found, expected in zip(ad.jit(function)(x, v), function(x, v), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-15)
    batch = ad.vmap(function, in_axes=(0, None))(np.stack([x, 2 * x]), v)
    for found, expected in zip(batch, function(2 * x, v), strict=True):
        np.testing.assert_allclose(found[1], expected, rtol=1e-15)
    ad.check_derivatives(lambda x, v: sum(np.sum(np.abs(y) ** 2 * y.real) for y in function(x, v)), x, v)


@pytest.mark.parametrize("extent", [0, 1])
def test_diagonals_of_matrices_without_others(extent):
    def cleared(x):
        y = x.copy()
        np.einsum("ii->i", y)[...] = 0.0
        return y

    np.testing.assert_array_equal(ad.jit(cleared)(np.ones((extent, extent))), np.zeros((extent, extent)))
