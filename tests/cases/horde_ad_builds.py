"""Programs of horde-ad's tests around `build`: nested, data-dependent, guarded."""

from __future__ import annotations

import numpy as np

import mlirad as ad

from .case import FIGURES, Case
from .horde_ad import SOURCE, bar, foo

T16 = np.array(FIGURES["arrays"]["t16"]).reshape(2, 2, 1, 2, 2)
T48 = np.array(FIGURES["arrays"]["t48"]).reshape(3, 1, 2, 2, 1, 2, 2)


def four_sums(a):
    def ramp(length, x):
        return np.sum(ad.build((length,), lambda i: x * i))

    return ramp(10, a) + ramp(20, a) + ramp(10, a) + ramp(20, a + 1)


def braided_builds(r):
    return ad.build((3,), lambda i: ad.build((4,), lambda j: ad.stack([j * 1.0, 7.0, r, -0.2])[i]))


def branch_on_element(v):
    total = np.sum(v)

    def element(i):
        branch = np.where((v[2 * i] <= 0) & (np.abs(i) < 6), total, 5 * total)
        return bar(3.14, bar(3.14, v[i])) + branch

    clipped = ad.build((5,), lambda i: np.where(v[i] > total, total, v[i]))
    return ad.build((3,), element) / clipped[1:4] * ad.build((3,), lambda i: 1.0)


def positions_from_floor(v):
    """Positions computed with floor from the data: no derivative passes through them."""
    total = np.sum(v)

    def element(i):
        far = i - np.floor(5 * 12 * 11 * 9 * 4 * total).astype(np.int64) - 10001
        parity = np.fmod(i - np.floor(total).astype(np.int64) - 10001, 2)
        near = np.where(parity < 0, parity + 2, parity)
        return np.where((far >= 0) & (far <= 1), v[far], np.sqrt(np.abs(v[near])))

    return ad.build((2,), element)


def guarded_outside(v):
    return ad.build((2,), lambda i: np.where(i == 0, v[i + 1], np.sum(v, axis=0)))


def clamped_position(v):
    return ad.build((22,), lambda i: bar(np.ones(v.shape[1:]), v[np.minimum(1, i + 1)]))


