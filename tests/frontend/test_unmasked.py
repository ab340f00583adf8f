"""`np.ma` on traced arrays: where nothing is masked they stay what they are, else it is an error."""

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import inspect

import numpy as np
import pytest
from numpy import ma

import mlirad as ad

MADE = {
    "array": lambda x: ma.array(x, copy=True, fill_value=0.0),
    "array of a dtype": lambda x: ma.array(x, dtype=np.float32),
    "array without a mask": lambda x: ma.array(x, mask=False),
    "asarray": ma.asarray,
    "asanyarray": lambda x: ma.asanyarray(x * 2),
    "atleast_1d": ma.atleast_1d,
    "atleast_2d": ma.atleast_2d,
    "atleast_3d": ma.atleast_3d,
    "concatenate": lambda x: ma.concatenate([x, np.ones(2)]),
    "stack": lambda x: ma.stack([x, x * 2], axis=1),
    "vstack": lambda x: ma.vstack([x, x * 2]),
    "hstack": lambda x: ma.hstack([x, x * 2]),
    "dstack": lambda x: ma.dstack([x, x * 2]),
    "column_stack": lambda x: ma.column_stack([x, x * 2]),
    "getdata": lambda x: ma.getdata(ma.asarray(x)),
    "filled": lambda x: ma.filled(ma.asarray(x), 7.0),
    "masks": lambda x: x * (1.0 - ma.getmaskarray(ma.asarray(x))),
    "asked for a mask": lambda x: x * 0 if np.any(ma.getmask(ma.asarray(x))) or ma.is_masked(x) else x,
}


def is_function(name: str) -> bool:
    """Tell whether a name is not one of an object of a class of its own, as some are in older versions."""
    return inspect.isfunction(getattr(ma, name, is_function))


@pytest.mark.parametrize("name", filter(is_function, MADE))
def test_without_masks(name: str) -> None:
    function, x = MADE[name], np.array([1.0, -2.0, 0.5])
    found = ad.jit(function)(x)
    expected = function(x)
    np.testing.assert_array_equal(found, np.asarray(expected))
    assert found.dtype == expected.dtype
    weights = np.cos(np.arange(found.size)).reshape(found.shape)
    gradient = ad.grad(lambda x: np.sum(function(x) * weights))(x)
    moved = [np.sum(np.asarray(function(x + e) - function(x - e)) * weights) / 0.5 for e in 0.25 * np.eye(3)]
    np.testing.assert_allclose(gradient, moved, rtol=1e-5)


MASKED = {
    "array": lambda x: ma.array(x, mask=[True, False, False]),
    "array in order": lambda x: ma.array(x, None, False, None, [True, False, False]),
    "masked_invalid": ma.masked_invalid,
    "masked_where": lambda x: ma.masked_where([True, False, False], x),
    "stack": lambda x: ma.stack([x, ma.array(np.ones(3), mask=[True, False, False])]),
}


@pytest.mark.parametrize("name", MASKED)
def test_masks_are_refused(name: str) -> None:
    with pytest.raises((ad.TracingError, ad.UnsupportedError)):
        ad.jit(lambda x: MASKED[name](x).sum())(np.ones(3))
