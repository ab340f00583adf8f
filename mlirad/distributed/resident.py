"""Functions of arrays that stay on workers: one message to each worker and round.

f = ad.distributed.resident(ad.value_and_grad(loss), X, y)
f(w)                                                            as ad.value_and_grad(loss)(w, X, y)
scipy.optimize.minimize(f, w0, jac=True, method="L-BFGS-B")
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Final, cast

from mlirad.distributed.arrays import as_split
from mlirad.distributed.calls import SplitCall, split_call
from mlirad.distributed.cluster import current_client
from mlirad.distributed.counts import Counts
from mlirad.distributed.engines.dask_graph import GraphEngine
from mlirad.distributed.engines.dask_resident import Placement, ResidentEngine
from mlirad.errors import ArgumentError, MliradError, of_class
from mlirad.frontend.compiling.transformed import Transformed
from mlirad.frontend.tracing.pytree import flatten
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.tracebacks import hide_frames

_placements: Final[weakref.WeakValueDictionary[tuple[Any, ...], Placement]] = weakref.WeakValueDictionary()
"""Arrays that are on workers, by client, names and time limit: functions of the same arrays share them."""


class Resident:
    """A function whose last arguments are Dask arrays that stay on the workers of a cluster.

    `counts` says what the last call sent. Without a client the arrays are read in every round.
    """

    def __init__(self, function: Transformed, arrays: tuple[Any, ...], named: dict[str, Any], timeout: float):
        self._function = function
        self._arrays = arrays
        self._named = named
        self._timeout = timeout
        self._client = current_client()
        self._engines: dict[int, tuple[SplitCall, Any]] = {}
        self.counts = Counts()

    def __call__(self, *args: Any) -> Any:
        """The function of these arguments and the resident arrays."""
        try:
            call, whole = split_call(self._function, (*args, *self._arrays), self._named)
            engine = self._engine(call)
            try:
                return call.run(engine, whole)
            finally:
                self.counts = engine.counts
        except MliradError as error:
            hide_frames(error)
            raise

    def close(self) -> None:
        """Let the workers drop the arrays, unless another function uses them."""
        self._engines.clear()

    def __enter__(self) -> Resident:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _engine(self, call: SplitCall) -> Any:
        """The engine for a plan, made with its first call."""
        kept = self._engines.get(id(call.planned))
        if kept is not None:
            return kept[1]
        if self._client is None:
            engine: Any = GraphEngine(call.job, call.split)
        else:
            positions = {index: position for position, index in enumerate(call.split.arrays)}
            engine = ResidentEngine(self._placement(call), call.job, positions)
        self._engines[id(call.planned)] = call, engine
        return engine

    def _placement(self, call: SplitCall) -> Placement:
        names = tuple(array.name for array in call.split.arrays.values())
        key = (self._client.id, names, self._timeout)
        found = _placements.get(key)
        if found is None:
            most = max(call.split.rows)
            working = sum(program.working_bytes(most) for program in call.job.programs)
            found = _placements[key] = Placement(self._client, call.split, self._timeout, working)
        return found


def resident(function: Callable[..., Any], *arrays: Any, timeout: float = 600.0, **named: Any) -> Resident:
    """`function` of the arguments of a call, followed by `arrays`, which stay on the workers of a cluster.

    `function` is what `ad.value_and_grad`, `ad.jit` or another transformation returns; others are compiled as
    by `ad.jit`. `arrays` are Dask arrays, structures of them, and other arguments; `named` are more, by name.
    Each worker loads its chunks with the first call; then a call is one message to each worker for each round
    of the plan. Chunks of a lost worker are made again by the graphs of the arrays, on workers that are left.
    After `timeout` seconds without an answer a call raises `TimeLimitError`. Raises `ArgumentError` where no
    array is of Dask.
    """
    if not any(as_split(leaf) is not None for leaf in flatten((arrays, tuple(named.values())))[0]):
        raise ArgumentError(
            "none of the arrays is of Dask, so none can stay on workers",
            location=user_line(),
            hint="write resident(f, da.from_array(X, chunks=(100_000, -1)))",
        )
    if not callable(function):
        raise ArgumentError(
            f"resident takes a function, got {of_class(function)}",
            location=user_line(),
            hint="write resident(ad.value_and_grad(loss), X, y)",
        )
    from mlirad.frontend.transformations import jit

    compiled = function if isinstance(function, Transformed) else cast(Transformed, jit(function))
    return Resident(compiled, arrays, named, timeout)
