"""`objective` and `system`: a function of structures as functions of flat vectors, with derivatives.

SciPy asks for the value and for the derivative at one point in two calls. They are computed in one, and each
is handed out once: whoever asks again has it computed again, as data may have changed in place.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mlirad.frontend.compiling.transformed import Transformed
from mlirad.frontend.interface import hessian as hessian_of
from mlirad.frontend.interface import hvp, jacobian, jit, value_and_grad
from mlirad.frontend.linear_map.spaces import Space, space_of
from mlirad.frontend.solvers.flat_functions import rows_of, with_data
from mlirad.frontend.tracing.function_names import function_name
from mlirad.frontend.tracing.functions import require_arguments
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.operations import as_array, xp
from mlirad.frontend.tracing.pytree import flatten
from mlirad.frontend.tracing.raising import dtype_error, shape_error, tracing_error
from mlirad.frontend.tracing.tracebacks import plain_errors, plain_methods
from mlirad.lazy_dataclass import dataclass

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class _Kept:
    """The one of value and slope at a point that nobody has asked for yet, and what the function read."""

    name: str
    part: Any
    at: Vector
    captured: Hashable

    def fits(self, asked: str, point: Vector, captured: Hashable) -> bool:
        """Return whether it is what is asked for at the point."""
        return self.name == asked and self.captured == captured and np.array_equal(self.at, point)


@plain_methods
class Objective:
    """A function of structured parameters as functions of a flat vector x.

    For a function that returns a float scalar, `fun(x)` is the value, `jac(x)` the gradient [n], `hess(x)`
    the Hessian [n, n], and `hessp(x, p)` the Hessian times p. For any other, `fun(x)` is the flat result [m]
    and `jac(x)` the Jacobian [m, n].

        >>> from scipy.optimize import least_squares
        >>> t, y = np.arange(3.0), np.array([1.0, 3.0, 5.0])
        >>> line = ad.scipy.Objective(lambda p: p["a"] + p["b"] * t - y, {"a": 0.0, "b": 0.0})
        >>> found = least_squares(line.fun, line.x0, jac=line.jac)
        >>> {name: value.round(6) for name, value in line.unflatten(found.x).items()}
        {'a': np.float64(1.0), 'b': np.float64(2.0)}
    """

    def __init__(self, f: Callable[..., Any], x0: Any, *args: Any):
        self._space = _float_space(x0, "x0", "objective")
        self._args = args
        self.x0: Vector = _flat(self._space, x0)
        self._kept: _Kept | None = None
        self._function = _of_flat(f, self._space)
        result = jit(self._function)(self.x0, *args)
        self.is_scalar: bool = np.ndim(result) == 0
        """True if the function returns a scalar, and is to be minimised."""
        both = value_and_grad(self._function) if self.is_scalar else jit(_with_jacobian(self._function))
        self._both = cast("Transformed", both)
        self._hess = hessian_of(self._function)
        self._hessp = jit(_hessian_product(self._function))

    def fun(self, x: Any) -> Any:
        """The value at x."""
        return self._part(x, "value")

    def jac(self, x: Any) -> Vector:
        """The gradient or Jacobian at x."""
        return self._part(x, "slope")

    def fun_and_jac(self, x: Any) -> tuple[Any, Vector]:
        """Both, for `minimize(..., jac=True)`."""
        value, slope = self._both(self._point(x), *self._args)
        return (float(value) if self.is_scalar else value), slope

    def hess(self, x: Any) -> Vector:
        """The Hessian at x. Raises `ShapeError` where the function is not scalar."""
        self._require_scalar("hess")
        return self._hess(self._point(x), *self._args)

    def hessp(self, x: Any, p: Any) -> Vector:
        """The Hessian at x times p. Raises `ShapeError` where the function is not scalar."""
        self._require_scalar("hessp")
        return self._hessp(self._point(x), self._point(p), *self._args)

    def unflatten(self, x: Any) -> Any:
        """x in the structure of the parameters."""
        return self._space.unflatten(self._point(x))

    def flatten(self, params: Any) -> Vector:
        """Parameters as a flat vector."""
        return _flat(self._space, params)

    def _part(self, x: Any, asked: str) -> Any:
        """The value or the slope at x: what is left of the last point, if it is this one, else computed."""
        point, captured = self._point(x), self._both.captured_key()
        kept, self._kept = self._kept, None
        if kept is not None and kept.fits(asked, point, captured):
            return kept.part
        value, slope = self.fun_and_jac(point)
        other, part = ("slope", slope) if asked == "value" else ("value", value)
        self._kept = _Kept(other, part, point.copy(), captured)
        return value if asked == "value" else slope

    def _point(self, x: Any) -> Vector:
        return _vector(x, self._space)

    def _require_scalar(self, what: str) -> None:
        if not self.is_scalar:
            raise shape_error(
                f"objective: {what} is of a function that returns a float scalar",
                "least_squares and root take jac",
            )


@plain_methods
class System:
    """An ordinary differential equation dy/dt = f(y, t) of structures, as functions of t and a flat state:
    `fun(t, y)` [n] and `jac(t, y)` [n, n], for `solve_ivp`, from the state `y0`.

        >>> swing = ad.scipy.System(lambda y, t: (y[1], -4 * y[0] - 0.1 * y[1]), (1.0, 0.0))
        >>> swing.fun(0.0, swing.y0), swing.jac(0.0, swing.y0)
        (array([ 0., -4.]), array([[ 0. ,  1. ],
               [-4. , -0.1]]))
    """

    def __init__(self, f: Callable[..., Any], y0: Any, *args: Any):
        self._space = _float_space(y0, "y0", "system")
        self._args = args
        self.y0: Vector = _flat(self._space, y0)
        of_flat = _of_flat(f, self._space, result=self._space)
        self._fun = jit(of_flat)
        self._jac = jacobian(of_flat)

    def fun(self, t: Any, y: Any) -> Vector:
        """dy/dt at time t."""
        return self._fun(_vector(y, self._space), float(t), *self._args)

    def jac(self, t: Any, y: Any) -> Vector:
        """The derivative of dy/dt by y."""
        return self._jac(_vector(y, self._space), float(t), *self._args)

    def unflatten(self, y: Any) -> Any:
        """A state [n] as a structure; of states [n, times], as `solve_ivp` gives them, the structure of
        arrays with a leading dimension of times."""
        states = np.asarray(y, np.float64)
        if states.ndim != 2 or len(states) != self._space.size:
            return self._space.unflatten(_vector(states, self._space))
        return rows_of(self._space, states.T)


@plain_errors
def objective(f: Callable[..., Any], x0: Any, *args: Any) -> Objective:
    """`f(x, *args)` with derivatives by x, as functions of flat vectors: for `scipy.optimize.minimize`,
    `least_squares` and `root`.

    `x0` is a structure of float arrays like the parameters, and the start. Flat vectors have its leaves one
    after the other, each in row-major order, as float64. Of a call the value and the derivative are kept for
    the next one at the same point. A result of f that is not a float scalar is flattened in the same way.

        >>> from scipy.optimize import minimize
        >>> loss = lambda p, c: np.sum((p["u"] - c) ** 2) + p["v"] ** 2
        >>> bowl = ad.scipy.objective(loss, {"u": np.zeros(2), "v": 1.0}, 3.0)
        >>> found = minimize(bowl.fun, bowl.x0, jac=bowl.jac, hess=bowl.hess, method="trust-exact")
        >>> bowl.unflatten(found.x)["u"].round(6)
        array([3., 3.])
    """
    _require_outside("objective")
    require_arguments(f, 1 + len(args), "objective")
    return Objective(f, x0, *args)


@plain_errors
def system(f: Callable[..., Any], y0: Any, *args: Any) -> System:
    """dy/dt = `f(y, t, *args)`, as for `ad.odeint`, as functions of t and flat states: for `solve_ivp`, whose
    implicit methods (Radau, BDF, LSODA) take `jac`.

        >>> from scipy.integrate import solve_ivp
        >>> stiff = ad.scipy.system(lambda y, t, k: -k * (y - np.cos(t)), 0.0, 1000.0)
        >>> found = solve_ivp(stiff.fun, (0.0, 1.0), stiff.y0, method="Radau", jac=stiff.jac, rtol=1e-8)
        >>> found.y[:, -1].round(4)
        array([0.5411])
    """
    _require_outside("system")
    require_arguments(f, 2 + len(args), "system")
    return System(f, y0, *args)


# Parts -------------------------------------------------------------------------------------------


def _of_flat(f: Callable[..., Any], space: Space, result: Space | None = None) -> Callable[..., Any]:
    """f with a flat vector as its first argument and a flat result; a scalar stays one."""

    def of_flat(x: Any, *args: Any) -> Any:
        leaves, tree = flatten(f(space.unflatten(x), *args))
        arrays = [as_array(leaf) for leaf in leaves]
        for a in arrays:
            if a.dtype.kind != "f":
                raise dtype_error(f"{function_name(f)} returns {a.dtype}{list(a.shape)}", "return floats")
        if result is not None and (tree != result.tree or [a.shape for a in arrays] != _shapes(result)):
            raise shape_error(
                f"{function_name(f)} returns what is not structured like y0, of shapes "
                f"{', '.join(str(list(a.shape)) for a in arrays)}",
                "return dy/dt in the structure and shapes of y",
            )
        if result is None and len(arrays) == 1 and not arrays[0].shape:
            return arrays[0]
        parts = [xp.reshape(a, (-1,)).astype(np.float64) for a in arrays]
        return xp.concatenate(parts) if parts else np.zeros(0)

    of_flat.__name__ = function_name(f)
    return of_flat


def _with_jacobian(function: Callable[..., Any]) -> Callable[..., Any]:
    slope = jacobian(function)

    def both(x: Any, *args: Any) -> tuple[Any, Any]:
        return function(x, *args), slope(x, *args)

    return both


def _hessian_product(function: Callable[..., Any]) -> Callable[..., Any]:
    def product(x: Any, p: Any, *args: Any) -> Any:
        return hvp(with_data(function, args), (x,), (p,))

    return product


def _shapes(space: Space) -> list[tuple[int, ...]]:
    return [leaf.shape for leaf in space.moving]


def _float_space(value: Any, name: str, what: str) -> Space:
    """The space of parameters, all of them floats."""
    space = space_of(value)
    if any(leaf is None for leaf in space.leaves) or not space.leaves:
        raise dtype_error(
            f"{what}: {name} holds no floats, or integers or booleans beside them",
            f"write 1.0 for 1, or {name}.astype(float)",
        )
    return space


def _flat(space: Space, value: Any) -> Vector:
    return np.asarray(space.flatten(value), np.float64)


def _vector(x: Any, space: Space) -> Vector:
    """A flat vector of a space; raises for anything else."""
    try:
        point = np.asarray(x, np.float64)
    except (TypeError, ValueError):
        raise dtype_error(f"{repr(x)[:60]} is not a vector of floats", "pass an array of floats") from None
    if point.shape != (space.size,):
        raise shape_error(
            f"a vector of shape {list(point.shape)}, and flat vectors have the shape {[space.size]}",
            "start SciPy's solver from x0, or flatten the parameters",
        )
    return point


def _require_outside(what: str) -> None:
    if is_tracing():
        raise tracing_error(
            f"ad.scipy.{what} is for calls of SciPy, which cannot be traced",
            "use ad.minimize, ad.root or ad.odeint in traced functions",
        )
