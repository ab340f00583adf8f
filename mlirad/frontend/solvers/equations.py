"""`root`, `fixed_point` and `minimize`: where f(x, *args) is 0, where it is x, and where it is least.

    ad.root(lambda x, a: x**3 + x - a, 1.0, 2.0)        1.0
    ad.minimize(loss, x0, data, method="newton")        the point, not the value

The three differ in their iterations, and in the equation that gives the derivative: f = 0, f - x = 0, and the
gradient of f = 0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from mlirad.frontend.compiling.options import Options
from mlirad.frontend.compiling.transformed import Transformed, are_split
from mlirad.frontend.constructs.build import stop_gradient
from mlirad.frontend.differentiation import derivatives
from mlirad.frontend.linear_map.spaces import Space
from mlirad.frontend.solvers import fixed_points, minimizers
from mlirad.frontend.solvers.convergence import (
    Limits,
    Progress,
    checked_limits,
    finite,
    largest,
    report_failures,
)
from mlirad.frontend.solvers.flat_functions import (
    Closed,
    closed,
    flat_type,
    flattened,
    float_space,
    unknowns,
    with_data,
)
from mlirad.frontend.solvers.implicit import implicit
from mlirad.frontend.solvers.inverses import METHODS as LINEAR
from mlirad.frontend.solvers.newton import newton
from mlirad.frontend.solvers.pairs import pair_of
from mlirad.frontend.tracing.argument_kinds import checked_choice, checked_flag
from mlirad.frontend.tracing.function_names import function_name
from mlirad.frontend.tracing.functions import require_arguments, require_function
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.operations import as_array, xp
from mlirad.frontend.tracing.raising import shape_error
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.lazy_dataclass import dataclass
from mlirad.packages import load


class Solution(NamedTuple):
    """The result with `full_output=True`: the solution, and how it was found."""

    x: Any
    converged: Any
    steps: Any
    """The number of steps that the solver took, 0 for a solver of the user's own."""
    residual: Any
    """The largest component of what is 0 at a solution: of f(x), of f(x) - x, or of the gradient of f."""


Solver = Callable[[Callable[[Any], Any], Any], Any]
"""A solver of the user's own: from the function of x alone and the start to the solution."""


@plain_errors
def root(
    f: Callable[..., Any], x0: Any, *args: Any, solver: Solver | None = None, linear: str = "direct",
    tol: float | None = None, maxiter: int | None = None, full_output: bool = False,
) -> Any:  # fmt: skip
    """x with `f(x, *args) = 0`, near `x0`, by Newton's method with a line search.

    x has the structure of `x0`, of float arrays, and so has what f returns. It has derivatives of every
    order, in both modes, with respect to `args` and to traced values that f captures, by the implicit
    function theorem; none with respect to `x0`. The iteration has converged when a step is smaller than `tol`
    times the largest |x| so far (by default the 2/3 power of the distance from 1 to the next float, 4e-11 in
    float64), or where no step makes |f| smaller, when it is smaller than the root of `tol` times 1 + |x|.

    `linear` says how the derivative's linear systems are solved: "direct", or by products with the Jacobian,
    see `linear_solve`. `solver(f, x0)` replaces Newton's method: f is then a function of x alone, and the
    result is taken for a root. With `full_output` the result is a `Solution`, and nothing is raised.

        >>> cube_root = lambda a: ad.root(lambda x: x**3 - a, 1.0)
        >>> cube_root(8.0).round(9), ad.grad(cube_root)(8.0).round(9)
        (np.float64(2.0), np.float64(0.083333333))

    Raises `ConvergenceError` where the iteration does not converge in `maxiter` steps (100), `ShapeError`
    where f returns what is not shaped like x.
    """
    limits = checked_limits(tol, maxiter, 100, "root")
    return _solved(_Equation("root", linear, limits, full_output), f, solver, x0, args)


