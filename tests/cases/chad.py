"""Programs of the CHAD reference implementation; the figures are their closed forms."""

from __future__ import annotations

import numpy as np

import mlirad as ad

from .case import Case

SOURCE = "VMatthijs/CHAD"


def shared_product(x):
    """((y, z), cos z) with y = 2 x, z = x y."""
    y = 2 * x
    z = x * y
    return (y, z), np.cos(z)


def sine_of_sums(x1, x2, x3, x4):
    """sin((x1 x4 + 2 x2) x3 + x4)."""
    y = x1 * x4 + 2 * x2
    z = y * x3
    return np.sin(z + x4)


def mapped_closure(x):
    """z -> x z + 1, a function that captures x, over five copies of x."""
    affine = ad.lambda_(lambda z: x * z + 1)
    return ad.map(affine, ad.build((5,), lambda i: x))


@ad.function
def foldr(combine, start, v):
    """v[0] # (v[1] # ... (v[n - 1] # start)), for a curried function #."""
    return ad.scan(lambda c, x: (combine(x)(c), None), start, v, reverse=True)[0]


def product(start, v):
    """foldr (*) start v."""
    return foldr(ad.lambda_(lambda x: ad.lambda_(lambda c: x * c)), start, v)


CASES = [
    Case(
        id="chad-ex1",
        source=SOURCE,
        function=shared_product,
        arguments=(1.3,),
        value=((2.6, 3.3800000000000003), -0.971715320712062),
        derivative=((2.0, 5.2), 1.2280076676238667),
    ),
    Case(
        id="chad-ex2",
        source=SOURCE,
        function=sine_of_sums,
        arguments=(0.3, 0.7, 1.1, -0.4),
        value=0.8457664302212893,
        gradient=(
            -0.23476346089389355,
            1.1738173044694677,
            0.6829482498731447,
            0.7096259158838145,
        ),
    ),
    Case(
        id="chad-ex3-closure-map",
        source=SOURCE,
        function=mapped_closure,
        arguments=(1.3,),
        value=np.full(5, 2.6900000000000004),
        cotangent=np.array([1.0, 2.0, 3.0, 4.0, 5.0]),
        gradient=(39.0,),
    ),
    Case(
        id="chad21-foldr-closure-elements",
        source=SOURCE,
        function=lambda v: product(1.0, v),
        arguments=(np.array([0.5, 1.5, -2.0, 3.0]),),
        value=-4.5,
        gradient=([-9.0, -3.0, 2.25, -1.5],),
    ),
    Case(
        id="chad21-foldr-closure-start",
        source=SOURCE,
        function=lambda x: product(x, np.array([1.0, 2, 3])),
        arguments=(0.7,),
        value=4.2,
        gradient=(6.0,),
    ),
]
