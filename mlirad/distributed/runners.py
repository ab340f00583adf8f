"""Functions of arrays that stay on workers: one message to each worker and round.

f = ad.distributed.resident(ad.value_and_grad(loss), X, y)
f(w)                                                            as ad.value_and_grad(loss)(w, X, y)
scipy.optimize.minimize(f, w0, jac=True, method="L-BFGS-B")
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final, cast

from mlirad.distributed.arrays import SplitRows, as_split
from mlirad.distributed.calls import SplitCall, split_call
from mlirad.distributed.cluster import current_client
from mlirad.distributed.counts import Counts
from mlirad.distributed.engines.dask_graph import GraphEngine
from mlirad.distributed.engines.dask_resident import ResidentEngine
from mlirad.distributed.engines.placement import Placement
from mlirad.errors import ArgumentError, ClusterError, of_class
from mlirad.frontend.compiling.arguments import is_plain, plain_key
from mlirad.frontend.compiling.transformed import Transformed
from mlirad.frontend.tracing.pytree import flatten
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.tracebacks import plain_errors

SECONDS: Final = 600.0
"""The time that workers may take for a round, or to load their chunks, unless a caller says otherwise."""

MOST_KNOWN: Final = 64
"""The number of kinds of calls that a runner keeps the plans of."""

_placements: Final[weakref.WeakValueDictionary[tuple[Any, ...], Placement]] = weakref.WeakValueDictionary()
"""Arrays that are on workers, by client, names and time limit: functions of the same arrays share them."""


class Runner:
    """Runs calls with Dask arrays, which stay on the workers of the client there is, as long as this lives.

    `counts` says what the last call sent. Without a client the arrays are read in every round.
    """

    def __init__(self, timeout: float = SECONDS):
        self.client = current_client()
        self.counts = Counts()
        self._timeout = timeout
        self._engines: dict[tuple[Any, ...], tuple[SplitCall, GraphEngine | ResidentEngine]] = {}
        self._known: dict[Hashable, tuple[Transformed, SplitCall, GraphEngine | ResidentEngine]] = {}

    def run(self, function: Transformed, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the function with these arguments. Raises `ClusterError` once the client is closed."""
        if self.client is not None and self.client.status != "running":
            raise ClusterError(
                "the client is closed, and with it the workers are out of reach",
                location=user_line(),
                hint="make a client, and then the function by resident again",
            )
        leaves, key = _signature(function, args, kwargs)
        known = self._known.get(key) if key is not None else None
        if known is None:
            call, whole = split_call(function, args, kwargs)
            engine = self.engine(call)
            if key is not None:
                if len(self._known) >= MOST_KNOWN:
                    self._known.clear()
                self._known[key] = function, call, engine
        else:
            _, call, engine = known
            whole = {k: leaf for k, leaf in enumerate(leaves) if k not in call.split.arrays}
        return self.evaluated(call, engine, whole)

    def evaluated(
        self, call: SplitCall, engine: GraphEngine | ResidentEngine, whole: Mapping[int, Any]
    ) -> Any:
        """Run a call by one of its engines."""
        try:
            return call.run(engine, whole)
        finally:
            self.counts = engine.counts

    def engine(self, call: SplitCall) -> GraphEngine | ResidentEngine:
        """The engine for a plan and arrays, made with its first call."""
        key = (id(call.planned), *(array.name for array in call.split.arrays.values()))
        kept = self._engines.get(key)
        if kept is None:
            if self.client is None:
                engine: GraphEngine | ResidentEngine = GraphEngine(call.job, call.split)
            else:
                positions = {index: position for position, index in enumerate(call.split.arrays)}
                engine = ResidentEngine(self.placement(call), call.job, positions)
            kept = self._engines[key] = call, engine
        return kept[1]

    def placement(self, call: SplitCall) -> Placement:
        """The chunks of a call's arrays on the workers, loaded unless they are there."""
        key = (self.client.id, *(array.name for array in call.split.arrays.values()), self._timeout)
        found = _placements.get(key)
        if found is None:
            found = _placements[key] = self.placed(call.split, call)
        return found

    def placed(self, split: SplitRows, call: SplitCall) -> Placement:
        """The chunks of these arrays on the workers, loaded now."""
        most = max(split.rows)
        working = sum(program.working_bytes(most) for program in call.job.programs)
        return Placement(self.client, split, self._timeout, working)

    def close(self) -> None:
        """Let the workers drop the arrays, unless others use them."""
        for _, engine in self._engines.values():
            if isinstance(engine, ResidentEngine):
                engine.close()
        self._engines.clear()
        self._known.clear()


def _signature(
    function: Transformed, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[list[Any], Hashable]:
    """The leaves of arguments and a key, calls with which have one plan; None for any but plain calls.

    Planning finds the same for them, and takes longer than a round of messages does.
    """
    if kwargs or function.moving(args, kwargs)[1] is not args:
        return [], None
    leaves, tree = flatten(args)
    kinds: list[Hashable] = []
    for leaf in leaves:
        if is_plain(leaf):
            kinds.append(plain_key((leaf,)))
        elif (array := as_split(leaf)) is not None:
            kinds.append(array.name)
        else:
            return [], None
    return leaves, (id(function), function.captured_key(), tree, tuple(kinds))


class Resident:
    """A function whose last arguments are Dask arrays that stay on the workers of a cluster.

    `counts` says what the last call sent. Without a client the arrays are read in every round. `resident`
    makes it; at the end of a `with` block, or by `close`, workers drop the arrays.

    >>> import dask.array as da
    >>> with ad.distributed.resident(lambda w, X: np.sum(X @ w), da.ones((6, 2), chunks=(3, 2))) as f:
    ...     print(f(np.ones(2)), type(f).__name__)
    12.0 Resident
    """

    def __init__(self, function: Transformed, arrays: tuple[Any, ...], named: dict[str, Any], timeout: float):
        self.runner: Final = Runner(timeout)
        self._function = function
        self._arrays = arrays
        self._named = named

    @property
    def counts(self) -> Counts:
        """The counts of the last call."""
        return self.runner.counts

    @plain_errors
    def __call__(self, *args: Any) -> Any:
        """The function of these arguments and the resident arrays."""
        return self.runner.run(self._function, (*args, *self._arrays), self._named)

    def close(self) -> None:
        """Let the workers drop the arrays, unless another function uses them."""
        self.runner.close()

    def __enter__(self) -> Resident:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@plain_errors
def resident(function: Callable[..., Any], *arrays: Any, timeout: float = SECONDS, **named: Any) -> Resident:
    """`function` of the arguments of a call, followed by `arrays`, which stay on the workers of a cluster.

    `function` is what `ad.value_and_grad`, `ad.jit` or another transformation returns; others are compiled as
    by `ad.jit`. `arrays` are Dask arrays, structures of them, and other arguments; `named` are more, by name.
    Each worker loads its chunks with the first call; then a call is one message to each worker for each round
    of the plan. Chunks of a lost worker are made again by the graphs of the arrays, on workers that are left.
    After `timeout` seconds without an answer a call raises `TimeLimitError`. Raises `ArgumentError` where no
    array is of Dask.

    >>> import dask.array as da
    >>> X, y = da.ones((6, 2), chunks=(3, 2)), da.arange(6, chunks=3)
    >>> f = ad.distributed.resident(ad.value_and_grad(lambda w, X, y: np.mean((X @ w - y) ** 2)), X, y)
    >>> value, gradient = f(np.ones(2))
    >>> value.round(6), gradient.round(6)
    (np.float64(3.166667), array([-1., -1.]))
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
