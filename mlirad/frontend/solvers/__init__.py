"""Solutions of equations and of differential equations, computed by solvers and differentiated by what they
solve.

    ad.root(f, x0, *args)              x with f(x, *args) = 0
    ad.odeint(f, y0, t, *args)         y with dy/dt = f(y, t, *args)

A solver runs, and is never differentiated. The derivative of a solution x of f(x, a) = 0 follows from the
equation: dx = -(df/dx)^-1 (df/da) da (implicit function theorem). It is given to `custom_derivative` as a
rule that reads the result, so it is differentiable like any other code.
"""

from mlirad.frontend.solvers.differential_equations import odeint
from mlirad.frontend.solvers.equations import Solution, fixed_point, minimize, root
from mlirad.frontend.solvers.linear_equations import linear_solve

__all__ = ["Solution", "fixed_point", "linear_solve", "minimize", "odeint", "root"]
