"""The outcome of a call, a result or an error, and when two such outcomes are alike."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from typing import Any

import numpy as np

import mlirad as ad
from tests.robustness.sessions.functions import Applied, Fault


def outcome(function: Applied, args: tuple[Any, ...]) -> Any:
    """The result, or the class of the error that mlirad or the user's function raises."""
    try:
        return function(*args)
    except (Fault, ad.MliradError) as error:
        assert not isinstance(error, ad.CompileError), error
        return type(error)


def lines_of(error: BaseException) -> list[str]:
    """The files of an error's traceback, from the outermost to where it was raised."""
    return [frame.filename for frame in traceback.extract_tb(error.__traceback__)]


def leaves(value: Any) -> Iterator[Any]:
    """The arrays and scalars of a result."""
    if isinstance(value, (tuple, list)):
        for part in value:
            yield from leaves(part)
    else:
        yield value


def copied(value: Any) -> Any:
    """The result, with arrays of its own; a class of errors as it is."""
    if isinstance(value, type):
        return value
    return tuple(np.array(leaf) if isinstance(leaf, np.ndarray) else leaf for leaf in leaves(value))


def assert_alike(got: Any, expected: Any, *, exactly: bool = False) -> None:
    """Equal results up to the rounding of float32, which some arguments have, or equal classes of errors."""
    if isinstance(got, type) or isinstance(expected, type):
        assert got is expected, (got, expected)
        return
    for one, other in zip(leaves(got), leaves(expected), strict=True):
        if one is None or other is None:
            assert one is other
            continue
        one, other = np.asarray(one), np.asarray(other)
        assert (one.dtype, one.shape) == (other.dtype, other.shape), (one, other)
        if exactly:
            np.testing.assert_array_equal(one, other)
        else:
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
