"""Dual-numbers reverse AD scalar by scalar, at run time: the baseline that dual arrays improve on.

    naive_gradient(module, [x, y], (0, 1))             J^T cotangent by x and by y
    run_duals(module, [x, y], (0, 1)).deltas           the Delta term of every scalar of every float result
    delta_nodes(term)                                  what it takes in memory: 5 n + 1 for a dot product

It is the algorithm of section 2 of "Dual-Numbers Reverse AD for Functional Array Languages" (Smeding and
others): every float scalar is computed as a pair of its value and a term that says how it depends on the
inputs. The terms are as many as the scalar operations, which is why programs are compiled by another method;
but nothing here knows rules, passes or linear maps, so that it is an independent witness of all of these.
Control flow, recursion and functions as values are those of the interpreter. Factorisations, Fourier
transforms and callbacks, which are not scalar operations, are an `UnsupportedError`.
"""

from mlirad.interpreter.deltas.delta_terms import Delta, delta_nodes
from mlirad.interpreter.deltas.gradients import naive_gradient
from mlirad.interpreter.deltas.running import DualResults, run_duals

__all__ = ["Delta", "DualResults", "delta_nodes", "naive_gradient", "run_duals"]
