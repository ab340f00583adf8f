"""Integrals over [0, 1] by nodes of Gauss and Kronrod, of pieces that are cut where the error is largest.

    cut(f, np.array([0.0, 1.0]), Accuracy(1.5e-8, 1.5e-8, 50))      the integral, its error, its pieces

A piece is a pair of ends. One whose error comes from one of its ends lies at a singular point, and is cut
close to it.

(Piessens, de Doncker-Kapenga, Überhuber and Kahaner, *QUADPACK*, 1983: the rules and the estimate of errors.)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from mlirad.frontend.constructs.build import map_
from mlirad.frontend.constructs.loops import while_loop
from mlirad.frontend.tracing.operations import as_array, xp
from mlirad.lazy_dataclass import dataclass

_POSITIVE: Final = (
    0.995657163025808080735527280689003, 0.973906528517171720077964012084452,
    0.930157491355708226001207180059508, 0.865063366688984510732096688423493,
    0.780817726586416897063717578345042, 0.679409568299024406234327365114874,
    0.562757134668604683339000099272694, 0.433395394129247190799265943165784,
    0.294392862701460198131126603103866, 0.148874338981631210884826001129720,
)  # fmt: skip
_KRONROD: Final = (
    0.011694638867371874278064396062192, 0.032558162307964727478818972459390,
    0.054755896574351996031381300244580, 0.075039674810919952767043140916190,
    0.093125454583697605535065465083366, 0.109387158802297641899210590325805,
    0.123491976262065851077958109585166, 0.134709217311473325928054001771707,
    0.142775938577060080797094273138717, 0.147739104901338491374841515972068,
)  # fmt: skip
_GAUSS: Final = (
    0.066671344308688137593568809893332, 0.149451349150580593145863397657697,
    0.219086362515982043995534934228163, 0.269266719309996355091226921569469,
    0.295524224714752870173815619188769,
)  # fmt: skip

NODES: Final = np.array([*(-x for x in _POSITIVE), 0.0, *_POSITIVE[::-1]])
"""The 21 nodes on [-1, 1]."""

WEIGHTS: Final = np.array([*_KRONROD, 0.149445554002916905664936468389821, *_KRONROD[::-1]])
"""Their weights."""

_HALF: Final = np.array([w for pair in zip([0.0] * 5, _GAUSS, strict=True) for w in pair])
FEWER: Final = np.concatenate([_HALF, [0.0], _HALF[::-1]])
"""The weights of the ten nodes of Gauss, 0 at the others."""

CLOSE: Final = 1 / 16
"""The cut of a piece whose error lies at one end: a quarter of an error like t**-0.5 is left."""


@dataclass(frozen=True)
class Accuracy:
    """The tolerated error, absolute and relative to the integral, and the most pieces."""

    absolute: float
    relative: float
    limit: int


class Pieces(NamedTuple):
    """The integral, its error, and the ends [limit, 2] of its pieces; the first `count` are used."""

    value: Any
    error: Any
    ends: Any
    count: Any


class _Cutting(NamedTuple):
    """The pieces so far: their ends, integrals and errors, and where a piece is cut."""

    ends: Any
    values: Any
    errors: Any
    cuts: Any
    rounding: Any
    count: Any


def nodes_of(ends: Any) -> tuple[Any, Any]:
    """The nodes of a piece, and its half width."""
    half = 0.5 * (ends[1] - ends[0])
    return ends[0] + half + half * NODES, half


def _of_piece(f: Callable[[Any], Any], ends: Any) -> tuple[Any, Any, Any]:
    """The integral of a piece, its error, and how much of that is rounding."""
    at, half = nodes_of(ends)
    found = map_(f, at)
    value, fewer = half * (found @ WEIGHTS), half * (found @ FEWER)
    size = xp.abs(half) * (xp.abs(found) @ WEIGHTS)
    mean = value / xp.where(half == 0, 1.0, 2 * half)
    spread = xp.abs(half) * (xp.abs(found - mean) @ WEIGHTS)
    raw = xp.abs(value - fewer)
    usable = (spread != 0) & (raw != 0)
    ratio = 200 * raw / xp.where(usable, spread, 1.0)
    error = xp.where(usable, spread * xp.minimum(1.0, ratio * xp.sqrt(ratio)), raw)
    rounding = 50 * np.finfo(np.float64).eps * size
    return value, xp.maximum(error, rounding), rounding


def cut(f: Callable[[Any], Any], breaks: Any, accuracy: Accuracy) -> Pieces:
    """The integral of f over [0, 1] from pieces that begin and end at `breaks` [k], cut as errors ask."""
    first = len(breaks) - 1
    limit = max(accuracy.limit, first)
    ends = xp.stack([breaks[:-1], breaks[1:]], axis=-1)
    of_piece = partial(_of_piece, f)
    values, errors, rounding = map_(of_piece, ends)

    def padded(x: Any) -> Any:
        return xp.concatenate([x, np.zeros((limit - first, *x.shape[1:]))])

    halves = padded(np.full(first, 0.5))
    start = _Cutting(
        padded(ends), padded(values), padded(errors), halves, padded(rounding), as_array(first)
    )  # fmt: skip

    def goes_on(s: _Cutting) -> Any:
        total, error = xp.sum(s.values), xp.sum(s.errors)
        wanted = xp.maximum(accuracy.absolute, accuracy.relative * xp.abs(total))
        # If rounding makes up the errors, more pieces have as much of it.
        return (s.count < limit) & (error > wanted) & (error > 2 * xp.sum(s.rounding))

    def iteration(s: _Cutting) -> _Cutting:
        worst = xp.argmax(s.errors)
        piece, error, part = s.ends[worst], s.errors[worst], s.cuts[worst]
        between = piece[0] + part * (piece[1] - piece[0])
        two = xp.stack([piece[0], between, between, piece[1]]).reshape(2, 2)
        values, errors, rounding = map_(of_piece, two)
        stays = errors > 0.1 * error
        left = stays & (two[:, 0] == piece[0]) & (errors > 10 * errors[::-1])
        right = stays & (two[:, 1] == piece[1]) & (errors > 10 * errors[::-1])
        cuts = xp.where(left, CLOSE, xp.where(right, 1 - CLOSE, 0.5))
        at = xp.arange(limit)

        def entered(known: Any, new: Any) -> Any:
            shape = (limit,) + (1,) * (known.ndim - 1)
            here, there = xp.reshape(at == worst, shape), xp.reshape(at == s.count, shape)
            return xp.where(here, new[0], xp.where(there, new[1], known))

        return _Cutting(
            entered(s.ends, two), entered(s.values, values), entered(s.errors, errors),
            entered(s.cuts, cuts), entered(s.rounding, rounding), s.count + 1,
        )  # fmt: skip

    last = while_loop(goes_on, iteration, start) if limit > first else start
    return Pieces(xp.sum(last.values), xp.sum(last.errors), last.ends, last.count)
