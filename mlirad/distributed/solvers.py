"""Solvers of functions of arrays in chunks: iterations run in this process, and evaluations are rounds.

    ad.minimize(loss, w0, X, y)         X, y of Dask: on a cluster they stay on the workers meanwhile
    ad.root(score, w0, X, y)

A solver is handed a function of the unknowns alone, which calls back to evaluate the user's: so all methods
are those of arrays of NumPy. Its derivatives are callbacks, too: the gradient comes with the value, the
Hessian or the Jacobian is asked for by Newton's methods.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import lru_cache
from math import prod
from typing import Any, Final, cast

import numpy as np

from mlirad.distributed.runners import Runner
from mlirad.errors import UnsupportedError
from mlirad.frontend.compiling.transformed import Transformed, are_split
from mlirad.frontend.constructs.build import stop_gradient
from mlirad.frontend.constructs.callbacks import callback
from mlirad.frontend.differentiation.custom import custom_derivative
from mlirad.frontend.linear_map.spaces import Space
from mlirad.frontend.tracing.function_names import function_name
from mlirad.frontend.tracing.operations import as_array, xp
from mlirad.frontend.tracing.pytree import Tree, flatten
from mlirad.frontend.tracing.source import user_line
from mlirad.jit.forking import CompileLock
from mlirad.lazy_dataclass import dataclass


def solved(
    solve: Callable[[Callable[..., Any]], Any],
    f: Callable[..., Any],
    space: Space,
    x0: Any,
    args: tuple[Any, ...],
    *,
    minimised: bool,
) -> Any:
    """`solve(g)` for g(x) = f(x, *args), with x in a space, where args hold arrays of Dask.

    Raises `UnsupportedError` where f returns rows, else what calls of f raise.
    """
    evaluations = _Evaluations(_programs(f, space), args, minimised=minimised)
    try:
        tree, shapes = evaluations.begin(np.asarray(space.flatten(x0), space.dtype))
        problem = _problem(f, space, tree, shapes, minimised=minimised)
        with problem.evaluated_by(evaluations):
            return solve(problem.function)
    finally:
        evaluations.runner.close()


@dataclass(frozen=True, eq=False)
class _Programs:
    """A function of a flat vector and further arguments, with derivatives by the vector."""

    value: Transformed
    value_and_gradient: Transformed
    jacobian: Transformed
    hessian: Transformed


@lru_cache(maxsize=64)
def _programs(f: Callable[..., Any], space: Space) -> _Programs:
    from mlirad.frontend.interface import hessian, jacobian, jit, value_and_grad

    def of_flat(z: Any, *args: Any) -> Any:
        return f(space.unflatten(z), *args)

    def joined(z: Any, *args: Any) -> Any:
        return xp.concatenate([xp.reshape(as_array(leaf), (-1,)) for leaf in flatten(of_flat(z, *args))[0]])

    of_flat.__name__ = joined.__name__ = function_name(f)
    made = (jit(of_flat), value_and_grad(of_flat), jacobian(joined), hessian(of_flat))
    return _Programs(*(cast(Transformed, program) for program in made))


class _Evaluations:
    """The evaluations for a solver's call: value and gradient at the last point are kept."""

    def __init__(self, programs: _Programs, args: tuple[Any, ...], *, minimised: bool):
        self.runner: Final = Runner()
        self._programs = programs
        self._args = args
        self._minimised = minimised
        self._at: bytes | None = None
        self._found: tuple[Any, Any] = (None, None)

    def begin(self, z: Any) -> tuple[Tree, tuple[tuple[tuple[int, ...], str], ...]]:
        """The structure of the value at the start, and shapes and dtypes of its leaves."""
        leaves, tree = flatten(self.value(z))
        if are_split(leaves):
            raise UnsupportedError(
                "a function that is solved returns rows of arrays in chunks",
                location=user_line(),
                hint="sum over the rows; for least squares, r, J = ad.linearize(f, ...) and J.solve(-r)",
            )
        arrays = [np.asarray(leaf) for leaf in leaves]
        return tree, tuple((array.shape, array.dtype.str) for array in arrays)

    def value(self, z: Any) -> Any:
        return self._both(z)[0] if self._minimised else self._run(self._programs.value, z)

    def gradient(self, z: Any) -> Any:
        return self._both(z)[1]

    def jacobian(self, z: Any) -> Any:
        return self._run(self._programs.jacobian, z)

    def hessian(self, z: Any) -> Any:
        return self._run(self._programs.hessian, z)

    def _both(self, z: Any) -> tuple[Any, Any]:
        point = z.tobytes()
        if point != self._at:
            self._found = self._run(self._programs.value_and_gradient, z)
            self._at = point
        return self._found

    def _run(self, program: Transformed, z: Any) -> Any:
        return self.runner.run(program, (z, *self._args), {})


