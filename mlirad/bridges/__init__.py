"""Bridges to JAX and PyTorch: functions of theirs as functions of mlirad, and the other way.

    f = ad.from_jax(jax_function, x)        for ad.grad, ad.vmap, ad.jit
    g = ad.to_jax(f)                        for jax.jit, jax.grad, jax.vmap
    h = ad.to_torch(f)                      for torch.autograd, torch.nn
    k = ad.from_stablehlo(text)             for ad.grad, without JAX

Neither package is needed until a bridge to it is used.

A StableHLO function is code that a call emits into the trace. Other frameworks get a `FlatProgram`
(`flat_programs.py`), whose derivatives are programs again.
"""

from mlirad.bridges.from_jax import from_jax
from mlirad.bridges.stablehlo_functions import from_stablehlo
from mlirad.bridges.to_jax import to_jax
from mlirad.bridges.to_torch import to_torch

__all__ = ["from_jax", "from_stablehlo", "to_jax", "to_torch"]
