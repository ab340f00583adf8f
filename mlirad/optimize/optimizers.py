"""Gradient descent, with momentum, Adam, AdamW and L-BFGS: the updates of each, and its state.

A learning rate is a number, or a function of the number of steps taken before (0, 1, 2 ...).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from mlirad.frontend.tracing.argument_kinds import checked_integer
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.pytree import flatten
from mlirad.frontend.tracing.raising import argument_error, shape_error
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.lazy_dataclass import dataclass
from mlirad.optimize.leaves import each, each_pair, flat, gradients_like, shaped

Rate: TypeAlias = float | Callable[[Any], Any]
"""A learning rate, or a schedule of them."""


@dataclass(frozen=True)
class Optimizer:
    """An optimiser: `init(params)` is its first state, and `update(gradients, state, params)` gives what is
    added to the parameters and the next state. Only AdamW and L-BFGS need the parameters in `update`.

        >>> optimizer, params = ad.optimize.sgd(0.1), {"w": 1.0}
        >>> state = optimizer.init(params)
        >>> updates, state = optimizer.update({"w": 5.0}, state, params)
        >>> ad.optimize.apply_updates(params, updates)
        {'w': np.float64(0.5)}
    """

    init: Callable[[Any], Any]
    update: Callable[..., tuple[Any, Any]]


class Moments(NamedTuple):
    """The state of all but L-BFGS: the number of steps, and running means structured like gradients."""

    steps: Any
    first: Any = ()
    second: Any = ()


class History(NamedTuple):
    """The state of L-BFGS, flat: of the last steps the changes of the parameters and of the gradient, and 1
    over their products; and the parameters and the gradient before."""

    steps: Any
    moves: Any
    changes: Any
    inverses: Any
    params: Any
    gradient: Any


@plain_errors
def sgd(learning_rate: Rate) -> Optimizer:
    """Gradient descent: -rate * g.

    >>> optimizer = ad.optimize.sgd(0.5)
    >>> updates, state = optimizer.update(np.array([1.0, -4.0]), optimizer.init(np.zeros(2)))
    >>> updates
    array([-0.5,  2. ])
    """
    rate = rate_of(learning_rate)

    @plain_errors
    def update(gradients: Any, state: Moments, params: Any = None) -> tuple[Any, Moments]:
        r = rate(state.steps)
        g = _uphill(gradients, params)
        return each(lambda g: -r * g, g), Moments(state.steps + 1)

    return Optimizer(lambda params: Moments(np.asarray(0)), update)


@plain_errors
def momentum(learning_rate: Rate, decay: float = 0.9, *, nesterov: bool = False) -> Optimizer:
    """Gradient descent along v = decay * v + g; with `nesterov` along g + decay * v (Sutskever et al., *On
    the importance of initialization and momentum in deep learning*, 2013).

        >>> optimizer = ad.optimize.momentum(0.1, decay=0.5)
        >>> first, state = optimizer.update(1.0, optimizer.init(0.0))
        >>> second, state = optimizer.update(1.0, state)
        >>> first.round(6), second.round(6)
        (np.float64(-0.1), np.float64(-0.15))
    """
    rate, decay = rate_of(learning_rate), checked_number(decay, "momentum: decay", 1.0)

    @plain_errors
    def update(gradients: Any, state: Moments, params: Any = None) -> tuple[Any, Moments]:
        r, g = rate(state.steps), _uphill(gradients, params)
        v = each_pair(lambda g, v: decay * v + g, g, state.first)
        along = each_pair(lambda g, v: g + decay * v, g, v) if nesterov else v
        return each(lambda d: -r * d, along), Moments(state.steps + 1, v)

    return Optimizer(lambda params: Moments(np.asarray(0), _zeros(params)), update)


@plain_errors
def adam(learning_rate: Rate = 1e-3, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8) -> Optimizer:
    """Adam (Kingma and Ba, *Adam: a method for stochastic optimization*, 2015).

    >>> optimizer, params = ad.optimize.adam(0.1), {"x": 1.0, "y": 1.0}
    >>> updates, state = optimizer.update({"x": 100.0, "y": -0.01}, optimizer.init(params))
    >>> {name: update.round(4) for name, update in updates.items()}
    {'x': np.float64(-0.1), 'y': np.float64(0.1)}
    """
    return adamw(learning_rate, b1, b2, eps, 0.0)


@plain_errors
def adamw(
    learning_rate: Rate = 1e-3, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8,
    weight_decay: float = 1e-2,
) -> Optimizer:  # fmt: skip
    """Adam whose steps also shrink the parameters by rate * `weight_decay` (Loshchilov and Hutter, *Decoupled
    weight decay regularization*, 2019).

        >>> optimizer, params = ad.optimize.adamw(0.1, weight_decay=0.5), np.array([4.0])
        >>> updates, state = optimizer.update(np.zeros(1), optimizer.init(params), params)
        >>> updates
        array([-0.2])
    """
    rate, b1, b2 = (
        rate_of(learning_rate),
        checked_number(b1, "adam: b1", 1.0),
        checked_number(b2, "adam: b2", 1.0),
    )
    eps, shrink = checked_number(eps, "adam: eps"), checked_number(weight_decay, "adamw: weight_decay")

    @plain_errors
    def update(gradients: Any, state: Moments, params: Any = None) -> tuple[Any, Moments]:
        r, g, steps = rate(state.steps), _uphill(gradients, params), state.steps + 1
        m = each_pair(lambda g, m: b1 * m + (1 - b1) * g, g, state.first)
        v = each_pair(lambda g, v: b2 * v + (1 - b2) * g * g, g, state.second)
        of_m, of_v = 1 - b1**steps, 1 - b2**steps
        moves = each_pair(lambda m, v: -r * (m / of_m) / (xp.sqrt(v / of_v) + eps), m, v)
        if shrink:
            if params is None:
                raise argument_error("adamw needs the parameters", "write update(gradients, state, params)")
            moves = each_pair(lambda d, p: d - r * shrink * p, moves, _moving(params, g))
        return moves, Moments(steps, m, v)

    return Optimizer(lambda params: Moments(np.asarray(0), _zeros(params), _zeros(params)), update)


@plain_errors
def lbfgs(learning_rate: Rate = 1.0, memory: int = 10) -> Optimizer:
    """Steps along the direction of L-BFGS, made of the last `memory` ones, without a line search: for the
    gradients of a whole data set. The first step is as long as the learning rate at most; `ad.minimize` has a
    line search. (Nocedal and Wright, *Numerical optimization*, 2006, algorithm 7.4.)

        >>> optimizer, params = ad.optimize.lbfgs(), np.zeros(2)
        >>> state = optimizer.init(params)
        >>> for _ in range(20):
        ...     gradients = np.array([1.0, 30.0]) * (params - 3.0)
        ...     updates, state = optimizer.update(gradients, state, params)
        ...     params = ad.optimize.apply_updates(params, updates)
        >>> params.round(6)
        array([3., 3.])
    """
    rate = rate_of(learning_rate)
    rows = checked_integer(memory, "lbfgs: memory", 1, "write memory=10")

    def init(params: Any) -> History:
        p = flat(params)
        empty = np.zeros((rows, p.size), p.dtype)
        return History(np.asarray(0), empty, empty, np.zeros(rows, p.dtype), p, xp.zeros_like(p))

    @plain_errors
    def update(gradients: Any, state: History, params: Any) -> tuple[Any, History]:
        given = _uphill(gradients, params)
        p, g = flat(_moving(params, given)), flat(given)
        if p.shape != state.params.shape:
            raise shape_error(
                f"gradients of {p.size} numbers, and the state has {state.params.size}",
                "make the state by init(params), and take the gradient by all of params",
            )
        s, y = p - state.params, g - state.gradient
        product = s @ y
        curved = (product > 1e-10 * xp.sqrt((s @ s) * (y @ y))) & (state.steps > 0)
        inverse = xp.where(curved, 1 / xp.where(curved, product, 1), 0).astype(p.dtype)
        moves, changes, inverses = (
            xp.where(curved, xp.concatenate([before[1:], row[None]]), before)
            for before, row in ((state.moves, s), (state.changes, y), (state.inverses, inverse))
        )
        along = _direction(g, moves, changes, inverses)
        return shaped(rate(state.steps) * along, given), History(
            state.steps + 1, moves, changes, inverses, p, g
        )

    return Optimizer(plain_errors(init), update)


def _direction(g: Any, moves: Any, changes: Any, inverses: Any) -> Any:
    """-H g, by the recursion in two loops."""
    rows = list(zip(moves, changes, inverses, strict=True))
    parts: list[Any] = []
    q = g
    for s, y, inverse in reversed(rows):
        parts.append(inverse * (s @ q))
        q = q - parts[-1] * y
    s, y, inverse = rows[-1]
    curvature = y @ y
    first = 1 / xp.maximum(1, xp.max(xp.abs(g)))
    q = q * xp.where(inverse > 0, (s @ y) / xp.where(curvature > 0, curvature, 1), first)
    for (s, y, inverse), part in zip(rows, reversed(parts), strict=True):
        q = q + (part - inverse * (y @ q)) * s
    return -q


# Parts -------------------------------------------------------------------------------------------


def _zeros(params: Any) -> Any:
    return gradients_like(params, None, is_start=True)


def _uphill(gradients: Any, params: Any) -> Any:
    """The direction in which the function grows fastest, which is the conjugate of its gradients. These are
    compared with the parameters where they are given."""
    leaves, tree = flatten(gradients if params is None else gradients_like(params, gradients))
    return tree.unflatten(tree.conjugated(leaves))


def _moving(params: Any, gradients: Any) -> Any:
    """The parameters that have a gradient, structured like the gradients."""
    leaves, tree = flatten(params)
    given = tree.flatten_like(gradients, "gradients")
    return tree.unflatten([None if g is None else p for p, g in zip(leaves, given, strict=True)])


def rate_of(rate: Any) -> Callable[[Any], Any]:
    """A learning rate as a function of the number of steps."""
    if callable(rate):
        return rate
    number = checked_number(rate, "the learning rate")
    return lambda _: number


def checked_number(value: Any, what: str, below: float = math.inf) -> float:
    number = float(value) if _is_number(value) else math.nan
    if not 0 <= number < below:
        limits = "from 0 on" if math.isinf(below) else f"from 0 on and below {below:g}"
        raise argument_error(
            f"{what} is {repr(value)[:60]}, and it must be a number {limits}",
            "write a Python float; a computed rate is given as a function of the step: lambda _: rate",
        )
    return number


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
