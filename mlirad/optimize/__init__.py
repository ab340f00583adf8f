"""Optimisers as pure functions over structures of parameters, in a trace and outside.

    optimizer = ad.optimize.adam(1e-2)
    state = optimizer.init(params)
    updates, state = optimizer.update(ad.grad(loss)(params), state, params)
    params = ad.optimize.apply_updates(params, updates)

Parameters are arrays, scalars or structures of them. Gradients and updates are structured like them, with
`None` for what does not move. The state is a structure of arrays, which loops carry and compiled functions
take and return.
"""

from typing import Any

from mlirad.optimize.leaves import apply_updates
from mlirad.optimize.optimizers import Optimizer, adam, adamw, lbfgs, momentum, sgd

__all__ = ["Optimizer", "adam", "adamw", "apply_updates", "lbfgs", "momentum", "sgd"]


def __getattr__(name: str) -> Any:
    from mlirad.neighbours import unknown_name

    raise unknown_name(__name__, name, __all__)
