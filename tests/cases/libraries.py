"""Programs of the test suites of JAX and autograd; conditionals are written with `where`."""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.special import erf, erfc

import mlirad as ad

from .case import Case

JAX = "jax-ml/jax"
AUTOGRAD = "HIPS/autograd"

SEGMENTS = np.array([0, 0, 0, 1, 2, 2, 3, 3])
DIAGONAL = np.arange(5)


def segment_sum(data):
    segments = ad.asarray(SEGMENTS)
    return ad.scatter(data, (4,), lambda i: (segments[i],))


def three_branches(x):
    """switch(clamp(floor(x), 0, 2), 3 x, sin x, -x)."""
    branch = np.minimum(np.maximum(np.floor(x), 0.0), 2.0)
    return np.where(branch == 0, 3 * x, np.where(branch == 1, np.sin(x), -x))


def functions_at_zero(x):
    return np.stack(
        [
            np.sinh(x[0]),
            np.cosh(x[1]),
            np.sin(x[2]),
            np.cos(x[3]),
            np.tan(x[4]),
            np.arcsin(x[5]),
            np.arccos(x[6]),
            np.arcsinh(x[7]),
            np.arctanh(x[8]),
            erf(x[9]),
            erfc(x[10]),
        ]
    )


def functions_far_out(x):
    return np.stack(
        [
            np.tanh(x[0]),
            np.arctan(x[1]),
            np.arcsinh(x[2]),
            np.arccosh(x[3]),
        ]
    )


def sinc(x):
    """sin(pi x) / (pi x); near 0, where the quotient has no derivatives, its Taylor polynomial."""
    square = (math.pi * x) ** 2
    series = 1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72)))
    return np.where(np.abs(x) < 1e-2, series, np.sin(math.pi * x) / (math.pi * x))


def reverse(f):
    return ad.grad(f)


def forward(f):
    return lambda x: ad.jvp(f, (x,), (1.0,))[1]


def differentiated(modes):
    """sinc differentiated once per mode, innermost first."""
    f = sinc
    for mode in modes:
        f = mode(f)
    return f


DERIVATIVES_OF_SINC = [1.0, 0.0, -3.289868133696453, 0.0, 19.481818206800483]
"""At 0, by order."""


def interpolated(y):
    """Between knots that nearly meet."""
    return np.interp(np.array([0.5e-30, 0.3, 1.0]), np.array([0.0, 1e-30, 1.0]), y)


SLOPE_OF_ERF = 2 / math.sqrt(math.pi)

