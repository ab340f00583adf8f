"""Images at other points: SciPy's values for all modes and orders, derivatives against differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import ndimage

import mlirad as ad
from tests.frontend.scipy_checks import check

RNG = np.random.default_rng(0)
MODES = ("reflect", "grid-mirror", "constant", "grid-constant", "nearest", "mirror", "wrap", "grid-wrap")
IMAGE = RNG.normal(size=(5, 6))


@pytest.mark.parametrize("order", range(6))
@pytest.mark.parametrize("mode", MODES)
def test_values_at_knots_edges_and_far_outside(mode: str, order: int) -> None:
    for n in (1, 2, 5, 13):
        x = RNG.normal(size=n)
        at = np.concatenate([np.arange(-2 * n - 1, 3 * n + 2) / 1.0, np.arange(-n, 2 * n + 1) + 0.5])
        at = np.concatenate([at, RNG.uniform(-3 * n, 4 * n, 20)])[None]

        def function(x: Any, at: Any) -> Any:
            return ndimage.map_coordinates(x, at, order=order, mode=mode, cval=0.7)

        found = ad.jit(function, interpret=True)(x, at)
        np.testing.assert_allclose(found, function(x, at), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("mode", ["reflect", "constant", "grid-constant", "mirror", "grid-wrap", "nearest"])
def test_derivatives_by_image_and_coordinates(mode: str, order: int) -> None:
    at = RNG.uniform(0.2, 3.6, (2, 4))
    check(lambda x, at: ndimage.map_coordinates(x, at, order=order, mode=mode, cval=0.5), IMAGE, at)


def test_shifts_zooms_and_affine_transforms() -> None:
    matrix = np.eye(2) + 0.1 * RNG.normal(size=(2, 2))
    check(lambda x, s: ndimage.shift(x, s, order=1, mode="reflect"), IMAGE, np.array([0.3, -0.6]))
    check(lambda x: ndimage.shift(x, (0.3, -0.7)), IMAGE)
    check(lambda x: ndimage.zoom(x, (2, 1.5), mode="mirror"), IMAGE)
    check(lambda x: ndimage.zoom(x, 0.5, order=1, grid_mode=True, mode="grid-wrap"), IMAGE)
    check(
        lambda x, m, o: ndimage.affine_transform(x, m, o, mode="mirror"),
        IMAGE,
        matrix,
        np.array([0.13, 0.21]),
    )
    check(lambda x: ndimage.affine_transform(x, np.array([1.1, 0.9]), 0.17, (3, 4), order=1), IMAGE)


@pytest.mark.parametrize("order", range(6))
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("axes", [(1, 0), (0, 2), (-1, 1)])
def test_rotations_of_images_and_of_planes(axes: tuple[int, int], mode: str, order: int) -> None:
    x = RNG.normal(size=(4, 5, 3))
    for angle, reshape in ((30.0, True), (-200.0, False), (90, True), (0, True), (np.array(45.0), True)):

        def function(x: Any, angle: Any = angle, reshape: bool = reshape) -> Any:
            return ndimage.rotate(x, angle, axes, reshape, order=order, mode=mode, cval=0.7)

        found = ad.jit(function, interpret=True)(x)
        np.testing.assert_allclose(found, function(x), rtol=1e-9, atol=1e-9)


def test_derivatives_of_rotations() -> None:
    check(lambda x, a: ndimage.rotate(x, a, reshape=False, mode="mirror"), IMAGE, np.array(31.0))
    check(lambda x: ndimage.rotate(x, 20, order=2), IMAGE)
    check(lambda x: ndimage.rotate(x, -10.5, (2, 1), order=1, mode="reflect"), RNG.normal(size=(2, 3, 4)))


def test_rotations_that_are_refused() -> None:
    with pytest.raises(ad.UnsupportedError, match="shape of the result depends"):
        ad.grad(lambda a: np.sum(ndimage.rotate(IMAGE, a)))(30.0)
    for axes in ((0, 0), (0,), (0, 1, 0)):
        with pytest.raises(ad.ArgumentError, match="the plane"):
            ad.jit(lambda x, axes=axes: ndimage.rotate(x, 30.0, axes))(IMAGE)


@pytest.mark.parametrize("order", range(2, 6))
@pytest.mark.parametrize("mode", MODES)
def test_coefficients_of_splines(mode: str, order: int) -> None:
    check(lambda x: ndimage.spline_filter(x, order, mode=mode), IMAGE)
    check(lambda x: ndimage.spline_filter1d(x, order, 0, mode=mode), IMAGE)
    x = IMAGE.astype(np.float32)
    found = ad.jit(lambda x: ndimage.spline_filter1d(x, order, 1, np.float32, mode), interpret=True)(x)
    np.testing.assert_allclose(
        found, ndimage.spline_filter1d(x, order, 1, np.float32, mode), rtol=1e-5, atol=1e-5
    )
    assert found.dtype == np.float32