@plain_errors
def fixed_point(
    f: Callable[..., Any], x0: Any, *args: Any, method: str = "anderson", solver: Solver | None = None,
    linear: str = "direct", tol: float | None = None, maxiter: int | None = None, full_output: bool = False,
) -> Any:  # fmt: skip
    """x with `f(x, *args) = x`, near `x0`: by Anderson's iteration, or with `method="plain"` by x = f(x).

    The iteration has converged when |f(x) - x| is smaller than `tol` times the largest |x| so far or, where
    it does not get smaller any more, `tol` times 1 + |x|. All else is as for `root`, with 1000 steps. Raises
    what `root` raises.

        >>> solution = lambda a: ad.fixed_point(lambda x: a * np.cos(x), 0.5)
        >>> solution(1.0).round(6), ad.grad(solution)(1.0).round(6)
        (np.float64(0.739085), np.float64(0.441611))
    """
    checked_choice(method, "method of fixed_point", tuple(fixed_points.METHODS))
    limits = checked_limits(tol, maxiter, 1000, "fixed_point")
    return _solved(_Equation("fixed_point", linear, limits, full_output, method), f, solver, x0, args)


@plain_errors
def minimize(
    f: Callable[..., Any], x0: Any, *args: Any, method: str = "lbfgs", solver: Solver | None = None,
    linear: str = "direct", tol: float | None = None, maxiter: int | None = None, full_output: bool = False,
) -> Any:  # fmt: skip
    """The x near `x0` where `f(x, *args)`, a float scalar, is least: by L-BFGS, or with `method="newton"` by
    Newton's method with damping, for few unknowns.

    L-BFGS has converged when the largest component of the gradient, divided by the least curvature along its
    last ten steps, is below `tol` (4e-10 in float64) times the largest |x| so far, Newton's method when a
    step is. Either has converged, too, when rounding lets no step make f or its gradient smaller, close to a
    point where the gradient is 0. Neither a factor of f nor a constant added to it moves the solution. The
    derivative is that of a point where the gradient is 0. All else is as for `root`, with 1000 steps. Raises
    what `root` raises.

        >>> x, y = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([1.0, 2.0, 4.0])
        >>> def ridge(penalty):
        ...     loss = lambda w: np.sum((x @ w - y) ** 2) + penalty * w @ w
        ...     return ad.minimize(loss, np.zeros(2), method="newton")
        >>> ridge(1.0).round(6), ad.jacobian(ridge)(1.0).round(6)
        (array([0.8     , 1.266667]), array([-0.066667, -0.177778]))
    """
    checked_choice(method, "method of minimize", tuple(minimizers.METHODS))
    limits = checked_limits(tol, maxiter, 1000, "minimize")
    return _solved(_Equation("minimize", linear, limits, full_output, method), f, solver, x0, args)


