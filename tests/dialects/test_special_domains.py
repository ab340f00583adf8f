"""Every special function ends at every argument, and compiled ones have SciPy's values to the last bit."""

from __future__ import annotations

import itertools
import mmap
import os
import signal
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from scipy import special

import mlirad as ad
from mlirad.dialects.array.scalars import SCALARS
from mlirad.dialects.array.special_domains import DOMAINS
from mlirad.dialects.array.special_functions import OF_WHOLE, RESULTS_OF, SPECIAL_FUNCTIONS
from mlirad.dialects.array.special_values import CHUNK, NUMPY, special_values
from mlirad.packages import special_ufunc
from mlirad.rules.special_derivatives.table import DEFINITIONS

UFUNCS = {f.loop: f.arity for name, f in SPECIAL_FUNCTIONS.items() if f.ufunc and name not in DEFINITIONS}

LOOPS = [
    (name, dtype)
    for name in UFUNCS
    for dtype in (np.float64, np.float32)
    if dtype is np.float64 or not name.startswith(OF_WHOLE)
]
"""Loops for integers are of doubles alone."""

ENDS = [np.inf, -np.inf, np.nan, 1e300, -1e300, 1e-300, 0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 3.0, -3.0, 0.5]
MIDDLE = [1e15, -1e15, 1e8, -1e8, 1e5, -1e5, 300.5, -1e9 - 0.5, 1e20, 40.5, -40.5, 1e-10, 1e50]

SECONDS = 5.0
"""Seconds after which a call counts as one that does not end. The slowest take 0.1."""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="calls that may not end need a process")


def first_that_does_not_end(call: Callable[..., object], points: Sequence[tuple[float, ...]]) -> object:
    """The first point at which a call in a child does not end in time, or ends the child; None for none."""
    progress = mmap.mmap(-1, 8)
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        status = 1
        try:
            with np.errstate(all="ignore"):
                for k, point in enumerate(points):
                    struct.pack_into("q", progress, 0, k)
                    signal.setitimer(signal.ITIMER_REAL, SECONDS)
                    call(*point)
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    return None if status == 0 else points[struct.unpack_from("q", progress, 0)[0]]


def all_points(arity: int, values: Sequence[float]) -> list[tuple[float, ...]]:
    return list(itertools.product(values, repeat=arity))


def drawn_points(arity: int, count: int, seed: int) -> list[tuple[float, ...]]:
    """Arguments of all magnitudes, many of them whole, some special."""
    r = np.random.default_rng(seed)
    drawn = 10 ** r.uniform(-1, 1, (count, arity)) ** r.choice([1, 3], (count, arity))
    drawn = np.where(r.random((count, arity)) < 0.5, drawn, 10 ** r.uniform(-320, 300, (count, arity)))
    drawn = drawn * r.choice([-1, 1], (count, arity))
    drawn = np.where(r.random((count, arity)) < 0.3, np.rint(drawn), drawn)
    drawn = np.where(r.random((count, arity)) < 0.1, r.choice(ENDS + MIDDLE, (count, arity)), drawn)
    return [tuple(point) for point in drawn.tolist()]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", UFUNCS)
def test_calls_end(name: str, dtype: Any) -> None:
    arity = UFUNCS[name]
    points = all_points(arity, ENDS + MIDDLE if arity < 3 else ENDS[:6]) + drawn_points(arity, 300, 7)
    with np.errstate(all="ignore"):
        found = first_that_does_not_end(lambda *x: special_values(name, *map(dtype, x)), points)
    assert found is None


@pytest.mark.fuzz
@pytest.mark.parametrize("name", UFUNCS)
def test_calls_end_everywhere(name: str) -> None:
    arity = UFUNCS[name]
    points = all_points(arity, ENDS + MIDDLE if arity < 4 else ENDS) + drawn_points(arity, 5000, 11)
    assert first_that_does_not_end(lambda *x: special_values(name, *map(np.float64, x)), points) is None


@pytest.mark.parametrize("op", ["lgamma", "polygamma", "erf", "erfc", "erfinv"])
def test_scalar_meanings_end(op: str) -> None:
    properties: dict[str, Any] = {"order": 3} if op == "polygamma" else {}
    call = lambda x: SCALARS[op](np.float64(x), **properties)  # noqa: E731
    assert first_that_does_not_end(call, [(x,) for x in ENDS + MIDDLE]) is None


def is_left_alone(name: str, arguments: Sequence[Any]) -> Any:
    """The mask of arguments at which SciPy is asked for the value itself."""
    if name not in DOMAINS:
        return np.full(np.shape(arguments[0]), True)
    ends, asked = DOMAINS[name](NUMPY, *arguments)
    same = [np.equal(x, y) | (np.isnan(x) & np.isnan(y)) for x, y in zip(arguments, asked, strict=True)]
    return np.logical_and.reduce([ends, *same])


