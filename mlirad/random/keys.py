"""Keys: of seeds, of other keys, and the bits that they give."""

from __future__ import annotations

from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from mlirad.frontend.interface import Array
from mlirad.frontend.tracing.argument_kinds import checked_integer
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.raising import argument_error, dtype_error
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.random.drawing import WORD, Numbers, checked_dtype, checked_key, checked_shape, draw, words
from mlirad.random.threefry import threefry

SPLIT: Final = -1
"""The stream of the keys that a key is split into."""

FOLDED: Final = -2
"""The stream of the keys that `fold_in` makes. Draws have the streams from 0 on."""


@plain_errors
def key(seed: Numbers) -> Any:
    """The key of a seed: an integer from -2**63 to 2**64 - 1, or a traced one. An int32 array of shape (2,).

    Different seeds give different keys; a seed and its sum with 2**64 give one.

        >>> key = ad.random.key(0)
        >>> key.shape, key.dtype
        ((2,), dtype('int32'))
        >>> ad.random.uniform(key, 3).round(4)
        array([0.4185, 0.2163, 0.9653])
    """
    if isinstance(seed, Array):
        if seed.shape != () or seed.dtype.kind != "i":
            raise dtype_error(
                f"key: the seed is {seed.dtype}{list(seed.shape)}, and must be one integer",
                "pass an integer: ad.random.key(0)",
            )
        wide = seed.astype(np.int64)
        return xp.stack([(wide >> WORD).astype(np.int32), wide.astype(np.int32)])
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not -(2**63) <= seed < 2**64:
        raise argument_error(
            f"key: the seed is {repr(cast(object, seed))[:60]}, not an integer from -2**63 to 2**64 - 1",
            "write ad.random.key(0)",
        )
    both = int(cast(int, seed)) % 2**64
    return np.array([both >> WORD, both % 2**WORD], np.uint32).view(np.int32)


@draw
def split(key: Numbers, n: int = 2) -> Any:
    """`n` new keys, int32 of shape (n, 2): the numbers of each are independent of all others.

        >>> key, own = ad.random.split(ad.random.key(0))
        >>> ad.random.normal(own, 2).round(4)
        array([ 0.7805, -0.4653])
        >>> ad.vmap(ad.random.normal)(ad.random.split(key, 3)).round(4)
        array([-0.1223, -1.3559,  0.621 ])

    Raises `DtypeError` if `key` is not a key.
    """
    count = checked_integer(n, "split: the number of keys", 0, "write ad.random.split(key, 3)")
    return xp.stack(words(key, (count,), SPLIT), axis=1)


@draw
def fold_in(key: Numbers, data: Numbers) -> Any:
    """The key of a key and an integer, such as the number of a step; int32 of shape (2,). Integers that
    differ by a multiple of 2**64 give one key.

        >>> key = ad.random.key(0)
        >>> [ad.random.normal(ad.random.fold_in(key, step)).round(4) for step in range(3)]
        [np.float64(-1.233), np.float64(-0.782), np.float64(-0.6707)]

    Raises `DtypeError` if `key` is not a key, and if `data` is not one integer.
    """
    number = np.asarray(data) if not isinstance(data, Array) else data
    if number.shape != () or number.dtype.kind != "i":
        raise dtype_error(
            f"fold_in: the data is {number.dtype}{list(number.shape)}, and it must be one integer",
            "pass an integer, such as the number of a step",
        )
    wide = number.astype(np.int64)
    high, low = (wide >> WORD).astype(np.int32), wide.astype(np.int32)
    inner = threefry(checked_key(key), (np.int32(FOLDED), high))
    return xp.stack(threefry(inner, (np.int32(FOLDED), low)))


@draw
def bits(key: Numbers, shape: Any = (), dtype: npt.DTypeLike = np.int64) -> Any:
    """Integers of any bits: of the type `dtype`, int64 or int32.

        >>> ad.random.bits(ad.random.key(0), 2, np.int32)
        array([1797259609,  928981903], dtype=int32)

    Raises `DtypeError` for other types and if `key` is not a key.
    """
    x, y = words(key, checked_shape(shape), 0)
    if checked_dtype(dtype, np.int64, np.int32) == np.int32:
        return x
    return (x.astype(np.int64) << WORD) | (y.astype(np.int64) & (2**WORD - 1))