@dataclass(frozen=True)
class _Equation:
    """An equation that is to be solved, and the way to solve it."""

    what: str
    linear: str
    limits: Limits
    full_output: bool
    method: str = "newton"

    def __post_init__(self) -> None:
        checked_choice(self.linear, f"linear of {self.what}", LINEAR)
        checked_flag(self.full_output, f"{self.what}: full_output")

    def solved(self, f: Callable[..., Any], solver: Solver | None, args: tuple[Any, ...]) -> Any:
        """The solution in a trace, from the start and further arguments of f."""
        x0, *rest = args
        space, start = unknowns(x0, "x0", self.what)
        require_arguments(f, len(args), self.what)
        if solver is not None:
            require_arguments(solver, 2, f"{self.what}: the solver's call")
        if space.size == 0:
            return self._result(space, Progress(start, as_array(0), as_array(True)), as_array(0.0))

        def of_flat(z: Any, *args: Any) -> Any:
            value = f(space.unflatten(z), *args)
            if self.what != "minimize":
                return flattened(value, space, f"{self.what}: {function_name(f)} returns an array")
            return _scalar(value, f)

        function = closed(of_flat, [flat_type(space)], tuple(rest))

        def iterate(z: Any, *data: Any) -> Progress:
            if solver is None:
                return self._iterate(function, z, data)
            return self._by(solver, function, space, z, data)

        residual = self._residual(function)
        found = implicit(iterate, residual, start, function.data, self.linear, self.limits)
        size = largest(residual(*stop_gradient((found.z, *function.data))))
        if solver is None and not self.full_output:
            report_failures(
                xp.logical_not(found.converged),
                f"{self.what} does not converge: after {{}} steps the largest component of "
                f"{_RESIDUALS[self.what]} is {{}}; start closer to the solution, or raise maxiter or tol",
                found.steps,
                size,
            )
        return self._result(space, found, size)

    def _result(self, space: Space, found: Progress, size: Any) -> Any:
        x = space.unflatten(found.z)
        return Solution(x, found.converged, found.steps, size) if self.full_output else x

    def _residual(self, function: Closed) -> Callable[..., Any]:
        if self.what == "root":
            return function
        if self.what == "fixed_point":
            return partial(_move, function)
        return partial(_gradient, function)

    def _iterate(self, function: Closed, z: Any, data: tuple[Any, ...]) -> Progress:
        if self.what == "minimize":
            minimizer = minimizers.METHODS[self.method]
            return minimizer(value_and_gradient(function, data), z, self.limits)
        iteration = newton if self.what == "root" else fixed_points.METHODS[self.method]
        return iteration(with_data(function, data), z, self.limits)

    def _by(self, solver: Solver, function: Closed, space: Space, z: Any, data: tuple[Any, ...]) -> Progress:
        def of_x(x: Any) -> Any:
            value = function(flattened(x, space, f"{self.what}: the solver passes an array"), *data)
            return value if self.what == "minimize" else space.unflatten(value)

        z = flattened(solver(of_x, space.unflatten(z)), space, f"{self.what}: the solver returns an array")
        return Progress(z, as_array(0), finite(z))


_RESIDUALS = {"root": "f(x)", "fixed_point": "f(x) - x", "minimize": "the gradient"}
"""The expression that is 0 at a solution."""


def _move(function: Closed, z: Any, *data: Any) -> Any:
    return function(z, *data) - z


def _gradient(function: Closed, z: Any, *data: Any) -> Any:
    return value_and_gradient(function, data)(z)[1]


def value_and_gradient(function: Closed, data: tuple[Any, ...]) -> Callable[[Any], tuple[Any, Any]]:
    """The value of a function and its gradient, as a function of its vector."""

    def both(z: Any) -> tuple[Any, Any]:
        return derivatives.value_and_grad(with_data(function, data), 0, False, (z,))

    return both


def _scalar(value: Any, f: Callable[..., Any]) -> Any:
    found = as_array(value)
    if found.shape or found.dtype.kind != "f":
        raise shape_error(
            f"minimize: {function_name(f)} returns {found.dtype}{list(found.shape)}, and a float scalar is "
            f"minimised",
            "sum it: np.sum(r**2)",
        )
    return found


# Calls -------------------------------------------------------------------------------------------


def _solved(
    equation: _Equation, f: Callable[..., Any], solver: Solver | None, x0: Any, args: tuple[Any, ...]
) -> Any:
    """The solution, in a trace and outside; arrays in chunks are evaluated round by round."""
    require_function(f, equation.what)
    if is_tracing() or not are_split(args):
        return _call(equation, f, solver)(x0, *args)
    space = float_space(x0, "x0", equation.what)
    require_arguments(f, 1 + len(args), equation.what)

    def solve(function: Callable[..., Any]) -> Any:
        return _call(equation, function, solver)(x0)

    minimised = equation.what == "minimize"
    return load(Transformed.split_calls).solved(solve, f, space, x0, args, minimised=minimised)


def _call(equation: _Equation, f: Callable[..., Any], solver: Solver | None) -> Callable[..., Any]:
    """The solver as a function of the start and of further arguments of f."""
    if solver is None:
        return Transformed(f, lambda f, args: equation.solved(f, None, args), equation, Options())
    require_function(solver, f"{equation.what}: solver")
    both = pair_of(f, solver)
    return Transformed(both, lambda _, args: equation.solved(f, solver, args), equation, Options())