CASES = [
    Case(
        id="autograd-power-zero-base",
        source=AUTOGRAD,
        function=lambda y: 0.0**y,
        arguments=(0.3,),
        value=0.0,
        gradient=(0.0,),
    ),
    Case(
        id="autograd-power-zero-base-remainder",
        source=AUTOGRAD,
        function=lambda x, y: x % y,
        arguments=(7.5, 2.0),
        value=1.5,
        gradient=(1.0, -3.0),
    ),
    *(
        Case(
            id=f"jax-cond-switch-grad-{name}{x}",
            source=JAX,
            function=function,
            arguments=(x,),
            gradient=(slope,),
        )
        for name, function, slopes in (
            (
                "two",
                lambda x: np.where(x < 2, 3 * x, np.sin(x)),
                {2.14: -0.5389614493995115, 1.72: 3.0},
            ),
            ("constant", lambda x: np.where(x < 3, 2.0, 2 * x), {3.14: 2.0, 2.72: 0.0}),
            (
                "three",
                three_branches,
                {-0.7: 3.0, 0.7: 3.0, 1.7: -0.12884449429552464, 2.7: -1.0, 3.7: -1.0},
            ),
        )
        for x, slope in slopes.items()
    ),
    *(
        Case(
            id=f"jax-cond-switch-grad-captured{x}",
            source=JAX,
            function=lambda y, x=x: np.where(np.array(x) < 3, 2 * np.sin(y), 2 * x),
            arguments=(5.8,),
            gradient=(slope,),
        )
        for x, slope in ((3.14, 0.0), (2.72, 1.7710390338826378))
    ),
    Case(
        id="jax-cond-switch-grad-no-nan",
        source=JAX,
        function=lambda x: np.sum(np.where(x < 1e-3, 1e-3, np.sqrt(x))),
        arguments=(np.zeros(10),),
        value=1e-2,
        gradient=(np.zeros(10),),
    ),
    Case(
        id="jax-indexing-grad",
        source=JAX,
        function=lambda x: np.sum(x[np.array([1, 1, 1])]),
        arguments=(np.ones((3, 4)),),
        value=12.0,
        gradient=([[0] * 4, [3] * 4, [0] * 4],),
    ),
    Case(
        id="jax-indexing-grad-segment-sum",
        source=JAX,
        function=segment_sum,
        arguments=(np.array([5.0, 1, 7, 2, 3, 4, 1, 3]),),
        value=[13, 2, 7, 4],
        gradient=(np.ones(8),),
    ),
    Case(
        id="jax-indexing-grad-diagonal",
        source=JAX,
        function=lambda x: x.at[DIAGONAL, DIAGONAL].set(np.arange(5.0)),
        arguments=(np.ones((5, 5)),),
        value=np.ones((5, 5)) - np.eye(5) + np.diag(np.arange(5.0)),
        gradient=(np.ones((5, 5)) - np.eye(5),),
    ),
    Case(
        id="jax-max-ties-interp-reduction",
        source=JAX,
        function=lambda x: np.max(np.stack([x, x])),
        arguments=(1.0,),
        value=1.0,
        gradient=(1.0,),
    ),
    Case(
        id="jax-max-ties-interp-elementwise",
        source=AUTOGRAD,
        function=lambda x: np.maximum(x, x),
        arguments=(1.0,),
        value=1.0,
        gradient=(1.0,),
    ),
    *(
        Case(
            id=f"jax-max-ties-interp-rows-at{x}",
            source=JAX,
            function=lambda x: np.max(ad.stack([ad.stack([x, x]), ad.stack([x, 0.5])]), axis=1),
            arguments=(x,),
            derivative=slopes,
        )
        for x, slopes in ((1.0, [1.0, 1.0]), (-1.0, [1.0, 0.0]))
    ),
    Case(
        id="jax-special-values-zero",
        source=JAX,
        function=functions_at_zero,
        arguments=(np.zeros(11),),
        gradient=([1, 0, 1, 0, 1, 1, -1, 1, 1, SLOPE_OF_ERF, -SLOPE_OF_ERF],),
    ),
    Case(
        id="jax-special-values-far",
        source=JAX,
        function=functions_far_out,
        arguments=(np.full(4, 1000.0),),
        gradient=([0.0, 1 / (1 + 1e6), 1 / math.sqrt(1e6 + 1), 1 / math.sqrt(1e6 - 1)],),
    ),
    *(
        Case(
            id=f"jax-special-values-sinc-{''.join(mode.__name__[0] for mode in modes) or 'value'}",
            source=JAX,
            function=differentiated(modes),
            arguments=(0.0,),
            value=DERIVATIVES_OF_SINC[order],
            gradient=(DERIVATIVES_OF_SINC[order + 1],),
        )
        for order in range(4)
        for modes in itertools.product((reverse, forward), repeat=order)
    ),
    *(
        Case(
            id=f"jax-special-values-softplus-{x}",
            source=JAX,
            function=lambda x: np.logaddexp(x, 0.0),
            arguments=(x,),
            value=value,
            gradient=(slope,),
        )
        for x, value, slope in (
            (np.inf, np.inf, 1.0),
            (-np.inf, 0.0, 0.0),
            (0.0, math.log(2), 0.5),
            (1e-8, math.log(2) + 0.5e-8, 0.5 + 0.25e-8),
            (np.nan, np.nan, np.nan),
        )
    ),
    Case(
        id="jax-max-ties-interp-knots",
        source=JAX,
        function=interpolated,
        arguments=(np.array([1.0, 2.0, 3.0]),),
        value=[1.5, 2.3, 3.0],
        gradient=([0.5, 0.5 + 0.7, 0.3 + 1.0],),
    ),
    Case(
        id="jax-special-values-erf",
        source=JAX,
        function=lambda x: erf(x),
        arguments=(10.0,),
        value=1.0,
        gradient=(SLOPE_OF_ERF * math.exp(-100),),
    ),
]
