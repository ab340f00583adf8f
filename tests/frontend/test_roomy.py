"""Derivatives of functions that hold functions of their own kind: programs get the room that calls need."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.errors import NoRoomError, OutOfMemoryError
from mlirad.frontend.compiling.roomy import Roomy, require_rows
from mlirad.lower.native_program import NO_ROOM
from mlirad.pipeline_options import METHODS
from mlirad.tools import run


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


# Entries -------------------------------------------------------------------------------------------

X, S, DEEP = 0.3, 0.99, 300
_, BY_X, BY_S = derivatives_of_composed(X, S, DEEP)


def deep(s: Any) -> Any:
    return composed(X, s, DEEP)


def deep_of_vector(w: Any) -> Any:
    return w * composed(w[0], S, DEEP)


def slope_of_vector() -> Any:
    """The Jacobian of `deep_of_vector` at (X, 1)."""
    return np.array([[2 * X * BY_X, 0], [BY_X, X * BY_X]])


def second_slope() -> float:
    """The second derivative of `deep`, by differences."""
    h = 1e-5
    return (derivatives_of_composed(X, S + h, DEEP)[2] - derivatives_of_composed(X, S - h, DEEP)[2]) / (2 * h)


def at_vector(derivative: Any) -> Any:
    return derivative(np.array([X, 1.0]))


def exported(folder: Path) -> tuple[int, int, float]:
    """The codes of C functions with too few rows and with enough, and the slope by the second."""
    codes: list[int] = []
    slope = ctypes.c_double()
    for rooms in (None, DEEP + 1):
        made = ad.export(ad.grad(deep), S, path=folder / f"slope{rooms}", library=True, rooms=rooms)
        assert made.library is not None
        function = ctypes.CDLL(str(made.library))[f"slope{rooms}"]
        codes.append(function(ctypes.c_double(S), ctypes.byref(slope)))
    return *codes, slope.value


ENTRIES: dict[str, tuple[Callable[[], Any], Any]] = {
    "jit": (lambda: ad.jit(lambda s: ad.grad(deep)(s))(S), BY_S),
    "grad": (lambda: ad.grad(deep)(S), BY_S),
    "value_and_grad": (lambda: ad.value_and_grad(deep)(S)[1], BY_S),
    "jvp": (lambda: ad.jvp(deep, (S,), (1.0,))[1], BY_S),
    "vjp": (lambda: ad.vjp(deep, S)[1](1.0)[0], BY_S),
    "linearize": (lambda: ad.linearize(deep, S)[1](1.0), BY_S),
    "linearize, transposed": (lambda: ad.linearize(deep, S)[1].T(1.0), BY_S),
    "linearize, interpreted": (lambda: ad.linearize(deep, S, interpret=True)[1](1.0), BY_S),
    "linearize, squared": (lambda: (lambda d: (d.T @ d)(1.0))(ad.linearize(deep, S)[1]), BY_S**2),
    "jacobian": (lambda: at_vector(ad.jacobian(deep_of_vector)), slope_of_vector()),
    "jacfwd": (lambda: at_vector(ad.jacfwd(deep_of_vector)), slope_of_vector()),
    "jacrev": (lambda: at_vector(ad.jacrev(deep_of_vector)), slope_of_vector()),
    "jacobian, sparse": (
        lambda: at_vector(ad.jacobian(deep_of_vector, sparse=True)).toarray(),
        slope_of_vector(),
    ),
    "hessian": (lambda: ad.hessian(deep)(S), second_slope()),
    "hessian, sparse": (lambda: ad.hessian(deep, sparse=True)(S).toarray()[0, 0], second_slope()),
    "hvp": (lambda: ad.hvp(deep, (S,), (1.0,)), second_slope()),
    "hvp by chad-copower": (lambda: ad.hvp(deep, (S,), (1.0,), method="chad-copower"), second_slope()),
    "jet": (lambda: ad.jet(deep, (S,), ([1.0, 0.0],))[1], [BY_S, second_slope()]),
    "vmap": (lambda: ad.vmap(ad.grad(deep))(np.array([S, S])), [BY_S, BY_S]),
    "check_derivatives": (lambda: ad.check_derivatives(deep, S) and 1.0, 1.0),
    "minimize": (lambda: ad.minimize(lambda s: 1e-9 * deep(s) + (s - 0.5) ** 2, 0.9), 0.5),
    "lower": (lambda: ad.grad(deep).lower(S).compile()(S), BY_S),
    "profile": (lambda: ad.grad(deep).profile(S).calls > 0, True),
}
"""Calls that compile a derivative, and their results."""


@pytest.mark.parametrize("entry", ENTRIES)
def test_whatever_compiles_a_derivative_makes_room(entry: str) -> None:
    found, expected = ENTRIES[entry]
    np.testing.assert_allclose(found(), expected, rtol=1e-6)


def test_object_files_have_the_room_that_they_are_told(tmp_path: Path) -> None:
    too_few, enough, slope = exported(tmp_path)
    assert (too_few & 255, enough) == (NO_ROOM, 0)
    assert slope == pytest.approx(BY_S, rel=1e-10)


@pytest.mark.parametrize("way", [[], ["--interpret"]], ids=["compiled", "interpreted"])
@pytest.mark.parametrize("pipeline", ["grad{function=main wrt=0}", "grad{function=main wrt=0 method=chad}"])
def test_the_command_line_makes_room(
    way: list[str], pipeline: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "deep.mlir"
    path.write_text(str(ad.trace(deep, S)))
    command = [str(path), "--entry", "main_grad", *way, f"--pipeline={pipeline}", "--args", str(S)]
    assert run.main(command) == 0
    assert float(capsys.readouterr().out.split()[1]) == pytest.approx(BY_S, rel=1e-10)


def test_rows_that_the_command_line_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "deep.mlir"
    path.write_text(str(ad.trace(deep, S)))
    passes = "differentiate{function=main},eliminate-functions,records-to-rows{rooms=8}"
    assert run.main([str(path), "--entry", "main_grad", "-p", passes, "--args", str(S)]) == 1
    assert "number 0 of records-to-rows{rooms=64,64}" in capsys.readouterr().err


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
