"""Optimisers made of others: with clipped gradients, and for some of the parameters.

clip_by_global_norm(adam(1e-3), 1.0)                   gradients of norm 1 at most
masked(adam(1e-3), {"encoder": False, "head": True})   the encoder stays as it is
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlirad.errors import of_class
from mlirad.frontend.tracing.functions import require_arguments
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.pytree import flatten, parts_of
from mlirad.frontend.tracing.raising import argument_error, shape_error
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.optimize.leaves import each
from mlirad.optimize.optimizers import Optimizer, checked_number


@plain_errors
def clip_by_value(optimizer: Optimizer, limit: float) -> Optimizer:
    """The optimiser, given gradients whose elements are at most `limit` in size: np.clip(g, -limit, limit).

    >>> clipped = ad.optimize.clip_by_value(ad.optimize.sgd(1.0), 0.5)
    >>> clipped.update(np.array([3.0, -0.1]), clipped.init(np.zeros(2)))[0]
    array([-0.5,  0.1])

    Raises ArgumentError unless the limit is a number from 0 on.
    """
    most = checked_number(limit, "clip_by_value: limit")
    return _with(optimizer, lambda gradients: each(lambda g: xp.clip(g, -most, most), gradients))


@plain_errors
def clip_by_global_norm(optimizer: Optimizer, limit: float) -> Optimizer:
    """The optimiser, given gradients that are scaled down where the norm of all of them is above `limit`.

    >>> clipped = ad.optimize.clip_by_global_norm(ad.optimize.sgd(1.0), 1.0)
    >>> clipped.update({"w": np.array([3.0]), "b": 4.0}, clipped.init({"w": np.zeros(1), "b": 0.0}))[0]
    {'w': array([-0.6]), 'b': np.float64(-0.8)}

    Raises ArgumentError unless the limit is a number from 0 on.
    """
    most = checked_number(limit, "clip_by_global_norm: limit")

    def clipped(gradients: Any) -> Any:
        squares = _sum_of_squares(gradients)
        is_large = squares > most * most
        # The root of what is not above has no part in derivatives, at 0 least of all.
        scale = xp.where(is_large, most / xp.sqrt(xp.where(is_large, squares, 1.0)), 1.0)
        return each(lambda g: g * scale, gradients)

    return _with(optimizer, clipped)


@plain_errors
def global_norm(gradients: Any) -> Any:
    """The norm of all leaves of a structure together, as one vector; of no leaves 0.

    >>> ad.optimize.global_norm({"w": np.array([3.0, 0.0]), "b": 4.0})
    np.float64(5.0)
    """
    return xp.sqrt(_sum_of_squares(gradients))


@plain_errors
def masked(optimizer: Optimizer, mask: Any) -> Optimizer:
    """The optimiser of the parameters where `mask` is true; the others stay as they are, and have no state.

    The mask is structured like the parameters, with True or False in place of a leaf or of a whole part; or
    it is a function that makes such a structure of the parameters.

    >>> params = {"encoder": (np.ones(2), np.ones(2)), "head": np.ones(2)}
    >>> optimizer = ad.optimize.masked(ad.optimize.sgd(0.5), {"encoder": False, "head": True})
    >>> updates, state = optimizer.update(params, optimizer.init(params), params)
    >>> ad.optimize.apply_updates(params, updates)
    {'encoder': (array([1., 1.]), array([1., 1.])), 'head': array([0.5, 0.5])}

    Raises ArgumentError for a mask that holds anything but True and False, ShapeError for one of another
    structure.
    """
    _require_optimizer(optimizer)

    def moving(value: Any, like: Any) -> Any:
        """A value that is structured like another, with `None` where the mask is false."""
        leaves, tree = flatten(like)
        chosen = _spread(_mask_of(mask, like), like, "the mask")
        try:
            given = leaves if value is like else tree.flatten_like(value, "gradients")
        except ValueError as error:
            raise shape_error(str(error), "gradients have the structure of the parameters") from error
        return tree.unflatten([v if keep else None for v, keep in zip(given, chosen, strict=True)])

    @plain_errors
    def init(params: Any) -> Any:
        return optimizer.init(moving(params, params))

    @plain_errors
    def update(gradients: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        if params is None:
            raise argument_error(
                "a masked optimiser needs the parameters", "write update(gradients, state, params)"
            )
        given = moving(gradients, params)
        updates, state = optimizer.update(given, state, moving(params, params))
        return updates, state

    return Optimizer(init, update)


# Parts -------------------------------------------------------------------------------------------


def _with(optimizer: Optimizer, change: Callable[[Any], Any]) -> Optimizer:
    """The optimiser, given changed gradients."""
    _require_optimizer(optimizer)

    @plain_errors
    def update(gradients: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        return optimizer.update(change(gradients), state, params)

    return Optimizer(optimizer.init, update)


def _mask_of(mask: Any, like: Any) -> Any:
    """A mask, or what a function says of the parameters."""
    if not callable(mask):
        return mask
    require_arguments(mask, 1, "the mask")
    if isinstance(mask, type):
        raise argument_error(
            f"the mask is the class {mask.__name__}",
            "give True and False in the structure of the parameters, or a function of these",
        )
    return mask(like)


def _require_optimizer(optimizer: object) -> None:
    if not isinstance(optimizer, Optimizer):
        raise argument_error(
            f"an optimiser is needed, got {of_class(optimizer)}",
            "give the optimiser first, then the limit or the mask",
        )


def _sum_of_squares(gradients: Any) -> Any:
    """The sum for all elements, in double precision, which squares of single ones do not leave."""
    total: Any = np.float64(0.0)
    for leaf in flatten(gradients)[0]:
        total = total + xp.sum(xp.square(_in_doubles(leaf)))
    return total


def _in_doubles(leaf: Any) -> Any:
    try:
        return leaf.astype(np.float64) if hasattr(leaf, "astype") else np.float64(leaf)
    except (TypeError, ValueError) as error:
        raise argument_error(
            f"gradients hold {of_class(leaf)} where an array or a number belongs",
            "give arrays and numbers, in any structure",
        ) from error


def _spread(mask: Any, value: Any, place: str) -> list[bool]:
    """One truth value for each leaf; one of the mask where the value has a part holds for all of it."""
    if type(mask) in (bool, np.bool_):
        return [bool(mask)] * len(flatten(value)[0])
    given, parts = parts_of(mask), parts_of(value)
    if value is None and mask is None:
        return []
    if given is None or parts is None:
        raise argument_error(
            f"{place} is {repr(mask)[:60]}, and a mask holds True and False",
            "write True for what moves, in the structure of the parameters: {'w': True, 'b': False}",
        )
    if list(given) != list(parts):
        raise shape_error(
            f"{place} has the parts {list(given)}, and the parameters {list(parts)}",
            "a mask has the structure of the parameters, or one True or False for a part",
        )
    return [flag for name, part in parts.items() for flag in _spread(given[name], part, f"{place}[{name!r}]")]
