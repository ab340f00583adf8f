"""Arrays whose rows are split into chunks: on many machines, or too large for one.

A function takes Dask arrays beside NumPy arrays. The compiler differentiates first and splits the result by
rows (`mlirad/passes/shard_rows`): a plan of rounds, each a program that runs on every chunk, and
combinations of their results. An engine runs the plan.

| file | job |
| --- | --- |
| `plan.py` | plans as data |
| `planning.py` | the plan of a call |
| `combinations.py`, `trees.py` | combining partial results, in the order of a fixed tree |
| `local.py` | runs a plan on NumPy arrays in this process |

Contract: nothing of mlirad imports this package but the hook of `frontend` that recognises split arguments,
on use.
"""
