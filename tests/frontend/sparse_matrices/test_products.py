"""Products of SciPy's sparse matrices and traced arrays are SciPy's, and so are their derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import mlirad as ad

RNG = np.random.default_rng(5)
DENSE = np.where(RNG.uniform(size=(4, 3)) < 0.6, RNG.normal(size=(4, 3)), 0.0)
DENSE[2] = 0.0

FORMATS: dict[str, Callable[[Any], Any]] = {
    name: getattr(sp, name)
    for kind in ("array", "matrix")
    for name in (f"{form}_{kind}" for form in ("bsr", "coo", "csc", "csr", "dia", "dok", "lil"))
}

WAYS: dict[str, Callable[[Any, Any], Any]] = {
    "vector": lambda a, x: a @ x[0],
    "matrix": lambda a, x: a @ x.T,
    "dot": lambda a, x: a.dot(x[0]),
    "from the right": lambda a, x: x @ a.T,
    "vector from the right": lambda a, x: x[1] @ a.T,
    "complex": lambda a, x: a @ (x[0] + 1j * x[1]),
    "complex matrix": lambda a, x: (a * (1.0 + 2.0j)) @ x[0],
}


@pytest.mark.parametrize("form", FORMATS)
def test_products(form: str) -> None:
    a, x = FORMATS[form](DENSE), RNG.normal(size=(2, 3))
    for way, function in WAYS.items():
        found = ad.jit(lambda x, f=function: f(a, x), interpret=True)(x)
        np.testing.assert_allclose(found, function(a, x), rtol=1e-13, atol=1e-13, err_msg=way)
    np.testing.assert_allclose(ad.jacobian(lambda v: a @ v, interpret=True)(x[0]), DENSE, atol=1e-15)


def test_products_are_compiled() -> None:
    a, x = sp.csr_array(DENSE), RNG.normal(size=3)
    np.testing.assert_allclose(ad.grad(lambda v: np.sum((a @ v) ** 2))(x), 2 * DENSE.T @ (DENSE @ x))
    np.testing.assert_array_equal(ad.jacobian(lambda v: a @ v, sparse=True)(x).toarray(), DENSE)
    empty = sp.csr_array((0, 3))
    assert ad.jit(lambda v: empty @ v, interpret=True)(x).shape == (0,)
    found = ad.jit(lambda v: a.astype(np.float32) @ v, interpret=True)(x.astype(np.float32))
    assert found.dtype == np.float32


def test_mistakes() -> None:
    a = sp.csr_array(DENSE)
    with pytest.raises(ad.ShapeError, match="cannot be multiplied"):
        ad.jit(lambda v: a @ v, interpret=True)(np.ones(2))
