"""SciPy's `odeint` called in a trace: `ad.odeint` with SciPy's arguments, tolerances and shapes.

    scipy.integrate.odeint(f, y0, t, args=(k,))     ad.odeint(f, y0, t, k, rtol=1.49e-8, atol=1.49e-8)

Both keep errors of steps below atol + rtol |y|. The method is another, so values differ by about that, and a
stiff equation raises where LSODA would go on with an implicit method.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from mlirad.frontend.numpy_functions.calls.parameters import Anything, ArrayLike, Flag, Function, Int
from mlirad.frontend.solvers.differential_equations import odeint as solutions
from mlirad.frontend.solvers.scipy_calls import own_arguments, returns_traced
from mlirad.frontend.tracing.operations import as_array, xp
from mlirad.frontend.tracing.raising import unsupported_error

_TOLERANCE: Final = 1.49012e-8
"""The tolerance of LSODA where none is given."""


def reads_traced(func: Any, y0: Any, t: Any, args: Any = (), *_: Any, tfirst: Any = False, **__: Any) -> bool:
    """Tell whether the right side of a call of SciPy's returns traced values where the solution begins."""
    start, time = np.atleast_1d(np.asarray(y0)), np.ravel(t)
    first = time[0] if time.size else 0.0
    return returns_traced(func, *((first, start) if tfirst else (start, first)), *own_arguments(args))


def odeint(
    func: Function, y0: ArrayLike, t: ArrayLike, args: Anything = (), Dfun: Anything = None,
    col_deriv: Anything = 0, full_output: Anything = 0, ml: Anything = None, mu: Anything = None,
    rtol: Anything = None, atol: Anything = None, tcrit: Anything = None, h0: Anything = 0.0,
    hmax: Anything = 0.0, hmin: Anything = 0.0, ixpr: Anything = 0, mxstep: Int = 0, mxhnil: Anything = 0,
    mxordn: Anything = 12, mxords: Anything = 5, printmessg: Anything = 0, tfirst: Flag = False,
) -> Any:  # fmt: skip
    """`scipy.integrate.odeint`; options of the way in which LSODA finds a solution change nothing.

    Raises `UnsupportedError` for what `ad.odeint` does not do.
    """
    options = {"full_output": full_output, "tcrit": tcrit is not None, "hmax": hmax, "hmin": hmin}
    asked = [name for name, value in options.items() if value]
    if asked:
        raise unsupported_error(
            f"scipy.integrate.odeint with {', '.join(sorted(asked))} cannot be traced",
            "leave these options out",
        )
    start = xp.atleast_1d(y0)

    def right_side(y: Any, time: Any, *given: Any) -> Any:
        found = func(time, y, *given) if tfirst else func(y, time, *given)
        return xp.reshape(as_array(found), start.shape)

    limit: dict[str, Any] = {"max_steps": mxstep * t.size} if mxstep else {}
    relative, absolute = (_TOLERANCE if value is None else value for value in (rtol, atol))
    given = own_arguments(args)
    return solutions(right_side, start.astype(np.float64), t, *given, rtol=relative, atol=absolute, **limit)
