"""Loops: `scan`, `fold`, `fori_loop` and `while_loop`, on structures of values, with any captures.

    ad.scan(lambda c, x: (c + x, c), 0.0, xs)          the sum of xs, and the sums before each element
    ad.fold(lambda c, x: c * x, 1.0, xs)               the product
    ad.fori_loop(0, n, lambda i, y: y * x[i], 1.0)     a loop that counts; n may be traced
    ad.while_loop(lambda y: y > 1, lambda y: y / 2, x)

The number of iterations of `scan` and `fold` is static; what a body reads from outside is captured, which
costs nothing. Each body is traced once, whatever the number of iterations.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, cast

from mlirad.dialects.array.control import CHECKPOINTS
from mlirad.dialects.extents import Extent, is_static
from mlirad.dialects.shapes import Value
from mlirad.errors import ShapeError, TracingError, of_class
from mlirad.frontend.constructs import eager
from mlirad.frontend.constructs.carries import (
    Carry,
    Regions,
    in_trace,
    leaf_array,
    scoped,
    settled,
    slices_of,
)
from mlirad.frontend.constructs.endings import ended_by_exceptions
from mlirad.frontend.constructs.scalars import require_condition, require_integer
from mlirad.frontend.tracing.argument_kinds import MACHINE_INTEGERS, checked_choice, checked_flag
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.dtypes import BOOL, I64
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.functions import require_arguments
from mlirad.frontend.tracing.operations import as_array, converted
from mlirad.frontend.tracing.pytree import Tree, flatten
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.tokens import last_token, receiving, sealed, sending
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.ir.arrays import ArrayBuilder

STACKED = "the outputs of the iterations are stacked; carry it, or return what it gives"


@plain_errors
def scan(
    f: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
    checkpoint: str | None = None,
) -> tuple[Any, Any]:
    """The last carry and the stacked outputs of `f(carry, x) -> (carry, y)` over the slices x of `xs`.

    `xs` is an array, a structure of arrays of one length, or `None`, and then `length` says how many
    iterations there are. With `reverse` the loop starts at the last slice; output k belongs to slice k either
    way.
    `checkpoint` says what is kept of the iterations for the reverse sweep: "store" the residuals of each,
    "recompute" only its carry, "sqrt" the carry of every √length-th; by default the compiler decides.

        >>> ad.scan(lambda total, t: (total + t, total), 0.0, np.array([1.0, 2.0, 3.0]))
        (np.float64(6.0), array([0., 1., 3.]))
        >>> growth = lambda rate: ad.scan(lambda x, _: (x * rate, None), 1.0, length=3)[0]
        >>> ad.grad(growth)(2.0)
        np.float64(12.0)
    """
    require_arguments(f, 2, "scan")
    return in_trace(
        lambda: _scan(f, init, xs, length, reverse, checkpoint, "scan"),
        lambda: _run(f, init, xs, length, reverse, checkpoint, "scan"),
    )


@plain_errors
def fold(f: Callable[[Any, Any], Any], init: Any, xs: Any, checkpoint: str | None = None) -> Any:
    """The last carry of `f(carry, x) -> carry` over the slices x of `xs`.

    >>> horner = lambda x: ad.fold(lambda value, c: value * x + c, 0.0, np.array([1.0, 0.0, -2.0]))
    >>> horner(3.0), ad.grad(horner)(3.0)
    (np.float64(7.0), np.float64(6.0))
    """
    require_arguments(f, 2, "fold")

    def step(carry: Any, x: Any) -> tuple[Any, Any]:
        return f(carry, x), ()

    return in_trace(
        lambda: _scan(step, init, xs, None, False, checkpoint, "fold")[0],
        lambda: _run(step, init, xs, None, False, checkpoint, "fold")[0],
    )


@plain_errors
def fori_loop(
    lower: Any, upper: Any, body: Callable[[Any, Any], Any], init: Any, checkpoint: str | None = None
) -> Any:
    """The last carry of `body(i, carry) -> carry` for i from `lower` to `upper` - 1.

    Between static bounds this is a `scan`; with a traced bound it is a `while_loop`. As in a Python loop, i
    promotes like a Python integer.

        >>> power = lambda x, n: ad.fori_loop(0, n, lambda i, y: y * x, 1.0)
        >>> ad.value_and_grad(power)(2.0, 5)
        (np.float64(32.0), np.float64(80.0))
    """

    require_arguments(body, 2, "fori_loop")

    def looped() -> Any:
        if isinstance(lower, Array) or isinstance(upper, Array):
            low, high = (integer(bound, "fori_loop: a bound") for bound in (lower, upper))
            return counting(low, high, body, init, "fori_loop")
        first, length = _static(lower), max(_static(upper) - _static(lower), 0)

        def step(i: Array, carry: Any, slices: list[Array]) -> Any:
            return body(i if is_static(first) and not first else i + first, carry), ()

        return counted(step, init, [], length, False, checked_checkpoint(checkpoint), "fori_loop")[0]

    def run() -> Any:
        checked_checkpoint(checkpoint)
        return eager.count(_static(lower), _static(upper), body, init)

    return in_trace(looped, run)


@plain_errors
def while_loop(cond: Callable[[Any], Any], body: Callable[[Any], Any], init: Any) -> Any:
    """The last carry of `body(carry) -> carry`, repeated as long as `cond(carry)` holds.

    >>> def root(a):
    ...     goes_on = lambda s: np.abs(s[1] - s[0]) > 1e-12
    ...     return ad.while_loop(goes_on, lambda s: (s[1], (s[1] + a / s[1]) / 2), (0.0, a))[1]
    >>> root(4.0).round(9), ad.grad(root)(4.0).round(9)
    (np.float64(2.0), np.float64(0.25))
    """
    require_arguments(cond, 1, "while_loop")
    require_arguments(body, 1, "while_loop")
    return in_trace(
        lambda: ended_by_exceptions(repeated, cond, body, init, "while_loop"),
        lambda: eager.while_loop(cond, body, init),
    )


# Parts -------------------------------------------------------------------------------------------


def _scan(
    f: Callable[[Any, Any], Any],
    init: Any,
    xs: Any,
    length: int | None,
    reverse: bool,
    checkpoint: str | None,
    what: str,
) -> tuple[Any, Any]:
    backwards, kept = checked_flag(reverse, f"{what}: reverse"), checked_checkpoint(checkpoint)
    arrays, tree, iterations = slices_of(xs, None if length is None else _static(length), what)

    def step(i: Array, carry: Any, slices: list[Array]) -> Any:
        return f(carry, tree.unflatten(slices))

    return counted(step, init, arrays, iterations, backwards, kept, what)


def _run(
    f: Callable[[Any, Any], Any],
    init: Any,
    xs: Any,
    length: int | None,
    reverse: bool,
    checkpoint: str | None,
    what: str,
) -> tuple[Any, Any]:
    """A `scan` outside of a trace."""
    backwards, _ = checked_flag(reverse, f"{what}: reverse"), checked_checkpoint(checkpoint)
    iterations = None if length is None else _static(length)

    def step(index: int, carry: Any, x: Any) -> tuple[Any, Any]:
        return _pair(f(carry, x), what)

    found = eager.scan(step, init, xs, iterations, backwards, what)
    if found is not None:
        return found

    def looped(init: Any, xs: Any) -> tuple[Any, Any]:
        return _scan(f, init, xs, length, reverse, checkpoint, what)

    return eager.interpreted(looped, init, xs)


def counted(
    step: Callable[[Array, Any, list[Array]], Any],
    init: Any,
    arrays: list[Array],
    length: int,
    reverse: bool,
    checkpoint: str | None,
    what: str,
    *,
    of_variables: bool = False,
) -> tuple[Any, Any]:
    """A loop of a given number of iterations inside a trace: its last carry, and the stacked outputs of its
    body.

    `step` takes the index, the carry and slices of the arrays. Errors call the loop `what`; the carry may be
    a dictionary of variables.
    """
    carry = Carry(sending(init), what, of_variables=of_variables)
    sliced = [a.value for a in arrays]
    found: list[tuple[Tree, list[bool]]] = []

    def attempt(regions: Regions) -> tuple[list[Value], list[Value]]:
        b = emitting()

        def body(index: Value, carries: list[Value], slices: list[Value]) -> tuple[list[Value], list[Value]]:
            def traced() -> list[Value]:
                given = [made(v) for v in slices]
                result = step(made(index, weak=True), receiving(carry.structure(carries)), given)
                new, y = _pair(result, what)
                leaves, tree = flatten(y)
                paths = tree.paths("output")
                outputs = [leaf_array(o, path, what, STACKED) for o, path in zip(leaves, paths, strict=True)]
                values = carry.returned(sending(new))
                found[:] = [(tree, [o.weak for o in outputs])]
                return [*values, *(o.value for o in outputs)]

            values = scoped(regions, traced)()
            return values[: len(carry.types)], values[len(carry.types) :]

        return b.scan(carry.start(), sliced, length, body, reverse=reverse, checkpoint=checkpoint)

    last, stacked = settled(attempt)
    tree, weak = found[0]
    outputs = tree.unflatten([made(v, weak=w) for v, w in zip(stacked, weak, strict=True)])
    return receiving(carry.structure(last)), outputs


def _pair(result: Any, what: str) -> tuple[Any, Any]:
    kind = cast("type[Any]", type(result))
    if issubclass(kind, tuple) and len(result) == 2:
        return result
    raise TracingError(
        f"{what}: the body must return (carry, output), got {of_class(cast(object, result))}",
        location=user_line(),
        hint="return (carry, None) if there is no output, or use ad.fold",
    )


def counting(
    lower: Array,
    upper: Array,
    body: Callable[[Any, Any], Any],
    init: Any,
    what: str,
    *,
    of_variables: bool = False,
) -> Any:
    """A loop between bounds that are not known. Facts about the bounds hold for the index in the body."""
    b = emitting()
    low, high = b.ranges.bounds(lower.value)[0], b.ranges.bounds(upper.value)[1]
    limit = converted(upper, I64)

    def goes_on(state: tuple[Array, Any]) -> Any:
        return cast(Any, state[0]) < limit

    def step(state: tuple[Array, Any]) -> Any:
        i, carry = state
        inner: ArrayBuilder = emitting()
        if low is not None and high is not None and low < high:
            inner.ranges.set(i.value, low, high - 1)
        index = made(i.value, weak=True)
        return i + 1, body(index, carry)

    return repeated(goes_on, step, (converted(lower, I64), init), what, of_variables=of_variables)[1]


def repeated(
    cond: Callable[[Any], Any],
    body: Callable[[Any], Any],
    init: Any,
    what: str,
    *,
    of_variables: bool = False,
) -> Any:
    """`while_loop` inside a trace, which errors call `what`; the carry may be a dictionary of variables."""
    carry = Carry(sending(init), what, of_variables=of_variables)

    def attempt(regions: Regions) -> list[Value]:
        b = emitting()

        def condition(*values: Value) -> list[Value]:
            given = receiving(carry.structure(values))
            before = last_token()
            return sealed([flag_of(cond(given), what).value], before)

        def step(*values: Value) -> list[Value]:
            return carry.returned(sending(body(receiving(carry.structure(values)))))

        first, second = scoped(regions, condition), scoped(regions, step)
        return b.while_(carry.start(), lambda *values: first(*values)[0], second)

    return receiving(carry.structure(settled(attempt)))


def flag_of(condition: Any, what: str) -> Array:
    """A condition as a boolean scalar; numbers are true unless they are 0."""
    flag = as_array(condition)
    require_condition(flag, what)
    return converted(flag.reshape(()) if flag.ndim else flag, BOOL)


def integer(value: Any, what: str, hint: str = "") -> Array:
    """An integer scalar; raises for anything else, with a further hint."""
    scalar = as_array(value)
    require_integer(scalar, scalar, what, hint)
    return converted(scalar, I64)


def _static(value: Any) -> int:
    if isinstance(value, Extent):
        return cast(int, value)
    try:
        number = operator.index(value)
    except TypeError as error:
        raise ShapeError(
            f"the number of iterations must be a static integer, got {value!r}",
            location=user_line(),
            hint="for a number that is traced write ad.fori_loop or ad.while_loop",
        ) from error
    if abs(number) >= MACHINE_INTEGERS:
        raise ShapeError(
            f"the number of iterations is made of {number}, which no machine counts to",
            location=user_line(),
            hint="write a smaller number, or ad.while_loop with a condition that ends it",
        )
    return number


def checked_checkpoint(checkpoint: str | None) -> str | None:
    """Return what the reverse sweep keeps, if that is said; raises for what it cannot keep."""
    return None if checkpoint is None else checked_choice(checkpoint, "checkpoint", CHECKPOINTS)
