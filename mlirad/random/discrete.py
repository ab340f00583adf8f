"""Draws of integers and truth values, and of elements of arrays. They have no derivatives."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from mlirad.frontend.interface import asarray, stop_gradient
from mlirad.frontend.tracing.argument_kinds import checked_flag
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.raising import dtype_error, shape_error
from mlirad.frontend.tracing.run_time_checks import check_span
from mlirad.random.drawing import (
    Numbers,
    broadcast_shape,
    checked_axis,
    checked_dtype,
    checked_shape,
    draw,
    fraction,
    unit,
    words,
)
from mlirad.random.keys import bits


@draw
def randint(
    key: Numbers, shape: Any, minval: Numbers, maxval: Numbers, dtype: npt.DTypeLike = np.int64
) -> Any:
    """Integers from `minval` on and below `maxval`, which broadcast to `shape`; `minval` where there are
    none.

    The remainder of 63 random bits: for limits less than 2**31 apart, no number is more likely than another
    by more than 2**-32 of its probability. Raises `IntegerOverflowError` for limits 2**63 or more apart.

        >>> ad.random.randint(ad.random.key(0), (5,), 1, 7)
        array([1, 2, 2, 5, 1])
    """
    integer_type = checked_dtype(dtype, np.int64, np.int32)
    low, high = _integers(minval, "minval"), _integers(maxval, "maxval")
    wanted = broadcast_shape(shape, "limits", low, high)
    check_span(
        *(one.value for one in xp.broadcast_arrays(*(asarray(v).astype(np.int64) for v in (low, high))))
    )
    x, y = words(key, wanted, 0)
    positive = ((x.astype(np.int64) & (2**31 - 1)) << 32) | (y.astype(np.int64) & (2**32 - 1))
    return (low + positive % xp.maximum(high - low, 1)).astype(integer_type)


def _integers(limit: Numbers, name: str) -> Any:
    value = asarray(limit)
    if value.dtype.kind != "i":
        raise dtype_error(
            f"randint: {name} is {value.dtype}, and it must be an integer",
            "pass integers, such as 10 for 10.0",
        )
    return value.astype(np.int64)


@draw
def bernoulli(key: Numbers, p: Numbers = 0.5, shape: Any = None) -> Any:
    """Truth values that are true with the probability `p`, which broadcasts to `shape`.

    >>> ad.random.bernoulli(ad.random.key(0), np.array([0.0, 0.5, 0.5, 0.5, 1.0]))
    array([False,  True, False, False,  True])
    """
    chance = asarray(p)
    float_type = np.dtype(np.float32 if chance.dtype == np.float32 else np.float64)
    return fraction(key, broadcast_shape(shape, "probabilities", chance), float_type) < chance


@draw
def rademacher(key: Numbers, shape: Any = (), dtype: npt.DTypeLike = np.int64) -> Any:
    """1 or -1, each with the probability 1/2.

    >>> ad.random.rademacher(ad.random.key(0), 8)
    array([ 1,  1, -1, -1, -1,  1, -1, -1])
    """
    x, _ = words(key, checked_shape(shape), 0)
    return xp.where(x < 0, -1, 1).astype(checked_dtype(dtype, np.int64, np.int32, np.float64, np.float32))


@draw
def categorical(
    key: Numbers, logits: Numbers, axis: int = -1, shape: Any = None, replace: bool = True
) -> Any:
    """Numbers of categories: k along `axis` with a probability in proportion to exp(logits[k]).

    `shape` must end with the shape of `logits` without `axis`, and is that where it is not given. With
    `replace=False` what `shape` has before it are draws of different categories. By the largest of logits and
    Gumbel noise; -inf is never drawn, unless nothing else can be.

        >>> logits = np.log(np.array([0.1, 0.2, 0.7]))
        >>> ad.random.categorical(ad.random.key(0), logits, shape=8)
        array([2, 2, 2, 1, 1, 2, 1, 2])
    """
    scores = stop_gradient(asarray(logits))
    if scores.dtype.kind != "f" or scores.ndim == 0:
        raise dtype_error(
            f"categorical: logits are {scores.dtype}{list(scores.shape)}, and must be an array of floats",
            "pass an array of floats with a dimension for the categories",
        )
    scores = xp.moveaxis(scores, checked_axis(axis, "categorical: axis", scores.ndim), -1)
    *batch, count = scores.shape
    wanted = tuple(batch) if shape is None else checked_shape(shape)
    lead = len(wanted) - len(batch)
    if lead < 0 or wanted[lead:] != tuple(batch):
        raise shape_error(
            f"categorical: a draw of shape {list(wanted)}, and that of logits is {batch}",
            "give a shape that the shape of logits, without the axis, broadcasts to",
        )
    if not count:
        raise shape_error("categorical: there is no category", "give the logits of one category or more")
    several = () if not checked_flag(replace, "categorical: replace") else wanted[:lead]
    u = unit(key, (*several, *batch, count), scores.dtype)
    noisy = scores - xp.log(-xp.log(u))
    if replace:
        return xp.argmax(noisy, axis=-1)
    draws = prod(wanted[:lead])
    if draws > count:
        raise shape_error(
            f"categorical: {draws} different categories of {count}", "draw fewer, or with replace=True"
        )
    ranked = xp.flip(xp.argsort(noisy, axis=-1), axis=-1)[..., :draws]
    return xp.reshape(xp.moveaxis(ranked, -1, 0), wanted)


@partial(draw, population="x")
def permutation(key: Numbers, x: Numbers, axis: int = 0, independent: bool = False) -> Any:
    """The slices of an array along `axis` in a random order, or of an integer the numbers below it.

    With `independent` each line along the axis has an order of its own. An integer must be known when the
    program is traced: write it as it is, or make it a static argument.

        >>> ad.random.permutation(ad.random.key(0), 6)
        array([4, 3, 2, 1, 5, 0])
        >>> ad.random.permutation(ad.random.key(0), np.arange(6).reshape(3, 2))
        array([[4, 5],
               [2, 3],
               [0, 1]])
    """
    values = _drawn_from(x, "permutation")
    if values.ndim == 0:
        raise shape_error("permutation of a scalar", "give an array, or a Python integer")
    d = checked_axis(axis, "permutation: axis", values.ndim)
    if checked_flag(independent, "permutation: independent"):
        return xp.take_along_axis(values, xp.argsort(_ranks(key, values.shape), axis=d), axis=d)
    return xp.take(values, xp.argsort(_ranks(key, (values.shape[d],))), axis=d)


def _drawn_from(population: Any, name: str) -> Any:
    """An array, or the numbers below an integer."""
    if not isinstance(population, int):
        return asarray(population)
    try:
        return asarray(np.arange(population))
    except (ValueError, MemoryError) as error:
        raise shape_error(
            f"{name}: there is no array of {population} numbers", "draw from floats: ad.random.uniform(key)"
        ) from error


def _ranks(key: Numbers, shape: Any) -> Any:
    """Numbers to sort by; those of 10**6 elements are all different except for one case in 10**7."""
    return bits(key, shape)


@partial(draw, population="a")
def choice(
    key: Numbers,
    a: Numbers,
    shape: Any = (),
    replace: bool = True,
    p: Numbers | None = None,
    axis: int = 0,
) -> Any:
    """Slices of an array along `axis`, or numbers below an integer, in an array of the given shape.

    `p` has their probabilities, which add up to 1; all are equally likely without. The result has `shape`
    in the place of the axis.

        >>> ad.random.choice(ad.random.key(0), np.array([2, 3, 5, 7]), 3, replace=False)
        array([7, 5, 3])
        >>> ad.random.choice(ad.random.key(0), 3, 6, p=np.array([0.8, 0.1, 0.1]))
        array([2, 0, 0, 1, 1, 0])
    """
    values = _drawn_from(a, "choice")
    if values.ndim == 0:
        raise shape_error("choice from a scalar", "give an array, or a Python integer")
    d, wanted = checked_axis(axis, "choice: axis", values.ndim), checked_shape(shape)
    count, draws = values.shape[d], prod(wanted)
    if draws and (not count or (draws > count and not checked_flag(replace, "choice: replace"))):
        raise shape_error(f"choice: {draws} of {count} elements", "choose fewer, or with replace=True")
    if p is not None:
        chances = asarray(p)
        if chances.shape != (count,):
            raise shape_error(
                f"choice: probabilities of shape {list(chances.shape)} for {count} elements",
                "give one probability for each element",
            )
        numbers = categorical(key, xp.log(chances), shape=(draws,), replace=replace)
    elif replace:
        numbers = randint(key, (draws,), 0, count)
    else:
        numbers = xp.argsort(_ranks(key, (count,)))[:draws]
    chosen = xp.take(values, numbers, axis=d)
    return xp.reshape(chosen, (*values.shape[:d], *wanted, *values.shape[d + 1 :]))
