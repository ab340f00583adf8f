"""Matrices that tests of sparse ones share: a pattern with values, and what is made of these."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

SIZE = 5

RNG = np.random.default_rng(3)

DENSE = np.where(RNG.uniform(size=(SIZE, SIZE)) < 0.4, RNG.normal(size=(SIZE, SIZE)), 0.0) + 4 * np.eye(SIZE)

A = sp.csr_array(DENSE)
"""A regular matrix."""

B = sp.csc_array(np.where(RNG.uniform(size=(SIZE, SIZE)) < 0.4, RNG.normal(size=(SIZE, SIZE)), 0.0))
"""Another one, of another pattern."""

X = RNG.normal(size=SIZE)
Y = RNG.normal(size=SIZE)

FORMATS = [f"{form}_{kind}" for form in ("csr", "csc", "coo", "dia", "bsr") for kind in ("array", "matrix")]


def matrix(values: Any, form: str = "csr_array") -> Any:
    """The matrix of these values in the places of `A`."""
    return getattr(sp, form)(sp.csr_array((values, A.indices, A.indptr), shape=A.shape))


def dense(values: Any) -> Any:
    """The same as an array."""
    coo = A.tocoo()
    found = np.zeros((SIZE, SIZE), values.dtype)
    found[coo.row, coo.col] = values
    return found


def as_array(found: Any) -> Any:
    """A result as an array, sparse or not."""
    return found.toarray() if sp.issparse(found) else found
