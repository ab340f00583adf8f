"""Programs of horde-ad's tests that gather and scatter, and arrays without elements.

Their conventions are those of this language's interface: a position outside an array reads 0
and gets no gradient.
"""

from __future__ import annotations

import numpy as np

import mlirad as ad

from .case import Case
from .horde_ad import SOURCE

SEVEN_ROWS = np.tile([0.0, 1.0], (7, 1))


def gather_of_gather(t):
    inner = ad.gather(t, (4,), lambda row: (row,))
    return ad.gather(inner, (2,), lambda i: (2 * i, i))


def gather_of_slice(t):
    return ad.gather(t[0:4], (2,), lambda i: (2 * i, i))


def smaller(a, b):
    return np.minimum(a, b)


def scatter_nested2(t):
    rows = ad.scatter(t, (2, 3, 4), lambda i: (smaller(i, 1), smaller(i, 2), smaller(i, 3)))
    return ad.scatter(rows, (2, 3), lambda i1, i2, _, i4: (smaller(i1 + i2, 1), smaller(i4 + i1, 2)))


def scatter_nested12(t):
    elements = ad.scatter(t, (2, 3, 4), lambda i, j: (smaller(i, 1), smaller(i + j, 2), smaller(i, 3)))
    return ad.scatter(elements, (2,), lambda i, _: (smaller(2 * i, 1),))


def built_scatter_nested2(t):
    return ad.build((4,), lambda i: scatter_nested2(t * i))


def built_scatter_nested12(t):
    """Element 1 of a build whose later elements scatter and whose earlier ones repeat a row."""

    def element(i):
        repeated = ad.build((2, 4), lambda row, _: t[i, row])
        return np.where(i > 2, scatter_nested12(t), repeated)

    return ad.build((5,), element)[1]


def empty_expressions(t):
    """Reductions, builds, slices and reads of arrays without elements; none depends on t."""
    nothing = t[0:0]
    return (
        np.sum(nothing)
        + np.sum(nothing * nothing)
        + np.sum(np.exp(nothing))
        + np.sum(np.concatenate((nothing, nothing)))
        + np.sum(nothing.reshape(0, 0))
        + np.sum(np.sum(nothing.reshape(0, 3), axis=0))
        + np.sum(ad.build((0,), lambda i: np.sum(t)))
        + np.sum(ad.build((3, 0), lambda i, j: np.sum(t)))
        + ad.index(nothing, (0,))
        + np.sum(ad.gather(nothing, (2,), lambda i: (i,)))
        + np.sum(ad.scatter(nothing, (2,), lambda i: (i,)))
    )


CASES = [
    Case(
        id="hd-gather-nested1",
        source=SOURCE,
        function=gather_of_gather,
        arguments=(SEVEN_ROWS,),
        value=[0.0, 1.0],
        gradient=([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0],),
    ),
    Case(
        id="hd-gather-nested1-slice",
        source=SOURCE,
        function=gather_of_slice,
        arguments=(SEVEN_ROWS,),
        value=[0.0, 1.0],
        gradient=([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0],),
    ),
    Case(
        id="hd-scatter-nested2-12-rows",
        source=SOURCE,
        function=scatter_nested2,
        arguments=(SEVEN_ROWS,),
        gradient=(np.full(14, 1.0),),
    ),
    Case(
        id="hd-scatter-nested2-12-rows-build",
        source=SOURCE,
        function=built_scatter_nested2,
        arguments=(SEVEN_ROWS,),
        gradient=(np.full(14, 6.0),),
    ),
    Case(
        id="hd-scatter-nested2-12-elements",
        source=SOURCE,
        function=scatter_nested12,
        arguments=(SEVEN_ROWS,),
        gradient=(np.full(14, 1.0),),
    ),
    Case(
        id="hd-scatter-nested2-12-elements-build-index",
        source=SOURCE,
        function=built_scatter_nested12,
        arguments=(SEVEN_ROWS,),
        gradient=([0, 0, 4, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],),
    ),
    Case(
        id="hd-empty-arrays-constant",
        source=SOURCE,
        function=lambda x: 7.0,
        arguments=(np.zeros((0, 2, 4, 0, 1)),),
        value=7.0,
        gradient=(np.zeros(0),),
    ),
    *(
        Case(
            id=f"hd-empty-arrays-{len(t)}",
            source=SOURCE,
            function=empty_expressions,
            arguments=(np.array(t),),
            value=0.0,
            gradient=(np.zeros(len(t)),),
        )
        for t in ([], [0.24])
    ),
    Case(
        id="hd-empty-arrays-slice",
        source=SOURCE,
        function=lambda r: ad.stack([r, r])[0:0],
        arguments=(1.1,),
        value=np.zeros(0),
        gradient=(0.0,),
    ),
]
