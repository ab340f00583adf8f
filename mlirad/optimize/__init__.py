"""Optimisers as pure functions over pytrees of parameters, in a trace and outside.

    optimizer = ad.optimize.adam(1e-2)
    state = optimizer.init(params)
    updates, state = optimizer.update(ad.grad(loss)(params), state, params)
    params = ad.optimize.apply_updates(params, updates)

A learning rate is a number or a schedule, such as `cosine_decay(1e-2, steps=1000)`. `clip_by_global_norm`,
`clip_by_value` and `masked` make an optimiser of another one.

Parameters are arrays, scalars or pytrees of them. Gradients and updates are structured like them, with `None`
for parameters that do not move. Gradients of complex parameters are those of `ad.grad`, whose conjugates the
optimisers descend along. The state is a pytree of arrays, which loops carry and compiled functions
take and return.
"""

from typing import Any

from mlirad.optimize.leaves import apply_updates
from mlirad.optimize.optimizers import Optimizer, adam, adamw, lbfgs, momentum, sgd
from mlirad.optimize.schedules import constant, cosine_decay, exponential_decay, warm_up
from mlirad.optimize.wrapping import clip_by_global_norm, clip_by_value, global_norm, masked

__all__ = [
    "Optimizer",
    "adam",
    "adamw",
    "apply_updates",
    "clip_by_global_norm",
    "clip_by_value",
    "constant",
    "cosine_decay",
    "exponential_decay",
    "global_norm",
    "lbfgs",
    "masked",
    "momentum",
    "sgd",
    "warm_up",
]


def __getattr__(name: str) -> Any:
    from mlirad.neighbours import unknown_name

    raise unknown_name(__name__, name, __all__)
