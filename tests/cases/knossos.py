"""Programs of Knossos' test suite."""

from __future__ import annotations

import numpy as np

import mlirad as ad

from .case import Case

SOURCE = "microsoft/knossos-ksc"


def square_all(v):
    return ad.build(v.shape, lambda *position: v[position] * v[position])


def scale_all(v, x):
    return ad.build(v.shape, lambda i: v[i] * x)


def unused_under_an_empty_build(v):
    return np.sum(ad.build((0,), lambda i: v[0] + v[1]))


def power(n, x):
    return x if n == 1 else x * power(n - 1, x)


PAIRS = np.array([1, 3, 0, 1])
PAIR_LISTS = np.array([[1, 3, 0], [1, 1, 0]])
PLACES = np.array([[1, 2], [1, 3], [0, 2], [0, 0], [1, 2]])
ROWS = np.array([1, 0, 4, 1])


def from_pairs(values):
    at = ad.asarray(PAIRS)
    return ad.scatter(values, (5,), lambda i: (at[i],))


def from_lists_of_pairs(values):
    at = ad.asarray(PAIR_LISTS)
    return ad.scatter(values, (5,), lambda i, j: (at[i, j],))


def from_places(values):
    at = ad.asarray(PLACES)
    return ad.scatter(values, (2, 4), lambda i: (at[i, 0], at[i, 1]))


def from_rows(values):
    at = ad.asarray(ROWS)
    return ad.scatter(values, (5,), lambda i: (at[i],))


CASES = [
    Case(
        id="ks-map-tensor-square",
        source=SOURCE,
        function=lambda x: x * x,
        arguments=(3.0,),
        gradient=(6.0,),
    ),
    Case(
        id="ks-map-tensor-vector",
        source=SOURCE,
        function=square_all,
        arguments=(np.array([1.0, 2.0, 3.0, 4.0]),),
        gradient=([2, 4, 6, 8],),
    ),
    Case(
        id="ks-map-tensor-matrix",
        source=SOURCE,
        function=square_all,
        arguments=(10.0 * np.arange(5)[:, None] + np.arange(5),),
        gradient=(20.0 * np.arange(5)[:, None] + 2 * np.arange(5),),
    ),
    Case(
        id="ks-map-tensor-free-variable",
        source=SOURCE,
        function=scale_all,
        arguments=(np.array([1.0, 2.0, 3.0, 4.0]), 3.0),
        gradient=([3, 3, 3, 3], 10.0),
    ),
    Case(
        id="ks-map-tensor-unused",
        source=SOURCE,
        function=unused_under_an_empty_build,
        arguments=(np.array([1.0, 2.0]),),
        value=0.0,
        gradient=([0, 0],),
    ),
    Case(
        id="ks-power-recursion",
        source=SOURCE,
        function=lambda x: power(7, x),
        arguments=(1.31,),
        value=6.620626219008112,
        gradient=(35.37739200996701,),
    ),
    Case(
        id="ks-build-from-sparse-pairs",
        source=SOURCE,
        function=from_pairs,
        arguments=(np.array([1.0, 3.0, 5.0, 1.5]),),
        value=[5.0, 2.5, 0.0, 3.0, 0.0],
        gradient=(np.ones(4),),
    ),
    Case(
        id="ks-build-from-sparse-lists",
        source=SOURCE,
        function=from_lists_of_pairs,
        arguments=(np.array([[1, 3, 5], [1.5, 9, -1]]),),
        value=[4.0, 11.5, 0.0, 3.0, 0.0],
        gradient=(np.ones((2, 3)),),
    ),
    Case(
        id="ks-build-from-sparse-matrix",
        source=SOURCE,
        function=from_places,
        arguments=(np.array([1.0, 4.0, 5.0, 8.0, 2.0]),),
        value=[[8, 0, 5, 0], [0, 0, 3, 4]],
        gradient=(np.ones(5),),
    ),
    Case(
        id="ks-build-from-sparse-rows",  # jagged rows, filled up with zeros
        source=SOURCE,
        function=from_rows,
        arguments=(np.array([[1.0, 3, 5, 0], [5, 3, 6, 9], [0, 4, 0, 0], [1, 6, 2, 0]]),),
        value=[[5, 3, 6, 9], [2, 9, 7, 0], [0] * 4, [0] * 4, [0, 4, 0, 0]],
        gradient=(np.ones((4, 4)),),
    ),
]
