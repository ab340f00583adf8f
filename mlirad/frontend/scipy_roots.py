"""Roots by `scipy.optimize` of functions that read traced values: a root moves with what the function reads.

    brentq(lambda x: x**3 - a, 0.0, 2.0)      the cube root of a traced a, with derivatives of every order

Where f(x, *data) = 0, dx = -(df/dx)^-1 (df/d data) d data. Brackets and starts have no derivative.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np

from mlirad.frontend.constructs.build import asarray, stop_gradient
from mlirad.frontend.constructs.loops import while_loop
from mlirad.frontend.differentiation.custom import custom_derivative
from mlirad.frontend.differentiation.linearization import linearize
from mlirad.frontend.numpy_functions.calls.parameters import (
    Anything,
    ArrayLike,
    Flag,
    Function,
    Int,
    Number,
    OperandLike,
    Scalar,
)
from mlirad.frontend.solvers import equations
from mlirad.frontend.solvers.bracketing import METHODS, Bracketed, Tolerances, differ
from mlirad.frontend.solvers.convergence import finite, report_failures
from mlirad.frontend.solvers.flat_functions import Closed, closed, with_data
from mlirad.frontend.solvers.scipy_calls import own_arguments
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.dtypes import F64
from mlirad.frontend.tracing.function_names import function_name
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.operations import as_array, converted, xp
from mlirad.frontend.tracing.raising import argument_error, shape_error

EPSILON = float(np.finfo(np.float64).eps)


def _of_floats(f: Callable[..., Any], shape: tuple[int, ...], args: Any, name: str) -> Closed:
    """`f` as a function of floats of a shape, and of all else that it reads."""

    def of_floats(x: Any, *args: Any) -> Any:
        found = asarray(f(x, *args))
        if found.shape != shape:
            raise shape_error(
                f"{name}: {function_name(f)} returns an array of shape {found.shape} at a point of shape "
                f"{shape}",
                "return one value for each number in x",
            )
        return converted(found, F64)

    return closed(of_floats, [LeafType(shape, F64)], own_arguments(args))


def _with_implicit_derivative(
    search: Callable[..., Any], function: Closed, shape: tuple[int, ...], *points: Any
) -> Any:
    """`search(*points, *data)`, whose part `x` is a root of each element of the function by its own."""
    given = (*stop_gradient(points), *function.data)
    if not function.moving:
        return search(*given)
    solution = custom_derivative(search)

    @solution.rule(reads_result=True)
    def implicit(found: Any, *given: Any) -> Any:  # pyright: ignore[reportUnusedFunction]
        data = given[len(points) :]
        slope = linearize(with_data(function, data), found.x)[1](np.ones(shape))
        _, change = linearize(partial(function, found.x), *data)

        def moved(*tangents: Any) -> Any:
            still = dict.fromkeys(found._fields)
            return type(found)(**(still | {"x": -change(*tangents[len(points) :]) / slope}))

        return moved

    return solution(*given)


def _results(root: Any, steps: Any, calls: Any, method: str) -> Any:
    """The report that SciPy returns with `full_output=True`."""
    made = sys.modules["scipy.optimize"].RootResults
    return made(root=root, iterations=steps, function_calls=calls, flag=0, method=method)


# Between two points --------------------------------------------------------------------------------


def _bracketed(
    name: str, f: Any, a: Any, b: Any, args: Any, xtol: Any, rtol: Any, maxiter: Any, full_output: bool,
    disp: bool,
) -> Any:  # fmt: skip
    if not xtol > 0:
        raise argument_error(f"{name}: xtol is {xtol}", "it is positive, such as 1e-12")
    if not rtol >= EPSILON:
        raise argument_error(f"{name}: rtol is {rtol}", "it is at least np.finfo(float).eps")
    if maxiter < 1:
        raise argument_error(f"{name}: maxiter is {maxiter}", "it is 1 at least")
    function = _of_floats(f, (), args, name)
    ends = tuple(converted(as_array(end), F64) for end in (a, b))

    def search(a: Any, b: Any, *data: Any) -> Bracketed:
        limits = Tolerances(float(xtol), float(rtol), maxiter)
        return METHODS[name](with_data(function, data), a, b, limits)

    found = _with_implicit_derivative(search, function, (), *ends)
    values = stop_gradient((found.f_first, found.f_second))
    alike = xp.logical_not(differ(*values)) & (values[0] != 0) & (values[1] != 0)
    report_failures(
        alike,
        f"{name}: f(a) = {{}} and f(b) = {{}} must have different signs; choose a and b on both sides of "
        "the root",
        *values,
    )
    if disp:
        report_failures(
            xp.logical_not(found.converged) & xp.logical_not(alike),
            f"{name} does not converge: after {{}} steps it is at x = {{}}; raise maxiter or xtol, and see "
            "that f is finite",
            found.steps,
            stop_gradient(found.x),
        )
    return (found.x, _results(found.x, found.steps, found.calls, name)) if full_output else found.x


def _by(name: str, rtol: float = 4 * EPSILON) -> Callable[..., Any]:
    def method(
        f: Function, a: Scalar, b: Scalar, args: Anything = (), xtol: Number = 2e-12, rtol: Number = rtol,
        maxiter: Int = 100, full_output: Flag = False, disp: Flag = True,
    ) -> Any:  # fmt: skip
        return _bracketed(name, f, a, b, args, xtol, rtol, maxiter, full_output, disp)

    return method


def toms748(
    f: Function, a: Scalar, b: Scalar, args: Anything = (), k: Int = 1, xtol: Number = 2e-12,
    rtol: Number = 4 * EPSILON, maxiter: Int = 100, full_output: Flag = False, disp: Flag = True,
) -> Any:  # fmt: skip
    """`scipy.optimize.toms748`, by the steps of `brentq`."""
    return _bracketed("toms748", f, a, b, args, xtol, rtol, maxiter, full_output, disp)


# From a start --------------------------------------------------------------------------------------


class _Near(NamedTuple):
    """The end of an iteration from a start."""

    x: Any
    converged: Any
    steps: Any


def newton(
    func: Function, x0: ArrayLike, fprime: Function | None = None, args: Anything = (), tol: Number = 1.48e-8,
    maxiter: Int = 50, fprime2: Function | None = None, x1: OperandLike | None = None, rtol: Number = 0.0,
    full_output: Flag = False, disp: Flag = True,
) -> Any:  # fmt: skip
    """`scipy.optimize.newton`, of each element by its own, with the derivative of `func` as slope."""
    if not tol > 0 or maxiter < 1:
        raise argument_error(f"newton: tol is {tol} and maxiter {maxiter}", "both are positive")
    start = converted(x0, F64)
    function = _of_floats(func, start.shape, args, "newton")

    def search(x: Any, *data: Any) -> _Near:
        at = with_data(function, data)

        def iteration(s: _Near) -> _Near:
            value, slope = linearize(at, s.x)
            step = value / slope(np.ones(start.shape))
            x = s.x - xp.where(value == 0, 0.0, step)
            close = xp.abs(x - s.x) <= tol + rtol * xp.abs(s.x)
            return _Near(x, xp.all(close), s.steps + 1)

        def going(s: _Near) -> Any:
            return ~s.converged & (s.steps < maxiter) & finite(s.x)

        return while_loop(going, iteration, _Near(x, as_array(not start.size), as_array(0)))

    found = _with_implicit_derivative(search, function, start.shape, start)
    if disp and start.size:
        report_failures(
            xp.logical_not(found.converged),
            "newton does not converge in {} steps; start closer to the root, or raise maxiter or tol",
            found.steps,
        )
    return (found.x, _results(found.x, found.steps, found.steps, "newton")) if full_output else found.x


def fsolve(
    func: Function, x0: ArrayLike, args: Anything = (), fprime: Function | None = None,
    *, xtol: Number | None = None,
) -> Any:  # fmt: skip
    """`scipy.optimize.fsolve`, by `ad.root`, with the derivative of `func` as slope."""
    start = xp.atleast_1d(converted(x0, F64))
    own = own_arguments(args)

    def vector(x: Any, *args: Any) -> Any:
        return asarray(func(x, *args))

    return cast("Array", equations.root(vector, xp.ravel(start), *own, tol=xtol))


def root_scalar(
    f: Function, args: Anything = (), method: Anything = None, bracket: Anything = None,
    fprime: Anything = None, fprime2: Anything = None, x0: Scalar | None = None, x1: Scalar | None = None,
    xtol: Number | None = None, rtol: Number | None = None, maxiter: Int | None = None,
) -> Any:  # fmt: skip
    """`scipy.optimize.root_scalar`."""
    if method is None:
        method = "newton" if bracket is None else "brentq"
    options = {"xtol": xtol, "rtol": rtol, "maxiter": maxiter}
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    given["full_output"] = True
    name = str(method).lower()
    if name in METHODS and bracket is not None:
        a, b = bracket
        return FUNCTIONS[name](f, a, b, args, **given)[1]
    if name in ("newton", "secant", "halley") and x0 is not None:
        if "xtol" in given:
            given["tol"] = given.pop("xtol")
        return newton(f, as_array(x0), None, args, **given)[1]
    raise argument_error(
        f"root_scalar by {method!r} with bracket={bracket!r} and x0={x0!r}",
        f"pass bracket=(a, b) for {', '.join(METHODS)}, and x0=x0 for newton, secant and halley",
    )


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _by(name) for name in METHODS},
    "toms748": toms748, "newton": newton, "fsolve": fsolve, "root_scalar": root_scalar,
}  # fmt: skip
"""The functions that trace functions of functions in `scipy.optimize`, by their names there."""