class _Problem:
    """The function that solvers get, the same for all calls with such a result; one of them at a time."""

    def __init__(self, f: Callable[..., Any], space: Space, tree: Tree, shapes: Any, *, minimised: bool):
        self._space = space
        self._tree = tree
        self._types = [(shape, np.dtype(dtype)) for shape, dtype in shapes]
        self._lock = CompileLock()
        self._evaluations: _Evaluations | None = None
        flat = self._minimised() if minimised else self._with_roots()

        def function(x: Any) -> Any:
            return flat(as_array(space.flatten(x), space.dtype))

        self.function: Final[Callable[..., Any]] = function
        function.__name__ = function_name(f)

    @contextmanager
    def evaluated_by(self, evaluations: _Evaluations) -> Generator[None]:
        with self._lock:
            before, self._evaluations = self._evaluations, evaluations
            try:
                yield
            finally:
                self._evaluations = before

    def _called(self, what: str, stated: Any) -> Any:
        """A call back to evaluate, as a function of the flat vector."""

        def asked(z: Any) -> Any:
            return getattr(self._evaluations, what)(z)

        def called(z: Any) -> Any:
            return callback(asked, stated, z)

        asked.__name__ = called.__name__ = what
        return called

    def _stated(self) -> Any:
        return self._tree.unflatten([np.empty(shape, kind) for shape, kind in self._types])

    def _minimised(self) -> Any:
        size, dtype = self._space.size, self._space.dtype
        value = custom_derivative(self._called("value", self._stated()))
        gradient = custom_derivative(self._called("gradient", np.empty(size, dtype)))
        hessian = self._called("hessian", np.empty((size, size), dtype))
        kind = self._types[0][1]

        def change_of_gradient(z: Any) -> Any:
            matrix = hessian(stop_gradient(z))  # the last derivative that a solver takes

            def change(dz: Any) -> Any:
                return matrix @ dz

            return change

        def change_of_value(z: Any) -> Any:
            slope = gradient(z)

            def change(dz: Any) -> Any:
                return (slope @ dz).astype(kind)

            return change

        gradient.rule(change_of_gradient)
        value.rule(change_of_value)
        return value

    def _with_roots(self) -> Any:
        counts = [prod(shape) for shape, _ in self._types]
        value = custom_derivative(self._called("value", self._stated()))
        jacobian = self._called("jacobian", np.empty((sum(counts), self._space.size), self._space.dtype))

        def change_of_value(z: Any) -> Any:
            matrix = jacobian(stop_gradient(z))

            def change(dz: Any) -> Any:
                image, start, parts = matrix @ dz, 0, list[Any]()
                for (shape, kind), count in zip(self._types, counts, strict=True):
                    parts.append(xp.reshape(image[start : start + count], shape).astype(kind))
                    start += count
                return self._tree.unflatten(parts)

            return change

        value.rule(change_of_value)
        return value


@lru_cache(maxsize=64)
def _problem(f: Callable[..., Any], space: Space, tree: Tree, shapes: Any, *, minimised: bool) -> _Problem:
    return _Problem(f, space, tree, shapes, minimised=minimised)
