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
    if mode == "nearest" and order > 1:
        with pytest.raises(ad.UnsupportedError, match="mode='nearest'"):
            ad.jit(lambda x: ndimage.shift(x, 0.5, order=order, mode=mode))(IMAGE)
        return
    for n in (1, 2, 5, 13):
        x = RNG.normal(size=n)
        at = np.concatenate([np.arange(-2 * n - 1, 3 * n + 2) / 1.0, np.arange(-n, 2 * n + 1) + 0.5])
        at = np.concatenate([at, RNG.uniform(-3 * n, 4 * n, 20)])[None]

        def function(x: Any, at: Any) -> Any:
            return ndimage.map_coordinates(x, at, order=order, mode=mode, cval=0.7)

        found = ad.jit(function, interpret=True)(x, at)
        np.testing.assert_allclose(found, function(x, at), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("mode", ["reflect", "constant", "grid-constant", "mirror", "grid-wrap"])
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