def assert_same_bits(found: Any, expected: Any) -> None:
    np.testing.assert_array_equal(found, expected)
    numbers = ~np.isnan(expected)
    assert np.array_equal(np.signbit(found)[numbers], np.signbit(expected)[numbers])


@pytest.mark.parametrize(("name", "dtype"), LOOPS)
def test_compiled_functions_have_the_values_of_scipy(name: str, dtype: Any) -> None:
    """At all exponents, though programs take subnormal numbers for zeros."""
    arity = UFUNCS[name]
    if arity == 1:
        powers = [m * 10.0**k for k in range(-323, 309) for m in (1.0, -3.7)]
        points = [(x,) for x in powers if np.isfinite(dtype(x))]
    else:
        points = drawn_points(arity, 500, 3)
    with np.errstate(all="ignore"):
        arguments = np.array(points, dtype).T
        left = is_left_alone(name, arguments)
        # Others may take SciPy for ever.
        asked = [np.where(left, x, dtype(1.0)) for x in arguments]
        public = "zeta" if name in ("_zeta", "_riemann_zeta") else name.removeprefix(OF_WHOLE)
        own = special_ufunc(name.removeprefix(OF_WHOLE))

        def called(ufunc: Any, *x: Any) -> Any:
            return ufunc(x[0].astype(np.int64), *x[1:]) if name.startswith(OF_WHOLE) else ufunc(*x)

        expected = called(own, *asked)
        names = RESULTS_OF.get(name, (name,))
        many = expected if len(names) > 1 else (expected,)
    function = ad.jit(lambda *x: called(getattr(special, public), *x))
    found = function(*asked)
    for one, wanted in zip(found if len(names) > 1 else (found,), many, strict=True):
        assert_same_bits(one, wanted)
    if name.startswith(OF_WHOLE):  # other numbers are not integers
        return
    with np.errstate(all="ignore"):
        whole = function(*arguments)
        guarded = special_values(name, *arguments)
    for one, wanted in zip(whole if len(names) > 1 else (whole,), guarded, strict=True):
        assert_same_bits(one, wanted)


LIMITS = [
    ("yn", (1e300, 2.0), special.yn(1000, 1.0)),  # -inf; NaN before SciPy 1.15
    ("yv", (1e300, 2.0), special.yn(1000, 1.0)),
    ("struve", (-1e9, 2.5), np.nan),
    ("yn", (1e300, 1e300), np.nan),
    ("yn", (-1e300, 1e300), np.nan),
    ("yv", (1e8, 1e300), np.nan),
    ("hyp1f1", (2.0, 3.0, np.inf), np.inf),
    ("hyp1f1", (1.0, 1.0, -1e300), 0.0),
    ("hyp1f1", (1e-300, -40.5, 100.0), 1.0),
    ("hyp2f1", (1e300, 0.5, 1e300, np.nan), np.nan),
    ("zeta", (3.0, -1e9 - 0.5), np.nan),
    ("hyperu", (2.5, 1e12, 1.5), np.nan),
    ("lpmv", (-1e84, 3.0, 0.3), np.nan),
    ("lpmv", (2.0, 1e12, 0.3), np.nan),
    ("lpmv", (1e5, 3.0, 0.3), 0.0),
]


@pytest.mark.parametrize("interpret", [False, True])
@pytest.mark.parametrize(("name", "arguments", "value"), LIMITS)
def test_values_where_scipy_has_none(
    name: str, arguments: tuple[float, ...], value: float, interpret: bool
) -> None:
    found = ad.jit(lambda *x: getattr(special, name)(*x), interpret=interpret)(*arguments)
    np.testing.assert_equal(float(found), value)


def test_derivatives_of_exprel_end_everywhere() -> None:
    exprel = special.exprel
    with np.errstate(all="ignore"):
        assert ad.grad(exprel)(np.inf) == np.inf
        assert np.isfinite(ad.grad(exprel)(-1e300))
        assert np.isnan(ad.grad(exprel)(np.nan))


def test_many_elements_are_interruptible() -> None:
    """Ctrl-C ends the interpreter's call after some of the elements, and a compiled one too."""
    x = np.linspace(0.1, 9.0, 4_000_000)

    class Stop(BaseException):
        pass

    def handler(*_: object) -> None:
        raise Stop

    before = signal.signal(signal.SIGALRM, handler)
    try:
        for interpret in (True, False):
            function = ad.jit(lambda x: special.jv(1.5, x), interpret=interpret)
            function(x[:CHUNK])
            function.lower(x).compile()
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            with pytest.raises(Stop):
                function(x)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_chunks_are_put_together_in_any_shape() -> None:
    x = np.linspace(0.1, 9.0, 3 * CHUNK + 5).reshape(-1, 1)
    assert np.array_equal(special_values("jv", np.float64(1.5), x)[0], special_ufunc("jv")(1.5, x))
    for one, wanted in zip(special_values("airy", x), special_ufunc("airy")(x), strict=True):
        assert np.array_equal(one, wanted)
