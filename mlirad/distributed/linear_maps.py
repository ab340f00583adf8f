"""Derivatives of functions with results by rows: products by chunks, least squares without a matrix.

    r, J = ad.linearize(residuals, w, X, y)        X, y of Dask: by w, or by what argnums names
    J(v), J.T(u)                                   an array of Dask; arrays of NumPy
    N = J.T @ J; N(v)                              one message to each worker, on a cluster
    J.solve(-r, method="lsmr", damp=1e-3)          the same for each iteration

Vectors of rows stay where the rows are. A function is traced and differentiated once, for all points.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from mlirad.distributed.arrays import as_split
from mlirad.distributed.calls import SplitCall, planned_call, split_call
from mlirad.distributed.counts import Counts
from mlirad.distributed.engines.dask_resident import ResidentEngine, StateLost
from mlirad.distributed.krylov import Found, Vector, conjugate_gradients, lsmr
from mlirad.distributed.plan import Residual, Rows
from mlirad.distributed.runners import SECONDS, Runner
from mlirad.errors import ConvergenceError, SplitError, UnsupportedError
from mlirad.frontend.compiling.options import Options
from mlirad.frontend.compiling.transformed import Transformed
from mlirad.frontend.differentiation.argnums import Argnums, argument_positions
from mlirad.frontend.differentiation.linearization import linearize
from mlirad.frontend.tracing.argument_kinds import checked_choice
from mlirad.frontend.tracing.function_names import function_name
from mlirad.frontend.tracing.pytree import flatten
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Hashable

METHODS: Final = ("lsmr", "cg")
"""The methods that solve least squares."""


def linearized(
    function: Callable[..., Any], primals: tuple[Any, ...], options: Options, chosen: Argnums | None
) -> tuple[Any, RowsMap]:
    """The value of a function, by rows, and its derivative by whole arguments."""
    whole = [k for k, primal in enumerate(primals) if _is_whole(primal)]
    if chosen is None:
        positions = tuple(k for k in whole if _is_real(primals[k]))
    else:
        positions = tuple(argument_positions(function, chosen, len(primals)))
    wrong = [k for k in positions if k not in whole]
    if wrong or not positions:
        raise UnsupportedError(
            f"{function_name(function)} is linearised by an argument in chunks"
            if wrong
            else f"all arguments of {function_name(function)} are in chunks, or have no real numbers",
            location=user_line(),
            hint="name arguments of NumPy in argnums; derivatives of each row are ad.vmap's",
        )
    derivatives = _derivatives(function, positions, options)
    made = RowsMap(derivatives, primals, positions)
    return made.value, made


def _is_whole(primal: Any) -> bool:
    return all(as_split(leaf) is None for leaf in flatten(primal)[0])


def _is_real(primal: Any) -> bool:
    return all(np.asarray(leaf).dtype.kind == "f" for leaf in flatten(primal)[0])


@dataclass(frozen=True, eq=False)
class Derivatives:
    """Programs of a function and its derivative, each of vectors and all arguments of the function."""

    value: Transformed
    forward: Transformed
    backward: Transformed
    normal: Transformed
    first: Transformed
    further: Transformed


@lru_cache(maxsize=64)
def _derivatives(function: Callable[..., Any], positions: tuple[int, ...], options: Hashable) -> Derivatives:
    """These programs, which all points of the function share."""
    from mlirad.frontend.transformations import jit

    def at(args: tuple[Any, ...]) -> Any:
        return linearize(function, *args, argnums=positions)[1]

    def value(*args: Any) -> Any:
        return function(*args)

    def forward(v: tuple[Any, ...], *args: Any) -> Any:
        return at(args)(*v)

    def backward(u: Any, *args: Any) -> Any:
        return _as_tuple(at(args).T(u), len(positions))

    def normal(v: tuple[Any, ...], *args: Any) -> Any:
        map_ = at(args)
        return _as_tuple(map_.T(map_(*v)), len(positions))

    def first(u: Any, *args: Any) -> Any:
        return u, _squares(u), backward(u, *args)

    def further(v: tuple[Any, ...], kept: Any, dropped: Any, u: Any, *args: Any) -> Any:
        """J v - dropped * kept * u, its square, and its product with the transpose."""
        map_ = at(args)
        leaves, tree = flatten(map_(*v))
        new = [a - dropped * (kept * b) for a, b in zip(leaves, flatten(u)[0], strict=True)]
        u = tree.unflatten(new)
        return u, _squares(u), _as_tuple(map_.T(u), len(positions))

    compiled = [cast(Transformed, jit(f)) for f in (value, forward, backward, normal, first, further)]
    return Derivatives(*compiled)


def _as_tuple(found: Any, count: int) -> tuple[Any, ...]:
    return (found,) if count == 1 else tuple(found)


def _squares(u: Any) -> Any:
    total: Any = 0.0
    for leaf in flatten(u)[0]:
        total = total + np.sum(leaf * leaf)
    return total


def _require_all_rows(value: Transformed, primals: tuple[Any, ...]) -> None:
    """Raise `SplitError` for results of fewer rows than the arguments: vectors are split as these are."""
    planned, split = planned_call(value, primals, {})
    left_out = max((r.left_out for r in planned.plan.results if isinstance(r, Rows)), default=0)
    if left_out:
        raise SplitError(
            f"a result has {split.total - left_out} rows, and the arguments have {split.total}",
            location=user_line(),
            hint="make them as many: np.pad(r, (0, 1)) has a residual of 0 behind np.diff(x)",
        )


class RowsMap:
    """The derivative of a function whose results are by rows, by arguments that are whole.

    `counts` says what the last product on workers sent, `iterations` how many the last solution took.
    """

    def __init__(self, derivatives: Derivatives, primals: tuple[Any, ...], positions: tuple[int, ...]):
        self.iterations = 0
        self._derivatives = derivatives
        self._primals = primals
        self._runner = Runner(SECONDS)
        at = tuple(primals[k] for k in positions)
        leaves, self._tree = flatten(at)
        self._shapes: list[tuple[int, ...]] = [np.shape(leaf) for leaf in leaves]
        self._dtype: np.dtype[Any] = np.result_type(*[np.asarray(leaf).dtype for leaf in leaves])
        _require_all_rows(derivatives.value, primals)
        self.value: Any = derivatives.value(*primals)
        """The value of the function, by rows."""

    @property
    def counts(self) -> Counts:
        """The counts of the last product on workers."""
        return self._runner.counts

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of elements of a result and of the arguments."""
        leaves: list[Any] = flatten(self.value)[0]
        rows = sum(prod(leaf.shape) for leaf in leaves)
        return rows, sum(map(prod, self._shapes))

    @plain_errors
    def __call__(self, *v: Any) -> Any:
        """J v: arrays of Dask, structured like the value."""
        return self._derivatives.forward(v, *self._primals)

    @property
    def T(self) -> TransposedRowsMap:
        """The transpose: from rows to arrays of NumPy."""
        return TransposedRowsMap(self)

    def transposed(self, u: Any) -> Any:
        """The product of the transpose with rows."""
        return self._bare(self._derivatives.backward(u, *self._primals))

    def normal(self, *v: Any) -> Any:
        """The product of the transpose with J v, in one round: a message to each worker of a cluster."""
        return self._bare(self._runner.run(self._derivatives.normal, (v, *self._primals), {}))

    @plain_errors
    def solve(
        self, b: Any, *, method: str = "lsmr", damp: float = 0.0, tol: float = 1e-8, maxiter: int = 1000
    ) -> Any:
        """The x for which |J x - b|² + damp² |x|² is least; `b` are rows, structured like the value.

        By LSMR of Fong and Saunders (2011), or by conjugate gradients of the normal equations, until their
        residual is below `tol` times that of x = 0. An iteration is one round. Raises `ConvergenceError`
        after `maxiter` of them.
        """
        checked_choice(method, "method of solve", METHODS)
        if method == "cg":
            found = self._by_normal_equations(b, damp, tol, maxiter)
        else:
            found = self._by_bidiagonalisation(b, damp, tol, maxiter)
        self.iterations = found.iterations
        if not found.has_converged:
            raise ConvergenceError(
                f"{method} has not converged in {found.iterations} iterations",
                location=user_line(),
                hint="raise maxiter or tol, or damp the equations",
            )
        return self._bare(self._vectors(found.x))

    def close(self) -> None:
        """Let the workers drop the rows, unless others use them."""
        self._runner.close()

    def _by_normal_equations(self, b: Any, damp: float, tol: float, maxiter: int) -> Found:
        def product(x: Vector) -> Vector:
            made = self._runner.run(self._derivatives.normal, (self._vectors(x), *self._primals), {})
            return self._flat(made) + damp**2 * x

        return conjugate_gradients(product, self._flat(_as_tuple(self.T(b), self._count)), tol, maxiter)

    def _by_bidiagonalisation(self, b: Any, damp: float, tol: float, maxiter: int) -> Found:
        rows = _RowVector(self._runner, self._derivatives, b, self._primals)

        def first() -> tuple[float, Vector]:
            square, back = rows.first()
            return float(square) ** 0.5, self._flat(back)

        def further(v: Vector, kept: float, dropped: float) -> tuple[float, Vector]:
            square, back = rows.further(self._vectors(v), kept, dropped)
            return float(square) ** 0.5, self._flat(back)

        try:
            return lsmr(first, further, damp, tol, maxiter)
        except StateLost:  # a worker was, and with it its part of the vector
            return self._by_bidiagonalisation(b, damp, tol, maxiter)

    @property
    def _count(self) -> int:
        return len(self._tree.children)

    def _vectors(self, flat: Vector) -> tuple[Any, ...]:
        ends = np.cumsum([int(np.prod(shape)) for shape in self._shapes])
        parts = np.split(flat, ends[:-1])
        return tuple(self._tree.unflatten([p.reshape(s) for p, s in zip(parts, self._shapes, strict=True)]))

    def _flat(self, vectors: Any) -> Vector:
        return np.concatenate([np.ravel(leaf) for leaf in flatten(vectors)[0]]).astype(self._dtype)

    def _bare(self, vectors: tuple[Any, ...]) -> Any:
        return vectors[0] if self._count == 1 else tuple(vectors)


