"""Derivatives of functions that hold functions of their own kind: programs get the room that calls need."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.errors import NoRoomError, OutOfMemoryError
from mlirad.frontend.compiling.roomy import Roomy, require_rows
from mlirad.pipeline_options import METHODS


def composed(x: Any, s: Any, n: Any) -> Any:
    start = ad.lambda_(lambda z: z * x)
    return ad.fori_loop(0, n, lambda i, f: ad.lambda_(lambda z: f(np.sin(z) * s)), start)(1.0)


def derivatives_of_composed(x: float, s: float, n: int) -> tuple[float, float, float]:
    """The value and its slopes by x and by s, as the loop that applies the functions has them."""
    z, slope = 1.0, 0.0
    for _ in range(n):
        z, slope = np.sin(z) * s, np.cos(z) * slope * s + np.sin(z)
    return z * x, z, slope * x


@pytest.mark.parametrize("method", METHODS)
def test_a_program_gets_the_room_that_its_calls_need(method: str) -> None:
    gradient = ad.value_and_grad(composed, argnums=(0, 1), method=method)
    for n in (3, 300, 40):
        value, (by_x, by_s) = gradient(0.3, 0.99, n)
        expected = derivatives_of_composed(0.3, 0.99, n)
        np.testing.assert_allclose([value, by_x, by_s], expected, rtol=1e-10)


def test_forward_mode_second_derivatives_and_batches() -> None:
    *_, by_s = derivatives_of_composed(0.3, 0.9, 90)
    np.testing.assert_allclose(
        ad.jvp(lambda s: composed(0.3, s, 90), (0.9,), (2.0,))[1], 2 * by_s, rtol=1e-10
    )
    twice = ad.grad(lambda s: ad.grad(composed, argnums=1)(0.3, s, 20))
    h = 1e-5
    (_, _, above), (_, _, below) = (derivatives_of_composed(0.3, 0.9 + e, 20) for e in (h, -h))
    np.testing.assert_allclose(twice(0.9), (above - below) / (2 * h), rtol=1e-7)
    xs = np.linspace(0.1, 1, 4)
    found = ad.vmap(ad.grad(composed, argnums=1), in_axes=(0, None, None))(xs, 0.9, 90)
    np.testing.assert_allclose(found, [derivatives_of_composed(x, 0.9, 90)[2] for x in xs], rtol=1e-10)


def test_interpreted_programs_get_room() -> None:
    found = ad.grad(composed, argnums=1, interpret=True)(0.3, 0.9, 70)
    np.testing.assert_allclose(found, derivatives_of_composed(0.3, 0.9, 70)[2], rtol=1e-10)


def continued(w: Any, x: Any) -> Any:
    @ad.function
    def go(i: Any, k: Any) -> Any:
        return ad.cond(
            i >= w.shape[0], lambda: k(x), lambda: go(i + 1, ad.lambda_(lambda r: k(np.sin(r) * w[i] + 1)))
        )

    return go(0, ad.lambda_(lambda r: r))


def plain(w: Any, x: float) -> float:
    for e in w[::-1]:
        x = np.sin(x) * e + 1
    return x


def slope_of_plain(w: Any, x: float) -> float:
    slope = 1.0
    for e in w[::-1]:
        x, slope = np.sin(x) * e + 1, np.cos(x) * e * slope
    return slope


@pytest.mark.parametrize("method", METHODS)
def test_continuations_over_an_array(method: str) -> None:
    w = np.linspace(0.5, 1.5, 80)
    gradient = ad.grad(continued, method=method, donate="w")(w.copy(), 0.4)
    h = 1e-5
    expected = [(plain(w + h * e, 0.4) - plain(w - h * e, 0.4)) / (2 * h) for e in np.eye(80)]
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-9)


def test_dynamic_sizes() -> None:
    gradient = ad.jit(lambda w: ad.grad(continued, argnums=1)(w, 0.4), dynamic="w:0")
    for n in (3, 7):
        w = np.linspace(0.5, 1.5, n)
        np.testing.assert_allclose(gradient(w), slope_of_plain(w, 0.4), rtol=1e-10)


# Growth of programs -------------------------------------------------------------------------------


def needing(least: tuple[int, ...], made: list[tuple[int, ...]]) -> Callable[[tuple[int, ...]], Any]:
    """Makes functions that need rooms of at least these sizes."""

    def make(rooms: tuple[int, ...]) -> Callable[[int], int]:
        made.append(rooms)

        def call(x: int) -> int:
            for k, (n, needed) in enumerate(zip(rooms, least, strict=True)):
                if n < needed:
                    raise NoRoomError(k)
            return x + 1

        return call

    return make


def test_only_the_room_that_lacks_grows() -> None:
    made: list[tuple[int, ...]] = []
    make = needing((5, 1, 90), made)
    roomy = Roomy(make, make((4, 4, 4)), (4, 4, 4))
    assert roomy(1) == 2
    assert made == [(4, 4, 4), (16, 4, 4), (16, 4, 16), (16, 4, 64), (16, 4, 256)]
    assert roomy(2) == 3
    assert roomy.rooms == made[-1]
    assert len(made) == 5


def test_threads_share_what_grew() -> None:
    made: list[tuple[int, ...]] = []
    make = needing((1000,), made)
    roomy = Roomy(make, make((4,)), (4,))
    found: list[int] = []
    threads = [threading.Thread(target=lambda k=k: found.append(roomy(k))) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(1, 9))
    assert made == [(4,), (16,), (64,), (256,), (1024,)]


def test_rows_that_exceed_the_memory() -> None:
    require_rows(1 << 20)
    with pytest.raises(OutOfMemoryError, match="functions hold too many of their own kind") as error:
        require_rows(1 << 60)
    assert "check that the loop or recursion" in str(error.value)
