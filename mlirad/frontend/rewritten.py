"""`ad.rewritten`: a Python function whose `if`, `while` and `for` work on traced values.

@ad.rewritten
def root(a):                        ad.grad(root)(2.0)
    x = a
    while abs(x * x - a) > 1e-12:
        x = (x + a / x) / 2
    return x
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from mlirad.frontend.tracing.tracebacks import plain_errors

P = ParamSpec("P")
R = TypeVar("R")


@plain_errors
def rewritten(function: Callable[P, R]) -> Callable[P, R]:
    """`function`, with its control flow, `assert` and `raise` as ops wherever they depend on traced values.

    It is rewritten from its source, and so are the functions in Python that it calls, those of packages too
    except for NumPy and SciPy. On values that are known it runs as Python does; in a trace, a condition that
    is traced becomes an `ad.cond`, a loop on one an `ad.while_loop`, a loop over a traced array or a long
    range an `ad.scan`, and an exception raised under one is raised when the program runs. The option
    `control="rewrite"` of a transformation does the same to its function, and `control="auto"`, the default,
    where it cannot be traced as it stands. Raises `UnsupportedError` where the source is not available, and
    for generators and coroutines.

        >>> @ad.function
        ... @ad.rewritten
        ... def steps(n):
        ...     if n <= 1:
        ...         return 0
        ...     return 1 + steps(n // 2 if n % 2 == 0 else 3 * n + 1)
        >>> steps(6)
        np.int64(8)
    """
    from mlirad.frontend.rewriting import functions

    _runtime()
    return cast("Callable[P, R]", functions.rewritten(function))


def as_called(function: Any) -> Any:
    """A callable as rewritten code calls it: rewritten, if it is in Python and its source is there."""
    return _runtime().of(function)


def _runtime() -> Any:
    """The module that rewritten code calls, once functions know it."""
    from mlirad.frontend.control_flow import runtime  # which imports what rewrites source
    from mlirad.frontend.rewriting import functions

    functions.bind_runtime(runtime)
    return runtime