def integers_between(r):
    """Concatenated builds whose factors are integer expressions of the indices and the data."""

    def factor(i, j):
        by_position = np.where(i < j, np.argmin(r), np.floor(r[(i * j) % 7]).astype(np.int64))
        quotient = np.maximum(j, i // (j + 1)) * np.floor(np.sum(r)).astype(np.int64)
        return 125 * (j % (np.abs(np.sign(i) + np.abs(i)) + 1)) + quotient - by_position

    def block(i):
        return np.concatenate(
            (
                ad.build((5,), lambda j: r),
                ad.build((1,), lambda j: (j - i) * r),
                ad.build((11,), lambda j: factor(i, j) * r),
                ad.build((13,), lambda j: ad.build((7,), lambda _: r[0])),
            )
        )

    return ad.build((7,), block)


def nested_indexing(v):
    def row(i2):
        columns = ad.build((3,), lambda i3: ad.build((3,), lambda i4: v[i4 % 2, i2, 0])[i3])
        return columns[i2]

    return ad.build((2,), row)


def foo_build(v):
    """Three elements of sums and minima of all of v and of one of its elements, v [4 or more]."""
    total, least = np.sum(v), np.min(v)

    def element(i):
        return total * foo(3.0, 5 * total, total * least * least) + bar(total, v[i + 1])

    return ad.build((3,), element)


def foo_map(r):
    """x r + 5 for the elements x of `foo_build` of 130 copies of r."""
    return foo_build(ad.build((130,), lambda i: r)) * r + 5


def nested_map(r):
    """Minima over windows of a constant vector, each mapped by a function full of builds."""
    wide = ad.build((177,), lambda i: r)
    minima = ad.build((5,), lambda j: np.min(ad.build((7,), lambda i: wide[i + j])))

    def mapped(j):
        x = minima[j]
        ratios = foo_build(ad.build((4,), lambda i: x / x))
        return x * np.sum(ad.build((3,), lambda i: bar(x, wide[i])) + ratios / foo_map(x))

    return ad.build((5,), mapped)


def nested_sums(v):
    total = np.sum(v)
    mapped = nested_map(total)

    def element(i):
        factors = ad.stack([i * 1.0, 36.0, 6 * total, v[3], 15.0])
        summed = np.sum(ad.build((4,), lambda j: total * factors[j]))
        return summed + mapped[np.minimum(i, 4)]

    return ad.build((13,), element)


def nested_sums_of_rows(v):
    """v [2, 3, 2, 2, 2] -> [13, 4, 2]: one of five rows, chosen by the inner index."""

    def element(i, j):
        k = np.maximum(0, np.minimum(1, j // 2 + i // 4 - 1))
        rows = [
            np.arange(2.0),
            np.sum(ad.build((9, 2), lambda *_: i * 1.0), axis=0),
            v[k, k, k, k],
            ad.build((2,), lambda _: np.sum(v)),
            np.sum(ad.build((7, 2), lambda a, _: a * 1.0), axis=0),
        ]
        return ad.stack(rows)[j]

    return ad.build((13, 4), element)


CASES = [
    Case(
        id="hd-f2-builds",
        source=SOURCE,
        function=four_sums,
        arguments=(1.1,),
        gradient=(470.0,),
    ),
    Case(
        id="hd-f2-builds-tangent",
        source=SOURCE,
        function=four_sums,
        arguments=(1.1,),
        tangents=(0.1,),
        derivative=47.0,
    ),
    Case(
        id="hd-f2-builds-braided",
        source=SOURCE,
        function=braided_builds,
        arguments=(3.4,),
        value=[[0, 1, 2, 3], [7] * 4, [3.4] * 4],
        gradient=(4.0,),
    ),
    Case(
        id="hd-build-cond-on-array-value",
        source=SOURCE,
        function=branch_on_element,
        arguments=(np.array([1.1, 2.2, 3.3, 4, 5]),),
        gradient=(
            [
                344.3405885672822,
                -396.1811403813819,
                7.735358041386672,
                -0.8403418295960372,
                5.037878787878788,
            ],
        ),
    ),
    Case(
        id="hd-build-floor-index-vector",
        source=SOURCE,
        function=positions_from_floor,
        arguments=(np.array([3.0, 2.0]),),
        gradient=([0.2886751345948129, 0.35355339059327373],),
    ),
    Case(
        id="hd-build-floor-index",
        source=SOURCE,
        function=positions_from_floor,
        arguments=(T16,),
        gradient=(
            [
                0.22360679774997896,
                0.35355339059327373,
                0.20412414523193154,
                0.5,
                -0.35355339059327373,
                500.0,
                1.5811388300841895,
                -1.118033988749895,
                0.1381447409988844,
                0.16666666666666666,
                0.17677669529663687,
                -0.25,
                0.08574929257125441,
                0.288948802391873,
                -0.08703882797784893,
                0.09805806756909202,
            ],
        ),
    ),
    Case(
        id="hd-build-guarded-oob",
        source=SOURCE,
        function=guarded_outside,
        arguments=(T16,),
        gradient=([1.0] * 8 + [2.0] * 8,),
    ),
    Case(
        id="hd-build-min-index-bar",
        source=SOURCE,
        function=clamped_position,
        arguments=(T16,),
        gradient=(
            [0.0] * 8
            + [
                423.72976235076516,
                -260.41676627885636,
                -17.60047532855961,
                151.18955028869385,
                -1059.9668424433578,
                -65.00898015327623,
                -21.49245448729951,
                743.7622427949768,
            ],
        ),
    ),
    Case(
        id="hd-concat-build-integer-mix",
        source=SOURCE,
        function=integers_between,
        arguments=(np.array([0.651, 0.14, 0.3414, -0.14, 0.0014, 0.0020014, 0.9999]),),
        gradient=([16917.0] + [16280.0] * 6,),
    ),
    Case(
        id="hd-nested-build-index",
        source=SOURCE,
        function=nested_indexing,
        arguments=(T16,),
        gradient=([1.0] * 4 + [0.0] * 8 + [1.0] * 4,),
    ),
    Case(
        id="hd-nested-sum-build-inner",
        source=SOURCE,
        function=foo_build,
        arguments=(np.array([1.1, 2.2, 3.3, 4]),),
        gradient=([-4521.201512195087, -5568.7163677622175, -5298.386349932494, -4907.349735554627],),
    ),
    Case(
        id="hd-nested-sum-build-inner-tangent",
        source=SOURCE,
        function=foo_build,
        arguments=(np.array([1.1, 2.2, 3.3, 4]),),
        tangents=(np.full(4, 42.0),),
        derivative=[-296584.8166864211, -290062.472288043, -265770.1775742018],
    ),
    Case(
        id="hd-nested-sum-build-map",
        source=SOURCE,
        function=nested_map,
        arguments=(1.1,),
        gradient=(107.25984443006627,),
    ),
    Case(
        id="hd-nested-sum-build",
        source=SOURCE,
        function=nested_sums,
        arguments=(np.array([1.1, 2.2, 3.3, 4, -5.22]),),
        gradient=([-14084.715065313612] * 3 + [-14014.775065313623, -14084.715065313612],),
    ),
    Case(
        id="hd-nested-sum-build-index-math",
        source=SOURCE,
        function=nested_sums_of_rows,
        arguments=(np.sum(T48.transpose(1, 4, 2, 0, 3, 5, 6), axis=(0, 1)),),
        gradient=([30.0] * 2 + [26.0] * 36 + [35.0] * 2 + [26.0] * 8,),
    ),
]
