"""Functions of structured parameters as SciPy's solvers take them: functions of flat vectors, compiled.

    problem = ad.scipy.objective(loss, params, data)
    found = scipy.optimize.minimize(problem.fun, problem.x0, jac=problem.jac, method="BFGS")
    params = problem.unflatten(found.x)

`objective` is for `minimize`, `least_squares` and `root`, `system` for `solve_ivp`.
"""

from typing import Any

from mlirad.scipy.flat_functions import Objective, System, objective, system

__all__ = ["Objective", "System", "objective", "system"]


def __getattr__(name: str) -> Any:
    from mlirad.neighbours import unknown_name

    raise unknown_name(__name__, name, __all__)
