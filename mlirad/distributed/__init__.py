"""Arrays whose rows are split into chunks: on many machines, or too large for one.

A function takes Dask arrays beside NumPy arrays. The compiler differentiates first and splits the result by
rows (`mlirad/passes/shard_rows`): a plan of rounds, each a program that runs on every chunk, and
combinations of their results. An engine runs the plan.

| file | job |
| --- | --- |
| `plan` | plans as data |
| `planning.py`, `reports.py` | the plan of a call, and what it costs |
| `few_rows.py` | plans for one row |
| `combinations.py`, `trees.py` | combining partial results, in the order of a fixed tree |
| `local.py` | runs a plan on NumPy arrays in this process |
| `arrays.py` | Dask arrays among arguments: that they are split alike |
| `calls.py`, `runners.py` | calls with such arguments; functions of arrays that stay on workers |
| `evaluation.py`, `engines` | the rounds of an evaluation; what runs them |
| `chunks.py`, `programs.py` | a stage on a chunk; machine code that is shipped by key |
| `solvers.py` | minimisers and roots: iterations here, evaluations as rounds |
| `linear_maps.py`, `krylov.py` | derivatives by rows, least squares without a matrix |
| `row_blocks.py` | sparse Jacobians, a block for each chunk |
| `mini_batches.py` | rows in random order |
| `ranks.py` | searches for elements of some ranks |
| `progress_line.py` | a line on the terminal for calls that take long |
| `hooks.py` | what the frontend calls |
| `cluster.py`, `counts.py` | that workers are alike; what an evaluation sent |

Contract: nothing of mlirad imports this package but the hook of `frontend` that recognises split arguments,
on use. No file imports Dask but in functions. A public name is a line of `_PUBLIC`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mlirad.packages import load

if TYPE_CHECKING:
    from mlirad.distributed.counts import Counts
    from mlirad.distributed.mini_batches import epochs
    from mlirad.distributed.progress_line import progress
    from mlirad.distributed.row_blocks import RowBlocks
    from mlirad.distributed.runners import Resident, resident

__all__ = ["Counts", "Resident", "RowBlocks", "epochs", "progress", "resident"]

_PUBLIC = {
    "Counts": "mlirad.distributed.counts",
    "epochs": "mlirad.distributed.mini_batches",
    "progress": "mlirad.distributed.progress_line",
    "RowBlocks": "mlirad.distributed.row_blocks",
    **dict.fromkeys(("Resident", "resident"), "mlirad.distributed.runners"),
}
"""The modules of public names: passes import plans without the code that runs them."""


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(load(_PUBLIC[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
