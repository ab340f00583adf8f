"""Elimination of functions as values, tuples and sums: `eliminate-functions`."""

from mlirad.passes.eliminate_functions.eliminate_functions import EliminateFunctionsPass, eliminate_functions

__all__ = ["EliminateFunctionsPass", "eliminate_functions"]
