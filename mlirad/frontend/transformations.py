"""The transformations: `jit`, `grad`, `value_and_grad`, and calling what they make.

g = ad.grad(loss)                  nothing happens yet
g(w, x)                            traced and compiled for these shapes and dtypes, then run
g(w, x)                            run
ad.grad(lambda v: g(v, x) @ u)     inside a trace nothing is compiled: derivatives nest as ops
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlirad.frontend import derivatives
from mlirad.frontend.derivatives import Argnums
from mlirad.frontend.programs import Options
from mlirad.frontend.transformed import Transformed


def jit(
    function: Callable[..., Any], *, static_argnames: Sequence[str] | str = (), interpret: bool = False,
    method: str = "dual-arrays",
) -> Transformed:  # fmt: skip
    """`function`, compiled for each signature it is called with.

    `static_argnames` are parameters whose values are part of the signature and reach the function as they
    are. `interpret=True` runs the program by the reference interpreter instead of compiling it.
    """
    return Transformed(function, lambda f, args: f(*args), "jit", Options(interpret, method), static_argnames)


def value_and_grad(
    function: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool = False,
    static_argnames: Sequence[str] | str = (), interpret: bool = False, method: str = "dual-arrays",
) -> Transformed:  # fmt: skip
    """The value of a scalar function and its gradient with respect to the arguments `argnums`.

    `argnums` are positions or names; one gives a bare gradient, several a tuple. The gradient is structured
    like the argument; integer and boolean leaves have `None`. With `has_aux` the function returns
    `(value, aux)`, and so does the transformed one in place of the value.
    """
    chosen = argnums if isinstance(argnums, int | str) else tuple(argnums)

    def differentiated(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        return derivatives.value_and_grad(f, chosen, has_aux, args)

    return Transformed(
        function,
        differentiated,
        ("value_and_grad", chosen, has_aux),
        Options(interpret, method),
        static_argnames,
    )


def grad(
    function: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool = False,
    static_argnames: Sequence[str] | str = (), interpret: bool = False, method: str = "dual-arrays",
) -> Transformed:  # fmt: skip
    """The gradient of a scalar function; see `value_and_grad`. With `has_aux` it gives `(gradient, aux)`."""
    chosen = argnums if isinstance(argnums, int | str) else tuple(argnums)

    def differentiated(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        value, gradient = derivatives.value_and_grad(f, chosen, has_aux, args)
        return (gradient, value[1]) if has_aux else gradient

    return Transformed(
        function, differentiated, ("grad", chosen, has_aux), Options(interpret, method), static_argnames
    )


def jvp(
    function: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], *, interpret: bool = False,
    method: str = "dual-arrays",
) -> tuple[Any, Any]:  # fmt: skip
    """The value at `primals` and the derivative there applied to `tangents`.

    Tangents are structured like the primals; `None` stands for zero. Results without derivative have `None`.
    """

    def pushed(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        return derivatives.jvp(f, args[0], args[1])

    transformed = Transformed(function, pushed, "jvp", Options(interpret, method))
    return transformed(tuple(primals), tuple(tangents))
