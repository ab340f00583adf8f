"""Elimination of functions as values, tuples and sums: `eliminate-functions`."""

from mlirad.passes.eliminate_functions.eliminate_functions import (
    EliminateFunctionsPass,
    RecordsToRowsPass,
    eliminate_functions,
)

__all__ = ["EliminateFunctionsPass", "RecordsToRowsPass", "eliminate_functions"]
