"""Solutions of equations and of differential equations, computed by solvers and differentiated implicitly.

    ad.root(f, x0, *args)              x with f(x, *args) = 0
    ad.odeint(f, y0, t, *args)         y with dy/dt = f(y, t, *args)

A solver runs, and is never differentiated. The derivative of a solution x of f(x, a) = 0 follows from the
equation: dx = -(df/dx)^-1 (df/da) da (implicit function theorem). It is given to `custom_derivative` as a
rule that reads the result (property `results`), so it is differentiable like any other code, to any order.

The solution is an `array.custom` whose operands are all that the equation depends on. As rules are for
operands alone, `flat_functions.py` closes the user's function first: from pytrees to flat vectors, with
everything that it reads as a parameter. A rule that iterates itself calls a function of the program that has
that very rule (`inverses.py`); this recursion in rules is as finite as any other.

- `equations.py`: `root`, `fixed_point`, `minimize`: their equations, calls and failures.
- `newton.py`, `fixed_points.py`, `minimizers.py`: iterations on flat vectors, each from a function and a
  start to `Progress`; `convergence.py`: limits, norms, reports of failure.
- `implicit.py`: the derivative of a solution, as a rule that reads it.
- `linear_equations.py`: `linear_solve`, of matrices, maps and functions; `krylov.py`: conjugate gradients,
  GMRES, LSMR.
- `inverses.py`: inverses of maps that depend on data, and of their transposes: functions of the program whose
  rules call each other.
- `differential_equations.py`: the interface of `odeint`; `stepping.py`: its loops over times and steps;
  `dormand_prince.py`, `rosenbrock.py`: one step of each method and the length of the next.
- `continuous_adjoint.py`: derivatives by differential equations; `events.py`: the first zero of a function of
  the solution.
- `pairs.py`: two functions of a user as one to be compiled; `scipy_calls.py`: answers calls of SciPy's
  solvers where the user's function reads traced values.
"""

from mlirad.frontend.solvers.differential_equations import odeint
from mlirad.frontend.solvers.equations import Solution, fixed_point, minimize, root
from mlirad.frontend.solvers.linear_equations import linear_solve

__all__ = ["Solution", "fixed_point", "linear_solve", "minimize", "odeint", "root"]
