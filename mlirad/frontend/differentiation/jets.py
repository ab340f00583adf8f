"""`jet`: the derivatives of a function along a curve, of all orders up to one, by Taylor mode.

    ad.jet(np.sin, (x,), ([1.0, 0.0, 0.0],))        sin(x), [cos(x), -sin(x), -cos(x)]

Users give and get derivatives by t, as of JAX's `jet`; the op `linear.jet` has Taylor coefficients, which are
these over factorials, since recurrences of coefficients have no binomials in them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import factorial
from typing import Any, Final, Unpack

from xdsl.dialects.builtin import SymbolRefAttr

from mlirad.dialects import linear
from mlirad.dialects.shapes import integer, ints, is_float
from mlirad.errors import ShapeError
from mlirad.frontend.compiling.options import CompileOptions, options_of
from mlirad.frontend.compiling.transformed import Transformed
from mlirad.frontend.differentiation.argnums import Argnums, chosen_or_all
from mlirad.frontend.differentiation.derivatives import Point, point_of, positions_or_all
from mlirad.frontend.linear_map.spaces import vector
from mlirad.frontend.tracing.argument_kinds import checked_list
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.functions import THE_CALL, require_function
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.raising import argument_error
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.tracebacks import plain_errors

_CALL: Final = "write ad.jet(f, (x,), ([dx, ddx],)), with one list of derivatives per argument"


@plain_errors
def jet(
    function: Callable[..., Any], primals: Sequence[Any], series: Sequence[Any],
    argnums: Argnums | None = None, **options: Unpack[CompileOptions],
) -> tuple[Any, list[Any]]:  # fmt: skip
    """The value at `primals`, and the derivatives of the function along a curve through them.

    The curve is x(t) with x(0) the primals; `series` has for each argument the list of its derivatives
    x'(0), x''(0) and so on, all lists of one length n. The result is the list of the derivatives of
    `function(x(t))` by t at 0, of the orders 1 to n, each structured like the value. So the series
    `[1, 0, 0]` gives the first three derivatives of a function of one number:

        >>> value, derivatives = ad.jet(lambda x: x**3, (2.0,), ([1.0, 0.0, 0.0],))
        >>> [float(d) for d in derivatives]
        [12.0, 12.0, 6.0]

    Derivatives are structured like the primals; `None` stands for zero, for a derivative or a whole list, and
    is what results without derivative have. Divide derivative k by k! for the coefficient of t^k in Taylor's
    series. With `argnums` there is a list for each of these arguments, and the others are constants.

    It costs n^2 operations for each of the function's, by recurrences for the coefficients; nested
    derivatives would take 2^n. A function with a derivative of its own, such as `ad.root` and
    `ad.custom_derivative`, costs more: its rule is run for each order.

    Raises `ArgumentError` where lists are missing, empty or of different lengths; `ShapeError` where a
    derivative has not the shape of its argument.
    """
    require_function(function, THE_CALL)
    chosen = chosen_or_all(argnums)
    lists = tuple(
        part if part is None else tuple(checked_list(part, "a series of jet", _CALL))
        for part in checked_list(series, "the series of jet", _CALL)
    )
    order = _order(lists)

    def derived(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        return _derived(f, chosen, order, *args)

    transformed = Transformed(function, derived, ("jet", chosen, order), options_of(options))
    return transformed(tuple(checked_list(primals, "the primals of jet", _CALL)), lists)


def _order(lists: Sequence[Any]) -> int:
    """The length that all lists have."""
    lengths = sorted({len(part) for part in lists if part is not None})
    if len(lengths) > 1:
        shown = " and ".join(map(str, lengths))
        raise argument_error(
            f"jet: the series have {shown} derivatives, and all have as many", "fill them up with None, for 0"
        )
    if not lengths or not lengths[0]:
        raise argument_error("jet: the series are empty, so there is nothing to differentiate along", _CALL)
    return lengths[0]


def _derived(
    function: Callable[..., Any], argnums: Argnums | None, order: int, primals: tuple[Any, ...], lists: Any
) -> tuple[Any, list[Any]]:
    """The same of traced arguments."""
    positions = positions_or_all(function, argnums, len(primals))
    if len(lists) != len(positions):
        raise argument_error(f"jet: there are {len(lists)} series for {len(positions)} arguments", _CALL)
    at = point_of(function, primals, positions)
    given = [_coefficients(at, [None if part is None else part[k] for part in lists], k + 1)
             for k in range(order)]  # fmt: skip
    count, b = len(at.moving), emitting()
    properties = {
        "callee": SymbolRefAttr(at.traced.name),
        "wrt": ints(tuple(range(count))),
        "order": integer(order),
    }
    series = [row[n].value for n in range(count) for row in given]
    floats = [t for t in at.result_types if is_float(t) for _ in range(order)]
    results = b.insert(linear.JetOp, [*at.operands, *series], [*at.result_types, *floats], properties).results
    values = len(at.result_types)
    value = at.traced.tree.unflatten(at.arrays(list(results[:values])))
    found = iter(results[values:])
    rows = [
        [_scaled(made(next(found)), factorial(k)) for k in range(1, order + 1)]
        if is_float(t)
        else [None] * order
        for t in at.traced.result_types
    ]
    return value, [at.traced.tree.unflatten([row[k] for row in rows]) for k in range(order)]


def _coefficients(at: Point, derivatives: Sequence[Any], k: int) -> list[Array]:
    """Taylor coefficients of order k of the moving leaves, from derivatives of the arguments."""
    what = f"derivative {k} of the series"
    whole = tuple(
        child.unflatten([None] * child.size) if part is None else part
        for child, part in zip(at.arguments.children, derivatives, strict=True)
    )
    try:
        leaves = at.arguments.flatten_like(whole, what)
    except ValueError as error:
        raise ShapeError(
            str(error),
            location=user_line(),
            hint="pass derivatives in the structure of the argument; None stands for zero",
        ) from error
    paths = at.arguments.paths(what)
    found: list[Array] = []
    for n, place in enumerate(at.moving):
        like = made(at.operands[n])
        leaf = leaves[place]
        if leaf is None:
            found.append(made(emitting().zeros(like.value.type)))
        else:
            given = vector(leaf, LeafType(like.shape, like.dtype), paths[place])
            found.append(_scaled(given, 1 / factorial(k)))
    return found


def _scaled(x: Any, factor: float) -> Any:
    return x if factor == 1 else x * x.dtype.type(factor)
