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
from typing import ParamSpec, TypeVar, cast

from mlirad.frontend.tracing.tracebacks import plain_errors

P = ParamSpec("P")
R = TypeVar("R")


@plain_errors
def rewritten(function: Callable[P, R]) -> Callable[P, R]:
    """`function`, with `if`, `while`, `for`, `and`, `or`, `not`, `assert` as ops where values are traced.

    It is rewritten from its source, and so are the functions of the program that it calls. On values that
    are known it runs as Python does; in a trace, a condition that is traced becomes an `ad.cond`, a loop on
    one an `ad.while_loop`, and a loop over a traced array or a long range an `ad.scan`. The option
    `control="rewrite"` of a transformation does the same to its function. Raises `UnsupportedError` where
    the source is not available, and for generators and coroutines.
    """
    from mlirad.frontend.control_flow import runtime  # which imports what rewrites source
    from mlirad.frontend.rewriting import functions

    functions.bind_runtime(runtime)
    return cast("Callable[P, R]", functions.rewritten(function))