@dataclass(frozen=True)
class TransposedRowsMap:
    """The transpose of a `RowsMap`."""

    map: RowsMap

    @plain_errors
    def __call__(self, u: Any) -> Any:
        """The product with rows, structured like the value: arrays of NumPy for each argument."""
        return self.map.transposed(u)

    def __matmul__(self, other: RowsMap) -> Callable[..., Any]:
        """The map of the normal equations, `J.T @ J`."""
        if other is not self.map:
            raise UnsupportedError(
                "J.T @ K is computed for a map and itself", location=user_line(), hint="write J.T(K(v))"
            )
        return self.map.normal


class _RowVector:
    """A vector by rows that an iteration replaces: on the workers of a cluster, else by Dask in this process.

    `first` takes it as it is, `further` takes J v - dropped * kept * u for it; both return the sum of its
    squares, and its product with the transpose.
    """

    def __init__(self, runner: Runner, derivatives: Derivatives, b: Any, primals: tuple[Any, ...]):
        self._runner = runner
        self._derivatives = derivatives
        self._primals = primals
        self._u = b
        self._placement: Any = None
        self._engines: dict[Transformed, ResidentEngine] = {}

    def first(self) -> tuple[Any, Any]:
        return self._run(self._derivatives.first, (self._u, *self._primals))

    def further(self, v: tuple[Any, ...], kept: float, dropped: float) -> tuple[Any, Any]:
        dtype = np.asarray(flatten(v)[0][0]).dtype.type
        return self._run(self._derivatives.further, (v, dtype(kept), dtype(dropped), self._u, *self._primals))

    def _run(self, function: Transformed, args: tuple[Any, ...]) -> tuple[Any, Any]:
        if self._runner.client is None:
            u, square, back = self._runner.run(function, args, {})
            leaves, tree = flatten(u)
            self._u = tree.unflatten([leaf.persist() for leaf in leaves])
            return square, back
        call, whole = split_call(function, args, {})
        engine = self._engines.get(function)
        if engine is None:
            if self._placement is None:
                self._placement = self._runner.placed(call.split, call)
            positions = {index: position for position, index in enumerate(call.split.arrays)}
            engine = ResidentEngine(self._placement, call.job, positions, self._new(call))
            self._engines[function] = engine
        _, square, back = self._runner.evaluated(call, engine, whole)
        return square, back

    def _new(self, call: SplitCall) -> dict[int, tuple[int, int]]:
        """Map the positions of the vector's arrays to the stage and slot of the results that replace them."""
        count = len(flatten(self._u)[0])
        wanted: list[tuple[int, int]] = []
        for result in call.planned.plan.results[:count]:
            if isinstance(result, Rows) and isinstance(result.source, Residual):
                wanted.append((result.source.stage, result.source.slot))
        if not wanted:  # the vector itself
            return {}
        # The last round replaces the vector; it sums, and searches were before.
        assert call.planned.plan.stages[-1].ranks is None
        ids = [id(as_split(leaf)) for leaf in flatten(self._u)[0]]
        positions = [p for p, array in enumerate(call.split.arrays.values()) if id(array) in ids]
        return dict(zip(positions[:count], wanted, strict=True))
