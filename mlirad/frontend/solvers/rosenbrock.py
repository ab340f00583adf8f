"""Steps of the Rosenbrock method Rodas5P, of order 5 with an estimate of order 4, for stiff equations, and
its polynomial between two steps.

    (I / (g h) - J) k_i = f(y + a_i1 k_1 + ..., t + c_i h) + (C_i1 k_1 + ...) / h + d_i h df/dt

J is df/dy at the start of the step, a dense matrix that is made by forward mode and factorised once for all
eight stages. So a step solves linear systems only, and there is no iteration that could fail to converge.

(Steinebach, *Construction of Rosenbrock-Wanner method Rodas5P*, 2023; Hairer and Wanner, *Solving ordinary
differential equations II*, 1996, section IV.7.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from mlirad.frontend.differentiation.derivatives import jvp
from mlirad.frontend.differentiation.jacobians import jacobian
from mlirad.frontend.solvers.convergence import solved
from mlirad.frontend.tracing.operations import as_array, xp

DIAGONAL: Final = 0.21193756319429014
"""The coefficient g of the method."""

WEIGHTS: Final = (
    (),
    (3.0,),
    (2.849394379747939, 0.45842242204463923),
    (-6.954028509809101, 2.489845061869568, -10.358996098473584),
    (2.8029986275628964, 0.5072464736228206, -0.3988312541770524, -0.04721187230404641),
    (-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946),
)
"""The points of the first six stages; the seventh and the eighth add the stage before to the point of the
one before."""

COUPLINGS: Final = (
    (),
    (-14.155112264123755,),
    (-17.97296035885952, -2.859693295451294),
    (147.12150275711716, -1.41221402718213, 71.68940251302358),
    (165.43517024871676, -0.4592823456491126, 42.90938336958603, -5.961986721573306),
    (24.854864614690072, -3.0009227002832186, 47.4931110020768, 5.5814197821558125, -0.6610691825249471),
    (30.91273214028599, -3.1208243349937974, 77.79954646070892, 34.28646028294783, -19.097331116725623,
     -28.087943162872662),
    (37.80277123390563, -3.2571969029072276, 112.26918849496327, 66.9347231244047, -40.06618937091002,
     -54.66780262877968, -9.48861652309627),
)  # fmt: skip
"""The weights of the stages before each, over h."""

NODES: Final = (
    0.0,
    0.6358126895828704,
    0.4095798393397535,
    0.9769306725060716,
    0.4288403609558664,
    1.0,
    1.0,
    1.0,
)
"""The time of each stage within the step."""

DRIFTS: Final = (
    0.21193756319429014, -0.42387512638858027, -0.3384627126235924, 1.8046452872882734, 2.325825639765069,
    0.0, 0.0, 0.0,
)  # fmt: skip
"""The weights of the derivative of f by t."""

DENSE: Final = (
    (25.948786856663858, -2.5579724845846235, 10.433815404888879, -2.3679251022685204, 0.524948541321073,
     1.1241088310450404, 0.4272876194431874, -0.17202221070155493),
    (-9.91568850695171, -0.9689944594115154, 3.0438037242978453, -24.495224566215796, 20.176138334709044,
     15.98066361424651, -6.789040303419874, -6.710236069923372),
    (11.419903575922262, 2.8879645146136994, 72.92137995996029, 80.12511834622643, -52.072871366152654,
     -59.78993625266729, -0.15582684282751913, 4.883087185713722),
)  # fmt: skip
"""The weights of the coefficients of the polynomial between the ends."""

Slope = Callable[[Any, Any], Any]
"""dy/dt for a vector y at a time."""


def step(f: Slope, y: Any, slope: Any, t: Any, h: Any) -> tuple[Any, Any, Any, tuple[Any, ...]]:
    """The state and slope after a step, the estimate of its error, and the polynomial between its ends."""
    number = y.dtype.type

    def by_state(y: Any) -> Any:
        return f(y, t)

    def by_time(t: Any) -> Any:
        return f(y, t)

    matrix = jacobian(by_state, 0, False, "forward", (y,))[0]
    drift = jvp(by_time, None, (t,), (as_array(1.0, y.dtype),))[1]
    system = xp.eye(len(y), dtype=y.dtype) / (number(DIAGONAL) * h) - matrix
    stages: list[Any] = []
    at = y
    for k, (node, moved, couplings) in enumerate(zip(NODES, DRIFTS, COUPLINGS, strict=True)):
        if k >= len(WEIGHTS):
            at = at + stages[-1]
        elif k:
            at = y + _combined(WEIGHTS[k], stages)
        right = slope if k == 0 else f(at, t + number(node) * h)
        if couplings:
            right = right + _combined(couplings, stages) / h
        if moved:
            right = right + number(moved) * h * drift
        stages.append(solved(system, right))
    new = at + stages[-1]
    coefficients = (y, new, *(_combined(row, stages) for row in DENSE))
    return new, f(new, t + h), stages[-1], coefficients


def between(coefficients: tuple[Any, ...], part: Any) -> Any:
    """The state after a part, 0 to 1, of the step."""
    start, end, first, second, third = coefficients
    rest = 1 - part
    return rest * start + part * (end + rest * (first + part * (second + part * third)))


def _combined(weights: tuple[float, ...], stages: list[Any]) -> Any:
    total: Any = None
    for weight, stage in zip(weights, stages, strict=False):
        part = stage.dtype.type(weight) * stage
        total = part if total is None else total + part
    return as_array(np.zeros(0)) if total is None else total
