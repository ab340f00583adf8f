"""Engines run the rounds of a plan, behind the protocol `Engine` of `evaluation.py`.

| file | engine | for |
| --- | --- | --- |
| `dask_graph.py` | tasks of Dask, one for each chunk and round | single calls, data beyond memory |
| `dask_resident.py` | an actor of Dask on each worker, which keeps its chunks | solvers, samplers, training |

Of the second, `placement.py` says which worker has which chunks, `messages.py` sends the calls of the client,
and `shards.py` is what answers them on a worker.

To add one, write a class with `begin`, `run` and `rows`. It folds partials by `trees.py`, so that its bits
are those of the others, and runs chunks by `chunks.run_stage`.
"""
