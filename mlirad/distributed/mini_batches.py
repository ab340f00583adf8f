"""Mini-batches of arrays in chunks: every row once in an epoch, in an order that a key decides.

    for x, y in ad.distributed.epochs(X, Y, rows=4096, key=0, count=3):
        w = step(w, x, y)                          # arrays of NumPy

Chunks come in random order, and rows within the chunks at hand, so a batch has rows of few chunks. While one
chunk is used the next is loaded: two are in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from mlirad.distributed.arrays import as_split, split_rows
from mlirad.errors import ArgumentError
from mlirad.frontend.tracing.argument_kinds import checked_integer
from mlirad.frontend.tracing.source import user_line
from mlirad.packages import load

Batch = tuple[npt.NDArray[Any], ...]


def epochs(*arrays: Any, rows: int, key: Any, count: int = 1) -> Iterator[Batch]:
    """Batches of `rows` rows of each array, for `count` epochs; the last batch of an epoch may have fewer.

    `arrays` are of Dask, of the same rows in the same chunks. `key` is a number or an array of integers, as
    `ad.random.key` makes: the same key gives the same batches. Raises `ArgumentError` for other arrays.

    >>> import dask.array as da
    >>> X = da.arange(10, chunks=5)
    >>> sorted(int(x) for (batch,) in ad.distributed.epochs(X, rows=4, key=0) for x in batch)
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    """
    checked_integer(rows, "rows", 1, "write rows=4096 for batches of 4096 rows")
    checked_integer(count, "count", 1, "write count=3 for three epochs")
    found = {k: as_split(array) for k, array in enumerate(arrays)}
    if not found or any(array is None for array in found.values()):
        raise ArgumentError(
            "epochs takes arrays of Dask",
            location=user_line(),
            hint="write epochs(da.from_array(X, chunks=(100_000, -1)), rows=4096, key=0)",
        )
    split = split_rows(found, {k: f"number {k + 1}" for k in found})
    blocks = [array.to_delayed().ravel() for array in found.values()]
    seeds = [int(k) for k in np.ravel(np.asarray(key))]
    return _batches(blocks, split.filled, rows, seeds, count)


def _batches(
    blocks: Sequence[Any], filled: Sequence[int], rows: int, seeds: Sequence[int], count: int
) -> Iterator[Batch]:
    compute = load("dask").compute
    with ThreadPoolExecutor(1, thread_name_prefix="mlirad-epochs") as pool:
        rngs = [np.random.default_rng([*seeds, epoch]) for epoch in range(count)]
        order = [(e, int(chunk)) for e, rng in enumerate(rngs) for chunk in rng.permutation(filled)]
        coming = pool.submit(compute, *[block[order[0][1]] for block in blocks])
        rest: Batch = ()
        for k, (epoch, _) in enumerate(order):
            chunk: Batch = coming.result()
            ends = k + 1 == len(order) or order[k + 1][0] != epoch
            if k + 1 < len(order):
                coming = pool.submit(compute, *[block[order[k + 1][1]] for block in blocks])
            mixed = rngs[epoch].permutation(len(chunk[0]))
            chunk = tuple(np.asarray(array)[mixed] for array in chunk)
            joined = tuple(map(np.concatenate, zip(rest, chunk, strict=True))) if rest else chunk
            full = len(joined[0]) if ends else len(joined[0]) // rows * rows
            for start in range(0, full, rows):
                yield tuple(array[start : min(start + rows, full)] for array in joined)
            rest = () if full == len(joined[0]) else tuple(array[full:] for array in joined)
