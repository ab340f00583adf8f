"""Elimination of functions as values, tuples and sums: `eliminate-functions`."""

from mlirad.passes.eliminate_functions.eliminate_functions import (
    EliminateFunctionsPass,
    MapsToClosuresPass,
    RecordsToRowsPass,
    RecordWalksToLoopsPass,
    TailCallsToLoopsPass,
    eliminate_functions,
)

__all__ = [
    "EliminateFunctionsPass",
    "MapsToClosuresPass",
    "RecordWalksToLoopsPass",
    "RecordsToRowsPass",
    "TailCallsToLoopsPass",
    "eliminate_functions",
]
